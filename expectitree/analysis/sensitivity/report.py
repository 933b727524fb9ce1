"""How the best action depends on one parameter: the report behind `sensitivity`.

1. Compute the value of each node as a function of the parameter (`functions.py`).
2. Find where the functions of the root's actions cross (`algebra/thresholds.py`).
3. Evaluate the tree exactly on both sides of each threshold, to verify it.

If a formula is not a quotient of polynomials, sample the range instead, and say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from expectitree.algebra.piecewise import Piecewise, shifted
from expectitree.algebra.polynomials import TooMuchWorkError, limited_work, spend
from expectitree.algebra.thresholds import Decision, Threshold
from expectitree.analysis.sensitivity.functions import (
    NodeFunctions,
    NotRationalError,
    why_not_exact,
)
from expectitree.analysis.sensitivity.pieces import Piece, pieces_of
from expectitree.analysis.sensitivity.ranges import Range
from expectitree.analysis.sensitivity.sampling import sample
from expectitree.display import Shown
from expectitree.errors import AnalysisError, NumberError
from expectitree.numbers import display_text, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.tree.columns import NONE
from expectitree.tree.model import Kind, Tree
from expectitree.tree.parameters import place_text
from expectitree.tree.transform import in_fractions

MOST_WORK = 30_000_000  # about microseconds
_VERIFIED_NODE_WORK = 10  # for one node of a tree that is evaluated to verify a threshold


@dataclass(frozen=True)
class Sensitivity(Shown):
    """How the best action and the value depend on one parameter; `sensitivity` makes it.

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
        method: "exact", or "sampled" if the value is no quotient of polynomials.
        reason: Why the range was sampled; empty if it was not.
    """

    file: str
    tree: Tree
    range: Range
    pieces: tuple[Piece, ...]
    thresholds: tuple[Threshold, ...]
    best: tuple[str, ...]
    value: Fraction
    actions: dict[str, Piecewise]
    method: str = "exact"
    reason: str = ""

    @property
    def slack(self) -> tuple[Fraction | None, Fraction | None]:
        """How far the parameter can fall and rise before another action is best.

        None where it can move to the end of the range.
        """
        here = self.range.current
        below = [t.upper for t in self.thresholds if t.lower <= here and t.before != self.best]
        above = [t.lower for t in self.thresholds if t.upper >= here and t.after != self.best]
        fall = here - max(below) if below else None
        rise = min(above) - here if above else None
        return fall, rise

    def value_at(self, at: Fraction | float | str) -> tuple[Fraction, tuple[str, ...]]:
        """Return the root's value and the best actions at a value of the parameter."""
        search = evaluate(self.tree.with_parameters(**{self.range.name: at}))
        return to_exact(search.value), search.ties

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each piece: the rows of a table for pandas or polars.

            >>> import expectitree as et
            >>> tree = et.loads("parameters: {p: 1/2}\\nmax: {sure: 3, bet: {chance: {win: "
            ...                 "{p: p, utility: 10}, lose: {p: rest, utility: 0}}}}")
            >>> for row in et.sensitivity(tree, "p", range=(0, 1)).to_records():
            ...     print(row["start"], row["end"], row["best"], row["value"])
            0 3/10 sure 3
            3/10 1 bet 10*p

        Each has `file`, `parameter`, `start`, `end`, `best` (the first best action), `ties` (how
        many actions are best) and `value`: a formula, or None if it is not a single short one.
        """
        from expectitree.analysis.sensitivity.phrases import formula_text

        return [
            {
                "file": self.file,
                "parameter": self.range.name,
                "start": piece.start,
                "end": piece.end,
                "best": piece.best[0] if piece.best else None,
                "ties": len(piece.best),
                "value": piece.value and formula_text(piece.value, self.range.name),
            }
            for piece in self.pieces
        ]


def one_way(tree: Tree, range: Range, file: str = "", added: Sequence[int] = ()) -> Sensitivity:
    """Return how the best action depends on one parameter, or on an amount added to branches."""
    try:
        with limited_work(MOST_WORK):
            exact = tree if tree.exact else in_fractions(tree)
            name = None if added else range.name
            functions = NodeFunctions(exact, name, range.low, range.high, added=added)
            check_feasible(functions, range)
            decision, actions = decision_of(functions)
            thresholds = tuple(decision.thresholds()) if actions else ()
            pieces = tuple(pieces_of(decision))
        method, reason = "exact", ""
    except (NotRationalError, TooMuchWorkError, NumberError) as error:
        pieces, thresholds = sample(tree, range)
        actions, method, reason = {}, "sampled", why_not_exact(error)
    search = evaluate(tree)
    about = search.ties, to_exact(search.value), actions, method, reason
    return Sensitivity(file, tree, range, pieces, thresholds, *about)


def decision_of(
    functions: NodeFunctions, is_verified: bool = True
) -> tuple[Decision, dict[str, Piecewise]]:
    """Return the decision at the root, and the function of each action.

    Without a player at the root there are no actions, and the decision has only a value.
    """
    tree, root_reward = functions.tree, functions.reward_of(NONE)
    if tree.root.kind not in (Kind.MAX, Kind.MIN):
        return Decision([("", functions.of_branch(NONE))], True, lambda *_: None), {}
    actions = {
        tree.branch_label(tree.root_id, b): shifted(functions.of_branch(b), root_reward)
        for b in tree.branches_of(tree.root_id)
    }

    def verify(place: Fraction, best: tuple[str, ...], value: Fraction) -> None:
        spend(_VERIFIED_NODE_WORK * len(tree))
        search = evaluate(functions.tree_at(place))
        if search.ties != best or search.value != value:
            raise AnalysisError(
                f"at {functions.name or 'an added'} = {message_text(place)} the best actions are "
                f"{', '.join(search.ties)} (value {message_text(search.value)}), but "
                f"{', '.join(best)} (value {message_text(value)}) were computed: this is a defect "
                "of expectitree, please report it with the tree"
            )

    check = verify if is_verified else lambda *_: None
    return Decision([*actions.items()], tree.root.kind == Kind.MAX, check), actions


def check_feasible(functions: NodeFunctions, range: Range) -> None:
    """Raise `AnalysisError` if a probability leaves [0, 1] somewhere in the range."""
    fault = functions.fault
    if fault is None:
        return
    where = place_text(functions.tree, fault.node, fault.branch)
    here = range.current
    around = [
        (left, right) for left, right in functions.feasible if left.lower <= here <= right.upper
    ]
    hint = f"give {range.name} a smaller range"
    if around:
        ends = (display_text(float(root.lower)) for root in around[0])
        hint = f"give {range.name} a range within {{}} to {{}}".format(*ends)
    raise AnalysisError(
        f"p of {where} is {message_text(fault.value)} at {range.name} = {message_text(fault.at)}: "
        f"it must be between 0 and 1; {hint}"
    )
