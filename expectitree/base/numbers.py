"""Numbers as tree files write them: from text to `float` or `Fraction`, and back.

A number is an ASCII decimal (`2`, `-4.5e3`, `.9`), a decimal with `%`, or a fraction of integers
(`1/3`). The limits on length and exponent keep a hostile text from costing anything:
`Fraction("1e10000000")` would not return.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from types import NoneType
from typing import Any, TypeAlias

from expectitree.base.errors import (
    NEEDS_EXACT,
    NOT_A_NUMBER,
    NOT_A_PROBABILITY,
    NumberError,
    TreeError,
)
from expectitree.base.rounding import Rounded

Number: TypeAlias = float | Fraction

INFINITY = float("inf")
MAX_LENGTH = 400  # characters of a number
MAX_EXPONENT = 400
COMPUTED = 1  # the greatest denominator of a computed probability: it is shown as a decimal
_MOST_PLACES = 15  # of a decimal that is not written as a fraction
_PLAIN_EXPONENTS = range(-6, 10)  # of numbers that are written without one
_LONGEST_FRACTION = 20  # characters of a fraction in a text that is shown as it is written
_MAX_BITS = 13_000  # of a number in full: Python refuses to print more than 4,300 digits
# Beyond this, a difference of two utilities could overflow to infinity.
MAX_FLOAT = 2.0**1000

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_FRACTION = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_INFINITIES = {
    **dict.fromkeys(("inf", "+inf", ".inf", "+.inf"), INFINITY),
    **dict.fromkeys(("-inf", "-.inf"), -INFINITY),
}
_LOOKALIKES = {
    **{word: f"{word} is not a number" for word in ("null", "true", "false", "yes", "no")},
    **dict.fromkeys(("nan", ".nan"), "NaN is not a number"),
    "~": "null is not a number",
    "": "nothing was written",
}
_TOO_SMALL = "{} is too small for floating point"
_TOO_LARGE = "{} is beyond what floating point can search (10^301)"
USE_EXACT = "; use --exact"
HOW = "write a decimal such as 2, -4.5e3 or .9, or a fraction of integers such as 1/3"

MINUS = "\N{MINUS SIGN}"  # consoles that have only ASCII show a hyphen

_shows_fractions: ContextVar[bool] = ContextVar("shows fractions", default=False)


class WrittenFraction(Fraction):
    """A number that a file has as a short fraction such as `1/3`, and that is shown as one.

    The result of an operation is an ordinary `Fraction`; but the negative is shown like it, since a
    cost is a negative reward.
    """

    __slots__ = ()

    def __neg__(self) -> WrittenFraction:
        return WrittenFraction(-self.numerator, self.denominator)

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"


class BeyondFloatsError(NumberError):
    """Floats cannot hold a number of a tree that is computed in floats."""


@contextmanager
def notation(fractions: bool) -> Iterator[None]:
    """Show each `Fraction` as a fraction in a `with` block, or as a rounded decimal."""
    token = _shows_fractions.set(fractions)
    try:
        yield
    finally:
        _shows_fractions.reset(token)


def is_shown_as_fraction(value: Number) -> bool:
    """Return whether a number is shown as a fraction; a rounded one never is."""
    is_exact = isinstance(value, Fraction) and not isinstance(value, Rounded)
    return is_exact and _shows_fractions.get()


def to_nearest_float(value: Number) -> float:
    """Return a number rounded once to a float; infinite if it is beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        if value > 0:
            return INFINITY
        return -INFINITY


def quote(text: str, longest: int = 40) -> str:
    """Return `text` in quotes, on one line, escaped, and cut in its middle if it is long."""
    if len(text) > longest:
        half = longest // 2 - 1
        return f"'{escape(text[:half])}…{escape(text[-half:])}' ({len(text):,} characters)"
    return f"'{escape(text)}'"


def escape(text: str) -> str:
    """Return `text` with control characters and lone surrogates escaped: it prints on one line."""
    if text.isprintable():
        return text
    return "".join(map(_printable, text))


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()


