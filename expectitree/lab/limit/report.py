"""Count the fewest leaves that prove the result of a tree, and compare searches with that limit.

No correct search can visit fewer leaves: it is a property of the tree and its bounds. The module
`proofs` explains how the leaves are counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.lab.limit.proof_tree import check_size, proof_tree
from expectitree.lab.limit.proofs import ACTION, VALUE, Proofs
from expectitree.searches.engine import search_tree, searched_tree, usual_algorithms
from expectitree.searches.result import Outcome, Search
from expectitree.text.json_values import json_path
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import in_floats


@dataclass(frozen=True)
class Enough:
    """The fewest leaves that prove something: at least `least`; `leaves` are known to prove it."""

    least: int
    leaves: Sequence[int]  # node ids, ascending

    @property
    def most(self) -> int:
        """The number of leaves that are known to be enough."""
        return len(self.leaves)

    @property
    def ends(self) -> tuple[int, int]:
        """The range that holds the fewest leaves."""
        return self.least, self.most

    @property
    def count(self) -> int | None:
        """The fewest leaves; None where only the range from `least` to `most` is known."""
        return self.most if self.least == self.most else None


@dataclass(frozen=True)
class Limit(Shown):
    """The fewest leaves that prove a tree's result, next to searches; `limit` makes it.

        >>> import expectitree as et
        >>> found = et.limit(et.load("example:ballard"), "star2")
        >>> found.exact.count, found.rows[0].counts.leaves_visited
        (13, 13)

    Attributes:
        file: The name of the tree in outputs.
        search: The tree's values, by backward induction.
        exact: What is enough to prove the value of the root. Its `least` and `most` are equal where
            the number is known, and `leaves` are ids of leaves that are enough.
        best_action: What is enough to prove that an action is best; None if no player is at the
            root.
        proved: The action that `best_action` is about.
        rows: A search with each algorithm.
    """

    question = "limit"

    file: str
    search: Search
    exact: Enough
    best_action: Enough | None
    proved: str | None
    rows: Sequence[Search] = ()

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    def enough(self, search: Search) -> Enough:
        """Return the fewest leaves for a search's goal: the value, or only the best action."""
        if search.algorithm.goal == "value" or self.best_action is None:
            return self.exact
        return self.best_action

    def surplus(self, search: Search) -> int | None:
        """Return how many leaves a search visited beyond the limit; None if either is unknown."""
        count = self.enough(search).count
        if count is None or search.outcome is Outcome.STOPPED:
            return None
        return search.counts.leaves_visited - count

    def ratio(self, search: Search) -> float | None:
        """Return how many times the needed leaves a search visited; None if that is unknown."""
        if self.surplus(search) is None or not self.enough(search).most:
            return None
        return search.counts.leaves_visited / self.enough(search).most

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each search: the rows of a table for pandas or polars.

            >>> import expectitree as et
            >>> for row in et.limit(et.load("example:risk"), ["star1", "star2"]).to_records():
            ...     print(row["algorithm"], row["leaves_visited"], row["surplus"])
            star1 4 0
            star2 4 0

        Each has the fields of `Search.to_record`, then `needed_lower` and `needed_upper` (the
        leaves that are enough for the value), `needed_for_best_lower` and `needed_for_best_upper`
        (for the best action; None if no player is at the root), `surplus` and `ratio`.
        """
        return [
            {
                "file": self.file,
                **row.to_record(),
                **self.needed,
                "surplus": self.surplus(row),
                "ratio": self.ratio(row),
            }
            for row in self.rows
        ]

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON; a count is null where only its bounds are known."""
        search, exact, best = self.search, self.exact, self.best_action
        return {
            "bounds": search.root_bounds,
            "bounds_from": search.bounds_source,
            "leaves": self.tree.leaves,
            "value": search.value,
            "best": search.best,
            "ties": search.ties,
            "exact": exact.count,
            "exact_bounds": exact.ends,
            "best_action": None if best is None else best.count,
            "best_action_bounds": None if best is None else best.ends,
            "best_action_proved": self.proved,
            "exact_leaves": leaf_names(self.tree, exact),
            "best_action_leaves": None if best is None else leaf_names(self.tree, best),
            "rows": [
                {
                    "algorithm": row.algorithm.name,
                    **row.algorithm.options,
                    "leaves_visited": row.counts.leaves_visited,
                    "surplus": self.surplus(row),
                    "ratio": self.ratio(row),
                    **({"stopped": True} if row.stopped else {}),
                }
                for row in self.rows
            ],
        }

    @property
    def needed(self) -> dict[str, int | None]:
        """The numbers of leaves that are enough, by the names that tables have for them."""
        lower, upper = self.exact.ends
        best_lower, best_upper = (None, None) if self.best_action is None else self.best_action.ends
        return {
            "needed_lower": lower,
            "needed_upper": upper,
            "needed_for_best_lower": best_lower,
            "needed_for_best_upper": best_upper,
        }

    @property
    def finished(self) -> list[Search]:
        """The searches that were not stopped."""
        return [row for row in self.rows if row.outcome is not Outcome.STOPPED]

    @property
    def least_row(self) -> Search | None:
        """The finished search that visited the fewest leaves; None if no search finished."""
        return min(self.finished, key=lambda row: row.counts.leaves_visited, default=None)

    @property
    def below(self) -> list[Search]:
        """The searches below the limit, which is possible where floats are nearly equal."""
        return [r for r in self.finished if r.counts.leaves_visited < self.enough(r).least]


