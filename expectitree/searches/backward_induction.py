"""Backward induction (expectiminimax): one forward scan, since children come before their parents.

Plain loops over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from typing import Any

from expectitree.searches.certainty import mix
from expectitree.tree.columns import CHANCE, MAX, TERMINAL, Columns, NumberColumn


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
        begin = first[n]
        end = last[n]
        if k == CHANCE:
            result = zero
            if risk_tolerance is None:
                for b in range(begin, end):
                    result += probability[b] * (
                        reward[b] + value[child[b]] if pays else value[child[b]]
                    )
            else:
                weight = zero
                for b in range(begin, end):
                    worth = reward[b] + value[child[b]] if pays else value[child[b]]
                    result = mix(weight, result, probability[b], worth, risk_tolerance)
                    weight += probability[b]
        else:
            result = reward[begin] + value[child[begin]] if pays else value[child[begin]]
            for b in range(begin + 1, end):
                worth = reward[b] + value[child[b]] if pays else value[child[b]]
                if worth > result if k == MAX else worth < result:
                    result = worth
        value[n] = result