def to_float(text: str) -> float:
    """Return the finite float nearest to the number written; raise `NumberError` if none is."""
    if not _is_decimal(text):
        return to_finite_float(to_fraction(text))
    value = float(text)
    if not value and Fraction(text):
        raise _needs_exact(_TOO_SMALL, quote(text))
    if abs(value) > MAX_FLOAT:
        raise _needs_exact(_TOO_LARGE, quote(text))
    return value


def to_finite_float(value: Fraction) -> float:
    """Return the finite float nearest to a fraction; raise `NumberError` if there is none."""
    nearest = to_nearest_float(value)
    if value and not nearest:
        raise _needs_exact(_TOO_SMALL, message_text(value))
    if abs(nearest) > MAX_FLOAT:
        raise _needs_exact(_TOO_LARGE, message_text(value))
    return nearest


def _needs_exact(problem: str, number: str) -> NumberError:
    return NumberError(problem.format(number), USE_EXACT, NEEDS_EXACT)


def to_fraction(text: str) -> Fraction:
    """Return exactly the number written, as a `Fraction`; raise `NumberError` where it is none."""
    if _is_decimal(text):
        return Fraction(text)
    if text.endswith("%") and _is_decimal(text[:-1]):
        return Fraction(text[:-1]) / 100
    if len(text) > _LONGEST_FRACTION:
        return Fraction(*_checked_fraction(text))
    return WrittenFraction(*_checked_fraction(text))


def without_unit(text: Any, unit: str | None) -> Any:
    """Return an amount such as `$250,000` without its unit and its separators.

    Return anything else as it is.
    """
    if not isinstance(text, str) or not unit or unit not in text or unit == "%":
        return text
    sign = re.escape(unit)
    number = re.sub(rf"(?<=[0-9]) ?{sign}(?!\w)|(?<!\w){sign} ?(?=[0-9.])", "", text)
    if _GROUPED.fullmatch(number):
        return number.replace(",", "")
    return number


def to_probability(text: str, exact: bool = False) -> Number:
    """Return the probability written: a number, or a decimal with `%`, that lies in [0, 1]."""
    number = text.removesuffix("%")
    if number == text:
        value, whole = to_number(text, exact), 1
    elif _is_decimal(number):
        value, whole = Fraction(number) / 100, 100
    else:
        how = "write a decimal before the %, such as 12.5%"
        if _is_decimal(number.strip()):
            how = f"write {number.strip()}%"
        raise NumberError(f"{quote(text)} is not a probability", how)
    # A float may round to 1 what is greater.
    if not 0 <= value <= 1 or (value == 1 and to_fraction(number) > whole):
        raise NumberError(
            f"{quote(text)} is not a probability",
            "write a number from 0 to 1, or a percentage such as 50%",
            NOT_A_PROBABILITY,
        )
    if exact:
        return value
    if value and not float(value):
        raise _needs_exact(_TOO_SMALL, quote(text))
    return float(value)


def to_bound(text: str, exact: bool = False) -> Number:
    """Return the bound written: a number, `inf` or `-inf` (always a float)."""
    infinity = _INFINITIES.get(text.lower())
    if infinity is not None:
        return infinity
    try:
        return to_number(text, exact)
    except NumberError as error:
        if error.hint != HOW:
            raise
        raise error.with_hint(f"{HOW}, or inf or -inf") from None


def to_number(text: str, exact: bool = False) -> Number:
    """Return the number written, as a `Fraction` where `exact`, else as a float."""
    if exact:
        return to_fraction(text)
    return to_float(text)


def check_setting(text: str) -> None:
    """Raise `NumberError` if a text is not a number or a percentage."""
    if text.endswith("%") and "/" in text:  # as a formula, 1/2% is 50
        raise NumberError(f"{quote(text)} is not a number", HOW, NOT_A_NUMBER)
    to_fraction(text.removesuffix("%"))


def check_length(text: str) -> None:
    """Raise `NumberError` if a text is too long for a number."""
    if len(text) > MAX_LENGTH:
        raise NumberError(
            f"{quote(text)} is too long for a number\nwrite at most {MAX_LENGTH} characters"
        )


