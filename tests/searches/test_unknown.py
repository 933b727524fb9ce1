"""Unknown utilities, `utility: "?"`: copies keep them, and searches refuse them."""

from __future__ import annotations

import json
import math
import re
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import LONG, ROOT, for_each, invoke, load, loads, run_main, sentences
from random_trees import BEST_FIRST, EVERY, PRUNED, build, random_rows

import expectitree as et
from expectitree import Outcome
from expectitree.base import compiling
from expectitree.base.errors import FileError, SearchError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree import scans
from expectitree.base.tree.columns import Columns
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.transform import in_fractions, map_utilities
from expectitree.searches.engine import search_tree, search_window
from expectitree.searches.unknown import check_known

LAUNCH = ROOT / "docs" / "examples" / "launch.yaml"
SMALL = 'max: {sure: 4, bet: {chance: {good: {utility: "?"}, bad: 1}}}'
REFUSAL = (
    'the utility of bet/good is not known yet ("?"): `expectitree ask` asks for what matters '
    "(`inquire` from "
    "Python), and with --show it shows the tree; or write a number in its place"
)


def tree_of(text: str, exact: bool = False, name: str = "x.yaml") -> Tree:
    return loads(text, name=name, exact=exact)


def paths(tree: Tree, possible: bool = False) -> set[str]:
    """Return every path to an unknown terminal; with `possible`, only those of p > 0."""
    found = set()
    waiting = [(tree.root, "")]
    while waiting:
        node, path = waiting.pop()
        if node.kind == Kind.TERMINAL and node.utility is None:
            found.add(path)
        waiting += [(b.child, f"{path}/{b.label}") for b in node.branches if b.p or not possible]
    return found


# ---- The tree and the builder.


@pytest.mark.parametrize("exact", [False, True])
def test_the_builder_adds_unknown_terminals(exact: bool) -> None:
    t = et.TreeBuilder(exact=exact)
    shared = t.terminal(None, note="ask Ann")
    tree = t.build(
        t.max({"a": shared, "b": t.chance([2, shared, t.terminal(None)]), "c": 7}), title="t"
    )
    assert tree.unknown == (0, 1)
    assert tree.utility_range == (2, 7)
    assert tree.leaves == 4
    assert tree.find("a").utility is None
    assert tree.find("a").kind == Kind.TERMINAL
    assert tree.find("a").note == "ask Ann"
    assert tree.find("a").estimate is None
    assert tree.find("c").utility == 7
    assert [type(u) for n, u in enumerate(tree.columns.utility) if n in tree.unknown] == [
        float,
        float,
    ]
    assert all(math.isnan(tree.columns.utility[n]) for n in tree.unknown)
    assert repr(tree) == "<Tree 't', 6 nodes, 4 leaves (2 not known)>"
    assert tree.exact is exact


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.extra)])
def test_the_scans_find_unknown_terminals(compiled: bool) -> None:
    """The same, interpreted and compiled, of columns in every order."""
    random = Random(3)
    for _ in range(200):
        kind = array("B", [random.choice((0, 0, 1)) for _ in range(random.randint(1, 9))])
        utility = array("d", [random.choice((math.nan, -1.0, 0.0, 2.5)) for _ in kind])
        leaves = [n for n in range(len(kind)) if kind[n] == 0]
        unknown = [n for n in leaves if math.isnan(utility[n])]
        known = [utility[n] for n in leaves if n not in unknown]
        none = array("I"), array("d")
        columns = Columns.of(kind, utility, array("I", [0]) * (len(kind) + 1), *none)
        arguments = columns, array("H"), 0
        found = compiling.run(scans.measure, *arguments, rows=len(kind), compiled=compiled)
        ends = (min(known, default=math.inf), max(known, default=-math.inf))
        assert tuple(found) == (len(leaves), len(unknown), 0, 0, *ends, -1)
        assert Tree(columns, []).unknown == tuple(unknown)


# ---- Bounds.


def test_bounds_do_not_apply_to_unknown_terminals() -> None:
    tree = tree_of(
        '{bounds: [0, 5], max: [{utility: "?"}, {min: [{utility: "?", bounds: [3, 9]}, 2]}]}',
        exact=True,
    )
    lower, upper = tree.inherited_bounds(None)
    assert [(lower[n], upper[n]) for n in tree.unknown] == [(0, 5), (3, 5)]
    with pytest.raises(SearchError, match="the utility of #1 is not known"):
        search_tree(tree, bounds=(1, 4))
    with pytest.raises(
        SearchError, match=re.escape("#2/#2: the utility 2 lies outside the bounds [3, 4]")
    ):
        search_tree(tree, bounds=(3, 4))


