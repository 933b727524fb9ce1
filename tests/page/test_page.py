"""The page contains the data of the traces, and labels and notes stay text."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, for_each, invoke, load
from random_trees import Case

import expectitree as et
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.text import StepSentences, conclusion
from expectitree.base.algorithms import ALGORITHMS, algorithm
from expectitree.base.errors import AnalysisError, SearchError
from expectitree.base.numbers import show_exact
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.page import MAX_NODES, SCRIPTS, page_text, replays
from expectitree.page import steps as page_steps
from expectitree.page.data import LETTERS, opening, step_text
from expectitree.page.steps import COLUMNS, WORTH, Moment
from expectitree.picture.text import payment_text
from expectitree.searches.cuts import NO_CUTS, PROBED
from expectitree.text.console import text_console
from expectitree.text.json_values import json_number
from expectitree.text.phrases import chance_text

TREES = sorted((ROOT / "trees").iterdir())
OPTIONS = text_console().options


class Elements(HTMLParser):
    """The elements and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        if self.tags:
            self.texts.setdefault(self.tags[-1][0], []).append(data)


def page_of(tree: et.Tree, **options: Any) -> tuple[list[Trace], str]:
    traces = replays(tree, **options)
    return traces, page_text(traces)


def data_of(text: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="text/plain" id="data">(.*?)</script>', text, re.DOTALL)
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(found, validate=True)))
    return data


def check_data(traces: list[Trace], text: str) -> None:
    """Read the page's data as the page does, and compare it with the traces, event by event."""
    data = data_of(text)
    tree, columns = traces[0].tree, traces[0].tree.columns
    assert data["tree"]["kinds"] == "".join(str(int(kind)) for kind in columns.kind)
    branches = [columns.first[n + 1] - columns.first[n] for n in range(len(tree))]
    assert data["tree"]["branches"] == branches
    assert data["tree"]["children"] == list(columns.child)
    assert data["tree"]["order"] == list(tree.first_paths.order)
    assert data["tree"]["first_branch"] == list(tree.first_paths.branch)
    for b, text in enumerate(data["tree"]["probabilities"]):
        is_outcome = columns.kind[tree.parent_of(b)] == Kind.CHANCE
        assert text == (chance_text(tree, b) if is_outcome else "")
    pays = columns.pays or bool(tree.root_reward)
    assert ("payments" in data["tree"]) == ("root_payment" in data["tree"]) == pays
    for b, text in enumerate(data["tree"].get("payments", ())):
        assert text == payment_text(tree.reward_of(b))
    assert len(data["traces"]) == len(traces)
    for given, trace in zip(data["traces"], traces, strict=True):
        assert given["kinds"] == "".join(LETTERS[event.kind] for event in trace.events)
        assert given["branches"] == [event.branch for event in trace.events]
        assert given["depths"] == [event.depth for event in trace.events]
        assert given["total"] == trace.total
        assert given["conclusion"] == conclusion(trace, OPTIONS)
        words = StepSentences(trace.search, OPTIONS)
        texts = [step_text(words, event) for event in trace.events]
        assert given["sentences"] == [opening(trace), *texts]
        check_changes(data, given, trace)


def check_changes(data: dict[str, Any], given: dict[str, Any], trace: Trace) -> None:
    """Apply every step's changes to the columns, and compare these with `Moment` after the step."""
    count, pays = len(trace.tree), trace.tree.columns.pays or trace.tree.root_reward
    names = (*COLUMNS, *WORTH) if pays else COLUMNS
    assert tuple(given["start"]) == names
    cells = list(given["start"].values())
    moment, open_entries = Moment(trace), []
    check_cells(data, cells, moment)
    for i, event in enumerate(trace.events):
        moment.forward()
        del open_entries[given["keeps"][i] :]
        open_entries += [event] * (given["kinds"][i] == "E")
        assert open_entries == moment.open
        for cell, value in batched(given["changes"][i]):
            n, column = divmod(event.node * len(names) + cell, len(names))
            cells[column][n] = value
        if count < 100 or i % 97 == 0 or i == len(trace.events) - 1:
            check_cells(data, cells, moment)


