"""Read the numbers of tree files: from text to `float` or `Fraction`.

A number is an ASCII decimal (`2`, `-4.5e3`, `.9`), a decimal with `%`, or a fraction of integers
(`1/3`). The limits on length and exponent keep a hostile text from costing anything:
`Fraction("1e10000000")` would not return.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import Any

from expectitree.base.errors import NEEDS_EXACT, NOT_A_NUMBER, NOT_A_PROBABILITY, NumberError
from expectitree.base.numbers import (
    INFINITY,
    MAX_EXPONENT,
    MAX_FLOAT,
    MAX_LENGTH,
    Number,
    exact_text,
    is_finite,
    message_text,
    quote,
)
from expectitree.base.rounding import WrittenFraction, to_nearest_float

_LONGEST_FRACTION = 20  # characters of a fraction in a text that is shown as it is written
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
NO_UNIT = re.compile(r"[eE]?[-+−.,/%\d\s]*")  # may be a part of a number
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


class BeyondFloatsError(NumberError):
    """Floats cannot hold a number of a tree that is computed in floats."""


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
        value = Fraction(text[:-1]) / 100
    else:
        value = _fraction(text)
    if len(text) > _LONGEST_FRACTION:
        return value
    return WrittenFraction(value, None, text)


def written_like(others: Iterable[Number], value: Number) -> Number:
    """Return what the other numbers leave; among percentages, it is shown as one, too."""
    forms = {isinstance(p, WrittenFraction) and p.text.endswith("%") for p in others}
    if forms != {True}:
        return value
    text = exact_text(100 * value)
    if "/" in text or text.startswith("about"):
        return value
    return to_fraction(f"{text}%")


def without_unit(text: Any, unit: str | None) -> Any:
    """Return an amount such as `$250,000` without its unit and its separators.

    Return anything else as it is.
    """
    if not isinstance(text, str) or not unit or unit not in text or NO_UNIT.fullmatch(unit):
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
        value, whole = to_fraction(text), 100
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


def _fraction(text: str) -> Fraction:
    match = _FRACTION.fullmatch(text)
    if match is None:
        raise _not_a_number(text)
    numerator, denominator = int(match[1]), int(match[2])
    if denominator == 0:
        raise NumberError(f"{quote(text)} divides by zero", HOW)
    return Fraction(numerator, denominator)


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


def float_column(values: Collection[Number]) -> array[float]:
    """Return numbers and infinities as floats; raise `BeyondFloatsError` for one beyond them."""
    column = array("d", map(to_nearest_float, values))
    ends = min(column, default=0), max(column, default=0)
    if -MAX_FLOAT <= ends[0] <= ends[1] <= MAX_FLOAT and 0 not in column:
        return column
    for value, rounded in zip(values, column, strict=True):
        if (abs(rounded) > MAX_FLOAT and is_finite(value)) or (value and not rounded):
            raise BeyondFloatsError(
                f"{message_text(value)} is beyond floating point (10^-324 to 10^301), in which "
                "large trees and some attitudes are computed"
            )
    return column