# ---- Files.


FORMS = (
    'max: [1, {utility: "?"}]',
    "max: [1, {utility: '?'}]",
    "max:\n  - 1\n  - utility: |-\n      ?\n",
    "nodes: {later: {utility: '?'}}\nmax: [1, {ref: later}]",
    "title: &q '?'\nmax: [1, {utility: *q}]",
    '{"max": [1, {"utility": "\\u003f"}]}',
)


@for_each("form", FORMS)
def test_every_spelling_of_an_unknown_utility_is_read(form: str) -> None:
    for exact in (False, True):
        tree = tree_of(form, exact, "x.json" if form.startswith("{") else "x.yaml")
        assert tree.unknown == (1,)
        assert tree.utility_range == (1, 1)
        assert [node.utility for node in tree.root.children] == [1, None]


def test_runs_of_terminals_may_contain_unknown_ones() -> None:
    """The reader reads lists of plain numbers at once, and unknown ones one by one."""
    inner = ", ".join(
        ["{chance: [1, 2, 3]}", '{chance: [1, {utility: "?"}, 3]}', "{chance: [3, 2, 1]}"] * 20
    )
    tree = tree_of(f"max: [{inner}]")
    assert len(tree.unknown) == 20
    assert paths(tree) == {f"/#{n}/#2" for n in range(2, 60, 3)}
    labelled = tree_of('max: {a: {min: {x: 1, y: 2}}, b: {min: {x: {utility: "?"}, y: 2}}}')
    assert paths(labelled) == {"/b/x"}


# ---- Tables.


def test_a_table_marks_unknown_utilities(tmp_path: Path) -> None:
    """Otherwise a table that lost a number would be read as a tree."""
    import pyarrow as pa
    from pyarrow import parquet

    tree = tree_of("max: [1, {utility: '?'}, 3]")
    et.save(tree, tmp_path / "tree.parquet")
    table = parquet.read_table(tmp_path / "tree.parquet")
    assert table.column("utility").to_pylist() == [1, None, 3, None]
    about = json.loads(table.schema.metadata[b"expectitree"])
    assert about == {"version": 1, "unknown": [1]}

    def message(changes: Any) -> str:
        metadata = {b"expectitree": json.dumps({"version": 1, **changes}).encode()}
        parquet.write_table(table.replace_schema_metadata(metadata), tmp_path / "other.parquet")
        with pytest.raises(FileError) as caught:
            et.load(tmp_path / "other.parquet")
        return str(caught.value).partition("this is not a tree: ")[2]

    missing = "node 1: the utility is missing, expected a number up to 10^301"
    wrong = "it is listed as unknown, but is not a terminal without a utility"
    listed = "the unknown in the metadata: found"
    for unknown, expected in (
        (None, missing),
        ([2], missing),
        ([1, 2], f"node 2: {wrong}"),
        ([1, 3], f"node 3: {wrong}"),
        ([1, 9], f"node 9: {wrong}"),
        (1, f"{listed} '1', expected a list of row numbers"),
        ([-1], f"{listed} '-1' as a row number: write a whole number such as 5"),
    ):
        assert message({} if unknown is None else {"unknown": unknown}) == expected
    table = table.set_column(1, "utility", pa.array([math.inf, None, 3.0, None]))
    assert message({"unknown": [1]}) == "node 0: the utility is inf, expected a number up to 10^301"
    ordinary = tree_of("max: [1, 2, 3]")
    et.save(ordinary, tmp_path / "plain.arrow")
    assert b"unknown" not in (tmp_path / "plain.arrow").read_bytes()


# ---- Transforms.


def test_fractions_and_images_keep_unknown_terminals() -> None:
    tree = tree_of(SMALL)
    fractions = in_fractions(tree)
    assert (fractions.exact, fractions.unknown) == (True, tree.unknown)
    assert map_utilities(tree, lambda u: 2 * u + 1).utility_ends == (3, 9)


