"""Radiant's and pyrsm's decision trees in YAML."""

from expectitree.files.radiant.reader import read as read
from expectitree.files.radiant.writer import write as write
