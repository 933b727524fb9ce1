"""Random finite games from a seed, with the slow definition of what they are worth.

A game is a table of positions. Moves lead to later positions only, so a position is reached by
several paths, and every game ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import Any, NamedTuple

from random_trees import RARE_UTILITIES, UTILITIES, readable

from expectitree import Kind, Tree, TreeBuilder
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds

LARGEST = 1500  # nodes of a tree without merging
KINDS = {None: Kind.TERMINAL, "max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
OTHER_SIDE = {None: None, "max": "min", "min": "max", "chance": "chance"}
WEIGHTS = ((1,), (1, 2, 3, 4), (1, 1, 2), (1, 9))
RARE_WEIGHTS = (*WEIGHTS, (1, 10**40), (1, 1, 10**20, 10**180))


class Thing:
    """A state that is equal only to itself, and that is changed by writing its number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"Thing({self.number})"


MAKERS: dict[str, Any] = {
    "number": lambda n: n,
    "tuple": lambda n: ("position", n),
    "text": lambda n: f"position {n}",
    "list": lambda n: [n, "position"],
    "dict": lambda n: {"position": n},
    "thing": Thing,
}
READERS: dict[str, Any] = {
    "number": lambda state: state,
    "tuple": lambda state: state[1],
    "text": lambda state: int(state.split()[1]),
    "list": lambda state: state[0],
    "dict": lambda state: state["position"],
    "thing": lambda state: state.number,
}


class Position(NamedTuple):
    """A row of the table."""

    turn: str | None
    moves: tuple[tuple[str, int], ...]  # the name of a move, and the position after it
    probabilities: tuple[Fraction, ...]  # of the moves of chance
    value: Fraction | None  # the utility, or the estimate
    goes_on: bool  # the turn of the position before it
    bounds: Bounds


