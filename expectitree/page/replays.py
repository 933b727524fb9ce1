"""The same tree searched by several algorithms, each with its trace: the report behind the page that replays them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from expectitree.algorithms import Algorithm
from expectitree.analysis.trace.report import Trace, trace
from expectitree.errors import AnalysisError
from expectitree.searches.engine import usual_algorithms
from expectitree.tree.model import Bounds, Tree

MOST_NODES = 100_000  # of a tree that is replayed: its page has some 5 MB before the first step
MOST_STEPS = (
    50_000  # of one search that are replayed without being asked for more: some 2.5 MB of a page
)


@dataclass(frozen=True)
class Replays:
    """One file's tree, and what each search of it did, step by step."""

    file: str
    tree: Tree
    traces: Sequence[
        Trace
    ]  # one for each algorithm, in the order asked for; all with the same bounds


def replays(
    tree: Tree,
    algorithms: Iterable[Algorithm | str] | None = None,
    *,
    bounds: Bounds | None = None,
    max_visits: int | None = None,
    most_steps: int | None = MOST_STEPS,
    file: str = "",
) -> Replays:
    """Search a tree with each algorithm in turn, and return every step of each.

    By default these are all, but best-first only where it does not think long. `bounds`,
    `max_visits` and `file` are those of `trace`. Of each search the first `most_steps` steps are
    kept (all with None), and all are counted. Raises `AnalysisError` for a tree of more than
    100,000 nodes, and where no algorithm is named.
    """
    if len(tree) > MOST_NODES:
        raise AnalysisError(
            f"a search of {len(tree):,} nodes is too long to be replayed, at most {MOST_NODES:,} can be:"
            " cut the tree with --depth"
        )
    found = [
        trace(tree, algorithm, bounds=bounds, most=most_steps, max_visits=max_visits, file=file)
        for algorithm in (usual_algorithms(tree) if algorithms is None else algorithms)
    ]
    if not found:
        raise AnalysisError("nothing to replay: name at least one algorithm")
    return Replays(file, tree, found)
