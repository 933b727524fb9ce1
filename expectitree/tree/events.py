"""Events and tests that a file defines once: the probabilities of their nodes, by Bayes' rule.

At a node of an event, after the signals s of tests on the way there:

    joint(o)    P(o), times P(s | o) for each of the signals
    P(o | s)    joint(o) / the sum of joint
    P(t | s)    the sum of joint(o) * P(t | o), / the sum of joint, for a signal t of another test

Given the outcome, the signals are independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from expectitree.base.errors import NumberError, TreeError
from expectitree.base.expressions.domains import domain_of
from expectitree.base.expressions.evaluation import evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import Expression, names_in
from expectitree.base.numbers import escape, exact_text
from expectitree.tree.bayes import ONE, ZERO, Definitions, product, quotient
from expectitree.tree.columns import NONE
from expectitree.tree.formulas import Definition, Formulas, Parameter
from expectitree.tree.model import Tree
from expectitree.tree.parameters import ParameterValues, Report, evaluated, raise_at

# What play has shown of an event so far: signals with their tests, or the outcome; None if paths
# that show different things lead to one node.
Shown: TypeAlias = "tuple[tuple[str, str], ...] | str | None"

_NEAR = 1e-9  # by which derived probabilities may differ, unless the tree is exact


def define_probabilities(tree: Tree, defined: Mapping[str, Definition], report: Report) -> Tree:
    """Return the tree with formulas for the probabilities of all nodes of defined events.

    The numbers of the tree do not change until the formulas are evaluated.
    """
    derivation = _Derivation(tree, defined, report)
    derivation.run()
    parameters, formulas = derivation.posteriors.definitions.parameters, tree.formulas
    if formulas is not None:
        own = {b for n in derivation.nodes for b in tree.branches_of(n)}
        others = {b: p for b, p in formulas.probabilities.items() if b not in own}
        probabilities = {**others, **derivation.found}
        formulas = Formulas(
            formulas.nodes, probabilities, formulas.rewards, formulas.events, dict(defined)
        )
    return replace(tree, parameters=parameters, formulas=formulas)


def with_definitions(tree: Tree, defined: Mapping[str, Definition]) -> Tree:
    """Return a transformed tree with the definitions of its events, if they still hold.

    They hold if the probabilities that follow from them are those of the tree. Otherwise the tree
    has none.
    """
    if tree.formulas is None:
        return tree
    try:
        found = evaluated(define_probabilities(tree, defined, raise_at(tree)))[0]
        pairs: Any = zip(tree.columns.probability, found.columns.probability, strict=True)
        near = 0 if tree.exact and not tree.error else _NEAR
        defined = {} if any(abs(p - q) > near for p, q in pairs) else defined
    except TreeError:
        defined = {}
    return replace(tree, formulas=replace(tree.formulas, defined=dict(defined)))


def written_parameters(tree: Tree) -> Mapping[str, Parameter]:
    """Return the parameters without those that `define_probabilities` derives."""
    formulas = tree.formulas
    if formulas is None or not formulas.defined:
        return tree.parameters
    written = [*formulas.nodes.values(), *formulas.rewards.values()]
    derived: list[Expression] = []
    for n in range(len(tree)):
        own = derived if formulas.events.get(n) in formulas.defined else written
        own += [p for b in tree.branches_of(n) if (p := formulas.probabilities.get(b))]
    for one in formulas.defined.values():
        written += one.expressions()
    left_out = _names(tree, derived) - _names(tree, written)
    kept = {name: one for name, one in tree.parameters.items() if name not in left_out}
    try:
        again = define_probabilities(
            replace(tree, parameters=kept), formulas.defined, raise_at(tree)
        )
    except TreeError:
        return tree.parameters
    return kept if again.parameters == tree.parameters else tree.parameters


def _names(tree: Tree, formulas: Sequence[Expression]) -> set[str]:
    """Return the parameters in some formulas, and those from which they are derived."""
    pending = [name for part in formulas for name in names_in(part)]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found and name in tree.parameters:  # else it is `rest`
            found.add(name)
            pending += tree.parameters[name].bases
    return found


def in_numbers(tree: Tree, defined: Mapping[str, Definition]) -> dict[str, Definition]:
    """Return definitions with numbers in place of formulas of the tree's parameters."""
    values = ParameterValues(tree.parameters, domain_of(tree.exact))

    def number(formula: Expression) -> Expression:
        return parse(exact_text(evaluate(formula, values.domain, values)), ())

    try:
        return {
            name: Definition(
                {o: number(p) for o, p in one.prior.items()},
                one.test_of,
                {s: {o: number(p) for o, p in row.items()} for s, row in one.likelihood.items()},
            )
            for name, one in defined.items()
        }
    except NumberError:  # a definition that no node uses
        return {}


