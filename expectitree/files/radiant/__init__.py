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
