"""The built-in games compared with OpenSpiel and with published numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from game_trees import children, value_of
from helpers import GAMES, LONG, example

import expectitree as et
from expectitree.games.built_in import einstein, pig, twenty48
from expectitree.games.built_in.dice import Dice
from expectitree.games.built_in.einstein import Einstein
from expectitree.games.built_in.pig import Pig
from expectitree.games.built_in.twenty48 import Twenty48
from expectitree.games.finding import find_game
from expectitree.games.positions import random_position

Blackjack: Any = example("blackjack").Blackjack
TURNS = {-1: "chance", 0: "max", 1: "min", -4: None}  # OpenSpiel's players


PRUNING = [name for name, algorithm in et.ALGORITHMS.items() if algorithm.prunes]
SMALLER = {"dice": "(n=3,k=3)", "pig": "(target=12)", "2048": "(goal=8)"}


@pytest.mark.parametrize(
    "seeds", [pytest.param((1, 2), marks=pytest.mark.slow), pytest.param((0,), marks=LONG)]
)
@pytest.mark.parametrize("name", GAMES)
def test_every_search_finds_the_value_and_merging_changes_none(
    name: str, seeds: tuple[int, ...]
) -> None:
    game, merged = find_game(GAMES[name] + SMALLER.get(name, "")), 0
    deepest = {"dice": 6, "mines": 5}.get(name, 3)
    for seed in seeds:
        depth = deepest - seed
        state = random_position(game, 3, seed)
        tree, whole = (
            et.write_out(game, depth=depth, state=state, merge=merge) for merge in (True, False)
        )
        merged += len(whole) - len(tree)
        value = pytest.approx(et.evaluate(whole).value)
        assert et.evaluate(tree).value == et.evaluate(tree, "star2").value == value
        options: list[dict[str, bool]] = [{}, {"deepen": True}, {"merge": False}]
        for algorithm, own in product(PRUNING, options):
            found = et.search(game, depth=depth, state=state, algorithm=algorithm, **own)
            assert found.value == value, (algorithm, own, seed)
            if algorithm != "best-first":
                assert et.trace(found).search.value == value, (algorithm, own, seed)
    assert merged > 0 or 0 not in seeds


def load(name: str) -> Any:
    """Return a game of OpenSpiel."""
    import pyspiel

    return pyspiel.load_game(name)


def step(state: Any, random: Random) -> str:
    """Play a random move in an OpenSpiel state, and return its name."""
    if state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        (move,) = random.choices(outcomes, weights)
    else:
        move = random.choice(state.legal_actions())
    name: str = state.action_to_string(state.current_player(), move)
    state.apply_action(move)
    return name


# Play-outs for each comparison with OpenSpiel.
FEW = [pytest.param(40), pytest.param(300, marks=pytest.mark.slow), pytest.param(1500, marks=LONG)]


def check_play_outs(game: Any, theirs: Any, read: Callable[[Any], Any], count: int) -> None:
    """Compare random games with OpenSpiel: turns, moves, the states after them, and utilities.

    `read` returns our state for a state of OpenSpiel, or None where the game is not set up yet.
    """
    random = Random(7)
    for _ in range(count):
        state = theirs.new_initial_state()
        while True:
            ours = read(state)
            if ours is not None:
                compare(game, ours, state, read)
            if state.is_terminal():
                break
            step(state, random)


def compare(game: Any, ours: Any, state: Any, read: Callable[[Any], Any]) -> None:
    """Compare a state and all states after it."""
    assert (game.turn(ours) is None) == state.is_terminal()
    low, high = game.utility_bounds
    assert low <= game.value(ours) <= high
    if state.is_terminal():
        assert game.value(ours) == state.returns()[0]
        return
    assert game.turn(ours) == TURNS[state.current_player()]
    if state.is_chance_node():
        mine = {game.play(ours, move): float(p) for move, p in game.moves(ours)}
        other: dict[Any, float] = {}
        for action, p in state.chance_outcomes():
            other[read(state.child(action))] = other.get(read(state.child(action)), 0) + p
        assert mine == pytest.approx(other)
    else:
        mine = [game.play(ours, move) for move in game.moves(ours)]
        other = [read(state.child(action)) for action in state.legal_actions()]
        assert len(mine) == len(set(mine))
        assert set(other) <= set(mine)
        # OpenSpiel's 2048 leaves out moves: see `ways` below.
        assert isinstance(game, Twenty48) or len(mine) == len(other)


def read_pig(state: Any) -> pig.State:
    first, second, points, player = map(int, re.findall(r"\d+", str(state)))
    return pig.State((first, second), points, "min" if player else "max", "rolling" in str(state))


@pytest.mark.extra
@pytest.mark.parametrize("count", FEW)
@pytest.mark.parametrize(("target", "die"), [(5, 2), (20, 6)])
def test_pig_is_openspiels_pig(target: int, die: int, count: int) -> None:
    theirs = load(f"pig(winscore={target},diceoutcomes={die})")
    check_play_outs(Pig(target, die), theirs, read_pig, count)


def read_einstein(state: Any) -> einstein.State | None:
    if len(state.history()) < 2:
        return None  # The stones are not placed yet.
    signs = {"b": 1, "w": -1}
    stones = re.findall(r"\|(.)(.)\|", str(state))
    board = tuple(signs.get(color, 0) * int(digit.replace("_", "0")) for color, digit in stones)
    moves, rolled = divmod(len(state.history()) - 2, 2)
    return einstein.State(board, 1 if moves % 2 else -1, state.history()[-1] + 1 if rolled else 0)


@pytest.mark.extra
@pytest.mark.parametrize("count", FEW)
def test_einstein_is_openspiels_einstein(count: int) -> None:
    check_play_outs(Einstein(), load("einstein_wurfelt_nicht"), read_einstein, count)


@pytest.mark.parametrize(
    ("turn", "estimate"),
    [("max", 0), ("min", 0), ("max 1", -5), ("max 2", 1), ("min 1", 5), ("min 6", -1)],
)
def test_einsteins_estimate_is_the_lead_in_steps(turn: str, estimate: int) -> None:
    """Stone 1 has 4 steps to go and stone 2 has 3, which makes 19/6 before the roll."""
    game = Einstein()
    state = game.parse(f"1..../.2.../...../...b./....a {turn}")
    assert game.value(state) == pytest.approx(Fraction(estimate, 6) / 4)


def read_2048(state: Any) -> twenty48.State:
    board = tuple(int(tile) for tile in str(state).split())
    is_won = max(board) >= state.get_game().get_parameters()["max_tile"]
    new = max(2 - len(state.history()), 1) if state.is_chance_node() or is_won else 0
    return twenty48.State(board, int(state.returns()[0]), new)


@pytest.mark.extra
@pytest.mark.parametrize(("goal", "count"), [(2048, 4), (32, 20)])
def test_2048_is_openspiels_2048(goal: int, count: int) -> None:
    check_play_outs(Twenty48(goal), load(f"2048(max_tile={goal})"), read_2048, count)


def test_bounds_of_2048_enclose_all_later_values() -> None:
    game, random = Twenty48(16), Random(2)
    for _ in range(50):
        state, lower = game.start, 0
        while game.turn(state):
            assert lower <= game.bounds(state)[0] <= game.value(state) <= game.bounds(state)[1]
            lower = game.bounds(state)[0]
            state = random.choice(children(game, state))
        assert lower <= game.value(state) <= game.bounds(state)[1] == game.utility_bounds[1]


def ways(board: tuple[int, ...]) -> set[str]:
    """Return the ways in which a tile can move to a free square or to an equal tile.

    OpenSpiel 2.0.2 leaves out a way if all tiles that move would meet a tile of the last move.
    """
    found = set()
    for at, tile in enumerate(board):
        for way, right, down in (("up", 0, -1), ("right", 1, 0), ("down", 0, 1), ("left", -1, 0)):
            column, row = at % 4 + right, at // 4 + down
            is_inside = 0 <= column < 4 and 0 <= row < 4
            if tile and is_inside and board[4 * row + column] in (0, tile):
                found.add(way)
    return found


def test_2048_allows_each_way_in_which_a_tile_can_move() -> None:
    game, random = Twenty48(), Random(1)
    for _ in range(500):
        board = tuple(random.choice((0, 2, 4, 8)) for _ in range(16))
        state = game.parse("/".join(" ".join(map(str, board[i : i + 4])) for i in (0, 4, 8, 12)))
        assert state.board == board
        assert set(game.moves(state)) == ways(board)
        assert game.turn(state) == ("max" if ways(board) else None)
        for way in ways(board):
            after = game.play(state, way)
            assert sum(after.board) == sum(board)
            assert after.board.count(0) >= board.count(0)


def winner(grid: list[list[int]], k: int) -> int:
    """Return 1 or -1 if the player has k stones in a row in the grid, else 0."""
    n = len(grid)
    for row, column, right, down in product(range(n), range(n), (-1, 0, 1), (-1, 0, 1)):
        squares = [(row + i * down, column + i * right) for i in range(k)]
        if (right or down) and all(0 <= r < n and 0 <= c < n for r, c in squares):
            stones = {grid[r][c] for r, c in squares}
            if len(stones) == 1 and stones != {0}:
                return stones.pop()
    return 0


@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 3), (5, 4), (5, 3)])
def test_dice_follows_its_rules_on_a_grid(n: int, k: int) -> None:
    game, random = Dice(n, k), Random(3)
    for _ in range(30):
        state, grid, player = game.start, [[0] * n for _ in range(n)], 1
        while True:
            assert -1 <= game.value(state) <= 1
            lines = grid if player == 1 else [list(line) for line in zip(*grid, strict=True)]
            free = [at for at, line in enumerate(lines) if 0 in line]
            if winner(grid, k) or not free:
                assert game.turn(state) is None
                assert game.value(state) == winner(grid, k)
                break
            assert game.turn(state) == "chance"
            assert [*game.moves(state)] == [(at, Fraction(1, len(free))) for at in free]
            line = random.choice(free)
            state = game.play(state, line)
            assert game.turn(state) == ("max" if player == 1 else "min")
            places = [
                (line, i) if player == 1 else (i, line) for i in range(n) if not lines[line][i]
            ]
            names = [f"{'abcde'[column]}{row + 1}" for row, column in places]
            assert [game.label(state, move) for move in game.moves(state)] == names
            row, column = random.choice(places)
            grid[row][column] = player
            state, player = game.play(state, row * n + column), -player


# The expected payment of standing on 10 and 6 if the dealer has no natural: appendix 1, infinite
# decks, of https://wizardofodds.com/games/blackjack/appendix/1/.
STAND = {
    **{2: -0.292784, 3: -0.252250, 4: -0.211063, 5: -0.167193, 6: -0.153699, 7: -0.475375},
    **{8: -0.510518, 9: -0.543150, 10: -0.540430, 1: -0.666951},
}
NATURALS = {10: 1 / 13, 1: 4 / 13}  # the probability that the dealer has one


def test_blackjack_pays_what_the_published_tables_say() -> None:
    game, known = Blackjack(), dict[Any, float]()
    for upcard, published in STAND.items():
        state = game.play(game.parse(f"10 6 {upcard}"), "stand")
        natural = NATURALS.get(upcard, 0)
        value = (value_of(game, state, known) + natural) / (1 - natural)
        assert value == pytest.approx(published, abs=6e-7)
    hit = game.play(game.parse("10 6 10"), "hit")
    assert (value_of(game, hit, known) + 1 / 13) / (12 / 13) == pytest.approx(-0.539826, abs=6e-7)
    assert all(-1 <= game.value(state) <= 1.5 for state, _ in known)
    assert not any(state.next == "decision" and state.player.points > 20 for state, _ in known)


def test_a_natural_pays_three_to_two_and_ties_with_a_natural() -> None:
    game = Blackjack()
    state = game.parse("1 10 10")
    assert game.turn(state) == "chance"
    assert [game.value(game.play(state, card)) for card in (1, 10)] == [0, 1.5]
