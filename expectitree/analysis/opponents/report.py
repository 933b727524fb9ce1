"""The tree against MIN players who make mistakes: the report behind `opponents`.

With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best action,
given its own later mistakes. As functions of epsilon on [0, 1], the nodes are worth

    TERMINAL  the utility
    MAX       the greatest of the children's values
    MIN       (1 - epsilon) times the least of the children's values, plus epsilon times their mean
    CHANCE    the sum of p times the outcomes' values

A child's value includes the reward of the branch to it. These functions are continuous and
piecewise polynomial. The decision at the root changes where its actions' functions cross:

1. Compute the function of each node, children first.
2. Find the closed intervals on which each action's function equals the root's envelope.
3. Sweep over the ends of these intervals: between two ends, the set of best actions is constant.
4. Evaluate the tree exactly on both sides of each change, to verify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import Any, NamedTuple

from expectitree.analysis.opponents.piecewise import (
    Piecewise,
    blended,
    greatest_of,
    shifted,
    weighted_sum,
    where_equal,
)
from expectitree.analysis.opponents.polynomials import (
    Root,
    TooMuchWorkError,
    between,
    compare,
    constant,
    limited_work,
    spend,
)
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions, replace_opponent

TOLERANCE = Fraction(1, 10**9)  # the width of the interval around an epsilon that is not rational
MOST_NODES = 20_000
MOST_DEGREE = 60  # of a piece: the MIN nodes with a choice on one path
MOST_BITS = 20_000  # of a coefficient
MOST_WORK = 30_000_000  # about microseconds
_COEFFICIENT_WORK = 30  # for one coefficient of a node's function
_VERIFIED_NODE_WORK = 10  # for one node of a tree that is evaluated to verify a crossing
_LEAST_DIGITS = 3  # of an epsilon that is not rational


@dataclass(frozen=True)
class OpponentRow:
    """The tree against one opponent."""

    opponent: str  # perfect, fallible or random
    epsilon: Number
    value: Number
    ties: tuple[str, ...]  # every best action at the root; none if no player decides there

    @property
    def best(self) -> str | None:
        """The first best action."""
        return self.ties[0] if self.ties else None


@dataclass(frozen=True)
class Crossing:
    """An epsilon at which the set of best actions differs from the sets before or after it."""

    lower: Fraction  # the interval that contains epsilon,
    upper: Fraction  # which is known exactly if the two are equal
    value: Fraction  # of the root at `epsilon`
    before: tuple[str, ...]  # the best actions below it; none if it is 0
    at: tuple[str, ...]  # the best actions at it, two or more
    after: tuple[str, ...]  # the best actions above it; none if it is 1
    value_lower: Fraction  # the root's value at `lower`
    value_upper: Fraction  # the root's value at `upper`, which is not less

    @property
    def epsilon(self) -> Fraction:
        """The crossing, or the middle of the interval that contains it."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> Fraction | None:
        """The crossing, or None if it is not known to be rational."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class Opponents(Shown):
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
        chance: How CHANCE plays: "worst", "best" or "expected".
        rows: One for each opponent, with `opponent`, `epsilon`, `value`, `ties` and `best`.
        crossings: Where the best actions change as epsilon grows. Each has `lower` and `upper`,
            which contain the epsilon, `exact` (None if it is not rational), and the best
            actions `before`, `at` and `after` it.
        start: The best actions at epsilon 0; empty if they were not computed.
        complete: Whether the crossings were computed: False for a tree that is too large.
    """

    file: str
    tree: Tree  # as given
    chance: str  # worst, best or expected
    rows: Sequence[OpponentRow]
    crossings: Sequence[Crossing]
    start: tuple[str, ...]  # the best actions at epsilon 0, exactly; none if not computed
    complete: bool = True  # whether crossings were computed: False for a tree that is too large

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each opponent: the rows of a table for pandas or polars.

            >>> import expectitree as et
            >>> tree = et.loads("max: {safe: 4, bold: {min: [3, 9]}}")
            >>> for row in et.opponents(tree, [0.1, 0.5]).to_records():
            ...     print(row["opponent"], row["epsilon"], row["value"], row["best"])
            perfect 0.0 4.0 safe
            fallible 0.1 4.0 safe
            fallible 0.5 4.5 bold
            random 1.0 6.0 bold

        Each has `file`, `chance`, `opponent` (perfect, fallible or random), `epsilon`, `value`,
        `best` (the first best action at the root; None if no player decides there) and `ties` (how
        many actions are best).
        """
        return [
            {
                "file": self.file,
                "chance": self.chance,
                "opponent": row.opponent,
                "epsilon": row.epsilon,
                "value": row.value,
                "best": row.best,
                "ties": len(row.ties),
            }
            for row in self.rows
        ]


def opponents(
    tree: Tree,
    epsilons: Iterable[Number] | Number = (0.1,),
    *,
    chance: str = "expected",
    bounds: Bounds | None = None,
    engine: str = "auto",
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
        chance: How CHANCE plays: "expected" (by its probabilities), "worst" or "best" for MAX.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: An epsilon is not from 0 to 1.
        SearchError: As for `evaluate`.
    """
    check_tree(tree)
    chosen = list(epsilons) if isinstance(epsilons, Iterable) else [epsilons]
    for epsilon in chosen:
        if isinstance(epsilon, str) or not 0 <= epsilon <= 1:
            raise AnalysisError(f"epsilon is a probability from 0 to 1, got {epsilon!r}")
    rows = []
    convert = to_exact if tree.exact else float
    for epsilon in sorted({convert(e) for e in (0, 1, *chosen)}):
        search = evaluate(replace_opponent(tree, epsilon, chance), bounds=bounds, engine=engine)
        name = "perfect" if epsilon == 0 else "random" if epsilon == 1 else "fallible"
        rows.append(OpponentRow(name, epsilon, search.value, _best_actions(tree, search, epsilon)))
    if tree.root.kind not in (Kind.MAX, Kind.MIN):
        return Opponents(file, tree, chance, rows, [], ())
    try:
        with limited_work(MOST_WORK):
            decision = _Decision(tree, chance)
            crossings = decision.crossings()
    except TooMuchWorkError:
        return Opponents(file, tree, chance, rows, [], (), complete=False)
    return Opponents(file, tree, chance, rows, crossings, decision.start)


