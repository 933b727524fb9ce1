"""Engines give identical results, and a search may be stopped."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import seed_ranges
from hypothesis import given
from hypothesis import strategies as st
from oracle import definitions
from random_trees import EVERY, PRUNED, REWARDS, Case, build, in_numbers, random_rows

import expectitree as et
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base import compiling
from expectitree.searches.engine import choose_bounds, search_tree, search_window
from expectitree.searches.problem import Problem
from expectitree.searches.result import Outcome

CASES = st.builds(Case, seed=st.integers(0, 2**32 - 1), pays=st.booleans(), rare=st.booleans())


@pytest.mark.extra
@given(case=CASES)
def test_the_compiled_engine_gives_identical_results(case: Case) -> None:
    tree = case.tree(exact=False)
    bounds = case.bounds and in_numbers(case.bounds, False)
    for chosen in EVERY:
        one, other = (
            search_tree(tree, chosen, bounds=bounds, engine=engine)
            for engine in ("interpreted", "compiled")
        )
        assert (one.engine, other.engine) == ("interpreted", "compiled")
        check_equal(one, other)


def check_equal(one: et.Search, other: et.Search) -> None:
    """Check that two engines found the same, to the last digit."""
    for name in ("lower", "upper", "visits", "cut", "cut_after"):
        assert list(getattr(one, name)) == list(getattr(other, name)), name
    for node, visits in enumerate(one.visits):
        if visits and one.tree.columns.kind[node]:
            assert (one.alpha[node], one.beta[node]) == (other.alpha[node], other.beta[node])
    assert one.counts == other.counts
    assert (one.cuts, one.stopped, one.outcome) == (other.cuts, other.stopped, other.outcome)
    assert list(one.unvisited.reason) == list(other.unvisited.reason)
    assert (one.ties, one.strategy) == (other.ties, other.strategy)


@pytest.mark.extra
@pytest.mark.parametrize("seeds", seed_ranges(40, 300, 2000))
def test_compiled_searches_are_those_of_the_recursion(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rewards, sharing, far and local bounds, windows, limits and pauses change nothing.

    The loop is interpreted here, which is quicker than compiled for small trees.
    """
    monkeypatch.setattr(compiling, "run_compiled", lambda loop, *given: loop(*given))
    for seed in seeds:
        random = Random(seed)
        rewards = random.choice(((0,), random.choice(REWARDS)))
        rows = random_rows(random, random.choice((0, 0.3)), rewards, rare=seed % 4 == 0)
        tree = build(rows, exact=False)
        least, greatest = tree.total_ends
        margin = (greatest - least) / 2 + seed % 3
        ends = least - margin, greatest + margin
        some: Any = ((-1e300, 1e300), ends, (least - 1e7, greatest + 1e15), "leaves", "none", None)
        monkeypatch.setattr(Problem, "pause", random.choice((1, 5, 1000)) if seed % 4 else 1000)
        for chosen in PRUNED:
            known = choose_bounds(tree, random.choice(some), chosen)
            window: Any = tuple(sorted(random.uniform(*ends) for _ in range(2)))
            for asked in (known[0], window):
                most = random.choice((None, random.randint(1, len(tree))))
                search = partial(search_window, tree, chosen, known, asked, max_visits=most)
                check_equal(search(engine="interpreted"), search(engine="compiled"))


