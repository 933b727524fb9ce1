"""Can't Stop, bear-off, minesweeper and the gridworld, compared with definitions of their own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest
from game_trees import value_of
from helpers import ROOT, example

import expectitree as et

bear_off = example("bear_off")
BearOff: Any = bear_off.BearOff
CantStop: Any = example("cant_stop").CantStop
Gridworld: Any = example("gridworld").Gridworld
Mines: Any = example("mines").Mines
NEW = ("bear_off", "cant_stop", "gridworld", "mines")


@pytest.mark.parametrize("name", NEW)
def test_a_new_game_has_fewer_than_100_lines(name: str) -> None:
    path = ROOT / "docs" / "examples" / f"{name}.py"
    assert len(path.read_text("utf-8").splitlines()) < 100


# ---- Bear-off: a database of both sides, from the positions with the fewest pips up.


def boards_after(board: tuple[int, ...], dice: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Return the boards after dice in this order; a board has the number of checkers by point."""
    if not dice or not any(board):
        return {board}
    found, die, highest = set(), dice[0], max(p for p in range(6) if board[p]) + 1
    for point in range(1, 7):
        if board[point - 1] and (point >= die or point == highest):
            after = list(board)
            after[point - 1] -= 1
            if point > die:
                after[point - die - 1] += 1
            found |= boards_after(tuple(after), dice[1:])
    return found


@cache
def plays(board: tuple[int, ...], first: int, second: int) -> set[tuple[int, ...]]:
    if first == second:
        return boards_after(board, (first,) * 4)
    return boards_after(board, (first, second)) | boards_after(board, (second, first))


@cache
def wins(mine: tuple[int, ...], yours: tuple[int, ...]) -> Fraction:
    """Return the probability that the player who rolls now wins."""
    if not any(yours):
        return Fraction(0)
    found = Fraction(0)
    for roll in product(range(1, 7), repeat=2):
        found += max(1 - wins(yours, b) if any(b) else Fraction(1) for b in plays(mine, *roll))
    return found / 36


def by_point(checkers: str) -> tuple[int, ...]:
    return tuple(checkers.count(str(point)) for point in range(1, 7))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1", "1"),
        ("6", "51"),
        ("32", "6"),
        pytest.param("66", "66", marks=pytest.mark.slow),
        pytest.param("653", "642", marks=pytest.mark.slow),
    ],
)
def test_bear_off_is_worth_what_the_database_says(first: str, second: str) -> None:
    found = et.search(BearOff(first, second), depth=60)
    assert found.value == pytest.approx(float(2 * wins(by_point(first), by_point(second)) - 1))
    assert found.grown.estimated == 0


def test_the_plays_of_bear_off_and_their_names() -> None:
    random = Random(5)
    for _ in range(200):
        checkers = "".join(random.choices("123456", k=random.randint(1, 4)))
        high, low = sorted(random.choices(range(1, 7), k=2), reverse=True)
        state = BearOff(checkers, "1").start._replace(roll=(high, low))
        game = BearOff(checkers, "1")
        moves = game.moves(state)
        found = {tuple(board.count(point) for point in range(1, 7)) for board in moves}
        assert found == plays(by_point(checkers), high, low)
        assert len({game.label(state, move) for move in moves}) == len(moves)
    state = BearOff("654", "1").start._replace(roll=(6, 5))
    names = [BearOff().label(state, move) for move in BearOff().moves(state)]
    assert "6/off 5/off" in names
    assert sum(p for _, p in bear_off.ROLLS) == 1


# ---- Can't Stop: its rules once more, on dicts and with the words of the rule book.


def choices(
    dice: tuple[int, ...], runners: dict[int, int], kept: list[dict[int, int]], top: dict[int, int]
) -> set[tuple[int, ...]]:
    """Return the sums that a player may use, by trying all orders of all pairs."""

    def can(column: int, runners: dict[int, int], place: int) -> bool:
        is_closed = any(own.get(column, 0) == top[column] for own in kept)
        has_runner = column in runners or len(runners) < 3
        return has_runner and not is_closed and place < top[column]

    found: set[tuple[int, ...]] = set()
    for a, b, *rest in permutations(dice):
        sums = [a + b, sum(rest)] if rest else [a + b]
        now, used = dict(runners), []
        for column in sums:
            place = now.get(column, kept[0].get(column, 0))
            if can(column, now, place):
                now[column] = place + 1
                used.append(column)
        found.add(tuple(sorted(used)))
    return found - {()}


@pytest.mark.parametrize("game", [CantStop(), CantStop(2, 2), CantStop(4, 3, 2, 2)])
def test_cant_stop_follows_its_rules(game: Any) -> None:
    random = Random(4)
    top = dict(enumerate(game.lengths, start=2))
    ends, expected = 0, set[tuple[int, ...]]()
    state, kept, runners = game.start, [dict[int, int](), dict[int, int]()], dict[int, int]()
    for _ in range(300):
        turn = game.turn(state)
        if turn is None:
            best = [sum(k.get(c) == n for c, n in top.items()) >= game.columns for k in kept]
            assert game.value(state) == (1 if best[0] else -1)
            assert best.count(True) == 1
            ends += 1
            state, kept, runners = game.start, [{}, {}], {}
            continue
        assert -1 <= game.value(state) <= 1
        own = kept[0] if state.player == 0 else kept[1]
        both = [own, kept[1 - state.player]]
        move = random.choice(game.moves(state))
        if turn == "chance":
            move = move[0]
            expected = choices(move, runners, both, top)
            passes = not expected
            if passes:
                runners = {}
        elif state.choices:
            assert set(game.moves(state)) == expected
            for column in move:
                runners[column] = runners.get(column, own.get(column, 0)) + 1
            passes = False
        else:
            passes = move == "stop"
            if passes:
                own |= runners
                runners = {}
        player, state = state.player, game.play(state, move)
        assert state.player == (1 - player if passes else player)
        steps = [tuple(k.get(column, 0) for column in top) for k in kept]
        assert list(state.kept) == steps
    assert ends or game.columns == 3


