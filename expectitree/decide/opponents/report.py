"""The tree against MIN players who make mistakes: the report behind `opponents`.

As functions of epsilon on [0, 1], the probability of a mistake, the nodes are worth

    TERMINAL  the utility
    MAX       the greatest of the children's values
    MIN       (1 - epsilon) times the least of the children's values, plus epsilon times their mean
    CHANCE    the sum of p times the outcomes' values

A child's value includes the reward of the branch to it. These functions are continuous and
piecewise polynomial. The decision at the root changes where its actions' functions cross, as in
`sensitivity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from expectitree.base.budget import TooMuchWorkError, limited_work, most
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, to_exact
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import MAX, MIN, TERMINAL
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.report import TreeReport
from expectitree.decide.algebra.polynomials import TOLERANCE
from expectitree.decide.algebra.rationals import (
    MAX_STEPS,
    VARIABLE,
    Piecewise,
    greatest_of,
    scaled,
    weighted_sum,
)
from expectitree.decide.opponents.mistakes import replace_opponent
from expectitree.decide.records import Amount, Fields, Labels, Records
from expectitree.decide.sensitivity.decisions import Decision, Threshold
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.parameters import ONE, Range, exact_tree
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search

_EPSILON = Range("epsilon", Fraction(0), Fraction(1), Fraction(0))
TOO_LARGE = "the tree is too large, or has too many MIN nodes on one path, or too long numbers"
MAX_NODES = 20_000


@dataclass(frozen=True)
class OpponentRow:
    """The tree against one opponent."""

    opponent: str  # perfect, fallible or random
    epsilon: Number
    value: Number
    ties: Labels  # every best action at the root; none if no player decides there

    @property
    def best(self) -> str | None:
        """The first best action."""
        return next(iter(self.ties), None)

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        return vars(self) | {"best": self.best}


@dataclass(frozen=True)
class Opponents(TreeReport):
    """One tree against several opponents; `opponents` makes it.

        >>> import expectitree as et
        >>> found = et.opponents(et.loads("max: {safe: 4, bold: {min: [3, 9]}}"))
        >>> [(row.opponent, row.best) for row in found.rows]
        [('perfect', 'safe'), ('fallible', 'safe'), ('random', 'bold')]
        >>> found.crossings[0].exact
        Fraction(1, 3)

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        rows: One for each opponent, with `opponent`, `epsilon`, `value`, `ties` and `best`.
        crossings: Where the best actions change as epsilon grows. Each has `lower` and `upper`,
            which contain the epsilon, `exact` (None if it is not rational), and the best
            actions `before`, `at` and `after` it.
        complete: Whether the crossings were computed: False for a tree that is too large.
    """

    question = "opponents"

    rows: Sequence[OpponentRow]
    crossings: Sequence[Threshold]
    complete: bool = True

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        return {
            "rows": self.rows,
            "crossings": [one.json_fields("epsilon", "at") for one in self.crossings],
            "tolerance": TOLERANCE,
            "crossings_complete": self.complete,
            "reason": {True: None, False: TOO_LARGE}[self.complete],
        }

    def to_records(self) -> Records:
        """Return a flat dict for each opponent: the rows of a table for pandas or polars.

        Each has `file`, `opponent` (perfect, fallible or random), `epsilon`, `value`,
        `best` (the first best action at the root; None if no player decides there) and `ties` (how
        many actions are best).
        """
        return [
            {"file": self.file, **row.json_fields(), "ties": len(row.ties)} for row in self.rows
        ]


def opponents(
    tree: Tree,
    epsilons: Iterable[Number] | Number = (0.1,),
    *,
    exact: bool = False,
    file: str = "",
) -> Opponents:
    """Evaluate a tree against MIN players who make mistakes, and find where the decision changes.

    With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best
    one, given its own later mistakes.

        >>> import expectitree as et
        >>> found = et.opponents(et.loads("max: {safe: 4, bold: {min: [3, 9]}}"), 0.5)
        >>> [(row.epsilon, row.value, row.best) for row in found.rows]
        [(0.0, 4.0, 'safe'), (0.5, 4.5, 'bold'), (1.0, 6.0, 'bold')]

    Args:
        tree: The tree.
        epsilons: One or several probabilities of a mistake, from 0 to 1. 0 (perfect) and 1 (random)
            are always added.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: An epsilon is not from 0 to 1.
        SearchError: As for `evaluate`.
    """
    check_tree(tree, "opponents")
    chosen = list(epsilons) if isinstance(epsilons, Iterable) else [epsilons]
    for epsilon in chosen:
        if isinstance(epsilon, str) or not 0 <= epsilon <= 1:
            raise AnalysisError(f"epsilon is a probability from 0 to 1, got {epsilon!r}")
    rows = []
    convert = to_exact if tree.exact else float
    names: dict[Number, str] = dict.fromkeys(map(convert, chosen), "fallible")
    names |= {convert(0): "perfect", convert(1): "random"}
    for epsilon, name in sorted(names.items()):
        search = search_tree(replace_opponent(tree, epsilon))
        row = OpponentRow(name, epsilon, search.value, _best_actions(tree, search, epsilon))
        rows.append(round_once(row, exact))
    if tree.root.kind not in (MAX, MIN):
        return Opponents(file, tree, rows, [])
    try:
        if len(tree) > most(MAX_NODES):
            raise TooMuchWorkError
        with limited_work(MAX_STEPS):
            crossings = [*Decision.at_root(_OpponentFunctions(tree)).thresholds()]
    except TooMuchWorkError:
        return Opponents(file, tree, rows, [], complete=False)
    return Opponents(file, tree, rows, crossings)


def _best_actions(tree: Tree, search: Search, epsilon: Number) -> Labels:
    """Return the best actions at the root, from a search of the tree with an erring MIN."""
    root = tree.root
    if root.kind not in (MAX, MIN):
        return ()
    replaced = search.tree.root
    if root.kind == MIN and len(root.branches) > 1 and epsilon not in (0, 1):
        replaced = replaced.children[0]  # where MIN makes no mistake; the second is the mistake
    branches = search.tree.branches_of(replaced.id)
    values: list[Amount] = [search.interval_of_branch(b)[0] for b in branches]
    best = {MAX: max, MIN: min}[root.kind](values)
    return tuple(
        branch.label
        for branch, value in zip(root.branches, values, strict=True)
        if abs(value - best) <= search.eps
    )


class _OpponentFunctions(NodeFunctions):
    """The values of the nodes as functions of epsilon."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(exact_tree(tree, keeps_formulas=False), _EPSILON)
        columns = self.tree.columns
        for n, kind in enumerate(columns.kind):
            if kind == TERMINAL and self.reached[n]:
                self.utility[n] = self.number(columns.utility[n])

    def evaluated_at(self, place: Fraction) -> tuple[Search, Labels]:
        search = search_tree(replace_opponent(self.tree, place))
        return search, _best_actions(self.tree, search, place)

    def _find_moving(self) -> bytearray:
        return bytearray(b"\1") * len(self.tree)

    def _combined(self, n: int, kind: int, functions: Sequence[Piecewise | None]) -> Piecewise:
        if kind != MIN:
            return super()._combined(n, kind, functions)
        below = [self.of_branch(b, functions) for b in self.tree.branches_of(n)]
        best = greatest_of(below, is_max=False)
        mean = weighted_sum([(Fraction(1, len(below)), f) for f in below])
        shares = (ONE - VARIABLE, best), (VARIABLE, mean)
        return weighted_sum([(Fraction(1), scaled(share, f)) for share, f in shares])
