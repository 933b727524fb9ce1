"""Wing: generated trees, studies of searches, and the limit of pruning."""
