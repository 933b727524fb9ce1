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


def random_table(seed: int, pays: bool = False) -> Table:
    """Return a random game in which moves lead anywhere, so most have end components."""
    random = Random(seed)
    count = random.randint(3, 8)
    rows: list[Any] = [(None, Fraction(random.randint(-4, 4), random.choice((1, 3))))]
    rows += [(None, random.randint(-3, 3))]
    for _ in range(count):
        turn = random.choice(("max", "min", "chance"))
        if turn == "chance":
            p = random.choice(CHOICES)
            rows.append((turn, [(q, random.randrange(count + 2)) for q in (p, 1 - p)]))
        else:
            own = [random.randrange(count + 2) for _ in range(random.choice((1, 2, 2, 3)))]
            rows.append((turn, own))
    rows.reverse()  # the start is a player or chance, and the ends are last
    rows = [
        (t, r if t is None else [
            (x[0], count + 1 - x[1]) if isinstance(x, tuple) else count + 1 - x for x in r
        ])
        for t, r in rows
    ]  # fmt: skip
    if not pays:
        return Table(rows, random.choice((0, 1, -1, Fraction(1, 3))))
    paid = [
        (t, r if t is None else [
            (*(x if isinstance(x, tuple) else (x,)), random.randint(-3, 3)) for x in r
        ])
        for t, r in rows
    ]  # fmt: skip
    return Paying(paid, None, Fraction(9, 10))


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
