"""Gambit's .efg: games of two players with perfect information and a constant sum."""

from expectitree.files.formats.efg.reader import read as read
from expectitree.files.formats.efg.writer import write as write
