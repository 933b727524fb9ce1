"""Extensive games in Gambit's format .efg: a parser, and trees from games and back."""
