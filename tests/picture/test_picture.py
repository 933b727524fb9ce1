"""`expectitree draw`: pictures show the tree, nothing overlaps, and labels stay text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, cuts_of, for_each, invoke, load
from random_trees import Case

import expectitree as et
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.tables import PICTURES
from expectitree.base.tree.model import Kind
from expectitree.picture.blocks import edge_block
from expectitree.picture.content import BEST, PLAIN, PLAYED, Edge, Glyph, Style
from expectitree.picture.diagram import Diagram, diagram
from expectitree.picture.drawing import drawn as drawn_as
from expectitree.picture.marks import Box, Line, Point, Symbol, Text
from expectitree.picture.marks import Path as Path_
from expectitree.picture.text import broken, is_measured, text_width
from expectitree.searches.cuts import PROBED

TREES = sorted((ROOT / "trees").iterdir())
LEFT = "trees/aima-5.12-left.yaml"
NAMES = ["expectiminimax", "star1", "star2"]
HOSTILE = "\"'<b>&amp; \\end{document} $x_1^2$ #%~ {}[]|`-->]]> ]; } 中文 é ü ß \u202e😀"
PLAIN_STYLE = Style()
SVG = "{http://www.w3.org/2000/svg}"


def drawn(tree: et.Tree, name: str = "star1", **wanted: Any) -> Diagram:
    style = {key: wanted.pop(key) for key in list(wanted) if key in Style.__dataclass_fields__}
    return diagram(Evaluation("", et.evaluate(tree, name), **wanted), Style(**style))


def text_of(kind: str, tree: et.Tree, name: str = "star1", style: Style = PLAIN_STYLE) -> str:
    return str(drawn_as(kind, Evaluation("", et.evaluate(tree, name)), style).data)


def lines_of(picture: Diagram) -> list[tuple[Edge, list[Line]]]:
    """Return each edge with its lines."""
    found = []
    for group in picture.groups:
        lines = [mark for mark in group.marks if isinstance(mark, Line)]
        if isinstance(group.of, Edge) and lines:
            found.append((group.of, lines))
    return found


# ---- Nodes and branches.


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_every_node_and_every_branch_is_drawn_once(file: Path, name: str) -> None:
    tree = et.load(file)
    search = et.evaluate(tree, name)
    found = drawn(tree, name, rows=None).content
    glyphs = [glyph for glyph in found.glyphs if glyph.kind in Kind.__members__]
    assert {glyph.node for glyph in glyphs} == set(range(len(tree)))
    assert len(found.edges) == len(tree.columns.child)
    for glyph in glyphs:
        assert glyph.kind == Kind(tree.columns.kind[glyph.node]).name
        assert glyph.is_grey or search.visits[glyph.node]
    bold = sum(edge.rank in (BEST, PLAYED) for edge in found.edges)
    players = [n for n in range(len(tree)) if tree.columns.kind[n] in (Kind.MAX, Kind.MIN)]
    assert bold == sum(
        search.is_exact(n)
        and bool(search.visits[n])
        and any(search.visits[tree.columns.child[b]] for b in best[:1])
        for n in players
        if (best := list(search.best_branches(n))) or True
    )


@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_a_cut_is_a_double_stroke(file: Path) -> None:
    tree = et.load(file)
    for name in NAMES:
        evaluation = Evaluation("", et.evaluate(tree, name))
        found = diagram(evaluation, Style(rows=None))
        crossed = [edge for edge, lines in lines_of(found) if len(lines) == 2]
        dotted = {edge.parent.node for edge, _ in lines_of(found) if edge.is_unprobed}
        crossed = [edge for edge in crossed if edge.is_cut]
        cuts = cuts_of(evaluation.explanation)
        assert sorted(edge.parent.node for edge in crossed) == sorted(cuts)
        assert len(crossed) == evaluation.search.counts.cuts  # which the summary shows
        assert all(evaluation.search.cut[n] == PROBED for n in dotted)
        for edge, lines in lines_of(found):
            strokes = [2] * edge.is_cut + [1] * edge.is_unprobed
            assert [len(line.paths) for line in lines[1:]] == strokes
        if name == "expectiminimax":
            assert not crossed
        for edge in crossed:
            # A probe may have visited the child.
            assert edge.is_grey is not bool(evaluation.search.visits[edge.child.node])
            assert edge.rank == PLAIN


# ---- Nothing overlaps.


def overlap(one: Box, other: Box) -> bool:
    slack = 0.01
    return (
        one.left < other.right - slack
        and other.left < one.right - slack
        and one.top < other.bottom - slack
        and other.top < one.bottom - slack
    )


def check_room(found: Diagram) -> None:
    boxes = [group.box for group in found.groups if group.box]
    for box in boxes:
        assert box.left >= 0
        assert box.top >= 0
        assert box.right <= found.width + 0.01
        assert box.bottom <= found.height + 0.01
    check_lines(found)
    boxes.sort()
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            if other.left >= one.right:
                break
            assert not overlap(one, other), (one, other)


def segments(path: Path_) -> Iterator[tuple[Point, Point]]:
    """Yield the straight parts of a path; a curve is about 20 of them."""
    points = list(path.points)
    if path.curve:
        corners = (points[-1], *path.curve)
        for step in range(1, 21):
            t = step / 20
            weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            points.append(
                tuple(sum(w * c[i] for w, c in zip(weights, corners, strict=True)) for i in (0, 1))
            )
    points += path.rest
    yield from pairwise(points)


def text_box(text: Text) -> Box:
    width = text_width(text.text, text.size, text.is_bold)
    left = text.x - width / 2 if text.is_centred else text.x
    return Box(left, text.y - 0.75 * text.size, left + width, text.y + 0.2 * text.size)


def crosses(segment: tuple[Point, Point], box: Box) -> bool:
    """Return whether a segment has a part within a box (Liang and Barsky, 1984)."""
    (x, y), (to_x, to_y) = segment
    start, end = 0.0, 1.0
    for way, room in (
        (x - to_x, x - box.left), (to_x - x, box.right - x),
        (y - to_y, y - box.top), (to_y - y, box.bottom - y),
    ):  # fmt: skip
        if way == 0:
            if room <= 0:
                return False
        elif way < 0:
            start = max(start, room / way)
        else:
            end = min(end, room / way)
    return start < end - 1e-6


def check_lines(found: Diagram) -> None:
    """Check that no line runs through a text."""
    marks = [mark for group in found.groups for mark in group.marks]
    texts = [(mark, text_box(mark)) for mark in marks if isinstance(mark, Text)]
    for line in marks:
        if isinstance(line, Line):
            for segment in (segment for path in line.paths for segment in segments(path)):
                low, high = sorted(x for x, _ in segment)
                for text, box in texts:
                    if box.left < high + 1 and low - 1 < box.right:
                        assert not crosses(segment, box), (segment, text)


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["auto", "down", "right"])
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_nothing_overlaps_in_shipped_trees(file: Path, direction: str) -> None:
    for exact in (False, True):
        tree = load(file, exact=exact)
        for name in NAMES:
            check_room(drawn(tree, name, direction=direction, windows=True, reasons=True))


@pytest.mark.parametrize("pays", [False, True], ids=["free", "pays"])
@for_each("seed", range(20), range(20, 40))
def test_nothing_overlaps_in_random_trees(seed: int, pays: bool) -> None:
    tree = Case(seed, pays).tree(exact=seed % 2 == 0)
    style = {"windows": seed % 3 == 0, "reasons": seed % 4 < 2}
    for direction in ("auto", "down", "right"):
        check_room(drawn(tree, "star2", direction=direction, rows=150, **style))


def test_nothing_overlaps_in_wide_deep_and_shared_trees() -> None:
    wide = et.loads(
        "max: {"
        + ", ".join(f"'a long label of number {i}': {i * 1000}.25" for i in range(40))
        + "}"
    )
    deep = "1"
    for ply in range(60):
        rare = f"{{chance: [{{p: 1e-12, max: [{deep}]}}, {{p: 0.999999999999, utility: 1}}]}}"
        deep = f"{{max: [{deep}, 0]}}" if ply % 2 else rare
    for tree in (wide, et.loads(deep), et.load("example:shared")):
        for direction in ("down", "right"):
            check_room(drawn(tree, "star1", direction=direction, rows=None))


def test_a_large_tree_is_drawn_in_part() -> None:
    tree = et.generate("uniform", plies=6, branching=4, seed=1)
    found = drawn(tree, "star2")
    check_room(found)
    glyphs = found.content.glyphs
    assert 60 < sum(glyph.kind in Kind.__members__ for glyph in glyphs) <= 130
    assert any("more node" in glyph.tooltip for glyph in glyphs if glyph.kind == "NOTE")


# ---- Size.

SIX_WIDE = "trees/ballard-6.yaml"


def test_a_wide_tree_fits_a_slide_with_legible_text() -> None:
    found = drawn(et.load(ROOT / SIX_WIDE), "star2")
    assert found.width <= 960
    assert found.least_width <= 960
    assert len(found.content.glyphs) == 259  # nothing is elided
    check_room(found)
    narrow = drawn(et.load(ROOT / SIX_WIDE), "star2", width=600)
    assert narrow.width * narrow.scale == pytest.approx(600)
    assert narrow.least_width <= 600
    check_room(narrow)


def test_a_small_tree_grows_down_without_runs() -> None:
    tree = et.load(ROOT / "trees/ballard.yaml")
    auto, down = drawn(tree, "star2"), drawn(tree, "star2", direction="down", width=2000)
    assert (auto.width, auto.height) == (down.width, down.height)
    assert len(lines_of(auto)) == len(tree.columns.child)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_branches_to_one_shared_node_arrive_apart(direction: str) -> None:
    chance = "{chance: [{p: 0.4, ref: end}, {p: 0.6, ref: end}]}"
    inner, leaf = "{min: {a: 1, b: 2}}", "3"
    for node in (inner, leaf):
        for style in ("game", "decision"):
            text = f"nodes: {{end: {node}}}\nmax: [{chance}, {{ref: end}}, {{min: [{{ref: end}}]}}]"
            found = drawn(et.loads(text), direction=direction, style=style)
            check_room(found)
            ends = [
                (edge.child.node, (line.paths[-1].rest or line.paths[-1].points)[-1])
                for edge, (line, *_) in lines_of(found)
            ]
            assert len({*ends}) == len(ends) == {inner: 8, leaf: 6}[node]


@pytest.mark.parametrize("name", ["pig", "pig-repeated", "hiv", "shared"])
def test_a_branch_from_far_above_names_its_node(name: str) -> None:
    found = drawn(et.load(f"example:{name}"), rows=None)
    layer = found.content.layer
    assert max(layer[edge.child] - layer[edge.parent] for edge in found.content.edges) <= 2
    notes = [glyph.value for glyph in found.content.glyphs if glyph.kind == "ELSEWHERE"]
    values = " ".join(glyph.value for glyph in found.content.glyphs if glyph.kind != "ELSEWHERE")
    assert all(note.removeprefix("→ ") in values for note in notes)
    assert bool(notes) == name.startswith("pig")


def test_a_title_without_width_is_no_division_by_zero() -> None:
    check_room(drawn(et.loads("{title: '\u0301', max: [1, 2]}"), "star1"))


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_run_shows_every_leaf_with_its_best_and_its_cut(direction: str) -> None:
    tree = et.load(ROOT / SIX_WIDE)
    found = drawn(tree, "star2", direction=direction)
    check_room(found)
    symbols = {
        group.of.node: mark
        for group in found.groups
        for mark in group.marks
        if isinstance(mark, Symbol) and isinstance(group.of, Glyph)
    }
    assert len(symbols) == 259
    best = {edge.child.node for edge in found.content.edges if edge.rank >= BEST}
    leaves = {n for n in best if tree.columns.kind[n] == Kind.TERMINAL}
    assert leaves == {n for n, symbol in symbols.items() if symbol.colour == "best"}
    cuts = {id(edge) for edge in found.content.edges if edge.is_cut or edge.is_unprobed}
    assert cuts == {id(edge) for edge, lines in lines_of(found) if len(lines) == 2}


def test_a_note_never_hides_one_or_two_leaves() -> None:
    for seed in range(6):
        tree = et.generate("uniform", plies=5, seed=seed)
        for kind in ("svg", "mmd"):
            text = text_of(kind, tree, "star2", Style(rows=40))
            assert "more node" in text or kind == "mmd"
            assert not re.search(r"… [12] more(?! cut)", text), (seed, kind)
        for note in drawn(tree, "star2", rows=40).content.edges:
            if note.child.kind == "NOTE":
                assert not re.match("… [12] more", note.child.tooltip)


# ---- Styles, totals and labels.


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_the_style_of_decision_analysis_has_room_and_its_shapes(file: Path, direction: str) -> None:
    tree = et.load(file)
    found = drawn(tree, "star2", style="decision", totals=True, direction=direction, rows=60)
    check_room(found)
    shapes = {"MAX": "SQUARE", "MIN": "DOWN", "CHANCE": "CIRCLE", "TERMINAL": "END"}
    for glyph in found.content.glyphs:
        assert glyph.shape == shapes.get(glyph.kind, "")
    assert "Squares are MAX" in found.content.description


def test_a_label_breaks_between_words_and_is_whole() -> None:
    label = "the test turns out to be accurate because of working from home"
    outcomes = f"{{{label}: {{p: 0.55, cost: 3, utility: 1}}, b: {{p: rest, utility: 2}}}}"
    tree = et.loads(f"max: {{a: {{chance: {outcomes}}}}}")
    edge = next(edge for edge in drawn(tree).content.edges if len(edge.label) > 1)
    assert " ".join(edge.label) == label
    block = edge_block(edge, is_down=False)
    assert block is not None
    assert [mark.text for mark in block.marks if isinstance(mark, Text)][-1] == "p 0.55, −3 → −2"
    assert broken("one two three four", 9, 2) == ("one two", "three …")


def test_a_text_states_its_width_unless_its_letters_are_unknown() -> None:
    assert text_width("Value −5", 10) == pytest.approx(39.8, abs=0.1)
    assert text_width("é", 10) == text_width("e", 10)
    assert is_measured("Café ≤ −5")
    assert not is_measured("中文")
    text = text_of("svg", et.loads("max: {中文: 1, sell: 2}"), "star1", Style(title=False))
    assert re.search('textLength="20"[^>]*>sell', text)
    assert not re.search("textLength=[^>]*>中文", text)


# ---- What branches pay.

OIL = """
title: Sell the land, drill, or test first
max:
  sell: 750
  install: {cost: 250, chance: {oil: {p: 0.5, utility: 2500}, none: {p: 0.5, utility: 0}}}
  test:
    cost: 100
    chance:
      plus: {p: 0.6, max: {drill: {cost: 250, utility: 1875}, sell: 1000}}
      minus: {p: 0.4, reward: 5, utility: 495}