def batched(values: list[int]) -> Iterator[tuple[int, int]]:
    """Return the pairs of a list."""
    return zip(values[::2], values[1::2], strict=True)


def check_cells(data: dict[str, Any], cells: list[list[int]], moment: Moment) -> None:
    """Compare the columns of the page with a moment and with a new explanation."""
    shown = dict(zip((*COLUMNS, *WORTH), cells, strict=False))
    numbers = data["numbers"]["json"]
    for key in ("lower", "upper", "alpha", "beta"):
        found = [None if place < 0 else numbers[place] for place in shown[key]]
        assert found == [None if x is None else json_number(x) for x in getattr(moment, key)]
    rewards = [moment.tree.reward_of(b) for b in moment.tree.first_paths.branch]
    for key in WORTH if WORTH[0] in shown else ():
        ends = getattr(moment, key.removeprefix("worth_"))
        worth = [
            None if end is None else shifted(end, r) for end, r in zip(ends, rewards, strict=True)
        ]
        found = [None if place < 0 else numbers[place] for place in shown[key]]
        assert found == [None if end is None else json_number(end) for end in worth]
    assert shown["visits"] == list(moment.visits)
    is_cut = [code not in NO_CUTS for code in moment.cut]
    assert shown["after"] == [
        after if cut else -1 for after, cut in zip(moment.cut_after, is_cut, strict=True)
    ]
    search = moment.search
    for n, place in enumerate(shown["best"]):
        assert data["choices"][place] == list(search.best_branches(n))
    if search.algorithm.in_order and search.algorithm.prunes and moment.done:
        explanation = Explanation(search)
        opened = {entry.node for entry in moment.open}
        above = moment.tree.first_paths.parent
        for n, reason in enumerate(shown["skipped"]):
            if moment.visits[n]:
                continue
            expected = explanation.skipped(n)
            decider = above[n]
            while decider >= 0 and (not moment.visits[decider] or moment.cut[decider] == PROBED):
                decider = above[decider]
            if expected == "not reached" and decider in opened:
                expected = None  # the search may still reach it
            assert data["reasons"][reason] == expected, n
        assert [spared for n, spared in enumerate(shown["spared"]) if is_cut[n]] == [
            explanation.nodes[n] for n in range(len(cells[0])) if is_cut[n]
        ]


@pytest.mark.slow
@pytest.mark.parametrize("file", TREES, ids=lambda path: path.name)
def test_the_page_contains_the_traces_of_shipped_trees(file: Path) -> None:
    for exact in (False, True):
        traces, text = page_of(load(file, exact=exact), file=str(file.name))
        assert [trace.search.algorithm for trace in traces] == list(ALGORITHMS.values())
        check_data(traces, text)


@for_each("seed", range(4), range(4, 30))
@pytest.mark.parametrize("pays", [False, True], ids=["free", "pays"])
def test_the_page_contains_the_traces_of_random_trees(seed: int, pays: bool) -> None:
    case = Case(seed, pays)
    for exact in (False, True):
        bounds = case.bounds if case.bounds is None or exact else tuple(map(float, case.bounds))
        check_data(*page_of(case.tree(exact), bounds=bounds))


# ---- Replays.


def test_replays_are_traces_of_each_algorithm() -> None:
    tree = et.loads("max: [{chance: [2, 4]}, {chance: [1, 4]}]")
    chosen = ["star1", algorithm("star2.5", probes=3, probe_order="sequential")]
    traces = replays(tree, chosen, bounds=(0.0, 9.0), file="x.yaml")
    names = [trace.search.algorithm.full_name for trace in traces]
    assert names == ["star1", "star2.5 (3 probes, sequential)"]
    for trace in traces:
        assert (trace.tree, trace.file, trace.search.bounds) == (tree, "x.yaml", (0.0, 9.0))
        assert trace.total == len(trace.events)
    names = [trace.search.algorithm.full_name for trace in replays(tree)]
    assert names[-2:] == ["star2.5 (2 probes, cyclic)", "best-first"]


