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
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import cell_text
from expectitree.picture import pdf, png
from expectitree.picture.content import BEST, PLAIN, Style, content
from expectitree.picture.drawing import drawer
from expectitree.picture.hidden import BLANK, PARTS, evaluate_known
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.tree.columns import Repeated

TREES = sorted((ROOT / "trees").iterdir())
GEOMETRY = re.compile(r'="[-.\d MLCZ,]*"|\([-.\d]+,[-.\d]+\)|[-.\d]+(bp|pt)')
TEXTS = ("svg", "dot", "mmd", "tex")
LEFT = "trees/aima-5.12-left.yaml"
UNKNOWN = '{bounds: [0, 9], max: {sure: {min: [4, 5]}, bet: {chance: [{utility: "?"}, 2]}}}'


def text_of(kind: str, search: Search, **style: Any) -> str:
    evaluation = Evaluation("", search, windows=True)
    return "".join(drawer(kind)(evaluation, Style(**style)))


# ---- What is hidden is nowhere.


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_a_blank_picture_has_no_hidden_number(file: Path, kind: str) -> None:
    tree = et.load(file)
    for name in ("expectiminimax", "star1", "star2"):
        search = et.evaluate(tree, name)
        blank = text_of(kind, search, blank=True, reasons=True, rows=None)
        blank = GEOMETRY.sub("", blank)
        hidden = {*search.lower, *search.upper, *search.alpha, *search.beta}
        shown = {*tree.columns.utility, *tree.columns.probability, *search.bounds}
        shown |= {abs(reward) for reward in tree.columns.reward}
        given = f"{tree.title} {tree.source} {' '.join(map(str, tree.label))}"
        for number in map(cell_text, hidden - shown):
            if "." in number and number not in given:
                assert not re.search(rf"(?<![\d.]){re.escape(number)}(?!\.?\d)", blank)


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


def test_png_and_pdf_are_made_from_the_blank_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    class Library:
        def svg_to_png(self, text: str, scale: float) -> bytes:
            given.append(text)
            return b""

        def svg_to_pdf(self, text: str) -> bytes:
            given.append(text)
            return b""

    for module in (png, pdf):
        monkeypatch.setattr(module, "library", Library)
    search = et.evaluate(et.load(LEFT), "star1")
    for module in (png, pdf):
        module.draw(Evaluation("", search, True), Style(blank=True))
    assert given == [text_of("svg", search, blank=True).removesuffix("\n")] * 2


def test_notes_and_reasons_are_left_out() -> None:
    tree = et.loads("max: {a: {utility: 3, note: secret}, b: {note: secret, min: [1, 2]}}")
    search = et.evaluate(tree, "alphabeta")
    for kind in TEXTS:
        assert "secret" not in text_of(kind, search, hide=["values"], reasons=True)
        assert " cut after" not in text_of(kind, search, hide=["values"], reasons=True)


# ---- Single parts.


def shown_with(*hide: str, **style: Any) -> Any:
    evaluation = Evaluation("", et.evaluate(et.load(LEFT), "star1"), windows=True)
    return content(evaluation, Style(hide=hide, **style))


def test_hidden_values_are_lines_and_the_rest_stays() -> None:
    found = shown_with("values")
    inner = [glyph for glyph in found.glyphs if glyph.kind != "TERMINAL"]
    assert {glyph.value for glyph in inner} == {BLANK}
    assert any(edge.rank == BEST for edge in found.edges)
    assert any(edge.is_cut for edge in found.edges)
    assert any(glyph.is_grey for glyph in found.glyphs)
    assert found.summary == (
        f"Value {BLANK}, best action a1",
        "star1 with bounds [1, 4] visited 5 of 8 leaves, 2 cuts",
    )


def test_hidden_best_branches_are_plain() -> None:
    found = shown_with("best")
    assert {edge.rank for edge in found.edges} == {PLAIN}
    assert found.summary[0] == f"Value 2.1, best action {BLANK}"