def _best_actions(tree: Tree, search: Search, epsilon: Number) -> tuple[str, ...]:
    """Return the best actions at the root, from a search of the tree with an erring MIN."""
    root = tree.root
    if root.kind not in (Kind.MAX, Kind.MIN):
        return ()
    replaced = search.tree.root
    if root.kind == Kind.MIN and len(root.branches) > 1 and epsilon not in (0, 1):
        replaced = replaced.children[0]  # where MIN makes no mistake; the second is the mistake
    values = [branch.reward + search.lower[branch.child.id] for branch in replaced.branches]
    best = max(values) if root.kind == Kind.MAX else min(values)
    return tuple(
        branch.label
        for branch, value in zip(root.branches, values, strict=True)
        if abs(value - best) <= search.eps
    )


# ---- Crossings.


class _Change(NamedTuple):
    """A place where an action becomes best or ceases to be; 0 and 1 are such places too."""

    place: Root
    at: tuple[str, ...]  # the best actions at it
    after: tuple[str, ...]  # the best actions from it to the next place; none after 1


class _Decision:
    """The best actions at the root of a tree, as a function of epsilon."""

    def __init__(self, tree: Tree, chance: str) -> None:
        if len(tree) > MOST_NODES:
            raise TooMuchWorkError
        self.tree, self.chance = tree if tree.exact else in_fractions(tree), chance
        functions = _node_functions(self.tree, chance)
        self.value = shifted(functions[tree.root_id], self.tree.root_reward)
        branches, is_max = self.tree.root.branches, tree.root.kind == Kind.MAX
        actions = [
            (branch.label, shifted(functions[branch.child.id], branch.reward))
            for branch in branches
        ]
        envelope = greatest_of((function for _, function in actions), is_max)
        self.changes = _changes(actions, envelope)
        self.start = self.changes[0].at

    def crossings(self) -> list[Crossing]:
        """Return every crossing in order, verified."""
        padded = [None, *self.changes, None]
        found = []
        for previous, here, later in zip(padded, self.changes, padded[2:], strict=False):
            if (previous and previous.after != here.at) or (later and here.after != here.at):
                found.append(self._crossing(previous, here, later))
        return found

    def _crossing(self, previous: _Change | None, here: _Change, later: _Change | None) -> Crossing:
        lower, upper = _enclose(here.place, [side.place for side in (previous, later) if side])
        is_exact = lower == upper
        if is_exact:
            self._verify(lower, here.at)
        if previous:
            below = between(previous.place, here.place) if is_exact else lower
            self._verify(below, previous.after)
        if later:
            above = between(here.place, later.place) if is_exact else upper
            self._verify(above, here.after)
        return Crossing(
            lower,
            upper,
            self.value((lower + upper) / 2),
            previous.after if previous else (),
            here.at,
            here.after,
            self.value(lower),
            self.value(upper),
        )

    def _verify(self, epsilon: Fraction, best: tuple[str, ...]) -> None:
        """Raise `AnalysisError` if evaluating the tree contradicts the actions or the value."""
        spend(_VERIFIED_NODE_WORK * len(self.tree))
        search = evaluate(replace_opponent(self.tree, epsilon, self.chance))
        found, value = _best_actions(self.tree, search, epsilon), self.value(epsilon)
        if found != best or search.value != value:
            raise AnalysisError(
                f"at epsilon {message_text(epsilon)} the best actions are {', '.join(found)} "
                f"(value {message_text(search.value)}), but {', '.join(best)} "
                f"(value {message_text(value)}) were computed: this is a defect of expectitree, "
                "please report it with the tree"
            )


