"""What is a game worth whose positions may repeat, and what is the best move in each?"""

FORMATS = ("text", "json")  # what `--format` offers
WIDTH = 1e-9  # of the interval that contains the value