def _is_decimal(text: str) -> bool:
    """Return whether the text is a decimal; raise `NumberError` if it is too long or too large."""
    check_length(text)
    match = _DECIMAL.fullmatch(text)
    if match and match[1] and abs(int(match[1])) > MAX_EXPONENT:
        raise NumberError(
            f"{quote(text)} has too large an exponent\nit must lie within {MAX_EXPONENT}"
        )
    return match is not None


def _checked_fraction(text: str) -> tuple[int, int]:
    match = _FRACTION.fullmatch(text)
    if match is None:
        raise _not_a_number(text)
    numerator, denominator = int(match[1]), int(match[2])
    if denominator == 0:
        raise NumberError(f"{quote(text)} divides by zero", HOW)
    return numerator, denominator


def _not_a_number(text: str) -> NumberError:
    word = text.lower()
    if word in _INFINITIES:
        return NumberError(f"{quote(text)} is not finite\ninfinities are for bounds only")
    if word in _LOOKALIKES:
        return NumberError(_LOOKALIKES[word], HOW)
    from expectitree.base.spellings import plain_number  # which few texts need

    how = HOW
    if plain := plain_number(text):
        how = f"write {exact_text(plain[0])}{plain[1]}"
    return NumberError(f"{quote(text)} is not a number", how, NOT_A_NUMBER)


def is_finite(value: Number) -> bool:
    """Return whether a bound is a number, not an infinity."""
    # To compare a fraction with a float takes ten times as long.
    return value.__class__ is Fraction or -INFINITY < value < INFINITY


def are_near(one: Any, other: Any, eps: Any) -> bool:
    """Return whether two numbers differ by at most `eps`."""
    return bool(abs(one - other) <= eps)


def show_as_computed(values: MutableSequence[Any], kinds: Iterable[int]) -> None:
    """Replace written fractions of inner nodes by ordinary ones: their values are computed."""
    for node, kind in enumerate(kinds):
        if kind and values[node].__class__ is WrittenFraction:
            values[node] = Fraction(values[node])


def round_once(value: Any, exact: bool) -> Any:
    """Return a number as a function with the argument `exact` returns it: itself, or rounded.

    This also converts the numbers in tuples and dataclasses.
    """
    if value.__class__ is WrittenFraction and exact:
        return Fraction(value)
    if exact or value.__class__ in (float, int, str, NoneType):
        return value
    if isinstance(value, Fraction):
        return to_nearest_float(value)
    if isinstance(value, tuple):
        parts = [round_once(part, exact) for part in value]
        if hasattr(value, "_fields"):
            return type(value)(*parts)
        return tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        own = {field.name: round_once(getattr(value, field.name), exact) for field in fields(value)}
        return replace(value, **own)
    return value


def float_column(values: Collection[Number]) -> array[float]:
    """Return numbers as floats; raise `BeyondFloatsError` for one that they cannot hold."""
    column = array("d", map(to_nearest_float, values))
    ends = min(column, default=0), max(column, default=0)
    if -MAX_FLOAT <= ends[0] <= ends[1] <= MAX_FLOAT and 0 not in column:
        return column
    for value, rounded in zip(values, column, strict=True):
        if abs(rounded) > MAX_FLOAT or (value and not rounded):
            raise BeyondFloatsError(
                f"{message_text(value)} is beyond floating point (10^-324 to 10^301), in which "
                "large trees and some attitudes are computed"
            )
    return column


def float_bounds(bounds: tuple[Number, Number]) -> tuple[float, float]:
    """Return the ends of an interval as floats; raise `BeyondFloatsError` as for a column."""
    float_column([end for end in bounds if is_finite(end)])
    return to_nearest_float(bounds[0]), to_nearest_float(bounds[1])


def to_exact(value: Number) -> Fraction:
    """Return a finite number as a `Fraction`; a float counts as the decimal that Python prints."""
    if isinstance(value, float):
        return Fraction(repr(float(value)))
    return Fraction(value)


