"""A tree that is evaluated part by part is the tree that is evaluated as a whole."""

from __future__ import annotations

import pickle
import shlex
from array import array
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from files.samples import content_of
from helpers import ROOT, invoke

import expectitree as et
from expectitree.base.errors import TreeError
from expectitree.base.tree.adopt import adopt
from expectitree.base.tree.columns import Columns
from expectitree.cli.streaming import MIN_STREAMED
from expectitree.files.formats import arrow, parts
from expectitree.searches import streaming
from expectitree.searches.streaming import NeedsWholeTreeError, evaluate_table

pytestmark = pytest.mark.extra  # pyarrow and numba


def streamed(tree: et.Tree, path: Path, float32: bool = False) -> et.Search:
    et.save(tree, path, float32=float32)
    return evaluate_table(parts.TableParts(str(path)))


def same(found: et.Search, whole: et.Search) -> None:
    """Check that two searches give the same answers; nodes of both have the same paths."""
    for name in ("value", "best", "ties", "eps", "counts", "bounds", "bounds_source", "outcome"):
        assert getattr(found, name) == getattr(whole, name), name
    for node, path in found.tree.walk():
        other = whole.tree.find(path)
        assert found.interval(node) == whole.interval(other), path
        if node.id not in found.tree.below:
            assert node.kind is other.kind, path


