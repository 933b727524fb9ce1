"""Studies: what a spec says, that nothing is lost or counted twice however a run ends, and what it all comes to."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner
from helpers import ROOT

import expectitree as et
from expectitree.analysis.study.reader import load_study
from expectitree.analysis.study.results import Results
from expectitree.analysis.study.run import count_trees, execute, find_tasks
from expectitree.analysis.study.spec import Study
from expectitree.analysis.study.summary import mean, summarize
from expectitree.cli import cli
from expectitree.errors import ExpectitreeError, FileError

PATIENCE = 25  # seconds after which something hangs

SMALL = """
trees:
  - {family: ballard, branching: [2, 3], order: [random, best]}
  - {family: uniform, pattern: "max,chance,min", branching: 2-3, end: 0.2, skew: 1}
algorithms: [star1, star2.5: {probes: [1, 3], probe-order: [cyclic, sequential]}]
repetitions: 4
seed: 11
"""
SMALL_TREES = 2 * (4 + 1) + 4
SMALL_RUNS: dict[str, tuple[Any, ...]] = {
    "star1": ("star1", None, None),
    "star2.5 (1 probe, cyclic)": ("star2.5", 1, "cyclic"),
    "star2.5 (3 probes, cyclic)": ("star2.5", 3, "cyclic"),
    "star2.5 (1 probe, sequential)": ("star2.5", 1, "sequential"),
    "star2.5 (3 probes, sequential)": ("star2.5", 3, "sequential"),
}
# Many short tasks: whenever it is killed, some are done, some are running and some are waiting.
GRID = """
trees:
  - {family: ballard, branching: [2, 3, 4, 5, 6, 7], order: [random, best], pattern: ["max,chance,min", "min,chance"]}
  - {family: uniform, branching: [2, 3, 2-4], end: [0, 0.2], skew: [0, 1], utilities: "0,9"}
algorithms: [star1, star2]
repetitions: 12
"""
GRID_TREES = 12 * 12 + 12 + 12 * 12
LONG = """
trees: {family: ballard, branching: 40, order: random}
algorithms: [star1, star2]
engines: interpreted
repetitions: 40
"""
# One tree is a minute's work.
SLOW = f"""
trees: {{family: ballard, branching: 10}}
algorithms: {{star2.5: {{probes: [{", ".join(map(str, range(1, 5001)))}]}}}}
engines: exact
repetitions: 20
"""


# ---- Running studies, here and in processes of their own.


class Here(Executor):
    """Does at once what is submitted."""

    def __init__(self) -> None:
        self.trees = 0
        self.runs = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        self.trees += len(arguments[0].trees)
        self.runs += sum(len(runs) for *_, runs in arguments[0].trees)
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        return future


class InAnyOrder(Executor):
    """Does, in a thread, now this and now that of what is waiting."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self.order: list[int] = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, function, arguments))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.ended.set()
        self.thread.join()

    def _work(self) -> None:
        while not self.ended.wait(0.0005):
            if self.waiting:
                at = self.random.randrange(len(self.waiting))
                self.order.append(at)
                future, function, arguments = self.waiting.pop(at)
                future.set_result(function(*arguments))


def spec_in(folder: Path, text: str, name: str = "spec.yaml") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def study_of(folder: Path, text: str, name: str = "spec.yaml") -> Study:
    return load_study(spec_in(folder, text, name))


def plan(folder: Path, text: str) -> Any:
    """Do with a spec all that comes before the first search."""
    study = study_of(folder, text)
    return summarize(study, Results(""), *count_trees(study, find_tasks(study, Results(""))))


def carry_on(study: Study, path: Path, executor: Executor | None = None) -> Executor:
    """Do what is still to be done, without other processes."""
    executor = executor or Here()
    kept = Results(str(path))
    kept.read()
    kept.open()
    try:
        execute(find_tasks(study, kept), kept, executor, 2, lambda more: None)
    finally:
        kept.close()
        executor.shutdown()
    return executor


def summary_of(study: Study, path: Path) -> Any:
    kept = Results(str(path))
    kept.read()
    return summarize(study, kept, *count_trees(study, find_tasks(study, kept)))


def figures(study: Study, path: Path) -> list[Any]:
    """Return what the results in a file come to, all but times."""
    summary = summary_of(study, path)
    return [
        (
            dict(r.tree),
            r.run.name,
            r.trees,
            r.leaves_total,
            r.leaves,
            r.leaf_share,
            r.node_share,
            r.visits,
        )
        for r in summary.rows
    ]


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def keys(path: Path) -> list[tuple[str, int, int]]:
    return [
        (json.dumps(r["tree"], sort_keys=True), r["repetition"], r["seed"]) for r in records(path)
    ]


def words_of(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "expectitree", "study", *map(str, words)]


def plain(**environment: str) -> dict[str, str]:
    kept = {
        k: v
        for k, v in os.environ.items()
        if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONIOENCODING")
    }
    return {**kept, "COLUMNS": "80", "PYTHONUTF8": "1", **environment}


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run `expectitree study` in a process group of its own, of which nothing is left afterwards."""
    process = subprocess.Popen(
        words_of(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, env=plain(),
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        workers = (
            psutil.Process(process.pid).children(recursive=True)
            if psutil.pid_exists(process.pid)
            else []
        )
        with_signal(process, signal.SIGKILL)
        for worker in alive(workers):
            worker.kill()
        process.communicate()


def with_signal(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal to a process and all that it started, as a terminal does."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def until(holds: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until something holds while a process runs."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert process.poll() is None, f"it ended too early: {process.communicate()}"
        assert time.monotonic() < end
        time.sleep(0.002)


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def workers_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes that search."""
    found = psutil.Process(process.pid).children(recursive=True)
    return [child for child in found if "spawn_main" in " ".join(child.cmdline())]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Return those that still run; what has ended may wait for its parent to notice."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def told(process: subprocess.Popen[str]) -> str:
    """Wait for the end of a process; return what it wrote to standard error."""
    try:
        return process.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        return pytest.fail("it hangs")


