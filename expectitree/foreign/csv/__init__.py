"""Payoff tables in CSV: actions as rows, states as columns, and a row of probabilities."""

from expectitree.foreign.csv.reader import read as read