def leaf_names(tree: Tree, enough: Enough, most: int | None = None) -> list[str | int]:
    """Return the paths of the leaves; of a very deep leaf the node id."""
    return [json_path(tree, n) or n for n in enough.leaves[:most]]


def limit(
    tree: Tree,
    algorithms: Iterable[Algorithm | str] | Algorithm | str | None = None,
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    max_leaves: int | None = None,
    exact: bool = False,
    file: str = "",
) -> Limit:
    """Return the fewest leaves that prove a tree's result, and a search with each algorithm.

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
        AnalysisError: The tree has too many leaves.
        SearchError: As for `evaluate`.
    """
    check_tree(tree, "limit")
    check_size(tree.leaves, max_leaves)
    if algorithms is None:
        algorithms = usual_algorithms(tree)
    elif isinstance(algorithms, (Algorithm, str)):
        algorithms = [algorithms]
    rows = [
        search_tree(tree, a, bounds=bounds, engine=engine, max_visits=max_visits)
        for a in algorithms
    ]
    found = measure(tree, rows, bounds=bounds, engine=engine, max_leaves=max_leaves, file=file)
    rows = [replace(row, rounds=not exact) for row in rows]
    return replace(found, search=replace(found.search, rounds=not exact), rows=rows)


def measure(
    tree: Tree,
    rows: Sequence[Search],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_leaves: int | None = None,
    file: str = "",
) -> Limit:
    """Return the fewest leaves that prove a tree's result, next to finished searches of it."""
    check_tree(tree, "limit")
    tree = searched_tree(tree, engine)
    whole = next((row for row in rows if not row.algorithm.player_cuts), None) or search_tree(
        tree, bounds=bounds, engine=engine
    )
    numbers = proof_tree(*_proved(tree, whole), max_leaves)
    compiled = {"interpreted": False, "compiled": True}.get(engine)
    proofs = least = Proofs(numbers, False, compiled)
    if tree.is_sharing:
        why = " would make as much work as the shared nodes do"
        check_size(math.isqrt(proofs.work) + 1, max_leaves, why)
    proofs.solve()
    proofs.trace()
    leaves, best_leaves = (sorted(proofs.chosen[goal]) for goal in (VALUE, ACTION))
    if tree.is_sharing:
        least = Proofs(numbers, True, compiled)
        least.solve()
        searched = [_visited_leaves(row) for row in rows if row.outcome is Outcome.VALUE]
        leaves = min([leaves, *searched], key=len)
    exact = Enough(min(least.count[-1], len(leaves)), leaves)
    best, proved = None, None
    if proofs.best is not None:
        best = Enough(min(least.best_count, len(best_leaves)), best_leaves)
        ways = [b for b in tree.branches_of(tree.root_id) if tree.columns.child[b] == proofs.best]
        branch = max(ways, key=lambda b: numbers.sign(tree.root_id) * tree.reward_of(b))
        proved = tree.branch_label(tree.root_id, branch)
    found = Limit(file, whole, exact, best, proved, rows)
    for row in found.below:
        enough = found.enough(row)
        if not tree.rounds or not numbers.are_enough(_visited_leaves(row), enough is exact):
            raise AnalysisError(
                f"{row.algorithm.full_name} visited {row.counts.leaves_visited:,} leaves, and "
                f"{enough.least:,} are needed: this is a defect of expectitree, please report it "
                "with the tree"
            )
    return found


def _proved(tree: Tree, whole: Search) -> tuple[Tree, Search]:
    """Return a tree and its search for proofs: in floats, if fractions are rounded.

    Proofs count in integers, which fractions that are rounded to 200 bits do not add up to.
    """
    if not (tree.exact and tree.rounds):
        return tree, whole
    tree = in_floats(tree)
    return tree, search_tree(tree, bounds=whole.root_bounds)


def _visited_leaves(search: Search) -> list[int]:
    kind = search.tree.columns.kind
    return [n for n, visits in enumerate(search.visits) if visits and kind[n] == Kind.TERMINAL]
