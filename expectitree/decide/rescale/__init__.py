"""Does the decision change when the utilities are replaced?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