"""


def test_to_the_right_the_texts_of_a_branch_are_one_line() -> None:
    found = drawn(et.loads(OIL), direction="right")
    texts = {mark.text for group in found.groups for mark in group.marks if isinstance(mark, Text)}
    assert {"sell", "test, −100 → 1,075", "oil, p 0.5", "minus, p 0.4, +5 → 500"} <= texts


def test_leaves_with_payments_are_no_run() -> None:
    leaves = ", ".join(f"{{cost: {n}, utility: {n}}}" for n in range(9))
    rows = ", ".join(f"r{n}: {{min: [{leaves}]}}" for n in range(9))
    tree = et.loads(f"max: {{{rows}}}")
    found = drawn(tree, "expectiminimax")
    assert len(lines_of(found)) == len(found.content.edges) == len(tree.columns.child)
    check_room(found)


# ---- Kinds of files.


@pytest.mark.slow
def test_an_svg_refers_to_nothing() -> None:
    for file in TREES:
        tree, whole = et.load(file), Style(rows=None)
        text = text_of("svg", tree, style=whole)
        root = ElementTree.fromstring(text)
        assert root.tag == f"{SVG}svg"
        assert root.attrib["role"] == "img"
        assert root.findtext(f"{SVG}title")
        description = root.findtext(f"{SVG}desc") or ""
        assert re.search("Triangles that point up are MAX|Squares are MAX", description)
        assert not re.search(r"<script|href|url\(|@import|<style|<foreignObject", text)
        assert len(root.findall(f".//{SVG}circle")) == sum(
            k == Kind.CHANCE for k in tree.columns.kind
        )
        assert text == text_of("svg", et.load(file), style=whole)  # the same bytes every time


def test_themes_differ_only_in_colours() -> None:
    tree = et.load(LEFT)
    light, dark = (text_of("svg", tree, style=Style(theme=theme)) for theme in ("light", "dark"))
    assert light != dark
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)


@pytest.fixture(scope="module")
def hostile() -> et.Tree:
    builder = et.TreeBuilder()
    coin = builder.chance({HOSTILE: 1, "b": 0})
    return builder.build(
        builder.max({HOSTILE + "x": coin, "]]></svg>": 2}), title=HOSTILE, source=HOSTILE
    )


def test_labels_are_escaped_in_svg(hostile: et.Tree) -> None:
    root = ElementTree.fromstring(text_of("svg", hostile, style=Style(reasons=True)))
    assert HOSTILE[:20] in (root.findtext(f"{SVG}title") or "")
    assert not root.findall(f".//{SVG}b")


def test_labels_are_escaped_in_dot(hostile: et.Tree) -> None:
    for line in text_of("dot", hostile).splitlines():
        without = re.sub(r'"(?:[^"\\]|\\.)*"', "", line)  # All quoted strings are closed.
        assert re.fullmatch(r"[\w ={}\[\]>-]*", without), line


def test_labels_are_escaped_in_mermaid(hostile: et.Tree) -> None:
    lines = text_of("mmd", hostile).splitlines()
    assert lines[0] == lines[2] == "---"
    for line in lines[4:]:
        for text in re.findall(r'"([^"]*)"', line):
            assert not re.search(r"[\\`<>{}|%$\"](?!br/>)", text.replace("<br/>", "")), text
            assert "😀" not in text  # The character appears as a numeric reference.


# ---- The command.


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(one, marks=pytest.mark.extra) if one in (".png", ".pdf") else one
        for one in PICTURES
    ],
)
def test_the_ending_chooses_the_format(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"tree{ending}"
    done = invoke("draw", LEFT, "-o", str(out))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr == f"{out} written\n"
    assert out.stat().st_size > 900
    start = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>"}
    assert out.read_bytes().startswith(start.get(ending, b""))
    how = (
        []
        if ending == ".html"
        else ["--theme", "dark", "--direction", "right", "--style", "decision", "--totals"]
    )
    assert invoke("draw", LEFT, "-o", str(out), "-a", "star2", *how).exit_code == 0
    out.write_text("mine")
    again = invoke("draw", LEFT, "-o", str(out))
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert invoke("draw", LEFT, "-o", str(out), "--force").exit_code == 0


def test_a_missing_library_is_reported_with_the_command_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.picture.drawing.find_spec", lambda name: None)
    done = invoke("draw", LEFT, "-o", str(tmp_path / "x.png"))
    message = "pictures as .png and .pdf need vl-convert: pip install '.[draw]' in a clone of the"
    assert f"{message} repository, or draw .svg" in f"{done.stderr}{done.exception}"
    assert invoke("draw", LEFT, "-o", str(tmp_path / "x.svg")).exit_code == 0
