"""Searches in several jobs: sound intervals, and the value and the best action of one job."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import definitions
from random_trees import EVERY, PRUNED, Case, in_numbers
from searches.test_contract import check_contract, check_entered_nodes, check_intervals

import expectitree as et
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.transform import in_floats
from expectitree.searches import jobs
from expectitree.searches.engine import search_tree
from expectitree.searches.setup import Engine

IN_ORDER = [chosen for chosen in EVERY if chosen.in_order]
CASES = st.builds(Case, seed=st.integers(0, 2**32 - 1), pays=st.booleans())
PATTERNS = ("max,chance", "max,chance,min,chance", "chance,min", "max,min")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Split small trees too, and run interpreted loops in threads."""
    monkeypatch.setattr(jobs, "PARALLEL", tuple(Engine))
    monkeypatch.setattr(jobs, "MIN_ROWS", 2)
    monkeypatch.setattr(jobs, "PARTS", 4)
    running, lock = set[int](), Lock()
    whole = jobs._YoungBrothersWait.search

    def search(self: Any, node: int, window: Any) -> Any:
        """Check that no two jobs share a node."""
        with lock:
            for other in running:
                low, high = sorted((node, other))
                assert not self.start[high] <= low, (node, other)
            running.add(node)
        try:
            return whole(self, node, window)
        finally:
            with lock:
                running.remove(node)

    monkeypatch.setattr(jobs._YoungBrothersWait, "search", search)
    yield
    assert not running


def random_tree(seed: int, plies: int = 5) -> et.Tree:
    low = 1 + seed % 3
    return et.generate(
        "uniform", plies=plies, branching=(low, low + 2), seed=seed, skew=seed % 2,
        pattern=PATTERNS[seed % len(PATTERNS)], end=(0, 0.1)[seed % 2],
    )  # fmt: skip


def same_answers(found: et.Search, one: et.Search) -> None:
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
    for chosen in IN_ORDER:
        bounds = case.bounds and in_numbers(case.bounds, exact)
        found = search_tree(tree, chosen, bounds=bounds, jobs=count)
        assert (found.jobs == count) is not bool(found.why_one_job)
        one = search_tree(tree, chosen, bounds=bounds)
        assert found.is_exact(tree.root_id)
        same_answers(found, one)
        check_intervals(found, values)
        if chosen in PRUNED:
            check_entered_nodes(found)
            check_contract(found, tree.root_id, *found.root_bounds)
        else:
            assert list(found.lower) == list(one.lower)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_larger_trees(seed: int, exact: bool) -> None:
    tree = random_tree(seed)
    tree = et.loads(et.dumps(tree, "json")) if exact else in_floats(tree)
    values = search_tree(tree).lower
    for chosen in IN_ORDER:
        for bounds in (None, (-INFINITY, INFINITY)):
            found = search_tree(tree, chosen, bounds=bounds, jobs=2 + seed % 3)
            assert found.jobs == 2 + seed % 3
            same_answers(found, search_tree(tree, chosen, bounds=bounds))
            check_intervals(found, list(values))
            if chosen in PRUNED:
                check_entered_nodes(found)
