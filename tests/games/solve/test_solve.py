"""`solve` against an independent definition, published values, and searches of games that end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from random_games import RandomGame

import expectitree as et
from expectitree.base.errors import GameError, SearchError

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
        return self.rows[state][1] if self.rows[state][0] is None else None


class Paying(Table):
    def reward(self, state: int, move: Any) -> Any:
        return move[2] if len(move) > 2 else 0


def chain_values(game: Any, choice: dict[int, int], endless: Any) -> list[Fraction]:
    """Return the values of all states if the players make these moves, by Gaussian elimination.

    A state from which no end can be reached is worth endless play.
    """
    rows, count, discount = game.rows, len(game.rows), game.discount or 1
    edges: list[list[Any]] = []  # (weight, child, reward)
    for state, (turn, rest) in enumerate(rows):
        after = rest if turn == "chance" else [] if turn is None else [rest[choice[state]]]
        if turn not in (None, "chance"):
            after = [(discount, *(a if isinstance(a, tuple) else (a,))) for a in after]
        edges.append([(Fraction(w), c, Fraction(pay[0] if pay else 0)) for w, c, *pay in after])
    ends = {n for n in range(count) if rows[n][0] is None}
    while grown := {n for n in range(count) if any(c in ends for _, c, _ in edges[n])} - ends:
        ends |= grown
    system = []
    for n in range(count):
        row = [Fraction(int(n == m)) for m in range(count)] + [Fraction(0)]
        if rows[n][0] is None:
            row[-1] = Fraction(rows[n][1])
        elif n not in ends and discount == 1:
            row[-1] = Fraction(endless)
        else:
            for w, c, pay in edges[n]:
                row[c] -= w
                row[-1] += pay * (w if rows[n][0] == "chance" else 1)
        system.append(row)
    for n in range(count):
        pivot = next(r for r in range(n, count) if system[r][n])
        system[n], system[pivot] = system[pivot], system[n]
        system[n] = [x / system[n][n] for x in system[n]]
        for r in range(count):
            if r != n and system[r][n]:
                system[r] = [x - system[r][n] * y for x, y in zip(system[r], system[n], strict=True)]
    return [row[-1] for row in system]


def strategies(game: Table, turn: str) -> Iterator[dict[int, int]]:
    own = [n for n, (who, _) in enumerate(game.rows) if who == turn]
    for moves in product(*(range(len(game.rows[n][1])) for n in own)):
        yield dict(zip(own, moves, strict=True))


def definition(game: Table) -> list[Fraction]:
    """Return the values: the best of MAX's strategies against MIN's best reply to each.

    Strategies without memory are enough for both (Gimbert and Zielonka 2005).
    """
    replies = [
        [chain_values(game, {**mine, **other}, game.endless or 0) for other in strategies(game, "min")]
        for mine in strategies(game, "max")
    ]
    worst = [[min(values) for values in zip(*tables, strict=True)] for tables in replies]
    return [max(values) for values in zip(*worst, strict=True)]


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


def check(game: Table, found: et.Solution) -> None:
    """Check every position that the game can reach."""
    values = definition(game)
    for position in found.positions():
        value = values[position.state]
        assert position.lower <= value <= position.upper, (game.rows, game.endless)
        assert position.upper - position.lower <= 1e-9, (game.rows, game.endless)


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 1500), marks=pytest.mark.slow)]
)
def test_random_games_with_cycles(seeds: range) -> None:
    for seed in seeds:
        game = random_table(seed)
        found = et.solve(game)
        check(game, found)
        exact = et.solve(game, exact=True)
        assert exact.lower == exact.upper == definition(game)[0]
        # The moves of both players guarantee the value, also where play could go on for ever.
        best = {p.state: [m.label for m in p.moves].index(p.best) for p in exact.positions() if p.best}
        reached = {p.state for p in exact.positions()}
        rest = {n: 0 for n, (t, _) in enumerate(game.rows) if t in ("max", "min")}
        assert chain_values(game, rest | best, game.endless)[0] == exact.lower
        for turn in ("max", "min"):
            fixed = [
                (t, [r[best[n]]]) if t == turn and n in reached else (t, r)
                for n, (t, r) in enumerate(game.rows)
            ]
            assert definition(Table(fixed, game.endless))[0] == exact.lower, (seed, turn)