def ask(*words: str | Path, **environment: str) -> str:
    """Run `expectitree study` in this process; return its output, or what it refuses with."""
    done = CliRunner(env={"COLUMNS": "80", **environment}).invoke(cli, ["study", *map(str, words)])
    if done.exception is not None and not isinstance(
        done.exception, (SystemExit, ExpectitreeError)
    ):
        raise done.exception
    return str(done.exception) if isinstance(done.exception, ExpectitreeError) else done.output


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    """Fail where something would go on for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still at it after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """A study and its results, which no test changes."""
    folder = tmp_path_factory.mktemp("small")
    study = study_of(folder, SMALL)
    carry_on(study, folder / "spec.results.jsonl")
    return study, folder / "spec.results.jsonl"


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, list[Any]]:
    """A study, and what it comes to if nothing happens."""
    folder = tmp_path_factory.mktemp("grid")
    study = study_of(folder, GRID)
    carry_on(study, folder / "results.jsonl")
    return study, figures(study, folder / "results.jsonl")


def assert_whole(grid: tuple[Study, list[Any]], path: Path) -> None:
    """Every tree stands in the file once, and the figures are those of a run that nothing happened to."""
    study, expected = grid
    assert (
        len(keys(path))
        == len(set(keys(path)))
        == sum(len(study.seeds(tree)) for tree in study.trees)
    )
    assert figures(study, path) == expected


# ---- What a spec says.


def test_lists_make_a_grid(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    assert [tuple(tree.values()) for tree in study.trees] == [
        ("ballard", "2", "random"), ("ballard", "2", "best"), ("ballard", "3", "random"), ("ballard", "3", "best"),
        ("uniform", "max,chance,min", "2-3", "0.2", "1"),
    ]  # fmt: skip
    assert sorted(run.name for run in study.runs) == sorted(SMALL_RUNS)
    assert (study.repetitions, study.seed) == (4, 11)


def test_every_algorithm_runs_with_every_engine(tmp_path: Path) -> None:
    text = "trees: {family: ballard}\nalgorithms: [star1, star2]\nengines: [auto, interpreted, exact]\n"
    assert [run.name for run in study_of(tmp_path, text).runs] == [
        "star1", "star1, interpreted", "star1, exact", "star2", "star2, interpreted", "star2, exact",
    ]  # fmt: skip


def test_json_specs_work_too(tmp_path: Path) -> None:
    """The same study, so the same results."""
    text = json.dumps(
        {
            "trees": [
                {"family": "ballard", "branching": [2, 3], "order": ["random", "best"]},
                {
                    "family": "uniform",
                    "pattern": "max,chance,min",
                    "branching": "2-3",
                    "end": 0.2,
                    "skew": 1,
                },
            ],
            "algorithms": [
                "star1",
                {"star2.5": {"probes": [1, 3], "probe-order": ["cyclic", "sequential"]}},
            ],
            "repetitions": 4,
            "seed": 11,
        }
    )
    one, other = study_of(tmp_path, SMALL), study_of(tmp_path, text, "spec.json")
    assert (one.trees, one.runs) == (other.trees, other.runs)
    carry_on(one, tmp_path / "one")
    carry_on(other, tmp_path / "other")
    assert figures(one, tmp_path / "one") == figures(other, tmp_path / "other")


def test_trees_that_chance_does_not_change_are_searched_once(tmp_path: Path) -> None:
    trees = "[{family: ballard, order: best}, {family: lattice, steps: 3}, {family: uniform, seed: [5, 6]}]"
    study = study_of(tmp_path, f"trees: {trees}\nalgorithms: star1\nrepetitions: 9\n")
    carry_on(study, tmp_path / "results")
    found = records(tmp_path / "results")
    assert [record["repetition"] for record in found] == [0, 0, 0, 0]
    assert sorted(record["seed"] for record in found if record["tree"]["family"] == "uniform") == [
        5,
        6,
    ]


# A spec, with § before whatever is wrong, and what the messages say, in that order.
WRONG = {
    "unknown key": ("trees: {family: ballard}\nalgorithms: star1\n§repetition: 3\n", ["unknown key 'repetition'"]),
    "several at once": (
        "trees: {family: ballard, branching: §x}\nalgorithms: [§star9]\nrepetitions: §0\nseed: §-1\nengines: §fast\n",
        ["'x' as branching, expected a whole number", "unknown algorithm 'star9'",
         "'0', expected a whole number from 1", "'-1', expected a whole number from 0", "'fast', expected one of auto"],
    ),
    "types": (
        "title: §[a]\nsource: §{a: b}\ntrees: §3\nalgorithms: [§[star1]]\nrepetitions: §[1]\nseed: §1.5\nplot: §x\n",
        ["a list, expected text", "a mapping, expected text", "'3', expected a mapping with a family",
         "a list, expected a name", "a list, expected a whole number", "'1.5', expected a whole number",
         "'x', expected a mapping"],
    ),
    "empty lists": ("trees: §[]\nalgorithms: star1\n", ["an empty list, expected at least one of trees"]),
    "no algorithms": ("trees: {family: ballard}\nalgorithms: §[]\n", ["an empty list, expected at least one of alg"]),
    "no engines": ("trees: {family: ballard}\nalgorithms: star1\nengines: §[]\n", ["engine"]),
    "no values": ("trees: {family: ballard, branching: §[]}\nalgorithms: star1\n", ["an empty list, expected a value"]),
    "no probes": ("trees: {family: ballard}\nalgorithms: [star1, star2.5: {probes: §[]}]\n", ["probes"]),
    "no orders": ("trees: {family: ballard}\nalgorithms: [star1, star2.5: {probe-order: §[]}]\n", ["order"]),
    "nothing at all": ("trees:§\nalgorithms:§\n", ["nothing, expected a mapping", "unknown algorithm ''"]),
    "no family": ("trees: [§{branching: 3}]\nalgorithms: star1\n", ["no key family: choose ballard"]),
    "unknown family": ("trees: {family: §ballot}\nalgorithms: star1\n", ["unknown family 'ballot'"]),
    "unknown parameter": (
        "trees: {family: ballard, §branchin: 3}\nalgorithms: star1\n",
        ["unknown key 'branchin' (did you mean 'branching'?)"],
    ),
    "a parameter of another family": ("trees: {family: uniform, §order: best}\nalgorithms: star1\n", ["key 'order'"]),
    "duplicate key": (
        "trees: {family: ballard, branching: 3, §branching: 4}\nalgorithms: star1\n§algorithms: star2\n",
        ["duplicate key 'branching'", "duplicate key 'algorithms'"],
    ),
    "duplicate algorithm": ("trees: {family: ballard}\nalgorithms: §[star1, Star1]\n", ["algorithm is listed twice"]),
    "unknown engine": ("trees: {family: ballard}\nalgorithms: star1\nengines: [auto, §quick]\n", ["'quick', expected"]),
    "probes of star1": (
        "trees: {family: ballard}\nalgorithms: [§star1: {probes: 2}, §star2: {probes: 2}]\n",
        ["star2.5 only, not for star1", "star2.5 only, not for star2: star2 is star2.5 with 1"],
    ),
    "probes": (
        "trees: {family: ballard}\nalgorithms: [star2.5: {probes: [1, §0, §two], probe-order: §up, §probe: 1}]\n",
        ["'0', expected a whole", "'two', expected", "'up' as probe-order, expected cyclic", "unknown key 'probe'"],
    ),
    "no figure": ("trees: {family: ballard}\nalgorithms: star1\npublished: [§{branching: 4}]\n", ["no figure"]),
    "figures that are none": (
        "trees: {family: ballard}\nalgorithms: star1\npublished: [§{star1: much}, §{star1: 3/0}, §{star1: -1}]\n",
        ["'much' as published, expected per cent", "'3/0' as published", "'-1' as published"],
    ),
    "plot": (
        "trees: {family: ballard}\nalgorithms: star1\nplot: {y: §nodes, scale: §cubic, §z: 1, lines: [§{label: a}]}\n",
        ["'nodes', expected share or leaves", "'cubic', expected log", "unknown key 'z'", "a mapping, expected label"],
    ),
    "no spec": ("§max: [1, 2]\n", ["unknown key 'max'", "no key trees", "no key algorithms"]),
    "a list": ("§- a\n", ["a list, expected a mapping with trees and algorithms"]),
    "a missing key": ("§trees: {family: ballard}\n", ["no key algorithms"]),
    "no YAML": ("trees: [{family: ballard}\n§algorithms: star1\n", ["this is not YAML"]),
    "an empty file": ("§", ["the document is empty"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    marked, messages = WRONG[name]
    parts = marked.split("§")
    before = ["".join(parts[: n + 1]) for n in range(len(parts) - 1)]
    places = {(text.count("\n") + 1, len(text) - text.rfind("\n")) for text in before}
    with pytest.raises(FileError) as caught:
        plan(tmp_path, "".join(parts))
    problems = caught.value.problems
    assert {(p.line, p.column) for p in problems} == places, str(caught.value)
    assert len(problems) == len(messages)
    for message in messages:
        assert any(message in problem.message for problem in problems), str(caught.value)


REFUSED = [
    "{family: ballard, order: up}", "{family: ballard, pattern: 'max,mix'}", "{family: ballard, plies: 0}",
    "{family: ballard, plies: 65}", "{family: ballard, branching: 0}", "{family: ballard, branching: 2-4}",
    "{family: uniform, branching: 5-2}", "{family: uniform, end: 1}", "{family: uniform, skew: 5}",
    "{family: uniform, utilities: '5,1'}", "{family: uniform, seed: -1}", "{family: lattice, steps: 0}",
    "{family: lattice, rate: 2}", "{family: ballard, branching: 1000000, plies: 64}",
    "{family: ballard, branching: 100000}", "{family: ballard, branching: 1, plies: 999999999}",
    f"{{family: lattice, steps: 1{'0' * 400}}}",
]  # fmt: skip


@pytest.mark.parametrize("tree", REFUSED, ids=lambda tree: tree[9:50])
def test_parameters_that_a_family_refuses_are_told_with_their_place(
    tree: str, tmp_path: Path
) -> None:
    """At once, not when their turn comes: what was searched by then would be for nothing."""
    with no_longer_than(5), pytest.raises(FileError) as caught:
        plan(tmp_path, f"algorithms: star1\ntrees:\n- {{family: ballard}}\n- {tree}\n")
    assert [problem.line for problem in caught.value.problems] == [4]
    assert caught.value.problems[0].column


@pytest.mark.parametrize(
    "rest",
    [
        "engines: [auto, auto]",
        "published: [{order: random, star1: 10}, {star1: 20}]",
        "published: [{star1: 10, star1: 20}]",
        "published: [{star1: inf}]",
        "published: [{branching: 4, star1: 84}, {star1: 83}]",
        f"seed: {'0' * 31}{'9' * 5000}",
        "published: [{branching: 3, star1: 84}]",
        "published: [{star2: 84}]",
        "plot: {x: braching}",
        "plot: {lines: [{label: a, factor: nan, power: 1}]}",
    ],
)
def test_what_would_be_passed_over_in_silence_is_an_error(rest: str, tmp_path: Path) -> None:
    with pytest.raises(FileError):
        study_of(
            tmp_path, f"trees: {{family: ballard, branching: [4, 5]}}\nalgorithms: star1\n{rest}\n"
        )


def test_the_same_trees_twice_are_an_error(tmp_path: Path) -> None:
    trees = "[{family: ballard, branching: [3, 4]}, {branching: 4, family: ballard}]"
    with pytest.raises(
        FileError, match=r":1:\d+: .*the same trees are listed twice: ballard, branching 4"
    ):
        study_of(tmp_path, f"trees: {trees}\nalgorithms: star1\n")


def test_a_huge_grid_is_refused_at_once(tmp_path: Path) -> None:
    """10^8 kinds of trees fit in one line."""
    many, some = (f"[{', '.join(map(str, range(1, end)))}]" for end in (1000, 60))
    text = f"trees: {{family: uniform, branching: {many}, plies: {some}, seed: {many}, skew: [0, 1, 2]}}\n"
    with no_longer_than(3), pytest.raises(FileError, match=r":2:\d+: "):
        study_of(tmp_path, f"algorithms: star1\n{text}")


GOOD = """
title: "Some: trees"
source: a book
trees:
  - {family: ballard, pattern: "max,chance", branching: [2, 3], order: [random, best]}
  - family: uniform
    branching: 2-3
    real: [true, false]
    utilities: "0,9"
  - {family: lattice, steps: [5, 6], up: 1.2}
