"""A table search over a game's rules, and the time of `expectitree.search` as a multiple of its.

The table search is Star2 with what is known of a state (who decides, its moves and the states after
them) kept once, and bounds by state and plies left. It asks the rules through a frozen copy of the
checks that expectitree made when this comparison was first published.

    python -m benchmarks.table_search
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from time import process_time
from typing import Any

import expectitree as et
from benchmarks.frozen.rules import Options, Rules
from benchmarks.measuring import Row, Size
from benchmarks.table_games import Draft, Dungeon, Nim, Snakes
from expectitree.base.tree.columns import CHANCE, MAX, TERMINAL
from expectitree.games.finding import find_game

INFINITY = float("inf")
RUNS = 7
MOST = 1.15
GAMES: dict[str, tuple[Callable[[], Any], int]] = {
    "pig": (partial(find_game, "game:pig"), 15),
    "einstein": (partial(find_game, "game:einstein"), 7),
    "dice": (partial(find_game, "game:dice"), 5),
    "snakes": (Snakes, 16),
    "dungeon": (Dungeon, 24),
    "draft": (Draft, 8),
    "nim": (Nim, 14),
}


class TableSearch:
    """Star2 with a table of bounds, the best move of a state first."""

    def __init__(self, game: Any) -> None:
        self.rules = Rules(game, Options(exact=False))
        self.least, self.most = map(float, self.rules.bounds)
        self.bounds: dict[Any, tuple[float, float]] = {}  # by state and plies left
        self.best: dict[Any, int] = {}  # the place of a state's best move
        self.known: dict[Any, Any] = {}  # who decides in a state, probabilities, states after it

    def ask(self, state: Any) -> Any:
        """Return what is known of a state."""
        known = self.known.get(state)
        if known is None:
            rules = self.rules
            kind = rules.kind(state)
            if kind == TERMINAL:
                known = kind, None, ()
            else:
                moves, weights = rules.moves(state, kind)
                after = [rules.play(state, move) for move in moves]
                known = kind, weights and [float(p) for p in weights], after
            self.known[state] = known
        return known

    def search(self, state: Any, plies: int, alpha: float, beta: float) -> float:
        low, high = self.bounds.get((state, plies), (self.least, self.most))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        kind, weights, after = self.ask(state) if plies else (TERMINAL, None, ())
        if kind == TERMINAL:
            value = float(self.rules.value(state, self.rules.kind(state), self.rules.bounds))
            self.bounds[state, plies] = value, value
            return value
        if kind == CHANCE:
            value = self.search_chance(weights, after, plies, alpha, beta)
        else:
            value = self.search_player(state, kind == MAX, after, plies, alpha, beta)
        found = (low, value) if value <= alpha else (value, high) if value >= beta else (value,) * 2
        low, high = self.bounds.get((state, plies), (self.least, self.most))
        self.bounds[state, plies] = max(low, found[0]), min(high, found[1])
        return value

    def search_player(
        self, state: Any, is_max: bool, after: Sequence[Any], plies: int, alpha: float, beta: float
    ) -> float:
        first, best = self.best.get(state, 0), -INFINITY if is_max else INFINITY
        places: Sequence[int] = range(len(after))
        if first:
            places = [first, *(place for place in places if place != first)]
        for place in places:
            value = self.search(after[place], plies - 1, alpha, beta)
            if is_max:
                if value > best:
                    best, self.best[state] = value, place
                alpha = max(alpha, value)
            else:
                if value < best:
                    best, self.best[state] = value, place
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best

    def search_chance(
        self, weights: Sequence[float], after: Sequence[Any], plies: int, alpha: float, beta: float
    ) -> float:
        known = [self.bounds.get((s, plies - 1), (self.least, self.most)) for s in after]
        lows, highs = [low for low, _ in known], [high for _, high in known]
        low = sum(map(float.__mul__, weights, lows))
        high = sum(map(float.__mul__, weights, highs))
        if low >= beta:
            return low
        if high <= alpha:
            return high
        for is_probe in (True, False) if plies > 1 else (False,):
            for place, state in enumerate(after):
                if lows[place] == highs[place]:
                    continue
                p, own_low, own_high = weights[place], lows[place], highs[place]
                floor = (alpha - (high - p * own_high)) / p
                ceiling = (beta - (low - p * own_low)) / p
                if is_probe:
                    kind, _, below = self.ask(state)
                    if kind in (TERMINAL, CHANCE):
                        continue
                    first = below[self.best.get(state, 0)]
                    value = self.search(first, plies - 2, floor, ceiling)
                    if kind == MAX:
                        own_low = max(own_low, value) if value > floor else own_low
                    else:
                        own_high = min(own_high, value) if value < ceiling else own_high
                else:
                    value = self.search(state, plies - 1, floor, ceiling)
                    if value <= floor:
                        own_high = min(own_high, value)
                    elif value >= ceiling:
                        own_low = max(own_low, value)
                    else:
                        own_low = own_high = value
                low += p * (own_low - lows[place])
                high += p * (own_high - highs[place])
                lows[place], highs[place] = own_low, own_high
                if low >= beta:
                    return low
                if high <= alpha:
                    return high
        return (low + high) / 2


def by_table(make: Callable[[], Any], depths: Sequence[int]) -> float:
    """Return the value to the last of some depths, by the table search."""
    table = TableSearch(make())
    for depth in depths:
        value = table.search(table.rules.start, depth, -INFINITY, INFINITY)
    return value


def by_search(make: Callable[[], Any], depths: Sequence[int]) -> float:
    """Return the same value by `expectitree.search`, in floats as the table."""
    found = et.search(make(), depth=depths[-1], deepen=len(depths) > 1, numbers="float")
    return float(found.value)


def compare(make: Callable[[], Any], depths: Sequence[int], runs: int) -> tuple[float, float]:
    """Return the CPU times of both, in seconds: medians of interleaved runs; check the values."""
    seconds: dict[Any, list[float]] = {by_table: [], by_search: []}
    values = []
    for _ in range(runs):
        for search, own in seconds.items():
            gc.collect()
            begun = process_time()
            values.append(search(make, depths))
            own.append(process_time() - begun)
    assert max(values) - min(values) < 1e-9
    return median(seconds[by_table]), median(seconds[by_search])


def table_searches(size: Size) -> Iterator[Row]:
    """Yield the time of a search from rules as a multiple of that of a table search."""
    for name, (make, depth) in GAMES.items():
        for what, depths in (("", (depth,)), (", deepening", range(1, depth + 1))):
            theirs, ours = compare(make, depths, RUNS if size.most_plies > 5 else 3)
            shown = f"{name} to depth {depth}{what}: table search {theirs:.3f} s, we take"
            yield Row(shown, ours / theirs, "x", MOST, at_most=True)


if __name__ == "__main__":
    from benchmarks.measuring import FULL

    for row in table_searches(FULL):
        print(f"{row.what} {row.figure:.2f} x", flush=True)
