"""Backward induction (expectiminimax): one forward scan, since children come before their parents.

Plain loops over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, expm1, log, log1p
from typing import Any

from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    TERMINAL,
    Columns,
    NumberColumn,
    Repeated,
)
from expectitree.base.tree.model import Tree
from expectitree.searches.problem import Found, Problem


def backward_induction(
    tree: Columns, value: NumberColumn, zero: Any, risk_tolerance: Any = None
) -> None:
    """Write v* of every node to `value[N]`.

    v* of a terminal is its utility. A branch is worth its reward plus v* of its child. v* of MAX is
    the greatest and of MIN the least worth of its branches, of CHANCE the sum of p * worth over its
    outcomes in branch order (Russell & Norvig, Artificial Intelligence, section 5.5). Sums start
    from `zero`: 0.0, or `Fraction(0)`. With a risk tolerance, v* of CHANCE is the certainty
    equivalent of its outcomes instead of their sum.
    """
    kind, first, last = tree.kind, tree.first, tree.last
    child, probability, reward = tree.child, tree.probability, tree.reward
    pays = len(reward) > 0
    for n in range(len(kind)):
        k = kind[n]
        if k == TERMINAL:
            value[n] = tree.utility[n]
            continue
        result = weight = zero
        begin = first[n]
        for b in range(begin, last[n]):
            worth = reward[b] + value[child[b]] if pays else value[child[b]]
            if k != CHANCE:
                if b == begin or (worth > result if k == MAX else worth < result):
                    result = worth
            elif risk_tolerance is None:
                result += probability[b] * worth
            else:
                result = mix(weight, result, probability[b], worth, risk_tolerance)
                weight += probability[b]
        value[n] = result


def run_backward_induction(problem: Problem) -> Found:
    """Evaluate every node of a tree once."""
    tree, count = problem.tree, len(problem.tree)
    value = problem.column("d")
    tolerance = None if tree.attitude is None else tree.attitude.risk_tolerance
    if tolerance is not None:
        tolerance *= tree.gain_sign  # who avoids a small gain avoids a large cost
    problem.begin()
    problem.run(backward_induction, problem.columns, value, problem.zero, tolerance)
    nothing, windows = Repeated(0, count), (Repeated(-INFINITY, count), Repeated(INFINITY, count))
    return Found(value, value, Repeated(1, count), *windows, nothing, nothing)


def mix(p: Any, x: Any, q: Any, y: Any, risk_tolerance: Any) -> Any:
    """Return the certainty equivalent of x with the weight p and y with the weight q.

    The certainty equivalent of outcomes x of probability p is -R log sum p exp(-x / R), with the
    risk tolerance R. A reward that all outcomes share only adds to it, so it is computed from node
    to node. (Howard and Matheson, Risk-sensitive Markov decision processes, 1972.) Exponentials are
    taken of differences to one outcome, the decisive one: the least if R > 0, the greatest if
    R < 0. So none overflows, and for large R the sum of p * x comes out without loss.
    """
    if q <= 0 or x == y:
        return x
    if p <= 0:
        return y
    decisive, other, share_of_decisive, share = x, y, p / (p + q), q / (p + q)
    if x > y if risk_tolerance > 0 else x < y:
        decisive, other, share_of_decisive, share = y, x, share, share_of_decisive
    difference = (other - decisive) / risk_tolerance
    change = share * expm1(-difference)
    return decisive - risk_tolerance * _log_of(change, share_of_decisive + share * exp(-difference))


def _log_of(change: float, total: float) -> float:
    """Return log(1 + change) = log(total), by the one of the two that is precise."""
    return log1p(change) if change > -0.5 else log(total)


def value_under(tree: Tree, choices: Mapping[int, int]) -> Number:
    """Return the value of a tree in which some nodes have their branch chosen."""
    result: Number = tree.root_reward + values_under(tree, choices)[tree.root_id]
    return result


def values_under(tree: Tree, choices: Mapping[int, int]) -> list[Any]:
    """Return [N] the values of the nodes of a tree in which some have their branch chosen."""
    first, last = [*tree.columns.first], [*tree.columns.last]
    for n, branch in choices.items():
        first[n], last[n] = branch, branch + 1
    values: list[Any] = [None] * len(tree)
    backward_induction(tree.columns._replace(first=first, last=last), values, 0)
    return values
