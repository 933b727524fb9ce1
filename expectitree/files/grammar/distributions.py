"""The grammar of a parameter's `distribution`.

A distribution of one number is a function, `beta(12, 12)`, or has moments in place of arguments:
`{beta: {mean: 0.5, sd: 0.1}}`. The others are mappings: `{discrete: {10: 0.3, 20: 0.7}}`,
`{dirichlet: 12, set: NAME}` and `{csv: FILE, column: NAME}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import lgamma
from typing import Any

from expectitree.base.errors import NumberError
from expectitree.base.expressions.evaluation import evaluate, rounded_fractions
from expectitree.base.expressions.parser import ExpressionError, parse, parse_call
from expectitree.base.expressions.syntax import Expression
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import INFINITY, exact_text, message_text, quote, to_exact
from expectitree.base.reading import to_finite_float, to_fraction, to_probability
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.formulas import ZERO, Distribution, Parameter, Parameters
from expectitree.files.grammar.document import Data, Fields, GrammarError, NumberText, Pairs, Place
from expectitree.files.grammar.values import ValueReader, text
from expectitree.files.grammar.words import described, filled_mapping, unknown_key

_FAMILIES = {  # by name: the arguments, and as formulas of them the mean and both ends
    "beta": ("a, b", "a/(a + b)", "0, 1"),
    "gamma": ("shape, scale", "shape*scale", "0, inf"),
    "lognormal": ("mu, sigma", "exp(mu + sigma^2/2)", "0, inf"),
    "normal": ("mean, sd", "mean", "-inf, inf"),
    "pert": ("low, mode, high", "(low + 4*mode + high)/6", "low, high"),
    "triangular": ("low, mode, high", "(low + mode + high)/3", "low, high"),
    "uniform": ("low, high", "(low + high)/2", "low, high"),
    "weibull": ("shape, scale", "scale*exp(log_gamma)", "0, inf"),
}
# The arguments as formulas of the mean and of the standard deviation.
_OF_MOMENTS = {
    "beta": "mean*(mean*(1 - mean)/sd^2 - 1), (1 - mean)*(mean*(1 - mean)/sd^2 - 1)",
    "gamma": "(mean/sd)^2, sd^2/mean",
    "lognormal": "log(mean) - log(1 + (sd/mean)^2)/2, sqrt(log(1 + (sd/mean)^2))",
    "normal": "mean, sd",
}
# The mean, where it is left out, and the standard deviation, as formulas of both ends of a 95%
# interval. That of a lognormal distribution is an interval of the logarithm.
_WIDTH = "3.919927969080108"  # of the interval, in standard deviations of a normal distribution
_OF_INTERVAL = ("(low + high)/2", f"(high - low)/{_WIDTH}")
_OF_INTERVALS = {
    "lognormal": (
        f"sqrt(low*high)*exp((log(high/low)/{_WIDTH})^2/2)",
        f"mean*sqrt(exp((log(high/low)/{_WIDTH})^2) - 1)",
    )
}
_POSITIVE = ("a", "b", "shape", "scale", "sigma", "sd")
_MAPPINGS = {
    "discrete": "{discrete: {10: 0.3, 20: 0.7}}",
    "dirichlet": "{dirichlet: 12, set: NAME}",
    "csv": "{csv: FILE, column: NAME}",
}
_NAMES = (*_FAMILIES, *_MAPPINGS)
_MOMENTS = {"mean": ("mean",), "sd": ("sd",), "interval": ("low", "high")}
_WRITE = f"write one of {', '.join(_NAMES)}, such as `beta(12, 12)`"
_MAX_LENGTH = 40  # characters of an exact number
_TOLERANCE = Fraction(1, 10**9)  # by which the probabilities of values may miss the sum 1


def read_distribution(values: ValueReader, data: Data) -> Distribution:
    """Return a distribution as written at a parameter."""
    if isinstance(data, str) and data:
        return _function(data)
    keys = dict(filled_mapping(data, f" as distribution\n{_WRITE}"))
    kind = next((key for key in keys if key in _NAMES), str(data[0][0]))
    has_moments = kind in _OF_MOMENTS and isinstance(keys[kind], tuple)
    if kind not in _MAPPINGS and not has_moments:
        raise GrammarError(_wrong_form(kind))
    allowed = {"dirichlet": ("dirichlet", "set"), "csv": ("csv", "column")}.get(kind, (kind,))
    for index, (key, _) in enumerate(data):
        if key not in allowed:
            raise GrammarError(unknown_key(key, allowed), Place(data, index, True))
    if has_moments:
        return _of_moments(kind, keys[kind])
    if kind == "discrete":
        return _discrete(keys[kind])
    texts = {key: text(key, True)(values, x) for key, x in keys.items() if key != "dirichlet"}
    if kind == "csv":
        return Distribution(kind, source=texts[kind], column=texts.get("column", ""), written=keys)
    if "set" not in texts:
        raise GrammarError("set is missing\nadd the same name at every probability of the set")
    count = to_exact(values.number(keys[kind]))
    if not count > 0:
        raise GrammarError(f"found {keys[kind]} as dirichlet\nwrite a number above 0")
    numbers, written = (to_finite_float(count),), {kind: NumberText(keys[kind]), **texts}
    return Distribution(kind, numbers, source=texts["set"], written=written, support=(0, 1))


def _wrong_form(name: str) -> str:
    """Return the message about a distribution that is unknown or has the other form."""
    if name in _FAMILIES:
        hint = f"write `{name}({_FAMILIES[name][0]})`"
        if name in _OF_MOMENTS:
            hint += f" or `{{{name}: {{mean: 0.3, sd: 0.05}}}}`"
        return f"{name} is a function\n{hint}"
    if name in _MAPPINGS:
        return f"{name} is not a function\nwrite `{_MAPPINGS[name]}`"
    return f"unknown distribution {quote(name)}{did_you_mean(name, _NAMES)}\n{_WRITE}"


def _function(text: str) -> Distribution:
    name, numbers = "", list[Fraction]()
    with _numbers_only():
        name, arguments = parse_call(text)
        if name in _FAMILIES:
            numbers = [evaluate(argument, rounded_fractions(), {}) for argument in arguments]
    if name not in _FAMILIES:
        raise GrammarError(_wrong_form(name or text))
    return _family(name, numbers, text)


@contextmanager
def _numbers_only() -> Iterator[None]:
    """Raise a better `ExpressionError` where an argument has a name."""
    try:
        yield
    except ExpressionError as error:
        if not error.found:
            raise
        raise ExpressionError(
            f"found {error.found}, and the arguments of a distribution are numbers", error.offset
        ) from None


def _family(name: str, numbers: Sequence[Fraction], written: object) -> Distribution:
    """Return a distribution that is a function, by its arguments."""
    signature, mean, support = _FAMILIES[name]
    names, expected = signature.split(", "), f"{name}({signature})"
    if len(numbers) != len(names):
        raise GrammarError(
            f"found {name} with {len(numbers)} argument{'s' * (len(numbers) != 1)}\nwrite "
            f"`{expected}`"
        )
    by_name: Fields = dict(zip(names, numbers, strict=True))
    reason = f"{expected}: found {', '.join(map(message_text, numbers))}\nwrite"
    for argument, number in by_name.items():
        if argument in _POSITIVE and number <= 0:
            raise GrammarError(f"{reason} {argument} > 0")
    if "low" in by_name and (numbers != sorted(numbers) or numbers[0] == numbers[-1]):
        raise GrammarError(f"{reason} {' ≤ '.join(names)}, not all equal")
    low, high = (by_name[end] if end in by_name else float(end) for end in support.split(", "))
    if name == "weibull":  # whose mean needs a function that formulas do not have
        by_name["log_gamma"] = to_exact(lgamma(1 + 1 / to_finite_float(by_name["shape"])))
    middle = _number(_evaluated(mean, by_name))
    floats = tuple(map(to_finite_float, numbers))
    return Distribution(name, floats, written=written, mean=middle, support=(low, high))


def _of_moments(kind: str, data: Pairs) -> Distribution:
    """Return the distribution with a mean and a standard deviation, or with a 95% interval."""
    moments = _read_moments(kind, data)
    ends = _FAMILIES[kind][2].split(", ")
    lowest, highest = map(float, ends)
    ascending: Fields = {ends[0]: lowest}
    ascending |= {name: moments[name] for name in ("low", "mean", "high") if name in moments}
    _check_order(kind, {**ascending, ends[1]: highest}, moments)

    if "low" in moments:
        mean, sd = _OF_INTERVALS.get(kind, _OF_INTERVAL)
        moments.setdefault("mean", _evaluated(mean, moments))
        moments["sd"] = _evaluated(sd, moments)
    # The inequality of Bhatia and Davis; the limit is infinite unless both ends are finite.
    limit = ((highest - moments["mean"]) * (moments["mean"] - lowest)) ** 0.5
    _check_order(kind, {"0": 0, "sd": moments["sd"], message_text(limit): limit}, moments)

    arguments = [_evaluated(formula, moments) for formula in _OF_MOMENTS[kind].split(", ")]
    written = {key: _as_numbers(value) for key, value in data}
    return replace(_family(kind, arguments, {kind: written}), mean=_number(moments["mean"]))


def _read_moments(kind: str, data: Pairs) -> Fields:
    """Return the mean, the standard deviation and both ends of the interval, as far as given."""
    moments = Fields()
    for position, (key, value) in enumerate(data):
        if key not in _MOMENTS:
            raise GrammarError(unknown_key(key, tuple(_MOMENTS)), Place(data, position, True))
        names, texts, expected = _MOMENTS[key], [value], "a number"
        if key == "interval":
            texts, expected = value, "[low, high]"
        is_list = isinstance(texts, list) and len(texts) == len(names)
        if not is_list or not all(isinstance(text, str) for text in texts):
            message = f"{kind}: found {described(value)} as {key}\nwrite {expected}"
            raise GrammarError(message, Place(data, position))
        with _numbers_only():
            moments |= {name: _evaluated(text, {}) for name, text in zip(names, texts, strict=True)}

    keys = [key for key, _ in data]
    if sorted(keys) not in (["mean", "sd"], ["interval", "mean"], ["interval"]):
        raise GrammarError(
            f"{kind}: found {' and '.join(keys)}\nwrite mean and sd, mean and interval, or interval"
        )
    return moments


def _check_order(kind: str, ascending: Mapping[str, Any], moments: Mapping[str, Any]) -> None:
    """Raise `GrammarError` unless numbers ascend; the message has the moments."""
    if all(a < b for a, b in pairwise(ascending.values())):
        return
    order = " < ".join(name for name, number in ascending.items() if abs(number) != INFINITY)
    numbers = ", ".join(f"{name} {message_text(number)}" for name, number in moments.items())
    raise GrammarError(f"{kind}: found {numbers}\nwrite numbers with {order}")


def _as_numbers(value: Data) -> Any:
    return [*map(NumberText, value)] if isinstance(value, list) else NumberText(value)


def _evaluated(formula: str, numbers: Mapping[str, Fraction]) -> Any:
    return evaluate(parse(formula, numbers), rounded_fractions(), numbers)


def _number(value: Fraction) -> Expression:
    """Return a mean as the value of a parameter: exact, or if that is long, the nearest float."""
    text = exact_text(value)
    if len(text) > _MAX_LENGTH:
        text = repr(to_nearest_float(value))
    return parse(text, ())


def _discrete(data: Data) -> Distribution:
    points: dict[Fraction, Fraction] = {}
    hint = f"write values with their p, as in `{_MAPPINGS['discrete']}`"
    for index, (value, p) in enumerate(filled_mapping(data, f" as discrete\n{hint}")):
        try:
            number, weight = to_fraction(value), to_exact(to_probability(str(p), True))
        except NumberError as error:
            raise GrammarError(error.lines, Place(data, index)) from None
        points[number] = points.get(number, Fraction(0)) + weight
    total = sum(points.values(), Fraction(0))
    if abs(total - 1) > _TOLERANCE:
        raise GrammarError(
            f"the probabilities of the values sum to {message_text(total)}, expected 1\n"
            "correct them"
        )
    return Distribution(
        "discrete",
        tuple(map(to_finite_float, points)),
        tuple(map(to_nearest_float, points.values())),
        written={"discrete": {value: NumberText(p) for value, p in data}},
        mean=_number(sum((x * p for x, p in points.items()), Fraction(0))),
        support=(min(points), max(points)),
    )


# ---- Parameters with distributions.


def complete(
    values: ValueReader, parameters: Parameters, places: Mapping[str, Place]
) -> dict[str, Parameter]:
    """Return parameters, with the means of distributions in place of values that are None.

    Reports sets of a single probability, distributions of values that are formulas, and values that
    a distribution does not have.
    """
    completed = dict(parameters)
    uncertain = {name: p.distribution for name, p in parameters.items() if p.distribution}
    sets = [(d.source, d.numbers) for d in uncertain.values() if d.kind == "dirichlet"]
    for name in parameters:
        if fault := _fault_of_correlation(name, parameters):
            values.report(places[name], f"parameter {name}: {fault}")
    for name, distribution in uncertain.items():
        fault, mean, value = "", distribution.mean, parameters[name].value
        if distribution.kind == "dirichlet":
            counts = [to_exact(count) for source, (count,) in sets if source == distribution.source]
            mean = _number(to_exact(distribution.numbers[0]) / sum(counts))
            if len(counts) == 1:
                name_of_set = quote(distribution.source)
                fault = f"the set {name_of_set} has no other probability\nadd one or use beta"
        if value is None and mean is None:
            fault = "the value is missing\nadd `value:`, since only the file has the mean"
        completed[name] = replace(parameters[name], value=value or mean or ZERO)
        if completed[name].bases:
            bases = " and ".join(completed[name].bases)
            fault = f"it is derived from {bases}, which may have distributions\nremove its own"
        elif not fault:
            fault = _fault_of_value(completed[name].value, distribution)
        if fault:
            values.report(places[name], f"parameter {name}: {fault}")
    return completed


def _fault_of_correlation(name: str, parameters: Parameters) -> str:
    """Return the message about a correlation that cannot be drawn, or nothing."""
    others = [key for key in parameters if key != name]
    for other in parameters[name].correlation:
        if other not in others:
            hint = did_you_mean(other, others)
            return f"found a correlation with {quote(other)}{hint}\nwrite another parameter"
        for key in (name, other):
            distribution = parameters[key].distribution
            if distribution is None or distribution.kind in ("dirichlet", "csv"):
                return f"a correlation needs distributions of single numbers, and {key} has none"
        if name in parameters[other].correlation:
            return f"the correlation with {other} is given twice\nkeep one"
    return ""


def _fault_of_value(value: Expression, distribution: Distribution) -> str:
    """Return the message about a value that a distribution cannot have, or nothing."""
    with suppress(NumberError):  # reported where it is used
        number, (low, high) = evaluate(value, rounded_fractions(), {}), distribution.support
        if not low <= number <= high:
            return (
                f"the value {message_text(number)} is outside of its distribution, "
                f"{message_text(low)} to {message_text(high)}\ncorrect one of them"
            )
    return ""
