"""Searches that pause and go on, report how far they are, and end at Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from helpers import COMPILED

import expectitree as et
from expectitree.base.tree.transform import in_fractions
from expectitree.searches.engine import search_tree
from expectitree.searches.problem import Problem
from expectitree.searches.progress import listening

SEARCHES = (
    et.algorithm("alphabeta"),
    et.algorithm("star1"),
    et.algorithm("star2"),
    et.algorithm("star2.5", probes=3, probe_order="sequential"),
    et.algorithm("best-first"),
)
TREES = {
    "additive": et.generate("ballard", pattern="max,chance,min", branching=3),
    "chances": et.generate("uniform", pattern="chance,max,chance,chance,min", branching="1-3"),
    "shared": et.load("example:shared"),
}


def columns_of(search: et.Search) -> dict[str, list[Any]]:
    names = ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after")
    return {name: list(getattr(search, name)) for name in names}


@pytest.mark.parametrize("engine", ["interpreted", COMPILED, "exact"])
@pytest.mark.parametrize("chosen", SEARCHES, ids=lambda chosen: chosen.full_name)
@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_search_that_pauses_at_every_visit_is_the_same(
    tree: et.Tree, chosen: et.Algorithm, engine: str
) -> None:
    if engine == "exact":
        tree, engine = in_fractions(tree), "auto"
    for most in (None, 7):
        whole = search_tree(tree, chosen, engine=engine, max_visits=most)
        with mock.patch.object(Problem, "pause", 1):
            paused = search_tree(tree, chosen, engine=engine, max_visits=most)
        assert columns_of(paused) == columns_of(whole)
        assert (paused.cuts, paused.stopped) == (whole.cuts, most is not None)


@pytest.mark.parametrize("chosen", SEARCHES, ids=lambda chosen: chosen.full_name)
def test_searches_report_how_far_they_are(chosen: et.Algorithm) -> None:
    tree = et.generate("ballard", branching=4)
    reports: list[tuple[int, int | None]] = []
    with mock.patch.object(Problem, "pause", 10):
        with listening(lambda done, whole: reports.append((done, whole))):
            et.evaluate(tree, chosen)
            et.evaluate(tree, chosen, max_visits=40)
        count = len(reports)
        et.evaluate(tree, chosen)
    assert len(reports) == count
    assert {whole for _, whole in reports} == {40, len(tree) if chosen.in_order else tree.leaves}
    first = [done for done, whole in reports if whole != 40]
    assert len(first) > 1
    assert first == sorted(first)


@pytest.mark.slow
def test_an_interrupt_ends_a_compiled_loop(tmp_path: Path) -> None:
    """The loop below runs for hours; a process whose main thread ran it would not end."""
    (tmp_path / "endless.py").write_text(
        textwrap.dedent(
            """
            def endless(column):
                total = 0.0
                for i in range(10**15):
                    total += column[i % 2] * i
                return total
            """
        )
    )
    program = textwrap.dedent(
        """
        import sys
        from array import array
        from unittest import mock
        from endless import endless
        from expectitree import __main__, cli
        from expectitree.base import compiling
        with mock.patch.object(cli.cli, "invoke", lambda context: (
            print("started", flush=True),
            compiling.run_compiled(endless, array("d", [1, 2])),
        )):
            sys.argv = ["expectitree", "schema"]
            __main__.main()
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(4.0)  # by now it is compiled and runs
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "expectitree: interrupted\n")