def test_the_rolls_of_cant_stop() -> None:
    rolls = dict(CantStop().moves(CantStop().start))
    assert len(rolls) == 126
    assert sum(rolls.values()) == 1
    assert rolls[1, 1, 2, 2] == Fraction(6, 6**4)
    assert CantStop().lengths == (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)


def test_the_value_of_a_small_cant_stop_lies_between_those_of_two_estimates() -> None:
    """Value iteration from below and from above gives an interval that contains the value."""
    game = CantStop(2, 2, 1, 1)
    lower, upper = (et.search(game, depth=18, estimate=lambda _, end=end: end) for end in (-1, 1))
    assert lower.value == pytest.approx(value_of(game, game.start, {}, 18, -1))
    assert lower.value <= 1 <= upper.value
    assert upper.value - lower.value < 0.05


# ---- Minesweeper: groups of worlds, without any use of the class.


def chance_of_success(rows: int, columns: int, mines: int) -> Fraction:
    """Return the probability of success, by trying every closed cell in every group of worlds."""
    cells = list(product(range(rows), range(columns)))
    everywhere = frozenset(map(frozenset, combinations(cells, mines)))

    def number(cell: tuple[int, int], world: frozenset[Any]) -> int:
        return sum(max(abs(cell[0] - y), abs(cell[1] - x)) == 1 for y, x in world)

    @cache
    def successes(worlds: frozenset[Any], opened: frozenset[Any]) -> int:
        """Return in how many worlds the best play succeeds."""
        if len(opened) == len(cells) - mines:
            return len(worlds)
        best = 0
        for cell in set(cells) - opened:
            groups: dict[int, set[Any]] = {}
            for world in worlds:
                if cell not in world:
                    groups.setdefault(number(cell, world), set()).add(world)
            total = (successes(frozenset(g), opened | {cell}) for g in groups.values())
            best = max(best, sum(total))
        return best

    return Fraction(successes(everywhere, frozenset()), len(everywhere))


@pytest.mark.parametrize(
    ("size", "published"),
    [
        ((2, 2, 1), Fraction(1, 4)),
        ((2, 2, 2), Fraction(1, 6)),
        ((2, 3, 2), Fraction(1, 3)),
        ((1, 5, 2), None),
        pytest.param((3, 3, 2), Fraction(2, 3), marks=pytest.mark.slow),
        pytest.param((3, 3, 3), Fraction(11, 28), marks=pytest.mark.slow),
    ],
)
def test_minesweeper_is_worth_its_probability(
    size: tuple[int, int, int], published: Fraction | None
) -> None:
    found = et.search(Mines(*size), depth=40, exact=True)
    assert found.value == chance_of_success(*size)
    assert published in (None, found.value)


# ---- The gridworld: value iteration in fractions.


def iterated(rounds: int, discount: Fraction, noise: Fraction) -> dict[tuple[int, int], Fraction]:
    """Return the values of the map of Russell and Norvig after some rounds of value iteration."""
    cells = [(x, y) for x in range(4) for y in range(3) if (x, y) != (1, 1)]
    exits = {(3, 2): Fraction(1), (3, 1): Fraction(-1)}
    values = {cell: exits.get(cell, Fraction(0)) for cell in cells}
    ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def after(cell: tuple[int, int], way: tuple[int, int]) -> Fraction:
        there = cell[0] + way[0], cell[1] + way[1]
        return values[there if there in values else cell]

    for _ in range(rounds):
        values = {
            cell: exits[cell]
            if cell in exits
            else discount
            * max(
                (1 - noise) * after(cell, ways[at])
                + noise / 2 * (after(cell, ways[at - 1]) + after(cell, ways[(at + 1) % 4]))
                for at in range(4)
            )
            for cell in cells
        }
    return values


def test_searches_of_the_gridworld_are_value_iteration() -> None:
    game = Gridworld()
    for rounds in (1, 3, 5, 8):
        found = et.search(game, depth=2 * rounds, exact=True)
        assert found.value == iterated(rounds, Fraction(9, 10), Fraction(1, 5))[0, 0]


def test_the_gridworld_has_the_values_of_the_course() -> None:
    """Lectures at Berkeley (CS 188) show them, with two digits, for discount 0.9 and noise 0.2."""
    values = iterated(60, Fraction("0.9"), Fraction("0.2"))
    assert [round(float(values[x, 0]), 2) for x in range(4)] == [0.49, 0.43, 0.48, 0.28]
    assert [round(float(values[x, 2]), 2) for x in range(3)] == [0.64, 0.74, 0.85]


# ---- What players see.


def states(game: Any, count: int) -> Iterator[Any]:
    random, state = Random(1), game.start
    for _ in range(count):
        yield state
        if game.turn(state) is None:
            return
        move = random.choice(game.moves(state))
        state = game.play(state, move[0] if game.turn(state) == "chance" else move)


@pytest.mark.parametrize("game", [BearOff(), CantStop(), Gridworld(), Mines()])
def test_different_positions_have_different_texts(game: Any) -> None:
    texts = {state: game.text(state) for state in states(game, 12)}
    assert len({*texts.values()}) == len(texts)
