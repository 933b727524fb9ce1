"""What information about an event is worth: the report behind `information`.

EVPI  the expected value with perfect information, less the value now (Howard, 1966)
EVSI  the same for the signal of a test, which is free
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.numbers import Number, returned
from expectitree.decide.decimals import in_decimals
from expectitree.decide.information.beliefs import NEAR, Event, check_steps, weight
from expectitree.decide.information.conditioning import Conditioning
from expectitree.decide.information.find import find_event, name_of, nodes_of
from expectitree.decide.information.likelihoods import Likelihoods, likelihood_values
from expectitree.searches.engine import search_tree
from expectitree.tree.builder import EXACT_NODES
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.transform import in_floats


@dataclass(frozen=True)
class Finding:
    """One piece of evidence: its probability, and the value given it.

    Attributes:
        name: A known outcome, or the signal of a test.
        probability: The probability of the evidence.
        value: The value of the tree, given the evidence.
        best: The best actions at the root; empty if no player decides there.
    """

    name: str
    probability: Number
    value: Number
    best: tuple[str, ...]


@dataclass(frozen=True)
class Information(Shown):
    """The value of information about an event; `information` makes it.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        event: The name of the event.
        value: The value of the tree when nothing is known.
        best: The best actions then.
        outcomes: One finding for each outcome that can occur.
        with_information: The value of the tree if the outcome is known in advance.
        evpi: The expected value of perfect information: the difference.
        signals: One finding for each signal of the test that can occur; empty without a test.
        with_test: The value of the tree with the free test; None without a test.
        evsi: The expected value of sample information: the difference; None without a test.
        efficiency: The EVSI as a share of the EVPI; None without a test, or if the EVPI is 0.
    """

    question = "information"

    file: str
    tree: Tree
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
        TreeError: The tree has an attitude to risk.
        SearchError: As for `evaluate`.
    """
    check_tree(tree, "information")
    search_tree(tree)  # raises what is wrong with the tree
    is_quick = len(tree) <= EXACT_NODES
    numbers = in_decimals(tree).computed if is_quick else in_floats(tree)
    is_exact = is_quick and tree.exact and not numbers.is_rounded
    eps: Any = 0 if is_exact else NEAR * float(numbers.greatest_magnitude)
    given = Conditioning(numbers, eps)
    name = name_of(tree, event)
    check_steps(tree, name, nodes_of(tree, name), len(likelihood or ()))
    found = find_event(numbers, tree, name)
    results = given.given(found, [o for o, _, _ in found.possible])
    outcomes = [
        Finding(label, p, *result)
        for (_, label, p), result in zip(found.possible, results, strict=True)
    ]
    value, best = given.now
    with_information = _mean(outcomes)
    evpi = with_information - value
    signals: list[Finding] = []
    with_test: Any = None
    evsi: Any = None
    efficiency = None
    if likelihood is not None:
        signals = _signals(tree, given, found, likelihood)
        with_test = _mean(signals)
        evsi = with_test - value
        efficiency = float(evsi / evpi) if evpi else None
    number = partial(returned, exact=exact and is_quick and tree.exact)
    return Information(
        file=file,
        tree=tree,
        event=name,
        value=number(value),
        best=best,
        outcomes=number(tuple(outcomes)),
        with_information=number(with_information),
        evpi=number(evpi),
        signals=number(tuple(signals)),
        with_test=number(with_test),
        evsi=number(evsi),
        efficiency=efficiency,
    )


def _signals(
    tree: Tree, given: Conditioning, event: Event, likelihood: Likelihoods
) -> list[Finding]:
    """Return the signals of a test that can occur."""
    is_exact = isinstance(given.tree.columns.utility[0], Fraction)
    weights = {}
    for signal, row in likelihood_values(tree, likelihood, event.outcomes).items():
        own = [row[o] if is_exact else float(row[o]) for o in event.outcomes]
        if weight(event.prior, own):
            weights[signal] = own
    results = zip(weights.items(), given.given(event, weights.values()), strict=True)
    return [Finding(signal, weight(event.prior, own), *result) for (signal, own), result in results]


def _mean(findings: Sequence[Finding]) -> Any:
    return sum(one.probability * one.value for one in findings)
