"""Formulas, parameters, events and expected results as a tree file has them.

`parameters.py` computes the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import (
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
    names_in,
    text_of,
)
from expectitree.base.numbers import Number as Value
from expectitree.base.numbers import number_text
from expectitree.base.tree.columns import NO_BOUNDS, Bounds

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Expressions: TypeAlias = Mapping[int, Expression]  # by node or by branch
ByName: TypeAlias = Mapping[str, Expression]
Amount: TypeAlias = "Value | Expression"  # what a file has as a number
Parameters: TypeAlias = "Mapping[str, Parameter]"
Events: TypeAlias = "Mapping[str, Definition]"

REST = "rest"  # the probability that the other outcomes leave of 1
P_REST = f"`p: {REST}` at one outcome"  # what to write, in messages
ZERO = Number("0")


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of an uncertain parameter."""

    kind: str  # `discrete`, `dirichlet`, `csv`, or a function such as `beta`
    numbers: tuple[float, ...] = ()  # the arguments, or the values of a discrete one
    weights: tuple[float, ...] = ()  # the probabilities of these values
    source: str = ""  # the set of a Dirichlet distribution, or the file of draws
    column: str = ""  # of the file
    written: Any = None  # as the tree file has it
    mean: Expression | None = None  # where the distribution alone has it
    support: Bounds = NO_BOUNDS  # the least and the greatest value that it can have
    total: Fraction = Fraction(1)  # what the probabilities of a Dirichlet set sum to


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named number of a tree file."""

    name: str
    value: Expression  # the number, or the formula of one that is derived from others
    range: Bounds | None = None  # the least and the greatest value that the author thinks possible
    unit: str | None = None
    description: str | None = None
    distribution: Distribution | None = None  # `simulate` draws from it; all others use the value
    table: Any = None  # as the tree file has the table that the value is looked up in, by key
    # With other parameters, each at one of the two.
    correlation: Mapping[str, Value] = field(default_factory=dict, hash=False)
    is_sum: bool = False  # `define_probabilities` derived it: a sum of products of probabilities

    @property
    def bases(self) -> tuple[str, ...]:
        """The names of the parameters that this one is derived from."""
        return names_in(self.value)

    @property
    def is_derived(self) -> bool:
        """Whether the value follows from other parameters, or from the numbers of `events`."""
        return self.is_sum or bool(self.bases)

    @property
    def text(self) -> str:
        """The number or the formula for people; for a table, which is long, only its name."""
        if self.table:
            return f"table by {self.table['by']}"
        return text_of(self.value)


@dataclass(frozen=True, slots=True)
class Definition:
    """An event with a prior, or a test of an event."""

    prior: ByName = field(default_factory=dict)  # by outcome
    test_of: str = ""  # the event that a test is of
    # Of a test: by signal and outcome, the probability of the signal.
    likelihood: Mapping[str, ByName] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The outcomes of an event, or the signals of a test."""
        return list(self.likelihood or self.prior)

    def distributions(self) -> Iterable[Sequence[Expression]]:
        """Yield the probabilities of the outcomes, or those of the signals after each outcome."""
        rows = [*self.likelihood.values()]
        yield from ([row[o] for row in rows] for o in rows[0]) if rows else [[*self.prior.values()]]


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a number at a terminal or a reward measures."""

    name: str
    unit: str | None = None
    description: str | None = None

    @property
    def heading(self) -> str:
        """The heading of the criterion's column: its name and unit."""
        if self.unit in (None, self.name):
            return self.name
        return f"{self.name} ({self.unit})"

    @property
    def about(self) -> dict[str, str]:
        """The unit and the description, as far as they are known."""
        about = {"unit": self.unit, "description": self.description}
        return {key: text for key, text in about.items() if text is not None}


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria of a tree, and its objective: a formula of them, linear in each.

    It is false if there are none.
    """

    by_name: Mapping[str, Criterion]
    objective: Expression

    def __bool__(self) -> bool:
        return bool(self.by_name)


NO_CRITERIA = Criteria({}, ZERO)


@dataclass(frozen=True, slots=True)
class Amounts(Apply):
    """The objective of some amounts."""

    amounts: tuple[tuple[str, Expression], ...]  # by criterion; those left out are 0

    def of(self, criterion: str) -> Expression:
        """Return the amount of a criterion."""
        return dict(self.amounts).get(criterion, ZERO)


@dataclass(frozen=True, slots=True)
class Formulas:
    """The formulas of a tree, and the events of its chance nodes.

    If an outcome's probability is a formula, those of its siblings are here too, as numbers or as
    the name `REST`. The probabilities of a node whose event is in `defined` follow from there. With
    criteria, each utility, estimate and reward that is not 0 is here, as `Amounts`.
    """

    nodes: dict[int, Expression] = field(default_factory=dict)  # utilities and estimates
    probabilities: dict[int, Expression] = field(default_factory=dict)  # by branch
    rewards: dict[int, Expression] = field(default_factory=dict)  # by branch; -1 leads to the root
    events: dict[int, str] = field(default_factory=dict)  # the name of a chance node's event
    defined: dict[str, Definition] = field(default_factory=dict)  # events and tests, by name
    written: Any = None  # the `Tree` as its file has it, with `replaced`, if it was expanded
    # By branch: the formulas of the parameters that are replaced below it, by name.
    replaced: dict[int, ByName] = field(default_factory=dict)
    # By node: what each branch to it pays besides its own reward, a number or a formula. Like
    # `replaced`, only a tree as its file has it has these.
    at_nodes: dict[int, Amount] = field(default_factory=dict)
    # Only a tree as its file has it has the next three. By node: the condition on which play ends
    # there, and its utility then.
    endings: dict[int, tuple[Expression, Amount]] = field(default_factory=dict)
    # A ref to a node above it is read as a terminal. By such a terminal: the node of the ref.
    links: dict[int, int] = field(default_factory=dict)
    named: dict[int, str] = field(default_factory=dict)  # with `endings`: the names under `nodes`
    # Of an unrolled tree, by node: its name under `nodes`, and the numbers of its counters.
    states: dict[int, tuple[str, Mapping[str, Value]]] = field(default_factory=dict)
    criteria: Criteria = NO_CRITERIA

    def __bool__(self) -> bool:
        is_written = self.written is not None
        more = self.events or self.criteria or self.states or is_written
        return bool(more) or any(True for _ in self.expressions())

    def expressions(self) -> Iterable[Expression]:
        """Yield every formula."""
        for column in (self.nodes, self.probabilities, self.rewards):
            yield from column.values()
        for replaced in self.replaced.values():
            yield from replaced.values()
        for ending in self.endings.values():
            yield from filter(is_formula, ending)
        yield from filter(is_formula, self.at_nodes.values())

    def texts(self, node: int, branch: int, node_key: str = "utility") -> dict[str, str]:
        """Return the formulas of a node and of a branch as texts, by their keys in a tree file.

        `node_key` is the key of the node's own formula: `utility` or `estimate`.
        """
        key, reward = payment_of(self.rewards.get(branch))
        written = {"p": self.probabilities.get(branch), key: reward, node_key: self.nodes.get(node)}
        return {key: text_of(formula) for key, formula in written.items() if formula is not None}

    @property
    def names(self) -> frozenset[str]:
        """The names in all formulas."""
        distinct = {id(expression): expression for expression in self.expressions()}
        return frozenset(name for part in distinct.values() for name in names_of(part))


@dataclass(frozen=True, slots=True)
class RunExpectation:
    """The expected counts of one search of the tree; a field that is None is not checked."""

    algorithm: str
    nodes: int | None = None  # nodes visited
    leaves: int | None = None  # leaves visited
    cuts: int | None = None
    skipped: tuple[str, ...] | None = None  # paths that must stay unvisited
    bounds: Bounds | None = None
    options: Mapping[str, int | str] = field(default_factory=dict)  # of the algorithm, by key
    place: tuple[str | int, ...] = ()  # the keys that lead to this entry within `expect`


@dataclass(frozen=True, slots=True)
class PointExpectation:
    """The results that a tree file expects at other values of the parameters."""

    settings: Mapping[str, str]  # the values as written, by the names of the parameters
    expect: Expectation


@dataclass(frozen=True, slots=True)
class Expectation:
    """The value, the best action and the counts of searches that a tree file expects."""

    value: Value | None = None
    best: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)  # by path
    runs: tuple[RunExpectation, ...] = ()
    at: tuple[PointExpectation, ...] = ()
    # The texts of numbers, by place.
    written: Mapping[tuple[str | int, ...], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TreeText:
    """What a file adds to a tree, and no search reads.

    `Tree` has a property with the name of each field, which explains it.
    """

    title: str | None = None
    source: str | None = None
    unit: str | None = None  # of the value, such as $
    utility_key: str = "utility"
    expect: Expectation | None = None
    notes: Mapping[int, str] = field(default_factory=dict)
    branch_notes: Mapping[int, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    has_probabilities: bool = True


def is_formula(value: object) -> TypeIs[Expression]:
    """Return whether a value is an expression, and not a number."""
    return isinstance(value, (Number, Name, Apply))


def names_of(formula: Expression) -> tuple[str, ...]:
    """Return the names in a formula and its amounts, of which the objective may leave one out."""
    amounts = formula.amounts if isinstance(formula, Amounts) else ()
    return (*names_in(formula), *(name for _, amount in amounts for name in names_in(amount)))


def negative_of(value: Amount) -> Amount:
    """Return the negative of a number or of a formula."""
    if is_formula(value):
        return Apply(NEGATION, (value,))
    return -value


def payment_of(reward: Any) -> tuple[str, Any]:
    """Return the key and the formula with which a file has the formula of a reward."""
    if type(reward) is Apply and reward.operation == NEGATION:  # not `Amounts`
        return "cost", reward.operands[0]
    return "reward", reward


def sum_of(a: Amount, b: Amount) -> Any:
    """Return the sum of two numbers or formulas."""
    if not is_formula(a) and not is_formula(b):
        return a + b
    terms = [x if is_formula(x) else parse(number_text(x), ()) for x in (a, b) if x]
    terms = [term for term in terms if term != ZERO] or [ZERO]
    if len(terms) == 1:
        return terms[0]
    first, last = terms
    if isinstance(first, Amounts) and isinstance(last, Amounts):  # the objective is linear
        amounts = dict(first.amounts)
        for name, more in last.amounts:
            amounts[name] = sum_of(amounts.get(name, ZERO), more)
        return Amounts("+", (first, last), tuple(amounts.items()))
    if isinstance(last, Apply) and last.operation == NEGATION:
        return Apply("-", (first, *last.operands))
    return Apply("+", (first, last))
