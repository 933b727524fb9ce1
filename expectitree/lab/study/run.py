"""Runs a study: makes its trees and searches them, in any `concurrent.futures` executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

from expectitree.base import compiling
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import AnalysisError
from expectitree.lab.families import generate
from expectitree.lab.limit.report import Limit, measure
from expectitree.lab.study.results import Record, Results
from expectitree.lab.study.spec import (
    LIMIT,
    LIMIT_ACTION,
    Key,
    Parameters,
    Run,
    Study,
    describe,
    games,
    is_game,
    is_lazy,
    make_tree,
    nodes_of,
)
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Outcome, Search
from expectitree.searches.setup import Engine
from expectitree.tree.model import Tree
from expectitree.tree.paths import ROOT
from expectitree.tree.transform import in_floats

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MAX_TREES = 50  # in one task
_MAX_LEAVES = 100_000  # of trees whose limit is computed, in about a gigabyte


class Task(NamedTuple):
    """Some trees with the same parameters, for one worker to make and search."""

    tree: Parameters
    trees: list[tuple[Key, tuple[Run, ...]]]  # with the runs still to do
    is_much: bool  # the whole study is long enough for compiling to pay
    folder: str  # of the study, where files of games are


def find_tasks(study: Study, results: Results) -> list[Task]:
    """Return what is still to do, in the order of the file."""
    sizes = [nodes_of(tree) * len(study.runs) for tree in study.trees]
    of_kinds = list(zip(sizes, study.keys, strict=True))
    is_much = compiling.pays(sum(size * len(keys) for size, (_, keys) in of_kinds))
    tasks = []
    for size, (tree, keys) in of_kinds:
        todo = [(key, runs) for key in keys if (runs := results.missing(key, study.runs))]
        step = 1 if is_game(tree) else max(1, min(_MAX_TREES, int(_TASK_NODES / size)))
        for start in range(0, len(todo), step):
            tasks.append(Task(tree, todo[start : start + step], is_much, study.folder))
    return tasks


def perform(task: Task) -> list[Record]:
    """Return a record for each tree of a task, with the results of its searches."""
    if task.is_much and not is_lazy(task.tree):
        compiling.assume_started()
        for run in {run for _, runs in task.trees for run in runs}:
            if run.engine in (Engine.AUTO, Engine.COMPILED):
                _warm_up(run.algorithm)
    search_tree = _search_lazily if is_lazy(task.tree) else _search_made
    return [search_tree(task, key, runs) for key, runs in task.trees]


def _search_made(task: Task, key: Key, runs: Sequence[Run]) -> Record:
    """Make a tree, search it with each run, and return the record."""
    tree = make_tree(task.tree, key.seed, task.folder)
    found = _search_all(tree, runs, f"{describe(task.tree)}, seed {key.seed}")
    return Record(dict(task.tree), key.repetition, key.seed, len(tree), tree.leaves, found)


def _search_lazily(task: Task, key: Key, runs: Sequence[Run]) -> Record:
    """Search a game from its rules with each run, and return the record.

    Leaves are evaluations and nodes are rows that were made. The totals are those of the tree
    without merging, estimated.
    """
    name = f"{describe(task.tree)}, seed {key.seed}"
    position = games().position_of(task.tree, key.seed, task.folder)
    deepen = task.tree.get("deepen") == "true"
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        search, seconds = _timed(position.search, run.algorithm, deepen)
        grown = search.grown
        if grown.why_stopped:
            raise AnalysisError(f"{run.name} was stopped in the tree {name}: {grown.why_stopped}")
        figures = _search_figures(search) | {"leaves": grown.evaluations, "nodes": grown.rows}
        found[run.name] = figures | {"merged": grown.merged, "seconds": round(seconds, 6)}
        _check_agreement(name, run, search, found)
    size = position.size(key.seed)
    counts = key.repetition, key.seed, round(size.nodes), round(size.leaves)
    return Record(dict(task.tree), *counts, found, size.error)


def _search_all(tree: Tree, runs: Sequence[Run], name: str) -> dict[str, dict[str, Any]]:
    """Return the figures of each run on a tree; raise `AnalysisError` if two of them disagree."""
    tree = in_floats(tree)  # a small tree of a game has fractions
    limits: dict[str, tuple[Limit, float]] = {}  # by engine: two runs may share it
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        if run.algorithm in (LIMIT, LIMIT_ACTION):
            if run.engine not in limits:
                settings = {"engine": run.engine, "max_leaves": _MAX_LEAVES}
                limits[run.engine] = _timed(measure, tree, [], **settings)
            limit, seconds = limits[run.engine]
            search = limit.search
            figures = _limit_figures(limit, run.algorithm == LIMIT_ACTION)
        else:
            search, seconds = _timed(search_tree, tree, run.algorithm, engine=run.engine)
            figures = _search_figures(search)
        found[run.name] = figures | {"seconds": round(seconds, 6)}
        _check_agreement(name, run, search, found)
    return found


def _timed(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, float]:
    """Return the result of a function, and how many seconds it took."""
    start = perf_counter()
    return function(*arguments, **options), perf_counter() - start


def _search_figures(search: Search) -> dict[str, Any]:
    """Return the recorded figures of a search."""
    counts = search.counts
    return {
        "value": float(search.value) if search.outcome is Outcome.VALUE else None,
        "leaves": counts.leaves_visited,
        "nodes": counts.visited,
        "visits": counts.visits,
        "cuts": counts.cuts,
    }


def _limit_figures(limit: Limit, for_action: bool) -> dict[str, Any]:
    """Return the figures of a search that visits only the leaves needed for the value or action."""
    tree = limit.tree
    enough = limit.best_action if for_action and limit.best_action is not None else limit.exact
    is_needed = [0] * len(tree)
    for leaf in enough.leaves:
        is_needed[leaf] = 1
    for n in range(len(tree)):
        for b in tree.branches_of(n):
            is_needed[n] |= is_needed[tree.columns.child[b]]
    nodes = sum(is_needed)
    return {
        "value": float(limit.search.value),
        "leaves": enough.least,
        "nodes": nodes,
        "visits": nodes,
        "cuts": 0,
    }


@cache
def _warm_up(algorithm: Algorithm) -> None:
    """Compile a loop once in each worker, so that no search's time includes that."""
    if compiling.available():
        search_tree(generate("ballard", branching=2), algorithm, engine="compiled")


