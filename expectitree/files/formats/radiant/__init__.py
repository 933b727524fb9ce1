"""Radiant's and pyrsm's decision trees in YAML: from their keys to those of a tree file, and back.

name: Sign contract
variables:
legal fees: 5000
type: decision
Sign with Movie Company:
cost: legal fees
type: chance
...
"""

from __future__ import annotations

from expectitree.files.formats.radiant.reader import read as read
from expectitree.files.formats.radiant.writer import write as write
