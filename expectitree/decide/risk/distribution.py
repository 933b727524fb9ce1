"""Distributions of totals: mixed, shifted, merged and measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from operator import mul
from typing import Any

from expectitree.base.numbers import Number, to_exact, to_nearest_float

MAX_TOTALS = 10_000  # of a distribution; more are put into bins
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
        most: int = MAX_TOTALS,
    ) -> Distribution:
        """Return the distribution with these probabilities by total, merged and binned."""
        totals = sorted(shares)
        probabilities = [shares[total] for total in totals]
        near = 0 if is_exact else max(map(abs, totals)) / NEAR
        starts = _starts_of_near(totals, near)
        if len(starts) > most:  # the mean of a bin is only near its totals, so floats will do
            totals, probabilities = [*map(float, totals)], [*map(float, probabilities)]
            starts = _starts_of_bins(totals, most)
            is_exact, is_binned = False, True
        return cls(*_merged(totals, probabilities, starts), is_binned, is_exact)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield each total with its probability."""
        return zip(self.totals, self.probabilities, strict=True)

    def shifted(self, by: Number) -> Distribution:
        """Return the distribution of the total plus a number."""
        if not by:
            return self
        if isinstance(self.totals[0], float):
            by = float(by)
        totals = tuple(total + by for total in self.totals)
        return Distribution(totals, self.probabilities, self.is_binned, self.is_exact)

    def in_floats(self) -> Distribution:
        """Return the distribution with each number rounded to a float."""
        if isinstance(self.totals[0], float) and isinstance(self.probabilities[0], float):
            return self
        totals, probabilities = (
            tuple(map(to_nearest_float, self.totals)),
            tuple(map(to_nearest_float, self.probabilities)),
        )
        return Distribution(totals, probabilities, self.is_binned)

    @cached_property
    def cumulative(self) -> tuple[Any, ...]:
        """The probability of each total or less."""
        if isinstance(self.probabilities[0], Fraction):
            return tuple(accumulate(self.probabilities))
        return tuple(map(float, accumulate(map(to_exact, self.probabilities))))

    def below(self, total: Number) -> Any:
        """Return the probability that the total is below a value."""
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
    parts: Sequence[tuple[Any, Number, Distribution]], most: int = MAX_TOTALS
) -> Distribution:
    """Return the mixture of distributions, each with its probability and a number to add."""
    if any(isinstance(part.totals[0], float) for _, _, part in parts):
        parts = [(float(p), float(reward), part.in_floats()) for p, reward, part in parts]
    shares: dict[Any, Any] = {}
    for p, reward, part in parts:
        for total, share in part.pairs():
            total += reward
            shares[total] = shares.get(total, 0) + p * share
    is_exact = all(part.is_exact for _, _, part in parts)
    return Distribution.of(shares, is_exact, any(part.is_binned for _, _, part in parts), most)


def _starts_of_near(totals: Sequence[Any], near: Any) -> list[int]:
    """Return where groups of totals begin that are at most `near` above their first."""
    first, starts = totals[0], [0]
    for i, total in enumerate(totals):
        if total - first > near:
            first = total
            starts.append(i)
    return starts


def _starts_of_bins(totals: Sequence[float], most: int) -> list[int]:
    """Return where the totals of each of `most` bins of the same width begin."""
    least, width = totals[0], (totals[-1] - totals[0]) / most
    bin_, end, starts = 0, least + width, [0]
    for i, total in enumerate(totals):
        if total >= end and bin_ < most - 1:
            bin_ = min(max(bin_ + 1, int((total - least) / width)), most - 1)
            end = least + (bin_ + 1) * width
            starts.append(i)
    return starts


def _merged(
    totals: Sequence[Any], probabilities: Sequence[Any], starts: Sequence[int]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return totals and probabilities with groups merged; a merged total is the group's mean."""
    if len(starts) == len(totals):
        return tuple(totals), tuple(probabilities)
    means, shares = [], []
    for start, end in pairwise([*starts, len(totals)]):
        total, share = totals[start], probabilities[start]
        if end > start + 1:
            group = probabilities[start:end]
            share = sum(group)
            if share:
                total = sum(map(mul, group, totals[start:end])) / share
        means.append(total)
        shares.append(share)
    return tuple(means), tuple(shares)


def standard_deviation(variance: Number) -> float:
    """Return the square root of a variance; rounding may have made that of floats negative."""
    if isinstance(variance, float):
        return math.sqrt(max(variance, 0.0))
    context = Context(prec=40, Emin=MIN_EMIN, Emax=MAX_EMAX)  # digits: more than floats have
    exact = context.divide(Decimal(variance.numerator), Decimal(variance.denominator))
    return to_nearest_float(Fraction(context.sqrt(exact)))
