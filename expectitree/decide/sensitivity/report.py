"""How the best action depends on one parameter: the report behind `sensitivity`.

1. Compute the value of each node as a function of the parameter (`functions.py`).
2. Find where the functions of the root's actions cross (`algebra/thresholds.py`).
3. Evaluate the tree exactly on both sides of each threshold, to verify it.

If a formula is not a rational function, sample the range instead, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from expectitree.base.budget import limited_work
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, TreeError
from expectitree.base.numbers import exact_text, message_text, to_exact, to_fraction
from expectitree.decide.algebra.piecewise import Piecewise, shifted
from expectitree.decide.algebra.polynomials import Root
from expectitree.decide.algebra.rationals import MAX_SECONDS, formula_text
from expectitree.decide.algebra.thresholds import Decision, Piece, Threshold, place_of
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.quotients import INEXACT, exact_tree, why_not_exact
from expectitree.decide.sensitivity.ranges import Ends, Range, range_of
from expectitree.decide.sensitivity.sampling import sample
from expectitree.decide.thresholds import threshold_fields
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.tree.columns import NONE
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.paths import join, message_path, split

_MAX_END_LENGTH = 12  # characters of an end of a range in a message


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
        method: "exact", or "sampled" if the value is not a rational function.
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
    actions: dict[str, Piecewise]
    function: Piecewise | None = None
    method: str = "exact"
    reason: str = ""
    branch: str | None = None
    branch_pays: Fraction = Fraction(0)

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

    def best_at(self, at: Fraction) -> tuple[str, ...]:
        """Return the best actions beside a value of the parameter."""
        return next(piece.best for piece in self.pieces if piece.start <= at <= piece.end)

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
            "thresholds": [threshold_fields(one) for one in self.thresholds],
            "method": self.method,
            "reason": self.reason or None,
        }

    def csv_rows(self, points: int) -> Iterator[Sequence[object]]:
        """Yield a heading, and the value of each action at some points of the range."""
        yield "parameter", "value", "action", "worth"
        for at in self.range.places(points - 1):
            if self.actions:
                for action, function in self.actions.items():
                    yield self.range.name, at, action, function(at)
            else:
                best = self.best_at(at)
                yield self.range.name, at, best[0] if best else None, self.value_at(at)

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
    return one_way(tree, range_of(tree, parameter, range), file)


def added(tree: Tree, path: str, *, file: str = "") -> Sensitivity:
    """Return how the decision depends on an amount that is added to the reward of a branch.

    The amount goes as far as the totals of the tree are apart, divided by the probability of the
    path. If no other path leads to the branch, a larger amount changes no decision.
    """
    branch = tree.find_branch(path)
    if branch == NONE:
        raise AnalysisError("an amount at the root changes no decision: name a branch below it")
    low, high = (to_exact(end) for end in tree.total_ends)
    width = (high - low or Fraction(1)) / (_probability_of(tree, path) or 1)
    amount = Range(f"added to {path}", -width, width, Fraction(0))
    pays = to_exact(tree.reward_of(branch))
    return replace(one_way(tree, amount, file, (branch,)), branch=path, branch_pays=pays)


def _probability_of(tree: Tree, path: str) -> Fraction:
    """Return the probability of a path if all players lead to it."""
    labels, found = split(path), Fraction(1)
    for length in range(1, len(labels) + 1):
        branch = tree.find_branch(join(labels[:length]))
        found *= to_exact(tree.columns.probability[branch])
    return found


def one_way(tree: Tree, range: Range, file: str = "", added: Sequence[int] = ()) -> Sensitivity:
    """Return how the best action depends on one parameter, or on an amount added to branches."""
    try:
        with limited_work(MAX_SECONDS):
            exact = exact_tree(tree, keeps_formulas=not added)
            name = None if added else range.name
            functions = NodeFunctions(exact, name, range.low, range.high, added=added)
            check_feasible(functions, range)
            decision, actions = decision_of(functions)
            thresholds = tuple(decision.thresholds())
            pieces = tuple(decision.pieces())
        function: Piecewise | None = decision.value
        now, method, reason = functions.now, "exact", ""
    except INEXACT as error:
        if added:
            raise AnalysisError(f"{why_not_exact(error)}: use a smaller tree") from None
        pieces, thresholds = sample(tree, range)
        now, actions, function = search_tree(tree), {}, None
        method, reason = "sampled", why_not_exact(error)
    about = now.ties, to_exact(now.value), actions, function, method, reason
    return Sensitivity(file, tree, range, pieces, thresholds, *about)


def decision_of(
    functions: NodeFunctions, is_verified: bool = True
) -> tuple[Decision, dict[str, Piecewise]]:
    """Return the decision at the root, and the function of each action.

    Without a player at the root there are no actions, and the decision has only a value.
    """
    tree, root_reward = functions.tree, functions.reward_of(NONE)
    if tree.root.kind not in (Kind.MAX, Kind.MIN):
        value = functions.check_limits("the tree", functions.of_branch(NONE))
        return Decision([("", value)], True), {}
    actions = {}
    for b in tree.branches_of(tree.root_id):
        label = tree.branch_label(tree.root_id, b)
        value = shifted(functions.of_branch(b), root_reward)
        actions[label] = functions.check_limits(message_path(join([label])), value)

    def search_at(place: Fraction) -> tuple[Search, tuple[str, ...]] | None:
        # Below an outcome of probability 0 there may be a pole or 0/0: only limits exist.
        if not is_verified or functions.has_pole_at(place):
            return None
        try:
            search = search_tree(functions.tree_at(place))
        except TreeError:
            return None
        return search, search.ties

    is_max, name = tree.root.kind == Kind.MAX, functions.name or "an added"
    return Decision([*actions.items()], is_max, search_at, parameter=name), actions


def check_feasible(functions: NodeFunctions, range: Range) -> None:
    """Raise `AnalysisError` if a probability leaves [0, 1] somewhere in the range."""
    fault = functions.fault
    if fault is None:
        return
    tree, here = functions.tree, range.current
    at = f"at {range.name} = {message_text(fault.at)}"
    if fault.branch == NONE:
        path = message_path(tree.path_of(fault.node))
        raise AnalysisError(
            f"the probabilities of {path} sum to {message_text(fault.value)} {at}: they must sum "
            "to 1; write `p: rest` at one outcome"
        )
    hint = "a smaller range"
    for left, right in functions.feasible:
        low, high = place_of(left), place_of(right)
        if low <= here <= high:
            step = Fraction(1, 10**4)
            while step * 100 > high - low:
                step /= 10
            ends = _end_text(left, -(-low // step) * step), _end_text(right, high // step * step)
            hint = "a range within {} to {}".format(*ends)
    raise AnalysisError(
        f"p of {tree.path_of(fault.node, fault.branch)} is {message_text(fault.value)} {at}: "
        f"it must be between 0 and 1; give {range.name} {hint}"
    )


def _end_text(end: Root, rounded: Fraction) -> str:
    """Return an end of the interval of valid values: a short number as it is, else rounded."""
    text = exact_text(rounded if end.exact is None else end.exact)
    return text if len(text) <= _MAX_END_LENGTH else exact_text(rounded)