# ---- Searches.


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("chosen", EVERY, ids=lambda chosen: chosen.full_name)
def test_every_search_refuses_an_unknown_terminal_that_it_needs(chosen: Any, exact: bool) -> None:
    for text in (SMALL, SMALL.replace("sure: 4", "sure: 1")):
        with pytest.raises(SearchError) as caught:
            search_tree(tree_of(text, exact), chosen)
        assert str(caught.value) == REFUSAL
    with pytest.raises(SearchError, match=r"^the utility of / is not known yet"):
        search_tree(tree_of('utility: "?"', exact), chosen)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("chosen", [*PRUNED, *BEST_FIRST], ids=lambda chosen: chosen.full_name)
def test_a_search_that_needs_no_unknown_terminal_is_done(chosen: Any, exact: bool) -> None:
    tree = tree_of(SMALL, exact)
    if chosen.in_order:
        found = search_window(tree, chosen, ((-9, 9), "option"), (1, 2))  # 4 fails high at once
        assert (found.outcome, found.interval("/")) == (Outcome.FAIL_HIGH, (4, 9))
        found = search_window(tree, chosen, ((-9, 9), "option"), (1, 2), max_visits=1)
        assert (found.outcome, found.interval("/")) == (Outcome.STOPPED, (-9, 9))
        with pytest.raises(SearchError, match="bet/good is not known yet"):
            search_window(tree, chosen, ((-9, 9), "option"), (4, 5))
    bounded = tree_of('max: {sure: 4, bet: {bounds: [0, 3], chance: [{utility: "?"}, 1]}}', exact)
    found = search_tree(bounded, chosen)
    assert (found.value, found.best) == (4, "sure")
    assert (found.bounds, found.bounds_source) == ((-INFINITY, INFINITY), "none")
    assert "unknown" not in et.to_text(found)


