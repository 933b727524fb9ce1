"""Compare algorithms on the same tree: the report of `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.limit.report import Limit, measure
from expectitree.analysis.limit.steps import check_size
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import display_text
from expectitree.searches.engine import evaluate, usual_algorithms
from expectitree.searches.result import Outcome, Search
from expectitree.searches.setup import choose_engine
from expectitree.tree.builder import TreeBuilder
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree

_SAME = 4  # tolerances within which values agree, since each search has its own rounding errors


@dataclass(frozen=True)
class ComparisonRow:
    """One algorithm's search, and how long it took."""

    search: Search
    seconds: float  # of the search alone


@dataclass(frozen=True)
class Comparison(Shown):
    """One file's tree under several algorithms."""

    file: str
    rows: Sequence[ComparisonRow]
    limit: Limit | None = None  # the fewest leaves that could have been enough, if that was counted

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.rows[0].search.tree

    @property
    def disagreements(self) -> list[str]:
        """A sentence for each row that contradicts the first; there should be none."""
        first = self.rows[0].search
        return [
            f"{row.search.algorithm.full_name} disagrees with {first.algorithm.full_name}: {what}"
            for row in self.rows[1:]
            for what in _differences(first, row.search)
        ]


@dataclass(frozen=True)
class Total:
    """One algorithm over several files."""

    algorithm: Algorithm
    nodes_visited: int
    leaves_total: int
    leaves_visited: int
    cuts: int
    seconds: float
    needed: tuple[int, int] | None  # least and most leaves that are needed, where that was counted


def compare(
    tree: Tree,
    algorithms: Iterable[Algorithm | str] | Algorithm | str | None = None,
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    limit: bool = False,
    max_leaves: int | None = None,
    file: str = "",
) -> Comparison:
    """Search a tree with each algorithm in turn; the report calls the tree `file`.

    The default is all algorithms, without best-first where it would be slow. `bounds`, `engine` and
    `max_visits` are those of `evaluate`. With `limit` the report has the fewest leaves that could
    have been enough, as the function `limit` counts them; `max_leaves` is for that function.
    """
    check_tree(tree)
    if limit:
        check_size(tree.leaves, max_leaves)
    if algorithms is None:
        algorithms = usual_algorithms(tree)
    rows = []
    for algorithm in [algorithms] if isinstance(algorithms, (Algorithm, str)) else algorithms:
        load_compiled(tree, algorithm, engine)
        start = perf_counter()
        search = evaluate(tree, algorithm, bounds=bounds, engine=engine, max_visits=max_visits)
        rows.append(ComparisonRow(search, perf_counter() - start))
    if not rows:
        raise AnalysisError("nothing to compare: name at least one algorithm")
    if not limit:
        return Comparison(file, rows)
    searches = [row.search for row in rows]
    return Comparison(
        file,
        rows,
        measure(tree, searches, bounds=bounds, engine=engine, max_leaves=max_leaves, file=file),
    )


def totals(comparisons: Sequence[Comparison]) -> list[Total]:
    """Return the sums over several files for each algorithm that searched them all."""
    sums = []
    limits = [comparison.limit.exact for comparison in comparisons if comparison.limit is not None]
    needed = (sum(e.least for e in limits), sum(e.most for e in limits)) if limits else None
    rows_of: dict[Algorithm, list[ComparisonRow]] = {}
    for comparison in comparisons:
        for row in comparison.rows:
            rows_of.setdefault(row.search.algorithm, []).append(row)
    for algorithm, rows in rows_of.items():
        if len(rows) < len(comparisons):
            continue
        counts = [row.search.counts for row in rows]
        sums.append(
            Total(
                algorithm,
                sum(c.visited for c in counts),
                sum(c.leaves_total for c in counts),
                sum(c.leaves_visited for c in counts),
                sum(c.cuts for c in counts),
                sum(row.seconds for row in rows),
                needed,
            )
        )
    return sums


def load_compiled(tree: Tree, algorithm: Algorithm | str, engine: str) -> None:
    """Load the compiled code that a search will run, so that its time does not include loading."""
    algorithm = find_algorithm(algorithm)
    if choose_engine(tree, algorithm, engine) == "compiled":
        builder = TreeBuilder()
        evaluate(builder.build(builder.max([1, 2])), algorithm, engine="compiled")


def _differences(one: Search, other: Search) -> Iterator[str]:
    (lower, upper), (other_lower, other_upper) = one.interval_of(-1), other.interval_of(-1)
    slack: Any = _SAME * one.eps
    if other_lower > upper + slack or lower > other_upper + slack:
        yield f"the value is {_value(other)}, not {_value(one)}"
    elif _excludes(one, other) or _excludes(other, one):
        yield f"the best action is {other.best}, not {one.best}"


def _excludes(one: Search, other: Search) -> bool:
    """Say whether one search proves that the other's best action is worse than another action.

    An action that a search does not count among its ties may still be best: a search need not know.
    """
    root = len(one.tree) - 1
    best = next(other.best_branches(root), None)
    if best is None:
        return False
    lower, upper = one.interval_of(one.tree.columns.child[best])
    slack: Any = _SAME * one.eps
    if one.tree.columns.kind[root] == Kind.MAX:
        return bool(upper < one.lower[root] - slack)
    return bool(lower > one.upper[root] + slack)


def _value(search: Search) -> str:
    ends = [display_text(end, 17) for end in search.interval_of(-1)]
    return ends[0] if search.outcome is Outcome.VALUE else f"in [{ends[0]}, {ends[1]}]"
