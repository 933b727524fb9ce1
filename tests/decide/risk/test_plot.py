"""Plots of risk profiles: what is drawn, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import run_main

import expectitree as et
from expectitree.base.errors import AnalysisError
from expectitree.decide.risk.plot import figure_of

pytestmark = pytest.mark.extra
OIL = "trees/rockefeller.yaml"


def test_steps_of_each_action() -> None:
    (axes,) = figure_of(et.risk(et.load(OIL), target=1000)).axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["sell", "install", "test (best)", "target 1,000"]
    lines = {line.get_label(): line for line in axes.lines}
    test = lines["test (best)"]
    assert list(test.get_xdata()[1:-1]) == [-350, 400, 2150]
    assert list(test.get_ydata()) == [0, 0.15, 0.55, 1, 1]
    assert len({str(lines[name]._unscaled_dash_pattern) for name in names[:3]}) == 3
    assert test.get_linewidth() > lines["sell"].get_linewidth()
    assert axes.get_xlabel() == "total"


def test_one_certain_total() -> None:
    (axes,) = figure_of(et.risk(et.loads("chance: [0]"))).axes
    assert axes.get_xlim() == (-1, 1)
    assert [line.get_label() for line in axes.lines] == ["the tree"]


def test_too_many_actions() -> None:
    tree = et.from_dict({"max": [*range(40)]})
    with pytest.raises(AnalysisError, match="a plot of 40 actions cannot be read, and 28 is"):
        figure_of(et.risk(tree))


def test_command(tmp_path: Path) -> None:
    """Those of sensitivity analyses have the tests of formats and errors."""
    out = tmp_path / "risk.svg"
    done = run_main("risk", OIL, "--plot", str(out))
    assert (done.status, done.err) == (0, f"{out} written\n")
