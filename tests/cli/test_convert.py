"""`expectitree convert`: from one format into another, through files and pipes."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from files.samples import content_of, exact_at, max_over
from helpers import ROOT, Done, run_main

import expectitree as et
from expectitree.base.tree.folding import unshare
from expectitree.base.tree.transform import in_floats
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


def test_convert_refuses_to_replace_a_file(run: Run) -> None:
    Path("a.yaml").write_text("max: [1, 2]")
    for out in ("b.json", "b.arrow"):
        Path(out).write_text("old")
        done = run("a.yaml", out)
        assert (done.status, done.out) == (2, "")
        assert "exists already" in done.err
        assert "--force" in done.err
        assert Path(out).read_text() == "old"
        assert run("a.yaml", out, "--force").status == 0
        assert len(et.load(out)) == 3
    done = run("a.yaml", "a.yaml")
    assert done.status == 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_convert_may_replace_its_input(ending: str, run: Run) -> None:
    """An Arrow file is still mapped into memory while it is replaced."""
    et.save(max_over(title="mine"), f"a.{ending}")
    assert run(f"a.{ending}", f"a.{ending}", "--force").status == 0
    again, tree = et.load(f"a.{ending}"), max_over(title="mine")
    assert content_of(again) == content_of(tree if again.exact else in_floats(tree))


def test_convert_drops_fractions_only_on_request(run: Run) -> None:
    Path("a.yaml").write_text("max: {x: [1/3, 2]}".replace("[", "{min: [").replace("]", "]}"))
    for ending in ("arrow", "parquet"):
        done = run("a.yaml", f"a.{ending}")
        assert done.status == 3
        assert "x/#1: the utility 1/3" in done.err
        assert "--drop fractions" in done.err
        assert not Path(f"a.{ending}").exists()
        assert run("a.yaml", f"a.{ending}", "--drop", "fractions").status == 0
        assert et.load(f"a.{ending}").find("x/#1").utility == 1 / 3
    assert run("a.yaml", "a.json", "--drop", "fractions").status == 0
    assert exact_at(et.load("a.json"), "x/#1").utility == Fraction(1, 3)


def test_convert_rounds_numbers_to_24_bits_on_request(run: Run) -> None:
    Path("a.yaml").write_text("{bounds: [0, 0.7], max: {x: {min: [1/3, 0.5]}, y: 0.7}}")
    for ending in ("arrow", "parquet"):
        assert run("a.yaml", f"a.{ending}", "--float32").status == 0
        tree = et.load(f"a.{ending}")
        assert tree.find("x/#1").utility == struct.unpack("f", struct.pack("f", 1 / 3))[0]
        assert tree.find("x/#2").utility == 0.5
        assert tree.find("y").utility == tree.root.bounds[1] > 0.7 - 1e-7
    done = run("a.yaml", "a.json", "--float32")
    assert done.status == 2
    assert "--float32 is for .arrow and .parquet, and a.json is JSON: remove it" in done.err


def test_convert_reports_errors_in_one_line(run: Run) -> None:
    Path("a.yaml").write_text("max: [1, 2]")
    Path("cut.yaml").write_text("max: [1, {min: [2]}]")
    for words, status in (
        (("a.yaml", "b.txt"), 3),
        (("a.yaml", "b"), 3),
        (("a.yaml", "no/b.yaml"), 3),
        (("a.yaml", "no/b.arrow"), 3),
        (("none.yaml", "b.json"), 3),
        (("none.arrow", "b.json"), 3),
        (("none.parquet", "b.json"), 3),
    ):
        done = run(*words)
        assert (done.status, done.out) == (status, "")
        assert len(done.err.splitlines()) == 1
    assert run("a.yaml", "b.yaml", "--format", "json").status == 3
    assert sorted(os.listdir()) == ["a.yaml", "cut.yaml"]


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
    assert (
        done.stderr.decode()
        == "-: found tables, expected text: give a file whose name ends in .arrow\n"
    )


# ---- Rewards and sharing.

WELL = """
reward: 1/3
nodes: {drill: {chance: [{p: 1/4, utility: 100}, {p: 3/4, utility: 0}]}}
max:
  drill: {cost: 20, ref: drill}
  test: {cost: 5, chance: {good: {p: 1/2, cost: 20, ref: drill}, bad: {p: 1/2, utility: 0}}}
