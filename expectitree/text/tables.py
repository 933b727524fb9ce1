"""Tables without lines: aligned columns for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from expectitree.text.console import characters, safe
from expectitree.text.phrases import untied

GAP = 2  # blanks between columns


class Column(NamedTuple):
    """A column of a table."""

    heading: str  # it wraps, but not where it is `tied`
    number: bool = False  # to the right, and never wrapped
    spare: int = 0  # 0: always shown; else the higher, the sooner left out of a narrow terminal


def table(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield a table; where it is too wide, a line names the columns that were left out.

    Columns of words wrap first. If that is not enough, spare columns are left out.
    """
    headings = [column.heading for column in columns]
    cells = [headings] + [[_cell(text, options) for text in row] for row in rows]
    natural = [max(map(cell_len, texts)) for texts in zip(*cells, strict=True)]
    least = list(natural)
    for place, column in enumerate(columns):
        wrapping = cells[:1] if column.number else cells
        words = [word for row in wrapping for word in row[place].split(" ")]
        whole = [row[place] for row in cells[len(wrapping) :]]
        least[place] = max(map(cell_len, [*words, *whole]), default=0)
    shown = _fitting(columns, least, options.max_width)
    widths = _shrunk(columns, shown, least, natural, options.max_width)
    # A column of blanks between two others, since rich counts padding at the edges that it drops.
    grid = Table(box=None, padding=0, pad_edge=False, header_style="dim")
    for position, place in enumerate(shown):
        if position:
            grid.add_column(width=GAP)
        heading = untied(columns[place].heading)
        is_number = columns[place].number
        justify: Literal["left", "right"] = "right" if is_number else "left"
        grid.add_column(Text(heading), justify=justify, width=widths[place], overflow="fold")
    for row in cells[1:]:
        texts = [Text(row[place]) for place in shown]
        grid.add_row(*[cell for text in texts for cell in (Text(), text)][1:])
    yield grid
    left_out = [column.heading for place, column in enumerate(columns) if place not in shown]
    if left_out:
        yield Text(untied(f"Not shown at this width: {', '.join(left_out)}."), style="dim")


def _cell(text: str, options: ConsoleOptions) -> str:
    marks = characters(options)
    return safe(text.replace("µ", marks.micro).replace("±", marks.plus_minus), options)


def _fitting(columns: Sequence[Column], least: Sequence[int], width: int) -> list[int]:
    """Return the places of the columns that fit."""
    shown = list(range(len(columns)))
    for place in sorted(shown, key=lambda place: -columns[place].spare):
        if sum(least[i] + GAP for i in shown) - GAP <= width or not columns[place].spare:
            break
        shown.remove(place)
    return shown


def _shrunk(
    columns: Sequence[Column],
    shown: Sequence[int],
    least: Sequence[int],
    natural: Sequence[int],
    width: int,
) -> list[int]:
    """Return widths that fit: the widest column of words becomes narrower until they do."""
    widths = list(natural)
    while sum(widths[i] + GAP for i in shown) - GAP > width:
        wide = [i for i in shown if widths[i] > least[i]]
        if not wide:  # even single words do not fit: the last resort is to break them
            wide = [i for i in shown if not columns[i].number and widths[i] > 1]
        if not wide:
            break
        widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths
