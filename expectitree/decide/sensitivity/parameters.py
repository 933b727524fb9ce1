"""The parameter that an analysis moves, and the numbers of a tree as functions of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NoReturn

from expectitree.base.budget import TooMuchWorkError
from expectitree.base.errors import AnalysisError, NumberError, TreeError
from expectitree.base.expressions.evaluation import (
    DIGITS,
    FRACTIONS,
    Domain,
    UndefinedError,
    rounded_fractions,
)
from expectitree.base.expressions.syntax import (
    BELOW_TABLE,
    COMPARISONS,
    NEGATION,
    Expression,
    Name,
    names_in,
)
from expectitree.base.numbers import Number, given_fraction, message_text, quote, to_exact
from expectitree.base.reading import without_unit
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL
from expectitree.base.tree.formulas import REST, Formulas
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import (
    ParameterValues,
    dirichlet_sets,
    in_order,
    with_values,
)
from expectitree.base.tree.paths import composed
from expectitree.base.tree.replacing import counters_of
from expectitree.base.tree.report import TreeReport
from expectitree.base.tree.transform import in_fractions, without_formulas
from expectitree.decide.algebra.rationals import (
    MAX_BITS,
    MAX_DEGREE,
    MAX_QUOTIENT_DEGREE,
    Rational,
    constant,
)
from expectitree.decide.records import Fields

ZERO, ONE = constant(Fraction(0)), constant(Fraction(1))
EXACT, SAMPLED = "exact", "sampled"  # methods
Ends = tuple[Number | str, Number | str]


@dataclass(frozen=True, eq=False)
class SensitivityReport(TreeReport):
    """What depends on the parameters of a tree."""

    question = "sensitivity"
    has_decider = True
    has_plot = True
    reason = ""  # why the range was sampled; empty if it was not

    @property
    def method(self) -> str:
        """How the functions were found: "sampled", "exact", or "60 digits" of constants."""
        if self.reason:
            return SAMPLED
        return method_of(exact_tree(self.tree, keeps_formulas=False))


@dataclass(frozen=True, slots=True)
class Range:
    """A parameter, with the values through which it moves."""

    name: str  # the parameter's name
    low: Fraction  # the least value
    high: Fraction  # the greatest value
    current: Fraction  # the value in the file, or the one that was set
    unit: str | None = None  # the unit, such as $
    description: str | None = None  # what the number means
    # The parameters that share what it leaves of a sum: by name, the share and the sum.
    scaled: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict, hash=False)
    cut_from: tuple[Fraction, Fraction] | None = None  # the ends, if the tree has no value there
    why_cut: str = ""

    @property
    def heading(self) -> str:
        """The heading of the parameter's column: its name and unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def json_fields(self) -> Fields:
        return {
            "parameter": self.name,
            "range": (self.low, self.high),
            "current": self.current,
            "unit": self.unit,
            "description": self.description,
            "scaled": [*self.scaled],
            "cut_from": self.cut_from,
        }

    def cut_to(self, low: Fraction, high: Fraction, why: str) -> Range:
        """Return the part of the range between two values, and why the rest is left out."""
        return replace(self, low=low, high=high, cut_from=(self.low, self.high), why_cut=why)

    def settings(self, place: Fraction) -> dict[str, Fraction]:
        """Return the values of all parameters that move, by name, where this one is at a place."""
        others = {name: share * (total - place) for name, (share, total) in self.scaled.items()}
        return {self.name: place, **others}

    def moved(self, tree: Tree, place: Fraction) -> Tree:
        """Return a tree in which the parameter is at a place."""
        return tree.with_parameters(**self.settings(place))

    def places(self, steps: int) -> list[Fraction]:
        """Return both ends and the values between them, equally far apart."""
        width = self.high - self.low
        return [self.low + width * i / steps for i in range(steps + 1)]


