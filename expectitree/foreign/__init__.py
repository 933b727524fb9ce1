"""Wing: trees of other programs. `formats` has a row for each format."""

# The formats' table needs the rows of this folder, which need a part of `files`. So `files` begins,
# whichever module of the two is the first that a program imports.
import expectitree.files  # noqa: F401
