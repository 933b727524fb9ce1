"""What decisions may know in advance: some parameters, or the results of a study of one.

In each draw, a study has results of its own, given the draw's value of the parameter. Decisions
know the regression on their sum or mean, in which the results have all that they say about the
parameter (Strong, Oakley, Brennan and Breeze, Medical Decision Making 35, 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.parser import listed
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.decide.simulation.draws import Array
from expectitree.decide.simulation.strategies import Strategies

MAX_OBSERVATIONS = 10**9


@dataclass(frozen=True)
class Design:
    """A study: how often a parameter is observed, each time with a standard deviation."""

    parameter: str
    observations: int
    sd: float | None = None  # None if the parameter is the probability of a yes

    @property
    def name(self) -> str:
        """The name of the study in outputs, such as `p (n = 100)`."""
        name = f"{self.parameter} (n = {self.observations:,}"
        if self.sd is not None:
            name += f", sd = {self.sd:g}"
        return f"{name})"


def design(parameter: str, observations: int, sd: float | None = None) -> Design:
    """Return a study; raise `AnalysisError` if it has no observations, or a wrong `sd`."""
    if not 1 <= observations <= MAX_OBSERVATIONS or observations % 1:
        raise AnalysisError(
            f"a study of {parameter}: found {observations:,} observations\nwrite a whole number "
            f"from 1 to {MAX_OBSERVATIONS:,}"
        )
    if sd is not None and not 0 < sd < float("inf"):
        raise AnalysisError(f"a study of {parameter}: found the sd {sd:g}\nwrite a number above 0")
    return Design(parameter, int(observations), sd)


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


def results_of(strategies: Strategies, study: Design, seed: int) -> Array:
    """Return the results of a study in each draw: how many are yes, or their mean."""
    (column,) = columns_of(strategies, [study.parameter])
    stream = np.random.default_rng([seed, *study.name.encode()])
    if study.sd is not None:
        return stream.normal(column, study.sd / study.observations**0.5)
    if column.min() < 0 or column.max() > 1:
        raise AnalysisError(
            f"a study of {study.parameter}: it is not a probability, so add the standard "
            f"deviation of an observation, as in {study.parameter}={study.observations},2.5"
        )
    return stream.binomial(study.observations, column)