def _node_functions(tree: Tree, chance: str) -> list[Piecewise]:
    """Return the value of every node as a function of epsilon."""
    columns = tree.columns
    functions: list[Piecewise] = []
    for n, kind in enumerate(columns.kind):
        branches = [b for b in tree.branches_of(n) if columns.probability[b] > 0]
        below = [shifted(functions[columns.child[b]], tree.reward_of(b)) for b in branches]
        if kind == Kind.TERMINAL:
            u = columns.utility[n]
            # An unknown utility is below an outcome of probability 0: any number will do.
            found = Piecewise((constant(to_exact(u) if u == u else Fraction(0)),))
        elif kind == Kind.CHANCE and chance == "expected":
            shares = [to_exact(columns.probability[b]) for b in branches]
            found = weighted_sum(list(zip(shares, below, strict=True)))
        else:
            is_best_nature = kind == Kind.CHANCE and chance == "best"
            found = greatest_of(below, is_max=kind == Kind.MAX or is_best_nature)
            if kind == Kind.MIN:
                found = blended(found, weighted_sum([(Fraction(1, len(below)), f) for f in below]))
        if any(piece.degree > MOST_DEGREE or piece.bits > MOST_BITS for piece in found.pieces):
            raise TooMuchWorkError
        spend(_COEFFICIENT_WORK * sum(len(piece.coefficients) for piece in found.pieces))
        functions.append(found)
    return functions


def _changes(actions: Sequence[tuple[str, Piecewise]], envelope: Piecewise) -> list[_Change]:
    """Return every place where an action becomes best or ceases to be, and 0 and 1, in order."""
    equal = {id(f): where_equal(f, envelope) for f in {id(f): f for _, f in actions}.values()}
    ends = [
        (end, action, is_start)
        for action, (_, function) in enumerate(actions)
        for interval in equal[id(function)]
        for end, is_start in zip(interval, (True, False), strict=True)
    ]
    key = cmp_to_key(compare)
    ends.sort(key=lambda end: key(end[0]))
    changes = []
    best: Counter[int] = Counter()  # the intervals that contain the place
    for _, group in groupby(ends, key=lambda end: key(end[0])):
        here = list(group)
        best.update(action for _, action, is_start in here if is_start)
        at = tuple(actions[action][0] for action in sorted(best))
        best -= Counter(action for _, action, is_start in here if not is_start)
        after = tuple(actions[action][0] for action in sorted(best))
        changes.append(_Change(here[0][0], at, after))
    return changes


def _enclose(place: Root, neighbours: Sequence[Root]) -> tuple[Fraction, Fraction]:
    """Return a rational place twice, or two decimals around it, one unit of the last digit apart.

    The decimals are within the tolerance, have three digits or more, and do not enclose a
    neighbour.
    """
    place.simplify()
    step = TOLERANCE
    while place.exact is None:
        lower = place.lower // step * step
        upper = lower + step
        has_digits = lower >= 10 ** (_LEAST_DIGITS - 1) * step
        if (
            place.upper <= upper
            and has_digits
            and not any(
                compare(Root.at(lower), n) <= 0 <= compare(Root.at(upper), n) for n in neighbours
            )
        ):
            return lower, upper
        step /= 10
        place.simplify(step.denominator)
    return place.exact, place.exact
