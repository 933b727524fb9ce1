"""The evaluator of expressions, and its domains: floats, fractions and rounded fractions.

A domain defines the numbers, operators and functions of an expression. Every operation
takes values of the domain and returns one, or raises `UndefinedError`. To add a domain, such as
intervals, make another `Domain`; the evaluator stays as it is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

from expectitree.base.errors import NO_EXACT_VALUE, ExpectitreeError
from expectitree.base.expressions.parser import ExpressionError
from expectitree.base.expressions.syntax import (
    BELOW_TABLE,
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
    names_in,
    text_of,
)
from expectitree.base.numbers import message_text, quote
from expectitree.base.reading import to_finite_float, to_float, to_fraction

DIGITS = 60  # of a result that is rounded
_MAX_BITS = 10_000  # of a numerator or a denominator; about 3,000 digits
_MAX_EXPONENT = 30_000  # of ten, in a result that is rounded
_MAX_NAMES = 8  # of which an error shows the values
_GUARD = 5  # digits that a computation has more than its result
_ZERO = "divides by zero"
_INEXACT = "has no exact value", "compute in floats", NO_EXACT_VALUE
_TOO_MANY_BITS = f"is too large (more than {_MAX_BITS:,} bits)"


class UndefinedError(ExpectitreeError, ArithmeticError):
    """An operation without a value; the message continues the text of the operation."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of values.

    `operations` has the operators, functions and comparisons by their names in the syntax tree, but
    not `if`. A comparison returns True or False, or something else if the values do not decide it.
    The operation `join` receives that, and the values of both cases of the `if`.
    """

    number: Callable[[str | Fraction], Any]  # the value of a number such as `0.5` or `5%`
    operations: Mapping[str, Callable[..., Any]]
    checked: Callable[[Any], Any]  # the result itself; raises `UndefinedError` if it is too large
    text: Callable[[Any], str] = message_text


def evaluate(expression: Expression, domain: Domain, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression over a domain, at the values of the names in it.

    Only the case of an `if` that its comparison selects is evaluated. Raises `ExpressionError`,
    which shows the part of the expression that has no value.
    """
    results = []
    work: list[tuple[Expression, bool]] = [(expression, False)]
    while work:
        node, is_ready = work.pop()
        if isinstance(node, Number):
            results.append(domain.number(node.written))
        elif isinstance(node, Name):
            results.append(values[node.name])
        elif not is_ready:
            node = _with_one_comparison(node)
            work.append((node, True))
            operands = node.operands[:1] if node.operation == "if" else node.operands
            work += [(operand, False) for operand in reversed(operands)]
        elif node.operation == "if":
            cases = node.operands[1:]
            if isinstance(results[-1], bool):
                work.append((cases[not results.pop()], False))
            else:
                work.append((Apply("join", node.operands), True))
                work += [(case, False) for case in reversed(cases)]
        else:
            start = len(results) - len(node.operands)
            try:
                result = domain.operations[node.operation](*results[start:])
                results[start:] = [domain.checked(result)]
            except UndefinedError as error:
                operation = quote(text_of(node), 60)
                raise ExpressionError(
                    f"{operation} {error.reason}{at_values(domain, values, node)}", hint=error.hint
                ) from None
    return results[0]


def _with_one_comparison(node: Apply) -> Apply:
    """Return an `if` whose condition is a comparison, in place of one with `and` or `or`."""
    while node.operation == "if":
        condition, then, otherwise = node.operands
        assert isinstance(condition, Apply)
        if condition.operation not in ("and", "or"):
            break
        first, second = condition.operands
        inner = Apply("if", (second, then, otherwise))
        if condition.operation == "and":
            then = inner
        else:
            otherwise = inner
        node = Apply("if", (first, then, otherwise))
    return node


def at_values(domain: Domain, values: Mapping[str, Any], *expressions: Expression) -> str:
    """Return ` at pr = 0, spec = 1`, the values of the names in expressions, for a message."""
    names = [*dict.fromkeys(name for part in expressions for name in names_in(part))]
    known = [name for name in names if name in values]
    shown = [f"{name} = {domain.text(values[name])}" for name in known[:_MAX_NAMES]]
    if shown:
        return f" at {', '.join(shown)}{', …' * (len(names) > _MAX_NAMES)}"
    return ""


