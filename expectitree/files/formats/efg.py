"""Extensive games of Gambit (.efg)."""
