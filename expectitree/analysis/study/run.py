"""Runs a study: generates its trees and searches them, through any `concurrent.futures` executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

from expectitree import compiling
from expectitree.algorithms import Algorithm
from expectitree.analysis.limit.report import Limit, measure
from expectitree.analysis.study.results import Key, Record, Results
from expectitree.analysis.study.spec import (
    LIMIT,
    LIMIT_ACTION,
    Parameters,
    Run,
    Study,
    describe,
    tree_key,
)
from expectitree.errors import AnalysisError
from expectitree.families import expected_nodes, generate
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Outcome, Search
from expectitree.tree.model import Tree
from expectitree.tree.transform import in_fractions

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MOST_TREES = 50  # in one task


class Task(NamedTuple):
    """Some trees with the same parameters, for one worker to generate and search."""

    tree: Parameters
    trees: list[tuple[int, int, tuple[Run, ...]]]  # repetition, seed, and the runs still to do
    is_much: bool  # the whole study is long enough for compiling to pay


def find_tasks(study: Study, results: Results) -> list[Task]:
    """Return what is still to do, in the order of the file."""
    nodes = [expected_nodes(tree["family"], _parameters(tree)) for tree in study.trees]
    seeds = [study.seeds(tree) for tree in study.trees]
    total = sum(n * len(own) for n, own in zip(nodes, seeds, strict=True)) * len(study.runs)
    is_much = compiling.pays(total)
    tasks = []
    for size, own, tree in zip(nodes, seeds, study.trees, strict=True):
        key = tree_key(tree)
        waiting = []
        for repetition, seed in enumerate(own):
            done = results.records.get(Key(key, repetition, seed))
            runs = tuple(run for run in study.runs if done is None or run.name not in done.runs)
            if runs:
                waiting.append((repetition, seed, runs))
        step = max(1, min(_MOST_TREES, int(_TASK_NODES / (size * len(study.runs)))))
        for start in range(0, len(waiting), step):
            tasks.append(Task(tree, waiting[start : start + step], is_much))
    return tasks


def count_trees(study: Study, tasks: Sequence[Task]) -> tuple[int, int]:
    """Return how many trees of a study are done, given the remaining tasks, and how many in all."""
    total = sum(len(study.seeds(tree)) for tree in study.trees)
    return total - sum(len(task.trees) for task in tasks), total


def perform(task: Task) -> list[Record]:
    """Return a record for each tree of a task, with the results of its searches."""
    if task.is_much:
        compiling.assume_started()
        for run in {run for _, _, runs in task.trees for run in runs}:
            _warm_up(run.algorithm)
    records = []
    for repetition, seed, runs in task.trees:
        parameters: dict[str, Any] = _parameters(task.tree)
        if task.tree["family"] != "lattice":
            parameters["seed"] = seed
        tree = generate(task.tree["family"], **parameters)
        found = _search_all(tree, runs, f"{describe(task.tree)}, seed {seed}")
        records.append(Record(dict(task.tree), repetition, seed, len(tree), tree.leaves, found))
    return records


def _search_all(tree: Tree, runs: Sequence[Run], name: str) -> dict[str, dict[str, Any]]:
    """Return the figures of each run on a tree; raise `AnalysisError` if two of them disagree."""
    exact = in_fractions(tree) if any(run.engine == "exact" for run in runs) else tree
    limits: dict[
        str, tuple[Limit, float]
    ] = {}  # by engine, with its seconds: two rows may share it
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        searched = exact if run.engine == "exact" else tree
        start = perf_counter()
        if run.algorithm in (LIMIT, LIMIT_ACTION):
            if run.engine not in limits:
                limit = measure(searched, [], engine=run.engine)
                limits[run.engine] = limit, perf_counter() - start
            limit, seconds = limits[run.engine]
            figures = _limit_figures(limit, run.algorithm == LIMIT_ACTION)
            interval = figures["value"], figures["value"]
        else:
            search = evaluate(searched, run.algorithm, engine=run.engine)
            lower, upper = search.interval_of(tree.root.id)
            interval = float(lower), float(upper)
            figures = _search_figures(search)
            seconds = perf_counter() - start
        found[run.name] = figures | {"seconds": round(seconds, 6)}
        values = [other["value"] for other in found.values() if other["value"] is not None]
        if values:
            _check_agreement(name, run.algorithm, interval, values[0])
    return found


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
    tree, columns = limit.tree, limit.tree.columns
    enough = limit.best_action if for_action and limit.best_action is not None else limit.exact
    is_needed = [0] * len(tree)
    for leaf in enough.leaves:
        is_needed[leaf] = 1
    for n in range(len(tree)):
        for b in tree.branches_of(n):
            is_needed[n] |= is_needed[columns.child[b]]
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
    name: str, algorithm: Algorithm, interval: tuple[float, float], known: float
) -> None:
    lower, upper = interval
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


def _parameters(tree: Parameters) -> dict[str, str]:
    return {name: value for name, value in tree.items() if name != "family"}