def test_hidden_cuts_and_visits() -> None:
    found = shown_with("cuts")
    assert not any(edge.is_cut for edge in found.edges)
    assert any(glyph.is_grey for glyph in found.glyphs)
    found = shown_with("cuts", "visits")
    assert not any(glyph.is_grey for glyph in found.glyphs)
    assert "(" not in "".join(glyph.value for glyph in found.glyphs)
    assert f"visited {BLANK} of 8 leaves, {BLANK} cuts" in found.summary[1]


@pytest.mark.parametrize("seed", range(20))
def test_marks_that_stay_are_those_of_the_whole_picture(seed: int) -> None:
    evaluation = Evaluation("", et.evaluate(Case(seed).tree(), "star2"))
    whole = content(evaluation, Style(rows=None)).edges
    for hide in (["values", "best", "windows"], ["values", "cuts"], ["values", "visits"]):
        edges = content(evaluation, Style(rows=None, hide=hide)).edges
        for edge, other in zip(edges, whole, strict=True):
            assert edge.is_cut == (other.is_cut and "cuts" not in hide)
            if not {"best", "visits", "cuts"} & set(hide):
                assert edge.rank == other.rank
            if not {"visits", "cuts"} & set(hide):
                assert edge.is_grey == other.is_grey


def test_hidden_windows_are_lines() -> None:
    root, *_ = shown_with("windows").glyphs
    assert root.remarks == (f"α {BLANK}, β {BLANK}",)


def test_an_unknown_part() -> None:
    with pytest.raises(AnalysisError, match="'colours' cannot be hidden: choose among values"):
        shown_with("colours")


def test_the_strategy_cannot_be_drawn_without_the_best_branches() -> None:
    evaluation = Evaluation("", et.evaluate(et.load(LEFT)), strategy_only=True)
    with pytest.raises(AnalysisError, match="the strategy consists of the best branches"):
        content(evaluation, Style(blank=True))


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


def test_python_draws_unknown_utilities_and_exercises() -> None:
    tree = et.loads(UNKNOWN)
    assert ">?</text>" in et.to_svg(tree)
    assert et.to_svg(et.load(LEFT), hide="values, best") == et.to_svg(
        et.load(LEFT), hide=["best", "values"]
    )
    assert BLANK in et.to_svg(tree, blank=True)


# ---- The command.


def test_the_exercise_and_its_solution(tmp_path: Path) -> None:
    blank, solution = tmp_path / "e.svg", tmp_path / "s.tex"
    words = ["draw", LEFT, "-a", "star1", "-o", str(blank), "--solution", str(solution)]
    assert invoke(*words, "--blank").exit_code == 0
    assert "2.1" not in blank.read_text("utf-8")
    assert "2.1" in solution.read_text("utf-8")
    again = invoke(*words, "--blank", "--force")
    assert again.exit_code == 0
    solution.unlink()
    (tmp_path / "e.svg").unlink()
    solution.write_text("mine")
    assert invoke(*words, "--blank").exit_code == 2  # the solution exists
    assert not blank.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hide", "values,color"], "'color' cannot be hidden: choose among values, windows,"),
        (["--solution", "s.svg"], "--solution is for exercises: add --blank, or --hide PARTS."),
        (["--blank", "--strategy"], "the strategy consists of the best branches"),
    ],
)
def test_wrong_usage(words: list[str], message: str, tmp_path: Path) -> None:
    done = invoke("draw", LEFT, "-o", str(tmp_path / "x.svg"), *words)
    assert message in re.sub(r"\s+", " ", f"{done.stderr}{done.exception}")
    assert list(tmp_path.iterdir()) == []


def test_parts_are_named_in_the_help() -> None:
    help = re.sub(r"\s+", " ", invoke("draw", "--help").stdout)
    assert ", ".join(PARTS) in help


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


def test_the_python_of_the_how_to_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```py\n(.*?)^```$", HOW_TO, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "exercise-sheets.md", "exec"), {})
    check_sheet(tmp_path / "sheet")
