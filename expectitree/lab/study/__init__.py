"""How do algorithms compare on many random trees?"""

FORMATS = ("text", "json", "csv")  # what `--format` offers, a module each
