"""Exact output of trees, and limits on its size for deep trees."""

from __future__ import annotations

import gc
import json
import weakref
from fractions import Fraction

import pytest
from files.samples import chain
from helpers import rendered_lines

import expectitree as et
from expectitree.analysis.evaluate.outline import outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.base import compiling
from expectitree.base.numbers import show_exact
from expectitree.searches.engine import search_tree
from expectitree.text.console import ASCII, UNICODE, clipped


def drawn(
    text: str,
    name: str = "expectiminimax",
    width: int = 80,
    rows: int | None = 60,
    **options: object,
) -> list[str]:
    fractions = bool(options.pop("exact", False))
    search = search_tree(et.loads(text), name, **options)  # type: ignore[arg-type]
    with show_exact(fractions):
        return rendered_lines(tree_lines, Evaluation("", search), width, most_rows=rows)


def test_labels_probabilities_and_values_are_aligned() -> None:
    text = "chance: {rain: {p: 0.25, max: {go: 1, stay at home: 2}}, sun: {p: 0.75, utility: 4}}"
    assert drawn(text) == [
        "● CHANCE 3.5",
        "├── rain  p 0.25  ▲ MAX 2 = max(go: 1, stay at home: 2)",
        "└── sun   p 0.75  4",
    ]


def test_ties_are_marked() -> None:
    assert drawn("max: [1, 3, 3]") == ["▲ MAX 3", "├── #1  1", "├─★ #2  3", "└─☆ #3  3"]


def test_a_shared_node_is_drawn_once() -> None:
    text = "nodes: {c: {chance: [{max: [1, 2]}, 4]}}\nmin: [{ref: c}, {ref: c, note: again}]"
    assert drawn(text) == [
        "▼ MIN 3",
        "├─★ #1  @1 ● CHANCE 3  p 0.5 each",
        "│   ├── #1  ▲ MAX 2 = max(1, 2)",
        "│   └── #2  4",
        "└─☆ #2  → @1 ● CHANCE 3",
        "      again",
    ]


def test_exact_numbers_are_fractions() -> None:
    text = "max: [{chance: [1, 1, 2]}, {chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 0}]}]"
    assert drawn(text, exact=True) == [
        "▲ MAX 4/3",
        "├─★ #1  ● CHANCE 4/3 = mean(1, 1, 2)",
        "└── #2  ● CHANCE 1/3 = 1/3·1 + 2/3·0",
    ]
    assert drawn(text) == [
        "▲ MAX 1.33333",
        "├─★ #1  ● CHANCE 1.33333 = mean(1, 1, 2)",
        "└── #2  ● CHANCE 0.333333 = 1/3·1 + 2/3·0",
    ]


def test_a_large_tree_is_elided_around_the_strategy() -> None:
    text = (
        "max: ["
        + ", ".join(f"{{min: [{{max: [{i}, 1]}}, {{max: [5, 60]}}, 70]}}" for i in range(40))
        + "]"
    )
    lines = drawn(text, rows=12)
    assert len(lines) < 25
    assert sum("more node" in line for line in lines) >= 1
    assert any(line.startswith("├─★ #40" if "└─★" not in line else "└─★ #40") for line in lines)


@pytest.mark.parametrize("least_rows", [1, 10**9])  # that are compiled
def test_what_is_left_out_is_counted(least_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for constant in ("SOME_ROWS", "MANY_ROWS"):
        monkeypatch.setattr(compiling, constant, least_rows)
    search = et.evaluate(et.generate("ballard", branching=3, plies=4), engine="interpreted")
    (row,) = outline(search, 1, folded=True)
    assert (row.hidden, row.hidden_branches) == (len(search.tree) - 1, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "reward"), [(40, 0), (80, 0), (200, 0), (80, -250), (60, 3)])
def test_a_deep_tree_keeps_to_the_width(width: int, reward: int) -> None:
    builder = et.TreeBuilder()
    node: object = builder.terminal(1)
    for i in range(5000):
        add = builder.max if i % 2 else builder.min
        node = add([node, 2 - 2 * (i % 2)], rewards=[reward, 0])
    lines = rendered_lines(
        tree_lines, Evaluation("", et.evaluate(builder.build(node))), width, most_rows=None
    )
    assert len(lines) > 9000
    assert max(map(len, lines)) <= width


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_what_is_left_out_of_a_very_deep_tree_is_counted(exact: bool) -> None:
    """The sizes of all subtrees sum to more than 2^31."""
    lines = et.to_text(et.evaluate(chain(47_000, exact))).splitlines()
    assert [line.partition("…")[2].strip() for line in lines if "more node" in line] == [
        "│   │   │   │   │   │   │   │   │   │   │     … 93,940 more nodes",
        "│   │   │   │   │   │   │   │   │   │   └── … 1 more node",
    ]


