"""Certainty equivalents of lotteries under an exponential attitude: functions that loops call.

The certainty equivalent of outcomes x of probability p is -R log sum p exp(-x / R), with the risk
tolerance R. A reward that all outcomes share only adds to it, so it is computed from node to node.
(Howard and Matheson, Risk-sensitive Markov decision processes, 1972.) Exponentials are taken of
differences to one outcome, the decisive one: the least if R > 0, the greatest if R < 0. So none
overflows, and for large R the sum of p * x comes out without loss.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p
from typing import Any

from expectitree.searches.intervals import end_of_branch
from expectitree.tree.columns import CHANCE, MAX, NONE, TERMINAL, Columns, NumberColumn, Readable

INFINITE = float("inf")
_MOST_EXPONENT = 700.0  # exp of more overflows


def certain_backward_induction(tree: Columns, value: NumberColumn, tolerance: Any) -> None:
    """Write the certainty equivalent of every node to `value[N]`, children first."""
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    pays = len(tree.reward) > 0
    for n in range(len(kind)):
        k = kind[n]
        if k == TERMINAL:
            value[n] = tree.utility[n]
        elif k == CHANCE:
            value[n] = weigh_outcomes(tree, value, first[n], last[n], NONE, tolerance)[1]
        else:
            begin = first[n]
            result = value[child[begin]]
            if pays:
                result += tree.reward[begin]
            for b in range(begin + 1, last[n]):
                worth = value[child[b]]
                if pays:
                    worth += tree.reward[b]
                if worth > result if k == MAX else worth < result:
                    result = worth
            value[n] = result


def weigh_outcomes(
    tree: Columns, ends: Readable[Any], begin: int, end: int, skip: int, tolerance: Any
) -> tuple[Any, Any]:
    """Return the probability of the outcomes from `begin` to `end`, and what they are worth.

    They are worth the certainty equivalent of `ends`, rewards included, given that one of them
    happens. The branch `skip` is left out.
    """
    probability = tree.probability
    weight: Any = 0.0
    decisive: Any = 0.0
    for b in range(begin, end):
        p = probability[b]
        if p > 0 and b != skip:
            x = end_of_branch(tree, ends, b)
            if weight == 0 or (x < decisive if tolerance > 0 else x > decisive):
                decisive = x
            weight += p
    if weight == 0 or not -INFINITE < decisive < INFINITE:
        return weight, decisive
    change: Any = 0.0
    total: Any = 0.0
    for b in range(begin, end):
        p = probability[b]
        if p > 0 and b != skip:
            x = end_of_branch(tree, ends, b)
            difference = (x - decisive) / tolerance
            change += p * expm1(-difference)
            total += p * exp(-difference)
    return weight, decisive - tolerance * _log_of(change / weight, total / weight)


def mix(p: Any, x: Any, q: Any, y: Any, tolerance: Any) -> Any:
    """Return the certainty equivalent of x with the weight p and y with the weight q."""
    if q <= 0 or x == y:
        return x
    if p <= 0:
        return y
    decisive, other, own, share = x, y, p / (p + q), q / (p + q)
    if x > y if tolerance > 0 else x < y:
        decisive, other, own, share = y, x, share, own
    difference = (other - decisive) / tolerance
    change = share * expm1(-difference)
    return decisive - tolerance * _log_of(change, own + share * exp(-difference))


def _log_of(change: float, total: float) -> float:
    """Return log(1 + change) = log(total), by the one of the two that is precise."""
    return log1p(change) if change > -0.5 else log(total)


def solve_outcome(p: Any, q: Any, rest: Any, whole: Any, tolerance: Any) -> Any:
    """Return what an outcome of weight p must be worth, for the lottery to be worth `whole`.

    The other outcomes have the weight q and are worth `rest`. If they alone decide that the lottery
    is worth less than `whole` (if R > 0), no number is enough: the result is infinite.
    """
    if q <= 0 or not -INFINITE < whole < INFINITE:
        return whole
    difference = (rest - whole) / tolerance
    if difference > -_MOST_EXPONENT:
        change = -(q / p) * expm1(-difference)
        if change > -1:
            return whole - tolerance * log1p(change)
    return INFINITE if tolerance > 0 else -INFINITE