@pytest.mark.slow
@given(case=CASES)
def test_compiled_scans_give_identical_results(case: Case) -> None:
    """Data derived from a tree or a search does not depend on the engine."""

    def derived_data(tree: et.Tree) -> list[object]:
        search = search_tree(tree, "star2", engine="interpreted")
        explanation, evaluation = Explanation(search), Evaluation("", search)
        columns = (
            tree.heights, *tree.first_paths, *tree.inherited_bounds((-1e9, 1e9)),
            explanation.reason,
            explanation.nodes, explanation.leaves, evaluation.shared_number,
        )  # fmt: skip
        return [
            *map(list, columns), tree.leaves, tree.utility_range, tree.widest, tree.unfolded,
            explanation.passed_over,
            search.counts, search.strategy, et.to_text(search, rows=5), et.to_json(search),
        ]  # fmt: skip

    with pytest.MonkeyPatch.context() as patch:
        # A copy of a tree shares its columns but no cached results.
        patch.setattr(compiling, "pays", lambda rows: False)
        one = derived_data(replace(case.tree(exact=False)))
        patch.setattr(compiling, "pays", lambda rows: rows > 0)
        other = derived_data(replace(case.tree(exact=False)))
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
@given(case=CASES, most=st.integers(1, 40))
def test_a_stopped_search_has_sound_intervals(exact: bool, case: Case, most: int) -> None:
    """Intervals contain v*, and the visits stay within the limit."""
    tree = case.tree(exact)
    values = definitions(tree)
    bounds = case.bounds and in_numbers(case.bounds, exact)
    for chosen in PRUNED:
        whole = search_tree(tree, chosen, bounds=bounds)
        search = search_tree(tree, chosen, bounds=bounds, max_visits=most)
        assert search.stopped == (whole.counts.visits > most)
        assert search.counts.visits == min(whole.counts.visits, most)
        slack = 4 * search.eps + (0 if exact else 1e-12)
        for n, value in enumerate(values):
            assert search.lower[n] - slack <= value <= search.upper[n] + slack
        if search.outcome is Outcome.VALUE:
            assert abs(search.value - whole.value) <= slack
        else:
            with pytest.raises(et.SearchError, match="the search was stopped: the value lies in"):
                _ = search.value
            assert "stopped" in et.to_text(search)
        et.to_json(search)


def test_a_stopped_search_shows_its_interval() -> None:
    tree = et.loads("max: {a: {chance: [4, {min: [6, 1]}]}, b: 3}")
    search = et.evaluate(tree, "star1", bounds=(0, 10), max_visits=3)
    assert search.interval("/") == (2, 10)
    assert repr(search) == "<Search star1: in [2, 10], 3 of 7 nodes, 1 of 4 leaves>"
    assert search.best is None
    text = et.to_text(search)
    assert "value     in [2, 10]\nstopped   after 3 visits (--max-visits)" in text
    assert "3  not reached" in text.replace("(3)", "3")


def test_an_unsuitable_engine_is_rejected_with_advice() -> None:
    fractions = et.loads("max: [1, 2]")
    for tree in (fractions, fractions.floats):
        for engine in ("quick", "exact"):
            message = f"unknown engine '{engine}': choose among auto, interpreted, compiled$"
            with pytest.raises(et.SearchError, match=message):
                search_tree(tree, engine=engine)
        with pytest.raises(et.SearchError, match="at least 1 visit"):
            search_tree(tree, "star1", max_visits=0)


@pytest.mark.extra
def test_an_engine_decides_in_what_numbers_a_tree_is_searched() -> None:
    fractions = et.loads("max: {a: {chance: [0.1, 0.2, -0.3]}, b: -1}")
    for name in et.ALGORITHMS:
        found = search_tree(fractions, name)
        assert (found.engine, found.value, found.eps, found.tree) == ("exact", 0, 0, fractions)
        for engine in ("interpreted", "compiled"):
            found = search_tree(fractions, name, engine=engine)
            assert (found.engine, found.tree.exact) == (engine, False)
            assert 0 < abs(found.value) <= found.eps <= 1e-14
        assert search_tree(fractions.floats, name).engine == "interpreted"


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "available", lambda: False)


@pytest.mark.usefixtures("no_numba")
def test_without_numba_every_tree_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "MANY_ROWS", 3)
    tree = et.loads("max: [{chance: [1, 5]}, 2]").floats
    assert et.evaluate(tree).engine == "interpreted"
    with pytest.raises(
        et.SearchError, match=r"the engine compiled needs numba: pip install '.\[fast\]'"
    ):
        et.evaluate(tree, engine="compiled")
    assert (
        compiling.advice(5)
        == "numba makes large trees some hundred times faster: pip install '.[fast]' in a clone of "
        "the repository"
    )
    assert compiling.advice(2) is None
    for folder, command in (
        ("pipx/venvs/expectitree", "pipx install --force '.[fast]'"),
        ("share/uv/tools/expectitree", "uv tool install '.[fast]'"),
        ("home/uv/tools/venv", "pip install '.[fast]'"),
    ):
        monkeypatch.setattr("sys.prefix", f"/home/ann/{folder}")
        assert f": {command} in a clone" in str(compiling.advice(5))


