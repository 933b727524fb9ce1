"""How the best action depends on one parameter: the report behind `sensitivity`.

1. Compute the value of each node as a function of the parameter (`functions.py`).
2. Find where the functions of the root's actions cross, and verify each place (`decisions.py`).

If a formula is not a rational function, sample the range instead, and say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from expectitree.base.budget import limited_work
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import to_exact, to_fraction
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.paths import join, split
from expectitree.decide.algebra.rationals import MAX_SECONDS, Piecewise
from expectitree.decide.sensitivity.decisions import Decision, Piece, Threshold
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.parameters import (
    INEXACT,
    Ends,
    Range,
    exact_tree,
    range_of,
    why_not_exact,
)
from expectitree.decide.sensitivity.sampling import sample
from expectitree.searches.engine import search_tree


@dataclass(frozen=True)
class Sensitivity(Shown):
    """The best action and the value as functions of one parameter; `sensitivity` makes it.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: 1/2}\\nmax: {sure: 3, bet: {chance: {win: "
        ...                 "{p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity(tree, "p", range=(0, 1))
        >>> [(piece.end, piece.best) for piece in found.pieces]
        [(Fraction(3, 10), ('sure',)), (Fraction(1, 1), ('bet',))]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        range: The parameter, with its `low` and `high`, and its `current` value.
        pieces: The parts of the range, from low to high, with `start`, `end`, `best` and `value`.
        thresholds: The values at which the best actions change. Each has `lower` and `upper`, which
            contain it, `exact` (None if it is not rational), the root's `value` there, and the
            best actions `before`, `at` and `after` it.
        best: The best actions at the current value.
        value: The root's value at the current value.
        actions: The value of each action as a function of the parameter; empty if it was sampled.
        function: The root's value as a function of the parameter; None if it was sampled.
        reason: Why the range was sampled; empty if it was not.
        branch: The path of the branch to which an amount is added; None if a parameter moves.
        branch_pays: What this branch pays now.
    """

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    range: Range
    pieces: tuple[Piece, ...]
    thresholds: tuple[Threshold, ...]
    best: tuple[str, ...]
    value: Fraction
    actions: Mapping[str, Piecewise]
    function: Piecewise | None = None
    reason: str = ""
    branch: str | None = None
    branch_pays: Fraction = Fraction(0)

    @property
    def method(self) -> str:
        """The method: exact, or sampled if the value is not a rational function."""
        return "sampled" if self.reason else "exact"

    @property
    def slack(self) -> tuple[Fraction | None, Fraction | None]:
        """How far the parameter can fall and rise before another action is best.

        None where it can move to the end of the range, and if it is outside the range.
        """
        here = self.range.current
        if not self.range.low <= here <= self.range.high:
            return None, None
        below = [t.upper for t in self.thresholds if t.lower <= here and t.before != self.best]
        above = [t.lower for t in self.thresholds if t.upper >= here and t.after != self.best]
        zero = Fraction(0)  # where the value lies within the interval of a threshold
        fall = max(here - max(below), zero) if below else None
        rise = max(min(above) - here, zero) if above else None
        return fall, rise

    def value_at(self, at: Fraction | float | str) -> Fraction:
        """Return the root's value at a value of the parameter."""
        if self.function is not None:
            return self.function(to_fraction(at) if isinstance(at, str) else to_exact(at))
        return to_exact(search_tree(self.tree.with_parameters(**{self.range.name: at})).value)

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        fall, rise = self.slack
        branch = {"branch": self.branch, "branch_pays": self.branch_pays}
        return {
            **self.range.json_fields(),
            **({} if self.branch is None else branch),
            "best": self.best,
            "value": self.value,
            "can_fall_by": fall,
            "can_rise_by": rise,
            "pieces": [piece.json_fields(self.range.name) for piece in self.pieces],
            "thresholds": self.thresholds,
            "method": self.method,
            "reason": self.reason or None,
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece: the rows of a table for pandas or polars.

        Each has `file`, `parameter`, `start`, `end`, `best` (the first best action), `ties` (how
        many actions are best) and `value`: a formula, or None if it is not a single short one.
        """
        name = self.range.name
        return [
            {"file": self.file, "parameter": name, **piece.record(), "value": piece.formula(name)}
            for piece in self.pieces
        ]


def sensitivity(
    tree: Tree, parameter: str, *, range: Ends | None = None, file: str = ""
) -> Sensitivity:
    """Return how the best action and the value depend on one parameter of a tree.

    The answer is exact where formulas are made of + - * / and whole powers: the thresholds are
    roots of polynomials, rational or enclosed to within 1e-9. Otherwise the range is sampled.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: {value: 1/2, range: [0, 1]}}\\nmax: {sure: 3, bet: "
        ...                 "{chance: {win: {p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity(tree, "p")
        >>> found.thresholds[0].exact, found.thresholds[0].after
        (Fraction(3, 10), ('bet',))

    Args:
        tree: The tree.
        parameter: The name of the parameter that moves.
        range: Its least and greatest value; by default, those in the file.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The parameter has no range, or a probability leaves [0, 1] within it.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree, "sensitivity")
    return _one_way(tree, range_of(tree, parameter, range), file)


def added(tree: Tree, path: str, *, file: str = "") -> Sensitivity:
    """Return how the decision depends on an amount that is added to the reward of a branch.

    The amount goes as far as the totals of the tree are apart, divided by the probability of the
    path. If no other path leads to the branch, a larger amount changes no decision.
    """
    check_tree(tree, "sensitivity")
    branch = tree.find_branch(path)
    if branch == NONE:
        raise AnalysisError("an amount at the root changes no decision: name a branch below it")
    low, high = (to_exact(end) for end in tree.total_ends)
    labels, probability = split(path), Fraction(1)
    for length in range(1, len(labels) + 1):
        above = tree.find_branch(join(labels[:length]))
        probability *= to_exact(tree.columns.probability[above])
    width = (high - low or Fraction(1)) / (probability or 1)
    amount = Range(f"added to {path}", -width, width, Fraction(0))
    pays = to_exact(tree.reward_of(branch))
    return replace(_one_way(tree, amount, file, branch), branch=path, branch_pays=pays)


def _one_way(tree: Tree, range: Range, file: str, added: int | None = None) -> Sensitivity:
    """Return how the best action depends on one parameter, or on an amount added to a branch."""
    try:
        with limited_work(MAX_SECONDS):
            functions = NodeFunctions(exact_tree(tree, added is None), range, added=added)
            functions.check_feasible()
            decision, now = Decision.at_root(functions), functions.now
            parts = tuple(decision.pieces()), tuple(decision.thresholds())
            value = to_exact(now.value)
            return Sensitivity(
                file, tree, range, *parts, now.ties, value, decision.actions, decision.value
            )
    except INEXACT as error:
        reason = why_not_exact(error)
    if added is not None:
        raise AnalysisError(f"{reason}: use a smaller tree")
    now, parts = search_tree(tree), sample(tree, range)
    return Sensitivity(file, tree, range, *parts, now.ties, to_exact(now.value), {}, reason=reason)
