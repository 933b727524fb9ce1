"""Numbers, and their texts: for files, for people, for messages; `reading` is the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count
from typing import Any, TypeAlias

from expectitree.base.errors import (
    TreeError,
)
from expectitree.base.rounding import Rounded, WrittenFraction, to_nearest_float

Number: TypeAlias = float | Fraction

INFINITY = float("inf")
MAX_LENGTH = 400  # characters of a number
MAX_EXPONENT = 400
COMPUTED = 1  # the greatest denominator of a computed probability: it is shown as a decimal
_MOST_PLACES = 15  # of a decimal that is not written as a fraction
_PLAIN_EXPONENTS = range(-6, 10)  # of numbers that are written without one
_MAX_BITS = 13_000  # of a number in full: Python refuses to print more than 4,300 digits
# Beyond this, a difference of two utilities could overflow to infinity.
MAX_FLOAT = 2.0**1000


MINUS = "\N{MINUS SIGN}"  # consoles that have only ASCII show a hyphen

_shows_exact: ContextVar[bool] = ContextVar("shows exact numbers", default=False)


@contextmanager
def show_exact(exact: bool) -> Iterator[None]:
    """Show each `Fraction` as a fraction in a `with` block, or as a decimal, rounded once."""
    token = _shows_exact.set(exact)
    try:
        yield
    finally:
        _shows_exact.reset(token)


def is_shown_as_fraction(value: Number) -> bool:
    """Return whether a number is shown as a fraction; a rounded one never is."""
    is_exact = isinstance(value, Fraction) and not isinstance(value, Rounded)
    return is_exact and _shows_exact.get()


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
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(escaped)


def is_finite(value: Number) -> bool:
    """Return whether a bound is a number, not an infinity."""
    # To compare a fraction with a float takes ten times as long.
    return value.__class__ is Fraction or -INFINITY < value < INFINITY


def are_near(number: Any, other: Any, eps: Any) -> bool:
    """Return whether two numbers differ by at most `eps`."""
    return bool(abs(number - other) <= eps)


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
    is_huge = written.startswith("about")
    if len(written) <= MAX_LENGTH and not is_huge:
        return written
    from decimal import Context, Decimal

    decimal = Decimal(_rounded_text(value, MAX_LENGTH))
    power = max(-MAX_EXPONENT, min(decimal.adjusted(), MAX_EXPONENT))
    text = f"{Context(MAX_LENGTH).scaleb(decimal, -power):f}e{power}"
    if len(text) <= MAX_LENGTH and Fraction(text) == value:
        return text
    size = f"{len(written):,} characters"
    if is_huge:
        size = "thousands of digits"
    raise TreeError(
        f"a number of {size} cannot be written: the grammar allows {MAX_LENGTH} characters"
    )


def display_text(value: Number, digits: int | None = None) -> str:
    """Return the number for people: a rounded decimal, or where fractions are shown a short one.

    A decimal has six digits, but from 10,000 on two decimals: amounts of money keep their cents.
    It is the number rounded once, half to even. A fraction or a percentage that a file has
    stays as it is. `?` is a utility that is not known yet.

        >>> display_text(-4750000.5), display_text(Fraction(2, 3))
        ('−4,750,000.5', '0.666667')
    """
    if isinstance(value, WrittenFraction):
        return typeset(value.text)
    if not is_shown_as_fraction(value):
        return decimal_text(value, digits)
    text = exact_text(value)
    digits = digits or 10
    if len(text) <= 2 * digits or text.startswith("about"):
        return typeset(text)
    return f"about {typeset(_rounded_text(value, digits))}"


def decimal_text(value: Number, digits: int | None = None) -> str:
    """Return the number for people as a rounded decimal, wherever it is; see `display_text`."""
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
