"""Trees, searches and reports in a notebook: their methods, and IPython's display."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest

import expectitree as et
from expectitree.picture import notebook

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


def text_of(html: str) -> str:
    """Return the visible text of the only element."""
    match = re.fullmatch(r"<pre style=\"[^\"<>]*\">([^<>]*)</pre>", html)
    assert match is not None
    return unescape(match[1])


def test_a_search_is_a_picture(tree: et.Tree) -> None:
    found = et.evaluate(tree, "star1", bounds=(0, 100))
    bundle = shown(found)
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert ElementTree.fromstring(bundle["image/svg+xml"]).tag == "{http://www.w3.org/2000/svg}svg"
    assert "54.5" in bundle["image/svg+xml"]
    assert "<script" not in bundle["image/svg+xml"].lower()
    assert "<b>" not in bundle["image/svg+xml"]
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
        et.find_order_preserving_map(tree),
        et.opponents(et.loads("max: [{min: [1, 2]}, 1]"), [0.1]),
        et.verify(et.loads("expect: {value: 2}\nmax: [1, 2]")),
    ]
    for report in reports:
        bundle = shown(report)
        assert set(bundle) == {"text/html", "text/plain"}
        assert text_of(bundle["text/html"]) == bundle["text/plain"]
        assert bundle["text/plain"].splitlines() == et.to_text(report, width=100).splitlines()


def test_a_long_text_is_cut() -> None:
    report = et.trace(et.generate("ballard", branching=5, seed=1), "star1")
    lines = shown(report)["text/plain"].splitlines()
    whole = et.to_text(report, width=100).splitlines()
    assert lines[:-1] == whole[: notebook.MAX_LINES]
    more = f"… {len(whole) - 200:,} more lines: print(expectitree.to_text(…)) shows them all"
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
        assert set(bundle) == {"image/svg+xml", "text/plain"}
        svg = ElementTree.fromstring(bundle["image/svg+xml"])
        assert svg.tag == "{http://www.w3.org/2000/svg}svg"
        assert bundle["text/plain"] == et.to_text(report, width=100)
    assert set(shown(et.information(tree, "oil"))) == {"text/html", "text/plain"}
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    assert set(shown(reports[0])) == {"text/html", "text/plain"}