def _check_agreement(
    name: str, run: Run, search: Search, figures: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise `AnalysisError` if a search contradicts the first value that a search has found."""
    values = (other["value"] for other in figures.values() if other["value"] is not None)
    known = next(values, None)
    if known is None:
        return
    lower, upper = map(float, search.interval(ROOT))
    tolerance = 1e-6 * max(1.0, abs(known))
    if not lower - tolerance <= known <= upper + tolerance:
        found = repr(lower) if lower == upper else f"from {lower!r} to {upper!r}"
        raise AnalysisError(
            f"{run.algorithm.full_name} finds {found} where another search found {known!r}, in the "
            f"tree {name}: this is a defect of expectitree, please report it"
        )


def execute(
    tasks: Sequence[Task],
    results: Results,
    executor: Executor,
    workers: int,
    progress: Callable[[int], None],
) -> None:
    """Perform tasks, a few for each worker at a time; report finished trees to `progress`.

    On an interrupt, the running tasks end with the executor, which belongs to the caller.
    """
    todo: Iterator[Task] = iter(tasks)
    running: set[Future[list[Record]]] = set()
    while True:
        for task in todo:
            running.add(executor.submit(perform, task))
            if len(running) >= 3 * workers:
                break
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            records = future.result()
            results.add(records)
            progress(len(records))
