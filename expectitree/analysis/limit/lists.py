"""The list of a step from those of its operands: a loop that is interpreted or compiled."""

from __future__ import annotations

from typing import Any

from expectitree.tree.columns import Column

SUM, MERGED, LEAST = 0, 1, 2  # of CHANCE; where both operands need a proof; where one is enough
TOGETHER = 4  # added where the same leaves serve both operands


def join_lists(
    how: int, one: Column, f: Any, other: Column, g: Any, infinity: Any, bounds: Column
) -> None:
    """Write the bounds of a step, from its operands' lists and the factors of these.

    `bounds` is long enough, and `infinity` throughout. A factor leaves an infinite bound infinite.
    """
    n, m = len(one), len(other)
    a = b = 0  # the first finite bounds
    while one[a] == infinity:
        a += 1
    while other[b] == infinity:
        b += 1
    if how == SUM:
        for i in range(a, n):
            x = f * one[i]
            for j in range(b, m):
                y = x + g * other[j]
                if y < bounds[i + j]:
                    bounds[i + j] = y
    elif how == MERGED:
        i, j = a, b
        for at in range(a + b, n + m):
            if j == m or (i < n and f * one[i] >= g * other[j]):
                bounds[at] = f * one[i]
                i += 1
            else:
                bounds[at] = g * other[j]
                j += 1
    else:
        for k in range(max(n, m)):
            x = f * one[min(k, n - 1)] if k >= a else infinity
            y = g * other[min(k, m - 1)] if k >= b else infinity
            if how == LEAST:
                bounds[k] = min(x, y)
            elif how == MERGED + TOGETHER:
                bounds[k] = max(x, y)
            elif k >= a and k >= b:
                bounds[k] = x + y