algorithms: [star1, star2.5: {probes: [1, 2], probe-order: cyclic}]
engines: [interpreted, exact]
repetitions: 3
seed: 4
published:
  - {branching: 2, star1: 84.1}
  - {probes: 2, star2.5: 3/4}
plot: {x: branching, y: leaves, scale: log, lines: [{label: a, factor: 1, power: 2}]}
"""
PIECES = (
    "", "0", "-1", "3", "1e9", "9" * 30, "0" * 31 + "9" * 5000, "[]", "{}", "null", "x", '"', "é", "&a ", "*a", "true",
    "- ", ": ", "nan", "inf", "1/3", "[a, b]", "{a: b}", "star2", "uniform", "exact", "probes", "family",
    "\n", "\t", "1_0",
)  # fmt: skip


def outcome(folder: Path, text: str) -> Any:
    """Return what there is to do, or the error that refuses it; any other exception is a failure."""
    try:
        return plan(folder, text)
    except FileError as error:
        return error
    except Exception as error:
        return pytest.fail(f"{error!r} of {text}")


def test_a_mutated_spec_is_a_study_or_is_refused(tmp_path: Path) -> None:
    """No other exception ever, and everything has its place."""
    draw = random.Random(8)
    studies = 0
    with no_longer_than(PATIENCE):
        for _ in range(700):
            words = re.split(r"(\W+)", GOOD)
            for _ in range(draw.randint(1, 2)):
                at = draw.randrange(len(words))
                words[at : at + draw.choice((1, 1, 1, 3, 5))] = [draw.choice(PIECES)]
            text = "".join(words)
            found = outcome(tmp_path, text)
            if isinstance(found, FileError):
                assert all(p.line and p.column for p in found.problems), f"{found}\n{text}"
                assert str(found).replace("\n", "").isprintable()
            studies += not isinstance(found, FileError)
    assert 5 < studies < 650


# ---- The same file, the same figures.


GOLDEN = {  # branching and repetition -> its seed, and the leaves that each search visits
    ("2", 0): (260086920056002759, [7, 6, 6, 6, 7]),
    ("2", 1): (669837823190336185, [7, 7, 7, 7, 7]),
    ("2-3", 0): (444754577960580555, [13, 13, 13, 13, 13]),
    ("2-3", 1): (957062856196499699, [8, 7, 7, 7, 8]),
    ("3", 0): (681470967025479943, [25, 21, 21, 21, 25]),
    ("3", 1): (353563058954400802, [27, 27, 27, 27, 27]),
}


def test_seeds_and_counts_stay_what_they_are(small: tuple[Study, Path]) -> None:
    """Somebody may have published them."""
    found = {
        (r["tree"]["branching"], r["repetition"]): (
            r["seed"],
            [r["runs"][name]["leaves"] for name in SMALL_RUNS],
        )
        for r in records(small[1])
        if r["tree"].get("order") != "best" and r["repetition"] < 2
    }
    assert found == GOLDEN


def test_each_tree_can_be_made_again_from_its_record(small: tuple[Study, Path]) -> None:
    """The seed stands there, and every count is what a search by hand finds."""
    found = records(small[1])
    assert len(found) == SMALL_TREES
    for record in found:
        tree = et.generate(**(record["tree"] | {"seed": record["seed"]}))
        assert (record["nodes"], record["leaves"]) == (len(tree), tree.leaves)
        assert set(record["runs"]) == set(SMALL_RUNS)
        for name, (algorithm, probes, order) in SMALL_RUNS.items():
            search = et.evaluate(tree, algorithm, probes=probes, probe_order=order)
            run = record["runs"][name]
            assert run.pop("seconds") >= 0
            counts = {"leaves": search.counts.leaves_visited, "nodes": search.counts.visited}
            counts |= {"visits": search.counts.visits, "cuts": search.counts.cuts}
            assert run == {"value": search.value, **counts}


def test_seeds_are_all_different_and_depend_on_nothing_else_in_the_file(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    before = {key[:2]: key[2] for key in keys(small[1]) if "best" not in key[0]}
    assert len(set(before.values())) == len(before) == 12
    study = study_of(
        tmp_path,
        "seed: 11\nrepetitions: 6\nengines: exact\nalgorithms: star2\ntrees:\n"
        '- {family: uniform, skew: 1, end: 0.2, branching: 2-3, pattern: "max,chance,min"}\n'
        "- {order: random, branching: [5, 3, 2], family: ballard}\n",
    )
    carry_on(study, tmp_path / "results")
    after = {key[:2]: key[2] for key in keys(tmp_path / "results")}
    assert {key: after[key] for key in before} == before
    other = study_of(tmp_path, SMALL.replace("seed: 11", "seed: 12"))
    carry_on(other, tmp_path / "other")
    assert not {key[2] for key in keys(tmp_path / "other") if "best" not in key[0]} & set(
        before.values()
    )


@pytest.mark.parametrize("seed", range(3))
def test_it_does_not_matter_in_which_order_tasks_finish(
    seed: int, small: tuple[Study, Path], tmp_path: Path
) -> None:
    executor = carry_on(small[0], tmp_path / "results", InAnyOrder(seed))
    assert isinstance(executor, InAnyOrder)
    assert any(executor.order), "they finished in order"
    assert figures(small[0], tmp_path / "results") == figures(*small)


def test_it_does_not_matter_how_many_processes_search(
    grid: tuple[Study, list[Any]], tmp_path: Path
) -> None:
    with started(spec_in(tmp_path, GRID), "--jobs", "3", "--format", "json") as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert_whole(grid, tmp_path / "spec.results.jsonl")
    found = json.loads(output)
    assert found["trees"] == {"done": GRID_TREES, "total": GRID_TREES}
    assert [row["leaf_share"] for row in found["rows"]] == [row[5].value for row in grid[1]]


# ---- Nothing is lost, nothing counts twice.


def test_what_is_done_is_not_done_again(small: tuple[Study, Path], tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_bytes(small[1].read_bytes())
    executor = carry_on(small[0], path)
    assert isinstance(executor, Here)
    assert executor.trees == 0
    assert path.read_bytes() == small[1].read_bytes()


def test_a_file_that_ends_anywhere_is_gone_on_from(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    """A kill may leave any beginning of the last line."""
    study = study_of(
        tmp_path, SMALL.replace("star1, ", "").replace("[1, 3]", "3").replace(", sequential]", "]")
    )
    whole = tmp_path / "whole"
    carry_on(study, whole)
    content, expected = whole.read_bytes(), figures(study, whole)
    last = content[:-1].rfind(b"\n") + 1
    path = tmp_path / "results"
    for end in [*range(last - 2, len(content) + 1), 0, 1]:
        path.write_bytes(content[:end])
        executor = carry_on(study, path)
        assert isinstance(executor, Here)
        assert executor.trees == SMALL_TREES - content[:end].count(b"\n")
        assert len(keys(path)) == SMALL_TREES
        assert figures(study, path) == expected


def test_a_report_of_half_a_line_leaves_the_file_alone(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    """A study may be writing to it."""
    path = tmp_path / "results"
    path.write_bytes(small[1].read_bytes()[:-9])
    before = path.read_bytes()
    assert "13 of 14 trees done" in ask(spec_in(tmp_path, SMALL), "--results", path, "--report")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("before", "after", "trees", "runs"),
    [
        ("[star1, star2.5: {probes: [1, 3], ", "[star1, star2, star2.5: {probes: [1, 3], ", 14, 14),
        ("seed: 11", "seed: 11\nengines: [auto, exact]", 14, 14 * 5),
        ("repetitions: 4", "repetitions: 6", 6, 6 * 5),
        ("branching: [2, 3]", "branching: [2, 3, 4]", 5, 5 * 5),
        ("[1, 3]", "1", 0, 0),
        ("repetitions: 4", "repetitions: 2", 0, 0),
    ],
)
def test_what_is_asked_for_later_runs_only_what_is_missing(
    before: str, after: str, trees: int, runs: int, small: tuple[Study, Path], tmp_path: Path
) -> None:
    path = tmp_path / "results"
    path.write_bytes(small[1].read_bytes())
    study = study_of(tmp_path, SMALL.replace(before, after))
    executor = carry_on(study, path)
    assert isinstance(executor, Here)
    assert (executor.trees, executor.runs) == (trees, runs)
    carry_on(study, tmp_path / "at once")
    assert figures(study, path) == figures(study, tmp_path / "at once")


@pytest.mark.parametrize(
    ("before", "after"),
    [("repetitions: 1", "repetitions: 3"), ("seed: 11", "seed: 12"), ("repetitions: 3", "")],
)
def test_trees_of_other_seeds_are_not_counted(before: str, after: str, tmp_path: Path) -> None:
    """They are of another study that was kept in the same file."""
    text = SMALL.replace(
        "repetitions: 4", "repetitions: 1" if before == "repetitions: 1" else "repetitions: 3"
    )
    carry_on(study_of(tmp_path, text), tmp_path / "results")
    study = study_of(tmp_path, text.replace(before, after))
    carry_on(study, tmp_path / "results")
    carry_on(study, tmp_path / "at once")
    assert figures(study, tmp_path / "results") == figures(study, tmp_path / "at once")


def test_a_line_that_stands_twice_counts_once(small: tuple[Study, Path], tmp_path: Path) -> None:
    path = tmp_path / "results"
    lines = small[1].read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, *lines[3:7], *reversed(lines)]))
    assert figures(small[0], path) == figures(*small)


def test_studies_may_share_a_file(small: tuple[Study, Path], tmp_path: Path) -> None:
    path = tmp_path / "results"
    other = study_of(
        tmp_path,
        "trees: {family: uniform, plies: 2}\nalgorithms: star2\nrepetitions: 3\nseed: 11\n",
    )
    carry_on(other, path)
    alone = figures(other, path)
    carry_on(small[0], path)
    assert figures(small[0], path) == figures(*small)
    assert figures(other, path) == alone


LINE: dict[str, Any] = {
    "tree": {"family": "ballard", "branching": "2", "order": "random"}, "repetition": 0, "seed": 1,
    "nodes": 15, "leaves": 8,
    "runs": {"star1": {"value": 1.0, "leaves": 8, "nodes": 15, "visits": 15, "cuts": 0, "seconds": 0.1}},
}  # fmt: skip
BROKEN = {
    "nothing": "", "text": "hello", "a list": "[]", "a number": "5", "half a line": json.dumps(LINE)[:150],
    "deep": "[" * 100_000, "bytes": "\udcff\udcfe", "no keys": "{}", "another key": json.dumps(LINE | {"more": 1}),
    "no runs": json.dumps(LINE | {"runs": []}), "a run of nothing": json.dumps(LINE | {"runs": {"star1": {}}}),
    "a run that is a number": json.dumps(LINE | {"runs": {"star1": 5}}),
    "repetition": json.dumps(LINE | {"repetition": "0"}), "seed": json.dumps(LINE | {"seed": [1]}),
    "no tree": json.dumps(LINE | {"tree": {}}), "leaves": json.dumps(LINE | {"leaves": None}),
    "more than there are": json.dumps(LINE | {"leaves": 7}),
    **{f"no {key}": json.dumps(LINE | {"runs": {"star1": {k: v for k, v in LINE["runs"]["star1"].items() if k != key}}})
       for key in ("leaves", "nodes", "visits", "seconds")},
    "seconds": json.dumps(LINE | {"runs": {"star1": LINE["runs"]["star1"] | {"seconds": "long"}}}),
    "NaN": json.dumps(LINE | {"runs": {"star1": LINE["runs"]["star1"] | {"nodes": math.nan}}}),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_told_with_its_number(
    name: str, small: tuple[Study, Path], tmp_path: Path
) -> None:
    path = tmp_path / "results"
    lines = small[1].read_bytes().splitlines(keepends=True)
    broken = BROKEN[name].encode("utf-8", "surrogateescape")
    path.write_bytes(b"".join([*lines[:5], broken + b"\n", *lines[5:9]]))
    before = path.read_bytes()
    message = ask(spec_in(tmp_path, SMALL), "--results", path)
    assert message.startswith(f"{path}:6:1: "), message
    assert "name another file, or move this one away" in message
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        '{"trees": {"family": "ballard"}, "algorithms": "star1"}',
        "a page of my thesis",
        "\0\0\0",
        "a,b\n1,2",
    ],
)
def test_a_file_that_is_no_results_is_not_touched(content: str, tmp_path: Path) -> None:
    """One without a line's end too: `--results` may name any file by mistake, the spec itself for one."""
    path = tmp_path / "thesis"
    path.write_text(content)
    message = ask(spec_in(tmp_path, SMALL), "--results", path, "--jobs", "1")
    assert path.read_text() == content
    assert message.startswith(f"{path}:1:1: "), message


