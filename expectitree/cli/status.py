"""The exit statuses of the program; 0 is success."""

DOES_NOT_HOLD = 1  # the answer is negative
WRONG_USAGE = 2
NO_TREE = 3  # a file cannot be read or written, or is not a tree
# 130, interrupted, is in `expectitree.base.interrupts`.
