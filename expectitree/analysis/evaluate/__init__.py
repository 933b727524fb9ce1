"""What is the tree worth, what is the best action, and why were branches cut?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
