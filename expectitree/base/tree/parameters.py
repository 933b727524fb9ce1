"""Evaluate the parameters and the formulas of a tree, which gives the numbers in its columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from graphlib import TopologicalSorter
from typing import Any

from expectitree.base.errors import (
    WRONG_SUM_OF_FORMULAS,
    ExpectitreeError,
    NumberError,
    TreeError,
    lines_of,
)
from expectitree.base.expressions.evaluation import (
    DIGITS,
    FLOATS,
    FRACTIONS,
    Domain,
    at_values,
    domain_of,
    evaluate,
    rounded_fractions,
)
from expectitree.base.expressions.parser import ExpressionError, listed, parse
from expectitree.base.expressions.syntax import Expression, Name, names_in, text_of
from expectitree.base.expressions.syntax import Number as Written
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import (
    MAX_FLOAT,
    Number,
    escape,
    given_fraction,
    message_text,
    quote,
    to_exact,
)
from expectitree.base.reading import HOW, check_setting, without_unit, written_like
from expectitree.base.rounding import sum_of
from expectitree.base.tree.columns import CHANCE, NONE, ROUNDING, UNKNOWN
from expectitree.base.tree.formulas import (
    P_REST,
    REST,
    Distribution,
    Formulas,
    Parameter,
    Parameters,
)
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import composed

_MORE_DIGITS = DIGITS + 30  # of irrational numbers, to find the error of the others
_TOLERANCE = Fraction(1, 10**9)  # by which probabilities may miss [0, 1] or the sum 1

_CHANGE = "change the formula or a parameter"
_CHANGE_ONE = "change a formula or a parameter"
_HINT_OF_SUM = _CHANGE_ONE + ", or write {}"
# Receives an error, the formula that is wrong ("node" for a utility or an estimate, "p", "reward",
# or "outcomes" for a sum of probabilities), the node, and the branch or -1.
Report = Callable[["str | ExpectitreeError", str, int, int], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a table sets of a parameter; None leaves what the tree file has."""

    value: object
    range: tuple[Fraction, Fraction] | None = None
    unit: str | None = None
    description: str | None = None
    place: str = ""  # in the table, for messages


def in_order(parameters: Parameters) -> list[str]:
    """Return the names, each after those that it is derived from."""
    bases = {name: parameter.bases for name, parameter in parameters.items()}
    return [*TopologicalSorter(bases).static_order()]