def test_long_traces_are_truncated_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = et.load(TREES[0])
    whole = data_of(et.to_html(tree))["traces"]
    assert not any("This page has" in trace["sentences"][0] for trace in whole)
    monkeypatch.setattr("expectitree.page.MAX_STEPS", 5)
    traces, text = page_of(tree)
    assert [len(trace.events) for trace in traces] == [5] * 6
    check_data(traces, text)
    data = data_of(text)
    assert data["traces"][0]["total"] == 15
    for trace in data["traces"]:
        assert "This page has the first 5 of its" in trace["sentences"][0]


@pytest.mark.slow
def test_too_large_a_tree_and_no_algorithm_are_errors() -> None:
    tree = et.loads("max: [1, 2]")
    with pytest.raises(AnalysisError, match="no algorithm was given: name at least one"):
        replays(tree, [])
    with pytest.raises(SearchError, match="unknown algorithm 'star3'"):
        replays(tree, ["star3"])
    builder = et.TreeBuilder()
    leaf = builder.terminal(1.0)
    many = builder.build(builder.max([leaf] + [builder.terminal(1.0) for _ in range(MAX_NODES)]))
    with pytest.raises(
        AnalysisError, match=r"the tree has 100,002 nodes, .* at most 100,000: .*--depth"
    ):
        replays(many)


@pytest.mark.slow
def test_a_deep_tree_does_not_recurse() -> None:
    builder = et.TreeBuilder()
    node = builder.terminal(1.0)
    node = builder.max([node, builder.terminal(0.0)])
    for _ in range(6_000):
        node = builder.max([node])
    traces, text = page_of(builder.build(node), algorithms=["star1"])
    assert traces[0].total > 2 * 6_000
    assert len(text) < 6_000_000


# ---- Labels and notes stay text.

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- & \" ' ]]>"
    " \u2028 \u202e \ud800 \x00 \x1f"
)


def test_labels_cannot_break_out_of_the_data() -> None:
    builder = et.TreeBuilder()
    inner = builder.chance({HOSTILE: 0.0, "b": 1.0}, note=HOSTILE)
    tree = builder.build(builder.max({HOSTILE: inner}), title=HOSTILE, source=HOSTILE)
    traces, text = page_of(tree, file=HOSTILE)
    check_data(traces, text)
    text.encode("utf-8")
    harmless = et.to_html(et.loads("max: {a: {chance: [0, 1]}}"))
    shape = [(tag, sorted(attributes)) for tag, attributes in Elements(text).tags]
    assert shape == [(tag, sorted(attributes)) for tag, attributes in Elements(harmless).tags]
    assert (
        "onerror=alert"
        not in re.sub(r"<title>.*?</title>|<h1>.*?</h1>", "", text).split('id="data"')[0]
    )
    assert "\u2028" not in text