def to_digits(value: Fraction, digits: int = 17) -> Fraction:
    """Return the nearest number with some significant digits, a decimal."""
    return Fraction(_rounded_text(value, digits))


def given_fraction(value: object) -> Fraction | None:
    """Return a number of a Python program as a `Fraction`; None for a text or no finite number."""
    from decimal import Decimal

    if not isinstance(value, (int, float, Fraction, Decimal)) or isinstance(value, bool):
        return None
    try:
        return to_exact(value)  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        return None


def to_exact_bound(end: Number) -> Number:
    """Return an end of an interval as a `Fraction`, or an infinity as it is."""
    if is_finite(end):
        return to_exact(end)
    return end


def exact_text(value: Number) -> str:
    """Return the number as a tree file would write it: an exact decimal, else a fraction.

    A number of more than about 4,000 digits is given as `about 1.2e+5000`.
    """
    if isinstance(value, (float, int)):
        if is_finite(value) and value == int(value) and abs(value) < 1e15:
            return str(int(value))
        return str(value)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        return f"about {_rounded_text(value, 10)}"
    if value.denominator == 1 or 10**_MOST_PLACES % value.denominator:
        return str(value)
    places = next(places for places in count(1) if 10**places % value.denominator == 0)
    whole, part = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    return f"{'-' * (value < 0)}{whole}.{part:0{places}d}"


def number_text(value: Number) -> str:
    """Return a number as the grammar writes it; raise `TreeError` if it is too long."""
    if isinstance(value, Rounded):
        written = _rounded_text(value, 60)  # its digits
        if abs(int(written.partition("e")[2] or 0)) > MAX_EXPONENT:
            raise TreeError(
                f"a number of about {_rounded_text(value, 3)} cannot be written: the grammar "
                f"allows exponents within {MAX_EXPONENT}"
            )
        return written
    written = exact_text(value)
    if len(written) <= MAX_LENGTH and not written.startswith("about"):
        return written
    from decimal import Context, Decimal

    decimal = Decimal(_rounded_text(value, MAX_LENGTH))
    power = max(-MAX_EXPONENT, min(decimal.adjusted(), MAX_EXPONENT))
    text = f"{Context(MAX_LENGTH).scaleb(decimal, -power):f}e{power}"
    with suppress(NumberError):
        if to_fraction(text) == value:
            return text
    size = f"{len(written):,} characters"
    if written.startswith("about"):
        size = "thousands of digits"
    raise TreeError(
        f"a number of {size} cannot be written: the grammar allows {MAX_LENGTH} characters"
    )


def display_text(value: Number, digits: int | None = None) -> str:
    """Return the number for people: a rounded decimal, or in that notation a short fraction.

    A decimal has six digits, but from 10,000 on two decimals: amounts of money keep their cents.
    It is the number rounded once, half to even. A fraction that a file has stays a fraction. `?` is
    a utility that is not known yet.

        >>> display_text(-4750000.5), display_text(Fraction(2, 3))
        ('−4,750,000.5', '0.666667')
    """
    if isinstance(value, WrittenFraction):
        return typeset(str(value))
    if not is_shown_as_fraction(value):
        return decimal_text(value, digits)
    text = exact_text(value)
    digits = digits or 10
    if len(text) <= 2 * digits or text.startswith("about"):
        return typeset(text)
    return f"about {typeset(_rounded_text(value, digits))}"


def decimal_text(value: Number, digits: int | None = None) -> str:
    """Return the number for people as a rounded decimal in any notation; see `display_text`."""
    if value != value:
        return "?"
    if not is_finite(value):
        if value > 0:
            return "∞"
        return "−∞"
    text = _rounded_text(value, digits or _usual_digits(abs(value)))
    if text == "-0":
        return "0"
    return typeset(text)


def _usual_digits(size: Any) -> int:
    if size < 10_000:
        return 6
    if size < 1e15:
        return len(str(int(size))) + 2
    return 10


def exact_display(value: Number) -> str:
    """Return the number for people in full: an exact decimal, else a fraction."""
    return typeset(exact_text(value))


