"""Compare algorithms on the same tree: the report of `compare`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

from expectitree.algorithms import Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.limit.proof_tree import check_size
from expectitree.analysis.limit.report import Limit, measure
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.searches.engine import evaluate, usual_algorithms
from expectitree.searches.result import Search
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


class Disagreement(NamedTuple):
    """Two searches that contradict each other."""

    first: Search
    other: Search
    about: str  # "value" or "best"


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
    def disagreements(self) -> list[Disagreement]:
        """The rows that contradict the first; there should be none."""
        first, *others = [row.search for row in self.rows]
        slack: Any = _SAME * first.eps
        lower, upper = first.interval_of(-1)
        found = []
        for other in others:
            other_lower, other_upper = other.interval_of(-1)
            if other_lower > upper + slack or lower > other_upper + slack:
                found.append(Disagreement(first, other, "value"))
            elif _excludes(first, other) or _excludes(other, first):
                found.append(Disagreement(first, other, "best"))
        return found


@dataclass(frozen=True)
class Total:
    """The figures of one algorithm's searches of one or several files."""

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
    counted = None
    if limit:
        searches = [row.search for row in rows]
        counted = measure(
            tree, searches, bounds=bounds, engine=engine, max_leaves=max_leaves, file=file
        )
    return Comparison(file, rows, counted)


def totals(comparisons: Sequence[Comparison]) -> list[Total]:
    """Return the sums over several files for each algorithm that searched them all."""
    limits = [comparison.limit.exact for comparison in comparisons if comparison.limit is not None]
    needed = (sum(e.least for e in limits), sum(e.most for e in limits)) if limits else None
    rows_of: dict[Algorithm, list[ComparisonRow]] = defaultdict(list)
    for comparison in comparisons:
        for row in comparison.rows:
            rows_of[row.search.algorithm].append(row)
    return [total(rows, needed) for rows in rows_of.values() if len(rows) >= len(comparisons)]


def total(rows: Sequence[ComparisonRow], needed: tuple[int, int] | None) -> Total:
    """Return the sums over rows of one algorithm, next to the leaves that are needed."""
    counts = [row.search.counts for row in rows]
    return Total(
        rows[0].search.algorithm,
        sum(c.visited for c in counts),
        sum(c.leaves_total for c in counts),
        sum(c.leaves_visited for c in counts),
        sum(c.cuts for c in counts),
        sum(row.seconds for row in rows),
        needed,
    )


def load_compiled(tree: Tree, algorithm: Algorithm | str, engine: str) -> None:
    """Load the compiled code that a search will run, so that its time does not include loading."""
    algorithm = find_algorithm(algorithm)
    if choose_engine(tree, algorithm, engine) == "compiled":
        builder = TreeBuilder()
        evaluate(builder.build(builder.max([1, 2])), algorithm, engine="compiled")


def _excludes(one: Search, other: Search) -> bool:
    """Say whether one search proves that the other's best action is worse than another action.

    An action that a search does not count among its ties may still be best: a search need not know.
    """
    root = one.tree.root_id
    best = next(other.best_branches(root), None)
    if best is None:
        return False
    lower, upper = one.interval_of(one.tree.columns.child[best])
    slack: Any = _SAME * one.eps
    if one.tree.columns.kind[root] == Kind.MAX:
        return bool(upper < one.lower[root] - slack)
    return bool(lower > one.upper[root] + slack)
