"""Distributions of totals: mixed, shifted, merged and measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from expectitree.numbers import Number

MOST_TOTALS = 10_000  # of a distribution; more are put into bins
_NEAR = 1e-9  # of the greatest total: in floats, totals so near are one


@dataclass(frozen=True)
class Distribution:
    """Totals and their probabilities, in order of the totals.

    Attributes:
        totals: What MAX receives in all, rising.
        probabilities: The probability of each total.
        is_binned: Whether totals were put into bins, because there were too many.
    """

    totals: tuple[Any, ...]
    probabilities: tuple[Any, ...]
    is_binned: bool = False

    @classmethod
    def of(
        cls,
        shares: Mapping[Any, Any],
        exact: bool,
        is_binned: bool = False,
        most: int = MOST_TOTALS,
    ) -> Distribution:
        """Return the distribution with these probabilities by total, merged and binned."""
        totals = sorted(shares)
        probabilities = [shares[total] for total in totals]
        if not exact:
            near = _NEAR * max(map(abs, totals))
            totals, probabilities = _merged(totals, probabilities, lambda a, b: b - a <= near)
        if len(totals) > most:
            width = (totals[-1] - totals[0]) / most
            start = totals[0]
            totals, probabilities = _merged(
                totals, probabilities, lambda a, b: (a - start) // width == (b - start) // width
            )
            is_binned = True
        return cls(tuple(totals), tuple(probabilities), is_binned)

    def shifted(self, by: Number) -> Distribution:
        """Return the distribution of the total plus a number."""
        if not by:
            return self
        return Distribution(
            tuple(total + by for total in self.totals), self.probabilities, self.is_binned
        )

    @cached_property
    def cumulative(self) -> tuple[Any, ...]:
        """The probability of each total or less."""
        return tuple(accumulate(self.probabilities))

    def below(self, total: Number, or_equal: bool = False) -> Any:
        """Return the probability of less than a total, or of at most it with `or_equal`."""
        pairs = zip(self.totals, self.probabilities, strict=True)
        return sum(p for t, p in pairs if t < total or or_equal and t == total)

    def quantile(self, share: Number) -> Any:
        """Return the least total that is not exceeded with at least this probability."""
        for total, reached in zip(self.totals, self.cumulative, strict=True):
            if reached >= share - (0 if isinstance(share, int) else 1e-12):
                return total
        return self.totals[-1]

    def mean_of_worst(self, share: Any) -> Any:
        """Return the mean of the worst totals, of which the share is this (CVaR)."""
        left, result = share, share * 0
        for total, p in zip(self.totals, self.probabilities, strict=True):
            taken = min(p, left)
            result += taken * total
            left -= taken
            if left <= 0:
                break
        return result / share


def mixture(
    parts: Iterable[tuple[Any, Number, Distribution]], exact: bool, most: int = MOST_TOTALS
) -> Distribution:
    """Return the mixture of distributions, each with its probability and a number to add."""
    shares: dict[Any, Any] = {}
    is_binned = False
    for p, reward, part in parts:
        is_binned |= part.is_binned
        for total, share in zip(part.totals, part.probabilities, strict=True):
            shares[total + reward] = shares.get(total + reward, 0) + p * share
    return Distribution.of(shares, exact, is_binned, most)


def _merged(totals: Sequence[Any], probabilities: Sequence[Any], same: Any) -> Any:
    """Return totals and probabilities with neighbours merged; a merged total is their mean."""
    merged: list[tuple[Any, Any, Any]] = []  # the first total, the probability, p * total
    for total, p in zip(totals, probabilities, strict=True):
        if merged and same(merged[-1][0], total):
            first, share, weighted = merged[-1]
            merged[-1] = first, share + p, weighted + p * total
        else:
            merged.append((total, p, p * total))
    means = [
        first if weighted == first * share or not share else weighted / share
        for first, share, weighted in merged
    ]
    return means, [share for _, share, _ in merged]


def standard_deviation(variance: Number) -> float:
    """Return the square root of a variance; rounding may have made it negative."""
    return math.sqrt(max(float(variance), 0.0))
