"""The distribution of the total that MAX receives: mixed, shifted, merged and measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
    """What MAX receives in all: totals and their probabilities, in order of the totals.

    Attributes:
        totals: The totals, rising.
        probabilities: The probability of each total.
        mean: The expected total.
        variance: The variance of the total.
        least: The least total; like the mean and the variance, bins do not change it.
        greatest: The greatest total.
        is_exact: Whether the numbers are those of an exact tree.
        is_binned: Whether totals were put into bins, because there were too many.
    """

    totals: tuple[Any, ...]
    probabilities: tuple[Any, ...]
    mean: Any
    variance: Any
    least: Any
    greatest: Any
    is_exact: bool = False
    is_binned: bool = False

    @classmethod
    def certain(cls, total: Any, is_exact: bool = False) -> Distribution:
        """Return the distribution of one total."""
        zero = total * 0
        return cls((total,), (zero + 1,), total, zero, total, total, is_exact)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield each total with its probability."""
        return zip(self.totals, self.probabilities, strict=True)

    def shifted(self, by: Number) -> Distribution:
        """Return the distribution of the total plus a number."""
        if not by:
            return self
        one = float(by) if isinstance(self.totals[0], float) else by
        return replace(
            self,
            totals=tuple(total + one for total in self.totals),
            mean=self.mean + by,
            least=self.least + by,
            greatest=self.greatest + by,
        )

    def in_floats(self) -> Distribution:
        """Return the distribution with each number rounded to a float."""
        if isinstance(self.variance, float):
            return self
        return Distribution(
            tuple(map(to_nearest_float, self.totals)),
            tuple(map(to_nearest_float, self.probabilities)),
            to_nearest_float(self.mean),
            to_nearest_float(self.variance),
            to_nearest_float(self.least),
            to_nearest_float(self.greatest),
            is_binned=self.is_binned,
        )

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


def mixture(parts: Sequence[tuple[Any, Number, Distribution]]) -> Distribution:
    """Return the mixture of distributions, each with its probability and a number to add."""
    mean = sum(p * (one.mean + r) for p, r, one in parts)
    variance = sum(p * (one.variance + (one.mean + r - mean) ** 2) for p, r, one in parts)
    least = min(one.least + r for _, r, one in parts)
    greatest = max(one.greatest + r for _, r, one in parts)
    is_exact = all(one.is_exact for _, _, one in parts)
    is_binned = any(one.is_binned for _, _, one in parts)
    is_in_floats = any(isinstance(one.totals[0], float) for _, _, one in parts)
    shares: dict[Any, Any] = {}
    for p, reward, one in parts:
        if is_in_floats:
            p, reward, one = float(p), float(reward), one.in_floats()
        for total, share in one.pairs():
            total += reward
            shares[total] = shares.get(total, 0) + p * share
    totals = sorted(shares)
    probabilities = [shares[total] for total in totals]
    near = 0 if is_exact else max(map(abs, totals)) / NEAR
    starts = _starts_of_near(totals, near)
    if len(starts) > MAX_TOTALS:  # the mean of a bin is only near its totals, so floats will do
        totals, probabilities = [*map(float, totals)], [*map(float, probabilities)]
        starts = _starts_of_bins(totals)
        is_exact, is_binned = False, True
    merged = _merged(totals, probabilities, starts)
    return Distribution(*merged, mean, variance, least, greatest, is_exact, is_binned)


def _starts_of_near(totals: Sequence[Any], near: Any) -> list[int]:
    """Return where groups of totals begin that are at most `near` above their first."""
    first, starts = totals[0], [0]
    for i, total in enumerate(totals):
        if total - first > near:
            first = total
            starts.append(i)
    return starts


def _starts_of_bins(totals: Sequence[float]) -> list[int]:
    """Return where the totals of each of `MAX_TOTALS` bins of the same width begin."""
    least, width = totals[0], (totals[-1] - totals[0]) / MAX_TOTALS
    bin_, end, starts = 0, least + width, [0]
    for i, total in enumerate(totals):
        if total >= end and bin_ < MAX_TOTALS - 1:
            bin_ = min(max(bin_ + 1, int((total - least) / width)), MAX_TOTALS - 1)
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
