"""`solve` against an independent definition, published values, and searches of games that end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import isinf
from pathlib import Path
from typing import Any

import pytest
from games.tables import Paying, Table, random_table, solved
from helpers import seed_ranges
from random_games import RandomGame

import expectitree as et
from expectitree.base.errors import GameError, SearchError


def chain_values(game: Any, choice: dict[int, int], endless: Any) -> list[Fraction]:
    """Return the values of all states if the players make these moves, by Gaussian elimination.

    A state from which no end, or discounted move, can be reached is worth endless play.
    """
    rows, count, discount = game.rows, len(game.rows), game.discount or 1
    edges: list[list[Any]] = []  # (weight, child, reward)
    for state, (turn, rest) in enumerate(rows):
        after = rest if turn == "chance" else [] if turn is None else [rest[choice[state]]]
        if turn not in (None, "chance"):
            after = [(discount, *(a if isinstance(a, tuple) else (a,))) for a in after]
        edges.append([(Fraction(w), c, Fraction(pay[0] if pay else 0)) for w, c, *pay in after])
    discounted = ("max", "min") if discount != 1 else ()
    ends = {n for n in range(count) if rows[n][0] in (None, *discounted)}
    while grown := {n for n in range(count) if any(c in ends for _, c, _ in edges[n])} - ends:
        ends |= grown
    system = []
    for n in range(count):
        row = [Fraction(int(n == m)) for m in range(count)] + [Fraction(0)]
        if rows[n][0] is None:
            row[-1] = Fraction(rows[n][1])
        elif n not in ends:
            row[-1] = Fraction(endless)
        else:
            for w, c, pay in edges[n]:
                row[c] -= w
                row[-1] += pay * (w if rows[n][0] == "chance" else 1)
        system.append(row)
    return solved(system)


def strategies(game: Table, turn: str) -> Iterator[dict[int, int]]:
    own = [n for n, (who, _) in enumerate(game.rows) if who == turn]
    for moves in product(*(range(len(game.rows[n][1])) for n in own)):
        yield dict(zip(own, moves, strict=True))


def definition(game: Table) -> list[Fraction]:
    """Return the values: the best of MAX's strategies against MIN's best reply to each.

    Strategies without memory are enough for both (Gimbert and Zielonka 2005).
    """
    replies = [
        [
            chain_values(game, {**mine, **other}, game.endless or 0)
            for other in strategies(game, "min")
        ]
        for mine in strategies(game, "max")
    ]
    worst = [[min(values) for values in zip(*tables, strict=True)] for tables in replies]
    return [max(values) for values in zip(*worst, strict=True)]


def check(game: Table, found: et.Solution) -> None:
    """Check every position that the game can reach."""
    values = definition(game)
    for position in found.positions():
        value = values[position.state]
        assert position.lower <= value <= position.upper, (game.rows, game.endless)
        assert position.upper - position.lower <= 1e-9, (game.rows, game.endless)


@pytest.mark.parametrize("seeds", seed_ranges(4, 100, 400))
def test_random_games_with_cycles(seeds: range) -> None:
    for seed in seeds:
        game = random_table(seed)
        found = et.solve(game)
        check(game, found)
        exact = et.solve(game, exact=True)
        assert exact.lower == exact.upper == definition(game)[0]
        # The moves of both players guarantee the value, also where play could go on forever.
        best = {
            p.state: [m.label for m in p.moves].index(p.best) for p in exact.positions() if p.best
        }
        reached = {p.state for p in exact.positions()}
        rest = {n: 0 for n, (t, _) in enumerate(game.rows) if t in ("max", "min")}
        assert chain_values(game, rest | best, game.endless)[0] == exact.lower
        for turn in ("max", "min"):
            fixed = [
                (t, [r[best[n]]]) if t == turn and n in reached else (t, r)
                for n, (t, r) in enumerate(game.rows)
            ]
            assert definition(Table(fixed, game.endless))[0] == exact.lower, (seed, turn)


@pytest.mark.parametrize("seed", [116, 232])
def test_endless_play_is_worth_as_much_as_the_best_end(seed: int) -> None:
    check(game := random_table(seed), et.solve(game))


@pytest.mark.parametrize("seeds", seed_ranges(4, 50, 200))
def test_random_games_with_rewards_and_a_discount(seeds: range) -> None:
    for seed in seeds:
        game = random_table(seed, pays=True)
        game.endless = None
        if any("forever" in text for text in [error_of(game)]):
            continue  # outcomes of chance that never end
        found = et.solve(game)
        if any(isinf(position.lower) for position in found.positions()):
            continue  # outcomes of chance that never end, and pay
        check(game, found)
        assert et.solve(game, exact=True).lower == definition(game)[0]


def error_of(game: Any) -> str:
    try:
        et.solve(game)
    except GameError as error:
        return str(error)
    return ""


def test_rewards_without_discount_where_every_play_ends() -> None:
    """A gambler's walk between 0 and 9 pays 1 a step: k (9 - k) steps are expected."""
    half = Fraction(1, 2)
    rows: list[Any] = [(None, 0)]
    rows += [("chance", [(half, k - 1, 1), (half, k + 1, 1)]) for k in range(1, 9)]
    rows += [(None, 0)]
    game = Paying(rows)
    game.start = 4
    found = et.solve(game)
    assert found.lower <= 20 <= found.upper < found.lower + 1e-9
    assert et.solve(game, exact=True).value == 20


