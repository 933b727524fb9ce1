"""Does a tree file give the results that its `expect` block states?"""

FORMATS = ("text", "json", "junit", "github")  # what `--format` offers, a module each
