"""Compare algorithms on the same tree: the report of `compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from expectitree.base.algorithms import OPTIONS, Algorithms
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import display_text
from expectitree.base.tree.builder import TreeBuilder
from expectitree.base.tree.columns import NONE, ChosenBounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.by_utility import with_totals
from expectitree.searches.engine import algorithms_for, search_tree, searched_tree
from expectitree.searches.engines import choose_engine
from expectitree.searches.result import Search
from expectitree.text.phrases import known_text

_SAME = 4  # eps within which values agree, since each search has its own rounding errors


@dataclass(frozen=True)
class ComparisonRow:
    """One algorithm's search, and how long it took."""

    search: Search
    seconds: float  # of the search alone

    def json_fields(self) -> dict[str, object]:
        """Return the fields for JSON."""
        from expectitree.analysis.evaluate.json import search_fields

        return {**search_fields(self.search), "seconds": self.seconds}


@dataclass(frozen=True)
class Comparison(Shown):
    """One tree searched by several algorithms; `compare` makes it.

        >>> import expectitree as et
        >>> comparison = et.compare(et.load("example:ballard"), ["star1", "star2"])
        >>> [row.search.counts.leaves_visited for row in comparison.rows]
        [15, 13]

    Attributes:
        file: The name of the tree in outputs.
        rows: One for each algorithm, with its `search` and the `seconds` that this took.
        has_times: Whether the text shows the seconds.
    """

    question = "compare"

    file: str
    rows: Sequence[ComparisonRow]
    has_times: bool = field(default=False, repr=False)

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.rows[0].search.tree

    @property
    def proofs(self) -> list[Search]:
        """The searches that prove what they find."""
        return [row.search for row in self.rows if row.search.algorithm.proves]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each search: the rows of a table for pandas or polars.

            >>> import expectitree as et
            >>> comparison = et.compare(et.load("example:risk"), ["expectiminimax", "star2"])
            >>> for row in comparison.to_records():
            ...     print(row["algorithm"], row["value"], row["leaves_visited"])
            expectiminimax 54.5 4
            star2 54.5 4

        Each has `file`, the fields of `Search.to_records`, and `seconds`; the options of the
        algorithms are last. A field that is empty in all rows is left out.
        """
        records = self.csv_records()
        filled = dict.fromkeys(
            name for record in records for name in record if record[name] not in (None, "")
        )
        names = sorted(filled, key=lambda name: name.replace("_", "-") in OPTIONS)
        return [{name: record.get(name) for name in names} for record in records]

    def csv_records(self) -> list[dict[str, Any]]:
        """Return the rows of a table in CSV, which has every column."""
        return [
            {"file": self.file, **record, "seconds": row.seconds}
            for row in self.rows
            for record in row.search.to_records()
        ]

    @property
    def disagreements(self) -> list[str]:
        """How searches contradict the first one, in words; empty, unless there is a defect.

        A search that only estimates the value is not checked.
        """
        first, *others = self.proofs or [self.rows[0].search]
        slack = _SAME * first.eps
        lower, upper = first.interval_of_branch(NONE)
        pairs = []
        write = partial(known_text, write=partial(display_text, digits=17))
        for other in others:
            low, high = other.interval_of_branch(NONE)
            about = f"{other.algorithm.full_name} disagrees with {first.algorithm.full_name}"
            if low > upper + slack or lower > high + slack:
                values = f"{write(low, high)}, not {write(lower, upper)}"
                pairs.append(f"{about}: the value is {values}")
            elif _excludes(first, other) or _excludes(other, first):
                pairs.append(f"{about}: the best action is {other.best}, not {first.best}")
        return pairs


def compare(
    tree: Tree,
    algorithms: Algorithms = None,
    *,
    bounds: ChosenBounds = None,
    engine: str = "auto",
    max_visits: int | None = None,
    exact: bool = False,
    file: str = "",
) -> Comparison:
    """Search a tree with each algorithm in turn.

        >>> import expectitree as et
        >>> comparison = et.compare(et.load("example:aima-5.12-left"), ["alphabeta", "star1"])
        >>> for row in comparison.to_records():
        ...     print(row["algorithm"], row["value"], row["leaves_visited"])
        alphabeta 2.1 8
        star1 2.1 5

    Args:
        tree: The tree.
        algorithms: Names, or what `algorithm` returns; by default all algorithms, without
            best-first where it would be slow.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        max_visits: As for `evaluate`.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: No algorithm is named.
        SearchError: As for `evaluate`.
    """
    tree = searched_tree(with_totals(tree), engine)
    rows = []
    for algorithm in algorithms_for(tree, algorithms):
        if choose_engine(tree, find_algorithm(algorithm), engine) == "compiled":
            # Load the compiled code, so that the time does not include loading.
            builder = TreeBuilder(exact=False)
            search_tree(builder.build(builder.max([1, 2])), algorithm, engine="compiled")
        search = search_tree(
            tree, algorithm, bounds=bounds, engine=engine, max_visits=max_visits, exact=exact
        )
        rows.append(ComparisonRow(search, search.seconds))
    if not rows:
        raise AnalysisError("nothing to compare\nname at least one algorithm")
    return Comparison(file, rows)


def _excludes(search: Search, other: Search) -> bool:
    """Return whether one search proves that the other's best action is worse than another action.

    An action that a search does not count among its ties may still be best: a search need not know.
    """
    root = search.tree.root_id
    best = next(other.best_branches(root), None)
    if best is None:
        return False
    lower, upper = search.interval_of_branch(best)
    slack = _SAME * search.eps
    if search.tree.columns.kind[root] == Kind.MAX:
        return bool(upper < search.lower[root] - slack)
    return bool(lower > search.upper[root] + slack)
