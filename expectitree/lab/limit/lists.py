"""Join two lists of bounds: a loop that is interpreted or compiled."""

from __future__ import annotations

from typing import Any

from expectitree.tree.columns import Column

SUM, MERGED, LEAST = 0, 1, 2  # of CHANCE; where both lists need a proof; where one is enough
TOGETHER = 4  # added where the same leaves serve both lists


def join_lists(
    how: int,
    one: Column,
    f: Any,
    other: Column,
    g: Any,
    infinity: Any,
    bounds: Column,
    left: Column,
) -> None:
    """Write the joined bounds of two lists, whose numbers are multiplied by `f` and `g`.

    `bounds` is long enough, and `infinity` throughout. `left[k]` becomes the share of `one` in k
    leaves (not where both share leaves). A factor leaves an infinite bound infinite.
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
                    left[i + j] = i
    elif how == MERGED:
        i, j = a, b
        for at in range(a + b, n + m):
            left[at] = i
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
                left[k] = min(k, n - 1) if x <= y else 0
            elif how == MERGED + TOGETHER:
                bounds[k] = max(x, y)
            elif k >= a and k >= b:
                bounds[k] = x + y
