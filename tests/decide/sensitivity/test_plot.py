"""Plots of sensitivity analyses: what is drawn, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, error_of, run_main

import expectitree as et
from expectitree.analysis.plotting import save_figure
from expectitree.decide.sensitivity.exact import break_even, everywhere
from expectitree.decide.sensitivity.plot import figure_of
from expectitree.decide.sensitivity.strategies import strategies_of

pytestmark = pytest.mark.extra
OIL = str(ROOT / "trees" / "rockefeller.yaml")


def axes_of(report: Any) -> Any:
    (axes,) = figure_of(report).axes
    return axes


def legend(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_one_way_has_a_line_for_each_action_and_an_envelope() -> None:
    axes = axes_of(et.sensitivity(et.load(OIL), "pr", range=(0, 1)))
    assert legend(axes) == ["best", "sell", "install", "test", "now"]
    lines = {line.get_label(): line for line in axes.lines}
    ends = [(lines[name].get_ydata()[0], lines[name].get_ydata()[-1]) for name in legend(axes)[:4]]
    assert ends == [(750, 2250), (750, 750), (-250, 2250), (550, 2150)]
    dashes = {str(lines[name]._unscaled_dash_pattern) for name in ("sell", "install", "test")}
    assert len(dashes) == 3
    assert [text.get_text() for text in axes.texts] == ["0.319444", "0.607143"]
    assert axes.get_xlabel() == "pr: probability of oil"
    movie = axes_of(et.sensitivity(et.load("example:movie-contract"), "fees"))
    assert movie.get_xlabel() == r"fees: of the lawyer (\$)"


def test_a_sampled_range_has_the_actions_too() -> None:
    tree = et.loads("parameters: {a: 0.5}\nreward: 1\nmax: {x: exp(a), y: 2}")
    axes = axes_of(et.sensitivity(tree, "a", range=(0, 1)))
    assert legend(axes) == ["best", "x", "y", "now"]
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    assert lines["x"][0] == pytest.approx(2)
    assert [*lines["best"]] == pytest.approx([max(x, 3) for x in lines["x"]])
    text = "parameters: {a: 0.5}\nchance: {x: {p: a, utility: 1}, y: {p: rest, utility: 0}}"
    axes = axes_of(et.sensitivity(et.loads(text), "a", range=(0, 1)))
    assert list(axes.lines[0].get_ydata()[[0, -1]]) == [0, 1]


def test_many_actions_have_a_line_if_they_are_best_somewhere() -> None:
    actions = ", ".join(f"x{i}: '{i}*a - {i * i}/100'" for i in range(100))
    tree = et.loads(f"parameters: {{a: 0.5}}\nmax: {{{actions}}}")
    assert len(legend(axes_of(et.sensitivity(tree, "a", range=(0, 0.1))))) == 7


def test_a_map_has_a_filled_region_for_each_set_of_best_actions() -> None:
    axes = axes_of(et.sensitivity_map(et.load(OIL), "pr", "sens", ranges=[(0, 1), (0.5, 1)]))
    assert legend(axes) == ["sell", "install", "test", "now"]
    assert len({region.get_hatch() for region in axes.collections}) == 3
    area = sum(
        abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(v, [*v[1:], v[0]], strict=True)))
        / 2
        for region in axes.collections
        for v in ([tuple(corner) for corner in path.vertices[:-1]] for path in region.get_paths())
    )
    assert area == pytest.approx(0.5)  # the regions cover the rectangle
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1), (0.5, 1))


@pytest.mark.parametrize("fixed", [False, True])
def test_a_tornado_names_its_meaning(fixed: bool) -> None:
    tree = et.load(OIL)
    meaning = "fixed policy" if fixed else "re-optimized"
    axes = axes_of(et.tornado(tree, fixed=fixed))
    assert meaning in axes.get_xlabel()
    assert axes.get_yticklabels()[0].get_text() == "pr: probability of oil"
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[0] == (715 if fixed else 750) - 1075
    shown = [" ".join(text.get_text().split()) for text in axes.texts][::3]
    assert shown == (["715 at 0.3", "1,435 at 0.7"] if fixed else ["750 at 0.3", "1,500 at 0.7"])
    marks = [
        (x, y) for line in axes.lines if line.get_marker() == "D" for x, y in line.get_xydata()
    ]
    changes = [(750, 3), (8875 / 7, 3), (1000, 2)]
    assert marks == ([] if fixed else [pytest.approx(one) for one in changes])
    assert axes.xaxis.get_major_formatter()(1234.5) == "1,234.5"


def test_every_decision_has_a_row() -> None:
    tree = et.load("example:texaco-pennzoil")
    axes = axes_of(everywhere(tree, "second_offer"))
    assert [text.get_text() for text in axes.get_yticklabels()] == ["/", "ask for 5/second offer"]
    assert legend(axes) == ["ask for 5", "refuse", "accept", "now"]
    ends = [path.get_extents().x1 for bars in axes.collections for path in bars.get_paths()]
    assert ends == pytest.approx([5, 4.56, 5])


def test_break_even_points_are_where_two_lines_meet() -> None:
    axes = axes_of(break_even(et.load(OIL), "pr", "sell = test"))
    assert legend(axes) == ["sell", "test", "equal", "now"]
    sell, test, equal, now = axes.lines
    assert (set(sell.get_ydata()), [*test.get_ydata()[[0, -1]]]) == ({750}, [715, 1435])
    assert ([*equal.get_xdata()], [*equal.get_ydata()]) == ([23 / 72], [750])
    assert set(now.get_xdata()) == {0.5}
    never = axes_of(break_even(et.load(OIL), "pr", "value = 5000"))
    assert legend(never) == ["value", "5000", "now"]


def test_strategies_are_bars_from_the_best() -> None:
    axes = axes_of(strategies_of(et.load(OIL)))
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [1075, 1000, 900, 750, 700, 525]
    names = [label.get_text().replace("\n", " ") for label in axes.get_yticklabels()]
    assert names[:2] == ["test, test/plus: install, test/minus: sell", "install"]
    actions = ", ".join(f"x{i}: {i - 50}" for i in range(99))
    many = axes_of(strategies_of(et.loads(f"min: {{{actions}}}")))
    assert len(many.patches) == 30
    assert many.get_xlabel() == "value, from the best for MIN; 69 more are not drawn"


def test_the_same_plot_gives_the_same_file(tmp_path: Path) -> None:
    report = et.sensitivity(et.load(OIL), "pr")
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for file in files:
        save_figure(figure_of(report), str(file))
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_command_writes_a_plot(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"plot.{ending}"
    done = run_main("sensitivity", OIL, "--tornado", "--plot", str(path))
    assert (done.status, done.err) == (0, f"{path} written\n")
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tornado", "--plot", "a.gif"), "a.gif: a plot's ending is one of .svg, .png, .pdf"),
        ((OIL, "--tornado", "--plot", "a.svg"), "--plot draws one tree: name one file"),
    ],
)
def test_a_plot_that_cannot_be_drawn(words: tuple[str, ...], message: str) -> None:
    assert message in error_of("sensitivity", OIL, *words)
