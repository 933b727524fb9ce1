"""The rules of games as they were before states were known once, for a fair comparison."""
