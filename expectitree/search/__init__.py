"""Searches: a tree in, a `Search` out. They know nothing of files, transforms or display."""
