"""Can't Stop, a race in columns in which players may roll again and again (Sid Sackson, 1980)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any, Literal, NamedTuple

RUNNERS = 3
Steps = tuple[int, ...]  # in each column


class State(NamedTuple):
    kept: tuple[Steps, Steps]  # by MAX and by MIN
    steps: Steps  # of the player whose turn it is, including the steps of this turn
    player: int = 0  # 0 is MAX, 1 is MIN
    dice: tuple[int, ...] | None = None  # None before the roll, empty before "roll" or "stop"


class CantStop:
    """Can't Stop: the first player who reaches the top of so many `columns` wins.

    The player rolls four dice and pairs them. The two sums are columns in which runners take a
    step, if they can: there are three runners, and a column is closed once a player has kept its
    top. Then the player rolls again, or stops and keeps the steps. If no runner can take a step,
    the steps of this turn are lost. With two dice, there is one sum.
    """

    utility_bounds = (-1, 1)

    def __init__(self, dice: int = 4, faces: int = 6, columns: int = 3, length: int = 3) -> None:
        if dice not in (2, 4) or faces < 2 or not 0 < columns < 2 * faces or length < 1:
            raise ValueError("dice is 2 or 4, columns less than 2 * faces, and no number too small")
        self.title, self.columns = f"Can't Stop with {dice} dice of {faces} faces", columns
        self.lengths = tuple(length + 2 * min(s, 2 * faces - 2 - s) for s in range(2 * faces - 1))
        self.start = State(((0,) * len(self.lengths),) * 2, (0,) * len(self.lengths))
        rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
        self._rolls = [(roll, Fraction(n, faces**dice)) for roll, n in rolls.items()]

    def turn(self, state: State) -> Literal["max", "min", "chance"] | None:
        if any(map(self._wins, state.kept)):
            return None
        return "chance" if state.dice is None else "min" if state.player else "max"

    def moves(self, state: State) -> list[Any]:
        """Return the rolls, the sums that the player may use, or "roll" and "stop"."""
        if state.dice is None:
            return self._rolls
        if state.dice:
            return self._choices(state)
        return ["stop"] if self._wins(state.steps) else ["roll", "stop"]

    def play(self, state: State, move: Any) -> State:
        kept, steps, player, dice = state
        if dice:
            return state._replace(steps=_after(steps, move), dice=())
        if move == "roll":
            return state._replace(dice=None)
        if move == "stop":
            kept = (kept[0], steps) if player else (steps, kept[1])
        elif self._choices(rolled := state._replace(dice=move)):
            return rolled
        return State(kept, kept[1 - player], 1 - player)

    def value(self, state: State) -> Fraction | int:
        """Return who won, or the lead in the best columns, as shares of their lengths."""
        first, second = state.kept
        if self.turn(state) is None:
            return 1 if self._wins(first) else -1
        both = (first, state.steps) if state.player else (state.steps, second)
        shares = [sorted(map(Fraction, steps, self.lengths))[-self.columns :] for steps in both]
        return (sum(shares[0], Fraction()) - sum(shares[1])) / self.columns

    def key(self, state: State) -> Hashable:
        """Return the state with what the player can do in place of the dice."""
        return state._replace(dice=tuple(self._choices(state))) if state.dice else state

    def label(self, state: State, move: Any) -> str:
        return move if isinstance(move, str) else ("+" if state.dice else "-").join(map(str, move))

    def text(self, state: State) -> str:
        rows = {"column": range(2, len(self.lengths) + 2), "length": self.lengths}
        rows |= {"MAX": state.kept[0], "MIN": state.kept[1], "turn": state.steps}
        lines = [f"{name:6}" + "".join(f"{n:3}" for n in row) for name, row in rows.items()]
        dice = f", dice {'-'.join(map(str, state.dice))}" if state.dice else ""
        return "\n".join([*lines, f"{('MAX', 'MIN')[state.player]}'s turn{dice}"])

    def _wins(self, steps: Steps) -> bool:
        return sum(map(int.__eq__, steps, self.lengths)) >= self.columns

    def _choices(self, state: State) -> list[tuple[int, ...]]:
        """Return the sums that the player may use: both sums of a pair if possible."""
        (first, *others), found = state.dice or (), set[tuple[int, ...]]()
        for other in others:
            pair = (first + other, sum(others) - other)[: (len(others) + 1) // 2]
            can = [sums for sums in (pair, pair[:1], pair[1:]) if self._can_use(state, sums)]
            found |= {tuple(sorted(sums)) for sums in (can[:1] if pair in can else can)}
        return sorted(found, reverse=True)

    def _can_use(self, state: State, sums: tuple[int, ...]) -> bool:
        steps = _after(state.steps, sums)
        runners = sum(map(int.__gt__, steps, state.kept[state.player]))
        is_closed = any(kept[s - 2] == self.lengths[s - 2] for kept in state.kept for s in sums)
        is_inside = all(map(int.__le__, steps, self.lengths))
        return bool(sums) and is_inside and not is_closed and runners <= RUNNERS


def _after(steps: Steps, sums: tuple[int, ...]) -> Steps:
    return tuple(n + sums.count(column) for column, n in enumerate(steps, start=2))
