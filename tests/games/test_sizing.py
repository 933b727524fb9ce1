"""Knuth's estimate of the size of a tree, compared with exact counts."""

from __future__ import annotations

from typing import Any

import pytest

from expectitree.games.built_in.dice import Dice
from expectitree.games.built_in.einstein import Einstein
from expectitree.games.built_in.pig import Pig
from expectitree.games.positions import position
from expectitree.games.rules import Options, Rules
from expectitree.games.studies import Size, estimate_size


def estimate(game: Any, depth: int, probes: int, state: Any = None, seed: int = 0) -> Size:
    rules = Rules(game, Options(exact=False))
    return estimate_size(rules, rules.start if state is None else state, depth, seed, probes)


def count(game: Any, state: Any, depth: int) -> tuple[int, int]:
    """Return the leaves and nodes of the tree in which equal children of a node are one."""
    turn = game.turn(state)
    if turn is None or depth == 0:
        return 1, 1
    moves = [m for m, _ in game.moves(state)] if turn == "chance" else game.moves(state)
    key = getattr(game, "key", lambda state: state)
    children = {key(child): child for move in moves for child in [game.play(state, move)]}
    below = [count(game, child, depth - 1) for child in children.values()]
    return sum(leaves for leaves, _ in below), 1 + sum(nodes for _, nodes in below)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", [Pig(target=12), Einstein(), Dice(3, 3)], ids=lambda g: g.title)
def test_the_estimate_is_within_its_error_of_the_exact_count(game: Any, seed: int) -> None:
    state = position(game, random_moves=2 * seed, seed=seed)
    leaves, nodes = count(game, state, 4)
    found = estimate(game, depth=4, state=state, probes=300, seed=seed)
    assert found.leaves == pytest.approx(leaves, abs=4 * found.error + 1e-9)
    assert found.nodes == pytest.approx(nodes, rel=0.3)
    assert found.error < 0.2 * leaves


class Halves:
    """A player takes a coin twice in a turn, of kinds that differ in value: the order is equal."""

    title = "Halves"
    utility_bounds = (0, 9)
    start: tuple[int, ...] = ()

    def turn(self, state: tuple[int, ...]) -> str | None:
        return "max" if len(state) < 4 else None

    def moves(self, state: tuple[int, ...]) -> list[str]:
        return ["a", "b", "copper", "another copper"]

    def play(self, state: tuple[int, ...], move: str) -> tuple[int, ...]:
        coins = (*state, {"a": 1, "b": 2}.get(move, 0))
        half = len(coins) // 2 * 2
        return (*sorted(coins[:2]), *sorted(coins[2:])) if half == len(coins) else coins

    def value(self, state: tuple[int, ...]) -> int:
        return sum(state)

    def same_turn(self, state: tuple[int, ...]) -> bool:
        return len(state) % 2 == 1


def test_moves_of_one_turn_are_one_ply_and_equal_results_count_once() -> None:
    """Three kinds of coins make six pairs; the fourth move is the third one again."""
    assert estimate(Halves(), depth=1, probes=5) == (6, 0, 7)
    assert estimate(Halves(), depth=2, probes=5) == (36, 0, 43)
    assert estimate(Halves(), depth=9, probes=5) == (36, 0, 43)
