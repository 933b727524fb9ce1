"""What a tree file says its own answers are: the `expect` of its root, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from expectitree.numbers import Number

ALGORITHM_NAMES = ("expectiminimax", "alphabeta", "star1", "star2", "star2.5", "best-first")


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be chosen of one algorithm."""

    algorithm: str
    values: tuple[str, ...]  # its default first; none where it is a whole number from 1 on
    default: int | str

    @property
    def expected(self) -> str:
        """What it takes, in words."""
        return (
            f"{', '.join(self.values[:-1])} or {self.values[-1]}"
            if self.values
            else "a whole number from 1 on"
        )


# By the key in files, which is also the option; in Python with _ for -.
CHOICES = {
    "probes": Choice("star2.5", (), 2),  # the fewest that differ from star2
    "probe-order": Choice("star2.5", ("cyclic", "sequential"), "cyclic"),
    "goal": Choice("best-first", ("value", "action"), "value"),
    "guide": Choice("best-first", ("learning", "ordered", "uniform", "bounds"), "learning"),
}


@dataclass(frozen=True, slots=True)
class RunExpectation:
    """What one search of the tree must do; a field that is None is not asked about."""

    algorithm: str
    nodes: int | None = None  # nodes visited
    leaves: int | None = None  # leaves visited
    cuts: int | None = None
    skipped: tuple[str, ...] | None = None  # paths that must stay unvisited
    bounds: tuple[Number, Number] | None = None
    choices: Mapping[str, int | str] = field(default_factory=dict)  # by key of `CHOICES`
    place: tuple[str | int, ...] = ()  # the keys that lead to this entry within `expect`


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the value, the best action and the searches of a tree must come to."""

    value: Number | None = None
    best: str | None = None
    values: Mapping[str, Number] = field(default_factory=dict)  # by path
    runs: tuple[RunExpectation, ...] = ()
    written: Mapping[tuple[str | int, ...], str] = field(
        default_factory=dict
    )  # number texts, by place
