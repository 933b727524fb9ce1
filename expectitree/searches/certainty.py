"""Certainty equivalents of lotteries under an exponential attitude, for loops to call.

The certainty equivalent of outcomes x of probability p is -R log sum p exp(-x / R), with the risk
tolerance R. A reward that all outcomes share only adds to it, so it is computed from node to node.
(Howard and Matheson, Risk-sensitive Markov decision processes, 1972.) Exponentials are taken of
differences to one outcome, the decisive one: the least if R > 0, the greatest if R < 0. So none
overflows, and for large R the sum of p * x comes out without loss.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p
from typing import Any


def mix(p: Any, x: Any, q: Any, y: Any, risk_tolerance: Any) -> Any:
    """Return the certainty equivalent of x with the weight p and y with the weight q."""
    if q <= 0 or x == y:
        return x
    if p <= 0:
        return y
    decisive, other, own, share = x, y, p / (p + q), q / (p + q)
    if x > y if risk_tolerance > 0 else x < y:
        decisive, other, own, share = y, x, share, own
    difference = (other - decisive) / risk_tolerance
    change = share * expm1(-difference)
    return decisive - risk_tolerance * _log_of(change, own + share * exp(-difference))


def _log_of(change: float, total: float) -> float:
    """Return log(1 + change) = log(total), by the one of the two that is precise."""
    return log1p(change) if change > -0.5 else log(total)
