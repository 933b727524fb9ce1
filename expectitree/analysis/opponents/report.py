"""The tree against MIN players who make mistakes: the report behind `opponents`.

With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best action,
given its own later mistakes. As functions of epsilon on [0, 1], the nodes are worth

    TERMINAL  the utility
    MAX       the greatest of the children's values
    MIN       (1 - epsilon) times the least of the children's values, plus epsilon times their mean
    CHANCE    the sum of p times the outcomes' values

These functions are continuous and piecewise polynomial. The decision at the root changes where its
actions' functions cross:

1. Compute the function of each node that play can reach, children first.
2. Find the closed intervals on which each action's function equals the root's envelope.
3. Sweep over the ends of these intervals: between two ends, the set of best actions is constant.
4. Evaluate the tree exactly on both sides of each change, to verify it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import NamedTuple

from expectitree.analysis.opponents.piecewise import (
    Piecewise,
    blended,
    greatest_of,
    weighted_sum,
    where_equal,
)
from expectitree.analysis.opponents.polynomials import (
    Budget,
    Root,
    TooMuchWorkError,
    compare,
    constant,
    sign_at,
)
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions, replace_opponent

TOLERANCE = Fraction(1, 10**9)  # the widest interval around an epsilon that is not rational
MOST_NODES = 20_000
MOST_DEGREE = 60  # of a piece: the MIN nodes with a choice on one path
MOST_BITS = 20_000  # of a coefficient
MOST_WORK = 30_000_000  # of a `Budget`: half a minute
MOST_CHECKED = 10_000_000  # nodes of all trees evaluated to verify crossings: two minutes
_COEFFICIENT_WORK = 30  # what one coefficient of a node's function takes of the budget
_LEAST_DIGITS = 3  # of an epsilon that is not rational


class Obstacle(Enum):
    """Why crossings are not computed."""

    NODES = "nodes"
    DEGREE = "degree"
    BITS = "bits"
    WORK = "work"
    CROSSINGS = "crossings"


@dataclass(frozen=True)
class OpponentRow:
    """The tree against one opponent."""

    opponent: str  # perfect, errs or random
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
    """One tree against several opponents, and the crossings between their best actions."""

    file: str
    tree: Tree  # as given
    chance: str  # worst, best or expected
    rows: Sequence[OpponentRow]
    crossings: Sequence[Crossing]
    start: tuple[str, ...]  # the best actions at epsilon 0, exactly; none if not computed
    obstacle: Obstacle | None = None  # why crossings were not computed

    @property
    def has_min(self) -> bool:
        """Whether the tree has a MIN node."""
        return bool(Kind.MIN in self.tree.columns.kind)

    @property
    def has_chance(self) -> bool:
        """Whether the tree has a CHANCE node."""
        return bool(Kind.CHANCE in self.tree.columns.kind)


def opponents(
    tree: Tree,
    epsilons: Iterable[Number] | Number = (0.1,),
    *,
    chance: str = "expected",
    bounds: Bounds | None = None,
    engine: str = "auto",
    file: str = "",
) -> Opponents:
    """Evaluate a tree against a perfect, an erring and a random MIN, and find the crossings.

    `epsilons` are the probabilities of a mistake. `chance` replaces CHANCE nodes, which make no
    mistakes: "worst", "best" or "expected". `bounds` and `engine` are options of `evaluate`.
    Crossings are exact: floats count as the decimals that they print as. Raises `TransformError`
    for an epsilon outside [0, 1].
    """
    check_tree(tree)
    if isinstance(epsilons, (float, int, Fraction)):
        epsilons = [epsilons]
    rows = []
    for epsilon in sorted({_number_of(tree, e) for e in (0, 1, *epsilons)}):
        search = evaluate(replace_opponent(tree, epsilon, chance), bounds=bounds, engine=engine)
        name = "perfect" if epsilon == 0 else "random" if epsilon == 1 else "errs"
        rows.append(OpponentRow(name, epsilon, search.value, _best_actions(tree, search, epsilon)))
    start: tuple[str, ...] = ()
    crossings: list[Crossing] = []
    obstacle = None
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        try:
            with Budget(MOST_WORK) as budget:
                start, crossings = _find_crossings(tree, chance, budget)
        except TooMuchWorkError as error:
            obstacle = error.args[0] if error.args else Obstacle.WORK
    return Opponents(file, tree, chance, rows, crossings, start, obstacle)


def _number_of(tree: Tree, epsilon: Number) -> Number:
    """Return epsilon as a number of the tree's kind."""
    if isinstance(epsilon, str):
        raise AnalysisError(f"epsilon is a number from 0 to 1, got the text {epsilon!r}")
    if epsilon != epsilon:
        raise AnalysisError("epsilon is NaN: expected a probability from 0 to 1")
    return to_exact(epsilon) if tree.exact else float(epsilon)


