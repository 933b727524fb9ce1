"""Stochastic dominance between the actions of a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import merge
from itertools import permutations
from typing import Any

from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError
from expectitree.decide.risk.distribution import NEAR, Distribution

MAX_STEPS = 20_000_000  # of comparing pairs of actions, about a microsecond each
_IN_FRACTIONS = 10  # steps that a step in fractions takes
_A_PAIR = 40  # steps that a pair takes apart from its totals
_ROUNDING = 1e-12  # by which sums of probabilities may differ, unless the tree is exact


@dataclass(frozen=True)
class Dominance:
    """One action dominates another: no one who prefers more would choose the other.

    Attributes:
        action: The better action.
        other: The dominated action.
        order: 1 if every total is exceeded with at least the same probability; 2 if only everyone
            who also avoids risk prefers it.
    """

    action: str
    other: str
    order: int


def dominances(distributions: Mapping[str, Distribution]) -> tuple[Dominance, ...]:
    """Return which action dominates which, of the first order, or else of the second.

    Raises `AnalysisError` if comparing all pairs takes too many steps.
    """
    totals = sum(len(one.totals) for one in distributions.values())
    is_exact = any(one.is_exact for one in distributions.values())
    steps = 2 * max(0, len(distributions) - 1) * totals * (_IN_FRACTIONS if is_exact else 1)
    steps += _A_PAIR * len(distributions) * (len(distributions) - 1)
    if steps > most(MAX_STEPS):
        raise AnalysisError(
            f"comparing {len(distributions):,} actions takes {steps:,} steps, and "
            f"{most(MAX_STEPS):,} are allowed: name one with --action, or {more()}"
        )
    found = []
    for a, b in permutations(distributions, 2):
        order = order_of(distributions[a], distributions[b])
        if order:
            found.append(Dominance(a, b, order))
    return tuple(found)


def order_of(a: Distribution, b: Distribution) -> int:
    """Return the order in which a dominates b, 0 if it does not.

    With F the probability of at most t: the first order needs F_a <= F_b at every t, the second
    the same of the integrals of F. Both are steps, so the union of the totals is enough.
    """
    is_exact = a.is_exact and b.is_exact
    widest = max(abs(end) for d in (a, b) for end in (d.totals[0], d.totals[-1]))
    near, eps = (0, 0) if is_exact else (widest / NEAR, _ROUNDING)
    is_first, is_strict = True, False
    gap = area = 0  # F_b - F_a at the last total, and its integral up to it
    previous = min(a.totals[0], b.totals[0])
    for t, change in _steps(a, b, near):
        area += gap * (t - previous)
        gap += change
        if area < -eps * widest:
            return 0
        is_first = is_first and gap >= -eps
        is_strict = is_strict or gap > eps
        previous = t
    if not is_strict:
        return 0
    return 1 if is_first else 2


def _steps(a: Distribution, b: Distribution, near: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each total of two distributions, and by how much F_b - F_a changes there."""
    start, change = min(a.totals[0], b.totals[0]), 0
    for t, p in merge(((t, -p) for t, p in a.pairs()), b.pairs()):
        if t - start > near:  # nearer totals are the same
            yield start, change
            start, change = t, 0
        change += p
    yield start, change
