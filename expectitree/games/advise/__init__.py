"""What is each move in a position of a game worth, and how does best play go on?"""

FORMATS = ("text", "json")  # what `--format` offers