def range_of(tree: Tree, name: str, ends: Ends | None = None) -> Range:
    """Return the range of a parameter of an exact tree: the given one, or that of the file.

    Raises `AnalysisError` if there is none, and `TreeError` for a name that cannot be moved.
    """
    name = composed(name)
    with_values(tree.parameters, {name: 0})  # refuses unknown and derived parameters
    parameter = tree.parameters[name]
    if why := why_fixed(tree, name):
        raise AnalysisError(f"{name}: {why}")
    current = ParameterValues(tree.parameters, FRACTIONS)[name]
    if ends is None:
        ends = parameter.range
    if ends is None:
        raise AnalysisError(
            f"the parameter {name} has no range\nwrite --parameter {name}=LOW..HIGH, or give it "
            "`range: [low, high]` in the file"
        )
    if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
        raise AnalysisError(f"the range of {name} is {ends!r}\nwrite (low, high)")
    low, high = (_exact(without_unit(end, parameter.unit), name) for end in ends)
    if low >= high:
        raise AnalysisError(
            f"the range of {name} is {message_text(low)} to {message_text(high)}\n"
            "write its lower end first, and a greater upper end"
        )
    about = parameter.unit, parameter.description
    return Range(name, low, high, current, *about, scaled_with(tree, name))


def why_fixed(tree: Tree, name: str) -> str:
    """Return why a parameter cannot move: it is a number while nodes repeat; else nothing."""
    why = "it sets how often nodes repeat, so it does not move\nuse --set"
    return why if name in counters_of(tree) else ""


def scaled_with(tree: Tree, name: str, kept: str = "") -> dict[str, tuple[Fraction, Fraction]]:
    """Return the parameters that make up a distribution with another one: shares and sums.

    A distribution is the outcomes of a chance node or of an event, or the signals of a test. If it
    has parameters as they are and no `rest`, the others keep their proportions as one moves, except
    one that is `kept`. If another outcome depends on the parameter, that outcome keeps the sum.
    """
    values = ParameterValues(tree.parameters, FRACTIONS)
    moving = moving_with(tree, [name])
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for outcomes in _distributions(tree):
        if Name(name) not in outcomes or Name(REST) in outcomes:
            continue
        if sum(not moving.isdisjoint(names_in(part)) for part in outcomes) > 1:
            continue
        names = {part.name for part in outcomes if isinstance(part, Name)} - {name, kept}
        others = [x for x in values if x in names and not tree.parameters[x].is_derived]
        left = sum((values[x] for x in others), Fraction(0))
        for other in others:
            share = Fraction(1, len(others))  # if all are 0
            if left:
                share = values[other] / left
            found[other] = share, left + values[name]
    return found


def moving_with(tree: Tree, names: Iterable[str]) -> set[str]:
    """Return some names of parameters, and those of the parameters that are derived from them."""
    moving = {*names}
    for other in in_order(tree.parameters):
        if not moving.isdisjoint(tree.parameters[other].bases):
            moving.add(other)
    return moving


def _distributions(tree: Tree) -> Iterator[list[Expression]]:
    """Yield the probabilities of each distribution that has formulas, and each Dirichlet set."""
    formulas = tree.formulas
    written = formulas.probabilities
    for n, kind in enumerate(tree.columns.kind):
        branches = tree.branches_of(n)
        if kind == CHANCE and branches[0] in written:
            yield [written[b] for b in branches]
    for definition in formulas.defined.values():
        yield from map(list, definition.distributions())
    for members in dirichlet_sets(tree.parameters).values():
        yield [*map(Name, members)]


def _exact(end: Number | str, name: str) -> Fraction:
    number = given_fraction(end)
    if number is not None:
        return number
    try:
        written: Fraction = FRACTIONS.number(str(end))
        return written
    except NumberError as error:
        raise AnalysisError(
            f"the range of {name} needs two finite numbers: {error.lines}"
        ) from None


