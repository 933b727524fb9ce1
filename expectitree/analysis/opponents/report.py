"""What if MIN is not perfect: the report behind `opponents`.

With probability epsilon MIN picks uniformly among all its actions, else it plays its best against
its own later errors. A node is then worth, as a function of epsilon on [0, 1],

    TERMINAL  its utility
    MAX       the greatest of its children's values
    MIN       (1 - epsilon) times the least of its children's values, plus epsilon times their mean
    CHANCE    the sum of p times its outcomes' values

which is continuous, made of polynomials, and never falls (an error of MIN's never hurts MAX). The
pieces of every node are computed exactly, children first; where the actions at the root change
places is read from theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from expectitree.analysis.opponents.piecewise import (
    Piecewise,
    blended,
    greatest_of,
    weighted_sum,
    where_equal,
)
from expectitree.analysis.opponents.polynomials import (
    ONE,
    ZERO,
    Budget,
    Root,
    TooMuchWorkError,
    compare,
    constant,
    in_order,
    sign_at,
)
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.tree.model import Bounds, Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions, replace_opponent

TOLERANCE = Fraction(1, 10**9)
MOST_NODES = 20_000
MOST_DEGREE = 60  # of a piece: MIN nodes with a choice, one below the other
MOST_BITS = 20_000  # of a coefficient
MOST_WORK = 30_000_000  # of a `Budget`: half a minute
MOST_PARTS = 1_000_000  # coefficients of all pieces of all nodes
MOST_CHECKED = 10_000_000  # nodes, of all trees that are evaluated to verify crossings; two minutes
_LEAST_DIGITS = 3  # of an epsilon that is no known rational


@dataclass(frozen=True)
class OpponentRow:
    """The tree against one opponent."""

    opponent: str  # perfect, errs or random
    epsilon: Number
    value: Number
    ties: tuple[
        str, ...
    ]  # every best action of the root's player; none where the root is not a player's

    @property
    def best(self) -> str | None:
        """The first best action."""
        return self.ties[0] if self.ties else None


@dataclass(frozen=True)
class Crossing:
    """An epsilon at which the set of best actions changes, if only at that very place."""

    lower: Fraction  # epsilon lies between the two,
    upper: Fraction  # and is known exactly where they are equal
    value: Fraction  # of the root at `epsilon`
    before: tuple[str, ...]  # the best actions up to it, none where it is 0
    at: tuple[str, ...]  # those at it, more than one
    after: tuple[str, ...]  # those from it on, none where it is 1
    value_lower: Fraction  # the root's value at `lower`,
    value_upper: Fraction  # and at `upper`, which is no less

    @property
    def epsilon(self) -> Fraction:
        """The place itself, else the middle of the interval that holds it."""
        return (self.lower + self.upper) / 2

    @property
    def exact(self) -> Fraction | None:
        """The place, None where it is not known to be rational."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True)
class Opponents(Shown):
    """One file's tree against several opponents, and where the decision changes from one to another."""

    file: str
    tree: Tree  # as it was given
    chance: str  # worst, best or expected
    rows: Sequence[OpponentRow]
    crossings: Sequence[Crossing]
    start: tuple[
        str, ...
    ]  # the best actions at epsilon 0, exactly; none where nothing is to be decided, or known
    tolerance: Fraction
    reason: str | None = None  # why crossings were not looked for

    @property
    def has_min(self) -> bool:
        """Whether there is anybody who could err."""
        return bool(Kind.MIN in self.tree.columns.kind)

    @property
    def has_chance(self) -> bool:
        """Whether there is anything that Nature decides."""
        return bool(Kind.CHANCE in self.tree.columns.kind)


