"""Bayes' rule in formulas: the probabilities of the nodes of events that a file defines once.

At a node of an event, after the signals s of tests on the way there:

    joint(o)    P(o), times P(s | o) for each of the signals
    P(o | s)    joint(o) / the sum of joint
    P(t | s)    the sum of joint(o) * P(t | o), / the sum of joint, for a signal t of another test

Given the outcome, the signals are independent. The sums are parameters with names.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from expectitree.base.expressions.syntax import (
    MAX_LENGTH,
    RESERVED,
    Apply,
    Expression,
    Name,
    Number,
    text_of,
)
from expectitree.base.numbers import escape
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.formulas import ByName, Events, Parameter, Parameters
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import Report

ZERO, ONE = Number("0"), Number("1")
_SHORT = 5  # characters of an expression that needs no name, such as 1/3
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")

# What play has shown of an event so far: signals with their tests, or the outcome.
Shown: TypeAlias = "tuple[tuple[str, str], ...] | str"


def product(*factors: Expression) -> Expression:
    """Return the product of expressions; `p * (x / p)` is x."""
    result: Expression = ONE
    for factor in factors:
        if ZERO in (result, factor):
            return ZERO
        cancelled = _other(factor, "/", result) or _other(result, "/", factor)
        if result == ONE:
            result = factor
        elif cancelled is not None:
            result = cancelled
        elif factor != ONE:
            result = Apply("*", (result, factor))
    return result


def _other(expression: Expression, operation: str, known: Expression) -> Expression | None:
    """Return x if an expression is `x / known`, or for the other operation `known - x`."""
    if not isinstance(expression, Apply) or expression.operation != operation:
        return None
    other, same = expression.operands
    if operation == "-":
        other, same = same, other
    if same == known:
        return other
    return None


def quotient(a: Expression, b: Expression) -> Expression:
    """Return the quotient of two expressions."""
    if a == ZERO or b == ONE:
        return a
    if a == b:
        return ONE
    return Apply("/", (a, b))


def total(terms: Sequence[Expression]) -> Expression:
    """Return the sum of expressions."""
    terms = [term for term in terms if term != ZERO] or [ZERO]
    result = terms[0]
    for term in terms[1:]:
        result = Apply("+", (result, term))
    return result


def rest_of(others: Sequence[Expression], count: int = 1) -> Expression:
    """Return what some probabilities leave of 1, for each of `count` outcomes."""
    if len(others) == count == 1 and (complement := _other(others[0], "-", ONE)) is not None:
        return complement
    rest: Expression = ONE
    for other in others:
        if other != ZERO:
            rest = Apply("-", (rest, other))
    if count == 1:
        return rest
    return Apply("/", (rest, Number(str(count))))


class Definitions:
    """The parameters of a tree by name, and more that are derived from them."""

    def __init__(self, parameters: Parameters) -> None:
        # New formulas may need a sum that `define_probabilities` derived, so writers keep it.
        self.parameters = {
            name: replace(parameter, is_sum=False) for name, parameter in parameters.items()
        }
        self._counts: dict[str, int] = {}  # the number of the last name made of some words
        self._known = {
            text_of(parameter.value): name
            for name, parameter in self.parameters.items()
            if parameter.bases
        }

    def sum(self, terms: Sequence[Expression], *words: str) -> Expression:
        """Return the sum of some terms, as the name of a derived parameter unless it is short.

        `words` are what the name is made of.
        """
        result = total(terms)
        text = text_of(result)
        if not isinstance(result, Apply) or len(text) <= _SHORT:
            return result
        if len(text) > MAX_LENGTH and len(terms) > 1:
            half = len(terms) // 2
            result = total([self.sum(part, *words) for part in (terms[:half], terms[half:])])
            text = text_of(result)
        if text not in self._known:
            wanted = "_".join(("p", *words))
            start = self._counts.get(wanted, 1)
            name, self._counts[wanted] = free_name(wanted, self.parameters, start)
            self._known[text] = name
            self.parameters[name] = Parameter(name, result)
        return Name(self._known[text])


def free_name(wanted: str, taken: Collection[str], start: int = 1) -> tuple[str, int]:
    """Return a name that is not taken, of a text and a number from `start` on, and the number."""
    name = _NOT_IN_NAMES.sub("_", wanted).strip("_") or "p"
    if name[0].isdigit():
        name = f"p_{name}"
    for count in itertools.count(start):
        free = name if count == 1 else f"{name}_{count}"
        if free not in taken and free not in RESERVED:
            break
    return free, count


def define_probabilities(tree: Tree, defined: Events, report: Report) -> Tree:
    """Return the tree with formulas for the probabilities of all nodes of defined events.

    The numbers of the tree do not change until the formulas are evaluated.
    """
    if not tree.formulas:
        return tree
    posteriors = Posteriors(defined, tree.parameters)
    probabilities = dict(tree.formulas.probabilities)
    for n, shown in histories(tree, defined):
        name = tree.formulas.events.get(n, "")
        if name not in defined:
            continue
        labels = {b: tree.branch_label(n, b) for b in tree.branches_of(n)}
        known = shown.get(defined[name].test_of or name, ())
        if isinstance(known, str) and not defined[name].test_of:
            report(
                f"{escape(name)} is {escape(known)} on the way here: an event happens once",
                "outcomes",
                n,
                NONE,
            )
            continue
        chances = posteriors.chances(name, known)
        if any(p != ZERO for p in chances.values()):  # otherwise the signals cannot occur
            probabilities.update((b, chances[label]) for b, label in labels.items())
    parameters = dict(tree.parameters)
    for name, parameter in posteriors.parameters.items():
        parameters.setdefault(name, replace(parameter, is_sum=True))
    formulas = replace(tree.formulas, probabilities=probabilities, defined=dict(defined))
    return replace(tree, parameters=parameters, formulas=formulas)


def written_parameters(tree: Tree) -> Parameters:
    """Return the parameters without those that `define_probabilities` derives."""
    if not tree.formulas.defined:
        return tree.parameters
    return {name: parameter for name, parameter in tree.parameters.items() if not parameter.is_sum}


def histories(tree: Tree, defined: Events) -> Iterator[tuple[int, dict[str, Shown]]]:
    """Yield each node and what play has shown before it by event, parents before children.

    An event on which a shared node does not depend may have another history on another path.
    """
    child = tree.columns.child
    pending: dict[int, dict[str, Shown]] = {tree.root_id: {}}
    for n in range(tree.root_id, -1, -1):
        shown = pending.pop(n, {})
        yield n, shown
        for b in tree.branches_of(n):
            pending.setdefault(child[b], shown_after(tree, defined, n, b, shown))


def shown_after(
    tree: Tree, defined: Events, n: int, b: int, shown: dict[str, Shown]
) -> dict[str, Shown]:
    """Return what play has shown by event after a branch of a node."""
    name = tree.formulas.events.get(n, "")
    if name not in defined:
        return shown
    label = tree.branch_label(n, b)
    event = defined[name].test_of or name
    before = shown.get(event, ())
    if event == name:
        return {**shown, event: label}
    if isinstance(before, str):
        return shown
    return {**shown, event: tuple(sorted((*before, (name, label))))}


class Posteriors(Definitions):
    """Bayes' rule in formulas, for defined events."""

    def __init__(self, defined: Events, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.defined = defined

    def chances(self, name: str, known: tuple[tuple[str, str], ...] | str) -> ByName:
        """Return the probabilities of outcomes or signals after some signals, or the outcome."""
        event = self.defined[name]
        if isinstance(known, str):
            if event.test_of:
                return {s: row[known] for s, row in event.likelihood.items()}
            return {o: ONE if o == known else ZERO for o in event.prior}
        total = self._total(event.test_of or name, known)
        if not event.test_of:
            return {o: quotient(p, total) for o, p in self._joint(name, known).items()}
        after = {s: (*known, (name, s)) for s in event.likelihood}
        return {
            s: quotient(self._total(event.test_of, longer), total) for s, longer in after.items()
        }

    def _joint(self, event: str, known: Sequence[tuple[str, str]]) -> ByName:
        """Return the probability of each outcome together with signals."""
        joint = {}
        for o, p in self.defined[event].prior.items():
            given = (self.defined[test].likelihood[signal][o] for test, signal in known)
            joint[o] = product(p, *given)
        return joint

    def _total(self, event: str, known: Sequence[tuple[str, str]]) -> Expression:
        known = sorted(known)
        if not known:
            return ONE
        joint = self._joint(event, known)
        return self.sum([*joint.values()], *(signal for _, signal in known))
