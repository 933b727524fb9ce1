"""Runs a study: makes its trees and searches them, in processes or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import AnalysisError
from expectitree.base.tree.columns import expect_rows
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import ROOT
from expectitree.lab.limit.report import Limit, limit
from expectitree.lab.study.executors import results_of
from expectitree.lab.study.results import GROWN_FIGURES, Figures, Record, Results
from expectitree.lab.study.spec import (
    LIMIT,
    Key,
    Parameters,
    Study,
    describe,
    games,
    is_game,
    is_lazy,
    make_tree,
    nodes_of,
)
from expectitree.searches.engine import search_tree
from expectitree.searches.engines import timed
from expectitree.searches.result import Outcome, Search
from expectitree.text.json_values import Fields

_TASK_NODES = 200_000  # searched nodes that make a task worth sending: some tenths of a second
_MAX_TREES = 50  # in one task
_MAX_LEAVES = 100_000  # of trees whose limit is computed, in about a gigabyte


class Task(NamedTuple):
    """Some trees with the same parameters, for one worker to make and search."""

    tree: Parameters
    trees: list[tuple[Key, tuple[Algorithm, ...]]]  # with the searches still to do
    work: float  # of the whole study, in nodes
    folder: str  # of the study, where files of games are


def find_tasks(study: Study, results: Results) -> list[Task]:
    """Return what is still to do, in the order of the file."""
    searches = len(study.algorithms)
    work = searches * sum(nodes_of(tree) * len(keys) for tree, keys in study.keys)
    tasks = []
    for tree, keys in study.keys:
        step = 1
        if not is_game(tree):
            step = min(_MAX_TREES, int(_TASK_NODES / (searches * nodes_of(tree)))) or 1
        missing = ((key, results.missing(key, study.algorithms)) for key in keys)
        todo = [(key, algorithms) for key, algorithms in missing if algorithms]
        for start in range(0, len(todo), step):
            tasks.append(Task(tree, todo[start : start + step], work, study.folder))
    return tasks


def perform(task: Task) -> list[Record]:
    """Return a record for each tree of a task, with the results of its searches."""
    expect_rows(task.work)
    return [_search(task, key, algorithms) for key, algorithms in task.trees]


def _search(task: Task, key: Key, algorithms: Sequence[Algorithm]) -> Record:
    """Make a tree, search it with each algorithm, and return the record.

    A lazy search grows a tree of its own from the rules of a game, so that no tree has a size.
    """
    name = f"{describe(task.tree)}, seed {key.seed}"
    nodes = leaves = 0
    if is_lazy(task.tree):
        find: Callable[[Algorithm], Any] = games().searcher_of(task.tree, key.seed, task.folder)
    else:
        # A game may have fractions.
        tree = make_tree(task.tree, key.seed, task.folder).floats
        find, nodes, leaves = partial(_find, tree, key.seed), len(tree), tree.leaves
    found: dict[str, Figures] = {}
    for chosen in algorithms:
        result, seconds = timed(partial(find, chosen))
        if isinstance(result, Limit):
            search, figures = result.search, _limit_figures(result)
        else:
            search, figures = result, _search_figures(result)
        found[chosen.full_name] = {**figures, "seconds": round(seconds, 6)}
        if "seconds" not in task.tree:  # or each search may reach another depth
            _check_agreement(name, chosen, search, found)
    return Record(dict(task.tree), key.repetition, key.seed, nodes, leaves, found)


def _find(tree: Tree, seed: int, chosen: Algorithm) -> Search | Limit:
    if chosen == LIMIT:
        return limit(tree, (), max_leaves=_MAX_LEAVES, exact=True)
    return search_tree(tree, chosen, seed=seed)


def _search_figures(search: Search) -> Figures:
    counts, grown = search.counts, search.grown
    figures: Fields = {
        "value": None,
        "leaves": counts.leaves_visited,
        "nodes": counts.visited,
        "visits": counts.visits,
        "cuts": counts.cuts,
    }
    if search.outcome is Outcome.VALUE:
        figures["value"] = float(search.value)
    if grown is not None:
        figures |= {name: getattr(grown, name) for name in GROWN_FIGURES}
    return figures


def _limit_figures(limit: Limit) -> Figures:
    """Return the figures of a search that visits only the leaves that are needed."""
    tree, enough = limit.tree, limit.exact
    needed = set(enough.leaves)
    for n in range(len(tree)):
        if any(tree.columns.child[b] in needed for b in tree.branches_of(n)):
            needed.add(n)
    return {
        "value": float(limit.search.value),
        "leaves": enough.count,
        "nodes": len(needed),
        "visits": len(needed),
        "cuts": 0,
    }


def _check_agreement(
    name: str, chosen: Algorithm, search: Search, figures: Mapping[str, Figures]
) -> None:
    """Raise `AnalysisError` if a search contradicts the first value that a search has found."""
    values = [other["value"] for other in figures.values() if other["value"] is not None]
    if not values or not chosen.proves:
        return
    known = values[0]
    lower, upper = map(float, search.interval(ROOT))
    tolerance = 1e-6 * max(1.0, abs(known))
    if not lower - tolerance <= known <= upper + tolerance:
        value = repr(lower)
        if lower != upper:
            value = f"from {lower!r} to {upper!r}"
        raise AnalysisError(
            f"{chosen.full_name} finds {value} where another search found {known!r}, in the "
            f"tree {name}: this is a defect of expectitree, please report it"
        )


def execute(
    tasks: Sequence[Task],
    results: Results,
    executor: Executor,
    workers: int,
    progress: Callable[[int], None],
) -> None:
    """Perform tasks, a few for each worker at a time; report finished trees to `progress`."""
    for records in results_of(executor, 3 * workers, perform, tasks):
        results.add(records)
        progress(len(records))
