"""Warnings about the values and the units of parameters, which are valid but probably mistakes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import exp, expm1, log, log1p
from statistics import NormalDist
from typing import Any, TypeAlias

from expectitree.base.expressions.syntax import NEGATION, Apply, Expression, Name, fold, text_of
from expectitree.base.numbers import message_text
from expectitree.base.tree.formulas import Amounts, Criterion, Parameter
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import in_order, parameter_values
from expectitree.files.grammar.document import Fields

# A product of words to whole powers, such as {"$": 1, "kg": -1}; None if it is not known.
Unit: TypeAlias = Counter[str] | None
Terms: TypeAlias = list[tuple[Expression, Unit]]  # what is added up, or compared

_TAIL = 0.005  # of a distribution, on each side of its central part
_MIN_UNITS = 2  # of fewer, none is mixed with another
_POINTS = 4_000  # between both tails
_FACTOR = r"\s*(/?)[\s*·]*([^\s/*·^0-9%]+)(?:\^(-?[0-9]+))?\s*"  # of a unit
_ADDING = ("+", "-", "max", "min", "if", "<", "<=", ">", ">=", "=")


def input_warnings(tree: Tree) -> Iterator[str]:
    """Yield the warnings about the values of parameters, then those about units."""
    values: Fields = parameter_values(tree)
    for name, value in values.items():
        parameter, places = tree.parameters[name], list[str]()
        range_, distribution = parameter.range, parameter.distribution
        if value is None:
            continue
        if range_ and not range_[0] <= value <= range_[1]:
            places.append(f"its range, {' to '.join(map(message_text, range_))}")
        if distribution and distribution.kind in _SHARES and parameter.value != distribution.mean:
            share = 0.0
            with suppress(ValueError, ZeroDivisionError):  # at an end of the distribution
                share = _SHARES[distribution.kind](float(value), *distribution.numbers)
            if not _TAIL <= share <= 1 - _TAIL:
                written = str(distribution.written).replace("'", "")  # a mapping as in YAML
                places.append(f"the central 99% of {written}")
        for place in places:
            yield (
                f"parameter {name}: the value {message_text(value)} is outside {place}\n"
                "correct one of them"
            )
    yield from _unit_warnings(tree)


# ---- Distributions.


def _share(log_density: Callable[[float], float], place: float, mode: float) -> float:
    """Return the share of a density below a place, by a sum between both tails."""
    ends = []
    for width in (-1e-9, 1e-9):
        while log_density(mode + width) > log_density(mode) - 40:
            width *= 2
        ends.append(mode + width)
    step = (ends[1] - ends[0]) / _POINTS
    places = [ends[0] + step * i for i in range(_POINTS)]
    weights = [exp(log_density(t) - log_density(mode)) for t in places]
    return sum(w for t, w in zip(places, weights, strict=True) if t < place) / sum(weights)


def _beta(x: float, a: float, b: float) -> float:
    def log_density(t: float) -> float:
        return a * t - (a + b) * (max(t, 0) + log1p(exp(-abs(t))))

    return _share(log_density, log(x / (1 - x)), log(a / b))


def _triangular(x: float, low: float, mode: float, high: float) -> float:
    if low < mode and x <= mode:
        return (x - low) ** 2 / ((high - low) * (mode - low))
    return 1 - (high - x) ** 2 / ((high - low) * (high - mode))


# By distribution, the share of values below x. The sums are over the logarithm of x, and over that
# of its odds, where the densities have one peak and no poles.
_SHARES: dict[str, Callable[..., float]] = {
    "beta": _beta,
    "gamma": lambda x, k, scale: _share(lambda t: k * t - exp(t), log(x / scale), log(k)),
    "lognormal": lambda x, mu, sigma: NormalDist(mu, sigma).cdf(log(x)),
    "normal": lambda x, mean, sd: NormalDist(mean, sd).cdf(x),
    "pert": lambda x, low, mode, high: _beta(
        (x - low) / (high - low),
        *(1 + 4 * width / (high - low) for width in (mode - low, high - mode)),
    ),
    "triangular": _triangular,
    "uniform": lambda x, low, high: (x - low) / (high - low),
    "weibull": lambda x, shape, scale: -expm1(-((x / scale) ** shape)),
}


# ---- Units.


def _unit_warnings(tree: Tree) -> Iterator[str]:
    """Yield a warning for each pair of units that are added or compared."""
    tree = tree.formulas.written or tree  # the copies of repeated nodes have the same units
    formulas = tree.formulas
    described: tuple[Parameter | Criterion, ...] = (
        *tree.parameters.values(),
        *formulas.criteria.by_name.values(),
    )
    if len({criterion.unit for criterion in described if criterion.unit}) < _MIN_UNITS:
        return
    units: dict[str, Unit] = {}
    sums: list[Terms] = []
    for name in in_order(tree.parameters):
        parameter = tree.parameters[name]
        units[name] = _unit_of(parameter.value, units, sums)
        if parameter.unit is not None:
            units[name] = _parsed(parameter.unit)
    totals: dict[str, Terms] = {
        name: [(Name(name), _parsed(criterion.unit or ""))]
        for name, criterion in formulas.criteria.by_name.items()
    }
    for formula in (*formulas.nodes.values(), *formulas.rewards.values()):
        amounts = formula.amounts if isinstance(formula, Amounts) else [("", formula)]
        for name, part in amounts:
            totals.setdefault(name, []).append((part, _unit_of(part, units, sums)))
    warnings: dict[str, str] = {}
    for terms in [*sums, *totals.values()]:
        known = [(text_of(term), _text(unit)) for term, unit in terms if unit and _text(unit)]
        for text, unit in known[1:]:
            if unit != known[0][1]:
                first = " is in ".join(known[0])
                warnings.setdefault(
                    f"{known[0][1]} {unit}",
                    f"{first}, and {text} in {unit}, which are added or compared\nwrite both "
                    "in one unit",
                )
    yield from warnings.values()


def _parsed(text: str) -> Unit:
    """Return the unit that a text means, such as `$/kg`."""
    text = re.sub(r"\bper\b", "/", text)
    if not re.fullmatch(f"({_FACTOR})+", text):
        return None
    unit = Counter[str]()
    for slash, word, power in re.findall(_FACTOR, text):
        unit[word.removesuffix("s")] += int(power or 1) * (-1) ** len(slash)
    return unit


def _text(unit: Counter[str]) -> str:
    powers = sorted((word, power) for word, power in unit.items() if power)
    return "*".join(word if power == 1 else f"{word}^{power}" for word, power in powers)


def _unit_of(formula: Expression, units: dict[str, Unit], sums: list[Terms]) -> Unit:
    """Return the unit of a formula, and add the terms of each sum in it to `sums`.

    A number may convert a unit, as in 1000*price, so a product with it has no known unit.
    """

    def combine(node: Expression, parts: list[Any]) -> Any:
        if isinstance(node, Name):
            return units.get(node.name)
        if not isinstance(node, Apply):
            return None
        operation, last = node.operation, parts[-1]
        if operation in _ADDING:  # the condition of `if` is no term
            sums.append([*zip(node.operands, parts, strict=True)][operation == "if" :])
            if all(part == last for part in parts):
                return last
            return None
        if operation in ("*", "/") and None not in parts:
            product = Counter(parts[0])
            combined = product.update if operation == "*" else product.subtract
            combined(last)
            return product
        if operation in (NEGATION, "abs"):
            return last
        return None

    unit: Unit = fold(formula, combine)
    return unit