def opponents(
    tree: Tree,
    epsilons: Iterable[Number] | Number = (0.1,),
    *,
    chance: str = "expected",
    tolerance: Number = TOLERANCE,
    most_nodes: int = MOST_NODES,
    bounds: Bounds | None = None,
    engine: str = "auto",
    file: str = "",
) -> Opponents:
    """Evaluate a tree against a perfect MIN, one that errs, a random one; find where the decision changes.

    Of a tree of floats the decimals are taken as written for the latter. `chance` replaces Nature
    too, which never errs. `tolerance` is the width of the interval that is given for an epsilon
    that is no known rational. `bounds` and `engine` are those of `evaluate`. Raises
    `TransformError` for an epsilon outside [0, 1], and `AnalysisError` where a crossing that was
    found is contradicted by evaluating the tree beside it.
    """
    check_tree(tree)
    if tolerance <= 0:
        raise AnalysisError(f"the tolerance is {tolerance}: expected a number greater than 0")
    rows = []
    if isinstance(epsilons, (float, int, Fraction)):
        epsilons = [epsilons]
    for epsilon in sorted({_as_in(tree, e) for e in (0, 1, *epsilons)}):
        replaced = replace_opponent(tree, epsilon, chance)
        search = evaluate(replaced, bounds=bounds, engine=engine)
        name = "perfect" if epsilon == 0 else "random" if epsilon == 1 else "errs"
        rows.append(OpponentRow(name, epsilon, search.value, _best_actions(tree, search, epsilon)))
    reason = None
    start: tuple[str, ...] = ()
    crossings: list[Crossing] = []
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        try:
            _check_size(len(tree), most_nodes)
            with Budget(MOST_WORK):
                exactly = tree if tree.exact else in_fractions(tree)
                start, crossings = _find_crossings(exactly, chance, to_exact(tolerance))
        except _TooMuchError as error:
            reason = str(error)
        except TooMuchWorkError:
            reason = "the values of its nodes cross each other too often, or too closely"
    return Opponents(file, tree, chance, rows, crossings, start, to_exact(tolerance), reason)


class _TooMuchError(Exception):
    """Finding crossings would take too long; the text says why."""


def _as_in(tree: Tree, epsilon: Number) -> Number:
    if isinstance(epsilon, str):
        raise AnalysisError(f"epsilon is a number from 0 to 1, got the text {epsilon!r}")
    if epsilon != epsilon:
        raise AnalysisError("epsilon is NaN: expected a probability from 0 to 1")
    return to_exact(epsilon) if tree.exact else float(epsilon)


def _best_actions(tree: Tree, search: Search, epsilon: Number) -> tuple[str, ...]:
    """Return the best actions at the root of a tree, from a search of that tree with a MIN that errs."""
    root = tree.root
    if root.kind not in (Kind.MAX, Kind.MIN):
        return ()
    _, _, first, child, _ = search.tree.columns
    top = len(search.tree) - 1
    if root.kind == Kind.MIN and len(root.branches) > 1 and epsilon not in (0, 1):
        top = child[first[top]]  # where it errs: the same children as where it plays its best
    values = [search.lower[child[b]] for b in range(first[top], first[top + 1])]
    best = max(values) if root.kind == Kind.MAX else min(values)
    start = tree.columns.first[root.id]
    return tuple(
        tree.branch_label(root.id, start + i)
        for i, v in enumerate(values)
        if abs(v - best) <= search.eps
    )


def _check_size(count: int, most_nodes: int) -> None:
    if count > most_nodes:
        raise _TooMuchError(
            f"the tree has {count:,} nodes, more than the {most_nodes:,} of --most-nodes"
        )


