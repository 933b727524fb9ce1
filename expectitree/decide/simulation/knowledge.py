"""What decisions may know in advance: some parameters, or the results of a study of one.

In each draw, a study has results of its own, given the draw's value of the parameter. Decisions
know the regression on their sum or mean, in which the results have all that they say about the
parameter (Strong, Oakley, Brennan and Breeze, Medical Decision Making 35, 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.parser import listed
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.decide.simulation.draws import Array
from expectitree.decide.simulation.figures import (
    QUANTILES,
    ActionValue,
    Designs,
    Estimated,
    Groups,
    Knowledge,
    Study,
)
from expectitree.decide.simulation.strategies import Strategies, everything, nothing, these
from expectitree.searches.result import PLAYERS

MAX_OBSERVATIONS = 10**9
_TIE = 1e-9  # of the greatest value, by which best actions may differ


class Decisions:
    """The best decisions now, and what knowing more in advance would be worth."""

    def __init__(self, strategies: Strategies) -> None:
        self.strategies, self.sign = strategies, strategies.tree.gain_sign
        self.now, self.values = strategies.play(nothing)  # the latter by action
        self.informed, best_values = strategies.play(everything)
        self.evpi = estimated(self.sign * (self.informed - self.now))
        gains = self.sign * best_values
        is_best = gains >= gains.max(axis=0) - _TIE * abs(gains).max()
        # Actions that tie have equal parts of a draw.
        self.shares: list[float] = (is_best / is_best.sum(axis=0)).mean(axis=1).tolist()

    def actions(self, criteria: Mapping[str, Array]) -> Iterator[ActionValue]:
        """Yield the values of the root's actions; `criteria` has the amounts in each draw."""
        root, values = self.strategies.tree.root, self.values
        labels: list[str | None] = [None]
        if root.kind in PLAYERS:
            labels = [branch.label for branch in root.branches]
        means = values.mean(axis=1)
        is_best = self.sign * means >= (self.sign * means).max() - _TIE * abs(values).max()
        for i, (label, share) in enumerate(zip(labels, self.shares, strict=True)):
            mean, sd = float(means[i]), _sd(values[i])
            quantiles = {q: float(np.quantile(values[i], float(q))) for q in QUANTILES}
            loss = float((self.sign * (self.informed - values[i])).mean())
            amounts = {name: estimated(table[i]) for name, table in criteria.items()}
            yield ActionValue(label, bool(is_best[i]), mean, sd, quantiles, share, loss, amounts)

    def gain(self, columns: Sequence[Array]) -> Estimated:
        """Return how much better decisions are that know some numbers in each draw."""
        value, _ = self.strategies.play(these(columns))
        gain = estimated(self.sign * (value - self.now))
        return replace(gain, value=max(gain.value, 0.0))  # below 0 by chance only

    def gain_from(self, names: Sequence[str]) -> Estimated:
        """Return how much better decisions are that know some parameters."""
        return self.gain([*columns_of(self.strategies, names)])

    def evppi(self, known: Groups) -> tuple[Knowledge, ...]:
        """Return what knowing the parameters of each group together is worth."""
        return tuple(
            Knowledge(", ".join(names), tuple(names), self.gain_from(names)) for names in known
        )

    def evsi(self, studies: Designs, seed: int) -> tuple[Study, ...]:
        """Return what the results of each study are worth."""
        return tuple(self._study(seed, *study) for study in studies)

    def _study(
        self, seed: int, parameter: str, observations: float, sd: float | None = None
    ) -> Study:
        """Return a study of a parameter; raise `AnalysisError` if it cannot be made."""
        if not 1 <= observations <= MAX_OBSERVATIONS or observations % 1:
            raise AnalysisError(
                f"a study of {parameter}: found {observations:,} observations\nwrite a whole "
                f"number from 1 to {MAX_OBSERVATIONS:,}"
            )
        count, name = int(observations), f"{parameter} (n = {observations:,.0f}"
        if sd is not None:
            name += f", sd = {sd:g}"
            if not 0 < sd < float("inf"):
                raise AnalysisError(
                    f"a study of {parameter}: found the sd {sd:g}\nwrite a number above 0"
                )
        name += ")"
        (column,) = columns_of(self.strategies, [parameter])
        stream = np.random.default_rng([seed, *name.encode()])
        if sd is not None:
            results = stream.normal(column, sd / count**0.5)
        elif column.min() < 0 or column.max() > 1:
            raise AnalysisError(
                f"a study of {parameter}: it is not a probability, so add the standard deviation "
                f"of an observation, as in {parameter}={count},2.5"
            )
        else:
            results = stream.binomial(count, column)  # how many are yes
        return Study(name, parameter, count, sd, self.gain([results]))


def estimated(values: Array) -> Estimated:
    """Return the mean over the draws."""
    return Estimated(float(values.mean()), _sd(values) / len(values) ** 0.5)


def _sd(values: Array) -> float:
    """Return the standard deviation; 0 for a constant, whatever its rounding."""
    sd = float(values.std(ddof=1))
    if sd <= _TIE * abs(float(values.mean())):
        return 0.0
    return sd


def columns_of(strategies: Strategies, names: Sequence[str]) -> Iterator[Array]:
    """Yield the draws of parameters, which may be derived from uncertain ones.

    Raises `AnalysisError` for a parameter that is unknown or certain.
    """
    parameters = strategies.tree.parameters
    for name in names:
        fault = "is certain"
        if name not in parameters:
            fault = f"is not a parameter{did_you_mean(name, parameters)}"
        elif np.ptp(column := strategies.numbers.parameters[name]):
            yield column
            continue
        raise AnalysisError(
            f"{quote(name)} {fault}\nwrite uncertain parameters, such as "
            f"{listed([key for key in parameters if parameters[key].distribution])}"
        )
