"""Which unknown utility matters most, and when is the decision certain?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
