"""Exercises: what is hidden is in no picture, of any format; unknown utilities can be drawn."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, for_each, invoke, load
from random_trees import Case

import expectitree as et
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.tree.columns import Repeated
from expectitree.picture.content import PLAIN, Style, content
from expectitree.picture.drawing import drawn
from expectitree.picture.hidden import BLANK, evaluate_known
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search

TEXTS = ("svg", "dot", "mmd")
LEFT = "trees/aima-5.12-left.yaml"
UNKNOWN = '{bounds: [0, 9], max: {sure: {min: [4, 5]}, bet: {chance: [{utility: "?"}, 2]}}}'


def text_of(kind: str, search: Search, **style: Any) -> str:
    evaluation = Evaluation("", search, windows=True)
    return str(drawn(kind, evaluation, Style(**style)))


# ---- What is hidden is nowhere.


@pytest.mark.parametrize("pays", [False, True], ids=["free", "pays"])
@for_each("seed", range(15), range(15, 30))
def test_a_blank_picture_does_not_depend_on_the_search(seed: int, pays: bool) -> None:
    tree = Case(seed, pays).tree()
    search = et.evaluate(tree, "star1")
    other = et.evaluate(tree, "star2")
    count = len(tree)
    columns = ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after", "cuts")
    others = {name: getattr(other, name) for name in columns}
    nothing = {**others, "visits": Repeated(0, count), "upper": Repeated(9.0, count)}
    for kind in TEXTS:
        blank = text_of(kind, search, blank=True, rows=20)
        assert blank == text_of(kind, replace(search, **others), blank=True, rows=20)
        assert blank == text_of(kind, replace(search, **nothing), blank=True, rows=20)


def test_notes_and_reasons_are_left_out() -> None:
    tree = et.loads("max: {a: {utility: 3, note: secret}, b: {note: secret, min: [1, 2]}}")
    search = et.evaluate(tree, "alphabeta")
    for kind in TEXTS:
        blank = text_of(kind, search, blank=True, reasons=True)
        assert "secret" not in blank
        assert " cut after" not in blank


def test_values_windows_and_counts_are_lines_to_write_on() -> None:
    evaluation = Evaluation("", et.evaluate(et.load(LEFT), "star1"), windows=True)
    found = content(evaluation, Style(blank=True))
    inner = [glyph for glyph in found.glyphs if glyph.kind != "TERMINAL"]
    assert {glyph.value for glyph in inner} == {BLANK}
    assert {glyph.remarks for glyph in inner} == {(f"α {BLANK}, β {BLANK}",)}
    assert {edge.rank for edge in found.edges} == {PLAIN}
    assert not any(edge.is_cut for edge in found.edges)
    assert not any(glyph.is_grey for glyph in found.glyphs)
    assert found.summary == (
        f"Value {BLANK}, best action {BLANK}",
        f"star1 with bounds [1, 4] visited {BLANK} of 8 leaves, {BLANK} cuts",
    )


# ---- Unknown utilities.


def test_values_that_cannot_be_computed_are_left_out() -> None:
    found = content(Evaluation("", evaluate_known(et.loads(UNKNOWN))), Style())
    values = {glyph.tooltip: glyph.value for glyph in found.glyphs}
    assert values == {
        "MAX /": "", "MIN sure: 4": "4", "CHANCE bet": "",
        "TERMINAL sure/#1: 4": "4", "TERMINAL sure/#2: 5": "5",
        "TERMINAL bet/#1: ?": "?", "TERMINAL bet/#2: 2": "2",
    }  # fmt: skip
    assert found.summary == ("1 utility not known yet",)
    assert not any(glyph.is_grey for glyph in found.glyphs)


@pytest.mark.parametrize("exact", [False, True])
def test_without_unknown_utilities_nothing_is_different(exact: bool) -> None:
    tree = load(LEFT, exact=exact)
    assert text_of("svg", evaluate_known(tree)) == text_of("svg", search_tree(tree))


@pytest.mark.parametrize("kind", TEXTS)
def test_the_command_draws_unknown_utilities(kind: str) -> None:
    done = invoke("draw", "-e", UNKNOWN, "-o", "-", "--format", kind)
    assert done.exit_code == 0
    assert "?" in done.stdout or "#63;" in done.stdout
    assert invoke("draw", "-e", UNKNOWN, "-o", "-", "--format", kind, "--blank").exit_code == 0


def test_a_pruning_search_of_unknown_utilities_is_only_drawn_blank() -> None:
    words = ["draw", "-e", UNKNOWN, "-a", "star1", "-o", "-", "--format", "svg"]
    assert invoke(*words).exit_code == 2
    assert "star1 with bounds [0, 9] visited ______" in invoke(*words, "--blank").stdout


def test_the_strategy_cannot_be_drawn_without_the_best_branches() -> None:
    done = invoke("draw", LEFT, "--blank", "--strategy", "-o", "-", "--format", "svg")
    assert "the strategy consists of the best branches" in done.stderr


# ---- The how-to.

HOW_TO = (ROOT / "docs" / "how-to" / "exercise-sheets.md").read_text("utf-8")


def check_sheet(folder: Path) -> None:
    for variant in range(1, 11):
        exercise = (folder / f"exercise-{variant}.svg").read_text("utf-8")
        solution = (folder / f"solution-{variant}.svg").read_text("utf-8")
        assert exercise.count(f">{BLANK}<") == 7
        assert BLANK not in solution
    assert len({path.read_text("utf-8") for path in folder.glob("exercise-*.svg")}) == 10
    for page in ("exercise", "solution"):
        text = (folder / f"{page}.html").read_text("utf-8")
        names = re.findall("<img src='(.*?)'>", text)
        assert len(names) == 10
        assert all((folder / name).exists() for name in names)


@pytest.mark.slow
def test_the_commands_of_the_how_to_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "trees", tmp_path / "trees")
    program = tmp_path / "expectitree"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m expectitree "$@"\n')
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", HOW_TO, re.MULTILINE | re.DOTALL))
    subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, check=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    check_sheet(tmp_path / "sheet")
    assert BLANK in (tmp_path / "exercise.svg").read_text("utf-8")
    assert BLANK not in (tmp_path / "solved.svg").read_text("utf-8")


def test_the_python_of_the_how_to_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```py\n(.*?)^```$", HOW_TO, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "exercise-sheets.md", "exec"), {})
    check_sheet(tmp_path / "sheet")