@lru_cache(maxsize=1000)  # of formulas that are evaluated at many values
def _float(text: str | Fraction) -> float:
    if isinstance(text, Fraction):
        return to_finite_float(text)
    value = to_float(text.removesuffix("%"))
    if text.endswith("%"):
        return float(_fraction(text))
    return value


def _fraction(text: str | Fraction) -> Fraction:
    if isinstance(text, Fraction):
        return text
    return _written_fraction(text)


@lru_cache(maxsize=1000)  # of formulas that are evaluated at many values
def _written_fraction(text: str) -> Fraction:
    return to_fraction(text)


def _checked_float(value: float) -> float:
    if not math.isfinite(value):
        raise UndefinedError("is too large for floating point")
    return value


def _checked_fraction(value: Fraction) -> Fraction:
    if _bits(value) > _MAX_BITS:
        raise UndefinedError(_TOO_MANY_BITS)
    return value


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _quotient(a: Any, b: Any) -> Any:
    if not b:
        raise UndefinedError(_ZERO)
    return a / b


def _below_table(key: Any, first: Any) -> NoReturn:
    raise UndefinedError(
        f"has no value for {message_text(key)}, which is below the first key "
        f"{message_text(first)} of its table",
        "add a row for it at the start of the table, or correct the number",
    )


def _check(operation: str, *operands: float | Fraction) -> None:
    """Raise `UndefinedError` for operands for which an operation has no real value."""
    if operation == "^" and not operands[0] and operands[1] < 0:
        raise UndefinedError(_ZERO)
    if operation == "^" and operands[0] < 0 and operands[1] % 1:
        raise UndefinedError("is a fractional power of a negative number")
    if operation == "log" and operands[0] <= 0:
        raise UndefinedError("is the logarithm of a number that is not positive")
    if operation == "sqrt" and operands[0] < 0:
        raise UndefinedError("is the square root of a negative number")


def _of_floats(operation: str, function: Callable[..., float]) -> Callable[..., float]:
    """Return a function of the `math` module as an operation that returns infinity on overflow."""

    def apply(*operands: float) -> float:
        _check(operation, *operands)
        try:
            return function(*operands)
        except OverflowError:
            return math.inf

    return apply


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction:
    """Return a power, if the exponent is an integer or the base has an exact root."""
    _check("^", base, exponent)
    root = _exact_root(base, exponent.denominator)
    power = exponent.numerator
    if (_bits(root) - 1) * abs(power) > _MAX_BITS:
        raise UndefinedError(_TOO_MANY_BITS)
    return root**power


def _exact_root(base: Fraction, degree: int) -> Fraction:
    if degree == 1:
        return base
    root = Fraction(_integer_root(base.numerator, degree), _integer_root(base.denominator, degree))
    if root**degree != base:
        raise UndefinedError(*_INEXACT)
    return root


