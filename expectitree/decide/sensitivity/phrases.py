"""Places and ranges as text."""

from __future__ import annotations

from fractions import Fraction

from expectitree.base.numbers import decimal_text, exact_text


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
