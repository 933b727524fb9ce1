"""Functions, places and ranges as text."""

from __future__ import annotations

from fractions import Fraction

from expectitree.decide.algebra.polynomials import Coefficients
from expectitree.decide.algebra.rationals import Rational
from expectitree.numbers import decimal_text, exact_text

LONGEST = 60  # characters of a formula that is shown


def formula_text(value: Rational, name: str, times: str = "*", digits: int = 0) -> str | None:
    """Return a function as a formula, such as `175 + 1800*pr`; None if it is long.

    With `digits`, coefficients are rounded to them.
    """
    numerator, denominator = value.numerator, value.denominator
    if value.is_polynomial:
        text = _polynomial_text(numerator, denominator[0], name, times, digits)
    else:  # rounded coefficients are short if the greatest one of the denominator is 1
        unit = max(denominator, key=abs) if digits else 1
        parts = (
            _polynomial_text(part, unit, name, times, digits) for part in (numerator, denominator)
        )
        text = "/".join(f"({part})" for part in parts)
    return text if len(text) <= LONGEST else None


def _polynomial_text(
    coefficients: Coefficients, denominator: int, name: str, times: str, digits: int
) -> str:
    text = ""
    for power, c in enumerate(coefficients):
        if not c:
            continue
        value = Fraction(c, denominator)
        factor = abs(value)
        variable = {0: "", 1: name}.get(power, f"{name}^{power}")
        shown = decimal_text(factor, digits) if digits else exact_text(factor)
        if variable and "/" in shown:
            shown = f"({shown})"
        term = times.join(filter(None, ("" if variable and shown == "1" else shown, variable)))
        sign = "-" if value < 0 else "+"
        if text:
            text += f" {sign} {term}"
        else:
            text = f"-{term}" if value < 0 else term
    return text or "0"


def number_text(value: Fraction) -> str:
    """Return a number for a table: a short fraction or decimal as it is, else rounded."""
    text = exact_text(value)
    return text if len(text) <= 12 else decimal_text(value)


def move_text(value: Fraction) -> str:
    """Return the distance to a threshold, with four digits or as an amount."""
    return decimal_text(value, 4 if value < 1000 else None)


def with_unit(text: str, unit: str | None) -> str:
    """Return an amount with its unit: `$` before it, any other after it."""
    if unit is None:
        return text
    return f"{unit}{text}" if unit in "$€£¥" else f"{text} {unit}"
