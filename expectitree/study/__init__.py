"""Experiments: families of trees, searched many times over, so that searches can be compared by what they visit."""
