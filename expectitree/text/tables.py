"""Tables without lines: aligned columns for a terminal, and the same for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from expectitree.numbers import escape
from expectitree.text.console import characters, clipped, clipped_start, safe

GAP = 2  # blanks between columns


class Column(NamedTuple):
    """A column of a table: columns of words wrap, columns of numbers do not."""

    heading: str
    number: bool = False  # to the right, and never wrapped
    spare: int = 0  # 0: always shown; else the higher, the sooner left out of a narrow terminal
    most: int | None = None  # terminal columns: a longer text is clipped
    keep_end: bool = False  # clip the beginning of a text and not its end


def table(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield a table; where it is too wide, a line names the columns that were left out.

    Columns of words wrap first. If that is not enough, spare columns are left out.
    """
    headings = [column.heading for column in columns]
    cells = [headings] + [
        [_cell(text, column, options) for text, column in zip(row, columns, strict=True)]
        for row in rows
    ]
    least = _least_widths(columns, cells)
    shown = _fitting(columns, least, options.max_width)
    grid = Table(box=None, pad_edge=False, padding=(0, GAP // 2), header_style="dim")
    for place in shown:
        column = columns[place]
        grid.add_column(
            Text(column.heading),
            justify="right" if column.number else "left",
            no_wrap=column.number,
            overflow="fold",
            min_width=None if column.number else least[place],
        )
    for row in cells[1:]:
        grid.add_row(*(Text(row[place]) for place in shown))
    yield grid
    left_out = [column.heading for place, column in enumerate(columns) if place not in shown]
    if left_out:
        yield Text(f"Not shown at this width: {', '.join(left_out)}.", style="dim")


def _cell(text: str, column: Column, options: ConsoleOptions) -> str:
    marks = characters(options)
    text = safe(text.replace("µ", marks.micro).replace("±", marks.plus_minus), options)
    if column.most is None:
        return text
    clip = clipped_start if column.keep_end else clipped
    return clip(text, column.most, marks.ellipsis)


def _least_widths(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int]:
    """Return the least width of each column, when those of words wrap between words."""
    return [
        max(cell_len(part) for row in cells for part in ([row[i]] if c.number else _words(row[i])))
        for i, c in enumerate(columns)
    ]


def _fitting(columns: Sequence[Column], least: Sequence[int], width: int) -> list[int]:
    """Return the places of the columns that fit."""
    shown = list(range(len(columns)))
    for place in sorted(shown, key=lambda place: -columns[place].spare):
        if sum(least[i] + GAP for i in shown) - GAP <= width or not columns[place].spare:
            break
        shown.remove(place)
    return shown


def _words(text: str) -> list[str]:
    return text.split() or [""]


def markdown(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(column.heading for column in columns)} |"
    yield f"| {' | '.join('---:' if column.number else '---' for column in columns)} |"
    for row in rows:
        yield f"| {' | '.join(markdown_escaped(escape(cell)) for cell in row)} |"


def markdown_escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in text)
