"""Stochastic dominance between the actions of a decision."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

from expectitree.analysis.risk.distribution import Distribution


@dataclass(frozen=True)
class Dominance:
    """One action dominates another: nobody who prefers more would choose the other.

    Attributes:
        action: The better action.
        other: The dominated action.
        order: 1 if every total is exceeded with at least the same probability; 2 if only everyone
            who also avoids risk prefers it.
    """

    action: str
    other: str
    order: int


def dominances(distributions: dict[str, Distribution], eps: Any) -> tuple[Dominance, ...]:
    """Return which action dominates which, of the first order, or else of the second."""
    found = []
    for a, b in permutations(distributions, 2):
        order = _order(distributions[a], distributions[b], eps)
        if order:
            found.append(Dominance(a, b, order))
    return tuple(found)


def _order(a: Distribution, b: Distribution, eps: Any) -> int:
    """Return the order in which a dominates b, 0 if it does not.

    With F the probability of at most t: the first order needs F_a <= F_b at every t, the second
    the same of the integrals of F. Both are steps, so the union of the totals is enough.
    """
    first = second = True
    is_strict = False
    gap = area = 0  # F_b - F_a at the last total, and its integral up to it
    i = j = 0
    previous = min(a.totals[0], b.totals[0])
    for t in sorted({*a.totals, *b.totals}):
        area += gap * (t - previous)
        while i < len(a.totals) and a.totals[i] <= t:
            i += 1
        while j < len(b.totals) and b.totals[j] <= t:
            j += 1
        gap = (b.cumulative[j - 1] if j else 0) - (a.cumulative[i - 1] if i else 0)
        first = first and gap >= -eps
        second = second and area >= -eps * max(1, abs(t))
        is_strict = is_strict or gap > eps or area > eps * max(1, abs(t))
        previous = t
    if not is_strict:
        return 0
    return 1 if first else 2 if second else 0
