"""`draw`, `to_svg` and `to_html` write what the command line writes."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from helpers import invoke

import expectitree as et
from expectitree.picture.content import Style

RISK = "trees/risk.yaml"


@pytest.fixture
def tree() -> et.Tree:
    return et.load("example:aima-5.12-left")


def test_draw_writes_what_the_command_writes(tree: et.Tree, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.svg", tmp_path / "theirs.svg"
    et.draw(et.evaluate(tree, "star1"), ours, windows=True, reasons=True, theme="dark")
    words = ["--windows", "--reasons", "--theme", "dark", "-a", "star1"]
    invoke("draw", "example:aima-5.12-left", *words, "-o", str(theirs))
    assert ours.read_text("utf-8") == theirs.read_text("utf-8")


def test_svg_is_the_text_of_the_file(tree: et.Tree, tmp_path: Path) -> None:
    et.draw(tree, tmp_path / "tree.svg", title=False)
    text = (tmp_path / "tree.svg").read_text("utf-8")
    assert text.startswith(et.to_svg(tree, title=False))
    assert text.count("\n") == et.to_svg(tree, title=False).count("\n") + 2  # and a mark
    assert "2.1" in et.to_svg(tree)


def test_a_page_replays_the_algorithms_of_a_tree_or_the_one_of_a_search(tree: et.Tree) -> None:
    from expectitree.analysis.trace.report import trace
    from expectitree.page import page_text

    search = et.evaluate(tree, "star1", bounds=(0, 50))
    assert et.to_html(search) == page_text([trace(tree, "star1", bounds=(0, 50))])
    assert et.to_html(tree, ["star1"], bounds=(0, 50)) == et.to_html(search)
    assert et.to_html(tree, "star1", bounds=(0, 50)) == et.to_html(search)


def test_a_stopped_search_is_replayed_up_to_its_stop(tree: et.Tree) -> None:
    search = et.evaluate(tree, "star1", max_visits=5)
    assert et.to_html(search) == et.to_html(tree, ["star1"], max_visits=5)


def test_every_option_of_a_picture_is_documented() -> None:
    documented = et.to_svg.__doc__ or ""
    for name in ["windows", "strategy", *(field.name for field in fields(Style))]:
        assert f"`{name}" in documented


def test_errors_say_what_to_do(tree: et.Tree, tmp_path: Path) -> None:
    with pytest.raises(et.AnalysisError, match=r"x\.jpg: a picture's ending is one of \.svg, "):
        et.draw(tree, "x.jpg")
    with pytest.raises(et.AnalysisError, match="unknown option 'colour' of a picture: choose"):
        et.to_svg(tree, colour="red")
    with pytest.raises(et.AnalysisError, match="unknown option 'theme' of a page: choose among"):
        et.draw(tree, tmp_path / "x.html", theme="dark")
    with pytest.raises(et.AnalysisError, match="found 'red' as theme, expected light or dark"):
        et.to_svg(tree, theme="red")
    with pytest.raises(et.AnalysisError, match="found '0' as rows, expected a whole number"):
        et.to_svg(tree, rows=0)
    with pytest.raises(et.AnalysisError, match="found 'wide' as width, expected a number of"):
        et.to_svg(tree, width="wide")
    with pytest.raises(et.TreeError, match="as a tree: pass what load"):
        et.to_svg(RISK)  # type: ignore[arg-type]
    with pytest.raises(et.TreeError, match="as a tree: pass what load"):
        et.to_html(RISK)  # type: ignore[arg-type]
    with pytest.raises(et.FileError, match="the file cannot be written: no file can be made in"):
        et.draw(tree, tmp_path / "nowhere" / "x.svg")
    assert not list(tmp_path.iterdir())


def test_explain_gives_the_sentences_of_the_command(tree: et.Tree) -> None:
    sentences = et.explain(et.evaluate(tree, "star1"), "a2")
    assert sentences.startswith("The value of ● a2 (CHANCE) is in [1, 1.3]")
    shown = invoke("eval", "example:aima-5.12-left", "-a", "star1", "--explain", "a2").stdout
    assert sentences in shown
    assert "MAX chooses a1" in et.explain(tree)
    with pytest.raises(et.TreeError, match="no node nowhere"):
        et.explain(tree, "nowhere")
