"""Totals of rewards without a discount, against an independent definition and published values."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random
from typing import Any

import pytest
from games.solve.test_solve import error_of, strategies
from games.tables import Paying, random_rows, solved
from helpers import ROOT, seed_ranges

import expectitree as et

HALF = Fraction(1, 2)


def chain_totals(game: Paying, choice: dict[int, int]) -> list[Any]:
    """Return the expected totals of all states if the players make these moves.

    The mean payment of each closed class of states shows what endless play there is worth: infinity
    of its sign, or `endless` if nothing is ever paid. A total that does not exist is None.
    """
    steps: list[list[tuple[Fraction, int, Fraction]]] = []
    for state, (turn, rest) in enumerate(game.rows):
        after = rest if turn == "chance" else [] if turn is None else [(1, *rest[choice[state]])]
        steps.append([(Fraction(p), child, Fraction(pay)) for p, child, pay in after])
    means = [sum((p * pay for p, _, pay in step), Fraction(0)) for step in steps]
    count = len(steps)
    reached = [{n} for n in range(count)]
    for _ in range(count):
        for n in range(count):
            reached[n] = reached[n].union(*(reached[child] for _, child, _ in steps[n]))
    tails: dict[int, Any] = {}
    for n in range(count):
        group = sorted(reached[n])
        if not steps[n] or not all(n in reached[m] for m in group):
            continue
        # The mean g and potentials h of the class: h + g = what is paid + the mean h after it.
        rows = [
            [Fraction(m == k) - sum(p for p, child, _ in steps[m] if child == k) for k in group]
            + [Fraction(1), means[m]]
            for m in group
        ]
        rows.append([Fraction(k == 0) for k in range(len(group) + 1)] + [Fraction(0)])
        mean = solved(rows)[-1]
        pays = any(pay for m in group for _, _, pay in steps[m])
        tails[n] = inf if mean > 0 else -inf if mean < 0 else None if pays else game.endless
    totals: list[Any] = [None] * count
    finite = []
    for n in range(count):
        ends = {tails[m] for m in reached[n] if m in tails}
        if not ends & {inf, -inf, None}:
            finite.append(n)
        elif len(ends & {inf, -inf}) == 1 and None not in ends:
            totals[n] = (ends & {inf, -inf}).pop()
    system = []
    for n in finite:
        row = [Fraction(n == m) - sum(p for p, child, _ in steps[n] if child == m) for m in finite]
        if n in tails or not steps[n]:
            known = Fraction(tails[n] if n in tails else game.rows[n][1])
            system.append([*(Fraction(n == m) for m in finite), known])
        else:
            system.append([*row, means[n]])
    for n, total in zip(finite, solved(system), strict=True):
        totals[n] = total
    return totals


def best_of(tables: list[list[Any]], better: Any) -> list[Any]:
    """Return the best number of each state, None where one does not exist."""
    return [None if None in column else better(column) for column in zip(*tables, strict=True)]


def definition(game: Paying) -> list[Any]:
    """Return the best of MAX's strategies against MIN's best reply to each."""
    replies = [
        best_of([chain_totals(game, {**mine, **other}) for other in strategies(game, "min")], min)
        for mine in strategies(game, "max")
    ]
    return best_of(replies, max)


def paying_table(seed: int) -> Paying:
    """Return a random game whose moves and outcomes pay, in cycles too."""
    random = Random(seed)
    pays = random.choice(((-1,), (-2, -1), (-1, 0), (1,), (0, 1), (-2, -1, 1), (-3, 2), (-1, 0, 1)))
    turns = random.choice((("max", "chance"), ("min", "chance"), ("max", "min", "chance")))
    chances = HALF, Fraction(1, 3)
    rows = random_rows(random, random.randint(2, 6), turns, chances, pays)
    return Paying(rows, random.choice((None, None, 0, 1, -2)))


@pytest.mark.parametrize("seeds", seed_ranges(4, 60, 400))
def test_random_games_that_pay_without_a_discount(seeds: range) -> None:
    for seed in seeds:
        game = paying_table(seed)
        if error := error_of(game):
            assert "play can go on forever" in error or "no certain value" in error, seed
            continue
        totals = definition(game)
        for exact in (False, True):
            for found in et.solve(game, exact=exact).positions():
                total = totals[found.state]
                if total is not None:
                    assert found.lower <= total <= found.upper, (seed, found)
                    width = 0 if found.lower == found.upper else found.upper - found.lower
                    assert width <= (0 if exact else 1e-9), (seed, found)


def walk(turn: str, cost: int, **about: Any) -> Paying:
    """Return a walk on a ring of four squares, which `turn` may leave for 10 at the last."""
    rows: list[Any] = [(turn, [((k + 1) % 4, cost), ((k - 1) % 4, cost)]) for k in range(3)]
    rows += [(turn, [(0, cost), (2, cost), (4, cost)]), (None, 10)]
    game = Paying(rows)
    for name, value in about.items():
        setattr(game, name, value)
    return game


FAIR_BET = ("chance", [(HALF, 0, 2), (HALF, 0, -2)])
CURES = {
    "endless": "declare what endless play is worth, as in `endless = 0` or --endless 0",
    "discount": "count later moves less, as in `discount = 0.95` or --discount 0.95",
    "cost": "let each step cost something, by a method reward",
}


@pytest.mark.parametrize(
    ("game", "total"),
    [
        (walk("max", -1), 8),
        (walk("min", 1), 12),
        (walk("max", 0, endless=3), 10),
        (walk("max", 0, endless=30), 30),
        (walk("min", 0, endless=3), 3),
        (walk("max", 1, discount=HALF), 4),
        (Paying([("max", [(1, -1), (0, -2)]), ("min", [(0, -1), (2, 0)]), (None, 5)]), -inf),
        (Paying([("min", [(1, 1), (0, 2)]), ("max", [(0, 1), (2, 0)]), (None, -5)]), inf),
        (Paying([("chance", [(HALF, 0, -1), (HALF, 1, 0)]), ("chance", [(1, 1, -1)])]), -inf),
        (Paying([("max", [(1, -1), (2, 0)]), FAIR_BET, (None, 0)]), 0),  # so MAX does not bet
        (Paying([("max", [(1, 2), (2, 0)]), ("max", [(0, -3), (2, 1)]), (None, 0)]), 3),
    ],
)  # fmt: skip
def test_totals(game: Paying, total: Any) -> None:
    found = et.solve(game)
    assert found.lower <= total <= found.upper
    assert found.is_narrow
    assert et.solve(game, exact=True).value == total


@pytest.mark.parametrize(
    ("game", "where", "cures"),
    [
        (walk("max", 0), "by 0 → 1 → 0, where nothing is paid", "endless discount cost"),
        (walk("min", 0), "by 0 → 1 → 0, where nothing is paid", "endless discount cost"),
        (walk("max", 2), "by 0 → 1 → 0, where MAX gains without limit", "discount cost"),
        (walk("min", -2), "by 0 → 1 → 0, where MIN gains without limit", "discount cost"),
        (
            Paying([("max", [(1, 3), (2, 0)]), ("max", [(0, -2)]), (None, 0)]),
            "in 2 positions, such as 0; 1, where both sides may gain",
            "discount cost",
        ),
    ],
)
def test_cycles_without_a_total_are_named(game: Paying, where: str, cures: str) -> None:
    message = ", or ".join(CURES[cure] for cure in cures.split())
    assert error_of(game) == f"table: play can go on forever {where}: {message}"


def test_endless_outcomes_that_pay_nothing() -> None:
    game = Paying([("max", [(1, -1)]), ("chance", [(1, 1, 0)])])
    assert error_of(game) == (
        "table: play can go on forever by 1 → 1, where nothing is paid: "
        f"{CURES['endless']}, or correct the outcomes of chance that never end"
    )
    assert et.solve(game, endless=2).value == 1


def test_options_replace_what_the_game_declares() -> None:
    game = walk("max", 0, endless=3)
    assert et.solve(game, endless="1/2", exact=True).value == 10
    assert et.solve(game, discount=HALF, exact=True).value == Fraction(5, 2)
    with pytest.raises(et.GameError, match="discount is 2, expected a number above 0, at most 1"):
        et.solve(game, discount=2)


def test_the_world_of_russell_and_norvig() -> None:
    """Artificial Intelligence, figure 17.3: utilities of the 4x3 world, with -0.04 a step."""
    published = """
        0.812 0.868 0.918
        0.762 None 0.660
        0.705 0.655 0.611 0.388
    """
    found = et.solve(f"{ROOT}/docs/examples/gridworld.py:Gridworld(discount=1, cost=0.04)")
    for y, line in enumerate(published.split("\n")[1:4]):
        for x, text in enumerate(line.split()):
            if text != "None":
                there = found.at(found.root.state._replace(cell=(y, x)))
                assert round(there.lower, 3) == round(there.upper, 3) == float(text)


class Gambler:
    """Sutton and Barto's gambler (example 4.3) with 100 to reach; he may also stake nothing."""

    title, utility_bounds, start, endless = "gambler", (0, 1), 50, 0

    def __init__(self, least: int) -> None:
        self.least = least

    def turn(self, state: Any) -> str | None:
        return "chance" if isinstance(state, tuple) else "max" if 0 < state < 100 else None

    def moves(self, state: Any) -> Any:
        if isinstance(state, tuple):
            return [(1, Fraction(2, 5)), (-1, Fraction(3, 5))]
        return range(self.least, min(state, 100 - state) + 1)

    def play(self, state: Any, move: int) -> Any:
        return state[0] + move * state[1] if isinstance(state, tuple) else (state, move)

    def value(self, state: int) -> int:
        return int(state == 100)


@pytest.mark.slow
@pytest.mark.parametrize("least", [1, 0])
def test_all_equally_good_moves(least: int) -> None:
    found = et.solve(Gambler(least), exact=True)
    rows = {row["position"]: row["equally_good"] for row in found.to_records()}
    stays = "" if least else "0 (not forever); "
    published = {"50": "50", "19": "6; 19", "20": "5; 20", "51": "1; 49", "75": "25", "44": "6; 44"}
    assert {state: rows[state] for state in published} == {
        state: stays + moves for state, moves in published.items()
    }


def test_moves_that_are_not_told_apart() -> None:
    row = next(et.solve(walk("max", -1)).to_records())
    assert (row["best"], row["not_told_apart"]) == ("(1, 3, -1)", "(1, 3, -1)")
