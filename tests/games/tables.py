"""Games from tables, whose positions may repeat."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

CHOICES = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 5))


class Table:
    """A game from a table: of each state whose turn it is, and its moves or outcomes, or a value.

    A move is a state, or a state and what the move pays; an outcome has a probability before it.
    """

    title = "table"
    utility_bounds = (-100, 100)
    start = 0

    def __init__(self, rows: list[Any], endless: Any = None, discount: Any = None) -> None:
        self.rows, self.endless, self.discount = rows, endless, discount

    def turn(self, state: int) -> Any:
        return self.rows[state][0]

    def moves(self, state: int) -> list[Any]:
        turn, rest = self.rows[state]
        return [((k, *after), p) for k, (p, *after) in enumerate(rest)] if turn == "chance" else [
            (k, *(after if isinstance(after, tuple) else (after,))) for k, after in enumerate(rest)
        ]  # fmt: skip

    def play(self, state: int, move: Any) -> int:
        after: int = move[1]
        return after

    def value(self, state: int) -> Any:
        turn, rest = self.rows[state]
        return rest if turn is None else state % 3 - 1  # an estimate, for searches


class Paying(Table):
    def reward(self, state: int, move: Any) -> Any:
        return move[2] if len(move) > 2 else 0


def random_rows(
    random: Random, count: int, turns: Any, chances: Any = CHOICES, payments: Any = ()
) -> list[Any]:
    """Return rows whose moves lead anywhere, so most have end components; two ends are last."""
    rows: list[Any] = []
    for _ in range(count):
        turn, p = random.choice(turns), random.choice(chances)
        weights: list[Any] = [(p,), (1 - p,)]
        if turn != "chance":
            weights = [()] * random.choice((1, 2, 2, 3))
        paid = [random.choices(payments, k=bool(payments)) for _ in weights]
        after = [
            (*w, random.randrange(count + 2), *pay) for w, pay in zip(weights, paid, strict=True)
        ]
        rows.append((turn, after))
    return [*rows, (None, Fraction(random.randint(-4, 4), 3)), (None, random.randint(-3, 3))]


def random_table(seed: int, pays: bool = False) -> Table:
    """Return a random game; one that pays has a discount."""
    random = Random(seed)
    payments = range(-3, 4) if pays else ()
    rows = random_rows(random, random.randint(3, 8), ("max", "min", "chance"), payments=payments)
    if pays:
        return Paying(rows, None, Fraction(9, 10))
    return Table(rows, random.choice((0, 1, -1, Fraction(1, 3))))


def solved(system: list[list[Fraction]]) -> list[Fraction]:
    """Solve linear equations, each with its constant last."""
    for n in range(len(system)):
        pivot = next(r for r in range(n, len(system)) if system[r][n])
        system[n], system[pivot] = system[pivot], system[n]
        system[n] = [x / system[n][n] for x in system[n]]
        for r, row in enumerate(system):
            if r != n and row[n]:
                system[r] = [x - row[n] * y for x, y in zip(row, system[n], strict=True)]
    return [row[-1] for row in system]