expect:
  value: 16/3
  best: drill
  values: {drill: 5, test/good: 5}
  star1: {leaves: 3}
"""


def test_fold_needs_unshare_if_paths_pay_differently(run: Run) -> None:
    Path("well.yaml").write_text(WELL)
    done = run("well.yaml", "folded.yaml", "--fold", "rewards")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "expectitree: the rewards on the paths to one node sum to -59/3 on drill and to -74/3 on "
        "test/good, and a terminal has one utility: convert the tree with --unshare first, so that "
        "each path has its own copy\n"
    )
    assert not Path("folded.yaml").exists()
    done = run("well.yaml", "folded.yaml", "--unshare", "--fold", "rewards")
    assert done.status == 0
    assert done.err == (
        "expect: left out the counts of searches, since unfolding changes them\n"
        "expect: left out the values of nodes and the counts of searches\n"
        "folded.yaml written: 9 nodes; next: expectitree eval folded.yaml\n"
    )
    tree = et.load("folded.yaml")
    assert not tree.columns.pays
    assert not tree.is_sharing
    assert (search_tree(tree).value, search_tree(tree).best) == (Fraction(16, 3), "drill")
    assert et.verify(tree).broken == []
    assert len(et.verify(tree).checks) == 2


def test_a_tree_that_would_be_too_large_stays_shared(run: Run) -> None:
    nodes = "".join(f"  n{i}: {{max: [{{ref: n{i + 1}}}, {{ref: n{i + 1}}}]}}\n" for i in range(40))
    Path("a.yaml").write_text(f"ref: n0\nnodes:\n{nodes}  n40: 3\n")
    done = run("a.yaml", "b.yaml", "--unshare")
    assert done.status == 2
    assert done.err == (
        "expectitree: without sharing the tree has 2,199,023,255,551 nodes, and the limit is "
        "10,000,000: keep it shared, or set EXPECTITREE_BUDGET=10 for ten times as much\n"
    )


def test_fold_keeps_formulas(run: Run) -> None:
    Path("a.yaml").write_text("{parameters: {fee: 5}, max: [{cost: fee, utility: 2*fee}, 1]}")
    done = run("a.yaml", "b.yaml", "--fold", "rewards")
    assert done.status == 0
    assert "left out" not in done.err
    assert Path("b.yaml").read_text() == "parameters:\n  fee: 5\nmax: [2*fee - fee, 1]\n"
    for fee in ("5", "7", "-2", "1/3"):
        trees = [et.load(name, parameters={"fee": fee}) for name in ("a.yaml", "b.yaml")]
        assert len({et.evaluate(tree, exact=True).value for tree in trees}) == 1
    assert run("a.yaml", "c.yaml", "--unshare").status == 0
    assert "cost: fee" in Path("c.yaml").read_text()


SHARED = """\
parameters: {fee: 5}
max:
  a: {reward: 7, ref: s}
  b: {reward: fee + 2, ref: s}
  c: {cost: fee, max: [3], bounds: [0, 9]}