def test_a_file_that_cannot_be_is_told(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, SMALL)
    assert (
        ask(spec, "--results", tmp_path)
        == f"{tmp_path}: the results cannot be read: Is a directory"
    )
    missing = tmp_path / "none" / "results"
    assert (
        ask(spec, "--results", missing)
        == f"{missing}: the results cannot be written: No such file or directory"
    )


def test_a_full_disk_is_one_message(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    """What was written counts: the next run goes on from there."""
    path = tmp_path / "spec.results.jsonl"
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 9; exec "$@"', "sh", *words_of(spec_in(tmp_path, GRID), "--jobs", "2")],
        capture_output=True, encoding="utf-8", cwd=ROOT, env=plain(), timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        done.stderr
        == f"{path}: the results cannot be written: File too large; what was written counts, go on later\n"
    )
    written = lines_in(path)
    executor = carry_on(grid[0], path)
    assert isinstance(executor, Here)
    assert executor.trees == GRID_TREES - written
    assert_whole(grid, path)


def test_what_is_not_on_the_disk_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some disks tell only then that they are full."""

    def fails(_: int) -> None:
        raise OSError(28, "No space left on device")

    study = study_of(tmp_path, SMALL)
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(
        FileError, match=r"results: the results cannot be written: No space left on device"
    ):
        carry_on(study, tmp_path / "results")


def test_only_one_study_writes_to_a_file(small: tuple[Study, Path], tmp_path: Path) -> None:
    """Another is refused as long as it runs, and changes nothing; reports are made meanwhile."""
    path, spec = tmp_path / "results", spec_in(tmp_path, SMALL)
    path.write_bytes(small[1].read_bytes()[:2000])
    kept = Results(str(path))
    kept.open()
    before = path.read_bytes()
    message = f"{path}: another study is writing to this file: wait for it, or name another"
    assert ask(spec, "--results", path, "--jobs", "1") == message
    assert "trees done" in ask(spec, "--results", path, "--report")
    assert path.read_bytes() == before
    kept.close()
    carry_on(small[0], path)
    assert figures(small[0], path) == figures(*small)


def test_two_at_once_do_no_harm(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    spec = spec_in(tmp_path, GRID)
    with started(spec, "--jobs", "1") as one, started(spec, "--jobs", "1") as other:
        errors = told(one) + told(other)
    assert sorted({one.returncode, other.returncode}) in ([0], [0, 3])
    assert "Traceback" not in errors
    assert_whole(grid, tmp_path / "spec.results.jsonl")


def test_it_may_be_killed_at_any_moment(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    spec, path = spec_in(tmp_path, GRID), tmp_path / "spec.results.jsonl"
    draw = random.Random(7)
    for jobs, wanted in ((3, 1), (2, 90), (1, 91), (3, 240)):
        with started(spec, "--jobs", str(jobs)) as process:
            until(lambda: lines_in(path) >= wanted, process)  # noqa: B023
            time.sleep(draw.uniform(0, 0.03))
            with_signal(process, signal.SIGKILL)
    done = lines_in(path)
    assert 240 <= done < GRID_TREES
    executor = carry_on(grid[0], path)
    assert isinstance(executor, Here)
    assert executor.trees == GRID_TREES - done
    assert_whole(grid, path)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill", "term"])
def test_no_process_outlives_the_one_that_started_it(
    number: signal.Signals, tmp_path: Path
) -> None:
    """It would wait for work for ever, and keep a pipe open that others read to its end."""
    with started(spec_in(tmp_path, LONG), "--jobs", "2") as process:
        until(lambda: lines_in(tmp_path / "spec.results.jsonl"), process)
        workers = workers_of(process)
        assert len(workers) == 2
        process.send_signal(number)
        process.wait(PATIENCE)
        end = time.monotonic() + 6
        while left := alive(workers):
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        for worker in left:
            worker.kill()
        assert not left


def test_an_interrupt_is_one_clear_line(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    """Ctrl-C reaches all processes; what was written is what is told, and the next run goes on from there."""
    path = tmp_path / "spec.results.jsonl"
    with started(spec_in(tmp_path, GRID), "--jobs", "2") as process:
        until(lambda: lines_in(path) > 20, process)
        workers = workers_of(process)
        with_signal(process, signal.SIGINT)
        errors = told(process)
    assert process.returncode == 130
    assert not alive(workers)
    done = lines_in(path)
    expected = f"{path}: {done} of {GRID_TREES} trees are done; the same command continues there"
    assert errors.splitlines() == [expected, "expectitree: interrupted"]
    executor = carry_on(grid[0], path)
    assert isinstance(executor, Here)
    assert executor.trees == GRID_TREES - done
    assert_whole(grid, path)


def test_an_interrupt_while_processes_start_is_no_traceback(tmp_path: Path) -> None:
    with started(spec_in(tmp_path, GRID), "--jobs", "3") as process:
        until(lambda: len(workers_of(process)) == 3, process)
        workers = workers_of(process)
        time.sleep(0.05)
        with_signal(process, signal.SIGINT)
        errors = told(process)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors
    assert errors.endswith("expectitree: interrupted\n")
    assert not alive(workers)


def test_an_interrupt_does_not_wait_for_long_searches(tmp_path: Path) -> None:
    with started(spec_in(tmp_path, SLOW), "--jobs", "2") as process:
        until(lambda: len(workers_of(process)) == 2, process)
        workers = workers_of(process)
        until(lambda: all(worker.cpu_times().user > 1 for worker in workers), process)
        with_signal(process, signal.SIGINT)
        errors = told(process)
        assert not alive(workers)
    assert process.returncode == 130
    assert errors.splitlines()[1:] == ["expectitree: interrupted"]


@pytest.mark.parametrize("seconds", [0.1, 0.01])
def test_interrupts_again_and_again_change_nothing(seconds: float, tmp_path: Path) -> None:
    """No hang, no traceback, nobody left behind."""
    with started(spec_in(tmp_path, LONG), "--jobs", "2") as process:
        until(lambda: lines_in(tmp_path / "spec.results.jsonl"), process)
        workers = workers_of(process)
        for _ in range(3):
            with_signal(process, signal.SIGINT)
            time.sleep(seconds)
        errors = told(process)
        assert not alive(workers)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.endswith("expectitree: interrupted\n")


def test_a_worker_that_dies_is_told(grid: tuple[Study, list[Any]], tmp_path: Path) -> None:
    """No hang, nobody left behind, and the next run goes on."""
    path = tmp_path / "spec.results.jsonl"
    with started(spec_in(tmp_path, GRID), "--jobs", "2") as process:
        until(lambda: lines_in(path) > 20, process)
        workers = workers_of(process)
        workers[0].kill()
        errors = told(process)
    assert process.returncode not in (0, 1, 130)
    assert re.fullmatch(
        r"expectitree: a search process died.*the results so far are kept.*\n", errors
    )
    assert not alive(workers)
    done = lines_in(path)
    executor = carry_on(grid[0], path)
    assert isinstance(executor, Here)
    assert executor.trees == GRID_TREES - done
    assert_whole(grid, path)


# ---- What it comes to.


def quantile(degrees: int) -> float:
    """Return t with P(|T| < t) = 95%, by integrating Student's density (as a power of the cosine) and bisection."""
    scale = (
        2 * math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    )

    def within(t: float) -> float:
        step = math.atan(t / math.sqrt(degrees)) / 400
        return (
            scale
            * step
            / 3
            * sum(
                (1 if i in (0, 400) else 4 if i % 2 else 2) * math.cos(i * step) ** (degrees - 1)
                for i in range(401)
            )
        )

    low, high = 1.9, 13.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return low