def _best_actions(tree: Tree, search: Search, epsilon: Number) -> tuple[str, ...]:
    """Return the best actions at the root, from a search of the tree with an erring MIN."""
    root = tree.root
    if root.kind not in (Kind.MAX, Kind.MIN):
        return ()
    replaced = search.tree.root
    if root.kind == Kind.MIN and len(root.branches) > 1 and epsilon not in (0, 1):
        replaced = replaced.children[0]  # where MIN makes no mistake; the second is the mistake
    values = [search.lower[child.id] for child in replaced.children]
    best = max(values) if root.kind == Kind.MAX else min(values)
    return tuple(
        branch.label
        for branch, value in zip(root.branches, values, strict=True)
        if abs(value - best) <= search.eps
    )


# ---- Crossings.


class _Change(NamedTuple):
    """A place, and the numbers of the actions that are best at it, and from it to the next."""

    place: Root
    at: tuple[int, ...]
    after: tuple[int, ...]


def _find_crossings(
    tree: Tree, chance: str, budget: Budget
) -> tuple[tuple[str, ...], list[Crossing]]:
    """Return the best actions at epsilon 0, and every crossing in order."""
    if len(tree) > MOST_NODES:
        raise TooMuchWorkError(Obstacle.NODES)
    exact = tree if tree.exact else in_fractions(tree)
    functions = _node_functions(exact, chance, budget)
    root = exact.root
    places = _best_by_place([functions[child.id] for child in root.children], root.kind)
    crossing_places = [
        i
        for i, here in enumerate(places)
        if (i > 0 and places[i - 1].after != here.at)
        or (i < len(places) - 1 and here.after != here.at)
    ]
    if 3 * len(crossing_places) * len(exact) > MOST_CHECKED:
        raise TooMuchWorkError(Obstacle.CROSSINGS)
    verify = _Verifier(exact, chance, functions[root.id])
    crossings = [verify.crossing(places, i) for i in crossing_places]
    return verify.labels(places[0].at), crossings


def _node_functions(tree: Tree, chance: str, budget: Budget) -> dict[int, Piecewise]:
    """Return the value of every node that play can reach, as a function of epsilon."""
    columns = tree.columns
    functions: dict[int, Piecewise] = {}
    for n in _reachable(tree):
        kind = columns.kind[n]
        branches = [b for b in tree.branches_of(n) if columns.probability[b] > 0]
        below = [functions[columns.child[b]] for b in branches]
        if kind == Kind.TERMINAL:
            found = Piecewise((constant(to_exact(columns.utility[n])),))
        elif kind == Kind.CHANCE and chance == "expected":
            shares = [to_exact(columns.probability[b]) for b in branches]
            found = weighted_sum(list(zip(shares, below, strict=True)))
        else:
            is_max = kind == Kind.MAX or (kind == Kind.CHANCE and chance == "best")
            found = greatest_of(below, is_max)
            if kind == Kind.MIN and len(below) > 1:
                mistake = weighted_sum([(Fraction(1, len(below)), f) for f in below])
                found = blended(found, mistake)
        if max(piece.degree for piece in found.pieces) > MOST_DEGREE:
            raise TooMuchWorkError(Obstacle.DEGREE)
        if max(piece.bits for piece in found.pieces) > MOST_BITS:
            raise TooMuchWorkError(Obstacle.BITS)
        budget.take(_COEFFICIENT_WORK * sum(len(piece.coefficients) for piece in found.pieces))
        functions[n] = found
    return functions


def _reachable(tree: Tree) -> list[int]:
    """Return the nodes that play can reach, children first."""
    columns = tree.columns
    reached = bytearray(len(tree))
    reached[tree.root_id] = True
    for n in range(tree.root_id, -1, -1):
        if reached[n]:
            for b in tree.branches_of(n):
                if columns.probability[b] > 0:
                    reached[columns.child[b]] = True
    return [n for n, is_reached in enumerate(reached) if is_reached]


