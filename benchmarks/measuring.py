"""What all benchmarks share: sizes, rows of the table, and how times are taken."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Size:
    """The sizes of trees and the numbers of repetitions."""

    text_nodes: int
    search_nodes: int
    engine_branching: int  # of a tree four plies deep that the engines search
    repetitions: int
    processes: int
    most_plies: int  # of the largest tree of `scale`, which has 10^plies nodes


FULL = Size(
    text_nodes=300_000,
    search_nodes=300_000,
    engine_branching=38,
    repetitions=5,
    processes=21,
    most_plies=9,
)
QUICK = Size(
    text_nodes=20_000,
    search_nodes=50_000,
    engine_branching=18,
    repetitions=3,
    processes=5,
    most_plies=5,
)


@dataclass(frozen=True)
class Row:
    """One figure and its target; a figure is None if it could not be measured."""

    what: str
    figure: float | None
    unit: str  # "nodes/s" or "x"
    target: float | None = None
    at_most: bool = False  # the target is a ceiling, not a floor

    @property
    def kept(self) -> bool | None:
        """Whether the target is met; None without a target or a figure."""
        if self.figure is None or self.target is None:
            return None
        return self.figure <= self.target if self.at_most else self.figure >= self.target


def as_installed() -> dict[str, str]:
    """Return the environment of processes that run this checkout, with its bytecode cached."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": str(REPOSITORY)}


def best_seconds(runs: Sequence[Callable[[], object]], repetitions: int) -> list[float]:
    """Return the best time of each run.

    The runs take turns, so that a slow moment of the machine affects all of them.
    """
    best = [float("inf")] * len(runs)
    for _ in range(repetitions):
        for index, run in enumerate(runs):
            gc.collect()
            start = perf_counter()
            run()
            best[index] = min(best[index], perf_counter() - start)
    return best
