"""Studies of games that are searched from their rules: figures, keys, time without compiling."""

from __future__ import annotations

from typing import Any

import pytest

import expectitree as et
from expectitree.base import compiling
from expectitree.games.finding import find_game
from expectitree.games.positions import root
from expectitree.lab.study import run
from expectitree.lab.study.reader import load_study
from expectitree.searches import engines

DICE = {"game": "game:dice(n=3,k=3)", "depth": 4, "random-moves": 2, "search": "lazy"}


@pytest.mark.parametrize(
    "options", [{}, {"merge": False}, {"deepen": True}, {"merge": False, "deepen": True}]
)
@pytest.mark.parametrize("algorithm", ["star1", "star2", "best-first"])
def test_the_figures_are_those_of_searches(algorithm: str, options: dict[str, bool]) -> None:
    found = et.study({"trees": DICE | options, "algorithms": algorithm, "repetitions": 2})
    (row,) = found.rows
    game, searches = find_game("game:dice(n=3,k=3)"), []
    for _, keys in found.study.keys:
        for key in keys:
            state = root(game, 2, key.seed)
            searches.append(et.search(game, algorithm=algorithm, depth=4, state=state, **options))
    assert row.evaluations is not None
    assert row.rows is not None
    assert row.evaluations.value == sum(s.grown.evaluations for s in searches) / 2
    assert row.rows.value == sum(s.grown.rows for s in searches) / 2
    assert row.leaves.value == sum(s.counts.leaves_visited for s in searches) / 2
    assert (row.leaf_share, row.node_share) == (None, None)
    assert found.to_records()[0]["evaluations"] == row.evaluations.value


def test_lazy_and_whole_searches_are_rows_of_one_study() -> None:
    trees = [DICE | {"search": ["lazy", "whole"]}, DICE | {"search": "lazy", "deepen": "true"}]
    found = et.study({"trees": trees, "algorithms": ["star1", "star2"]})
    assert [row.leaf_share is None for row in found.rows] == [True] * 2 + [False] * 2 + [True] * 2
    text = et.to_text(found, width=140)
    assert "evaluations" in text
    assert "rows" in text
    assert et.to_json(found)


def test_merging_is_a_parameter_of_whole_trees_too() -> None:
    trees = {"game": "game:pig(target=10)", "depth": 5, "merge": [True, False]}
    merged, whole = et.study({"trees": trees, "algorithms": "star2"}).rows
    assert merged.leaves_total < whole.leaves_total


def test_a_time_limit_may_stand_alone() -> None:
    trees = {"game": "game:pig(target=10)", "search": "lazy", "seconds": [0.05, 0.1]}
    found = et.study({"trees": trees, "algorithms": ["star1", "star2"]})
    assert all(row.seconds < 1 for row in found.rows)
    records = found.to_records()
    assert [record["seconds_limit"] for record in records] == [0.05, 0.05, 0.1, 0.1]
    assert [record["seconds"] for record in records] == [row.seconds for row in found.rows]


def test_rollouts_estimate_in_a_study() -> None:
    found = et.study({"trees": DICE | {"estimate": "rollouts:2"}, "algorithms": "star2"})
    assert found.rows[0].evaluations


def test_results_are_read_again(tmp_path: Any) -> None:
    results = tmp_path / "results.jsonl"
    spec = {"trees": DICE, "algorithms": "star2"}
    found = et.study(spec, results=results)
    assert et.study(spec, results=results).to_records() == found.to_records()


def test_a_search_in_which_something_was_compiled_is_timed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versions, calls = iter((0, 1, 1, 2, 2, 2)), []
    monkeypatch.setattr(compiling, "versions", lambda: next(versions))
    engines.timed(lambda: calls.append(None))
    assert len(calls) == 3


@pytest.mark.extra
def test_small_trees_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(compiling, "run_compiled", refuse)
    study = load_study(
        {
            "trees": {"family": "ballard", "branching": 4},
            "algorithms": ["star1", "star2", "best-first"],
            "repetitions": 3000,
        }
    )
    tasks = run.find_tasks(study, run.Results())
    assert compiling.pays(tasks[0].work)
    assert run.perform(tasks[0])
