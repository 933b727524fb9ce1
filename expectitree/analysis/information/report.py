"""What information about an event is worth: the report behind `information`.

EVPI      the expected value with perfect information, less the value now (Howard, 1966)
EVSI      the same for the signal of a test, which is free
control   the value if MAX could choose the outcome, less the value now
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from expectitree.analysis.information.conditioning import Event, find_event
from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import Number, escape, message_text
from expectitree.searches.engine import evaluate
from expectitree.tree.model import Tree, check_tree

Likelihoods = Mapping[str, Mapping[str, Any]]  # signal -> outcome -> probability
_NEAR = 1e-9


@dataclass(frozen=True)
class Finding:
    """What is known, how likely that is, and what the tree is worth then.

    Attributes:
        name: The outcome that is known, or the signal of a test.
        probability: How likely it is.
        value: The value of the tree, given that.
        best: The best actions at the root; empty if no player decides there.
    """

    name: str
    probability: Number
    value: Number
    best: tuple[str, ...]


@dataclass(frozen=True)
class Information(Shown):
    """What information about an event is worth; `information` makes it.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        event: The name of the event.
        value: The value now.
        best: The best actions now.
        findings: One for each outcome of the event, or for each signal of the test.
        with_information: The value if the outcome, or the signal, is known in advance.
        perfect: The value if the outcome is known in advance; the same without a test.
        is_test: Whether the information is the signal of a test.
        control: The outcome that MAX would choose, and the value then.
    """

    file: str
    tree: Tree
    event: str
    value: Number
    best: tuple[str, ...]
    findings: tuple[Finding, ...]
    with_information: Number
    perfect: Number
    is_test: bool
    control: tuple[str, Number]

    @property
    def worth(self) -> Number:
        """What the information is worth: the EVPI, or the EVSI of a test."""
        return self.with_information - self.value

    @property
    def evpi(self) -> Number:
        """The expected value of perfect information."""
        return self.perfect - self.value


def information(
    tree: Tree, event: str, *, likelihood: Likelihoods | None = None, file: str = ""
) -> Information:
    """Compute what knowing an event in advance is worth, or a free test for it.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sell: 3, drill: {chance: {oil: {p: 1/4, utility: 10}, dry: "
        ...                 "{p: 3/4, utility: -2}}}}")
        >>> found = et.information(tree, "drill")
        >>> found.value, found.with_information, found.evpi
        (3.0, 4.75, 1.75)

    Args:
        tree: The tree.
        event: The name of an event (`event:` in the file), or the path of a chance node.
        likelihood: For a test: by signal, the probability of the signal for each outcome.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: There is no such event, a decision changes its probability, only some
            outcomes of a chance node meet it, or the likelihoods do not sum to 1.
    """
    check_tree(tree, "information")
    found = find_event(tree, event)
    search = evaluate(tree)
    perfect = _findings(
        found, {o: {p: int(p == o) for p in found.outcomes} for o in found.outcomes}
    )
    findings = perfect
    if likelihood is not None:
        _check_likelihoods(found, likelihood)
        findings = _findings(found, likelihood)
    with_information, with_perfect = (
        sum(one.probability * one.value for one in some) for some in (findings, perfect)
    )
    return Information(
        file,
        tree,
        event,
        search.value,
        search.ties,
        findings,
        with_information,
        with_perfect,
        likelihood is not None,
        found.value_of_control(),
    )


def _findings(event: Event, weights: Likelihoods) -> tuple[Finding, ...]:
    """Return what is known for each outcome or signal that can occur."""
    found = []
    for name, weight in weights.items():
        probability = sum(p * weight[outcome] for outcome, p in event.prior.items())
        if probability:
            found.append(Finding(name, probability, *event.value_given(weight)))
    return tuple(found)


def _check_likelihoods(event: Event, likelihood: Likelihoods) -> None:
    """Raise `AnalysisError` unless each outcome has a distribution over the signals."""
    for signal, row in likelihood.items():
        if set(row) != set(event.outcomes):
            raise AnalysisError(
                f"the signal {escape(signal)} has likelihoods of {', '.join(map(escape, row))}, "
                f"expected one of each outcome: {', '.join(map(escape, event.outcomes))}"
            )
    for outcome in event.outcomes:
        total = sum(row[outcome] for row in likelihood.values())
        if abs(total - 1) > (0 if event.tree.exact else _NEAR):
            raise AnalysisError(
                f"the likelihoods of the signals for {escape(outcome)} sum to "
                f"{message_text(total)}, expected 1"
            )
