"""How the best decision depends on the parameters of a tree."""

FORMATS = ("text", "json", "csv")