def _find_crossings(
    tree: Tree, chance: str, tolerance: Fraction
) -> tuple[tuple[str, ...], list[Crossing]]:
    """Return the best actions at epsilon 0, and every crossing, from least to greatest; `tree` is exact."""
    functions = _values_by_epsilon(tree, chance)
    root = tree.root
    value = functions[root.id]
    decision = _decide([functions[child.id] for child in root.children], root.kind == Kind.MAX)
    labels = [branch.label for branch in root.branches]

    def named(actions: Iterable[int]) -> tuple[str, ...]:
        return tuple(labels[action] for action in actions)

    changes = list(decision.changes())
    if 3 * len(changes) * len(tree) > MOST_CHECKED:
        raise _TooMuchError(
            f"it changes at {len(changes):,} places, too many to verify each of them in such a tree"
        )
    crossings = []
    for here, previous, following in changes:
        sides = [step.place for step in (previous, following) if step]
        lower, upper = _enclose(here.place, sides, tolerance)
        if previous:
            side = lower if lower < upper else _beside(lower, previous.place, tolerance)
            _verify(tree, chance, side, named(previous.after), value(side))
        if following:
            side = upper if lower < upper else _beside(upper, following.place, tolerance)
            _verify(tree, chance, side, named(here.after), value(side))
        if lower == upper:
            _verify(tree, chance, lower, named(here.at), value(lower))
        before = previous.after if previous else ()
        middle = value((lower + upper) / 2)
        crossings.append(
            Crossing(
                lower,
                upper,
                middle,
                named(before),
                named(here.at),
                named(here.after),
                value(lower),
                value(upper),
            )
        )
    return named(decision.steps[0].at), crossings


def _values_by_epsilon(tree: Tree, chance: str) -> dict[int, Piecewise]:
    """Return what every node that matters to the root is worth, as a function of epsilon."""
    kind, utility, first, child, probability = tree.columns
    functions: dict[int, Piecewise] = {}
    parts = 0
    for n in _nodes_that_matter(tree):
        branches = [b for b in range(first[n], first[n + 1]) if probability[b] > 0]
        below = [functions[child[b]] for b in branches]
        if not kind[n]:
            found = Piecewise((constant(utility[n]),))
        elif kind[n] == Kind.CHANCE and chance == "expected":
            found = weighted_sum(
                [(probability[b], f) for b, f in zip(branches, below, strict=True)]
            )
        else:
            found = greatest_of(
                below, kind[n] == Kind.MAX or (kind[n] == Kind.CHANCE and chance == "best")
            )
            if kind[n] == Kind.MIN and len(below) > 1:
                share = Fraction(1, len(below))
                found = blended(found, weighted_sum([(share, f) for f in below]))
        parts += sum(len(piece.coefficients) for piece in found.pieces)
        _check_effort(found, parts)
        functions[n] = found
    return functions


def _nodes_that_matter(tree: Tree) -> list[int]:
    """Return the nodes that play can come to, children first."""
    _, _, first, child, probability = tree.columns
    reached = bytearray(len(tree))
    reached[-1] = 1
    for n in range(len(tree) - 1, -1, -1):
        if reached[n]:
            for b in range(first[n], first[n + 1]):
                if probability[b] > 0:
                    reached[child[b]] = 1
    return [n for n, r in enumerate(reached) if r]


def _check_effort(found: Piecewise, parts: int) -> None:
    degree = max(piece.degree for piece in found.pieces)
    if degree > MOST_DEGREE:
        raise _TooMuchError(
            f"more than {MOST_DEGREE} MIN nodes stand one below the other, and so high powers of epsilon are beyond "
            "what is computed exactly"
        )
    if max(piece.bits for piece in found.pieces) > MOST_BITS:
        raise _TooMuchError(
            f"a number in it takes more than {MOST_BITS:,} bits: round the tree's numbers"
        )
    if parts > MOST_PARTS:
        raise _TooMuchError(f"the values of its nodes have more than {MOST_PARTS:,} terms in all")


@dataclass
class _Step:
    """A place, and the actions that are best at it and from it to the next, as numbers from 0."""

    place: Root
    at: list[int]
    after: list[int]


@dataclass(frozen=True)
class _Decision:
    """The best actions all the way from epsilon 0 to 1: the first step is at 0, the last at 1 (nothing comes after)."""

    steps: Sequence[_Step]

    def changes(self) -> Iterator[tuple[_Step, _Step | None, _Step | None]]:
        """Yield every step at which the best actions change, with those before and after it."""
        last = len(self.steps) - 1
        for i, here in enumerate(self.steps):
            previous = self.steps[i - 1] if i > 0 else None
            following = self.steps[i + 1] if i < last else None
            if (previous and previous.after != here.at) or (following and here.after != here.at):
                yield here, previous, following


