"""Means of samples, with their 95% confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, and half the width of its 95% confidence interval (None for a single value)."""

    value: float
    half: float | None


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of some values with its 95% interval, by Student's t distribution."""
    count = len(values)
    if count < 2:
        return Mean(fmean(values), None)
    return Mean(fmean(values), _t(count - 1) * stdev(values) / math.sqrt(count))


# Student's t, two-sided 95%, for 1 to 5 degrees of freedom.
_FEW = (12.706, 4.303, 3.182, 2.776, 2.571)


def _t(degrees: int) -> float:
    """Return the two-sided 95% quantile of Student's t to three digits.

    The series is Abramowitz and Stegun 26.7.5; for few degrees of freedom it is too coarse.
    """
    if degrees <= len(_FEW):
        return _FEW[degrees - 1]
    z = NormalDist().inv_cdf(0.975)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )
