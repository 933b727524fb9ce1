"""Trees, searches and reports in a notebook: their methods, and IPython's display."""

from __future__ import annotations

import re
from base64 import b64decode
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import expectitree as et
from expectitree.picture import notebook
from expectitree.text import markup

TEXT = (
    "title: A <b>risk</b> & more\n"
    "max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}, '<script>': 3}"
)


@pytest.fixture
def tree() -> et.Tree:
    return et.loads(TEXT)


def shown(thing: Any) -> dict[str, str]:
    """Return the data for a notebook by MIME type."""
    bundle: dict[str, str] = thing._repr_mimebundle_()
    return bundle


def words_of(html: str) -> list[str]:
    """Return the words of the visible text, with those in place of an image."""
    text = re.sub(r'<img alt="([^"<>]*)"[^<>]*>', r" \1 ", html)
    root = ElementTree.fromstring(f"<div>{text.replace('&quot;', '')}</div>")
    return " ".join(root.itertext()).split()


def svg_of(html: str) -> str:
    """Return the SVG of the only image."""
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
    return b64decode(data).decode()


def test_a_search_is_a_picture(tree: et.Tree) -> None:
    found = et.evaluate(tree, "star1", bounds=(0, 100))
    bundle = shown(found)
    assert set(bundle) == {"text/html", "text/plain"}
    html = bundle["text/html"]
    assert html.startswith('<img alt="A &lt;b&gt;risk&lt;/b&gt; &amp; more. A game tree of 8 ')
    svg = svg_of(html)
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert "54.5" in svg
    assert "<script" not in svg.lower()
    assert "<b>" not in svg
    assert bundle["text/plain"] == et.to_text(found, width=100)


@pytest.mark.extra
def test_ipython_shows_the_same(tree: et.Tree) -> None:
    from IPython.core.formatters import DisplayFormatter

    for thing in (tree, et.evaluate(tree, "star1"), et.compare(tree), et.loads('utility: "?"')):
        bundle = thing._repr_mimebundle_()
        assert DisplayFormatter().format(thing) == (bundle or {"text/plain": repr(thing)}, {})


def test_a_tree_is_shown_with_its_values(tree: et.Tree) -> None:
    assert shown(tree) == shown(et.evaluate(tree))


def test_reports_are_texts(tree: et.Tree) -> None:
    reports = [
        et.compare(tree),
        et.trace(tree, "star2"),
        et.limit(tree),
        et.rescale(tree, {9: 20}),
        et.verify(et.loads("expect: {value: 2}\nmax: [1, 2]")),
    ]
    for report in reports:
        bundle = shown(report)
        assert set(bundle) == {"text/html", "text/plain"}
        assert report._repr_html_() == bundle["text/html"]
        assert words_of(bundle["text/html"]) == bundle["text/plain"].split()
        assert bundle["text/plain"].splitlines() == et.to_text(report, width=100).splitlines()
        assert str(report) == et.to_text(report)
        assert len(repr(report)) < 80


def test_reports_have_tables() -> None:
    tree = et.load("example:rockefeller")
    for report in (et.compare(tree), et.limit(tree), et.information(tree, "oil")):
        html = str(report._repr_html_())
        assert html.count("<table ") == 1
        rows = html.count("<tr>")
        assert rows == 1 + len(report.to_records())
    assert '<th style="text-align: right">p</th>' in html


def test_a_picture_without_a_file(tree: et.Tree) -> None:
    picture = et.draw(tree, theme="dark")
    assert picture is not None
    assert picture == et.to_svg(tree, theme="dark")
    assert svg_of(picture._repr_html_()) == picture
    assert len(repr(picture)) < 80


def test_a_long_text_is_cut() -> None:
    report = et.trace(et.generate("ballard", branching=5, seed=1), "star1")
    lines = shown(report)["text/plain"].splitlines()
    assert " ".join(lines[-1].split()) in " ".join(words_of(shown(report)["text/html"]))
    whole = et.to_text(report, width=100).splitlines()
    assert lines[:-1] == whole[: markup.MAX_LINES]
    more = f"… {len(whole) - 200:,} more lines: print(…) shows them all"
    assert lines[-1] == more


@pytest.mark.slow
def test_a_large_tree_is_not_evaluated_automatically(monkeypatch: pytest.MonkeyPatch) -> None:
    large = et.loads(f"max: [{'1, ' * notebook.MAX_NODES}1]")
    monkeypatch.setattr(notebook, "evaluate", pytest.fail)
    assert shown(large) == {}
    monkeypatch.undo()
    assert len(shown(et.evaluate(large))["text/plain"].splitlines()) < 100


def test_an_object_that_cannot_be_shown_falls_back_to_its_repr(
    tree: et.Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: object, **options: object) -> str:
        raise et.SearchError("no")

    monkeypatch.setattr(notebook, "to_text", failing)
    assert shown(tree) == {}


@pytest.mark.extra
def test_risk_and_sensitivity_are_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = et.load("example:rockefeller")
    reports: list[Any] = [
        et.sensitivity(tree, "pr"), et.sensitivity_map(tree, "pr", "sens", grid=3),
        et.tornado(tree), et.risk(tree),
    ]  # fmt: skip
    for report in reports:
        bundle = shown(report)
        assert set(bundle) == {"text/html", "text/plain"}
        svg = ElementTree.fromstring(svg_of(bundle["text/html"]))
        assert svg.tag == "{http://www.w3.org/2000/svg}svg"
        assert svg[0].text.startswith("Sell the land, drill, or test first. ")
        assert bundle["text/html"].startswith(f'<img alt="{svg[0].text}" ')
        assert bundle["text/plain"] == et.to_text(report, width=100)
    assert "<img" not in shown(et.information(tree, "oil"))["text/html"]
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    assert "<img" not in shown(reports[0])["text/html"]


def test_a_replay_is_shown_in_a_frame_and_saved(tmp_path: Path) -> None:
    page = et.replay("example:risk", ["star2"])
    assert page == et.to_html(et.load("example:risk"), ["star2"])
    assert page == et.replay(et.evaluate("example:risk", "star2"))
    frame = page._repr_html_()
    assert unescape(frame.split('srcdoc="')[1].split('"></iframe>')[0]) == page
    page.save(tmp_path / "risk.html")
    text = (tmp_path / "risk.html").read_text("utf-8")
    assert text.startswith(page.rstrip("\n").removesuffix("</html>"))


def test_rich_shows_what_the_terminal_shows_in_color() -> None:
    tree = et.loads("{title: '[red]x[/red] :smile:', max: [1, {min: [3, 2/3]}]}")
    for shown in (et.evaluate(tree, "star1"), et.compare(tree, "star1"), et.trace(tree), tree):
        file = StringIO()
        Console(file=file, width=80, color_system="standard", force_terminal=True).print(shown)
        colored = file.getvalue()
        text = re.sub("\x1b[^m]*m", "", colored)
        assert text.strip().split() == str(shown).strip().split()
        assert ("\x1b" in colored) is (shown is not tree)
