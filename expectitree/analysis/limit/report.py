"""How few leaves could have been enough: the report behind `limit`.

What no correct search can beat is a property of the tree: the fewest leaves that, looked at, leave
the root one value whatever all others are within their bounds. `lists` says how it is counted.
Where paths share leaves, a leaf may serve several proofs at once, and what is counted as if it
could not, and as if it always could, holds the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from expectitree.algorithms import Algorithm
from expectitree.analysis.limit.count import Count
from expectitree.analysis.limit.proofs import Enough, Proofs
from expectitree.analysis.limit.shape import ground_of
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import display_text
from expectitree.searches.engine import evaluate, usual_algorithms
from expectitree.searches.result import Outcome, Search
from expectitree.tree.model import Bounds, Tree, check_tree

MOST_LEAVES = 20_000  # that are taken without being asked
MOST_LARGE = (
    4_000  # the same where fractions are so long that their integers take more than 64 bits
)


@dataclass(frozen=True)
class Limit(Shown):
    """The fewest leaves that are enough for one file's tree, and what algorithms looked at."""

    file: str
    search: Search  # backward induction
    exact: Enough  # to force the root's value
    best_action: (
        Enough | None
    )  # to force that an action is best; None where the root is not a player's
    proved: str | None  # the action that `best_action` is about
    rows: Sequence[Search] = ()

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    def enough(self, search: Search) -> Enough:
        """Return the fewest leaves for what a search was asked for: the value, or the best action alone."""
        return (
            self.exact
            if search.algorithm.goal == "value" or self.best_action is None
            else self.best_action
        )

    def surplus(self, search: Search) -> int | None:
        """Return how many more leaves a search looked at than are needed, None where either is not known."""
        count = self.enough(search).count
        return (
            None
            if count is None or search.outcome is Outcome.STOPPED
            else search.counts.leaves_visited - count
        )

    @property
    def sentence(self) -> str:
        """What the algorithm that looked at the fewest leaves did, beside what is needed; empty if none is done."""
        answered = [row for row in self.rows if row.outcome is not Outcome.STOPPED]
        if not answered:
            return ""
        least = min(answered, key=lambda row: row.counts.leaves_visited)
        looked, enough = least.counts.leaves_visited, self.enough(least)
        return (
            f"{least.algorithm.full_name} looked at {looked:,} lea{'f' if looked == 1 else 'ves'}; "
            f"{enough.text} {'is' if enough.most == 1 else 'are'} needed"
            f"{'' if enough is self.exact else ' for the best action'}."
        )

    @property
    def below(self) -> list[Search]:
        """The searches that looked at fewer leaves than are needed, since they took nearly equal numbers as equal."""
        return [
            row
            for row in self.rows
            if row.outcome is not Outcome.STOPPED
            and row.counts.leaves_visited < self.enough(row).least
        ]

    @property
    def notes(self) -> list[str]:
        """A sentence for each of these searches."""
        return [
            f"{row.algorithm.full_name} took numbers that differ by about {display_text(row.eps, 2)} as equal, and so did "
            "with fewer leaves than are needed; with --exact it does not."
            for row in self.below
        ]


def limit(
    tree: Tree,
    algorithms: Iterable[Algorithm | str] | Algorithm | str | None = None,
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_visits: int | None = None,
    max_leaves: int | None = None,
    file: str = "",
) -> Limit:
    """Return the fewest leaves that are enough for a tree, and a search with each algorithm beside it.

    By default these are all, but best-first only where it does not think long. `bounds`, `engine`
    and `max_visits` are those of `evaluate`. Raises `AnalysisError` where there are more than
    `max_leaves`, since the work is quadratic in them; by default `MOST_LEAVES`, or `MOST_LARGE`.
    """
    check_tree(tree)
    check_size(tree, max_leaves)
    if algorithms is None:
        algorithms = usual_algorithms(tree)
    elif isinstance(algorithms, (Algorithm, str)):
        algorithms = [algorithms]
    rows = [
        evaluate(tree, a, bounds=bounds, engine=engine, max_visits=max_visits) for a in algorithms
    ]
    return measure(tree, rows, bounds=bounds, engine=engine, max_leaves=max_leaves, file=file)


def check_size(tree: Tree, max_leaves: int | None, large: bool = False) -> int:
    """Return how many leaves are taken at most, or raise `AnalysisError` where a tree has more."""
    most = (MOST_LARGE if large else MOST_LEAVES) if max_leaves is None else max_leaves
    if tree.leaves > most:
        why = "of fractions beyond 64 bits, " if large else ""
        raise AnalysisError(
            f"{tree.leaves:,} leaves, {why}and the work grows with their square: at most {most:,} are taken unless "
            f"--max-leaves says more{' (or --exact is left out)' if large else ''}"
        )
    return most


def measure(
    tree: Tree,
    rows: Sequence[Search],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    max_leaves: int | None = None,
    file: str = "",
) -> Limit:
    """Return the fewest leaves that are enough for a tree, beside searches of it that are made already."""
    check_size(tree, max_leaves)
    whole = next((row for row in rows if not row.algorithm.player_cuts), None) or evaluate(
        tree, bounds=bounds, engine=engine
    )
    ground = ground_of(tree, whole.lower, whole.bounds, whole.eps)
    most = check_size(tree, max_leaves, large=not ground.code)
    compiled = {"interpreted": False, "compiled": True}.get(engine)
    plain = Count(ground, False, compiled, most)
    leaves = plain.force_value()
    exact, best, proved = Enough(min(plain.exact, len(leaves)), leaves), None, -1
    if plain.is_player:
        leaves = plain.force_best()
        best = Enough(min(plain.best_action, len(leaves)), leaves)
        proved = plain.shape.child[plain.best_branch]
    if ground.overlaps:
        hopeful = Count(ground, True, compiled, most)
        proofs = Proofs(ground, compiled)
        candidates = [
            exact.leaves,
            *(_visited(row) for row in rows if row.outcome is Outcome.VALUE),
        ]
        exact = proofs.narrowed(hopeful.exact, candidates, for_value=True)
        if best is not None:
            best = proofs.narrowed(
                hopeful.best_action, [best.leaves, exact.leaves], for_value=False
            )
            proved = proofs.best_forced(best.leaves)
    found = Limit(file, whole, exact, best, _label_of(tree, proved) if best else None, rows)
    for row in found.below:
        enough = found.enough(row)
        is_enough = Proofs(ground, compiled, slack=100).are_enough(
            _visited(row), for_value=enough is exact
        )
        if tree.exact or not is_enough:
            raise AnalysisError(
                f"{row.algorithm.full_name} looked at {row.counts.leaves_visited:,} leaves, and {enough.least:,} are "
                "needed: this is a defect of expectitree, please report it with the tree"
            )
    return found


def _visited(search: Search) -> list[int]:
    """Return the leaves that a search looked at."""
    kind = search.tree.columns.kind
    return [n for n, visits in enumerate(search.visits) if visits and not kind[n]]


def _label_of(tree: Tree, child: int) -> str:
    """Return the label of the first action at the root that leads to a node."""
    root = len(tree) - 1
    branches = range(tree.columns.first[root], tree.columns.first[root + 1])
    return tree.branch_label(root, next(b for b in branches if tree.columns.child[b] == child))
