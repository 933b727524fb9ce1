"""Gambit's .efg: games of two players with perfect information and a constant sum."""

from expectitree.files.efg.reader import read as read
from expectitree.files.efg.writer import write as write
