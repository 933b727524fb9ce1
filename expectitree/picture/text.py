"""How wide a text will be in a font that is not known yet, and how a long one is broken into lines."""

from __future__ import annotations

from expectitree.text.look import cell_width, clipped

# In hundredths of the font's size, from space to ~: those of DejaVu Sans, one of the widest fonts
# that `sans-serif` comes to, so that a text takes this much at the most.
_WIDTHS = (
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 54, 100, 69, 69, 70, 77, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62,
    69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60,
    82, 60, 60, 53, 64, 34, 64, 84,
)  # fmt: skip
_OTHER = 0.85  # of a letter that is not ASCII and takes one column of a terminal
_WIDE = 1.3  # of one that takes two: Chinese letters are 1 wide, emoji up to 1.25
BOLD = 1.12  # how much wider bold letters are
LINE = 1.25  # from line to line
_LONGEST = 2_000  # characters that are looked at


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a line may become, in the unit of the font's size."""
    width = 0.0
    for character in text:
        if " " <= character <= "~":
            width += _WIDTHS[ord(character) - 32] / 100
        else:
            width += (
                (_WIDE if cell_width(character) == 2 else _OTHER) if cell_width(character) else 0.0
            )
    return width * size * (BOLD if bold else 1)


def broken(text: str, columns: int, most_lines: int) -> tuple[str, ...]:
    """Return a text in lines of at most so many columns, at blanks where there are some; what is over goes."""
    lines: list[str] = []
    rest = text[:_LONGEST]
    while rest:
        if cell_width(rest) <= columns or len(lines) == most_lines - 1:
            lines.append(clipped(rest, columns))
            break
        line = clipped(rest, columns, "")
        blank = line.rfind(" ")
        if rest[len(line)] != " " and blank >= columns // 3:
            line = line[:blank]
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    return tuple(lines)
