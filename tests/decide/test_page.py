"""`expectitree report`: a page for a client, with all that the analyses found."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers import ROOT, run_main, sentences

import expectitree as et
from expectitree.decide.page import page_of

pytestmark = pytest.mark.extra  # matplotlib
OIL = str(ROOT / "trees" / "rockefeller.yaml")


class Page(HTMLParser):
    """The headings, the texts and the pictures of a page; a tag that is not closed is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.pictures: list[str] = []
        self.words, self.open = "", list[str]()
        self.feed(text[text.index("<body>") + 6 :])
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.pictures.append(str(dict(attrs)["src"]))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)


def test_a_page_has_every_part(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = run_main("report", OIL, "-o", str(out))
    assert (done.status, done.err) == (0, f"{out} written\n")
    text = out.read_text("utf-8")
    page = Page(text)
    assert page.headings == [
        *("Sell the land, drill, or test first", "Recommendation", "First: choose test"),
        *("After test, plus: choose install", "After test, minus: choose sell", "The tree"),
        *("Inputs", "What the value depends on", "Where the decision changes"),
        *("pr: probability of oil", "sens: probability of plus if there is oil"),
        *("spec: probability of minus if there is none", "How risky it is"),
        "What information is worth",
    ]
    words = " ".join(page.words.split())
    for part in (
        "Choose test. It is worth 1,075 on average.",
        "install is worth (2,500 + 0)/2 less its cost of 250 = 1,000: worse than 1,075.",
        "It can fall by 0.1806 or rise by 0.1071 before another action is best.",
        "No action dominates another",
        "EVPI oil 1,500 425",
    ):
        assert part in words
    assert len(page.pictures) == 6  # the tree, the tornado, three inputs, the profile
    assert all(picture.startswith("data:image/svg+xml;base64,") for picture in page.pictures)
    assert not re.search(r"<script|<link|src=\"http|url\(", text)
    assert "█" not in text
    assert "--" not in page.words.replace("-- ", "")  # no options of commands
    assert run_main("report", OIL, "-o", str(out)).status == 0  # it replaces its own page


def test_a_page_shows_criteria_and_their_frontier() -> None:
    page = Page(page_of(et.load("example:programmes")))
    assert "Criteria" in page.headings
    words = " ".join(page.words.split())
    for part in ("D ★ 25,000 35,000 4", "3 ★ D 35,000 4 25,000 2 12,500", "A 12,000 1.5 dominated"):
        assert part in words
    assert "Criteria" not in Page(page_of(et.load("example:rockefeller"))).headings


def test_what_a_tree_does_not_have_is_left_out() -> None:
    page = Page(page_of(et.loads("max: {a: 1, b: {min: [2, 3]}}"), "x.yaml"))
    assert page.headings[-2:] == ["After b: MIN chooses #1", "The tree"]
    page = Page(page_of(et.loads("parameters: {a: 0}\nmax: {x: a, y: 1}")))
    assert "Left out: no parameter can move" in page.words


def test_a_page_shows_texts_as_they_are() -> None:
    text = """title: '<b>&"'
parameters: {a: {value: 3, range: [1, 5], unit: $, description: '<i>'}}
attitude: {exponential: 10}
max: {'<x>': a, '<y>': {event: '<e>', chance: {'<o>': 1, '<p>': 9}}}
"""
    page = Page(page_of(et.loads(text), "<f>"))
    assert page.headings[0] == '<b>&"'
    for part in ("<x>", "<y>", "a: <i>", "<e>", "$3", "a certainty equivalent of", "from <f>."):
        assert part in page.words


def test_a_report_is_about_one_tree() -> None:
    done = run_main("report", OIL, OIL, "-o", "x.html")
    assert (done.status, "give one FILE" in sentences(done.err)) == (2, True)
    done = run_main("report", OIL, "-o", "x.pdf")
    assert (done.status, "a browser prints it as PDF" in sentences(done.err)) == (2, True)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.decide.page.find_spec", lambda name: None)
    done = run_main("report", OIL, "-o", "x.html")
    assert done.status == 2
    assert "a report has plots, which need matplotlib: " in sentences(done.err)
