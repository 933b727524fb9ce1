"""Plots of a study."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from helpers import invoke
from lab.study.studies import SMALL, run_remaining, run_study, spec_in, study_of, summary_of

from expectitree.base.errors import ExpectitreeError, FileError
from expectitree.lab.study.plot import figure_of
from expectitree.lab.study.reader import load_study
from expectitree.lab.study.results import Results
from expectitree.lab.study.run import find_tasks
from expectitree.lab.study.spec import Study

pytestmark = pytest.mark.extra


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


def test_a_plot_that_cannot_be_drawn_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = spec_in(tmp_path, SMALL)
    refused = run_study(spec, "--plot", tmp_path / "a.gif")
    assert "a plot's ending is one of .svg, .png, .pdf" in refused
    monkeypatch.setattr("expectitree.analysis.plotting.find_spec", lambda _: None)
    assert "pip install '.[plot]'" in run_study(spec, "--plot", tmp_path / "a.svg")
    assert os.listdir(tmp_path) == ["spec.yaml"]


@pytest.mark.parametrize(
    "rest",
    [
        "title: from $5 to $x^$\n",
        "title: 日本\n",
        "plot: {x: branching, scale: log}\n",
        "plot: {x: seed, scale: log}\n",
    ],
)
def test_any_text_can_be_drawn(rest: str, tmp_path: Path) -> None:
    """A plot is drawn or refused, without a warning from matplotlib (warnings are errors)."""
    spec = spec_in(
        tmp_path,
        f"trees: {{family: ballard, branching: [2, 3], seed: [0, 1]}}\nalgorithms: star1\n{rest}",
    )
    try:
        run_remaining(load_study(spec), tmp_path / "results")
    except FileError:
        return
    file = tmp_path / "a.png"
    done = invoke("study", str(spec), "--results", str(tmp_path / "results"), "--plot", str(file))
    if file.exists():
        assert done.exit_code == 0
    else:
        assert isinstance(done.exception, ExpectitreeError)
        assert "\n" not in str(done.exception)


def figure_in(folder: Path, text: str) -> Any:
    study = study_of(folder, text)
    run_remaining(study, folder / "results")
    return figure_of(summary_of(study, folder / "results"))


def labels(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_series_are_in_the_order_of_the_study(tmp_path: Path) -> None:
    figure = figure_in(
        tmp_path,
        "trees: {family: ballard, branching: [3, 2], order: [worst, best]}\n"
        "algorithms: [star2, alphabeta]\n",
    )
    assert labels(figure) == [
        "star2, order worst", "alphabeta, order worst", "star2, order best",
        "alphabeta, order best",
    ]  # fmt: skip


def test_the_legend_is_beside_the_plot_and_axes_have_words(tmp_path: Path) -> None:
    text = "trees: {family: uniform, branching: [2, 3], skew: [0, 1, 2, 3, 4]}\n"
    figure = figure_in(tmp_path, f"{text}algorithms: [star2, alphabeta, star1, star2.5]\n")
    (axes,) = figure.axes
    figure.canvas.draw()
    assert len(labels(figure)) == 20
    assert axes.get_legend().get_window_extent().x0 > axes.get_window_extent().x1
    assert axes.get_xlabel() == "branching"
    assert axes.get_ylabel() == "leaves visited (% of all)"


def test_a_search_without_the_option_on_the_axis_is_a_level_line(tmp_path: Path) -> None:
    text = "trees: {family: ballard, branching: 4}\nplot: {x: probes}\n"
    figure = figure_in(tmp_path, f"{text}algorithms: [star1, star2.5: {{probes: [1, 2, 4]}}]\n")
    assert labels(figure) == ["star1", "star2.5, cyclic"]
    level, probes = figure.axes[0].get_lines()
    assert list(level.get_xdata()) == list(probes.get_xdata()) == [1, 2, 4]
    assert len(set(level.get_ydata())) == 1


def test_a_logarithmic_axis_leaves_out_0(tmp_path: Path) -> None:
    text = "trees: {family: uniform, branching: 3, skew: [0, 1, 4]}\nalgorithms: star1\n"
    figure = figure_in(tmp_path, f"{text}repetitions: 3\nplot: {{x: skew, scale: log}}\n")
    figure.canvas.draw()
    axes = figure.axes[0]
    assert list(axes.get_lines()[0].get_xdata()) == [1, 4]
    minor = [text.get_text() for text in axes.get_yticklabels(minor=True)]
    assert all(re.fullmatch("[0-9]*", text) for text in minor)


def test_tasks_are_short(grid: tuple[Study, list[Any]]) -> None:
    """A task takes a few tenths of a second, since its results are written together."""
    for task in find_tasks(grid[0], Results("")):
        assert 1 <= len(task.trees) <= 50
