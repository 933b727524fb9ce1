"""Payoff tables in CSV, which are only read."""

from expectitree.files.payoff_table.reader import read as read
