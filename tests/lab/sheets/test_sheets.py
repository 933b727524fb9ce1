"""Sheets: variants with enough cuts, pages to print, LaTeX and Moodle, and one key."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from base64 import b64decode
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers import ROOT, invoke

import expectitree as et
from expectitree.base.algorithms import ALGORITHMS, algorithm
from expectitree.base.expressions.syntax import text_of
from expectitree.base.tree.transform import without_formulas
from expectitree.lab.sheets.latex import document
from expectitree.lab.sheets.moodle import quiz
from expectitree.lab.sheets.paper import pdf, web_page
from expectitree.lab.sheets.variants import (
    HEIGHT,
    WIDTH,
    Sheet,
    Wanted,
    make_variants,
    redrawn,
    task_of,
)
from expectitree.picture.hidden import BLANK
from expectitree.picture.marks import Text
from expectitree.text.phrases import chance_text

MINIMAX = {"pattern": "max,min", "branching": 3, "utilities": "0,20"}
CHANCE = {"pattern": "max,min,chance", "branching": 2, "utilities": "0,20"}
HOSTILE = "50% & <b>#1</b> {a_b} ~^ \\end{document} ]]>"


def sheet_of(
    source: Any = "uniform", name: str = "star1", number: int = 3, **options: Any
) -> Sheet:
    if source == "uniform":
        options = {**CHANCE, **options}
    about = {key: options.pop(key) for key in Wanted.__match_args__ if key in options}
    wanted = Wanted(number=number, **about)
    variants = make_variants(source, algorithm(name), wanted, **options)
    return Sheet("Sheet", task_of(variants[0].search, variants[0].windows), variants)


# ---- The variants.


@pytest.mark.parametrize(
    ("name", "family", "cuts"), [("alphabeta", MINIMAX, 2), ("star2", CHANCE, 1)]
)
def test_every_variant_has_enough_cuts_and_one_best_action(
    name: str, family: dict[str, Any], cuts: int
) -> None:
    variants = make_variants("uniform", algorithm(name), Wanted(8, 7, cuts), **family)
    assert len({tuple(variant.search.tree.columns.utility) for variant in variants}) == 8
    for variant in variants:
        found = et.evaluate(variant.search.tree, exact=True)
        assert found.ties == (variant.answers["Best action"],)
        assert found.value == variant.search.value
        assert variant.search.counts.cuts >= cuts
        again = et.generate("uniform", seed=variant.seed, **family)
        texts = [[f"{float(u):g}" for u in t.columns.utility] for t in (again, variant.search.tree)]
        assert texts[0] == texts[1]


EVEN = {  # how often each action is best, in as many variants as the sheet has
    ("uniform -a alphabeta", 10): [3, 3, 4],
    ("uniform", 7): [3, 4],
    ("uniform --branching 4 --pattern max,chance", 8): [2, 2, 2, 2],
    ("trees/risk.yaml", 5): [2, 3],
    ("trees/rockefeller.yaml", 6): [2, 2, 2],
    ("uniform --pattern min,max --branching 3 -a alphabeta --min-cuts 2", 3): [3],
    ("uniform --pattern chance,max", 4): [],
}


@pytest.mark.parametrize(("words", "number"), EVEN)
def test_each_action_is_best_as_often_as_any_other(
    words: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, *options = words.split()
    if source.endswith(".yaml"):
        source = str(ROOT / source)
    monkeypatch.chdir(tmp_path)
    done = invoke("sheet", source, *options, "-n", str(number), "--trees", "trees")
    bests = [et.evaluate(et.load(tree)).best for tree in Path("trees").iterdir()]
    counts = Counter(best for best in bests if best is not None)
    assert sorted(counts.values()) == EVEN[words, number]
    only = f"the best action is {bests[0]} in {number} of {number} variants: trees in which another"
    assert (only in done.stderr) == (EVEN[words, number] == [number])


def test_a_seed_makes_the_same_sheet_and_another_seed_another() -> None:
    seeds = [[v.seed for v in sheet_of(seed=seed).variants] for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1]
    assert not {*seeds[0]} & {*seeds[2]}


def test_by_hand_alphabeta_knows_no_bounds_and_star1_those_that_the_page_states() -> None:
    for name, bounds in (("alphabeta", (-math.inf, math.inf)), ("star1", (0, 20))):
        sheet = sheet_of(name=name, min_cuts=0)
        assert sheet.variants[0].search.bounds == bounds
        assert ("Every utility lies in [0,\xa020]." in sheet.task) == (name == "star1")
    assert sheet_of(name="alphabeta", bounds=(-5, 25)).variants[0].search.bounds == (-5, 25)


@pytest.mark.parametrize("bounds", [None, (-100, 9000)])
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("source", ["uniform", "local-bounds", "rockefeller"])
def test_the_file_of_a_variant_has_the_results_of_the_key(
    source: str, name: str, bounds: tuple[int, int] | None
) -> None:
    parameters: dict[str, Any] = {"branching": 3, "plies": 3, "utilities": "0,5"}
    tree: Any = source
    if source != "uniform":
        parameters, tree = {}, et.load(f"example:{source}")
    if tree != source and tree.columns.pays:
        bounds = None
    for variant in make_variants(tree, algorithm(name), Wanted(3, bounds=bounds), **parameters):
        search = et.evaluate(et.loads(et.dumps(variant.search.tree)), name)
        assert (search.counts, search.best) == (variant.search.counts, variant.search.best)
        assert search.bounds == variant.search.bounds


def test_new_utilities_look_like_the_old_ones() -> None:
    tree = without_formulas(et.load("example:rockefeller"))
    for seed in range(20):
        new = redrawn(tree, seed)
        old_terminals, terminals = (
            [one.columns.utility[n] for n, kind in enumerate(one.columns.kind) if not kind]
            for one in (tree, new)
        )
        assert all(min(old_terminals) <= utility <= max(old_terminals) for utility in terminals)
        assert all(utility % 250 == 0 for utility in terminals)
        assert [*map(float, new.columns.probability)] == [*map(float, tree.columns.probability)]
    halves = redrawn(et.loads("{bounds: [0, 9], max: [0.5, 3, {chance: [1, 2]}]}"), 3)
    assert halves.root.bounds == (0, 9)
    assert all(Fraction(u) * 2 % 1 == 0 for u in halves.columns.utility if u == u)
    assert redrawn(et.loads("max: [0, 0]"), 1).utility_range == (0, 0)
    unknown = et.loads('max: {a: {chance: {x: 5, y: {utility: "?"}}}, b: {utility: "?"}}')
    assert redrawn(unknown, 1).utility_range == (5, 5)
    with pytest.raises(et.AnalysisError, match="no utility of the tree is known"):
        redrawn(et.loads('max: [{utility: "?"}]'), 1)


RANGED = [
    *("medical-test", "monty-hall", "movie-contract", "programmes", "rockefeller"),
    *("sealed-bid", "texaco-pennzoil", "used-car"),
]


@pytest.mark.parametrize("name", RANGED)
def test_parameters_vary_within_their_ranges_and_all_else_follows(name: str) -> None:
    tree = et.load(f"example:{name}")
    variants = make_variants(tree, algorithm("expectiminimax"), Wanted(6))
    for variant in variants:
        text = et.dumps(variant.search.tree)
        assert "note:" not in text
        printed = [chance_text(variant.search.tree, b) for b in range(len(tree.label))]
        if name != "programmes":  # whose outcomes are too many for exact texts
            assert [*map(Fraction, printed)] == [*variant.search.tree.columns.probability]
        assert text.count("ref:") == et.dumps(tree).count("ref:")
        again = et.loads(text)
        assert et.evaluate(again, exact=True).value == variant.search.value
        assert [*again.label] == [*tree.label]
        for key, parameter in again.parameters.items():
            ends, value = parameter.range, text_of(parameter.value)
            if ends is None:
                assert value == text_of(tree.parameters[key].value)
            else:
                assert ends[0] <= Fraction(value) <= ends[1]
                assert len(value.strip("-0.").replace(".", "")) <= 3, value


WELL = "{chance: {oil: {p: 0.3, utility: 900}, none: {p: 0.7, utility: -300}}}"
MEANINGFUL = {  # trees without ranges, whose labels mean something
    "the same well three times": "max: {now: WELL, test: {cost: 50, chance: {plus: {p: 0.4, max: "
    "{drill: WELL, sell: 500}}, minus: {p: 0.6, max: {drill: WELL, sell: 100}}}}}",
    "by an alias": "max: {now: &well WELL, later: {cost: 10, max: {drill: *well, stop: 0}}}",
    "by a ref": "{nodes: {well: WELL}, max: {a: {ref: well}, b: {cost: 9, ref: well}}}",
    "by copies with other parameters": "{parameters: {pr: 0.5}, nodes: {well: {chance: {oil: {p: "
    "pr, utility: 2500}, none: {p: rest, utility: 0}}}}, max: {now: {ref: well}, later: {chance: "
    "[{ref: well, with: {pr: 3/4}}, {ref: well, with: {pr: 1/4}}]}, sell: 750}}",
    "two levels": "max: {bet: {chance: {win: 100, lose: 0}}, big bet: {chance: {win: 100, lose: 0}}"
    ", pass: 50}",
    "a shared end": "{nodes: {lost: -10}, max: {a: {chance: {good: 30, bad: {ref: lost}}}, "
    "b: {chance: {fine: 20, bad: {ref: lost}, worse: -20}}}}",
    "ties": "max: {a: {chance: {x: 1, y: 1, z: 0}}, b: {min: {x: 0.5, y: 1}}, c: {min: {x: 1.5}}}",
    "fractions": "chance: {low: {p: 1/4, utility: 1/3}, high: {p: 3/4, utility: 5/6}}",
}


@pytest.mark.parametrize("name", MEANINGFUL)
def test_labels_keep_their_meaning(name: str) -> None:
    tree = et.loads(MEANINGFUL[name].replace("WELL", WELL))
    columns = tree.columns
    groups: dict[object, list[int]] = {}  # terminals that keep their order, by what they mean
    for n, kind in enumerate(columns.kind):
        ends = [b for b in tree.branches_of(n) if not columns.kind[columns.child[b]]]
        outcomes = tuple((tree.label[b], columns.utility[columns.child[b]]) for b in ends)
        for b in ends:
            key = outcomes if kind == et.Kind.CHANCE else tree.label[b]
            groups.setdefault(key, []).append(columns.child[b])
    variants = set()
    for seed in range(30):
        new = redrawn(tree, seed)
        variants.add(tuple(u for u in new.columns.utility if u == u))
        assert len(new) == len(tree)
        assert new.columns.child == columns.child
        for group in groups.values():
            for one, other in product(group, group):
                old = columns.utility[one] - columns.utility[other]
                difference = new.columns.utility[one] - new.columns.utility[other]
                assert (old > 0, old < 0) == (difference > 0, difference < 0)
    assert len(variants) > 5


TOO_FAR_APART = {
    "expectiminimax": "max: {a: 1e300, b: -1e-300}",
    "alphabeta": "max: {a: {min: [1e400, 1]}, b: {min: [2, 1]}}",
    "star1": "{parameters: {x: {value: 5, range: [0, 1e400]}}, max: {a: x, b: 3}}",
}


def test_too_few_trees_and_too_large_trees_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.lab.sheets.variants.TRIES", 20)
    with pytest.raises(et.AnalysisError, match=r"0 of 2 .* 4 cuts or more by alphabeta \(at most"):
        sheet_of(name="alphabeta", number=2, min_cuts=4, pattern="max,min")
    with pytest.raises(et.AnalysisError, match="found 2 of 3 variants with a unique best action"):
        make_variants(et.loads("max: [1, 2]"), algorithm("expectiminimax"), Wanted(3))
    for pattern in ("max", "max,chance,min", "chance"):
        with pytest.raises(et.AnalysisError, match=r"0 of 2 .*: alphabeta cuts where MAX"):
            sheet_of(name="alphabeta", number=2, min_cuts=1, pattern=pattern)
    for name, text in TOO_FAR_APART.items():
        with pytest.raises(et.AnalysisError, match="the numbers of the tree are too far apart: wr"):
            make_variants(et.loads(text), algorithm(name), Wanted(2))
    with pytest.raises(et.AnalysisError, match="the tree has 1,365 nodes, expected at most 200"):
        sheet_of(branching=4, plies=5)
    (variant,) = sheet_of(number=1, branching=5, plies=3).variants
    with pytest.raises(et.AnalysisError, match="do not fit a page of A4 with text of 9 points"):
        variant.diagram()


# ---- The pages.


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("branching", [2, 3])
def test_a_page_has_text_of_9_points_and_room_for_a_tree(branching: int, windows: bool) -> None:
    for variant in sheet_of(branching=branching, windows=windows, number=1).variants:
        (exercise, is_turned), (solution, _) = variant.diagram(), variant.diagram(is_solved=True)
        assert not is_turned
        sizes = [mark.size for g in exercise.groups for mark in g.marks if isinstance(mark, Text)]
        assert min(sizes) * exercise.scale >= 9
        assert exercise.width * exercise.scale <= WIDTH + 1e-9
        assert exercise.height * exercise.scale <= HEIGHT + 1e-9
        same = "width", "height", "scale"
        assert [getattr(exercise, s) for s in same] == [getattr(solution, s) for s in same]


HEADINGS = ["Variant", "Value", "Best action", "Cuts", "Leaves visited", "Seed"]


def test_a_wide_tree_is_turned() -> None:
    (variant,) = make_variants(
        et.load("example:pacman-corridor"), algorithm("expectiminimax"), Wanted(1)
    )
    picture, is_turned = variant.diagram()
    assert is_turned
    assert picture.width * picture.scale <= HEIGHT
    assert picture.height * picture.scale <= WIDTH
    sheet = Sheet("Sheet", "Do it.", [variant])
    assert "rotate(90)" in web_page(sheet, is_key=False).decode()
    assert web_page(sheet, is_key=True).decode().count(">Answers<") == 1  # on a page of its own
    assert r"\rotatebox{-90}" in document(sheet, is_key=False).decode()


def texts_of(page: str) -> list[str]:
    return re.findall(">([^<>]+)</text>", page)


def test_a_page_for_each_variant_and_one_key() -> None:
    sheet = sheet_of(windows=True)
    exercises, key = (web_page(sheet, is_key).decode() for is_key in (False, True))
    assert exercises.count('viewBox="0 0 595.3 841.9"') == 3
    assert key.count('viewBox="0 0 595.3 841.9"') == 3  # the first has room for the table
    texts = texts_of(exercises)
    assert texts.count(BLANK) == 3 * 7
    assert [text for text in texts if text.startswith("Variant")] == [f"Variant {n}" for n in "123"]
    assert not any(text.startswith(("Value: 1", "Solution")) for text in texts)
    rows = texts_of(key)
    start = rows.index("Seed") + 1
    assert rows[start - 6 : start] == HEADINGS
    counts = sheet.variants[0].search.counts
    leaves = f"{counts.leaves_visited} of 8"
    assert rows[start + 2 : start + 5] == ["#1", str(counts.cuts), leaves]
    assert BLANK not in rows


def test_the_pages_differ_only_in_what_is_filled_in() -> None:
    """Symbols and lines of trees have the same places on the page."""
    sheet = sheet_of(number=1)
    shapes = [
        re.findall(r'<(?:rect|circle) [^>]*?(?=fill)|<path d="[^"]*"|<g transform[^>]*>', page)
        for page in (web_page(sheet, k).decode().split("Variant 1")[-1] for k in (False, True))
    ]
    strokes = 2 * sheet.variants[0].search.counts.cuts
    assert len(shapes[0]) > 20
    assert {*shapes[0]} <= {*shapes[1]}
    assert len(shapes[1]) <= len(shapes[0]) + strokes


@pytest.mark.extra
def test_a_pdf_has_a_page_of_a4_for_each_variant() -> None:
    reader = pytest.importorskip("pypdf").PdfReader
    import io

    sheet = sheet_of()
    for is_key in (False, True):
        pages = reader(io.BytesIO(pdf(sheet, is_key))).pages
        assert len(pages) == 3
        for page in pages:
            assert [round(float(side) / 72 * 25.4) for side in page.mediabox[2:]] == [210, 297]
    assert "Best action" in pages[0].extract_text()


# ---- LaTeX.


def test_latex_is_balanced_and_escapes_what_is_special() -> None:
    tree = et.loads(f"max: {{'{HOSTILE}': 3, b: {{chance: [1, 2]}}}}")
    sheet = Sheet(HOSTILE, HOSTILE, make_variants(tree, algorithm("expectiminimax"), Wanted(1)))
    text = document(sheet, is_key=True).decode()
    body = text.replace("\\{", "").replace("\\}", "")
    assert body.count("{") == body.count("}")
    escaped = r"50\% \& <b>\#1</b> \{a\_b\} \textasciitilde{}\textasciicircum{}"
    assert text.count(escaped) >= 4
    assert text.count(r"\end{document}") == 1
    environments = [re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end")]
    assert sorted(environments[0]) == sorted(environments[1])


@pytest.mark.slow
def test_latex_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        return  # no TeX here
    sheet = sheet_of(windows=True)
    for is_key in (False, True):
        (tmp_path / "sheet.tex").write_bytes(document(sheet, is_key))
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "(3 pages" in done.stdout


# ---- Moodle.


def test_moodle_has_a_numerical_question_for_each_number() -> None:
    """The shape is that of https://docs.moodle.org/en/Moodle_XML_format."""
    sheet = sheet_of()
    root = ElementTree.fromstring(quiz(sheet, is_key=False))
    assert root.tag == "quiz"
    category, *questions = root
    assert category.get("type") == "category"
    assert category.findtext("category/text") == "$course$/Sheet"
    assert len(questions) == 3 * 3
    for question in questions:
        assert question.get("type") == "numerical"
        assert question.findtext("name/text", "").startswith("Sheet, variant ")
        for tag in ("questiontext", "generalfeedback"):
            part = question.find(tag)
            assert part is not None
            assert part.get("format") == "html"
            (file,) = part.findall("file")
            assert (file.get("path"), file.get("encoding")) == ("/", "base64")
            assert f"@@PLUGINFILE@@/{file.get('name')}" in part.findtext("text", "")
            ElementTree.fromstring(b64decode(file.text or ""))  # the picture is valid XML
        (answer,) = question.findall("answer")
        assert answer.get("fraction") == "100"
        assert float(answer.findtext("text", "")) >= 0
        assert float(answer.findtext("tolerance", "")) >= 0
    first = [q.findtext("answer/text", "") for q in questions[:3]]
    counts = sheet.variants[0].search.counts
    assert float(first[0]) == float(sheet.variants[0].search.value)
    assert first[1:] == [str(counts.leaves_visited), str(counts.cuts)]


def test_moodle_accepts_a_rounded_answer_only_where_digits_are_left_out() -> None:
    tree = et.loads("max: {a: {chance: [1, 1, 2]}, b: 0.5}")
    found = {}
    for variant in make_variants(tree, algorithm("expectiminimax"), Wanted(6)):
        root = ElementTree.fromstring(quiz(Sheet("S", "T", [variant]), is_key=False))
        (answer,) = root.iter("answer")
        value, tolerance = (Fraction(answer.findtext(tag, "")) for tag in ("text", "tolerance"))
        assert (tolerance == 0) == (variant.search.value * 100 % 1 == 0)
        found[tolerance == 0] = abs(value - variant.search.value) <= tolerance
    assert found == {True: True, False: True}


# ---- The command.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_sheet_of_a_file_keeps_its_form() -> None:
    assert invoke("sheet", str(ROOT / "trees/rockefeller.yaml"), "-n", "2").exit_code == 0
    texts = texts_of(Path("sheet.html").read_text("utf-8"))
    assert texts.count("install") == 2 * 3
    assert texts.count("Sell the land, drill, or test first") == 2
