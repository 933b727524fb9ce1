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
        *("Sell the land, drill, or test first", "Recommendation", "The tree"),
        *("The reasons", "First: choose test", "After test, plus: choose install"),
        *("After test, minus: choose sell", "What the value depends on"),
        *("Where the decision changes", "How risky it is", "What information is worth"),
    ]
    words = " ".join(page.words.split())
    for part in (
        "Choose test. It is worth 1,075 on average.",
        "install is worth (2,500 + 0)/2 less its cost of 250 = 1,000: worse than 1,075.",
        "pr probability of oil 0.5 0.3 to 0.7 750 1,500",
        "pr 0.319444 sell test 0.607143 test install sens 0.814286 install test",
        "No value in its range changes the decision: spec.",
        "No action dominates another",
        "EVPI oil 1,500 425",
    ):
        assert part in words
    assert len(page.pictures) == 5  # the tree, the tornado, two inputs, the profile
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


UNCERTAIN = """parameters:
  wtp: {value: 2, range: [0, 5], unit: €}
  p: {value: 1/3, range: [1/7, 2/3], distribution: "beta(1, 2)"}
  idle: {value: 3, range: [1, 4]}
  w: 1
criteria: {cost: {unit: €}, days: {unit: days}}
objective: wtp*days - cost*w
max:
  wait: 0
  act:
    chance:
      good: {p: p, utility: {cost: 1 + idle*0, days: 7}}
      bad: {p: rest, utility: {cost: 4}}
"""
PARTS = [
    ("recommendation", "Choose act. It is worth 1.66667 on average."),
    ("reasons", "First: choose act wait is worth 0"),
    ("criteria", "act ★ 1.66667 3 2.33333"),
    ("criteria", "action value cost (€) days"),
    ("criteria", "The objective is wtp*days - cost*w."),
    ("inputs", "Inputs that do not change the value input meaning value range idle 3 1 to 4"),
    ("thresholds", "p 0.235294 wait act"),
    ("risk", "act ★ 1.66667"),
    ("information", "It has no events."),
    ("uncertainty", "Knowing all parameters in advance is worth at most"),
    ("uncertainty,risk", "How risky it is action mean"),
]


@pytest.mark.parametrize(("parts", "expected"), PARTS)
def test_a_page_has_the_parts_that_were_asked(parts: str, expected: str) -> None:
    page = Page(page_of(et.loads(UNCERTAIN), parts=parts.split(",")))
    words = " ".join(page.words.split())
    assert expected in words
    assert page.headings.count("Recommendation") == (parts == "recommendation")
    assert not re.search(r"--| -[a-z]\b|[0-9]/[0-9]|EXPECTITREE|option", page.words)


def test_a_page_shows_the_draws_of_uncertain_inputs() -> None:
    page = Page(page_of(et.loads(UNCERTAIN), parts=["uncertainty"]))
    assert len(page.pictures) == 2  # the distributions, and the acceptability by wtp


def test_an_unknown_part_is_an_error_that_lists_them() -> None:
    done = run_main("report", OIL, "--parts", "inputs,rsk", "-o", "x.html")
    expected = (
        "no part 'rsk' (did you mean 'risk'?)\nhelp: the parts are recommendation, tree, reasons, "
    )
    assert (done.status, expected in done.err) == (2, True)


@pytest.mark.parametrize(
    "model",
    [
        "parameters: {a: 0}\nmax: {x: a, y: 1}",  # no parameter can move
        "example:hiv",  # counters
        "parameters: {w: 2, v: 3}\ncriteria: [a]\nobjective: w*v*a\nmax: {x: {utility: {a: 1}}}",
        "parameters: {w: 2}\ncriteria: [a]\nobjective: w^2*a\nmax: {x: {utility: {a: 1}}}",
        "parameters: {w: 2}\ncriteria: [a, b]\nobjective: w*a - b\nmax: {x: {utility: {a: w}}}",
        "attitude: {exponential: 5}\nparameters: {p: {value: 0.5, distribution: 'beta(1, 2)'}}\n"
        "max: {x: {chance: {u: {p: p, utility: 3}, v: {p: rest, utility: 1}}}, y: 2}",
        "min: {a: {max: [1, 2]}, b: {chance: [1, 2]}}",
    ],
)
def test_a_page_says_nothing_of_commands(model: str) -> None:
    tree = et.load(model) if model.startswith("example:") else et.loads(model)
    assert not re.search(r"--| -[a-z]\b|EXPECTITREE|ask `", Page(page_of(tree)).words)


def test_what_a_tree_does_not_have_is_left_out() -> None:
    page = Page(page_of(et.loads("max: {a: 1, b: {min: [2, 3]}}"), "x.yaml"))
    assert page.headings[-2:] == ["First: MAX chooses b", "After b: MIN chooses #1"]
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
    for part in (
        "<x>",
        "<y>",
        "a <i>",
        "<e>",
        "$3 $1 to $5",
        "a certainty equivalent of",
        "from <f>.",
    ):
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