def test_deep_json_does_not_nest_without_end() -> None:
    builder = et.TreeBuilder()
    node: object = builder.terminal(1)
    for _ in range(2000):
        node = builder.max([node])
    text = et.to_json(et.evaluate(builder.build(node)))
    found = json.loads(text)
    deepest = depth = 0
    for character in text:
        depth += (character in "{[") - (character in "}]")
        deepest = max(deepest, depth)
    assert deepest <= 2 * 300 + 5
    count, here = 1, found["tree"]
    while "children" in here or "ref" in here:
        if "ref" in here:
            here = found["nodes"][str(here["ref"])]
            continue
        here = here["children"][0]
        count += 1 if "kind" in here else 0
        if "ref" in here:
            count += 1
    assert count == 2001
    assert found["nodes"]["total"] == 2001


def test_json_writes_a_shared_node_once() -> None:
    found = json.loads(et.to_json(et.evaluate(et.loads("max: [&a {min: [1, 2]}, *a]"))))
    first, second = found["tree"]["children"]
    assert (first["id"], first["kind"], second) == (1, "MIN", {"label": "#2", "ref": 1})


def test_json_writes_infinite_and_exact_numbers_as_text() -> None:
    tree = et.loads("max: [1/3, 2]")
    found = json.loads(
        et.to_json(search_tree(tree, "star1", bounds=(Fraction(0), float("inf"))), windows=True)
    )
    assert found["bounds"] == ["0", "inf"]
    assert found["tree"]["window"] == ["0", "inf"]
    assert found["tree"]["children"][0]["lower"] == "1/3"


def test_huge_exact_values_are_abbreviated() -> None:
    assert drawn("max: [1e399]", exact=True)[0] == "▲ MAX about 1e+399"
    assert drawn("max: [1e399]")[0] == "▲ MAX 1e+399"


LONG = "Wait for the results of the next test before you decide"
WIDE = f"max: {{{LONG}: {{cost: 1234, chance: [5000, -7500, 0]}}, insure: -1850}}"


def test_a_label_is_whole_where_there_is_room_and_the_answer_always() -> None:
    assert drawn(WIDE, width=110) == [
        "▲ MAX −1,850",
        f"├── {LONG}  cost 1,234  ● CHANCE −2,067.33",
        "│     = mean(5,000, −7,500, 0) − 1,234",
        f"└─★ {'insure':{len(LONG)}}              −1,850",
    ]
    assert drawn(WIDE)[1].startswith("├── Wait for the results of the next test…  cost 1,234  ● ")
    tree = et.loads(WIDE.replace("-1850", "-9999"))
    shown = et.to_text(et.evaluate(tree), width=50)
    best = "best Wait for the results of the next test before you decide"
    assert best in " ".join(shown.split())
    for width in (60, 200):
        assert f"best: {LONG}" in et.to_text(et.compare(tree), width=width).replace("\n", " ")


def test_equal_probabilities_are_shown_once_and_fractions_as_in_the_file() -> None:
    text = "chance: {a: {p: 1/216, max: [1, 2]}, b: {p: rest, chance: [{max: [1]}, 2, 3]}}"
    assert drawn(text) == [
        "● CHANCE 2",
        "├── a  p 1/216    ▲ MAX 2 = max(1, 2)",
        "└── b  p 215/216  ● CHANCE 2  p 1/3 each",
        "    ├── #1  ▲ MAX 1 = max(1)",
        "    ├── #2  2",
        "    └── #3  3",
    ]
    lines = drawn("max: {a long label here: {chance: [{max: [1]}, 2, 3]}, b: 1}", width=30)
    assert lines[1:3] == ["├─★ a long …  ● CHANCE 2", "│   │   p 1/3 each"]


def test_a_console_without_unicode_has_plain_signs() -> None:
    tree = et.loads("max: {−: -1850, b: {min: [-2000, 3]}}")
    text = et.to_text(et.evaluate(tree, "star1"), unicode=False)
    assert text.isascii()
    assert "|-* -  -1,850" in text
    assert "at most -2,000 <= alpha -1,850" in text


def test_without_unicode_every_character_is_ascii() -> None:
    pieces = (*ASCII.turns, *ASCII.guides, *ASCII[2:6], *ASCII.kinds.values(), *ASCII[7:])
    assert all(part.isascii() for part in pieces)
    assert len(ASCII) == len(UNICODE)


def test_wide_characters_take_two_columns() -> None:
    assert clipped("日本語の木", 6) == "日本…"


def test_a_report_is_freed_with_its_last_reference() -> None:
    """Its columns may fill most of the memory, and the garbage collector may wait for long."""
    evaluation = Evaluation("", et.evaluate(et.load("example:risk"), "star1"))
    assert rendered_lines(tree_lines, evaluation)
    search = weakref.ref(evaluation.search)
    gc.disable()
    try:
        del evaluation
        assert search() is None
    finally:
        gc.enable()