class ParameterValues(dict[str, Any]):
    """The values of parameters by name, or those `known`; one without a value raises its error."""

    def __init__(
        self,
        parameters: Parameters,
        domain: Domain,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(known or {})
        self.parameters, self.domain = parameters, domain
        self.known: dict[int, Any] = {}  # the values of formulas, by the id of the expression
        self.failed: dict[str, NumberError] = {}
        for name in in_order(parameters):
            if name in self:
                continue
            try:
                self[name] = evaluate(parameters[name].value, domain, self)
            except NumberError as error:
                self.failed[name] = error

    def __missing__(self, name: str) -> Any:
        raise self.failed[name]

    def of(self, formula: Expression) -> Any:
        """Return the value of a formula, which is computed once."""
        if id(formula) not in self.known:
            self.known[id(formula)] = evaluate(formula, self.domain, self)
        return self.known[id(formula)]

    def at(self, *expressions: Expression, shown: str = "") -> str:
        """Return ` at pr = 0, spec = 1`: the values on which formulas depend, for a message.

        After a text in which some values are `shown`, return the others only: ` (spec = 1)`.
        """
        names = dict.fromkeys(name for part in expressions for name in names_in(part))
        met, pending, given = dict(names), [*reversed(names)], []
        while pending:
            name = pending.pop()
            bases = self.parameters[name].bases
            pending += [base for base in reversed(bases) if base not in met]
            met.update(dict.fromkeys(bases))
            if not bases and f" {name} = " not in shown:
                given.append(Name(name))
        text = at_values(self.domain, self, *given)
        if shown and text:
            return text.replace(" at ", " (", 1) + ")"
        return text


def parameter_values(tree: Tree) -> dict[str, Number | None]:
    """Return the values of a tree's parameters by name; None for one that has no value."""
    values = ParameterValues(tree.parameters, domain_of(tree.exact))
    return {name: values.get(name) for name in tree.parameters}


def unused(parameters: Parameters, formulas: Formulas) -> list[str]:
    """Return the names of parameters that neither a formula nor another parameter uses."""
    used = formulas.names.union(*(parameter.bases for parameter in parameters.values()))
    return [name for name in parameters if name not in used]


def number_of(name: str, value: object) -> Expression:
    """Return the expression of a parameter's new value: a number, or a text such as `5%`."""
    try:
        text = f"{value}"
    except ValueError:  # more digits than Python prints
        text = f"a number of type {type(value).__name__} with thousands of digits"
    try:
        check_setting(text)
    except NumberError:
        number = given_fraction(value)
        if number is None:
            raise NumberError(f"{name}: {quote(text)} is not a number", f"{HOW}, or 5%") from None
        return Written(message_text(number), number)
    return parse(text, ())


def with_values(parameters: Parameters, values: Mapping[str, object]) -> dict[str, Parameter]:
    """Return parameters with some values replaced, which are then certain.

    Raises `TreeError` for an unknown name.
    """
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise TreeError(
            f"found {quote(repr(values))} as parameters, expected a mapping from name to "
            "number, such as {'pr': 0.3}"
        )
    changed = dict(parameters)
    for key, value in values.items():
        name = composed(key)
        new = value
        if not isinstance(new, Setting):
            new = Setting(str(value) if value is None else value)
        where = new.place and f"{new.place}: "
        if name not in parameters:
            written = [other for other, one in parameters.items() if not one.is_sum]
            expected = "the tree has no parameters"
            if written:
                expected = f"the parameters are {listed(written)}"
            raise TreeError(
                f"{where}unknown parameter {quote(name)}{did_you_mean(name, written)}: {expected}"
            )
        old, fields = parameters[name], ("range", "unit", "description")
        about: dict[str, Any] = {field: getattr(new, field) for field in fields}
        about = {field: text for field, text in about.items() if text}
        if new.value is not None:
            if old.bases:
                raise TreeError(
                    f"{where}{name} is derived: {name} = {old.text}; set "
                    f"{' or '.join(old.bases)} instead"
                )
            if old.is_sum:
                raise TreeError(
                    f"{where}{name} is computed from the numbers of `events`\nname these under "
                    "`parameters:`, and set those"
                )
            about["value"] = number_of(name, without_unit(new.value, old.unit))
            about |= {"distribution": None, "table": None}  # a value that is set is certain
        changed[name] = replace(old, **about)
    _share_rests(parameters, changed)
    return changed


def dirichlet_sets(parameters: Parameters) -> dict[str, dict[str, Distribution]]:
    """Return the Dirichlet sets by name: their distributions by parameter."""
    sets: dict[str, dict[str, Distribution]] = {}
    for name, parameter in parameters.items():
        if parameter.distribution and parameter.distribution.kind == "dirichlet":
            sets.setdefault(parameter.distribution.source, {})[name] = parameter.distribution
    return sets


def _share_rests(parameters: Parameters, changed: dict[str, Parameter]) -> None:
    """Share what set values leave of a Dirichlet set between its other probabilities."""
    for members in dirichlet_sets(parameters).values():
        shares = {name: to_exact(members[name].numbers[0]) for name in members}
        fixed = [name for name in members if not changed[name].distribution]
        rest = min(one.total for one in members.values())
        for name in fixed:
            rest -= evaluate(changed[name].value, FRACTIONS, {})
            del shares[name]
        for name, share in shares.items() if fixed else ():
            value = rest * share / sum(shares.values())
            changed[name] = replace(
                changed[name],
                value=Written(message_text(value), value),
                distribution=replace(members[name], total=rest),
            )


def raising(tree: Tree) -> Report:
    """Return a report that raises each error as a `TreeError` with its path."""

    def fail(error: ExpectitreeError | str, what: str, node: int, branch: int) -> None:
        raise TreeError(f"{tree.path_of(node, branch)}: {lines_of(error)}")

    return fail


def evaluated(tree: Tree, report: Report | None = None) -> tuple[Tree, str]:
    """Return the tree with the values of its formulas in its columns, and a warning or nothing.

    `report` receives the errors; without it, the first is raised as a `TreeError`. A formula below
    an outcome of probability 0 needs no value. If it has none, there is a warning, and a default in
    its place: outcomes are equally likely, rewards are 0, and utilities and estimates are 0 or the
    nearest bound.
    """
    if not tree.formulas:
        return tree, ""
    rounded: list[object] = []
    domain = rounded_fractions(note=lambda: rounded.append(None)) if tree.exact else FLOATS
    evaluation = _Evaluation(tree, tree.formulas, report or raising(tree), domain)
    result = evaluation.run()
    error = Fraction(0)
    if rounded:
        again = _Evaluation(tree, tree.formulas, lambda *_: None, rounded_fractions(_MORE_DIGITS))
        error = _difference(result, again.run())
    if evaluation.without_value:
        result = evaluation.within_bounds(result)
    return replace(result, error=error), evaluation.unreached


def _difference(tree: Tree, better: Tree) -> Fraction:
    """Return more than the error of a tree's numbers, from others with 30 digits more."""
    pairs = [(tree.root_reward, better.root_reward)]
    for name in ("utility", "probability", "reward"):
        pairs += zip(getattr(tree.columns, name), getattr(better.columns, name), strict=True)
    # A number that has no value with more digits may be wrong altogether.
    return 2 * max(abs(to_exact(x) - (to_exact(y) if y == y else 0)) for x, y in pairs if x == x)


class _Evaluation:
    """Evaluates the formulas of one tree, parents before children."""

    def __init__(self, tree: Tree, formulas: Formulas, report: Report, domain: Domain) -> None:
        self.tree, self.formulas, self.report, self.domain = tree, formulas, report, domain
        self.values = ParameterValues(tree.parameters, self.domain)
        self.without_value: list[int] = []  # nodes whose utility or estimate has no value
        self.unreached = ""  # the warning about the first formula that needs no value and has none

    def run(self) -> Tree:
        tree, formulas, columns = self.tree, self.formulas, self.tree.columns
        if self.has_wrong_events():
            return tree
        zero = self.domain.number("0")
        utility: Any = columns.utility[:]
        probability: Any = columns.probability[:]
        reward: Any = columns.reward[:] if columns.pays else [zero] * len(columns.child)
        root_reward = tree.root_reward
        reached = bytearray(len(tree))
        reached[tree.root_id] = True
        if NONE in formulas.rewards:
            root_reward = self.number(formulas.rewards[NONE], "reward", tree.root_id) or zero
        for n in range(tree.root_id, -1, -1):
            is_reached, branches = bool(reached[n]), tree.branches_of(n)
            if n in formulas.nodes:
                number = self.number(formulas.nodes[n], "node", n, is_reached=is_reached)
                if number is None:
                    self.without_value.append(n)
                    number = UNKNOWN
                utility[n] = number
            if columns.kind[n] == CHANCE and branches and branches[0] in formulas.probabilities:
                for b, p in zip(branches, self.outcomes(n, is_reached), strict=True):
                    probability[b] = p
            for b in branches:
                leads = is_reached and bool(probability[b])
                if b in formulas.rewards:
                    reward[b] = self.number(formulas.rewards[b], "reward", n, b, leads) or zero
                if leads:
                    reached[columns.child[b]] = True
        columns = type(columns).of(
            columns.kind, utility, columns.first, columns.child, probability,
            reward if tree.exact else array("d", reward),
        )  # fmt: skip
        return replace(tree, columns=columns, root_reward=root_reward)

    def number(
        self, formula: Expression, what: str, node: int, branch: int = NONE, is_reached: bool = True
    ) -> Any:
        value = self.value(formula)
        if not isinstance(value, NumberError):
            return value
        self.fault(value, what, node, branch, is_reached)
        return None

    def value(self, formula: Expression) -> Any:
        """Return the value of a formula, or the error if it has no value."""
        try:
            number = self.values.of(formula)
        except ExpressionError as error:
            others = self.values.at(formula, shown=error.reason)
            return NumberError(f"{error.reason}{others}", error.hint)
        except NumberError as error:  # a number as written that floats cannot hold
            return error
        if self.tree.exact or abs(number) <= MAX_FLOAT:
            return number
        return NumberError(
            f"{quote(text_of(formula), 60)} is {message_text(number)}, beyond what floating point "
            f"can search (10^301){self.values.at(formula)}"
        )

    def fault(
        self, message: ExpectitreeError, what: str, node: int, branch: int, is_reached: bool
    ) -> None:
        """Report an error; below an outcome of probability 0, make it a warning."""
        if is_reached:
            self.report(message, what, node, branch)
        elif not self.unreached:
            path = self.tree.path_of(node, branch)
            self.unreached = (
                f"{path}: {message}; a value is not needed below an outcome of probability 0"
            )

    def outcomes(self, n: int, is_reached: bool) -> list[Number]:
        """Return the probabilities of a chance node; equal ones after an error."""
        branches, formulas, exact = self.tree.branches_of(n), self.formulas, self.tree.exact
        written = {b: p for b in branches if (p := formulas.probabilities[b]) != Name(REST)}
        rests = len(branches) - len(written)
        values, total, faults = self.checked(written, rests)
        for b, fault in faults.items():
            self.fault(fault, {NONE: "outcomes"}.get(b, "p"), n, b, is_reached)
        if faults:
            return [self.domain.number("1") / len(branches)] * len(branches)
        if not rests:
            if not exact and abs(total - 1) <= ROUNDING:
                total = 1
            if total == 1:  # so that they are shown as they are written
                return [values[b] for b in branches]
            return [values[b] / total for b in branches]
        # What is left of 1 by the decimals that Python prints: 0.7 leaves 0.3.
        left: Number = max(1 - sum_of([*map(to_exact, values.values())]), Fraction(0)) / rests
        left = written_like(values.values(), left)
        if not exact:
            left = float(left)
        return [values.get(b, left) for b in branches]

    def checked(
        self, written: Mapping[int, Expression], rests: int = 0
    ) -> tuple[dict[int, Any], Any, dict[int, ExpectitreeError]]:
        """Return the values of probabilities, their sum and the faults: -1 is that of the sum."""
        values = {b: self.value(formula) for b, formula in written.items()}
        faults = {b: fault for b, p in values.items() if (fault := self.fault_of_p(p, written[b]))}
        if faults:
            return values, 0, faults
        values = {b: min(max(p, p * 0), p * 0 + 1) for b, p in values.items()}
        total = sum_of([*values.values()])
        if fault := self.fault_of_sum(total, rests, written.values()):
            faults[NONE] = fault
        return values, total, faults

    def has_wrong_events(self) -> bool:
        """Report each event or test whose probabilities do not sum to 1; return whether one is.

        Those of its nodes, which follow from these, would hide where the mistake is.
        """
        faults = {
            name: fault
            for name, event in self.formulas.defined.items()
            for row in event.distributions()
            for fault in self.checked(dict(enumerate(row)))[2].values()
        }
        for name, fault in faults.items():
            if fault.kind == WRONG_SUM_OF_FORMULAS:
                fault = fault.with_hint(_HINT_OF_SUM.format("`rest` for one"))
            fault = fault.about(f"event {escape(name)}: ")
            self.report(fault, f"event {name}", self.tree.root_id, NONE)
        return bool(faults)

    def fault_of_p(self, p: Any, formula: Expression) -> ExpectitreeError | None:
        """Return the error about a value that is not a probability, or None."""
        if isinstance(p, NumberError):
            return p
        if -_TOLERANCE <= p <= 1 + _TOLERANCE:
            return None
        if not self.tree.exact:
            p = round(p, 12)
        return TreeError(
            f"p is {message_text(p)}{self.values.at(formula)}, expected a number from 0 to 1",
            _CHANGE,
        )

    def fault_of_sum(
        self, total: Any, rests: int, formulas: Iterable[Expression]
    ) -> ExpectitreeError | None:
        """Return the error about probabilities that do not sum to 1, or None."""
        if total <= 1 + _TOLERANCE and (rests or total >= 1 - _TOLERANCE):
            return None
        if not self.tree.exact:
            total = round(total, 12)
        problem = f"the probabilities sum to {message_text(total)}"
        where = self.values.at(*formulas)
        if rests:
            return TreeError(f"{problem} without the rest{where}, expected at most 1", _CHANGE_ONE)
        hint = _HINT_OF_SUM.format(P_REST)
        return TreeError(f"{problem}{where}, expected 1", hint, WRONG_SUM_OF_FORMULAS)

    def within_bounds(self, tree: Tree) -> Tree:
        """Return the tree with the utilities that have no value at 0, or at the nearest bound."""
        utility: Any = tree.columns.utility[:]
        lower, upper = tree.inherited_bounds(None)
        for n in self.without_value:
            utility[n] = min(max(self.domain.number("0"), lower[n]), upper[n])
        return replace(tree, columns=tree.columns._replace(utility=utility))
