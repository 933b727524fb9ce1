"""Payoff tables in CSV: actions as rows, states as columns, and a row of probabilities."""
