"""What does a search do, step by step?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
