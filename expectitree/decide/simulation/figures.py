"""What a simulation finds about an action, and about what knowing more in advance is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from expectitree.decide.records import Labels

Groups: TypeAlias = Sequence[Sequence[str]]  # of parameters
Designs: TypeAlias = Sequence[Sequence[Any]]  # of studies: parameter, observations, sd

QUANTILES = ("0.025", "0.5", "0.975")


@dataclass(frozen=True)
class Estimated:
    """A mean over the draws, or a difference of means."""

    value: float
    error: float  # the standard error


@dataclass(frozen=True)
class ActionValue:
    """The value of one action while parameters are uncertain."""

    action: str | None  # its label; None if no player decides at the root
    is_best: bool  # whether it has the greatest mean; for MIN, the least
    mean: float
    sd: float  # the standard deviation
    quantiles: Mapping[str, float]  # by the texts "0.025", "0.5" and "0.975"
    share: float  # of the draws, in which it would be best if the parameters were known
    loss: float  # the expected loss of choosing it, beside the best decision in each draw
    criteria: Mapping[str, Estimated]  # the mean of each criterion


@dataclass(frozen=True)
class Knowledge:
    """What knowing uncertain parameters in advance is worth."""

    name: str  # of the parameter or of the set, or the names of several
    parameters: Labels
    evppi: Estimated


@dataclass(frozen=True)
class Study:
    """What the results of a study of a parameter are worth."""

    name: str
    parameter: str
    observations: int
    sd: float | None  # the standard deviation of an observation, None if it is yes or no
    evsi: Estimated
