"""Gambit's .efg: games of two players with perfect information and a constant sum."""

from expectitree.foreign.efg.reader import read as read
from expectitree.foreign.efg.writer import write as write
