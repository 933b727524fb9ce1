"""Searches in several jobs: sound intervals, and the value and the best action of one job."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from threading import Lock
from time import sleep
from typing import Any

import pytest
from helpers import invoke
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import definitions
from random_trees import PRUNED, VARIANTS, Case, in_numbers
from searches.test_contract import check_entered_nodes, check_intervals
from searches.test_streaming import in_another_order

import expectitree as et
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.transform import in_floats
from expectitree.searches import jobs
from expectitree.searches.engine import search_tree
from expectitree.searches.setup import Engine

CASES = st.builds(Case, seed=st.integers(0, 2**32 - 1), pays=st.booleans())
PATTERNS = ("max,chance", "max,chance,min,chance", "chance,min", "max,min")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Split small trees too, run interpreted loops in threads, and check that no jobs overlap."""
    monkeypatch.setattr(jobs, "PARALLEL", tuple(Engine))
    monkeypatch.setattr(jobs, "MIN_ROWS", 2)
    running, lock = set[int](), Lock()
    whole = jobs._YoungBrothersWait.search

    def search(self: Any, node: int, window: Any) -> Any:
        with lock:
            for other in running:
                low, high = sorted((node, other))
                assert self.start[high] > low
            running.add(node)
        try:
            return whole(self, node, window)
        finally:
            with lock:
                running.remove(node)

    monkeypatch.setattr(jobs._YoungBrothersWait, "search", search)
    yield
    for _ in range(1000):  # after an error, jobs end after their searches
        if running:
            sleep(0.01)
    assert not running


def random_tree(seed: int, exact: bool = True) -> et.Tree:
    low = 1 + seed % 3
    tree = et.generate(
        "uniform", plies=5, branching=(low, low + 2), seed=seed, skew=seed % 2,
        pattern=PATTERNS[seed % len(PATTERNS)], end=(0, 0.1)[seed % 2],
    )  # fmt: skip
    return et.loads(et.dumps(tree, "json")) if exact else in_floats(tree)


def check_answers(found: et.Search, one: et.Search) -> None:
    """Check the value and the best action; more actions may be proved as good."""
    assert abs(found.value - one.value) <= found.eps
    assert found.best == one.best
    assert set(found.ties) >= set(one.ties)


@pytest.mark.usefixtures("small")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("exact", [True, False])
@given(case=CASES, count=st.integers(2, 4))
def test_intervals_are_sound_and_answers_those_of_one_job(
    exact: bool, case: Case, count: int
) -> None:
    tree = case.tree(exact)
    values = definitions(tree)
    for chosen in (one for one in PRUNED if one not in VARIANTS[1:]):
        bounds = case.bounds and in_numbers(case.bounds, exact)
        found = search_tree(tree, chosen, bounds=bounds, jobs=count)
        assert (found.jobs, bool(found.why_one_job)) in ((count, False), (1, True))
        check_answers(found, search_tree(tree, chosen, bounds=bounds))
        check_intervals(found, values)
        check_entered_nodes(found)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "seed", [3, 7, *(pytest.param(s, marks=pytest.mark.slow) for s in (0, 1, 2, 4, 5, 6))]
)
def test_larger_trees(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MIN_ROWS", (1, 2, 8)[seed % 3])
    tree = random_tree(seed, exact=seed > 3)
    values = search_tree(tree).lower
    for chosen in PRUNED:
        for bounds in (None, (-INFINITY, INFINITY)):
            found = search_tree(tree, chosen, bounds=bounds, jobs=2 + seed % 3)
            assert found.jobs == 2 + seed % 3
            check_answers(found, search_tree(tree, chosen, bounds=bounds))
            check_intervals(found, list(values))
            check_entered_nodes(found)
            for n in range(tree.root_id):
                above, _ = found.asking(n)
                assert found.visits[above] or not found.visits[n]
            et.to_text(found)


@pytest.mark.extra
@pytest.mark.parametrize("seed", range(4))
def test_compiled_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MIN_ROWS", 64)
    tree = et.generate("uniform", plies=6, branching=(1 + seed, 5), real=True, skew=1, seed=seed)
    whole = search_tree(tree, engine="compiled")
    for chosen in PRUNED:
        one = search_tree(tree, chosen, engine="compiled")
        found = search_tree(tree, chosen, engine="compiled", jobs=3)
        assert (found.jobs, found.engine) == (3, "compiled")
        check_answers(found, one)
        check_intervals(found, list(whole.lower))
        assert found.counts.visits < 1.5 * one.counts.visits


@pytest.mark.usefixtures("small")
def test_why_there_is_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def reason(tree: et.Tree, name: str) -> str:
        found = search_tree(tree, name, jobs=2)
        assert found.jobs == 1
        assert found.value == search_tree(tree, name).value
        return found.why_one_job

    tree = random_tree(1, exact=False)
    ordered = "its rows are in another order than those that `expectitree convert` writes"
    assert reason(in_another_order(tree, Random(1)), "star1") == ordered
    shared = et.loads("max: [{min: [&a {chance: [1, 2]}, 3]}, {min: [*a, 4]}]")
    assert reason(shared, "star2") == "nodes are shared"
    assert "less time than its preparation" in reason(tree, "expectiminimax")
    known = et.loads('max: [{chance: [7, 8]}, {min: [1, {utility: "?"}]}]')
    assert search_tree(known, "star1", jobs=2).why_one_job == "utilities are not known"
    assert reason(et.loads("max: [1, 2]"), "star1") == "the tree has no large subtree"
    monkeypatch.setattr(jobs, "PARALLEL", ())
    assert reason(tree, "star1") == "the search is not compiled"
    assert "algorithm star1, 1 job: the search is not compiled" in et.to_text(
        search_tree(tree, "star1", jobs=2)
    )


def test_some_searches_are_one_job() -> None:
    tree = et.loads("max: [1, 2]")
    with pytest.raises(et.SearchError, match="found 2 jobs, expected 1, since best-first l"):
        et.evaluate(tree, "best-first", jobs=2)
    with pytest.raises(et.SearchError, match="expected 1, since one job counts"):
        et.evaluate(tree, "star1", jobs=2, max_visits=5)
    with pytest.raises(et.SearchError, match="found 0 jobs"):
        et.evaluate(tree, jobs=0)
    assert (
        "a game's rules run in one job"
        in invoke("eval", "game:pig", "--depth", "3", "-a", "star2", "--jobs", "2").stderr
    )
    for words in (("-a", "star1"), ("--all",), ("--jobs", "2")):
        done = invoke("eval", "x.arrow", "--scheduler", "x:1", *words)
        assert "--scheduler evaluates .arrow and .parquet files with expectiminimax" in done.stderr
    done = invoke("eval", "game:pig", "--scheduler", "x:1")
    assert "cannot evaluate game:pig part by part" in done.stderr


@pytest.mark.usefixtures("small")
def test_an_error_ends_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "report", interrupt)
    with pytest.raises(KeyboardInterrupt):
        search_tree(random_tree(2), "star1", jobs=2)


@pytest.mark.usefixtures("small")
def test_the_report_names_the_jobs() -> None:
    found = search_tree(random_tree(2), "star2", jobs=2)
    assert "algorithm star2, 2 jobs" in et.to_text(found)
    assert '"jobs": 2' in et.to_json(found)
