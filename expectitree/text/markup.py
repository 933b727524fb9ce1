"""Reports as HTML for notebooks: the tables of their text, and the lines between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table

from expectitree.text import console as text

MAX_LINES = 200  # of a text, or rows of a table: a notebook keeps what it shows
# Pages that notebooks become may have no font for `pre`. At this height, lines that characters draw
# join.
_STYLE = "font-family: monospace; line-height: 1.2; overflow-x: auto; white-space: pre"


def to_strings(renderables: Iterable[RenderableType], console: Console) -> Iterator[str]:
    """Yield the HTML of renderables, as `console.to_strings` yields their text."""
    for is_table, group in groupby(renderables, lambda one: isinstance(one, Table)):
        if is_table:
            yield from map(_table, group)
        else:
            lines = "".join(text.to_strings(group, console)).strip("\n")
            if lines:
                yield f'<pre style="{_STYLE}">{escape(shortened(lines), quote=False)}</pre>\n'


def shortened(lines: str) -> str:
    """Return the first lines of a text, and how many more there are."""
    first = lines.split("\n", MAX_LINES)
    if len(first) > MAX_LINES:
        more = first[-1].count("\n") + 1
        first[-1] = f"… {more:,} more lines: print(…) shows them all"
    return "\n".join(first)


def _table(table: Any) -> str:
    shown = [c for c in table.columns if any(map(str, [c.header, *c.cells]))]  # others are gaps
    rows = [*zip(*(column.cells for column in shown), strict=True)]
    head = _row("th", [column.header for column in shown], shown)
    body = [_row("td", row, shown) for row in rows[:MAX_LINES]]
    if len(rows) > MAX_LINES:
        body.append(_row("td", [f"… {len(rows) - MAX_LINES:,} more"], shown))
    return f'<table style="{_STYLE}"><thead>{head}</thead><tbody>{"".join(body)}</tbody></table>\n'


def _row(tag: str, cells: Iterable[Any], columns: Iterable[Any]) -> str:
    row = "<tr>"
    for cell, column in zip(cells, columns, strict=False):
        text = escape(str(cell), quote=False)
        row += f'<{tag} style="text-align: {column.justify}">{text}</{tag}>'
    return f"{row}</tr>"
