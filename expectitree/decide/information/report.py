"""What information about an event is worth: the report behind `information`.

EVPI  the expected value with perfect information, less the value now (Howard, 1966)
EVSI  the same for the signal of a test, which is free

The evidence is a known outcome, or the signal of a test with a likelihood for each outcome. By
Bayes' rule, with the beliefs about the event at each node:

    W(node)       the sum of P(o | node) * P(evidence | o): the probability of the evidence
    event node    p(o) becomes p(o) * P(evidence | o) / W(node)
    other CHANCE  p(i) becomes p(i) * W(after i) / W(node)

A node from which play meets neither the event nor a signal of it keeps its value. Both players know
the evidence. If MIN is the decision maker, EVPI and EVSI are what MIN saves: the value now, less
the value with information. With an attitude to risk, values are certainty equivalents, and both
differences are prices (`price.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, quote, returned
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.formulas import Formulas
from expectitree.base.tree.model import Tree, TreeReport, check_tree
from expectitree.base.tree.transform import in_decimals, in_floats
from expectitree.decide.information.beliefs import NEAR, Event, Evidence, weight
from expectitree.decide.information.events import Likelihoods, find_event, likelihood_values
from expectitree.decide.information.price import price_of, worth_of
from expectitree.searches.backward_induction import values_under
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS


@dataclass(frozen=True)
class Finding:
    """One piece of evidence: its probability, and the value given it."""

    name: str  # a known outcome, or the signal of a test
    p: Number  # the probability of the evidence
    value: Number  # of the tree, given the evidence
    best: tuple[str, ...]  # the best actions at the root; empty if no player decides there


@dataclass(frozen=True)
class Information(TreeReport):
    """The value of information about an event; `information` makes it.

        >>> import expectitree as et
        >>> found = et.information(et.load("example:rockefeller"), "oil")
        >>> [(one.name, one.p, one.value) for one in found.outcomes]
        [('oil', 0.5, 2250.0), ('none', 0.5, 750.0)]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        event: The name of the event.
        value: The value of the tree when nothing is known.
        best: The best actions then.
        with_information: The value of the tree if the outcome is known in advance.
        evpi: The expected value of perfect information: the difference. With an attitude to risk,
            the price at which the tree with the information is worth what it is without.
        outcomes: One finding for each outcome that can occur.
        with_test: The value of the tree with the free test; None without a test.
        evsi: The expected value of sample information: the difference; None without a test.
        efficiency: The EVSI as a share of the EVPI; None without a test, or if the EVPI is 0.
        signals: One finding for each signal of the test that can occur; empty without a test.
    """

    question = "information"
    has_decider = True

    event: str
    value: Number
    best: tuple[str, ...]
    with_information: Number
    evpi: Number
    outcomes: tuple[Finding, ...]
    with_test: Number | None
    evsi: Number | None
    efficiency: float | None
    signals: tuple[Finding, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each signal, or without a test for each outcome."""
        about = {"file": self.file, "event": self.event}
        findings = self.signals or self.outcomes
        return [about | vars(one) | {"best": next(iter(one.best), None)} for one in findings]


@dataclass(frozen=True)
class Events(TreeReport):
    """What knowing each event of a file in advance is worth; `every_event` makes it."""

    question = "information"
    has_decider = True

    events: tuple[Information, ...]  # the one that is worth most first
    left_out: Mapping[str, str]  # why others have no EVPI: reasons by name

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        names = ("event", "value", "best", "with_information", "evpi")
        events = [{name: getattr(one, name) for name in names} for one in self.events]
        return {"events": events, "left_out": self.left_out}


def every_event(tree: Tree, *, exact: bool = False, file: str = "") -> Events:
    """Return the EVPI of each event that a file names; raise `AnalysisError` if it names none."""
    check_tree(tree)
    names = dict.fromkeys((tree.formulas or Formulas()).events.values())
    if not names:
        path = next((path for node, path in tree.walk() if node.kind == CHANCE), "")
        such = f", such as --event {quote(path)}" if path else ""
        raise AnalysisError(
            "the file names no event: an event is what chance decides, perhaps at several nodes; "
            "write `event: NAME` next to `chance:` at each of them, or name one chance node by its "
            f"path{such}"
        )
    found, left_out = [], {}
    for name in names:
        try:
            found.append(information(tree, name, exact=exact, file=file))
        except AnalysisError as error:
            left_out[name] = str(error)
    found.sort(key=lambda one: -one.evpi)
    return Events(file, tree, tuple(found), left_out)


