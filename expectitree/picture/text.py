"""The texts of a picture: their width in a font that is not known yet, lines, and numbers."""

from __future__ import annotations

import re

from rich.cells import cell_len

from expectitree.base.numbers import (
    Number,
    cell_text,
)
from expectitree.text.console import clipped

# In hundredths of the font's size, from space to ~. These are the widths of DejaVu Sans, one of the
# widest fonts that `sans-serif` can be, so a text is never wider.
_WIDTHS = (
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79,
    61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64,
    64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
)  # fmt: skip
# Of other letters, by their columns in a terminal: Chinese letters are 1 wide, emoji up to 1.25.
_OTHER_WIDTHS = (0.0, 0.85, 1.3)
BOLD = 1.12  # how much wider bold letters are
LINE = 1.25  # from line to line
_MAX_LENGTH = 2_000  # characters of a text that are broken into lines

_MINUS = re.compile(r"(?<![\w.)])-(?=[\d.i])")
_LONG_INTEGER = re.compile(r"(?<![\d.+-])\d{5,}(?!\d*e)")


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a line may be, in the unit of the font's size."""
    width = 0.0
    for character in text:
        if " " <= character <= "~":
            width += _WIDTHS[ord(character) - ord(" ")] / 100
        else:
            width += _OTHER_WIDTHS[cell_len(character)]
    return width * size * (BOLD if bold else 1)


def broken(text: str, columns: int, most_lines: int) -> tuple[str, ...]:
    """Return a text in lines of at most so many columns, broken at blanks; the last is clipped."""
    lines: list[str] = []
    rest = text[:_MAX_LENGTH]
    while rest:
        if cell_len(rest) <= columns or len(lines) == most_lines - 1:
            lines.append(clipped(rest, columns))
            break
        line = clipped(rest, columns, "")
        blank = line.rfind(" ")
        if rest[len(line)] != " " and blank >= columns // 3:
            line = line[:blank]
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    return tuple(lines)


def balanced(text: str, columns: int, most_lines: int) -> tuple[str, ...]:
    """Return a text in as few lines as `broken` does, of about the same length."""
    lines = broken(text, columns, most_lines)
    if len(lines) < 2 or lines[-1].endswith("…"):
        return lines
    tries = (broken(text, narrow, len(lines) + 1) for narrow in range(columns // 2, columns))
    return next((tried for tried in tries if len(tried) == len(lines)), lines)


def typeset(text: str) -> str:
    """Return the numbers and comparisons of a text as a book writes them: `-10000` as `−10,000`."""
    text = _LONG_INTEGER.sub(lambda digits: f"{int(digits[0]):,}", _MINUS.sub("−", text))
    return text.replace("inf", "∞").replace("<=", "≤").replace(">=", "≥")


def payment_text(reward: Number) -> str:
    """Return what a branch pays MAX, with its sign: `+3`, `−100`; nothing if it pays nothing."""
    text = typeset(cell_text(reward)) if reward else ""
    return f"+{text}" if reward > 0 else text
