"""One tree searched by several algorithms, each with its trace: the report that the page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from expectitree.analysis.trace.report import Trace, trace
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import AnalysisError
from expectitree.searches.engine import usual_algorithms
from expectitree.searches.result import Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Tree

MAX_NODES = 100_000  # of a tree that a page replays: they take about 1 MB
MAX_STEPS = 50_000  # of one search that a page replays by default: they take about 1 MB


@dataclass(frozen=True)
class Replays:
    """One file's tree, and the steps of each search of it."""

    file: str
    tree: Tree
    traces: Sequence[Trace]  # one for each algorithm, all with the same bounds
    first: str = "star1"  # the algorithm that the page shows at first, if it is among them


def replays(
    found: Tree | Search,
    algorithms: Iterable[Algorithm | str] | None = None,
    *,
    bounds: Bounds | None = None,
    max_visits: int | None = None,
    most_steps: int | None = MAX_STEPS,
    file: str = "",
) -> Replays:
    """Search a tree, or that of a search, with each algorithm in turn; return every step of each.

    By default these are all algorithms, but best-first only where it is fast. `bounds`,
    `max_visits` and `file` are those of `trace`. Each trace has the first `most_steps` steps (all
    with None) and the number of all. Raises `AnalysisError` for a tree of more than 100,000 nodes,
    and if `algorithms` is empty.
    """
    tree = found.tree if isinstance(found, Search) else found
    if len(tree) > MAX_NODES:
        raise AnalysisError(
            f"the tree has {len(tree):,} nodes, a page replays at most {MAX_NODES:,}:"
            " cut the tree with --depth"
        )
    traces = [
        trace(
            found,
            algorithm,
            bounds=bounds,
            most=most_steps,
            max_visits=max_visits,
            exact=True,
            file=file,
        )
        for algorithm in (usual_algorithms(tree) if algorithms is None else algorithms)
    ]
    if not traces:
        raise AnalysisError("no algorithm was given: name at least one")
    return Replays(file, traces[0].tree, traces)
