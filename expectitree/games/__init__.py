"""Games that are searched from their rules."""

MAX_ROWS = 5_000_000  # of a tree that grows; some 700 bytes each
