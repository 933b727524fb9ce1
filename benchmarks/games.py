"""How fast games are searched from their rules, next to writing the whole tree out first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import expectitree as et
from benchmarks.measuring import Row, Size, best_seconds

DEPTHS = {"pig": 12, "einstein": 6, "dice": 5, "2048": 5, "blackjack": 8}
QUICK_DEPTHS = {"pig": 8, "einstein": 4, "dice": 4, "2048": 3, "blackjack": 6}
TARGETS = {"pig": 40_000}  # where the rules themselves take the least time


def games(size: Size) -> Iterator[Row]:
    """Yield the nodes that star2 needs per second, and the time of writing out as a multiple."""
    for name, depth in (DEPTHS if size.repetitions > 1 else QUICK_DEPTHS).items():
        search = partial(et.search, f"game:{name}", depth=depth)
        write_out = partial(et.write_out, f"game:{name}", depth=depth)
        lazy, whole = best_seconds([search, write_out], size.repetitions)
        found = search().grown
        assert found is not None
        nodes = found.rows + found.merged
        what = f"game:{name} to depth {depth}, {nodes:,} nodes made or found again"
        yield Row(what, nodes / lazy, "nodes/s", TARGETS.get(name))
        yield Row(f"  writing out {len(write_out()):,} nodes takes", whole / lazy, "x")