class Histories:
    """The outcomes of each defined event that play has shown, node by node."""

    def __init__(self, tree: Tree, defined: Mapping[str, Definition]) -> None:
        self.tree, self.defined = tree, defined
        self.events = tree.formulas.events if tree.formulas is not None else {}

    def __iter__(self) -> Iterator[tuple[int, dict[str, Shown]]]:
        """Yield each node and what has been shown before it by event, parents before children."""
        tree, child = self.tree, self.tree.columns.child
        pending: dict[int, dict[str, Shown]] = {tree.root_id: {}}
        for n in range(tree.root_id, -1, -1):
            shown = pending.pop(n, {})
            yield n, shown
            for b in tree.branches_of(n):
                after = self.after(n, b, shown)
                met = pending.setdefault(child[b], after)
                if met is not after and met != after:
                    pending[child[b]] = {
                        key: met.get(key, ()) if met.get(key, ()) == after.get(key, ()) else None
                        for key in {*met, *after}
                    }

    def after(self, n: int, b: int, shown: dict[str, Shown]) -> dict[str, Shown]:
        """Return what play has shown after a branch."""
        name = self.events.get(n, "")
        if name not in self.defined:
            return shown
        label = self.tree.branch_label(n, b)
        event = self.defined[name].test_of or name
        before = shown.get(event, ())
        if event == name:
            return {**shown, event: label}
        if isinstance(before, tuple):
            return {**shown, event: tuple(sorted((*before, (name, label))))}
        return shown


class Posteriors:
    """Bayes' rule in formulas, for defined events."""

    def __init__(self, defined: Mapping[str, Definition], definitions: Definitions) -> None:
        self.defined, self.definitions = defined, definitions

    def chances(self, name: str, known: tuple[tuple[str, str], ...] | str) -> dict[str, Expression]:
        """Return the probabilities of outcomes or signals after some signals, or the outcome."""
        one = self.defined[name]
        if isinstance(known, str):
            if one.test_of:
                return {s: row[known] for s, row in one.likelihood.items()}
            return {o: ONE if o == known else ZERO for o in one.prior}
        total = self._total(one.test_of or name, known)
        if not one.test_of:
            return {o: quotient(p, total) for o, p in self._joint(name, known).items()}
        after = {s: (*known, (name, s)) for s in one.likelihood}
        return {s: quotient(self._total(one.test_of, some), total) for s, some in after.items()}

    def _joint(self, event: str, known: Sequence[tuple[str, str]]) -> dict[str, Expression]:
        """Return the probability of each outcome together with signals."""
        return {
            o: product(p, *(self.defined[test].likelihood[signal][o] for test, signal in known))
            for o, p in self.defined[event].prior.items()
        }

    def _total(self, event: str, known: Sequence[tuple[str, str]]) -> Expression:
        """Return the probability of signals."""
        known = sorted(known)
        if not known:
            return ONE
        return self.definitions.sum(
            [*self._joint(event, known).values()], *(signal for _, signal in known)
        )


class _Derivation:
    """Finds the probabilities of nodes, parents before children."""

    def __init__(self, tree: Tree, defined: Mapping[str, Definition], report: Report) -> None:
        self.tree, self.defined, self.report = tree, defined, report
        self.posteriors = Posteriors(defined, Definitions(tree.parameters))
        self.found: dict[int, Expression] = {}  # by branch
        self.nodes: list[int] = []  # of defined events

    def run(self) -> None:
        histories = Histories(self.tree, self.defined)
        for n, shown in histories:
            name = histories.events.get(n, "")
            if name in self.defined:
                self.nodes.append(n)
                self._define(n, name, shown)

    def _define(self, n: int, name: str, shown: Mapping[str, Shown]) -> None:
        """Write the probabilities of a node, or report why it has none."""
        tree, one = self.tree, self.defined[name]
        labels = [tree.branch_label(n, b) for b in tree.branches_of(n)]
        if sorted(labels) != sorted(one.labels):
            what, expected = ", ".join(map(escape, labels)), ", ".join(map(escape, one.labels))
            self._fault(n, f"the outcomes of {escape(name)} are {what} here, expected {expected}")
            return
        known = shown.get(one.test_of or name, ())
        if known is None:
            self._fault(
                n,
                f"paths with different signals lead to this node, so {escape(name)} has different "
                "probabilities: write the node once below each signal",
            )
        elif isinstance(known, str) and not one.test_of:
            self._fault(
                n, f"{escape(name)} is {escape(known)} on the way here: an event happens once"
            )
        else:
            chances = self.posteriors.chances(name, known)
            self._write(n, [chances[label] for label in labels])

    def _write(self, n: int, chances: Sequence[Expression]) -> None:
        if all(p == ZERO for p in chances):  # the signals cannot occur
            return
        self.found.update(zip(self.tree.branches_of(n), chances, strict=True))

    def _fault(self, n: int, message: str) -> None:
        self.report(message, "outcomes", n, NONE)