def _decide(actions: Sequence[Piecewise], is_max: bool) -> _Decision:
    """Return where each of some actions is best, by the functions that tell what they are worth."""
    best = greatest_of(actions, is_max)
    known: dict[int, list[tuple[Root, Root]]] = {}
    for function in actions:
        is_behind = function.last < best.first if is_max else function.first > best.last
        if id(function) not in known:
            known[id(function)] = [] if is_behind else where_equal(function, best)
    ends = [ZERO, ONE, *(end for found in known.values() for pair in found for end in pair)]
    places = in_order(ends)
    number = _numbered(ends, places)
    steps = [_Step(place, [], []) for place in places]
    for action, function in enumerate(actions):
        for start, end in known[id(function)]:
            for i in range(number[id(start)], number[id(end)] + 1):
                if action not in steps[i].at[-1:]:
                    steps[i].at.append(action)
                if i < number[id(end)]:
                    steps[i].after.append(action)
    return _Decision(steps)


def _numbered(ends: Iterable[Root], places: Sequence[Root]) -> dict[int, int]:
    """Return the number among `places` of each end, by its identity."""
    number: dict[int, int] = {}
    for end in ends:
        if id(end) not in number:
            low, high = 0, len(places) - 1
            while low < high:
                middle = (low + high) // 2
                if compare(places[middle], end) < 0:
                    low = middle + 1
                else:
                    high = middle
            number[id(end)] = low
    return number


def _enclose(place: Root, sides: Iterable[Root], tolerance: Fraction) -> tuple[Fraction, Fraction]:
    """Return the rational that a place is, twice, or decimals on both sides of it, a unit of their last digit apart.

    They are no further apart than the tolerance, on this side of the places next to it, and have
    three digits at least.
    """
    place.simplify()
    step = Fraction(1)
    while place.exact is None:
        step /= 10
        if step > tolerance:
            continue
        below = _decimal_below(place, step)
        lower, upper = below * step, (below + 1) * step
        if (
            place.exact is None
            and below >= 10 ** (_LEAST_DIGITS - 1)
            and not any(
                compare(Root.at(lower), side) <= 0 <= compare(Root.at(upper), side)
                for side in sides
            )
        ):
            return lower, upper
    return place.exact, place.exact


def _decimal_below(place: Root, step: Fraction) -> int:
    """Return how many whole steps a place is from 0; one that is that many exactly becomes exact."""
    while True:
        below = place.lower // step
        border = (below + 1) * step
        if place.upper <= border:
            return below
        if (
            place.exact is None
            and sign_at(place.coefficients, border) == 0
            and place.lower < border < place.upper
        ):
            place.lower = place.upper = border
        place.halve()


def _beside(place: Fraction, neighbour: Root, tolerance: Fraction) -> Fraction:
    """Return a rational between a place and the one next to it, within the tolerance from the former."""
    here = Root.at(place)
    way = compare(neighbour, here) * tolerance
    while compare(neighbour, Root.at(place + way)) * way <= 0:
        way /= 2
    return place + way


def _verify(
    tree: Tree, chance: str, epsilon: Fraction, best: tuple[str, ...], value: Fraction
) -> None:
    """Evaluate the tree with a MIN that errs so often; raise `AnalysisError` where it is not as said."""
    search = evaluate(replace_opponent(tree, epsilon, chance))
    found = _best_actions(tree, search, epsilon)
    if found != best or search.value != value:
        raise AnalysisError(
            f"at epsilon {message_text(epsilon)} the best actions are {', '.join(found)} (value {message_text(search.value)}), "
            f"but {', '.join(best)} (value {message_text(value)}) were computed: this is a defect of expectitree, please "
            "report it with the tree"
        )
