"""The built-in games compared with OpenSpiel and with published numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from expectitree.games.built_in import einstein, pig
from expectitree.games.built_in.einstein import Einstein
from expectitree.games.built_in.pig import Pig

TURNS = {-1: "chance", 0: "max", 1: "min", -4: None}  # OpenSpiel's players


def children(game: Any, state: Any) -> list[Any]:
    """Return the states after a state."""
    if game.turn(state) == "chance":
        return [game.play(state, outcome) for outcome, _ in game.moves(state)]
    return [] if game.turn(state) is None else [game.play(state, m) for m in game.moves(state)]


def levels(game: Any, depth: int) -> list[int]:
    """Return how many nodes the tree has at each depth, without merging."""
    counts, states = [], [game.start]
    for _ in range(depth + 1):
        counts.append(len(states))
        states = [child for state in states for child in children(game, state)]
    return counts


def load(name: str) -> Any:
    """Return a game of OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
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
        assert set(mine) == set(other)


def test_pig_has_as_many_nodes_as_in_openspiel() -> None:
    assert levels(Pig(target=4, die=2), 10) == [1, 2, 4, 8, 16, 31, 59, 113, 214, 404, 759]


def read_pig(state: Any) -> pig.State:
    first, second, points, player = map(int, re.findall(r"\d+", str(state)))
    return pig.State((first, second), points, "min" if player else "max", "rolling" in str(state))


@pytest.mark.parametrize(("target", "die"), [(5, 2), (20, 6)])
def test_pig_is_openspiels_pig(target: int, die: int) -> None:
    theirs = load(f"pig(winscore={target},diceoutcomes={die})")
    check_play_outs(Pig(target, die), theirs, read_pig, 60)


def read_einstein(state: Any) -> einstein.State | None:
    if len(state.history()) < 2:
        return None  # The stones are not placed yet.
    signs = {"b": 1, "w": -1}
    stones = re.findall(r"\|(.)(.)\|", str(state))
    board = tuple(signs.get(color, 0) * int(digit.replace("_", "0")) for color, digit in stones)
    moves, rolled = divmod(len(state.history()) - 2, 2)
    return einstein.State(board, 1 if moves % 2 else -1, state.history()[-1] + 1 if rolled else 0)


def test_einstein_is_openspiels_einstein() -> None:
    check_play_outs(Einstein(), load("einstein_wurfelt_nicht"), read_einstein, 60)