def information(
    tree: Tree,
    event: str,
    *,
    likelihood: Likelihoods | None = None,
    exact: bool = False,
    file: str = "",
) -> Information:
    """Return what knowing an event in advance is worth, or a free test for it.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sell: 3, drill: {chance: {oil: {p: 1/4, utility: 10}, dry: "
        ...                 "{p: 3/4, utility: -2}}}}")
        >>> found = et.information(tree, "drill")
        >>> found.value, found.with_information, found.evpi
        (3.0, 4.75, 1.75)
        >>> test = {"good": {"oil": 0.8, "dry": 0.2}, "bad": {"oil": "rest", "dry": "rest"}}
        >>> et.information(tree, "drill", likelihood=test).evsi
        0.65

    Args:
        tree: The tree.
        event: The name of an event (`event:` in the file), or the path of a chance node.
        likelihood: For a test: by signal and outcome, the probability of the signal given the
            outcome. It is a number, a formula of the tree's parameters, or "rest".
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no such event, the tree does not give its joint distribution with
            its signals, or the likelihoods do not sum to 1.
        SearchError: As for `evaluate`.
    """
    check_tree(tree)
    search_tree(tree)  # raises what is wrong with the tree
    is_quick = len(tree) <= EXACT_NODES
    numbers = in_decimals(tree).computed if is_quick else in_floats(tree)
    is_exact = is_quick and tree.exact and not numbers.is_rounded
    eps: Any = 0 if is_exact else NEAR * float(numbers.greatest_magnitude)
    found = find_event(numbers, tree, event, len(likelihood or ()))
    given = _Conditioning(found, eps)
    value, best = given.result(None)
    known: dict[str, Evidence] = {label: o for o, label in enumerate(found.outcomes)}
    outcomes = given.findings(known)
    with_information, evpi = given.gain(value, outcomes, known)
    signals: tuple[Finding, ...] = ()
    with_test: Any = None
    evsi: Any = None
    efficiency = None
    if likelihood is not None:
        is_fraction = isinstance(numbers.columns.utility[0], Fraction)
        number_of: Any = Fraction if is_fraction else float
        rows = likelihood_values(tree, likelihood, found.outcomes)
        test: dict[str, Evidence] = {
            signal: [number_of(row[o]) for o in found.outcomes] for signal, row in rows.items()
        }
        signals = given.findings(test)
        with_test, evsi = given.gain(value, signals, test)
        efficiency = float(evsi / evpi) if evpi else None
    number = partial(returned, exact=exact and is_quick and tree.exact)
    return Information(
        file=file,
        tree=tree,
        event=found.name,
        value=number(value),
        best=best,
        outcomes=number(outcomes),
        with_information=number(with_information),
        evpi=number(evpi),
        signals=number(signals),
        with_test=number(with_test),
        evsi=number(evsi),
        efficiency=efficiency,
    )


@dataclass(frozen=True)
class _Conditioning:
    """Values of a tree, given evidence about an event; `eps` is the difference that is a tie."""

    event: Event
    eps: Any

    def findings(self, evidence: Mapping[str, Evidence]) -> tuple[Finding, ...]:
        """Return a finding for each piece of evidence that is possible."""
        chances = {name: weight(self.event.prior, one) for name, one in evidence.items()}
        return tuple(
            Finding(name, p, *self.result(evidence[name])) for name, p in chances.items() if p
        )

    def result(self, evidence: Evidence | None) -> tuple[Any, tuple[str, ...]]:
        """Return the value of the tree and its best actions, given evidence or nothing."""
        tree, columns = self.event.tree, self.event.tree.columns
        if tree.attitude is not None:
            search = search_tree(self.tree(evidence))
            return search.value, search.ties
        probability, known = [*columns.probability], dict[int, int]()
        for n, shares in self.shares(evidence):
            if len(shares) == 1:  # a known outcome, often one of many
                (known[n],) = shares
            for b in shares if n in known else tree.branches_of(n):
                probability[b] = shares.get(b, 0)
        columns = columns._replace(probability=probability)
        values = values_under(replace(tree, columns=columns), known)
        root, best = tree.root_id, []
        for b in tree.branches_of(root) if columns.kind[root] in PLAYERS else ():
            if abs(tree.reward_of(b) + values[columns.child[b]] - values[root]) <= self.eps:
                best.append(tree.branch_label(root, b))
        return tree.root_reward + values[root], tuple(best)

    def gain(
        self, value: Any, findings: Sequence[Finding], evidence: Mapping[str, Evidence]
    ) -> tuple[Any, Any]:
        """Return the value of the tree with free information, and what the information is worth."""
        if self.event.tree.attitude is None:
            informed = sum(one.p * one.value for one in findings)
            return informed, (informed - value) * self.event.tree.gain_sign
        lottery = [one.p for one in findings], [self.tree(evidence[one.name]) for one in findings]
        return worth_of(*lottery)[0], price_of(*lottery, self.event.tree)

    def tree(self, evidence: Evidence | None) -> Tree:
        """Return the tree with its probabilities given evidence or nothing."""
        tree = self.event.tree
        probability: Any = tree.columns.probability[:]
        for n, shares in self.shares(evidence):
            for b in tree.branches_of(n):
                probability[b] = probability[b] * 0 + shares.get(b, 0)  # a float stays one
        return replace(tree, columns=tree.columns._replace(probability=probability))

    def shares(self, evidence: Evidence | None) -> Iterator[tuple[int, Mapping[int, Any]]]:
        """Yield the chance nodes that evidence changes, and the probabilities of their branches."""
        if evidence is None:
            return
        kind = self.event.tree.columns.kind
        for n in self.event.scope:
            shares = self.event.shares(n, evidence) if kind[n] == CHANCE else {}
            if shares:
                yield n, shares
