"""The best actions at every decision that optimal play can reach, as one parameter moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.tree.columns import CHANCE, MAX, TERMINAL
from expectitree.base.tree.model import Tree, check_tree
from expectitree.decide.algebra.piecewise import greatest_of, merged, where_equal
from expectitree.decide.algebra.polynomials import Root, compare, place_of
from expectitree.decide.sensitivity.decisions import Decision, Piece
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import exact_only, exact_tree
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of

Interval = tuple[Root, Root]


@dataclass(frozen=True)
class Everywhere(Shown):
    """The best actions at every decision; `sensitivity --everywhere` shows them."""

    question = "sensitivity"

    file: str
    tree: Tree
    range: Range  # the parameter and its range
    # The parts of the range in which optimal play reaches a decision, by its path, parents first.
    decisions: dict[str, tuple[Piece, ...]]

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        name = self.range.name
        decisions = [
            {"node": path, "pieces": [piece.json_fields(name) for piece in pieces]}
            for path, pieces in self.decisions.items()
        ]
        return {**self.range.json_fields(), "decisions": decisions, "method": "exact"}

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece of each decision: the rows of a table."""
        return [
            {"file": self.file, "node": path, "parameter": self.range.name, **piece.record()}
            for path, pieces in self.decisions.items()
            for piece in pieces
        ]


def everywhere(
    tree: Tree, parameter: str, *, range: Ends | None = None, file: str = ""
) -> Everywhere:
    """Return the best actions at every decision that optimal play can reach.

    Raises `AnalysisError` if a formula is not a rational function.
    """
    check_tree(tree, "sensitivity")
    moved = range_of(tree, parameter, range)
    with exact_only("--everywhere", "remove it, then --parameter samples"):
        functions = NodeFunctions(exact_tree(tree), moved)
        functions.check_feasible()
        decisions = dict(_decisions(functions))
    found = {tree.path_of(n): decisions[n] for n in tree.first_paths.order if n in decisions}
    return Everywhere(file, tree, moved, found)


def _decisions(functions: NodeFunctions) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """Yield the parts of each decision that play reaches, by its node, parents first."""
    tree, columns = functions.tree, functions.tree.columns
    reached: dict[int, list[Interval]] = {tree.root_id: [(functions.left, functions.right)]}
    for n in reversed(range(len(tree))):
        where, kind = merged(reached.pop(n, [])), columns.kind[n]
        if not where or kind == TERMINAL:
            continue
        branches = [b for b in tree.branches_of(n) if functions.probability_of(b).numerator]
        best = dict.fromkeys(branches, where)
        if kind != CHANCE:
            actions = {tree.branch_label(n, b): functions.of_branch(b) for b in branches}
            decision = Decision(functions, actions, greatest_of(actions.values(), kind == MAX))
            yield n, tuple(_within(where, decision))
            for b, function in zip(branches, actions.values(), strict=True):
                best[b] = [*_common(where, merged(where_equal(function, decision.value)))]
        for b, intervals in best.items():
            reached.setdefault(columns.child[b], []).extend(intervals)


def _common(some: Sequence[Interval], others: Sequence[Interval]) -> Iterator[Interval]:
    """Yield the intersections of intervals that are not single points."""
    for a, b in some:
        for c, d in others:
            start, end = (a if compare(a, c) > 0 else c), (b if compare(b, d) < 0 else d)
            if compare(start, end) < 0:
                yield start, end


def _within(where: Sequence[Interval], decision: Decision) -> Iterator[Piece]:
    """Yield the parts of the range of a decision within some intervals."""
    for start, end in ((place_of(a), place_of(b)) for a, b in where):
        for piece in decision.pieces():
            low, high = max(start, piece.start), min(end, piece.end)
            if low < high:
                yield Piece(low, high, piece.best, piece.value)