def random_tree(seed: int, plies: int = 4) -> et.Tree:
    random = Random(seed)
    low, high = sorted(random.sample(range(1, 6), 2))
    skew, end = random.choice((0, 1)), random.choice((0, 0.1))
    return et.generate(
        "uniform", plies=plies, branching=(low, high), seed=seed, skew=skew, end=end,
        pattern=random.choice(("max,chance", "max,chance,min,chance", "chance,min")),
    )  # fmt: skip


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("ending", ["arrow", "parquet"])
@pytest.mark.parametrize(("part", "rows"), [(1, 1000), (7, 1000), (7, 17), (1000, 7)])
def test_random_trees(
    part: int, rows: int, ending: str, float32: bool, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(parts, "PART", part)
    monkeypatch.setattr(arrow, "ROWS", rows)
    for seed in range(8 if part > 1 else 2):
        monkeypatch.setattr(streaming, "MAX_TOP", (1, 20, 10_000)[seed % 3])
        path, tree = tmp_path / f"tree.{ending}", random_tree(seed)
        found = streamed(tree, path, float32)
        tree = et.load(path) if float32 else tree
        same(found, et.evaluate(tree, engine="compiled"))
        assert len(found.tree) <= max(streaming.MAX_TOP, 1 + len(tree.branches_of(tree.root_id)))


def in_another_order(tree: et.Tree, random: Random) -> et.Tree:
    """Return the tree with all terminals first, then the nodes above them, and so on."""
    order = sorted(range(len(tree)), key=lambda n: (tree.heights[n], random.random()))
    place = {n: at for at, n in enumerate(order)}
    own = [branch for n in order for branch in tree.branches_of(n)]
    columns = tree.computed.columns
    ends = [len(tree.branches_of(n)) for n in order]
    return adopt(
        Columns.of(
            array("B", [columns.kind[n] for n in order]),
            array("d", [float(columns.utility[n]) for n in order]),
            array("I", accumulate(ends, initial=0)),
            array("I", [place[columns.child[b]] for b in own]),
            array("d", [float(columns.probability[b]) for b in own]),
        )
    )


def test_any_order_of_rows_gives_the_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children come before parents. With any such order, the front is only longer."""
    monkeypatch.setattr(parts, "PART", 7)
    for seed in range(5):
        tree = in_another_order(random_tree(seed), Random(seed))
        same(streamed(tree, tmp_path / "tree.arrow"), et.evaluate(tree, engine="compiled"))
    monkeypatch.setattr(streaming, "MAX_FRONT", 20)
    tree = in_another_order(et.generate("ballard", plies=3, branching=4), Random(1))
    with pytest.raises(NeedsWholeTreeError, match="its rows are in another order"):
        streamed(tree, tmp_path / "tree.arrow")


def sent(function: Any, *arguments: Any) -> Any:
    """Call a function as a cluster does."""
    function, arguments = pickle.loads(pickle.dumps((function, arguments)))
    return pickle.loads(pickle.dumps(function(*arguments)))


class Elsewhere(ThreadPoolExecutor):
    """An executor that sends tasks and results."""

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        return super().submit(sent, function, *arguments)


@pytest.mark.parametrize("rows", [1, 20, 10_000])
def test_workers_find_the_same(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 50)
    monkeypatch.setattr(streaming, "TASK_ROWS", rows)
    path = tmp_path / "tree.arrow"
    with Elsewhere(3) as executor:
        for seed in range(6):
            tree = random_tree(seed)
            et.save(tree, path)
            found = evaluate_table(parts.TableParts(str(path)), executor, 3)
            same(found, et.evaluate(tree, engine="compiled"))
            assert found.jobs == 3
        et.save(in_another_order(tree, Random(1)), path)
        with pytest.raises(NeedsWholeTreeError, match="its rows are in another order"):
            evaluate_table(parts.TableParts(str(path)), executor, 3)


def test_a_worker_refuses_another_file(tmp_path: Path) -> None:
    path = tmp_path / "tree.arrow"
    et.save(random_tree(1), path)
    table = pickle.dumps(parts.TableParts(str(path)))
    et.save(random_tree(2), path)
    with pytest.raises(TreeError, match="use one file"):
        pickle.loads(table)


def refusals() -> dict[str, tuple[str, str]]:
    return {
        "shared": ("max: [&a {chance: [1, 2]}, *a]", "a node is shared"),
        "paid": ("max: [{cost: 1, utility: 2}, 3]", "a branch pays"),
        "unknown": ('max: [{utility: "?"}, 3]', "it has unknown utilities"),
        "bounds": ("max: [{chance: [1, 2], bounds: [0, 5]}, 3]", "it has bounds below the root"),
        "attitude": ("{attitude: {exponential: 5}, max: [1, 2]}", "it has an attitude to risk"),
    }


@pytest.mark.parametrize("name", refusals())
def test_what_needs_the_whole_tree_is_refused(name: str, tmp_path: Path) -> None:
    text, reason = refusals()[name]
    with pytest.raises(NeedsWholeTreeError, match=reason):
        streamed(et.loads(text), tmp_path / "tree.arrow")


def test_a_fault_is_reported_with_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    tree, path = random_tree(3), tmp_path / "tree.arrow"
    et.save(tree, path)
    monkeypatch.setattr(parts, "PART", 7)
    table: Any = pa.ipc.open_file(str(path)).read_all()
    utility = table.column("utility").to_pylist()
    wrong = next(n for n in range(len(tree) // 2, len(tree)) if utility[n] is not None)
    utility[wrong] = float("inf")
    table = table.set_column(1, "utility", pa.array(utility, pa.float64()))
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    message = rf"node {wrong}: the utility is inf, expected a number up to 10\^301"
    with pytest.raises(TreeError, match=message):
        evaluate_table(parts.TableParts(str(path)))
    with pytest.raises(et.FileError, match=message):
        et.load(path)


def spied(table: Any, reads: list[str]) -> Any:
    """Return the class of a table; each file that is read is added to the list."""
    return lambda path: reads.append(path) or table(path)


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_eval_of_a_large_file_prints_the_same(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"tree.{ending}"
    for tree in (random_tree(1, plies=7), et.loads("max: [{cost: 1, utility: 2}, 3]")):
        et.save(tree, path)
        whole = [invoke("eval", str(path), *words) for words in ((), ("--format", "json"))]
        monkeypatch.setitem(MIN_STREAMED, f".{ending}", 0)
        jobs = invoke("eval", str(path), "--jobs", "2")
        reads: list[str] = []
        monkeypatch.setattr(parts, "TableParts", spied(parts.TableParts, reads))
        text, json = (invoke("eval", str(path), *words) for words in ((), ("--format", "json")))
        monkeypatch.undo()
        assert len(reads) == 2
        if not tree.columns.pays:
            assert jobs.stdout.replace(", 2 jobs", "") == whole[0].stdout
        assert text.stdout == whole[0].stdout
        assert json.exit_code == 0
        if tree.columns.pays:
            assert "the whole tree is read into memory: a branch pays" in text.stderr


def test_a_file_at_a_url_is_read_in_parts(tmp_path: Path) -> None:
    path, url = tmp_path / "tree.parquet", f"{tmp_path.as_uri()}/tree.parquet"
    et.save(random_tree(1, plies=7), path)
    whole = invoke("eval", str(path))
    with mock.patch.object(parts, "TableParts", spied(parts.TableParts, reads := [])):
        assert invoke("eval", url).stdout == whole.stdout
    assert reads == [url]
    assert invoke("eval", url, "--jobs", "2").stdout.replace(", 2 jobs", "") == whole.stdout
    assert content_of(et.load(url)) == content_of(et.load(path))
    assert pickle.loads(pickle.dumps(parts.TableParts(url))).count == len(et.load(path))
    et.save(et.loads("max: [{cost: 1, utility: 2}, 3]"), path)
    assert "the whole tree is read into memory: a branch pays" in invoke("eval", url).stderr


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("{}/none.parquet", "there is no such file: check the URL"),
        ("{}/tree.arrow", "only .parquet files are read at a URL: download this file"),
        ("{}/tree.yaml", "only .parquet files are read at a URL: download this file"),
        ("{}/bad.parquet", "the file is damaged, or does not hold a tree: Parquet magic bytes"),
        ("none://bucket/x.parquet", "the file cannot be read: Protocol not known: none"),
    ],
)
def test_a_url_that_cannot_be_read(url: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + bytes(100))
    url = url.format(tmp_path.as_uri())
    for load in (invoke("eval", url), invoke("eval", url, "-a", "star1")):
        assert load.exit_code == 3
        assert load.stderr.startswith(f"{url}: {message}")
        assert load.stderr.count("\n") == 1


def test_nothing_is_written_at_a_url() -> None:
    message = "s3://b/x.parquet: nothing is written at a URL: name a file on this machine, and "
    for words in (("generate", "uniform", "-o"), ("convert", "trees/risk.yaml")):
        error = invoke(*words, "s3://b/x.parquet").exception
        assert isinstance(error, et.FileError)
        assert str(error) == f"{message}upload it"


@pytest.mark.parametrize("about", ["trees/risk.yaml", "-e 'max: [1, 2]'", "game:pig --depth 3"])
@pytest.mark.parametrize("more", ["", "-a star1"])
def test_a_tree_in_memory_is_searched_in_one_job(about: str, more: str) -> None:
    words = shlex.split(f"eval {about} {more} --jobs 2".replace("trees/", f"{ROOT}/trees/"))
    done = invoke(*words)
    assert (done.exit_code, "two jobs took as long: remove --jobs" in done.stderr) == (2, True)


def test_jobs_from_python_are_refused() -> None:
    with pytest.raises(et.SearchError, match="in one job, since two took as long"):
        et.evaluate(et.loads("max: [1, 2]"), "star1", jobs=2)


def test_a_scheduler_is_for_tables() -> None:
    for words in (("-a", "star1"), ("--all",), ("--jobs", "2")):
        done = invoke("eval", "x.arrow", "--scheduler", "x:1", *words)
        assert "--scheduler evaluates .arrow and .parquet files with expectiminimax" in done.stderr
    done = invoke("eval", "game:pig", "--scheduler", "x:1")
    assert "cannot evaluate game:pig part by part" in done.stderr
