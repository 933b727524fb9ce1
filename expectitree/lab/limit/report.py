"""Count the fewest leaves that prove the value of a tree, and compare searches with that limit.

No correct search can visit fewer leaves: it is a property of the tree and its bounds. The module
`proofs` explains how the leaves are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from expectitree.base import budget
from expectitree.base.algorithms import Algorithms
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.tree.columns import ChosenBounds
from expectitree.base.tree.model import Tree, check_tree
from expectitree.lab.limit.proofs import fewest_leaves
from expectitree.searches.engine import algorithms_for, search_tree, searched_tree
from expectitree.searches.result import Outcome, Search
from expectitree.text.json_values import Fields, Records, json_path

MAX_LEAVES = 20_000  # that `limit` accepts by default


@dataclass(frozen=True)
class Enough:
    """The fewest leaves that prove a value."""

    leaves: Sequence[int]  # node ids, ascending

    @property
    def count(self) -> int:
        """How many leaves these are."""
        return len(self.leaves)


@dataclass(frozen=True)
class Limit(Shown):
    """The fewest leaves that prove a tree's value, next to searches; `limit` makes it.

        >>> import expectitree as et
        >>> found = et.limit(et.load("example:ballard"), "star2")
        >>> found.exact.count, found.rows[0].counts.leaves_visited
        (13, 13)

    Attributes:
        file: The name of the tree in outputs.
        search: The tree's values, by backward induction.
        exact: What is enough to prove the value of the root: `count` leaves, and `leaves`, the ids
            of leaves that are enough.
        rows: A search with each algorithm.
    """

    question = "limit"

    file: str
    search: Search
    exact: Enough
    rows: Sequence[Search] = ()

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    def surplus(self, search: Search) -> int | None:
        """Return how many leaves a search visited beyond the limit.

        It is None if the search did not prove the value: it was stopped, or proved only the best
        action.
        """
        if search.outcome is not Outcome.VALUE:
            return None
        return search.counts.leaves_visited - self.exact.count

    def to_records(self) -> Records:
        """Return a flat dict for each search: the rows of a table for pandas or polars.

        Each has the fields of `Search.to_records`, then `needed` (the leaves that are enough for
        the value), and `surplus`.
        """
        return [
            {
                "file": self.file,
                **record,
                "needed": self.exact.count,
                "surplus": self.surplus(row),
            }
            for row in self.rows
            for record in row.to_records()
        ]

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        search, exact = self.search, self.exact
        return {
            "bounds": search.root_bounds,
            "bounds_from": search.bounds_source,
            "leaves": self.tree.leaves,
            "value": search.value,
            "best": search.best,
            "ties": search.ties,
            "exact": exact.count,
            "exact_leaves": self.leaf_names(),
            "rows": [
                {
                    "algorithm": row.algorithm.name,
                    **row.algorithm.options,
                    "leaves_visited": row.counts.leaves_visited,
                    "surplus": self.surplus(row),
                    **({"stopped": True} if row.stopped else {}),
                }
                for row in self.rows
            ],
        }

    def leaf_names(self, most: int | None = None) -> list[str | int]:
        """Return the paths of the leaves that are enough; of a very deep leaf the node id."""
        return [json_path(self.tree, n) or n for n in self.exact.leaves[:most]]

    @property
    def below(self) -> list[Search]:
        """The searches below the limit, which is possible where floats are nearly equal."""
        return [row for row in self.rows if (self.surplus(row) or 0) < 0]


def limit(
    tree: Tree,
    algorithms: Algorithms = None,
    *,
    bounds: ChosenBounds = None,
    engine: str = "auto",
    max_visits: int | None = None,
    max_leaves: int | None = None,
    exact: bool = False,
    file: str = "",
) -> Limit:
    """Return the fewest leaves that prove a tree's value, and a search with each algorithm.

    No correct search visits fewer leaves.

        >>> import expectitree as et
        >>> found = et.limit(et.load("example:ballard"), ["star1", "star2"])
        >>> found.exact.count, [found.surplus(search) for search in found.rows]
        (13, [2, 0])

    Args:
        tree: The tree.
        algorithms: As for `compare`.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        max_visits: As for `evaluate`.
        max_leaves: Refuse a tree with more leaves, since the work is quadratic in them.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The tree has too many leaves, or nodes that several paths share.
        SearchError: As for `evaluate`.
    """
    check_tree(tree, "limit")
    _check(tree, budget.most(MAX_LEAVES) if max_leaves is None else max_leaves)
    find = partial(search_tree, bounds=bounds, engine=engine, exact=exact)
    rows = [
        find(tree, chosen, max_visits=max_visits) for chosen in algorithms_for(tree, algorithms)
    ]
    tree = searched_tree(tree, engine)
    whole = next((row for row in rows if not row.algorithm.prunes), None) or find(tree)
    result = Limit(file, whole, _enough(tree, whole), rows)
    for row in result.below * (not tree.has_rounding):
        raise AnalysisError(
            f"{row.algorithm.full_name} visited {row.counts.leaves_visited:,} leaves, and "
            f"{result.exact.count:,} are needed: this is a defect of expectitree, please report it "
            "with the tree"
        )
    return result


def _check(tree: Tree, max_leaves: int) -> None:
    if tree.is_sharing:
        raise AnalysisError(
            "several paths share nodes, and the limit is counted for trees without shared nodes: "
            "to count the leaves of each path separately, write the tree with expectitree convert "
            "--unshare"
        )
    if tree.leaves > max_leaves:
        raise AnalysisError(
            f"{tree.leaves:,} leaves, and the work grows with their square: at most "
            f"{max_leaves:,} are accepted unless --max-leaves says more"
        )


def _enough(tree: Tree, whole: Search) -> Enough:
    """Return the fewest leaves that prove the value which a search of the whole tree has found."""
    if tree.exact and tree.has_rounding:
        # Proofs count in integers, which fractions rounded to 200 bits do not add up to.
        tree = tree.floats
        whole = search_tree(tree, bounds=whole.root_bounds)
    return Enough(fewest_leaves(tree, whole))
