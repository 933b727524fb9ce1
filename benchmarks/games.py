"""How fast games are searched from their rules, next to a script, and to writing the tree out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import expectitree as et
from benchmarks.measuring import Row, Size, best_seconds
from benchmarks.script import Script
from expectitree.games.finding import find_game

DEPTHS = {"pig": (10, 14), "einstein": (5, 7), "dice": (5, 6), "2048": (4, 6)}
QUICK_DEPTHS = {"pig": (8,), "einstein": (4,), "dice": (4,), "2048": (3,)}


def games(size: Size) -> Iterator[Row]:
    """Yield the time of star2 per visit, and as a multiple of that of a script."""
    for name, depths in (DEPTHS if size.most_plies > 5 else QUICK_DEPTHS).items():
        game = find_game(f"game:{name}")
        for depth in depths:
            search = partial(et.search, game, depth=depth)
            found = search()
            number = Fraction if found.tree.exact else float
            script = partial(Script, game, depth, number)
            ours, theirs = best_seconds([search, script], size.repetitions)
            visits, evaluations = found.counts.visits, found.grown.evaluations
            per_visit = 1e6 * ours / visits
            what = f"game:{name} to depth {depth}, {visits:,} visits, {evaluations:,} evaluations"
            yield Row(what, per_visit, "µs/visit")
            other = script()
            per_visit /= 1e6 * theirs / other.visits
            what = f"  as a multiple of a script: {other.visits:,}, {other.evaluations:,}"
            numbers = "fractions" if found.tree.exact else "floats"
            yield Row(f"{what}, in {numbers}", per_visit, "x", 1, at_most=True)