@pytest.mark.extra
def test_auto_compiles_only_large_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "pays", lambda rows: rows >= 30)
    tree = et.loads("max: [{chance: [1, 5]}, 2]").floats
    assert et.evaluate(tree).engine == "interpreted"  # a row a node
    assert et.evaluate(tree, "star1").engine == "compiled"  # a visit costs six


def in_a_process(code: str, **environment: str) -> str:
    import os

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMPILE = (
    "import expectitree as et\n"
    "print(et.evaluate(et.loads('max: [{chance: [1, 5]}, 2]'), 'star1', engine='compiled').value)\n"
)
COMPILE_LITTLE = COMPILE.replace("star1", "expectiminimax")  # in two seconds instead of ten


@pytest.mark.slow
def test_machine_code_is_cached(tmp_path: Path) -> None:
    assert in_a_process(COMPILE, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\n"
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert any("search_columns" in path.name for path in kept)
    assert in_a_process(COMPILE, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\n"
    assert kept == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}


SCAN = """
def factor():
    return 2
def scan(column):
    return column[0] * factor() * SCALE
"""


def test_machine_code_depends_on_called_functions_and_constants() -> None:
    """Numba checks only the file of the loop, so a digest is part of the name."""

    def digest(text: str, scale: int) -> str:
        module: dict[str, Any] = {"__name__": "expectitree.made", "SCALE": scale}
        exec(text, module)
        return compiling._digest(module["scan"])

    assert digest(SCAN, 3) == digest(SCAN, 3)
    assert digest(SCAN, 3) != digest(SCAN, 4)
    assert digest(SCAN, 3) != digest(SCAN.replace("return 2", "return 1"), 3)


@pytest.mark.slow
def test_compiling_works_without_a_cache_folder() -> None:
    """The package's folder and the user's cache are read-only, so numba raises an error."""
    code = "from numba.core import caching\ncaching.CacheImpl._locator_classes = []\n"
    assert in_a_process(code + COMPILE_LITTLE) == "3.0\n"
    program = "from expectitree.base import compiling\ncompiling.serve_program(print)\n"
    compiles, not_kept, value = in_a_process(code + program + COMPILE).splitlines()
    assert (compiles, not_kept, value) == (compiling._COMPILING, compiling._NOT_KEPT, "3.0")


@pytest.mark.slow
def test_numba_starts_without_scipy_in_a_program_alone(tmp_path: Path) -> None:
    code = f"{COMPILE_LITTLE}import sys\nprint('scipy' in sys.modules)\n"
    program = "from expectitree.base import compiling\ncompiling.serve_program(str)\n"
    assert in_a_process(code, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\nTrue\n"
    assert in_a_process(program + code, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\nFalse\n"
    importing = f"{program}{COMPILE_LITTLE}import scipy\nprint(scipy.__name__)\n"
    assert in_a_process(importing, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\nscipy\n"


@pytest.mark.slow
def test_a_full_disk_does_not_stop_compiling(tmp_path: Path) -> None:
    code = (
        "from numba.core import caching\n"
        "def full(*arguments): raise OSError(28, 'No space left on device')\n"
        "caching.IndexDataCacheFile.save = full\n" + COMPILE_LITTLE
    )
    assert in_a_process(code, NUMBA_CACHE_DIR=str(tmp_path)) == "3.0\n"


def test_a_tree_in_fractions_accepts_bounds_in_floats() -> None:
    tree = et.loads("max: [{chance: [{p: 1/3, utility: 0.1}, {p: 2/3, min: [12.4, 20]}]}, 8.2]")
    # More digits than text may have.
    for bounds in ((-2e300, float("inf")), (-(10**500), Fraction(10**500, 3))):
        for name in ("star1", "star2"):
            search = search_tree(tree, name, bounds=bounds)
            assert (search.value, search.upper[-1]) == (Fraction(83, 10), Fraction(83, 10))


def test_seconds_are_those_of_a_search_of_a_tree() -> None:
    tree = et.loads("max: [1, {chance: [2, 4]}]")
    for name in et.ALGORITHMS:
        assert 0 < et.evaluate(tree, name).seconds < 60
    assert et.search("game:pig(target=10)", depth=3).seconds == 0
