"""The game tree in memory: its columns, how to build one, and what follows from its shape alone."""
