"""What information about events is worth: the report behind `information`.

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
differences are prices (`price.py`). The evidence about several events is a combination of their
outcomes (`cases.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number
from expectitree.base.rounding import round_once
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.report import TreeReport
from expectitree.base.tree.transform import in_decimals
from expectitree.decide.information.beliefs import NEAR, check_steps
from expectitree.decide.information.cases import (
    Case,
    best_actions,
    cases_after,
    later_actions,
    outcome_cases,
)
from expectitree.decide.information.events import (
    Likelihoods,
    events_named,
    find_event,
    likelihood_values,
    such_as,
)
from expectitree.decide.information.price import price_of, worth_of
from expectitree.decide.records import Amount, Fields, Labels, Records, attributes
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search


@dataclass(frozen=True)
class Finding:
    """One piece of evidence: its probability, and the value given it."""

    name: str  # the known outcomes, or the signal of a test
    labels: Labels  # the same, one for each event; "-" if play does not meet it
    p: Number  # the probability of the evidence
    value: Number  # of the tree, given the evidence
    best: Labels  # the best actions at the root; empty if no player decides there
    later: Mapping[str, Labels]  # at each later decision that evidence changes, by path


@dataclass(frozen=True)
class Information(TreeReport):
    """The value of information about events; `information` makes it.

        >>> import expectitree as et
        >>> found = et.information(et.load("example:rockefeller"), "oil")
        >>> [(one.name, one.p, one.value) for one in found.outcomes]
        [('oil', 0.5, 2250.0), ('none', 0.5, 750.0)]

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        event: The name of the event, or the names of several.
        events: The names of the events.
        value: The value of the tree when nothing is known.
        best: The best actions then.
        with_information: The value of the tree if the outcome is known in advance.
        evpi: The expected value of perfect information: the difference. With an attitude to risk,
            the price at which the tree with the information is worth what it is without.
        outcomes: One finding for each outcome, or combination of outcomes, that can occur.
        with_test: The value of the tree with the free test; None without a test.
        evsi: The expected value of sample information: the difference; None without a test.
        efficiency: The EVSI as a share of the EVPI; None without a test, or if the EVPI is 0.
        signals: One finding for each signal of the test that can occur; empty without a test.
    """

    question = "information"
    has_decider = True

    event: str
    events: Labels
    value: Number
    best: Labels
    with_information: Number
    evpi: Number
    outcomes: tuple[Finding, ...]
    with_test: Number | None
    evsi: Number | None
    efficiency: float | None
    signals: tuple[Finding, ...]

    def to_records(self) -> Records:
        """Return a flat dict for each signal, or without a test for each outcome."""
        records = []
        for one in self.signals or self.outcomes:
            best = next(iter(one.best), None)
            figures = attributes(one, "name", "p", "value")
            records.append({"file": self.file, "event": self.event, **figures, "best": best})
        return records


@dataclass(frozen=True)
class Events(TreeReport):
    """What knowing each event of a file in advance is worth; `every_event` makes it."""

    question = "information"
    has_decider = True

    events: tuple[Information, ...]  # the one that is worth most first
    left_out: Mapping[str, str]  # why others have no EVPI: reasons by name

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        names = "event", "value", "best", "with_information", "evpi"
        events = [attributes(one, *names) for one in self.events]
        return {"events": events, "left_out": self.left_out}


def every_event(tree: Tree, *, exact: bool = False, file: str = "") -> Events:
    """Return the EVPI of each event that a file names; raise `AnalysisError` if it names none."""
    check_tree(tree)
    names = dict.fromkeys(tree.formulas.events.values())
    if not names:
        raise AnalysisError(
            "the file names no event: an event is what chance decides, perhaps at several nodes; "
            "write `event: NAME` next to `chance:` at each of them, or name one chance node by its "
            f"path{such_as(tree, '--event ')}"
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
    events: str | Sequence[str],
    *,
    likelihood: Likelihoods | None = None,
    exact: bool = False,
    file: str = "",
) -> Information:
    """Return what knowing events in advance is worth, or a free test for one.

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
        events: The name of an event (`event:` in the file), or the path of a chance node; or
            several, to know all of them.
        likelihood: For a test of one event: by signal and outcome, the probability of the signal
            given the outcome. It is a number, a formula of the tree's parameters, or "rest".
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no such event, the tree does not give its joint distribution with
            its signals and the other events, or the likelihoods do not sum to 1.
        SearchError: As for `evaluate`.
    """
    check_tree(tree)
    search_tree(tree)  # raises what is wrong with the tree
    names = [events] if isinstance(events, str) else events
    nodes = _checked_events(tree, names, len(likelihood or ()))
    numbers, eps = _to_compute(tree)
    now, play = Case({}, 1, numbers, {}), search_tree(numbers)
    if tree.attitude is None:
        play = replace(play, own_eps=eps)
    best = best_actions(play, play.tree.root_id)
    gain = partial(_gain, now, play)
    outcomes, with_information, evpi = gain(outcome_cases(tree, nodes, now), nodes)
    signals: tuple[Finding, ...] = ()
    with_test = evsi = None
    if likelihood is not None:
        event = find_event(numbers, tree, *next(iter(nodes.items())), {})
        test = likelihood_values(tree, likelihood, event.outcomes)
        signals, with_test, evsi = gain(cases_after(now, event, "signal", test), ["signal"])
    efficiency = float(evsi / evpi) if signals and evpi else None
    number = partial(round_once, exact=exact and tree.exact and len(tree) <= EXACT_NODES)
    about = file, tree, ", ".join(nodes), tuple(nodes), number(play.value), best
    gains = number((with_information, evpi, outcomes, with_test, evsi, efficiency, signals))
    return Information(*about, *gains)


def _to_compute(tree: Tree) -> tuple[Tree, Amount]:
    """Return the tree in the numbers to compute in, and by how much equal values may differ."""
    if len(tree) > EXACT_NODES:
        numbers = tree.floats
    else:
        numbers = in_decimals(tree).computed
        if tree.exact and not numbers.is_rounded:
            return numbers, 0
    return numbers, NEAR * float(numbers.greatest_magnitude)


def _checked_events(tree: Tree, names: Sequence[str], signals: int) -> dict[str, frozenset[int]]:
    """Return the nodes of events by name, in the order in which to find them.

    Those that the file defines are first, since they depend on no others.
    """
    nodes = events_named(tree, names)
    if not nodes or (signals and len(nodes) > 1):
        raise AnalysisError(f"{len(nodes)} events are named\nname one, or several without a test")
    outcomes = prod(len(tree.branches_of(max(some))) for some in nodes.values())
    check_steps(tree, nodes, outcomes * max(signals, 1))
    defined = tree.formulas.defined
    return {name: nodes[name] for name in sorted(nodes, key=lambda name: name not in defined)}


def _gain(
    now: Case, play: Search, cases: Iterable[Case], names: Collection[str]
) -> tuple[tuple[Finding, ...], Amount, Amount]:
    """Return a finding for each case, the value with free information, and what that is worth.

    Nothing is known `now`, whose search is `play`. A finding has a label for each event in `names`.
    """
    results = [(case, case.search(play)) for case in cases]
    later = [later_actions(known) for _, known in results]
    changed = {n for actions in later for n in actions if actions[n] != best_actions(play, n)}
    findings = []
    for (case, known), actions in zip(results, later, strict=True):
        labels = tuple(case.known.get(name, "-") for name in names)
        best = best_actions(known, known.tree.root_id)
        order = (n for n in known.tree.first_paths.order if n in changed & actions.keys())
        paths = {known.tree.path_of(n): actions[n] for n in order}
        findings.append(Finding(", ".join(labels), labels, case.p, known.value, best, paths))
    chances = [case.p for case, _ in results]
    if now.tree.attitude is None:
        informed = sum(one.p * one.value for one in findings)
        return tuple(findings), informed, (informed - play.value) * now.tree.gain_sign
    trees = [case.tree for case, _ in results]
    return tuple(findings), worth_of(chances, trees)[0], price_of(chances, trees, now.tree)
