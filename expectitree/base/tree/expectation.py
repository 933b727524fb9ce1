"""The results that a tree file expects: the `expect` of its root, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from expectitree.base.numbers import Number


@dataclass(frozen=True, slots=True)
class RunExpectation:
    """The expected counts of one search of the tree; a field that is None is not checked."""

    algorithm: str
    nodes: int | None = None  # nodes visited
    leaves: int | None = None  # leaves visited
    cuts: int | None = None
    skipped: tuple[str, ...] | None = None  # paths that must stay unvisited
    bounds: tuple[Number, Number] | None = None
    options: Mapping[str, int | str] = field(default_factory=dict)  # of the algorithm, by key
    place: tuple[str | int, ...] = ()  # the keys that lead to this entry within `expect`


@dataclass(frozen=True, slots=True)
class PointExpectation:
    """The results that a tree file expects at other values of the parameters."""

    settings: Mapping[str, str]  # the values as written, by the names of the parameters
    expect: Expectation


@dataclass(frozen=True, slots=True)
class Expectation:
    """The value, the best action and the counts of searches that a tree file expects."""

    value: Number | None = None
    best: str | None = None
    values: Mapping[str, Number] = field(default_factory=dict)  # by path
    runs: tuple[RunExpectation, ...] = ()
    at: tuple[PointExpectation, ...] = ()
    # The texts of numbers, by place.
    written: Mapping[tuple[str | int, ...], str] = field(default_factory=dict)
