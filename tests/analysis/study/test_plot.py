"""Plots of a study."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from analysis.study.studies import (
    SMALL,
    run_remaining,
    run_study,
    spec_in,
    study_of,
)

from expectitree.analysis.study.reader import load_study
from expectitree.analysis.study.results import Results
from expectitree.analysis.study.run import find_tasks
from expectitree.analysis.study.spec import Study
from expectitree.errors import FileError


@pytest.mark.slow
def test_plots_have_the_format_of_their_ending(published: tuple[Path, ...], tmp_path: Path) -> None:
    for name, beginning in (
        ("a.svg", b"<?xml"),
        ("a.png", b"\x89PNG\r\n"),
        ("a.pdf", b"%PDF-"),
        ("b.SVG", b"<?xml"),
    ):
        assert f"{tmp_path / name} written" in run_study(
            *published, "--report", "--plot", tmp_path / name
        )
        content = (tmp_path / name).read_bytes()
        assert content.startswith(beginning)
        assert len(content) > 5000
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.SVG").read_bytes()


def test_a_plot_without_matplotlib_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("expectitree.analysis.study.plot.find_spec", lambda _: None)
    assert "pip install '.[plot]'" in run_study(
        spec_in(tmp_path, SMALL), "--plot", tmp_path / "a.svg"
    )
    assert os.listdir(tmp_path) == ["spec.yaml"]


def test_a_plot_of_another_kind_is_refused_before_anything_runs(tmp_path: Path) -> None:
    assert "a plot's ending is one of .svg, .png, .pdf" in run_study(
        spec_in(tmp_path, SMALL), "--plot", tmp_path / "a.gif"
    )
    assert os.listdir(tmp_path) == ["spec.yaml"]


@pytest.mark.parametrize(
    "rest",
    [
        "title: from $5 to $x^$\n",
        "title: 日本\n",
        'plot: {lines: [{label: "$\\\\foo$", factor: 1, power: 2}]}\n',
        "plot: {lines: [{label: a, factor: 1, power: 1e9}]}\n",
        "plot: {scale: log, lines: [{label: a, factor: -1, power: -0.5}]}\n",
        "plot: {x: seed, lines: [{label: a, factor: 1, power: -1}]}\n",
    ],
)
def test_any_text_and_any_line_can_be_drawn(rest: str, tmp_path: Path) -> None:
    """A plot is drawn or refused, without a warning from matplotlib (warnings are errors)."""
    spec = spec_in(
        tmp_path,
        f"trees: {{family: ballard, branching: 2, seed: [0, 1]}}\nalgorithms: star1\n{rest}",
    )
    try:
        run_remaining(load_study(spec), tmp_path / "results")
    except FileError:
        return
    text = run_study(spec, "--results", tmp_path / "results", "--plot", tmp_path / "a.png")
    assert (tmp_path / "a.png").exists() or text.count("\n") == 0


def test_each_line_of_a_plot_is_one_search(tmp_path: Path) -> None:
    """Two engines are two lines over the probes, not a zigzag."""
    text = "trees: {family: ballard, branching: 4}\nalgorithms: {star2.5: {probes: [1, 2]}}\n"
    study = study_of(tmp_path, f"{text}engines: [interpreted, exact]\nplot: {{x: probes}}\n")
    run_remaining(study, tmp_path / "results")
    run_study(
        tmp_path / "spec.yaml", "--results", tmp_path / "results", "--plot", tmp_path / "a.svg"
    )
    assert "<!-- star2.5, cyclic, exact -->" in (tmp_path / "a.svg").read_text("utf-8")


def test_tasks_are_short(grid: tuple[Study, list[Any]]) -> None:
    """A task takes a few tenths of a second, since its results are written together."""
    for task in find_tasks(grid[0], Results("")):
        assert 1 <= len(task.trees) <= 50
