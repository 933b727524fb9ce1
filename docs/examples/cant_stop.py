"""Can't Stop, a race in columns in which players may roll again and again (Sid Sackson, 1980)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import lcm
from operator import mul
from typing import Any, Literal, NamedTuple

Numbers = tuple[int, ...]  # the steps in each column, or sums of dice, which name columns


class State(NamedTuple):
    kept: tuple[Numbers, Numbers]  # by MAX and by MIN
    steps: Numbers  # of the player whose turn it is, including the steps of this turn
    player: int = 0  # 0 is MAX, 1 is MIN
    choices: tuple[Numbers, ...] | None = None  # None before a roll, empty before "roll" or "stop"


class CantStop:
    """Can't Stop: the first player who reaches the top of so many `columns` wins.

    In the columns of the sums of two pairs of dice, one of three runners takes a step, unless a
    player has kept the top. To stop keeps the steps; a roll without a step loses those of the turn.
    """

    utility_bounds = (-1, 1)

    def __init__(self, dice: int = 4, faces: int = 6, columns: int = 3, length: int = 3) -> None:
        if dice not in (2, 4) or faces < 2 or not 0 < columns < 2 * faces or length < 1:
            raise ValueError("dice is 2 or 4, columns less than 2 * faces, and no number too small")
        self.title, self.columns = f"Can't Stop with {dice} dice of {faces} faces", columns
        self.lengths = tuple(length + 2 * min(s, 2 * faces - 2 - s) for s in range(2 * faces - 1))
        self._weights = [lcm(*self.lengths) // length for length in self.lengths]
        self.start = State(((0,) * len(self.lengths),) * 2, (0,) * len(self.lengths))
        rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
        self._rolls = [(roll, Fraction(n, faces**dice)) for roll, n in rolls.items()]

    def turn(self, state: State) -> Literal["max", "min", "chance"] | None:
        if any(map(self._wins, state.kept)):
            return None
        return "chance" if state.choices is None else "min" if state.player else "max"

    def moves(self, state: State) -> list[Any]:
        if state.choices is None:
            return self._rolls
        return [*state.choices] or ["roll", "stop"][self._wins(state.steps) :]

    def play(self, state: State, move: Any) -> State:
        kept, steps, player, choices = state
        if choices:
            return state._replace(steps=self._after(state, move), choices=())
        if move == "roll":
            return state._replace(choices=None)
        if move == "stop":
            kept = (kept[0], steps) if player else (steps, kept[1])
        elif found := self._choices(state, *move):
            return state._replace(choices=found)
        return State(kept, kept[1 - player], 1 - player)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or the lead in the best columns, as shares of their lengths."""
        if self.turn(state) is None:
            return 1 if self._wins(state.kept[0]) else -1
        both = (state.kept[0], state.steps) if state.player else (state.steps, state.kept[1])
        mine, yours = (sorted(map(mul, steps, self._weights))[-self.columns :] for steps in both)
        return Fraction(sum(mine) - sum(yours), self.columns * lcm(*self.lengths))

    def label(self, state: State, move: Any) -> str:
        return move if isinstance(move, str) else "-+"[bool(state.choices)].join(map(str, move))

    def text(self, state: State) -> str:
        rows = {"column": range(2, len(self.lengths) + 2), "length": self.lengths}
        now = f"{('MAX', 'MIN')[state.player]} now"
        rows |= {"MAX": state.kept[0], "MIN": state.kept[1], now: state.steps}
        lines = [f"{name:7}" + "".join(f"{n:3}" for n in row) for name, row in rows.items()]
        sums = " or ".join(self.label(state, sums) for sums in state.choices or ()) or "may stop"
        return "\n".join([*lines, "to roll" if state.choices is None else sums])

    def _wins(self, steps: Numbers) -> bool:
        return sum(map(int.__eq__, steps, self.lengths)) >= self.columns

    def _choices(self, state: State, first: int, *others: int) -> tuple[Numbers, ...]:
        """Return the sums of dice that the player may use: both sums of a pair if possible."""
        found: set[Numbers] = set()
        for other in others:
            pair = (first + other, sum(others) - other)[: (len(others) + 1) // 2]
            can = [sums for sums in (pair, pair[:1], pair[1:]) if self._after(state, sums)]
            found |= {tuple(sorted(sums)) for sums in (can[:1] if pair in can else can)}
        return tuple(sorted(found, reverse=True))

    def _after(self, state: State, sums: Numbers) -> Numbers:
        steps = tuple(n + sums.count(column) for column, n in enumerate(state.steps, start=2))
        runners = sum(map(int.__gt__, steps, state.kept[state.player]))
        at = [column - 2 for column in sums]
        is_open = all(own[c] < self.lengths[c] >= steps[c] for own in state.kept for c in at)
        return steps if sums and is_open and runners <= 3 else ()