def typeset(text: str) -> str:
    """Return a number as a book writes it: `-10000.5` as `−10,000.5`."""
    digits = text.removeprefix("-")
    whole, point, rest = digits.partition(".")
    if len(whole) > 3 and whole.isdecimal():
        whole = f"{int(whole):,}"
    return f"{MINUS * (digits != text)}{whole}{point}{rest}"


def cell_text(value: Number, residue: Number = 0) -> str:
    """Return the number for a table or a sentence; a float within `residue` of 0 is 0."""
    if isinstance(value, float) and abs(value) <= residue:
        return "0"
    return display_text(value)


def message_text(value: Number) -> str:
    """Return the number for a message: as a file would write it, unless that is too long."""
    text = exact_text(value)
    if len(text) > 40:
        return display_text(value)
    return text


def probability_text(probability: Number, digits: int = 4, most: int = 100) -> str:
    """Return a probability for people: a short decimal, a fraction, or a rounded decimal.

    A fraction has a denominator of at most `most`. A probability below 1 never looks like 1.

        >>> [probability_text(p) for p in (0.25, Fraction(1, 3), 1 / 7, 0.123456, 1 - 1e-9)]
        ['0.25', '1/3', '1/7', '0.1235', '0.999999999']
        >>> probability_text(Fraction(1, 3), most=COMPUTED)
        '0.3333'
    """
    if isinstance(probability, WrittenFraction) or is_shown_as_fraction(probability):
        return display_text(probability)
    text = decimal_text(probability, digits)
    exact = to_exact(probability)
    if "e" not in text and Fraction(text) == exact:
        return text
    if isinstance(probability, Rounded):
        most = COMPUTED
    simple = exact.limit_denominator(most)
    if 0 < simple < 1 and to_nearest_float(simple) == to_nearest_float(exact):
        return str(simple)
    if text == "1":  # which it is not
        places = 1 + len(str(int(1 / (1 - exact))))
        if places >= 16:
            return f"1 − {decimal_text(1 - exact, 2)}"
        return decimal_text(probability, places)
    return text


def percent_text(count: float, total: float) -> str:
    """Return a share in percent, with decimals where it would look like none or all.

    >>> [percent_text(count, 216) for count in (0, 58, 215, 216)]
    ['0%', '27%', '99.5%', '100%']
    """
    digits, share = 0, 100 * count / total
    while 0 < count < total and f"{share:.{digits}f}" in (f"{0:.{digits}f}", f"{100:.{digits}f}"):
        digits += 1
    return f"{share:.{digits}f}%"


def factor_text(text: str) -> str:
    """Return a factor of a product: in parentheses if it is negative or a fraction."""
    if text.startswith(MINUS) or "/" in text:
        return f"({text})"
    return text


@cache
def _decimals(digits: int) -> tuple[Any, Any]:
    """Return a context that rounds to some digits, and the class `Decimal`."""
    from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

    return Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX), Decimal


def _rounded_text(value: Number, digits: int) -> str:
    """Return a number rounded to some significant digits, as Python writes a float with `g`.

    But a number from 10^-6 to 10^9 has no exponent.
    """
    if not isinstance(value, float):
        return _quotient_text(value.numerator, value.denominator, digits)
    text = f"{value:.{digits}g}"
    exponent = text.partition("e")[2]
    if exponent and int(exponent) in _PLAIN_EXPONENTS:
        return _quotient_text(*value.as_integer_ratio(), digits)
    return text


@lru_cache(maxsize=4_000)  # a page shows the same numbers again and again
def _quotient_text(numerator: int, denominator: int, digits: int) -> str:
    if denominator == 1 and -(10**digits) < numerator < 10**digits:
        return str(numerator)
    context, to_decimal = _decimals(digits)
    quotient = context.divide(to_decimal(numerator), to_decimal(denominator))
    rounded = quotient.normalize(context)  # without zeros at the end
    exponent = rounded.adjusted()
    if exponent in _PLAIN_EXPONENTS or 0 <= exponent < digits:
        return f"{rounded:f}"
    return f"{rounded.scaleb(-exponent, context):f}e{exponent:+03d}"
