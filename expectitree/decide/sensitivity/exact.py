"""Break-even points, and what only exact functions answer: maps, and every decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from expectitree.base.budget import limited_work
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.numbers import quote, to_digits, to_exact
from expectitree.base.reading import to_fraction, without_unit
from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.parameters import with_values
from expectitree.base.tree.paths import ROOT
from expectitree.decide.algebra.polynomials import (
    TOLERANCE,
    VALUE_TOLERANCE,
    Root,
    enclose,
    place_of,
)
from expectitree.decide.algebra.rationals import (
    MAX_STEPS,
    Interval,
    Piecewise,
    constant,
    greatest_of,
    merged,
    where_equal,
)
from expectitree.decide.records import Fields, Labels, Records, attributes
from expectitree.decide.sensitivity.decisions import Decision, Piece, Place
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.parameters import (
    INEXACT,
    Ends,
    Range,
    SensitivityReport,
    exact_tree,
    range_of,
    scaled_with,
    why_not_exact,
)
from expectitree.decide.sensitivity.sampling import POINTS, Sampler, bisected

Side: TypeAlias = Callable[[Fraction], Any]  # a value as a function of the parameter
VALUE = "value"  # of the tree, in an equation
GRID = 41  # rows of a map


@contextmanager
def exact_only(question: str, otherwise: str) -> Iterator[None]:
    """Limit the work; without exact functions raise `AnalysisError` with what to do `otherwise`."""
    try:
        with limited_work(MAX_STEPS):
            yield
    except INEXACT as error:
        raise AnalysisError(
            f"{question} needs exact functions, but {why_not_exact(error)}: {otherwise}"
        ) from None


# ---- Break-even points.


@dataclass(frozen=True)
class Meeting(Place):
    """A place, or a part of the range, where two values are equal."""

    is_part: bool  # whether they are equal from `lower` to `upper`

    def json_fields(self) -> Fields:
        return super().json_fields() | {"is_part": self.is_part}


@dataclass(frozen=True)
class BreakEven(SensitivityReport):
    """The places where a value reaches a number, or two values are equal, as a parameter moves."""

    range: Range  # the parameter and its range
    left: str  # what is compared: a path, or "value"
    right: str  # a path, or a number
    meetings: tuple[Meeting, ...]  # where they are equal, from the least value of the parameter
    sides: tuple[Side, Side] = field(repr=False)  # the two as functions of the parameter
    reason: str = ""  # why the range was sampled; empty if it was not

    def json_fields(self) -> Fields:
        found = self.range.json_fields() | attributes(self, "left", "right")
        found |= {"places": self.meetings, "method": self.method}
        return found | {"reason": self.reason or None}

    def to_records(self) -> Records:
        """Return a flat dict for each place: the rows of a table."""
        return [
            {"file": self.file, "parameter": self.range.name, "at": one.middle, "value": one.value}
            for one in self.meetings
        ]


def break_even(
    tree: Tree, parameter: str, equation: str, *, range: Ends | None = None, file: str = ""
) -> BreakEven:
    """Return where two values are equal as a parameter moves.

    Args:
        tree: The tree.
        parameter: The name of the parameter that moves.
        equation: `value = 0`, which is about the value of the tree, or two paths: `sell = test`.
        range: The ends of the parameter's range; by default, those in the file.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The equation is not one, or no part of the range is valid.
        TreeError: A path leads nowhere.
    """
    check_tree(tree)
    left, right = _sides_of(equation, tree.unit)
    moved = range_of(tree, parameter, range)
    try:
        with limited_work(MAX_STEPS):
            functions = NodeFunctions(exact_tree(tree), moved).valid_part()
            sides = _function(functions, left), _function(functions, right)
            found = tuple(_meeting(sides[0], *ends) for ends in merged(where_equal(*sides)))
    except INEXACT as error:
        sampler = Sampler(tree, moved)
        of = _sampled_side(sampler, left), _sampled_side(sampler, right)
        found = tuple(_sampled_meetings(sampler, *of))
        reason = why_not_exact(error)
        return BreakEven(file, tree, sampler.range, left, str(right), found, of, reason)
    return BreakEven(file, tree, functions.range, left, str(right), found, sides)


def _sampled_side(sampler: Sampler, side: str | Fraction) -> Side:
    """Return a side of an equation as a function that evaluates the tree."""

    @cache
    def value(place: Fraction) -> Fraction:
        if isinstance(side, Fraction):
            return side
        search = sampler.search_at(place)
        path = ROOT if side == VALUE else side
        return to_exact(search.value_of(path))

    return value


def _sampled_meetings(sampler: Sampler, left: Side, right: Side) -> Iterator[Meeting]:
    """Yield where two functions cross, and where they are equal, by 200 points of the range."""

    def sign(place: Fraction) -> int:
        a, b = left(place), right(place)
        return int(a > b) - int(a < b)

    def is_as(first: Fraction, place: Fraction) -> bool:
        return sign(first) == sign(place)

    places = sampler.range.places(POINTS)
    groups = [[*group] for _, group in groupby(places, key=sign)]
    edges = [
        bisected(before[-1], after[0], partial(is_as, before[-1]), TOLERANCE)
        for before, after in pairwise(groups)
    ]
    ends = [(places[0], places[0]), *edges, (places[-1], places[-1])]
    for group, start, end in zip(groups, ends, ends[1:], strict=False):
        if not sign(group[0]):
            yield Meeting(start[1], end[0], to_digits(left(group[0])), start[1] < end[0])
        elif sign(group[0]) * sign(end[1]) < 0:
            yield Meeting(*end, to_digits(left(end[0])), False)


def _sides_of(equation: str, unit: str | None) -> tuple[str, str | Fraction]:
    left, _, right = (part.strip() for part in equation.partition("="))
    try:
        if left == VALUE and right:
            return left, to_fraction(without_unit(right, unit))
        if left and right:
            return left, right
        why = f"found {quote(equation)}"
    except NumberError as error:
        why = error.reason
    raise AnalysisError(
        f"{why} in --until\nwrite the value of the tree and a number, such as 'value = 0', or "
        "two paths, such as 'sell = test'"
    )


def _meeting(function: Piecewise, start: Root, end: Root) -> Meeting:
    low, high = enclose(start)[0], enclose(end)[1]
    middle = (place_of(start, VALUE_TOLERANCE) + place_of(end, VALUE_TOLERANCE)) / 2
    value = function(middle)
    if low < high:
        value = to_digits(value)
    return Meeting(low, high, value, start < end)


def _function(functions: NodeFunctions, side: str | Fraction) -> Piecewise:
    if isinstance(side, Fraction):
        return functions.flat(constant(side))
    if side == VALUE:
        return functions.check_limits("the tree", functions.of_branch(NONE))
    branch = functions.tree.find_branch(side)
    return functions.check_limits(side, functions.of_branch(branch))


# ---- Two parameters.


@dataclass(frozen=True)
class Row:
    """One value of the parameter that moves down the map."""

    at: Fraction  # the value
    # The parts of the other parameter's range, as in a one-way analysis. There is none where a
    # probability leaves [0, 1] or a formula divides by zero.
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class TwoWay(SensitivityReport):
    """The regions of the best actions as two parameters move; `sensitivity` makes it."""

    across: Range  # the parameter that varies along each row; the thresholds are exact in it
    down: Range  # the parameter with one value for each row
    rows: tuple[Row, ...]  # from the least value of `down` to the greatest

    def best_at(self, row: Row, at: Fraction) -> Labels | None:
        """Return the best actions at a place of a row; None where a probability is not one."""
        return next((piece.best for piece in row.pieces if piece.start <= at <= piece.end), None)

    def json_fields(self) -> Fields:
        rows = [
            {"at": row.at, "pieces": [piece.json_fields(self.across.name) for piece in row.pieces]}
            for row in self.rows
        ]
        return attributes(self, "across", "down") | {"rows": rows, "method": self.method}

    def to_records(self) -> Records:
        """Return a flat dict for each piece of each row: the rows of a table.

        Each has `file`, the value of the parameter that moves down, by its name, `start` and `end`
        of the other one, `best` (the first best action) and `ties` (how many actions are best).
        """
        return [
            {"file": self.file, self.down.name: row.at, **piece.record()}
            for row in self.rows
            for piece in row.pieces
        ]


def sensitivity_map(
    tree: Tree,
    *parameters: str,
    ranges: Sequence[Ends | None] = (None, None),
    grid: int = GRID,
    file: str = "",
) -> TwoWay:
    """Return the regions of the best actions as two parameters move.

        >>> import expectitree as et
        >>> tree = et.loads("parameters: {p: 1/2, prize: 10}\\nmax: {sure: 3, bet: {chance: {win: "
        ...                 "{p: p, utility: prize}, lose: {p: rest, utility: 0}}}}")
        >>> found = et.sensitivity_map(tree, "p", "prize", ranges=[(0, 1), (5, 15)], grid=3)
        >>> [row.pieces[0].end for row in found.rows]
        [Fraction(3, 5), Fraction(3, 10), Fraction(1, 5)]

    Args:
        tree: The tree.
        parameters: The parameter that varies along each row, where thresholds are exact, and the
            one that has one value in each row.
        ranges: The ends of both; None for those in the file.
        grid: The number of rows.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A parameter has no range, or a formula is not a rational function.
        TreeError: There is no such parameter, or it is derived from others.
    """
    check_tree(tree)
    if grid < 2:
        raise AnalysisError(f"a map needs at least 2 rows, got {grid}")
    across, down = parameters
    if across == down:
        raise AnalysisError(f"a map needs two parameters, found {across} twice")
    first, second = (range_of(tree, *one) for one in zip((across, down), ranges, strict=True))
    with exact_only("a map", "move one parameter at a time, which then samples"):
        exact = exact_tree(tree)
        rows = tuple(_row(exact, first, second, at) for at in second.places(grid - 1))
    return TwoWay(file, tree, first, second, rows)


def _row(tree: Tree, across: Range, down: Range, at: Fraction) -> Row:
    """Return the row where the parameter that moves down has a value."""
    # A probability may leave [0, 1] at the current value of the other parameter, so the numbers in
    # the columns stay; those that differ from their formulas count as moving.
    changed = down.settings(at)
    moved = replace(tree, parameters=with_values(tree.parameters, changed))
    scaled = scaled_with(moved, across.name, down.name)
    try:
        functions = NodeFunctions(moved, replace(across, scaled=scaled), changed=changed)
    except NumberError:  # a formula divides by zero in this row
        return Row(at, ())
    pieces: list[Piece] = []
    for left, right in functions.feasible:
        pieces += Decision.at_root(functions.over(left, right)).pieces()
    return Row(at, tuple(pieces))


# ---- Every decision that optimal play can reach.


@dataclass(frozen=True)
class Everywhere(SensitivityReport):
    """The best actions at every decision; `sensitivity --everywhere` shows them."""

    range: Range  # the parameter and its range
    # The parts of the range in which optimal play reaches a decision, by its path, parents first.
    decisions: dict[str, tuple[Piece, ...]]

    def json_fields(self) -> Fields:
        name = self.range.name
        decisions = [
            {"node": path, "pieces": [piece.json_fields(name) for piece in pieces]}
            for path, pieces in self.decisions.items()
        ]
        return {**self.range.json_fields(), "decisions": decisions, "method": self.method}

    def to_records(self) -> Records:
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
    check_tree(tree)
    moved = range_of(tree, parameter, range)
    with exact_only("--everywhere", "remove it, then --parameter samples"):
        functions = NodeFunctions(exact_tree(tree), moved).valid_part()
        decisions = dict(_decisions(functions))
    found = {tree.path_of(n): decisions[n] for n in tree.first_paths.order if n in decisions}
    return Everywhere(file, tree, functions.range, found)


def _decisions(functions: NodeFunctions) -> Iterator[tuple[int, tuple[Piece, ...]]]:
    """Yield the parts of each decision that play reaches, by its node, parents first."""
    tree, columns = functions.tree, functions.tree.columns
    reached: dict[int, list[Interval]] = {tree.root_id: [(functions.left, functions.right)]}
    for n in range(tree.root_id, -1, -1):
        where, kind = merged(reached.pop(n, ())), columns.kind[n]
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
            start, end = max(a, c), min(b, d)
            if start < end:
                yield start, end


def _within(where: Sequence[Interval], decision: Decision) -> Iterator[Piece]:
    """Yield the parts of the range of a decision within some intervals."""
    for start, end in where:
        for piece in decision.pieces():
            low, high = max(place_of(start), piece.start), min(place_of(end), piece.end)
            if low < high:
                yield Piece(low, high, piece.best, piece.value)