def _integer_root(n: int, degree: int) -> int:
    """Return the greatest integer whose power is at most `n` >= 0."""
    if n < 2 or degree >= n.bit_length():
        return min(n, 1)
    guess = _above_root(n, degree)
    while (better := ((degree - 1) * guess + n // guess ** (degree - 1)) // degree) < guess:
        guess = better
    return guess


def _above_root(n: int, degree: int) -> int:
    """Return a number that is a little greater than the root, from which Newton's method starts."""
    size = math.log2(n) / degree
    if size < 1000:
        return int(2**size * (1 + 1e-9)) + 1
    return 1 << -(-n.bit_length() // degree)


def _exact_exp(a: Fraction) -> Fraction:
    if a:
        raise UndefinedError(*_INEXACT)
    return Fraction(1)


def _exact_log(a: Fraction) -> Fraction:
    _check("log", a)
    if a != 1:
        raise UndefinedError(*_INEXACT)
    return Fraction(0)


def _exact_sqrt(a: Fraction) -> Fraction:
    _check("sqrt", a)
    return _exact_root(a, 2)


_SHARED: Mapping[str, Callable[..., Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq},
    **{NEGATION: operator.neg, "abs": abs, BELOW_TABLE: _below_table},
    "min": lambda *operands: min(operands),
    "max": lambda *operands: max(operands),
}
FLOATS = Domain(
    _float,
    {
        **_SHARED,
        "^": _of_floats("^", math.pow),
        **{name: _of_floats(name, getattr(math, name)) for name in ("exp", "log", "sqrt")},
    },
    _checked_float,
)
# `exp`, `log`, `sqrt` and powers have a value where it is rational: exp(0), log(1), 4^(1/2).
FRACTIONS = Domain(
    _fraction,
    {**_SHARED, **{"^": _exact_power, "exp": _exact_exp, "log": _exact_log, "sqrt": _exact_sqrt}},
    _checked_fraction,
)


# ---- Rounded fractions: irrational results by the `decimal` module, whose `exp`, `ln`, `sqrt` and
# quotients are correctly rounded. Guard digits keep the error of a rounded operand below 10^-4
# units of the last digit of the result.


def rounded_fractions(digits: int = DIGITS, note: Callable[[], object] = bool) -> Domain:
    """Return the domain of fractions in which a result that is not rational is rounded.

    A result that is rational and has at most 10,000 bits is exact. Any other result has `digits`
    significant digits, and a relative error of less than 10^(1 - digits). `note` is called for
    each of them. Raises `UndefinedError` beyond 10^30,000 and 10^-30,000.
    """

    def rounded(value: Fraction | Decimal) -> Fraction:
        note()
        return _rounded(value, digits)

    def checked(value: Any) -> Any:
        is_long = isinstance(value, Fraction) and _bits(value) > _MAX_BITS
        if is_long:
            return rounded(value)
        return value

    def or_rounded(operation: str, compute: Callable[..., Decimal]) -> Callable[..., Fraction]:
        @lru_cache(maxsize=10_000)  # a cohort has the same discount in each of its states
        def result(*operands: Fraction) -> Fraction | Decimal:
            _check(operation, *operands)
            try:
                exact: Fraction = FRACTIONS.operations[operation](*operands)
            except UndefinedError:  # irrational or too long
                return compute(*operands, digits + _GUARD)
            return exact

        def apply(*operands: Fraction) -> Fraction:
            value = result(*operands)
            if isinstance(value, Decimal):
                return rounded(value)
            return value

        return apply

    functions: dict[str, Callable[..., Decimal]]
    functions = {"^": _power, "exp": _exp, "log": _log}
    functions["sqrt"] = lambda a, digits: _context(digits).sqrt(_decimal(a, digits))
    operations = {name: or_rounded(name, function) for name, function in functions.items()}
    return Domain(_fraction, {**_SHARED, **operations}, checked)


def domain_of(exact: bool) -> Domain:
    """Return the domain of a tree's formulas: rounded fractions if it is exact, else floats."""
    if exact:
        return rounded_fractions()
    return FLOATS


def _context(digits: int) -> Context:
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _decimal(value: Fraction, digits: int) -> Decimal:
    return _context(digits).divide(Decimal(value.numerator), Decimal(value.denominator))


def _rounded(value: Fraction | Decimal, digits: int) -> Fraction:
    if isinstance(value, Fraction):
        value = _decimal(value, digits)
    if value.adjusted() > _MAX_EXPONENT:
        raise UndefinedError(f"is too large (beyond 10^{_MAX_EXPONENT:,})")
    if value.adjusted() < -_MAX_EXPONENT:
        raise UndefinedError(f"is too small (below 10^-{_MAX_EXPONENT:,})")
    return Fraction(_context(digits).plus(value))


def _exp(a: Fraction, digits: int) -> Decimal:
    """Return e^a; the error of `a` is multiplied by its size."""
    # A power of ten beyond the greatest exponent takes its place, which `_rounded` refuses.
    a = min(max(a, Fraction(-3 * _MAX_EXPONENT)), Fraction(3 * _MAX_EXPONENT))
    digits += len(str(int(abs(a))))
    return _context(digits).exp(_decimal(a, digits))


def _log(a: Fraction, digits: int) -> Decimal:
    """Return the logarithm; near 1, the error of `a` is divided by the distance from 1."""
    distance = abs(a - 1)
    zeros = distance.denominator.bit_length() - distance.numerator.bit_length() + 1
    digits += max(0, zeros) // 3  # a bit is less than a third of a digit
    return _context(digits).ln(_decimal(a, digits))


def _power(base: Fraction, exponent: Fraction, digits: int) -> Decimal:
    size = len(str(int(abs(exponent) * _bits(base))))  # digits of the argument of `exp`, or more
    result = _exp(exponent * Fraction(_log(abs(base), digits + size)), digits)
    if base < 0 and exponent % 2:
        return result.copy_negate()
    return result