class RandomGame:
    """A game from a seed, in the protocol of games; `calls` counts the calls of each method.

    `has_bounds` says whether positions have bounds of their own: exact ones, or, with `loose`,
    wider ones, which may be wider than those of the position before. With `rare`, there are also
    numbers at the limits of floats. With `floats`, the game gives its values and probabilities as
    floats; the table still holds fractions.
    """

    def __init__(
        self,
        seed: int,
        *,
        state_bounds: bool | None = None,
        rare: bool = False,
        floats: bool = False,
    ) -> None:
        random = Random(seed)
        self.rare = rare
        self.number_type: Any = float if floats else Fraction
        self.title = f"random game {seed}"
        self.calls: Counter[str] = Counter()
        self.played: list[tuple[int, str]] = []
        self.form = random.choice(list(MAKERS))
        self.loose = random.random() < 0.3
        self.table = self._table(random)
        lower, upper = self.table[0].bounds
        self.has_bounds = random.random() < 0.3 if state_bounds is None else state_bounds
        self.utility_bounds: Bounds = (lower, upper)
        if all(row.value is not None for row in self.table) and random.random() < 0.6:
            lower = random.choice((lower, lower - 3, -INFINITY))
            self.utility_bounds = (lower, random.choice((upper, upper + 5, INFINITY)))
        if self.has_bounds:
            self.bounds = lambda state: self.row(state).bounds
        self.has_key = random.random() < 0.4
        if self.has_key:
            self.key = lambda state: ("key", self.number(state))
        if random.random() < 0.3:
            self.label = lambda state, move: f"{move} in {self.number(state)}"
        if any(row.goes_on for row in self.table):
            self.same_turn = lambda state: self.row(state).goes_on
        self.start = MAKERS[self.form](0)
        self.depth = random.choice((0, 1, 2, 3, 4, 5, 6, 7))
        while self.depth and sum(self.reachable(self.depth, merged=False).values()) > LARGEST:
            self.depth -= 1

    def _table(self, random: Random) -> list[Position]:
        count = random.choice((2, 6, 16, 24, 32))
        utilities = random.choice(RARE_UTILITIES if self.rare else UTILITIES)
        weights = random.choice(RARE_WEIGHTS if self.rare else WEIGHTS)
        going_on, missing = random.choice((0, 0, 0.2)), random.choice((0, 0, 0.3))
        turns = random.choice(("max", "max min", "max min chance chance", "chance max"))
        table: dict[int, Position] = {}
        for n in range(count - 1, -1, -1):
            value: Fraction | None = Fraction(random.choice(utilities))
            turn = None if (n >= count - 2 and n) or random.random() < 0.03 else "max"
            if turn is None or n == count - 1:
                goes_on = random.random() < going_on
                table[n] = Position(None, (), (), value, goes_on, (value, value))
                continue
            turn = random.choice(turns.split())
            targets = [
                random.randint(n + 1, min(count - 1, n + random.choice((2, 4, 8))))
                for _ in range(random.choice((1, 2, 2, 3, 3, 4)))
            ]
            moves = [(f"m{k}", target) for k, target in enumerate(targets)]
            if random.random() < 0.15:
                moves.append(random.choice(moves))  # the same move twice
            drawn = [random.choice(weights) for _ in moves]
            drawn[0] += not any(drawn)
            shares = tuple(Fraction(w, sum(drawn)) for w in drawn) if turn == "chance" else ()
            ends = [end for _, target in moves for end in table[target].bounds] + [value]
            bounds = min(ends), max(ends)
            if random.random() < missing and not self.loose:
                value = None  # then a leaf here is worth the middle of its bounds
            elif self.loose:
                bounds = bounds[0] - random.choice((0, 1, 3)), bounds[1] + random.choice((0, 1, 3))
            bounds = readable(bounds[0], floor), readable(bounds[1], ceil)
            goes_on = n > 0 and random.random() < going_on
            table[n] = Position(turn, tuple(moves), shares, value, goes_on, bounds)
        return [table[n] for n in range(count)]

    # ---- The protocol.

    def turn(self, state: Any) -> Any:
        self.calls["turn"] += 1
        return self.row(state).turn

    def moves(self, state: Any) -> Iterable[Any]:
        self.calls["moves"] += 1
        row = self.row(state)
        assert row.turn is not None, "moves of a game that is over"
        names = [name for name, _ in row.moves]
        if row.turn != "chance":
            return iter(names)
        return zip(names, map(self.number_type, row.probabilities), strict=True)

    def play(self, state: Any, move: Any) -> Any:
        self.calls["play"] += 1
        self.played.append((self.number(state), move))
        return MAKERS[self.form](dict(self.row(state).moves)[move])

    def value(self, state: Any) -> Number | None:
        self.calls["value"] += 1
        value: Fraction | None = self.row(state).value
        return None if value is None else self.number_type(value)

    # ---- What the tests know.

    def number(self, state: Any) -> int:
        """Return the number of a state's position."""
        number: int = READERS[self.form](state)
        return number

    def row(self, state: Any) -> Position:
        return self.table[self.number(state)]

    @property
    def merges(self) -> bool:
        """Whether equal states become one node."""
        return self.has_key or self.form in ("number", "tuple", "text")

    def children(self, n: int, plies: int) -> list[tuple[int, int]]:
        """Return the positions after one, each with the plies that are left there."""
        row = self.table[n]
        if plies == 0 or row.turn is None:
            return []
        return [(t, plies - 1 + self.table[t].goes_on) for _, t in row.moves]

    def reachable(self, depth: int, merged: bool) -> Counter[tuple[int, int]]:
        """Return how often each position is reached, with the plies left there."""
        found = Counter({(0, depth): 1})
        for n in range(len(self.table)):  # moves lead to later positions
            for plies in range(depth + 1):
                for child in self.children(n, plies) if found[n, plies] else []:
                    found[child] += 1 if merged else found[n, plies]
        return Counter({at: 1 if merged else k for at, k in found.items() if k})

    def leaf_value(self, n: int, exact: bool = True) -> Any:
        """Return the utility or the estimate of a position, or the middle of its bounds."""
        row = self.table[n]
        if row.value is not None:
            return row.value
        ends = row.bounds if self.has_bounds else self.utility_bounds
        lower, upper = map(Fraction if exact else float, ends)
        return lower / 2 + upper / 2  # with the rounding errors of the search

    def definition(self, n: int = 0, plies: int | None = None) -> Fraction:
        """Return what a position is worth, by recursion into every child."""
        row = self.table[n]
        plies = self.depth if plies is None else plies
        worth = [self.definition(*child) for child in self.children(n, plies)]
        if not worth:
            return self.leaf_value(n)
        if row.turn == "chance":
            return sum((p * w for p, w in zip(row.probabilities, worth, strict=True)), Fraction())
        return max(worth) if row.turn == "max" else min(worth)

    def best_moves(self, slack: Number = 0) -> set[str]:
        """Return the moves at the start that are worth as much as the best, up to a slack."""
        if not self.children(0, self.depth) or self.table[0].turn == "chance":
            return set()
        value, row = self.definition(), self.table[0]
        pairs = zip(row.moves, self.children(0, self.depth), strict=True)
        return {name for (name, _), child in pairs if abs(self.definition(*child) - value) <= slack}

    def write_out(self, exact: bool, merged: bool) -> Tree:
        """Return the whole tree, every branch in the order of the moves."""
        builder = TreeBuilder(exact)
        known: dict[tuple[int, int], Any] = {}

        def node(n: int, plies: int) -> Any:
            if merged and (n, plies) in known:
                return known[n, plies]
            row, below = self.table[n], [node(*child) for child in self.children(n, plies)]
            about = {"bounds": row.bounds} if self.has_bounds else {}
            if not below:
                made = builder.terminal(self.leaf_value(n, exact))
            elif row.turn == "chance":
                made = builder.chance(below, row.probabilities, **about)
            else:
                made = (builder.max if row.turn == "max" else builder.min)(below, **about)
            known[n, plies] = made
            return made

        return builder.build(node(0, self.depth))


class Mirror:
    """The mirror of a game: MAX and MIN swapped, values and bounds negated."""

    def __init__(self, game: RandomGame) -> None:
        self.game, self.title, self.start, self.play = game, "mirror", game.start, game.play
        self.moves = game.moves
        lower, upper = game.utility_bounds
        self.utility_bounds = (-upper, -lower)
        for name in ("key", "label", "same_turn"):
            if hasattr(game, name):
                setattr(self, name, getattr(game, name))
        if game.has_bounds:
            self.bounds = lambda state: tuple(-end for end in reversed(game.bounds(state)))

    def turn(self, state: Any) -> Any:
        return OTHER_SIDE[self.game.turn(state)]

    def value(self, state: Any) -> Number | None:
        value = self.game.value(state)
        return None if value is None else -value
