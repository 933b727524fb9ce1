"""`solve` on random processes whose play is long, against the proofs in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import pytest
from games.tables import Paying, Table
from helpers import seed_ranges

import expectitree as et

ENDS = [(None, Fraction(1)), (None, Fraction(-1, 3)), (None, Fraction(0))]
PLAYERS = {"max": ("max",), "min": ("min",), "both": ("max", "min"), "chance": ()}
PAYMENTS = {"nothing": 0, "costs": -1, "gains": 1}
HALF = Fraction(1, 2)
SHAPES = ("far", "near", "rare")


def process(seed: int, players: str, payment: str, shape: str) -> Table:
    """Return a process in which each move leads to outcomes, one of them an end.

    Moves lead anywhere ("far"), or to neighbors, so values spread slowly ("near"), or the game ends
    with a probability of 1/200 a step ("rare"). Each move costs the player 1, or pays him 1.
    """
    random = Random(f"{seed} {players} {payment} {shape}")
    count = random.randint(4, 20)
    rows: list[Any] = [None] * count
    for state in range(count):
        turn = random.choice(PLAYERS[players] or ("chance",))
        pay = PAYMENTS[payment] * {"max": 1, "min": -1, "chance": 1}[turn]
        moves = [len(rows) + k for k in range(random.randint(1, 3))]
        rows += [None] * len(moves)
        for move in moves:
            end = Fraction(1, 200 if shape == "rare" else random.choice((2, 5, 20)))
            p = (1 - end) * Fraction(random.randint(1, 5), 6)
            near = (state + 1) % count, (state - 1) % count
            below = near if shape == "near" else random.choices(range(count), k=2)
            outcomes = [
                (p, below[0], 0),
                (1 - end - p, below[1], 0),
                (end, -random.randint(1, 3), 0),
            ]
            rows[move] = ("chance", outcomes)
        rows[state] = (turn, [(move, pay) for move in moves])
        if turn == "chance":
            rows[state] = (turn, [(Fraction(1, len(moves)), move, pay) for move in moves])
    ends = len(rows)
    rows = [
        (turn, [(*after[:-2], after[-2] % (ends + len(ENDS)), after[-1]) for after in rest])
        for turn, rest in rows
    ]
    if PAYMENTS[payment]:
        return Paying([*rows, *ENDS])
    free = [
        (turn, [after[:-1] if turn == "chance" else after[0] for after in rest])
        for turn, rest in rows
    ]
    return Table([*free, *ENDS])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("payment", PAYMENTS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seeds", seed_ranges(1, 3, 12))
def test_random_processes(seeds: range, players: str, payment: str, shape: str) -> None:
    for seed in seeds:
        game = process(seed, players, payment, shape)
        exact = {p.state: p.lower for p in et.solve(game, exact=True).positions()}
        for width in (1e-9, 1e-3):
            found = et.solve(game, width=width)
            assert found.is_narrow, seed
            for position in found.positions():
                assert position.lower <= exact[position.state] <= position.upper, (seed, position)
                assert position.upper - position.lower <= width, (seed, position)


class Alarm:
    """A timer that fires when the solver reports its progress."""

    fire: Any

    def __init__(self, _: float, act: Any, arguments: Any) -> None:
        Alarm.fire = partial(act, *arguments)

    def start(self) -> None:
        """Wait for a report."""

    cancel = start


@pytest.mark.parametrize("turn", ["max", "min", "chance"])
def test_a_limit_of_time_stops_amid_a_component(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of 400 squares, which is left once in a million steps."""
    count, end = 400, Fraction(1, 10**6)
    rows: list[Any] = []
    for square in range(count):
        after = [(square + step) % count for step in (1, -1)]
        steps = [((1 - end) / 2, child) for child in after]
        rows.append(("chance", [*steps, (end, count + square % 2)]))
    begin = [(HALF, 0), (HALF, 200)] if turn == "chance" else [0, 200]
    game = Table([*rows, (None, 1), (None, 0), (turn, begin)])
    game.start = count + 2
    monkeypatch.setattr("expectitree.games.solve.solver.Timer", Alarm)
    monkeypatch.setattr("expectitree.games.solve.solver.report", lambda *_: Alarm.fire())
    found = et.solve(game, width=1e-14, seconds=1000)
    assert found.stopped
    assert found.lower <= 0.5 <= found.upper
    assert (found.root.best is None) is (turn == "chance")
