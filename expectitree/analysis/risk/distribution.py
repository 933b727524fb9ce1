"""Distributions of totals: mixed, shifted, merged and measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any

from expectitree.numbers import Number, to_exact, to_nearest_float

MOST_TOTALS = 10_000  # of a distribution; more are put into bins
NEAR = 10**9  # unless the tree is exact, totals nearer than the greatest divided by this are one
_ROUNDING = 1e-12  # by which a sum of probabilities may miss a share, unless the tree is exact


@dataclass(frozen=True)
class Distribution:
    """Totals and their probabilities, in order of the totals.

    Attributes:
        totals: What MAX receives in all, rising.
        probabilities: The probability of each total.
        is_binned: Whether totals were put into bins, because there were too many.
        is_exact: Whether the numbers are those of an exact tree.
    """

    totals: tuple[Any, ...]
    probabilities: tuple[Any, ...]
    is_binned: bool = False
    is_exact: bool = False

    @classmethod
    def of(
        cls,
        shares: Mapping[Any, Any],
        is_exact: bool,
        is_binned: bool = False,
        most: int = MOST_TOTALS,
    ) -> Distribution:
        """Return the distribution with these probabilities by total, merged and binned."""
        totals = sorted(shares)
        probabilities = [shares[total] for total in totals]
        if not is_exact:
            near = max(map(abs, totals)) / NEAR
            totals, probabilities = _merged(totals, probabilities, lambda a, b: b - a <= near)
        if len(totals) > most:
            totals, probabilities = _binned(totals, probabilities, most)
            is_binned = True
        return cls(tuple(totals), tuple(probabilities), is_binned, is_exact)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield each total with its probability."""
        return zip(self.totals, self.probabilities, strict=True)

    def shifted(self, by: Number) -> Distribution:
        """Return the distribution of the total plus a number."""
        if not by:
            return self
        totals = tuple(total + by for total in self.totals)
        return Distribution(totals, self.probabilities, self.is_binned, self.is_exact)

    def in_floats(self) -> Distribution:
        """Return the distribution with each number rounded to a float."""
        totals, probabilities = (
            tuple(map(to_nearest_float, self.totals)),
            tuple(map(to_nearest_float, self.probabilities)),
        )
        return Distribution(totals, probabilities, self.is_binned, self.is_exact)

    @cached_property
    def cumulative(self) -> tuple[Any, ...]:
        """The probability of each total or less."""
        if isinstance(self.probabilities[0], Fraction):
            return tuple(accumulate(self.probabilities))
        return tuple(map(float, accumulate(map(to_exact, self.probabilities))))

    def below(self, total: Number) -> Any:
        """Return the probability of less than a total."""
        return sum((p for t, p in self.pairs() if t < total), self.probabilities[0] * 0)

    def quantile(self, share: Number) -> Any:
        """Return the least total that is not exceeded with at least this probability."""
        needed = share if self.is_exact else float(share) - _ROUNDING
        for total, reached in zip(self.totals, self.cumulative, strict=True):
            if reached >= needed:
                return total
        return self.totals[-1]

    def mean_of_worst(self, share: Any) -> Any:
        """Return the mean of the worst totals, of which the share is this (CVaR)."""
        left, result = share, share * 0
        for total, p in self.pairs():
            taken = min(p, left)
            result += taken * total
            left -= taken
            if left <= 0:
                break
        return result / share

    def semivariance(self, mean: Any) -> Any:
        """Return the mean square of the shortfall below the mean, which is 0 for other totals."""
        return sum(p * (mean - total) ** 2 for total, p in self.pairs() if total < mean)


def mixture(
    parts: Iterable[tuple[Any, Number, Distribution]], is_exact: bool, most: int = MOST_TOTALS
) -> Distribution:
    """Return the mixture of distributions, each with its probability and a number to add."""
    shares: dict[Any, Any] = {}
    is_binned = False
    for p, reward, part in parts:
        is_binned |= part.is_binned
        for total, share in part.pairs():
            shares[total + reward] = shares.get(total + reward, 0) + p * share
    return Distribution.of(shares, is_exact, is_binned, most)


def _binned(totals: Sequence[Any], probabilities: Sequence[Any], most: int) -> tuple[Any, Any]:
    """Return totals and probabilities in `most` bins of the same width."""
    start, width = totals[0], (totals[-1] - totals[0]) / most

    def bin_of(total: Any) -> Any:
        return min((total - start) // width, most - 1)

    totals, probabilities = _merged(totals, probabilities, lambda a, b: bin_of(a) == bin_of(b))
    if isinstance(width, Fraction):  # fractions of fractions would grow without limit
        totals = [Fraction(float(total)) for total in totals]
    return totals, probabilities


def _merged(
    totals: Sequence[Any], probabilities: Sequence[Any], same: Callable[[Any, Any], bool]
) -> tuple[list[Any], list[Any]]:
    """Return totals and probabilities with neighbours merged; a merged total is their mean."""
    groups: list[tuple[Any, Any, Any]] = []  # the first total, the probability, p * total
    counts: list[int] = []
    for total, p in zip(totals, probabilities, strict=True):
        if groups and same(groups[-1][0], total):
            first, share, weighted = groups[-1]
            groups[-1] = first, share + p, weighted + p * total
            counts[-1] += 1
        else:
            groups.append((total, p, p * total))
            counts.append(1)
    means = [
        first if count == 1 or not share else weighted / share
        for (first, share, weighted), count in zip(groups, counts, strict=True)
    ]
    return means, [share for _, share, _ in groups]


def standard_deviation(variance: Number) -> float:
    """Return the square root of a variance; rounding may have made that of floats negative."""
    if isinstance(variance, float):
        return math.sqrt(max(variance, 0.0))
    context = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)  # digits: more than floats have
    exact = context.divide(Decimal(variance.numerator), Decimal(variance.denominator))
    return to_nearest_float(Fraction(context.sqrt(exact)))
