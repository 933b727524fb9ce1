"""Runs a study: makes its trees and searches them, on all cores or a cluster, through one executor interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    tree_key,
    written,
)
from expectitree.errors import AnalysisError
from expectitree.families import expected_nodes, generate
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.tree.transform import in_fractions

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MOST_TREES = 50  # in one task


class Task(NamedTuple):
    """Some trees of the same parameters, to be made and searched by one worker."""

    tree: Parameters
    trees: list[
        tuple[int, int, tuple[Run, ...]]
    ]  # repetition, seed, and the runs that are not done yet
    is_much: bool  # the whole study is long enough for compiling to pay


def tasks(study: Study, results: Results) -> Iterator[Task]:
    """Yield what is still to be done, in the order of the file."""
    nodes = [expected_nodes(tree["family"], _parameters(tree)) for tree in study.trees]
    total = sum(
        n * len(study.seeds(tree)) for n, tree in zip(nodes, study.trees, strict=True)
    ) * len(study.runs)
    for size, tree in zip(nodes, study.trees, strict=True):
        some = max(1, min(_MOST_TREES, int(_TASK_NODES / (size * len(study.runs)))))
        waiting = []
        for repetition, seed in enumerate(study.seeds(tree)):
            done = results.records.get(Key(tree_key(tree), repetition, seed))
            runs = tuple(run for run in study.runs if done is None or run.name not in done.runs)
            if runs:
                waiting.append((repetition, seed, runs))
            if len(waiting) == some:
                yield Task(tree, waiting, compiling.pays(total))
                waiting = []
        if waiting:
            yield Task(tree, waiting, compiling.pays(total))


def count_trees(study: Study, results: Results) -> tuple[int, int]:
    """Return how many trees of a study are done, and how many there are."""
    total = sum(len(study.seeds(tree)) for tree in study.trees)
    return total - sum(len(task.trees) for task in tasks(study, results)), total


def perform(task: Task) -> list[Record]:
    """Return what the searches of a task find: a record for each tree."""
    if task.is_much:
        compiling.assume_started()
        for run in {run for _, _, runs in task.trees for run in runs}:
            _warm_up(run.algorithm.player_cuts, run.algorithm.in_order)
    records = []
    for repetition, seed, runs in task.trees:
        parameters: dict[str, Any] = _parameters(task.tree)
        tree = generate(
            task.tree["family"],
            **parameters | ({} if task.tree["family"] == "lattice" else {"seed": seed}),
        )
        exact = in_fractions(tree) if any(run.engine == "exact" for run in runs) else None
        found: dict[str, dict[str, Any]] = {}
        limits: dict[
            str, tuple[Limit, float]
        ] = {}  # by engine, with the seconds: two rows may be of the same one
        for run in runs:
            searched = exact if run.engine == "exact" else tree
            assert searched is not None
            start = perf_counter()
            if run.algorithm in (LIMIT, LIMIT_ACTION):
                if run.engine not in limits:
                    limit = measure(searched, [], engine=run.engine)
                    limits[run.engine] = limit, perf_counter() - start
                limit, seconds = limits[run.engine]
                figures = _least(limit, run.algorithm == LIMIT_ACTION)
                interval = figures["value"], figures["value"]
                start = perf_counter() - seconds
            else:
                search = evaluate(searched, run.algorithm, engine=run.engine)
                interval = float(search.lower[-1]), float(search.upper[-1])
                figures = _figures(search)
            found[run.name] = figures | {"seconds": round(perf_counter() - start, 6)}
            known = next(
                (other["value"] for other in found.values() if other["value"] is not None), None
            )
            _check_agreement(task.tree, seed, run.algorithm, interval, known)
        records.append(Record(dict(task.tree), repetition, seed, len(tree), tree.leaves, found))
    return records


def _figures(search: Search) -> dict[str, Any]:
    """Return what is recorded of a search."""
    counts = search.counts
    return {
        "value": float(search.value) if search.is_known else None,
        "leaves": counts.leaves_visited,
        "nodes": counts.visited,
        "visits": counts.visits,
        "cuts": counts.cuts,
    }


def _least(limit: Limit, for_action: bool) -> dict[str, Any]:
    """Return the same as if a search had looked at the fewest leaves that are enough for the value, or the action."""
    tree = limit.tree
    enough = limit.best_action if for_action and limit.best_action is not None else limit.exact
    is_needed = [0] * len(tree)
    for leaf in enough.leaves:
        is_needed[leaf] = 1
    kind, _, first, child, _ = tree.columns
    for n in range(len(tree)):
        if kind[n]:
            is_needed[n] = max(is_needed[child[b]] for b in range(first[n], first[n + 1]))
    nodes = sum(is_needed)
    return {
        "value": float(limit.search.value),
        "leaves": enough.least,
        "nodes": nodes,
        "visits": nodes,
        "cuts": 0,
    }


@cache
def _warm_up(player_cuts: bool, in_order: bool) -> None:
    """Start what compiles a loop, once a worker, so that no search's time has that in it."""
    if compiling.available():
        name = "best-first" if not in_order else "star1" if player_cuts else "expectiminimax"
        evaluate(generate("ballard", branching=2), name, engine="compiled")


def _check_agreement(
    tree: Parameters,
    seed: int,
    algorithm: Algorithm,
    interval: tuple[float, float],
    known: float | None,
) -> None:
    lower, upper = interval
    if known is not None and not lower - 1e-6 * max(1.0, abs(known)) <= known <= upper + 1e-6 * max(
        1.0, abs(known)
    ):
        found = repr(lower) if lower == upper else f"from {lower!r} to {upper!r}"
        raise AnalysisError(
            f"{algorithm.full_name} finds {found} where another search found {known!r}, in the tree {written(tree)}, "
            f"seed {seed}: this is a defect of expectitree, please report it"
        )


def execute(
    study: Study,
    results: Results,
    executor: Executor,
    workers: int,
    progress: Callable[[int], None],
) -> None:
    """Do what is still to be done, a few tasks a worker at a time; `progress` is told of trees as they are done.

    What is running when this is interrupted ends with the executor, which is the caller's.
    """
    todo = tasks(study, results)
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
