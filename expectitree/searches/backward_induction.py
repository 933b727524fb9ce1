"""Backward induction (expectiminimax): one forward scan, since children come before their parents.

Plain loops over columns, to be interpreted or compiled as they stand.
"""

from __future__ import annotations

from typing import Any

from expectitree.tree.columns import Column, Columns


def backward_induction(tree: Columns, value: Column, zero: Any) -> None:
    """Write v* of every node to `value[N]`.

    v* of a terminal is its utility, of MAX the greatest and of MIN the least of its children's, of
    CHANCE the sum of p * v* over its outcomes in branch order (Russell & Norvig, Artificial
    Intelligence, section 5.5). `zero` is what the sum starts from: 0.0, or `Fraction(0)`.
    """
    kind, utility, first, child, probability = tree
    for n in range(len(kind)):
        k = kind[n]
        if k == 0:  # TERMINAL
            value[n] = utility[n]
            continue
        begin = first[n]
        end = first[n + 1]
        if k == 3:  # CHANCE
            result = zero
            for b in range(begin, end):
                result += probability[b] * value[child[b]]
        else:
            result = value[child[begin]]
            for b in range(begin + 1, end):
                v = value[child[b]]
                if v > result if k == 1 else v < result:  # MAX, MIN
                    result = v
        value[n] = result
