"""Does the decision change against an opponent who makes mistakes?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
