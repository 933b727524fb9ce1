"""Studies of games: trees below positions from a seed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lab.study.studies import (
    PATIENCE,
    records,
    run_remaining,
    spec_in,
    started,
    study_of,
)

import expectitree as et
from expectitree.base.errors import AnalysisError, GameError
from expectitree.games.finding import find_game
from expectitree.games.positions import root
from expectitree.lab.study.spec import Study
from expectitree.searches.engine import search_tree

GAMES = """
trees:
  - {game: "game:einstein", depth: [2, 3], random-moves: 7, order: [given, inner, best]}
  - {game: "rules.py:Coins(n=3)", depth: 4}
  - {game: "game:pig(target=20)", depth: 3, random-moves: 5, estimate: "rules.py:none"}
algorithms: [star1, star2, best-first]
repetitions: 2
seed: 5
"""
TREES = 2 * 6 + 1 + 2
RULES = """
class Coins:
    title = "Coins"
    start = ()
    def __init__(self, n=2):
        self.n = n
        self.utility_bounds = (0, n)
    def turn(self, state):
        return None if len(state) == self.n else ("chance" if len(state) % 2 else "max")
    def moves(self, state):
        return [(0, 0.5), (1, 0.5)] if len(state) % 2 else [1, 0]
    def play(self, state, move):
        return (*state, move)
    def value(self, state):
        return sum(state)

def none(state):
    return 0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("games")
    (found / "rules.py").write_text(RULES, "utf-8")
    return found


@pytest.fixture(scope="module")
def games(folder: Path) -> tuple[Study, Path]:
    study = study_of(folder, GAMES)
    run_remaining(study, folder / "results")
    return study, folder / "results"


def without_seconds(path: Path) -> list[Any]:
    found = records(path)
    for record in found:
        for run in record["runs"].values():
            del run["seconds"]
    return sorted(found, key=json.dumps)


def test_figures_equal_those_of_direct_calls(games: tuple[Study, Path], folder: Path) -> None:
    found = records(games[1])
    assert len(found) == TREES
    for record in found:
        tree, estimate = record["tree"], (lambda _: 0) if "estimate" in record["tree"] else None
        name = tree["game"].replace("rules.py", str(folder / "rules.py"))
        state = root(find_game(name), int(tree.get("random-moves", "0")), record["seed"])
        whole = et.write_out(name, depth=int(tree["depth"]), state=state, estimate=estimate)
        whole = et.prepare(whole, order=tree.get("order", "given")).floats
        assert (record["nodes"], record["leaves"]) == (len(whole), whole.leaves)
        assert set(record["runs"]) == {"star1", "star2", "best-first"}
        for algorithm, run in record["runs"].items():
            search = search_tree(whole, algorithm)
            counts = (search.counts.leaves_visited, search.counts.visited, search.counts.visits)
            assert (run["leaves"], run["nodes"], run["visits"]) == counts
            assert run["value"] == search.value


def test_trees_that_differ_in_depth_or_order_have_the_same_roots(games: tuple[Study, Path]) -> None:
    seeds: dict[tuple[str, int], set[int]] = {}
    for record in records(games[1]):
        key = record["tree"]["game"], record["repetition"]
        seeds.setdefault(key, set()).add(record["seed"])
    assert {len(own) for own in seeds.values()} == {1}
    assert len({next(iter(own)) for own in seeds.values()}) == len(seeds) == 5


def test_a_root_begins_a_players_turn() -> None:
    """The start of a game stays as it is."""
    game = find_game("game:pig")
    for seed in range(30):
        assert game.turn(root(game, 3, seed)) in ("max", "min")
    assert root(game, 0, 0) == game.start


@pytest.mark.slow
def test_several_processes_find_the_same(games: tuple[Study, Path], folder: Path) -> None:
    """The path of a game's file is relative to the study, not to the current folder."""
    words = (spec_in(folder, GAMES), "--jobs", "2", "--results", folder / "parallel")
    with started(*words) as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert f"{TREES} of {TREES} trees done" in output
    assert without_seconds(folder / "parallel") == without_seconds(games[1])


def test_random_moves_that_end_the_game_are_an_error(tmp_path: Path) -> None:
    text = 'trees: {game: "game:pig(target=2)", depth: 2, random-moves: 99}\nalgorithms: star1\n'
    with pytest.raises(GameError, match=r"99 random moves ended the game.*choose fewer moves"):
        et.study(spec_in(tmp_path, text))


def test_a_game_without_turns_of_players_is_an_error(tmp_path: Path) -> None:
    rules = RULES.replace('"max"', '"chance"').replace("[1, 0]", "[(1, 1)]")
    (tmp_path / "rules.py").write_text(rules, "utf-8")
    text = 'trees: {game: "rules.py:Coins(n=999)", depth: 2, random-moves: 3}\nalgorithms: star1\n'
    with pytest.raises(GameError, match="no player's turn begins within 100 moves after 3 random"):
        et.study(spec_in(tmp_path, text))


def test_searches_that_disagree_are_reported(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(tree: et.Tree, algorithm: Any, **_: Any) -> et.Search:
        found = search_tree(tree, algorithm)
        if algorithm.name == "star2":
            return replace(found, lower=[x + 1 for x in found.lower])
        return found

    monkeypatch.setattr("expectitree.lab.study.run.search_tree", wrong)
    with pytest.raises(AnalysisError, match=r"star2 finds .* where another search"):
        run_remaining(study_of(folder, GAMES), tmp_path / "results")
