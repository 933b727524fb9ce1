"""Runs a study: generates its trees and searches them, in any `concurrent.futures` executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

from expectitree import compiling
from expectitree.algorithms import Algorithm
from expectitree.analysis.limit.report import Limit, measure
from expectitree.analysis.study.results import Record, Results
from expectitree.analysis.study.spec import (
    LIMIT,
    LIMIT_ACTION,
    Key,
    Parameters,
    Run,
    Study,
    describe,
)
from expectitree.errors import AnalysisError
from expectitree.families import expected_nodes, generate, parameters_of
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Outcome, Search
from expectitree.searches.setup import Engine
from expectitree.tree.model import Tree
from expectitree.tree.paths import ROOT
from expectitree.tree.transform import in_fractions

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MOST_TREES = 50  # in one task


class Task(NamedTuple):
    """Some trees with the same parameters, for one worker to generate and search."""

    tree: Parameters
    trees: list[tuple[Key, tuple[Run, ...]]]  # with the runs still to do
    is_much: bool  # the whole study is long enough for compiling to pay


def find_tasks(study: Study, results: Results) -> list[Task]:
    """Return what is still to do, in the order of the file."""
    sizes = [expected_nodes(**tree) * len(study.runs) for tree in study.trees]
    of_kinds = list(zip(sizes, study.keys, strict=True))
    is_much = compiling.pays(sum(size * len(keys) for size, (_, keys) in of_kinds))
    tasks = []
    for size, (tree, keys) in of_kinds:
        todo = [(key, runs) for key in keys if (runs := results.missing(key, study.runs))]
        step = max(1, min(_MOST_TREES, int(_TASK_NODES / size)))
        for start in range(0, len(todo), step):
            tasks.append(Task(tree, todo[start : start + step], is_much))
    return tasks


def perform(task: Task) -> list[Record]:
    """Return a record for each tree of a task, with the results of its searches."""
    if task.is_much:
        compiling.assume_started()
        for run in {run for _, runs in task.trees for run in runs}:
            if run.engine in (Engine.AUTO, Engine.COMPILED):
                _warm_up(run.algorithm)
    parameters: dict[str, Any] = dict(task.tree)
    records = []
    for key, runs in task.trees:
        if "seed" in parameters_of(parameters["family"]):
            parameters["seed"] = key.seed
        tree = generate(**parameters)
        found = _search_all(tree, runs, f"{describe(task.tree)}, seed {key.seed}")
        counts = len(tree), tree.leaves
        records.append(Record(dict(task.tree), key.repetition, key.seed, *counts, found))
    return records


def _search_all(tree: Tree, runs: Sequence[Run], name: str) -> dict[str, dict[str, Any]]:
    """Return the figures of each run on a tree; raise `AnalysisError` if two of them disagree."""
    exact = in_fractions(tree) if any(run.engine == "exact" for run in runs) else tree
    limits: dict[str, tuple[Limit, float]] = {}  # by engine: two runs may share it
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        searched = exact if run.engine == "exact" else tree
        if run.algorithm in (LIMIT, LIMIT_ACTION):
            if run.engine not in limits:
                limits[run.engine] = _timed(measure, searched, [], engine=run.engine)
            limit, seconds = limits[run.engine]
            search = limit.search
            figures = _limit_figures(limit, run.algorithm == LIMIT_ACTION)
        else:
            search, seconds = _timed(evaluate, searched, run.algorithm, engine=run.engine)
            figures = _search_figures(search)
        found[run.name] = figures | {"seconds": round(seconds, 6)}
        values = [other["value"] for other in found.values() if other["value"] is not None]
        if values:
            lower, upper = map(float, search.interval(ROOT))
            _check_agreement(name, run.algorithm, lower, upper, values[0])
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
        evaluate(generate("ballard", branching=2), algorithm, engine="compiled")


def _check_agreement(
    name: str, algorithm: Algorithm, lower: float, upper: float, known: float
) -> None:
    tolerance = 1e-6 * max(1.0, abs(known))
    if not lower - tolerance <= known <= upper + tolerance:
        found = repr(lower) if lower == upper else f"from {lower!r} to {upper!r}"
        raise AnalysisError(
            f"{algorithm.full_name} finds {found} where another search found {known!r}, in the "
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
