"""The texts of a picture: their width, lines, and numbers."""

from __future__ import annotations

from unicodedata import normalize

from rich.cells import cell_len

from expectitree.base.numbers import Number, cell_text
from expectitree.text.console import clipped

# In thousandths of the font's size, from space to ~: the widths of Helvetica, which Arial and
# Liberation Sans share. A picture states the width of each such text, so other fonts keep to it.
_PLAIN = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_BOLD = (
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
)  # fmt: skip
_LIKE = {"−": "+", "≤": "<", "≥": ">"}  # signs that are as wide as others
# Of other letters, by their columns in a terminal: Chinese letters are 1 wide, emoji up to 1.25.
_OTHER_WIDTHS = (0.0, 0.85, 1.3)
_WIDER = 1.12  # bold letters of unknown width
LINE = 1.25  # from line to line
_MAX_LENGTH = 2_000  # characters of a text that are broken into lines


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a line is, in the unit of the font's size; of other letters, the most."""
    widths, wider, width = _PLAIN, 1.0, 0.0
    if bold:
        widths, wider = _BOLD, _WIDER
    for character in text:
        if is_measured(base := _base(character)):
            width += widths[ord(base) - ord(" ")] / 1000
        else:
            width += _OTHER_WIDTHS[cell_len(character)] * wider
    return width * size


def is_measured(text: str) -> bool:
    """Return whether the width of a line is known, not only the most that it can be."""
    return all(" " <= _base(character) <= "~" for character in text)


def _base(character: str) -> str:
    """Return the letter that is as wide as one with an accent, or a sign like it."""
    return _LIKE.get(character) or normalize("NFD", character)[0]


def broken(text: str, columns: int, most_lines: int) -> tuple[str, ...]:
    """Return a text in lines of at most so many columns, broken at blanks.

    What is left of it after the last line becomes an ellipsis.
    """
    lines: list[str] = []
    rest = text[:_MAX_LENGTH]
    while rest:
        is_last = len(lines) == most_lines - 1
        if cell_len(rest) <= columns:
            return (*lines, rest)
        line = clipped(rest, columns - 2 * is_last, "")
        if rest[len(line)] != " " and " " in line.lstrip():
            line = line[: line.rindex(" ")]
        if is_last:
            return (*lines, f"{line.rstrip()} …")
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


def payment_text(reward: Number) -> str:
    """Return what a branch pays MAX, with its sign: `+3`, `−100`; nothing if it pays nothing."""
    if not reward:
        return ""
    return "+" * (reward > 0) + cell_text(reward)
