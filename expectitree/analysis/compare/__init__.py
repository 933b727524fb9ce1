"""How do the algorithms compare on the same tree?"""

FORMATS = ("text", "json", "csv")  # what `--format` offers, a module each
