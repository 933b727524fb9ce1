"""Games that are searched from their rules."""