def _best_by_place(actions: Sequence[Piecewise], kind: Kind) -> list[_Change]:
    """Return every place where an action becomes best or ceases to be, and 0 and 1, in order."""
    envelope = greatest_of(actions, kind == Kind.MAX)
    equal = {id(f): where_equal(f, envelope) for f in {id(f): f for f in actions}.values()}
    ends = [
        (end, action, is_start)
        for action, function in enumerate(actions)
        for interval in equal[id(function)]
        for end, is_start in zip(interval, (True, False), strict=True)
    ]
    key = cmp_to_key(compare)
    ends.sort(key=lambda end: key(end[0]))
    places = []
    best: Counter[int] = Counter()
    for _, group in groupby(ends, key=lambda end: key(end[0])):
        here = list(group)
        best.update(action for _, action, is_start in here if is_start)
        at = tuple(sorted(best))
        best -= Counter(action for _, action, is_start in here if not is_start)
        places.append(_Change(here[0][0], at, tuple(sorted(best))))
    return places


class _Verifier:
    """Describes crossings, and evaluates the tree on both sides of each to verify it."""

    def __init__(self, tree: Tree, chance: str, value: Piecewise) -> None:
        self.tree, self.chance, self.value = tree, chance, value
        self._names = [branch.label for branch in tree.root.branches]

    def labels(self, actions: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[action] for action in actions)

    def crossing(self, places: Sequence[_Change], i: int) -> Crossing:
        """Return the crossing at a place."""
        here = places[i]
        neighbours = [*places[max(0, i - 1) : i], *places[i + 1 : i + 2]]
        lower, upper = _enclose(here.place, [neighbour.place for neighbour in neighbours])
        before: tuple[int, ...] = ()
        if i > 0:
            before = places[i - 1].after
            side = lower if lower < upper else _beside(lower, places[i - 1].place)
            self._verify(side, before)
        if i < len(places) - 1:
            side = upper if lower < upper else _beside(upper, places[i + 1].place)
            self._verify(side, here.after)
        if lower == upper:
            self._verify(lower, here.at)
        return Crossing(
            lower,
            upper,
            self.value((lower + upper) / 2),
            self.labels(before),
            self.labels(here.at),
            self.labels(here.after),
            self.value(lower),
            self.value(upper),
        )

    def _verify(self, epsilon: Fraction, best: Iterable[int]) -> None:
        """Raise `AnalysisError` if evaluating the tree contradicts the actions or the value."""
        search = evaluate(replace_opponent(self.tree, epsilon, self.chance))
        found = _best_actions(self.tree, search, epsilon)
        expected, value = self.labels(best), self.value(epsilon)
        if found != expected or search.value != value:
            raise AnalysisError(
                f"at epsilon {message_text(epsilon)} the best actions are {', '.join(found)} "
                f"(value {message_text(search.value)}), but {', '.join(expected)} "
                f"(value {message_text(value)}) were computed: this is a defect of expectitree, "
                "please report it with the tree"
            )


def _enclose(place: Root, neighbours: Sequence[Root]) -> tuple[Fraction, Fraction]:
    """Return a rational place twice, or two decimals around it, one unit of the last digit apart.

    The decimals are within the tolerance, have three digits or more, and do not enclose a
    neighbour.
    """
    place.simplify()
    step = TOLERANCE
    while place.exact is None:
        below = _decimal_below(place, step)
        lower, upper = Root.at(below * step), Root.at((below + 1) * step)
        if (
            place.exact is None
            and below >= 10 ** (_LEAST_DIGITS - 1)
            and not any(compare(lower, n) <= 0 <= compare(upper, n) for n in neighbours)
        ):
            return lower.lower, upper.lower
        step /= 10
    return place.exact, place.exact


def _decimal_below(place: Root, step: Fraction) -> int:
    """Return how many whole steps are below a place, which becomes exact if it is on a step."""
    while True:
        below = place.lower // step
        border = (below + 1) * step
        if place.upper <= border:
            return below
        if place.lower < border and sign_at(place.coefficients, border) == 0:
            place.lower = place.upper = border
            return below + 1
        place.halve()


def _beside(place: Fraction, neighbour: Root) -> Fraction:
    """Return a rational between a place and its neighbour, within the tolerance of the place."""
    here = Root.at(place)
    way = compare(neighbour, here) * TOLERANCE
    while compare(neighbour, Root.at(place + way)) * way <= 0:
        way /= 2
    return place + way
