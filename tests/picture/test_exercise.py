"""Exercises: what is hidden is in no picture, of any format; unknown utilities can be drawn."""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, for_each, load
from picture.test_picture import check_room
from random_trees import Case

import expectitree as et
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.tree.columns import Repeated
from expectitree.picture.content import Edge, Style
from expectitree.picture.diagram import Diagram, diagram
from expectitree.picture.drawing import drawn
from expectitree.picture.hidden import BLANK, evaluate_known
from expectitree.picture.marks import Line, Symbol
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search

TEXTS = ("svg", "dot", "mmd")
LEFT = "trees/aima-5.12-left.yaml"
TREES = sorted((ROOT / "trees").iterdir())


def text_of(kind: str, search: Search, **style: Any) -> str:
    evaluation = Evaluation("", search, windows=True)
    return str(drawn(kind, evaluation, Style(**style)).data)


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


# ---- The solution: everything in the same place.

Place = tuple[object, ...]


def places(found: Diagram) -> set[Place]:
    """Return the size of a picture, and the places of its nodes, branches and texts of branches."""
    groups = [group for group in found.groups if group.box or isinstance(group.of, Edge)]
    marks = [mark for group in groups for mark in group.marks]
    symbols = {("symbol", mark.shape, mark.box) for mark in marks if isinstance(mark, Symbol)}
    # A cut within a run of leaves has lines between them.
    ends = [m.paths[0].points for m in marks if isinstance(m, Line)]
    is_long = [math.dist(points[0], points[-1]) > 3.1 for points in ends]
    lines = [mark for mark in marks if isinstance(mark, Line)]
    paths = {m.paths for m, is_ in zip(lines, is_long, strict=True) if is_ and m.colour != "cut"}
    boxes = {("room", *group.box) for group in groups if group.box is not None}
    return {("size", found.width, found.height, found.scale), *symbols, *paths, *boxes}


def check_solution(search: Search, **style: Any) -> None:
    evaluation = Evaluation("", search, windows=bool(style.pop("windows", False)))
    exercise = diagram(evaluation, Style(blank=True, **style))
    solution = diagram(evaluation, Style(solution=True, **style))
    assert places(solution) == places(exercise)
    check_room(solution)
    check_room(exercise)


@pytest.mark.parametrize("direction", ["down", "right"])
@for_each("seed", range(10), range(10, 40))
def test_the_solution_has_the_places_of_the_exercise(seed: int, direction: str) -> None:
    tree = Case(seed, pays=seed % 2 == 1).tree()
    for name in ("expectiminimax", "star1", "star2"):
        search = et.evaluate(tree, name)
        check_solution(search, windows=True, rows=30, direction=direction)
        check_solution(search, title=False, rows=20, direction=direction)


@pytest.mark.slow
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_the_solution_of_every_example_has_the_places_of_its_exercise(file: Path) -> None:
    tree = et.load(file)
    for name in ("expectiminimax", "alphabeta", "star2"):
        check_solution(et.evaluate(tree, name), windows=name == "star2")


def test_a_long_interval_takes_two_lines_and_a_cut_in_a_run_moves_no_leaf() -> None:
    tree = et.load("trees/ballard-6.yaml")
    check_solution(et.evaluate(tree, "star1"))
    evaluation = Evaluation("", et.evaluate(tree, "star1"))
    texts = re.findall(">([^<]*)</text>", text_of("svg", evaluation.search, solution=True))
    assert {"[6.66667,", "10.5]"} <= set(texts)
    assert "star1 with bounds [3, 18] visited 138 of 216 leaves, 10 cuts" in texts


def test_a_picture_is_an_exercise_or_its_solution() -> None:
    tree = et.load("example:risk")
    for other, what in (("blank", "an exercise"), ("reasons", "a picture with reasons")):
        with pytest.raises(et.AnalysisError, match=f"a picture is {what}, or a solution"):
            et.to_svg(tree, solution=True, **{other: True})


# ---- Unknown utilities.


@pytest.mark.parametrize("exact", [False, True])
def test_without_unknown_utilities_nothing_is_different(exact: bool) -> None:
    tree = load(LEFT, exact=exact)
    assert text_of("svg", evaluate_known(tree)) == text_of("svg", search_tree(tree))


# ---- The how-to.

HOW_TO = (ROOT / "docs" / "how-to" / "exercise-sheets.md").read_text("utf-8")


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
    for exercise, solution in (
        ("exercise.svg", "solved.svg"),
        ("sheet.html", "sheet-key.html"),
        ("drill.html", "drill-key.html"),
    ):
        assert f">{BLANK}<" in (tmp_path / exercise).read_text("utf-8")
        assert BLANK not in (tmp_path / solution).read_text("utf-8")
