"""What a study is: trees, algorithms, engines, repetitions, and published figures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from expectitree.algorithms import Algorithm
from expectitree.lab.study.trees import Parameters, has_seed, seed_parameters

# Not searches: the fewest leaves that are enough, as `expectitree limit` counts them.
LIMIT = Algorithm("limit", "The fewest leaves that prove the value.")
LIMIT_ACTION = Algorithm("limit (action)", "The fewest that prove the action.", goal="action")


class Key(NamedTuple):
    """Identifies a tree: its parameters, and the seed that generated it."""

    tree: str  # the parameters as JSON text, in order of their names
    repetition: int
    seed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One search that a study makes of every tree."""

    algorithm: Algorithm
    engine: str = "auto"

    @property
    def name(self) -> str:
        """The name of the run, unique within its study."""
        return self.algorithm.full_name + (f", {self.engine}" if self.engine != "auto" else "")


@dataclass(frozen=True, slots=True)
class Published:
    """A published figure, for certain trees and a certain search."""

    where: Parameters  # the parameters of the trees
    algorithm: str
    options: Mapping[str, int | str]  # of the algorithm, where they matter
    figure: str  # a share in per cent such as 84.1, or leaves of all such as 15/27

    def applies_to(self, tree: Parameters, chosen: Algorithm) -> bool:
        """Return whether the figure applies to a search of these trees."""
        return (
            self.algorithm == chosen.name
            and self.options.items() <= chosen.options.items()
            and all(tree.get(name) == value for name, value in self.where.items())
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A line to draw next to the results: factor * x^power."""

    label: str
    factor: float
    power: float

    def height(self, x: float) -> float:
        """Return the line's y; it is not a number where it is too large."""
        try:
            return float(self.factor * x**self.power)
        except OverflowError:
            return math.nan


@dataclass(frozen=True, slots=True)
class Plot:
    """The plot of a study."""

    x: str = ""  # a parameter, `probes`, or empty: the first parameter that varies
    y: str = "share"  # of the leaves, in per cent; or `leaves`
    log: bool = False
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Study:
    """An experiment."""

    file: str
    trees: tuple[Parameters, ...]
    runs: tuple[Run, ...]
    repetitions: int = 1
    seed: int = 0
    title: str | None = None
    source: str | None = None
    published: tuple[Published, ...] = ()
    plot: Plot = Plot()
    folder: str = ""  # where the paths of games and estimates start
    table: str = "long"  # a row for each kind of tree and search; or wide: a column for each search

    @cached_property
    def keys(self) -> list[tuple[Parameters, list[Key]]]:
        """Each kind of tree, with the keys of its trees; a single one where the seed is fixed."""
        return [(tree, self._keys_of(tree)) for tree in self.trees]

    def _keys_of(self, tree: Parameters) -> list[Key]:
        """Return the keys of the trees with these parameters.

        A seed is the SHA-256 of the study's seed, the parameters and the repetition, so no two
        seeds are related. A game's trees with the same roots have the same seeds.
        """
        name = tree_key(tree)
        if "seed" in tree:
            return [Key(name, 0, int(tree["seed"]))]
        if not has_seed(tree):
            return [Key(name, 0, 0)]
        seeded = tree_key(seed_parameters(tree))
        digests = (
            sha256(f"{self.seed} {seeded} {repetition}".encode()).digest()
            for repetition in range(self.repetitions)
        )
        seeds = (int.from_bytes(digest[:8], "big") % 10**18 for digest in digests)
        return [Key(name, repetition, seed) for repetition, seed in enumerate(seeds)]


def tree_key(tree: Parameters) -> str:
    """Return the parameters of trees as JSON text, which identifies them in a results file."""
    return json.dumps(dict(tree), sort_keys=True, ensure_ascii=False)
