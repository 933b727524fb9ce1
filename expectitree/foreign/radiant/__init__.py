"""Radiant's and pyrsm's decision trees in YAML: from their keys to those of a tree file, and back.

name: A film
variables:
    lawyer fee: 5000
type: decision
film company:
    cost: lawyer fee
    type: chance
    ...
"""

from expectitree.foreign.radiant.reader import read as read
from expectitree.foreign.radiant.writer import write as write
