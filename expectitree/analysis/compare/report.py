"""The same tree under several algorithms: the report behind `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from expectitree.algorithms import Algorithm
from expectitree.analysis.limit.report import Limit, check_size, measure
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import display_text
from expectitree.searches.engine import evaluate, usual_algorithms
from expectitree.searches.result import Search
from expectitree.tree.model import Bounds, Kind, Tree

_SAME = 4  # eps, within which values agree: what one search may take as equal, and the other too


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
    limit: Limit | None = None  # how few leaves could have been enough, where that was asked

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.rows[0].search.tree

    @property
    def disagreements(self) -> list[str]:
        """A sentence for every row that contradicts the first; there should be none."""
        first = self.rows[0].search
        return [
            f"{row.search.algorithm.full_name} disagrees with {first.algorithm.full_name}: {what}"
            for row in self.rows[1:]
            for what in _differences(first, row.search)
        ]

    @property
    def sentence(self) -> str:
        """What the comparison comes to."""
        searches = [row.search for row in self.rows]
        stopped = sum(not search.is_answered for search in searches)
        if stopped:
            return f"{stopped} of {len(searches)} searches were stopped before the value was known to them."
        if self.disagreements:
            return "The algorithms disagree."
        total = self.tree.leaves
        leaves = f"{total:,} lea{'ves' if total != 1 else 'f'}"
        values = [search for search in searches if search.is_known]
        actions = [search for search in searches if not search.is_known]
        sentences = []
        if values:
            best = _least(values)
            if best.counts.leaves_visited < total:
                sentences.append(f"{_needed(best, leaves)} for the same value.")
            elif total > 1:
                sentences.append(
                    f"No algorithm needed fewer than all {leaves}{' for the value' if actions else ''}."
                )
            elif not actions:
                sentences.append("There is one leaf, and all saw it.")
        if actions:
            sentences.append(f"{_needed(_least(actions), leaves)} for the best action alone.")
        return " ".join(sentences)


@dataclass(frozen=True)
class Total:
    """One algorithm over several files."""

    algorithm: Algorithm
    nodes_visited: int
    leaves_total: int
    leaves_visited: int
    cuts: int
    seconds: float
    needed: (
        tuple[int, int] | None
    )  # between how many leaves and how many are needed, where that was asked


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
    """Search a tree with each algorithm in turn; `file` is what the report calls the tree.

    By default these are all, but best-first only where it does not think long.

    `bounds`, `engine` and `max_visits` are those of `evaluate`. With `limit` it is also told how
    few leaves could have been enough, as the function `limit` does, to which `max_leaves` goes.
    """
    if limit:
        check_size(tree, max_leaves)
    if algorithms is None:
        algorithms = usual_algorithms(tree)
    rows = []
    for algorithm in [algorithms] if isinstance(algorithms, (Algorithm, str)) else algorithms:
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
    """Return the sums over several files, an entry for each algorithm that searched them all."""
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


def _least(searches: Sequence[Search]) -> Search:
    """Return the search that looked at the fewest leaves."""
    return min(searches, key=lambda search: (search.counts.leaves_visited, search.counts.visits))


def _needed(search: Search, leaves: str) -> str:
    counts = search.counts
    return f"{search.algorithm.full_name} needed {counts.leaves_visited:,} of {leaves} ({counts.share:.0%})"


def _differences(one: Search, other: Search) -> Iterator[str]:
    (lower, upper), (other_lower, other_upper) = one.interval_of(-1), other.interval_of(-1)
    slack: Any = _SAME * one.eps
    if other_lower > upper + slack or lower > other_upper + slack:
        yield f"the value is {_value(other)}, not {_value(one)}"
    elif _excludes(one, other) or _excludes(other, one):
        yield f"the best action is {other.best}, not {one.best}"


def _excludes(one: Search, other: Search) -> bool:
    """Say whether by one search the other's best action is worse than an action at the root can be.

    That an action is not among the ties of a search does not say so: it may not have had to know.
    """
    root = len(one.tree) - 1
    best = next(other.iterate_best(root), None)
    if best is None:
        return False
    lower, upper = one.interval_of(one.tree.columns.child[best])
    slack: Any = _SAME * one.eps
    if one.tree.columns.kind[root] == Kind.MAX:
        return bool(upper < one.lower[root] - slack)
    return bool(lower > one.upper[root] + slack)


def _value(search: Search) -> str:
    ends = [display_text(end, 17) for end in search.interval_of(-1)]
    return ends[0] if search.is_known else f"in [{ends[0]}, {ends[1]}]"