def test_the_policy_allows_only_this_script_and_this_style() -> None:
    text = page_of(et.load(TREES[0]))[1]
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    for name, element in (
        ("script-src", r"<script>(.*?)</script>"),
        ("style-src", "<style>(.*?)</style>"),
    ):
        (content,) = re.findall(element, text, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy


def test_the_page_refers_to_nothing_outside() -> None:
    text = page_of(et.load(TREES[0]))[1]
    for _, attributes in Elements(text).tags:
        assert not {"src", "srcset", "action", "data", "poster"} & set(attributes)
        assert attributes.get("href", "data:,") == "data:,"
        assert not any(name.startswith("on") or name == "style" for name in attributes)
    found = re.findall(
        r"https?://[^\s\"'<]+", text.split('id="data"')[0] + text.split("</script>", 1)[1]
    )
    assert set(found) == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_scripts_never_make_markup_from_text() -> None:
    for name in SCRIPTS:
        script = files("expectitree.page").joinpath(name).read_text("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function"
            r"|fetch\(|XMLHttp|import\(",
            script,
        )
        assert "</" not in script
        assert max(map(len, script.splitlines())) <= 100


def test_exact_numbers_are_strings() -> None:
    tree = et.loads("max: [1/3, {chance: [0, 1/7]}]")
    with show_exact(True):
        data = data_of(page_of(tree)[1])
    assert "1/3" in data["numbers"]["json"]
    assert data["traces"][0]["about"]["value"] == str(Fraction(1, 3))
    data = data_of(page_of(tree)[1])
    assert 1 / 3 in data["numbers"]["json"]
    assert data["traces"][0]["about"]["value"] == 1 / 3


def test_comparisons_and_numbers_are_those_of_a_book_and_labels_stay() -> None:
    tree = et.loads(
        "max: {a: -2, 'x <= alpha': {min: [-3, 12345]}, b: {chance: {p 1: -7, p 2: -7, p 3: -7}}}"
    )
    data = data_of(page_of(tree)[1])
    sentences = "\n".join(s for trace in data["traces"] for s in trace["sentences"])
    assert "≤\N{NO-BREAK SPACE}alpha" in sentences
    assert "x <= alpha" in data["tree"]["labels"]
    assert {"−2", "12,345"} <= set(data["numbers"]["shown"])
    assert data["tree"]["probabilities"][-6:].count("1/3") == 3


def test_the_page_shows_what_branches_pay() -> None:
    text = "reward: 1/4, max: {a: 3, b: {cost: 100000, chance: [{reward: 2, utility: 1}]}}"
    traces, page = page_of(et.loads(f"{{{text}}}"))
    check_data(traces, page)
    data = data_of(page)
    assert data["tree"]["payments"] == ["+2", "", "−100,000"]
    assert data["tree"]["root_payment"] == "+0.25"
    assert {trace["about"]["value"] for trace in data["traces"]} == {3.25}
    known = "every total lies in [−99,997, 3] (from the leaves, without the root's reward"
    assert known in data["traces"][2]["sentences"][0]


def test_a_long_label_is_broken_into_lines_as_in_the_pictures() -> None:
    label = "Approve the extension of the pier"
    tree = et.loads(f"max: {{short: 1, {label}: 2}}")
    lines = data_of(page_of(tree)[1])["tree"]["lines"]
    assert lines == {"1": ["Approve the extension", "of the pier"]}


# ---- Work.


def chain(length: int) -> et.Tree:
    """Return a chain of MAX, CHANCE and MIN nodes, each shared by two branches above it."""
    t = et.TreeBuilder()
    node = t.terminal(1)
    for at in range(length):
        node = (t.max, t.chance, t.min)[at % 3]([node, node, at * 37 % 101])
    return t.build(node)


@pytest.mark.slow
def test_the_work_of_a_page_grows_with_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step below a node that no search has reached explains only the children of its node."""
    monkeypatch.setattr(page_steps, "MAX_EXPLAINED", 10 * 600)
    traces, text = page_of(chain(300), algorithms=["alphabeta", "star1", "star2"])
    assert len(traces[0].tree) == 601
    assert text


@pytest.mark.slow
def test_the_work_of_a_page_of_a_wide_node_grows_with_its_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether actions are best is asked only when the value of their node is known."""
    asked: list[int] = []
    original = et.Search.is_best

    def is_best(search: et.Search, node: int, branch: int) -> bool:
        asked.append(branch)
        return original(search, node, branch)

    monkeypatch.setattr(et.Search, "is_best", is_best)
    t = et.TreeBuilder()
    tree = t.build(t.max([t.chance([i * 37 % 101, i]) for i in range(300)]))
    page_of(tree, algorithms=["alphabeta", "star2"])
    assert len(asked) < 10 * len(tree)


def test_the_explanations_of_a_page_are_limited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each parent of a shared node enters it once more, and leaves the same part unvisited."""
    monkeypatch.setattr(page_steps, "MAX_EXPLAINED", 3_000)
    t = et.TreeBuilder()
    large = t.min([t.max([1, 2, 3]) for _ in range(100)])
    shared = t.max([*(2 * i + 1 for i in range(20)), large])
    tree = t.build(t.max([t.min([2 * i + 0.5, shared]) for i in range(20)], bounds=(0, 1000)))
    (tmp_path / "x.json").write_text(et.dumps(tree, "json"))
    done = invoke("draw", str(tmp_path / "x.json"), "-o", str(tmp_path / "x.html"), "-a", "star1")
    assert done.exit_code == 2
    assert "needs more than 3,000 explanations of nodes that star1 does not visit" in done.stderr
    assert not (tmp_path / "x.html").exists()
