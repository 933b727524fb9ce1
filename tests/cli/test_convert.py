"""`expectitree convert`: from one format into another, through files and pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from files.samples import content_of, max_over
from helpers import ROOT, Done, run_main, sentences

import expectitree as et
from expectitree.base.tree.folding import unshare
from expectitree.searches.engine import search_tree

ENDINGS = ("yaml", "yml", "json", "arrow", "parquet")


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `expectitree convert` in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Done:
        return run_main("convert", *words)

    return run


def piped(
    *words: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `expectitree convert` as a process between two pipes."""
    return subprocess.run(
        [sys.executable, "-m", "expectitree", "convert", *words],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_convert_may_replace_its_input(ending: str, run: Run) -> None:
    """An Arrow file is still mapped into memory while it is replaced."""
    et.save(max_over(title="mine"), f"a.{ending}")
    assert run(f"a.{ending}", f"a.{ending}", "--force").status == 0
    again, tree = et.load(f"a.{ending}"), max_over(title="mine")
    assert content_of(again) == content_of(tree if again.exact else tree.floats)


def test_convert_reads_and_writes_pipes() -> None:
    text = "max: {é: 1/3, b: {chance: [\U0001f600x, 3]}}".replace("\U0001f600x", "1e-3").encode()
    first = piped("-", "-", "--format", "json", stdin=text)
    second = piped("-", "-", stdin=first.stdout)
    assert (first.returncode, second.returncode) == (0, 0)
    assert (first.stderr, second.stderr) == (b"", b"")
    assert content_of(et.loads(first.stdout.decode())) == content_of(et.loads(text.decode()))
    assert second.stdout.decode() == et.dumps(et.loads(text.decode()))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16", "cp1252"])
def test_a_tree_on_standard_output_is_utf_8_for_any_terminal(encoding: str) -> None:
    done = piped(
        "-", "-", stdin="max: {é: 1, 日本: 2}".encode(), PYTHONIOENCODING=encoding, PYTHONUTF8="0"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert [branch.label for branch in et.loads(done.stdout.decode("utf-8")).root.branches] == [
        "é",
        "日本",
    ]


def test_tables_do_not_go_through_a_pipe(tmp_path: Path) -> None:
    et.save(max_over(), tmp_path / "a.arrow")
    done = piped("-", "-", stdin=(tmp_path / "a.arrow").read_bytes())
    assert done.returncode == 3
    expected = "-: found tables, expected text: give a file whose name ends in .arrow\n"
    assert sentences(done.stderr.decode()) == expected


# ---- Rewards and sharing.


def test_a_tree_that_would_be_too_large_stays_shared(run: Run) -> None:
    nodes = "".join(f"  n{i}: {{max: [{{ref: n{i + 1}}}, {{ref: n{i + 1}}}]}}\n" for i in range(40))
    Path("a.yaml").write_text(f"ref: n0\nnodes:\n{nodes}  n40: 3\n")
    done = run("a.yaml", "b.yaml", "--unshare")
    assert done.status == 2
    assert done.err == (
        "expectitree: error: without sharing the tree has 2,199,023,255,551 nodes, and the limit "
        "is 10,000,000\nhelp: keep it shared, or set EXPECTITREE_BUDGET=10 for ten times as much\n"
    )


def test_fold_keeps_no_formula_that_would_be_too_long(run: Run) -> None:
    steps = ", ".join(f"step{n}: 1" for n in range(100))
    way, end = "".join(f"{{max: [{{cost: step{n}, max: [" for n in range(100)), "]}" * 200
    Path("d.yaml").write_text(f"{{parameters: {{{steps}}}, max: [{way}2{end}]}}")
    done = run("d.yaml", "e.yaml", "--fold", "rewards")
    assert "would be too long" in done.err.splitlines()[0]
    assert et.evaluate(et.load("e.yaml")).value == -98


def test_a_folder_without_trees_names_the_endings_that_it_is_searched_for(run: Run) -> None:
    Path("a.csv").write_text("not a tree in a folder")
    done = run_main("verify", ".")
    assert done.status == 3
    assert done.err.startswith(
        ".: error: no tree file in this folder: expected a name that ends in one of .yaml, .yml,"
    )
    assert ".csv" not in done.err


# ---- Fractions stay fractions, whatever a format makes of the number of nodes.


def coins() -> et.Tree:
    """Return a tree of 17 nodes in fractions, and of more than 20,000 without sharing."""
    builder = et.TreeBuilder()
    node = builder.max({"a": "1/7", "b": builder.chance({"c": "1/9", "d": 2}, ["1/3", "2/3"])})
    for _ in range(12):
        node = builder.chance({"x": node, "y": node}, ["1/3", "2/3"], rewards={"x": "1/11"})
    return builder.build(node)


@pytest.mark.parametrize("unshares", [False, True])
@pytest.mark.parametrize("name", ["out.efg", "out.yaml", "out.json"])
@pytest.mark.slow
def test_a_tree_in_fractions_stays_in_fractions(run: Run, name: str, unshares: bool) -> None:
    tree = coins()
    assert len(tree) < 20 < 20_000 < tree.unfolded  # type: ignore[operator]
    et.save(tree, "coins.yaml")
    done = run("coins.yaml", name, *["--unshare"] * unshares)
    assert (done.status, "rounding" in done.err) == (0, False)
    text = Path(name).read_text()
    assert ("1/3" in text, "0.33" in text) == (True, False)
    again = et.load(name, exact_nodes=10**9)
    assert search_tree(again).value == search_tree(tree).value


def test_a_copy_of_a_tree_in_floats_stays_in_floats() -> None:
    floats = unshare(coins().floats)
    assert (floats.exact, floats.columns.probability[-1]) == (False, 2 / 3)