def test_quantiles_are_the_known_ones() -> None:
    known = {
        1: 12.706,
        2: 4.303,
        3: 3.182,
        5: 2.571,
        9: 2.262,
        10: 2.228,
        29: 2.045,
        60: 2.000,
        120: 1.980,
    }
    assert {degrees: round(quantile(degrees), 3) for degrees in known} == known


@pytest.mark.parametrize("count", [*range(2, 32), 41, 100, 121, 1000])
def test_intervals_are_those_of_student(count: int) -> None:
    values = [random.Random(count).randrange(100) for _ in range(count)]
    average = Fraction(sum(values), count)
    variance = sum((value - average) ** 2 for value in values) / (count - 1)
    found = mean(values)
    assert found.value == pytest.approx(float(average), rel=1e-12)
    assert found.half == pytest.approx(quantile(count - 1) * math.sqrt(variance / count), rel=1e-3)


def test_a_single_value_has_no_interval() -> None:
    assert (mean([3.0]).value, mean([3.0]).half) == (3.0, None)
    assert mean([3.0, 3.0, 3.0]).half == 0


def test_the_summary_is_computed_from_the_records(small: tuple[Study, Path]) -> None:
    """Every figure, once more by hand."""
    summary = summary_of(*small)
    assert len(summary.rows) == 5 * 5
    for row in summary.rows:
        of_row = [r for r in records(small[1]) if r["tree"] == dict(row.tree)]
        found = [r["runs"][row.run.name] for r in of_row]
        assert row.trees == len(of_row) == (1 if row.tree.get("order") == "best" else 4)
        assert row.leaves_total == statistics.mean(r["leaves"] for r in of_row)
        shares = [100 * f["leaves"] / r["leaves"] for f, r in zip(found, of_row, strict=True)]
        nodes = [100 * f["nodes"] / r["nodes"] for f, r in zip(found, of_row, strict=True)]
        leaves, visits = ([f[name] for f in found] for name in ("leaves", "visits"))
        for one, values in (
            (row.leaf_share, shares),
            (row.node_share, nodes),
            (row.leaves, leaves),
            (row.visits, visits),
        ):
            assert one.value == pytest.approx(statistics.mean(values))
            if row.trees == 1:
                assert one.half is None
            else:
                assert one.half == pytest.approx(3.182 * statistics.stdev(values) / 2, rel=1e-3)
        assert row.seconds == statistics.median(f["seconds"] for f in found)


