"""Does a tree file give the results that its `expect` block states?"""

FORMATS = ("text", "json")  # what `--format` offers, a module each
