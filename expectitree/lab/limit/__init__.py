"""How few leaves would have been enough to prove the result?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
