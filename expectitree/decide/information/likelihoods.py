"""The likelihoods of a test: signal, then outcome, then the probability of the signal."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from expectitree.base.errors import AnalysisError, FileError, NumberError, Problem
from expectitree.base.expressions.evaluation import domain_of, evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.numbers import Number, escape, exact_text, message_text, quote, to_exact
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import ParameterValues
from expectitree.files import parse as parse_document
from expectitree.files import read_text

# By signal and outcome: a number, or a text such as "0.9", "1/3", "1 - spec" and "rest".
Likelihoods: TypeAlias = Mapping[str, Mapping[str, "Number | str"]]

_EXPECTED = "expected signal: {outcome: probability, ...}, such as positive: {oil: 0.9, dry: 0.3}"
_NEAR = 1e-9  # by which a sum may miss 1


def read_likelihoods(path: str) -> dict[str, dict[str, str]]:
    """Return the likelihoods in a file as texts; raise `FileError` if it has something else."""
    text, name = read_text(path)
    root = parse_document(text, name).root

    def wrong(message: str) -> FileError:
        return FileError([Problem(name, message)])

    if not isinstance(root, tuple) or not root:
        raise wrong(f"found no mapping, {_EXPECTED}")
    found: dict[str, dict[str, str]] = {}
    for signal, row in root:
        if not isinstance(row, tuple):
            raise wrong(f"{escape(str(signal))}: found no mapping, {_EXPECTED}")
        if signal in found:
            raise wrong(f"duplicate signal {quote(str(signal))}: keep one")
        found[str(signal)] = {}
        for outcome, p in row:
            if not isinstance(p, str) or outcome in found[str(signal)]:
                problem = "found no number" if not isinstance(p, str) else "a duplicate key"
                place = f"{escape(str(signal))}/{escape(str(outcome))}"
                raise wrong(f"{place}: {problem}, {_EXPECTED}")
            found[str(signal)][str(outcome)] = str(p)
    return found


def likelihood_values(
    tree: Tree, likelihoods: Likelihoods, outcomes: tuple[str, ...]
) -> dict[str, dict[str, Fraction]]:
    """Return the values of likelihoods as fractions, those of irrational formulas to 60 digits.

    Raises `AnalysisError` unless each outcome has a distribution over the signals.
    """
    if not likelihoods:
        raise AnalysisError("the test has no signals: give the likelihoods of at least one")
    domain = domain_of(exact=True)
    parameters = ParameterValues(tree.parameters, domain)
    found: dict[str, dict[str, Fraction]] = {}
    rests: dict[str, str] = {}  # the signal whose likelihood is the rest, by outcome
    for signal, row in likelihoods.items():
        if set(row) != set(outcomes):
            raise AnalysisError(
                f"the signal {escape(signal)} has likelihoods of {', '.join(map(escape, row))}, "
                f"expected one of each outcome: {', '.join(map(escape, outcomes))}"
            )
        found[signal] = {}
        for outcome, p in row.items():
            if p == REST and outcome in rests:
                place = f"{escape(outcome)} at {escape(rests[outcome])} and {escape(signal)}"
                raise AnalysisError(f"two signals have the rest of {place}: give one a number")
            if p == REST:
                rests[outcome] = signal
                continue
            try:
                formula = parse(p if isinstance(p, str) else exact_text(p), tree.parameters)
                found[signal][outcome] = to_exact(evaluate(formula, domain, parameters))
            except NumberError as error:
                raise AnalysisError(f"{escape(signal)}/{escape(outcome)}: {error}") from None
    for outcome, signal in rests.items():
        others = [row[outcome] for row in found.values() if outcome in row]
        found[signal][outcome] = 1 - sum(others, Fraction(0))
    _check(found, outcomes)
    return found


def _check(found: Mapping[str, Mapping[str, Fraction]], outcomes: tuple[str, ...]) -> None:
    """Raise `AnalysisError` unless each outcome has a distribution over the signals."""
    for signal, values in found.items():
        for outcome, value in values.items():
            if not 0 <= value <= 1:
                raise AnalysisError(
                    f"{escape(signal)}/{escape(outcome)}: the likelihood is {message_text(value)}, "
                    "expected a number from 0 to 1"
                )
    for outcome in outcomes:
        total = sum((row[outcome] for row in found.values()), Fraction(0))
        if abs(total - 1) > _NEAR:
            raise AnalysisError(
                f"the likelihoods of the signals for {escape(outcome)} sum to "
                f"{message_text(total)}, expected 1: correct them, or write `rest` for one"
            )