@pytest.mark.parametrize("seeds", seed_ranges(6, 50, 200))
def test_games_that_end_are_worth_what_a_search_finds(seeds: range) -> None:
    for seed in seeds:
        game = RandomGame(seed, state_bounds=False)
        if not game.merges or any(row.value is None for row in game.table):
            continue
        value = et.search(game, depth=100, exact=True).value
        assert et.solve(game, exact=True).value == value
        found = et.solve(game)
        assert found.lower <= value <= found.upper


def test_a_published_case_where_ordinary_value_iteration_stops_too_soon() -> None:
    """Haddad and Monmege (2018), figure 1: half of the plays reach the goal, after 2^n steps."""
    half, n = Fraction(1, 2), 8
    rows: list[Any] = [("chance", [(half, 1), (half, n + 1)])]
    for start in (1, n + 1):  # a run of n coins that all come up heads ends the game
        end = 2 * n + 1 if start == 1 else 2 * n + 2
        rows += [("chance", [(half, k + 1), (half, 0)]) for k in range(start, start + n - 1)]
        rows += [("chance", [(half, end), (half, 0)])]
    rows += [(None, 1), (None, 0)]
    found = et.solve(Table(rows))
    assert found.lower <= half <= found.upper < found.lower + 1e-9


def with_loop(**about: Any) -> Any:
    """Return a game in which MAX may stay forever, take 1, or toss a coin for 3 or -3."""
    half = Fraction(1, 2)
    rows: list[Any] = [
        ("max", [0, 1, 2]), (None, 1), ("chance", [(half, 3), (half, 4)]), (None, 3), (None, -3)
    ]  # fmt: skip
    game = Table(rows)
    for name, value in about.items():
        setattr(game, name, value)
    return game


def test_endless_play_has_to_be_declared() -> None:
    assert error_of(with_loop()) == (
        "table: play can go on forever in 1 position, such as 0: declare what endless play is "
        "worth, as in `endless = 0` or --endless 0, or count later moves less, as in "
        "`discount = 0.95` or --discount 0.95"
    )
    assert et.solve(with_loop(endless=0)).value == 1
    assert et.solve(with_loop(endless=2)).value == 2
    assert et.solve(with_loop(endless="3/2"), exact=True).value == Fraction(3, 2)
    assert et.solve(with_loop(discount=0.5)).value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"endless": "never"}, "table: endless is 'never', expected a finite number"),
        ({"endless": float("inf")}, "table: endless is inf, expected a finite number"),
        ({"discount": 0}, "table: discount is 0, expected a number above 0, at most 1"),
        ({"discount": 1.5}, "table: discount is 1.5, expected a number above 0, at most 1"),
        (
            {"reward": lambda state, move: 1},
            "table: play can go on forever by 0 → 0, where MAX gains without limit: count later "
            "moves less, as in `discount = 0.95` or --discount 0.95, or let each step cost "
            "something, by a method reward",
        ),
        (
            {"reward": lambda state, move: "a lot"},
            "table: reward(0) gives 'a lot', expected a number",
        ),
    ],
)
def test_wrong_declarations(about: dict[str, Any], message: str) -> None:
    assert error_of(with_loop(**about)) == message