@pytest.mark.parametrize(
    "seeds",
    [
        range(25),
        pytest.param(range(25, 200), marks=pytest.mark.slow),
        pytest.param(range(200, 1000), marks=LONG),
    ],
)
def test_unknown_terminals_that_are_not_entered_do_not_matter(seeds: range) -> None:
    """A search needs them exactly if it enters them in the same tree with all utilities."""
    refused = 0
    for seed in seeds:
        random = Random(seed)
        rows = random_rows(random)
        rows[-1] = replace(rows[-1], bounds=None)  # the root's are given
        terminals = [n for n, row in enumerate(rows) if row.kind == Kind.TERMINAL]
        hidden = random.sample(terminals, random.randint(1, max(1, len(terminals) // 3)))
        low, high = min(rows[n].utility for n in terminals), max(rows[n].utility for n in terminals)
        bounds = low - 1, high + 1
        for n in hidden:
            rows[n] = replace(rows[n], utility=None)
        partial = build(rows, exact=True)
        if not partial.unknown:
            continue
        lower, upper = partial.inherited_bounds(bounds)
        fillings = []
        for ends in ((lower,), (upper,), (lower, upper)):
            filled = list(rows)
            for n in partial.unknown:
                filled[n] = replace(rows[n], utility=random.choice(ends)[n])
            fillings.append(build(filled, exact=True))
        for chosen in (*PRUNED[:3], PRUNED[6], BEST_FIRST[0]):
            whole = [search_tree(tree, chosen, bounds=bounds) for tree in fillings]
            entered = [any(found.visits[n] for n in partial.unknown) for found in whole]
            try:
                found = search_tree(partial, chosen, bounds=bounds)
            except SearchError:
                refused += 1
                assert all(entered)
                continue
            assert not any(entered)
            for other in whole:
                for column in ("lower", "upper", "visits", "alpha", "beta", "cut", "cut_after"):
                    assert list(getattr(other, column)) == list(getattr(found, column)), column
                assert (other.cuts, other.ties) == (found.cuts, found.ties)
    assert 0 < refused < 5 * len(seeds)


def test_the_message_names_the_first_unknown_terminal_and_counts_the_others() -> None:
    two = tree_of('max: {b: {min: [1, {utility: "?"}]}, a: {utility: "?"}}')
    with pytest.raises(
        SearchError, match=re.escape('of b/#2 is not known yet ("?"), nor is that of 1 other: ')
    ):
        check_known(two)
    with pytest.raises(
        SearchError, match=r"nor are those of 7 others: .* or write numbers in their place$"
    ):
        check_known(et.load(LAUNCH))
    shared = tree_of("nodes: {u: {utility: '?'}}\nmax: {a: {min: [3, {ref: u}]}, b: {ref: u}}")
    with pytest.raises(
        SearchError, match=re.escape('the utility of a/#2 is not known yet ("?"): ')
    ):
        check_known(shared)
    t = et.TreeBuilder()
    later, sooner = t.terminal(None), t.terminal(None)
    with pytest.raises(
        SearchError, match="the utility of a is not known yet"
    ):  # in the order of branches, not of ids
        check_known(t.build(t.max({"a": sooner, "b": later})))
    bell = tree_of('max: {"a\\x07": {utility: "?"}}')
    with pytest.raises(SearchError, match=re.escape("the utility of a\\x07 is not known yet")):
        check_known(bell)


# ---- Commands.


COMMANDS = (
    "eval --exact -a star2.5",
    "eval --format json --engine interpreted",
    "eval --explain /",
    "eval --order best",
    "eval --order random:1",
    "eval --bounds 0,9",
    "compare",
    "trace -a star2",
    "limit",
    "rescale --map 4=5",
    "rescale --map 2*u+1",
    "draw -o - --format html",
    "draw -o - --format svg -a star1",
)


@for_each("text", [SMALL, 'utility: "?"', 'max: [{utility: "?"}, {utility: "?"}]'])
def test_every_command_reports_unknown_terminals(text: str) -> None:
    for command in COMMANDS:
        found = run_main(*command.split(), "-e", text)
        assert found.status == 2, command
        assert (REFUSAL if text == SMALL else "not known yet") in sentences(found.err)
        assert (found.err.count("\n"), found.out) == (2, ""), command


def test_convert_keeps_unknown_terminals(tmp_path: Path) -> None:
    source = tmp_path / "a.yaml"
    source.write_text("max: {sure: 1/3, bet: {chance: {good: {utility: '?', note: why}, bad: 1}}}")
    names = ["b.json", "c.yaml"]
    for was, name in zip(["a.yaml", *names], names, strict=False):
        found = invoke("convert", str(tmp_path / was), str(tmp_path / name))
        assert (found.exit_code, found.stderr) == (
            0, f"{tmp_path / name} written: 5 nodes; next: expectitree ask {tmp_path / name}\n",
        )  # fmt: skip
    assert (tmp_path / "c.yaml").read_text() == (
        'max:\n  sure: 1/3\n  bet: {chance: {good: {note: why, utility: "?"}, bad: 1}}\n'
    )
    for ending in ("arrow", "parquet"):
        table = tmp_path / f"d.{ending}"
        assert invoke("convert", str(source), str(table)).exit_code != 0  # 1/3 is not a float.
        assert invoke("convert", str(source), str(table), "--drop", "fractions").exit_code == 0
        assert '{note: why, utility: "?"}' in invoke("convert", str(table), "-").stdout


VERIFY = SMALL + "\nexpect: {value: 4, best: sure, star1: {leaves: 1}}\n"


def test_verify_reports_that_it_cannot_check(tmp_path: Path) -> None:
    """The file is a valid tree, but its expectations cannot be checked."""
    file = tmp_path / "a.yaml"
    file.write_text(VERIFY)
    found = invoke("verify", str(file))
    assert found.exit_code == 1
    first, blank, total, end = found.stdout.split("\n")
    assert first.endswith(f"{file}: a tree, whose expectations cannot be checked: {REFUSAL}")
    assert (blank, total, end) == ("", "1 file, 0 of 0 expectations kept, 1 cannot be checked", "")
    (line,) = invoke("verify", "--format", "json", str(file)).stdout.splitlines()
    assert json.loads(line) == {
        "file": str(file), "tree": True, "expect": True, "kept": False, "errors": [REFUSAL],
        "checks": [],
    }  # fmt: skip
    verification = et.verify(et.load(file), file="f")
    assert (verification.unchecked, verification.broken, verification.error) == (REFUSAL, [], None)
    assert "cannot be checked" in et.to_text(verification)
    assert et.verify(load(file, exact=False)).unchecked == REFUSAL


@pytest.mark.parametrize("text", [SMALL, VERIFY])
def test_verify_write_leaves_the_file_unchanged(tmp_path: Path, text: str) -> None:
    file, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    file.write_text(text)
    other.write_text("max: [1, 2]\n")
    found = invoke("verify", "--write", str(tmp_path))
    assert found.exit_code == 3
    assert f"{file}: not refreshed: {REFUSAL}; nothing was written\n" in found.stderr
    assert file.read_text() == text
    assert "value: 2" in other.read_text()
    with pytest.raises(SearchError):
        et.refresh(file)


# ---- The example.
