"""Studies of games: positions from a seed, written out or searched from the rules."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lab.study.studies import (
    PATIENCE,
    records,
    run_remaining,
    run_study,
    spec_in,
    started,
    study_of,
    summary_of,
)

import expectitree as et
from expectitree.base.errors import AnalysisError, GameError
from expectitree.base.tree.transform import in_floats
from expectitree.games.built_in.dice import Dice
from expectitree.games.built_in.einstein import Einstein
from expectitree.games.built_in.pig import Pig
from expectitree.games.finding import find_game
from expectitree.games.positions import Size, estimate_size, position, position_of
from expectitree.games.rules import Options, Rules
from expectitree.lab.study.spec import Study
from expectitree.searches.engine import search_tree

GAMES = """
trees:
  - {game: "game:einstein", depth: [2, 3], random-moves: 7, order: [given, inner, best]}
  - {game: "rules.py:Coins(n=3)", depth: 4}
  - {game: "game:pig(target=20)", depth: 3, random-moves: 5, estimate: "rules.py:none"}
algorithms: [star1, star2, best-first, limit]
repetitions: 2
seed: 5
"""
TREES = 2 * 6 + 1 + 2
LAZY = """
trees:
  - {game: "game:einstein", depth: [1, 3], random-moves: 7, lazy: true, deepen: [false, true]}
algorithms: [star2, best-first]
repetitions: 2
seed: 5
"""
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


@pytest.fixture(scope="module")
def lazy(folder: Path) -> tuple[Study, Path]:
    study = study_of(folder, LAZY, "lazy.yaml")
    run_remaining(study, folder / "lazy")
    return study, folder / "lazy"


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
        state = position_of(tree, record["seed"], str(folder)).state
        name = tree["game"].replace("rules.py", str(folder / "rules.py"))
        whole = et.write_out(name, depth=int(tree["depth"]), state=state, estimate=estimate)
        whole = in_floats(et.prepare(whole, order=tree.get("order", "given")))
        assert (record["nodes"], record["leaves"]) == (len(whole), whole.leaves)
        assert set(record["runs"]) == {"star1", "star2", "best-first", "limit"}
        for algorithm, run in record["runs"].items():
            if algorithm == "limit":
                assert run["leaves"] == et.limit(whole).exact.least
                continue
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
        state = position_of({"game": "game:pig", "depth": "1", "random-moves": "3"}, seed, "").state
        assert game.turn(state) in ("max", "min")
    assert (
        position_of({"game": "game:2048", "depth": "1"}, 0, "").state
        == find_game("game:2048").start
    )


def test_lazy_figures_equal_those_of_direct_searches(lazy: tuple[Study, Path]) -> None:
    game = find_game("game:einstein")
    for record in records(lazy[1]):
        tree = record["tree"]
        depth, deepen = int(tree["depth"]), tree["deepen"] == "true"
        state = position_of(tree, record["seed"], "").state
        rules = Rules(game, Options(exact=False))
        size = estimate_size(rules, state, depth, record["seed"])
        totals = (round(size.nodes), round(size.leaves), size.error)
        assert (record["nodes"], record["leaves"], record["leaves_error"]) == totals
        for name, run in record["runs"].items():
            search = et.search(game, depth=depth, algorithm=name, state=state, deepen=deepen)
            grown = search.grown
            assert grown is not None
            figures = (grown.evaluations, grown.rows, grown.merged)
            assert (run["leaves"], run["nodes"], run["merged"]) == figures
            assert (run["value"], run["cuts"]) == (float(search.value), search.counts.cuts)


def test_lazy_results_can_be_read_again(lazy: tuple[Study, Path], tmp_path: Path) -> None:
    """An estimate of all leaves may be less than the leaves that were evaluated."""
    first, *rest = lazy[1].read_bytes().splitlines(keepends=True)
    record = json.loads(first)
    record["leaves"] = record["nodes"] = 1
    path = tmp_path / "results"
    path.write_bytes(json.dumps(record).encode() + b"\n" + b"".join(rest))
    summary = summary_of(lazy[0], path)
    assert (summary.done, summary.total) == (8, 8)


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
    from expectitree.games import positions as module

    real = module.search_rules

    def wrong(rules: Any, algorithm: Any, *arguments: Any) -> Any:
        if algorithm.name == "star2":
            rules = Rules(rules.game, Options(exact=False, estimate=lambda _: 0.123))
        return real(rules, algorithm, *arguments)

    monkeypatch.setattr(module, "search_rules", wrong)
    with pytest.raises(AnalysisError, match=r"best-first finds .* where another search"):
        run_remaining(study_of(tmp_path, LAZY), tmp_path / "results")


def test_a_search_that_needs_too_many_rows_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its evaluations would count as if it had found the value."""
    from expectitree.games import positions as module

    monkeypatch.setattr(module, "Options", partial(Options, max_rows=20))
    with pytest.raises(AnalysisError, match=r"star2 was stopped in the tree .*more than 20 rows"):
        run_remaining(study_of(tmp_path, LAZY), tmp_path / "results")


def test_the_wide_table_names_what_differs(games: tuple[Study, Path], folder: Path) -> None:
    path = spec_in(folder, f"{GAMES}table: wide\n", "wide.yaml")
    text = run_study(path, "--report", "--results", games[1], "--format", "markdown")
    names = [line.split(" | ")[0].strip("| ") for line in text.splitlines() if "| game:" in line]
    orders = ("given", "inner", "best")
    expected = [f"game:einstein, depth {depth}, order {o}" for depth in (2, 3) for o in orders]
    assert names == [*expected, "game:pig(target=20), depth 3"]


def test_the_table_of_lazy_searches(lazy: tuple[Study, Path]) -> None:
    summary = summary_of(*lazy)
    lines = et.to_text(summary, width=120).splitlines()
    headings = ("depth", "deepen", "algorithm", "trees", "evaluations", "all leaves", "share")
    assert lines[2].split() == " ".join((*headings, "rows", "time")).split()
    row = next(row for row in summary.rows if row.tree["depth"] == "3")
    assert row.leaves_error is not None
    cells = f"{row.leaves.value:,.0f}", f"{row.leaves_total:,.0f} ±{row.leaves_error:,.0f}"
    assert any(" ".join(cells) in " ".join(line.split()) for line in lines)
    record = row.figures
    assert (record["nodes"], record["leaves_total_error"]) == (row.nodes.value, row.leaves_error)
    assert any(line.startswith("All leaves: those of the trees without merging") for line in lines)


# ---- The size of a tree, by Knuth.


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