def parse_range(text: str) -> tuple[str, tuple[str, str] | None]:
    """Return the name and the ends in a text such as `pr=0..1`, or the name alone."""
    name, equals, ends = text.partition("=")
    name = name.strip()
    if not equals:
        return name, None
    low, dots, high = ends.partition("..")
    hint = f"write NAME=LOW..HIGH, such as {name or 'pr'}=0..1"
    if not dots or "..." in ends:
        raise AnalysisError(f"found {quote(text)} as a parameter and its range\n{hint}")
    return name, (low.strip(), high.strip())


# ---- Formulas as rational functions of the parameter.


class NotRationalError(Exception):
    """A formula is not a rational function of the parameter; the message says why."""


# Why there are no exact functions; `why_not_exact` explains it.
INEXACT = (NotRationalError, TooMuchWorkError, NumberError)


def why_not_exact(error: Exception) -> str:
    """Return why there are no exact functions of the parameter, as a clause."""
    if isinstance(error, TooMuchWorkError):
        return "exact functions would take too long"
    return str(error)


def exact_tree(tree: Tree, keeps_formulas: bool = True) -> Tree:
    """Return a tree in fractions, in which irrational numbers have 60 digits.

    Raises `NotRationalError` if a formula has a value in floats only, unless no formula has to
    move: then numbers take their place. Certainty equivalents have no exact values either.
    """
    if tree.attitude is not None:
        raise NotRationalError(f"values are certainty equivalents ({tree.attitude.text})")
    if not tree.exact:
        try:
            tree = in_fractions(tree)
        except TreeError as error:
            if keeps_formulas:
                raise NotRationalError(str(error)) from None
            return in_fractions(without_formulas(tree))
    if keeps_formulas:
        return tree
    return without_formulas(tree)


_CONSTANTS = rounded_fractions()  # irrational ones have 60 digits


def method_of(tree: Tree) -> str:
    """Return how functions of an exact tree are found."""
    return f"{DIGITS} digits" if tree.error else EXACT


def verified_text(tree: Tree) -> str:
    """Return the sentence on how thresholds were verified."""
    how = "in exact arithmetic"
    if exact_tree(tree, keeps_formulas=False).error:
        how = f"to {DIGITS} digits"
    return f"Each threshold is verified on both sides, by evaluating the tree {how}."


def _of_constants(operation: str) -> Callable[..., Any]:
    """Return an operation that has a value for numbers, but not for functions of the parameter."""

    def apply(*operands: Rational) -> Any:
        if any(operand.degree for operand in operands):
            raise NotRationalError(f"a formula uses {operation}")
        found = _CONSTANTS.operations[operation](*(operand(Fraction(0)) for operand in operands))
        if operation in COMPARISONS:
            return found
        return constant(found)

    return apply


_POWERS = {constant(Fraction(i)): i for i in range(-MAX_DEGREE, MAX_DEGREE + 1)}


def _quotient(a: Rational, b: Rational) -> Rational:
    if not b.numerator:
        raise UndefinedError("divides by zero")
    return a / b


def _power(base: Rational, exponent: Rational) -> Rational:
    """Return a whole power of a function, or a power of a number."""
    if not base.degree and not exponent.degree:
        number: Rational = _of_constants("^")(base, exponent)
        return number
    if exponent not in _POWERS:
        raise NotRationalError("a formula uses a power that is not a whole number")
    power = _POWERS[exponent]
    if power < 0:
        base = _quotient(ONE, base)
    found = ONE
    for _ in range(abs(power)):
        found = found * base
    return found


def check_length(value: Rational | bool) -> Rational | bool:
    """Return a value; raise `TooMuchWorkError` if computing with it would take too long."""
    if isinstance(value, Rational):
        degree = MAX_DEGREE if value.is_polynomial else MAX_QUOTIENT_DEGREE
        if value.degree > degree or value.bits > MAX_BITS:
            raise TooMuchWorkError
    return value


def _join(*_: Rational) -> NoReturn:
    raise NotRationalError("a formula uses if")