def test_a_search_does_not_ignore_rewards() -> None:
    for about in ({"reward": lambda state, move: 1}, {"discount": 0.5}):
        with pytest.raises(GameError, match="which only `expectitree solve` knows"):
            et.search(with_loop(**about), depth=3)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.solve.states.STATES_SHOWN", 100)
    with pytest.raises(GameError, match="more than 100 states: allow more with --max-rows"):
        et.solve("game:pig(target=10)", max_rows=100)
    with pytest.raises(SearchError, match="a width is a number from 0"):
        et.solve("game:pig", width=-1)
    with pytest.raises(SearchError, match="the limit of 1e-09 s was reached after"):
        et.solve("game:pig", seconds=1e-9)
    with pytest.raises(GameError, match="solve finds out by keys which states are the same"):
        et.solve(type("Game", (Table,), {"start": [0]})([]))
    found = et.solve("game:pig(target=5)", width=0)
    assert not found.is_narrow
    assert found.upper - found.lower < 1e-14
    with pytest.raises(GameError, match="the game cannot reach the position"):
        found.at(((9, 9), 0, "max", False))


def test_batched_states_are_those_of_the_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    ruled = et.solve("game:pig(target=8)")
    monkeypatch.setattr("expectitree.games.solve.report.FEW_STATES", 10)
    batched = et.solve("game:pig(target=8)")
    assert (batched.states, batched.branches) == (ruled.states, ruled.branches)
    records = {row["position"]: row for row in batched.to_records()}
    assert len(records) == len([*ruled.to_records()])
    for row in ruled.to_records():
        other = records[row["position"]]
        assert (row["turn"], row["best"]) == (other["turn"], other["best"])
        assert max(row["lower"], other["lower"]) <= min(row["upper"], other["upper"])
    state = batched.root.state._replace(points=3)
    assert batched.at(state)[1:4] == next(p[1:4] for p in batched.positions() if p.state == state)
    with pytest.raises(GameError, match="cannot reach"):
        batched.at(state._replace(points=-3))


@pytest.mark.slow
def test_compiled_loops_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    for seed in range(5):
        game = random_table(seed)
        one = et.solve(game)
        with monkeypatch.context() as patch:
            patch.setattr("expectitree.games.solve.solver.MANY_BRANCHES", 0)
            other = et.solve(game)
        assert (one.root, one.sweeps) == (other.root, other.sweeps)


def test_the_values_of_piglet_that_neller_and_presser_published() -> None:
    """A coin in place of the die, and a target of two heads; their scores count heads."""
    found = et.solve("game:pig(target=4, die=2)", exact=True)
    published = {
        (0, 0, 0): "4/7", (0, 0, 1): "5/7", (0, 1, 0): "2/5", (0, 1, 1): "3/5", (1, 0, 0): "4/5",
        (1, 1, 0): "2/3",
    }  # fmt: skip
    for (mine, yours, points), p in published.items():
        state = found.root.state._replace(scores=(2 * mine, 2 * yours), points=2 * points)
        assert (1 + found.at(state).lower) / 2 == Fraction(p)


@pytest.mark.slow
@pytest.mark.parametrize("few", [0, 20_000])  # states that the methods make
def test_policy_files(few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.games.solve.report.FEW_STATES", few)
    from expectitree.games.solve.policy import save_policy

    found = et.solve("game:pig(target=3)")
    rows = [*found.to_records()]
    save_policy(found, str(tmp_path / "policy.csv"))
    lines = (tmp_path / "policy.csv").read_text("utf-8").splitlines()
    assert lines[0] == "position,turn,best,not_told_apart,lower,upper"
    assert len(lines) == len(rows) + 1
    assert all(type(row["lower"]) is float for row in rows)
    assert [float(end) for end in lines[1].split(",")[-2:]] == [rows[0]["lower"], rows[0]["upper"]]
    arrow = pytest.importorskip("pyarrow")
    save_policy(found, str(tmp_path / "policy.arrow"))
    table = arrow.ipc.open_file(str(tmp_path / "policy.arrow")).read_all()
    assert table.to_pylist() == rows
    with pytest.raises(et.FileError, match="a policy is written as"):
        save_policy(found, "policy.txt")


def test_json() -> None:
    found = json.loads(et.to_json(et.solve(with_loop(endless=0))))
    assert (found["interval"], found["best"]) == ([1, 1], ["(1, 1)", "(0, 0)"])
