"""Measures the time that best-first spends per leaf, and how expensive leaves must be to pay."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.measuring import Row, Size, best_seconds
from expectitree import Tree, evaluate, generate
from expectitree.base import compiling

BASELINE = "star2"


def best_first(size: Size) -> Iterator[Row]:
    """Yield the time per leaf, and how expensive a leaf must be for best-first to take less time.

    That price is the extra time over Star2, divided by the number of leaves saved.
    """
    wide = 20 if size.search_nodes > 100_000 else 10
    trees = (
        ("additive, branching 6", generate("ballard", branching=6, seed=1)),
        (f"additive, branching {wide}", generate("ballard", branching=wide, seed=1)),
        ("independent, branching 10", generate("uniform", branching=10, real=True, seed=1)),
        (
            "independent, seven plies of 2 to 4",
            generate("uniform", plies=7, branching=(2, 4), real=True, seed=1),
        ),
    )
    for engine in ("interpreted", "compiled"):
        if engine == "interpreted" or compiling.available():
            for what, tree in trees:
                yield from _rows(f"{what}, {engine}", tree, engine, size)


def _rows(what: str, tree: Tree, engine: str, size: Size) -> Iterator[Row]:
    runs = [partial(evaluate, tree, name, engine=engine) for name in ("best-first", BASELINE)]
    ours, theirs = (run().counts.leaves_visited for run in runs)
    seconds, beside = best_seconds(runs, size.repetitions)
    yield Row(
        f"best-first, {what}: {ours:,} leaves, star2 {theirs:,} of {tree.leaves:,}",
        1e6 * seconds / ours,
        "µs/leaf",
    )
    yield Row("  times the time of star2", seconds / beside, "x")
    price = 1e6 * (seconds - beside) / (theirs - ours) if theirs > ours else None
    yield Row("  quicker where a leaf takes more than", price, "µs")