RATIONALS = Domain(
    lambda text: constant(FRACTIONS.number(text)),
    {
        **{"+": Rational.__add__, "-": Rational.__sub__, "*": Rational.__mul__, "/": _quotient},
        **{"^": _power, NEGATION: Rational.__neg__, "join": _join},
        **{
            name: _of_constants(name)
            for name in ("abs", "exp", "log", "max", "min", "sqrt", BELOW_TABLE, *COMPARISONS)
        },
    },
    check_length,
    lambda _: "any value",
)


class FormulaFunctions:
    """The numbers of an exact tree, of which those that are formulas may be functions.

    `known` has the functions of the parameters that move. A formula without these, without those
    that were `changed`, and without parameters derived from them has the number in the columns.
    Only formulas that play can reach are read.
    """

    def __init__(
        self, tree: Tree, known: Mapping[str, Rational], changed: Iterable[str] = ()
    ) -> None:
        self.tree = tree
        self.values = ParameterValues(tree.parameters, RATIONALS, known)
        self.moving = moving_with(tree, [*known, *changed])
        self.numbers: dict[Number, Rational] = {}  # of those in the tree's columns
        self.utility: dict[int, Rational] = {}  # of the terminals that have formulas
        self.probability: dict[int, Rational] = {}  # by branch, where it is a formula
        self.reward: dict[int, Rational] = {}
        self.sums: dict[int, Rational] = {}  # of outcomes, by node, where it is not always 1
        self.reached = bytearray(len(tree))
        self._read_formulas(tree.formulas)

    def _read_formulas(self, formulas: Formulas) -> None:
        """Evaluate the formulas that move, parents before children."""
        tree, columns = self.tree, self.tree.columns
        self.reached[tree.root_id] = 1
        played = self.reached[:]  # at the current numbers; elsewhere, a column may have a default
        if NONE in formulas.rewards and self._moves(formulas.rewards[NONE]):
            self.reward[NONE] = self.values.of(formulas.rewards[NONE])
        for n in reversed(range(len(tree))):
            if not self.reached[n]:
                continue
            branches, is_new = tree.branches_of(n), not played[n]
            utility = formulas.nodes.get(n)
            if columns.kind[n] == TERMINAL and utility and (is_new or self._moves(utility)):
                self.utility[n] = self.values.of(utility)
            if columns.kind[n] == CHANCE and branches[0] in formulas.probabilities:
                outcomes = {b: formulas.probabilities[b] for b in branches}
                if is_new or any(map(self._moves, outcomes.values())):
                    self._read_outcomes(n, outcomes)
            for b in branches:
                if not self.probability_of(b).numerator:
                    continue
                is_played = not is_new and columns.probability[b] > 0
                reward, child = formulas.rewards.get(b), columns.child[b]
                if reward and not (is_played and not self._moves(reward)):
                    self.reward[b] = self.values.of(reward)
                self.reached[child] = 1
                played[child] |= is_played

    def _moves(self, formula: Expression) -> bool:
        """Return whether a formula depends on a parameter that moves."""
        return not self.moving.isdisjoint(self.tree.names_by_formula[id(formula)])

    def _read_outcomes(self, n: int, formulas: Mapping[int, Expression]) -> None:
        rests = [b for b in formulas if formulas[b] == Name(REST)]
        total = ZERO
        for b in formulas:
            if b not in rests:
                self.probability[b] = self.values.of(formulas[b])
                total += self.probability[b]
        for b in rests:
            self.probability[b] = (ONE - total) * constant(Fraction(1, len(rests)))
        if not rests and total != ONE:
            self.sums[n] = total

    def probability_of(self, branch: int) -> Rational:
        """Return the probability of a branch."""
        if branch in self.probability:
            return self.probability[branch]
        return self.number(self.tree.columns.probability[branch])

    def reward_of(self, branch: int) -> Rational:
        """Return the reward of a branch; -1 is the way to the root."""
        if branch in self.reward:
            return self.reward[branch]
        return self.number(self.tree.reward_of(branch))

    def number(self, value: Number) -> Rational:
        """Return a number in a column of the tree as a constant function."""
        if value not in self.numbers:
            self.numbers[value] = constant(to_exact(value))
        return self.numbers[value]