nodes: {s: {chance: [1, 2]}}
"""


def test_fold_says_where_it_keeps_no_formulas(run: Run) -> None:
    Path("a.yaml").write_text(SHARED)
    done = run("a.yaml", "b.yaml", "--fold", "rewards")
    reason = "the paths to a have different formulas: add --unshare"
    assert done.err.splitlines()[0] == f"parameters and formulas: left out, because {reason}"
    assert "fee" not in Path("b.yaml").read_text()
    done = run("a.yaml", "c.yaml", "--fold", "rewards", "--unshare")
    found = "bounds of c: left out, because they depend on parameters"
    assert done.err.splitlines()[0] == found
    written = Path("c.yaml").read_text()
    assert "  b: {chance: [1 + (fee + 2), 2 + (fee + 2)]}\n  c: {max: [3 - fee]}\n" in written
    steps = ", ".join(f"step{n}: 1" for n in range(100))
    way, end = "".join(f"{{max: [{{cost: step{n}, max: [" for n in range(100)), "]}" * 200
    Path("d.yaml").write_text(f"{{parameters: {{{steps}}}, max: [{way}2{end}]}}")
    done = run("d.yaml", "e.yaml", "--fold", "rewards")
    assert "would be too long" in done.err.splitlines()[0]
    assert et.evaluate(et.load("e.yaml")).value == -98


def test_fold_keeps_events_and_what_can_still_be_verified(run: Run) -> None:
    assert run("example:rockefeller", "folded.yaml", "--fold", "rewards").status == 0
    tree = et.load("folded.yaml")
    assert [*tree.formulas.events.values()] == ["oil", "oil", "oil"]
    done = run_main("verify", "folded.yaml")
    assert done.status == 0
    assert "at:" in Path("folded.yaml").read_text()
    Path("a.yaml").write_text("max: [{cost: 1, event: toss, chance: {heads: 1, tails: 2}}, 1]")
    done = run("a.yaml", "b.yaml", "--fold", "rewards")
    assert "left out" not in done.err
    assert "event: toss" in Path("b.yaml").read_text()


def test_a_format_with_the_ending_of_another_is_an_error(run: Run) -> None:
    done = run("example:risk", "out.yaml", "--format", "silverdecisions")
    assert done.status == 3
    assert "SilverDecisions' JSON is for files that end in .json: choose" in done.err


def test_an_option_of_another_format_names_the_file_once(run: Run) -> None:
    """`eval` names each file before its errors."""
    done = run_main("eval", "example:risk", "--max-player", "2")
    assert (done.status, done.err) == (
        2,
        "example:risk: --max-player is for Gambit's .efg, and this is YAML: remove it, or name "
        "the format with --from\n",
    )


def test_a_folder_without_trees_names_the_endings_that_it_is_searched_for(run: Run) -> None:
    Path("a.csv").write_text("not a tree in a folder")
    done = run_main("verify", ".")
    assert done.status == 3
    assert done.err.startswith(
        ".: no tree file in this folder: expected a name that ends in one of .yaml, .yml, .json,"
    )
    assert ".csv" not in done.err


def test_the_next_command_is_named(run: Run) -> None:
    Path("costs.yaml").write_text("min: {a: 3, b: {chance: [1, 4]}}")
    assert run("costs.yaml", "costs.json").err.endswith("eval costs.json\n")


# ---- Fractions stay fractions, whatever a format makes of the number of nodes.


def coins() -> et.Tree:
    """Return a tree of 17 nodes in fractions, and of more than 20,000 without sharing."""
    builder = et.TreeBuilder()
    node = builder.max({"a": "1/7", "b": builder.chance({"c": "1/9", "d": 2}, ["1/3", "2/3"])})
    for _ in range(12):
        node = builder.chance({"x": node, "y": node}, ["1/3", "2/3"], rewards={"x": "1/11"})
    return builder.build(node)


@pytest.mark.parametrize("unshares", [False, True])
@pytest.mark.parametrize("name", ["out.efg", "out.yaml", "out.json", "silverdecisions.json"])
@pytest.mark.slow
def test_a_tree_in_fractions_stays_in_fractions(run: Run, name: str, unshares: bool) -> None:
    tree = coins()
    assert len(tree) < 20 < 20_000 < tree.unfolded  # type: ignore[operator]
    et.save(tree, "coins.yaml")
    words = ["--format", "silverdecisions"] if name.startswith("silver") else []
    done = run("coins.yaml", name, *words, *["--unshare"] * unshares)
    assert (done.status, "rounding" in done.err) == (0, False)
    text = Path(name).read_text()
    assert ("1/3" in text, "0.33" in text) == (True, False)
    again = et.load(name, exact_nodes=10**9)
    assert search_tree(again).value == search_tree(tree).value


@pytest.mark.parametrize("words", [("pig.efg",), ("--unshare", "pig.yaml"), ("--unshare", "-")])
def test_pig_is_unfolded_in_fractions(run: Run, words: tuple[str, ...]) -> None:
    done = run(str(ROOT / "trees" / "pig.yaml"), *words)
    assert (done.status, "rounding" in done.err) == (0, False)
    text = done.out if words[-1] == "-" else Path(words[-1]).read_text()
    assert "0.16" not in text


def test_a_copy_of_a_tree_in_floats_stays_in_floats() -> None:
    floats = unshare(in_floats(coins()))
    assert (floats.exact, floats.columns.probability[-1]) == (False, 2 / 3)