PUBLISHED = f"""{SMALL}
title: "A *title*, with | in it"
published:
  - {{branching: 2, order: best, star1: 5/8}}
  - {{branching: 3, order: random, star1: 84.1}}
  - {{family: uniform, probes: 3, star2.5: 50}}
  - {{branching: 3, probe-order: sequential, probes: 1, star2.5: 60}}
"""


@pytest.fixture(scope="module")
def published(
    small: tuple[Study, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ...]:
    """What to give to `expectitree study` for a finished study with published figures."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "results").write_bytes(small[1].read_bytes())
    return spec_in(folder, PUBLISHED), Path("--results"), folder / "results"


def test_published_figures_stand_beside_what_they_are_of(published: tuple[Path, ...]) -> None:
    rows = list(csv.DictReader(io.StringIO(ask(*published, "--format", "csv"))))
    names = ("family", "branching", "order", "algorithm", "probes", "probe_order")
    found = {
        tuple(row[name] for name in names): row["published"] for row in rows if row["published"]
    }
    assert found == {
        ("ballard", "2", "best", "star1", "", ""): "5/8",
        ("ballard", "3", "random", "star1", "", ""): "84.1",
        ("ballard", "3", "best", "star2.5", "1", "sequential"): "60",
        ("ballard", "3", "random", "star2.5", "1", "sequential"): "60",
        ("uniform", "2-3", "", "star2.5", "3", "cyclic"): "50",
        ("uniform", "2-3", "", "star2.5", "3", "sequential"): "50",
    }


def test_csv_and_json_say_the_same(published: tuple[Path, ...], small: tuple[Study, Path]) -> None:
    summary = summary_of(*small)
    rows = list(csv.DictReader(io.StringIO(ask(*published, "--format", "csv"))))
    found = json.loads(ask(*published, "--format", "json"))
    assert found["trees"] == {"done": SMALL_TREES, "total": SMALL_TREES}
    assert (found["seed"], found["title"], found["file"]) == (
        11,
        "A *title*, with | in it",
        str(published[0]),
    )
    for row, line, one in zip(summary.rows, rows, found["rows"], strict=True):
        names = ("family", "pattern", "branching", "order", "end", "skew")
        assert {name: line[name] for name in names if line[name]} == one["tree"] == dict(row.tree)
        expected = {
            "algorithm": row.run.algorithm.name, "trees": row.trees, "leaves_total": row.leaves_total,
            "leaves": row.leaves.value, "leaves_half": row.leaves.half, "leaf_share": row.leaf_share.value,
            "leaf_share_half": row.leaf_share.half, "node_share": row.node_share.value,
            "node_share_half": row.node_share.half, "visits": row.visits.value, "seconds": row.seconds,
        }  # fmt: skip
        assert {name: one[name] for name in expected} == expected
        assert {name: line[name] for name in expected} == {
            k: "" if v is None else str(v) for k, v in expected.items()
        }
        assert (one["probes"], one["probe_order"]) == SMALL_RUNS[row.run.name][1:]


def test_the_table_says_what_there_is(
    published: tuple[Path, ...], small: tuple[Study, Path]
) -> None:
    text = ask(*published, COLUMNS="200")
    title, count, _, headings, *lines = text.splitlines()
    assert (title, count) == ("A *title*, with | in it", "14 of 14 trees done")
    assert re.split(r"  +", headings.strip()) == [
        "family", "branching", "order", "pattern", "end", "skew", "algorithm", "trees", "leaves", "nodes", "published",
        "off by", "time",
    ]  # fmt: skip
    cells = [re.split(r"  +", line.strip()) for line in lines[:25]]
    for row, line in zip(summary_of(*small).rows, cells, strict=True):
        share, nodes = row.leaf_share, row.node_share
        if row.trees == 1:
            leaves = f"{row.leaves.value:.0f} of {row.leaves_total:.0f}"
            assert line[8:10] == [leaves, f"{nodes.value:.1f}%"]
        else:
            assert line[8:10] == [
                f"{share.value:.1f}% ±{share.half:.1f}",
                f"{nodes.value:.1f}% ±{nodes.half:.1f}",
            ]
    by_hand = (
        next(
            row for row in summary_of(*small).rows if row.tree.get("branching") == "3"
        ).leaf_share.value
        - 84.1
    )
    assert [line[10:12] for line in cells if line[10] != "-"][:2] == [
        ["5/8", "0"],
        ["84.1%", f"{by_hand:+.1f}"],
    ]
    assert "± the 95% interval" in text
    assert "Off by: measured less published" in text


def test_markdown_is_the_same_table(published: tuple[Path, ...]) -> None:
    text = ask(*published, COLUMNS="200").splitlines()
    heading, _, *lines = ask(*published, "--format", "markdown").splitlines()
    assert heading == r"### A \*title\*, with \| in it"
    assert re.fullmatch(r"\|( -+:? \|)+", lines[1])
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:27])
    ]
    assert rows[1:] == [
        [*cells[:10], *(cells[10:] if len(cells) == 13 else [cells[10], "", cells[11]])]
        for cells in (re.split(r"  +", line.strip()) for line in text[4:29])
    ]


def test_ballard_s_best_case_comes_out_exactly(tmp_path: Path) -> None:
    """Every figure is the published one, in floats and in fractions."""
    output = ask(
        "studies/ballard-best.yaml",
        "--results",
        tmp_path / "results",
        "--format",
        "json",
        "--jobs",
        "2",
    )
    rows = json.loads(output)["rows"]
    assert len(rows) == 5 * 2 * 2
    assert {row["engine"] for row in rows} == {"interpreted", "exact"}
    for row in rows:
        assert f"{row['leaves']:.0f}/{row['leaves_total']:.0f}" == row["published"]
        assert row["leaf_share"] == pytest.approx(100 * float(Fraction(row["published"])))


SHIPPED = sorted(path.name for path in (ROOT / "studies").glob("*.yaml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_studies_fit_into_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert [
        line for line in ask(f"studies/{name}", "--report").splitlines() if len(line) > 80
    ] == []


def test_without_unicode_it_is_readable(published: tuple[Path, ...]) -> None:
    done = subprocess.run(
        words_of(*published),
        capture_output=True,
        cwd=ROOT,
        check=True,
        env=plain(PYTHONUTF8="0", PYTHONIOENCODING="ascii"),
    )
    assert done.stdout.isascii()
    assert b"\\x" not in done.stdout


# ---- The command line.


def status_of(*words: str | Path) -> int:
    done = CliRunner().invoke(cli, ["study", *map(str, words)])
    return done.exit_code


def test_a_report_runs_nothing(small: tuple[Study, Path], tmp_path: Path) -> None:
    spec, path = spec_in(tmp_path, SMALL), tmp_path / "spec.results.jsonl"
    assert ask(spec, "--report") == "0 of 14 trees done\n\n"
    assert status_of(spec, "--report") == 1
    assert os.listdir(tmp_path) == ["spec.yaml"]
    path.write_bytes(b"".join(small[1].read_bytes().splitlines(keepends=True)[:6]))
    before = path.stat().st_mtime_ns
    assert "6 of 14 trees done" in ask(spec, "--report")
    assert status_of(spec, "--report") == 1
    assert path.stat().st_mtime_ns == before
    path.write_bytes(small[1].read_bytes())
    assert status_of(spec, "--report") == 0


def test_wrong_usage(tmp_path: Path) -> None:
    spec = spec_in(tmp_path, SMALL)
    assert "is used" in ask(spec, "--jobs", "2", "--scheduler", "x:1") or "are used" in ask(
        spec, "--jobs", "2", "--scheduler", "x:1"
    )
    assert "0 is not in the range x>=1" in ask(spec, "--jobs", "0")
    assert "no such file" in ask(tmp_path / "none.yaml")
    assert "this is a folder" in ask(tmp_path)
    assert status_of(spec, "--format", "xml") == 2
    assert os.listdir(tmp_path) == ["spec.yaml"]


def test_the_help_names_everything() -> None:
    text = ask("--help")
    for option in ("--jobs", "--results", "--scheduler", "--report", "--plot", "--format"):
        assert option in text
    assert max(map(len, text.splitlines())) <= 80


# ---- Plots.


def test_plots_are_pictures_of_their_kind(published: tuple[Path, ...], tmp_path: Path) -> None:
    for name, beginning in (
        ("a.svg", b"<?xml"),
        ("a.png", b"\x89PNG\r\n"),
        ("a.pdf", b"%PDF-"),
        ("b.SVG", b"<?xml"),
    ):
        assert f"{tmp_path / name} written" in ask(
            *published, "--report", "--plot", tmp_path / name
        )
        content = (tmp_path / name).read_bytes()
        assert content.startswith(beginning)
        assert len(content) > 5000
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.SVG").read_bytes()


def test_a_plot_without_matplotlib_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("expectitree.analysis.study.plot.find_spec", lambda _: None)
    assert "pip install 'expectitree[plot]'" in ask(
        spec_in(tmp_path, SMALL), "--plot", tmp_path / "a.svg"
    )
    assert os.listdir(tmp_path) == ["spec.yaml"]


def test_a_plot_of_another_kind_is_refused_before_anything_runs(tmp_path: Path) -> None:
    assert "a plot's ending is one of .svg, .png, .pdf" in ask(
        spec_in(tmp_path, SMALL), "--plot", tmp_path / "a.gif"
    )
    assert os.listdir(tmp_path) == ["spec.yaml"]


@pytest.mark.parametrize(
    "rest",
    [
        "title: from $5 to $x^$\n",
        "title: 日本\n",
        'plot: {lines: [{label: "$\\\\foo$", factor: 1, power: 2}]}\n',
        "plot: {lines: [{label: a, factor: 1, power: 1e9}]}\n",
        "plot: {scale: log, lines: [{label: a, factor: -1, power: -0.5}]}\n",
        "plot: {x: seed, lines: [{label: a, factor: 1, power: -1}]}\n",
    ],
)
def test_any_text_and_any_line_can_be_drawn(rest: str, tmp_path: Path) -> None:
    """Or is refused; warnings are errors here, so nothing reaches people from below either."""
    spec = spec_in(
        tmp_path,
        f"trees: {{family: ballard, branching: 2, seed: [0, 1]}}\nalgorithms: star1\n{rest}",
    )
    try:
        carry_on(load_study(spec), tmp_path / "results")
    except FileError:
        return
    text = ask(spec, "--results", tmp_path / "results", "--plot", tmp_path / "a.png")
    assert (tmp_path / "a.png").exists() or text.count("\n") == 0


def test_every_line_of_a_plot_is_one_search(tmp_path: Path) -> None:
    """Two engines are two lines over the probes, not one that goes to and fro."""
    text = "trees: {family: ballard, branching: 4}\nalgorithms: {star2.5: {probes: [1, 2]}}\n"
    study = study_of(tmp_path, f"{text}engines: [interpreted, exact]\nplot: {{x: probes}}\n")
    carry_on(study, tmp_path / "results")
    ask(tmp_path / "spec.yaml", "--results", tmp_path / "results", "--plot", tmp_path / "a.svg")
    assert "<!-- star2.5, cyclic, exact -->" in (tmp_path / "a.svg").read_text("utf-8")


def test_tasks_are_short_so_that_little_is_lost(grid: tuple[Study, list[Any]]) -> None:
    """What one is about is done and written together: some tenths of a second of searching."""
    for task in find_tasks(grid[0], Results("")):
        assert 1 <= len(task.trees) <= 50


# ---- The limit among the searches, and wide tables.

LIMITS = """
trees: {family: ballard, branching: [2, 3]}
algorithms: [star2, best-first: {goal: [value, action]}, limit: {goal: [value, action]}]
repetitions: 3
table: wide
"""


def test_the_limit_is_what_the_limit_command_counts(tmp_path: Path) -> None:
    study, path = study_of(tmp_path, LIMITS), tmp_path / "results.jsonl"
    carry_on(study, path)
    for record in records(path):
        parameters = {name: value for name, value in record["tree"].items() if name != "family"}
        tree = et.generate("ballard", **parameters, seed=record["seed"])
        limit, runs = et.limit(tree, ["star2"]), record["runs"]
        assert limit.best_action is not None
        assert runs["limit"]["leaves"] == limit.exact.count
        assert runs["limit (action)"]["leaves"] == limit.best_action.count
        assert runs["limit"]["nodes"] >= runs["limit"]["leaves"] + 1
        for name, goal in (("best-first", "value"), ("best-first (action)", "action")):
            search = et.evaluate(tree, "best-first", goal=goal)
            assert runs[name]["leaves"] == search.counts.leaves_visited
            assert runs[name]["value"] == (search.value if search.is_known else None)
        assert runs["limit"]["leaves"] <= runs["best-first"]["leaves"]
        assert runs["limit (action)"]["leaves"] <= runs["best-first (action)"]["leaves"]


def test_a_wide_table_has_a_column_for_each_search(tmp_path: Path) -> None:
    study, path = study_of(tmp_path, LIMITS), tmp_path / "results.jsonl"
    carry_on(study, path)
    told = CliRunner().invoke(
        cli,
        [
            "study",
            str(tmp_path / "spec.yaml"),
            "--results",
            str(path),
            "--report",
            "--format",
            "markdown",
        ],
    )
    assert told.exit_code == 0
    lines = told.stdout.splitlines()
    assert "| trees | star2 | best-first | best-first (action) | limit | limit (action) |" in lines
    for branching in "23":
        (row,) = [line for line in lines if line.startswith(f"| ballard, branching {branching} |")]
        of_star2 = [
            r
            for r in summary_of(study, path).rows
            if r.tree["branching"] == branching and r.run.name == "star2"
        ]
        assert row.split(" | ")[1] == f"{of_star2[0].leaf_share.value:.1f}"
    assert "in per cent, of 3 trees a row" in told.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("algorithms: [limit: {guide: bounds}]", "unknown key 'guide'"),
        ("algorithms: [limit: {goal: both}]", "'both' as goal, expected value or action"),
        (
            "algorithms: [best-first: {guide: wisdom}]",
            "'wisdom' as guide, expected learning, ordered, uniform or bounds",
        ),
        (
            "algorithms: [star1: {goal: action}]",
            "the option goal is for best-first only, not for star1",
        ),
        ("algorithms: star1\ntable: long wide", "'long wide', expected long or wide"),
    ],
)
def test_wrong_limits_and_tables_are_told(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=re.escape(message)):
        plan(tmp_path, f"trees: {{family: ballard}}\n{text}\n")
