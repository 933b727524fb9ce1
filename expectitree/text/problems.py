"""The problems of a file, each with its source line and a mark below the column."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from expectitree.base.errors import Excerpt, FileError
from expectitree.base.numbers import escape

_MARGIN = "    "
_MIN_WIDTH = 20  # terminal columns for a source line
_TAB = "    "


def problem_lines(error: FileError, width: int) -> Iterator[str]:
    """Yield the lines of an error: each message, its source line, and `^` below the column.

    Source lines are cut to the width. Messages are whole, so that a search can find them.
    """
    for problem in error.problems:
        yield from str(problem).splitlines()
        if problem.excerpt is not None:
            yield from _excerpt_lines(problem.excerpt, width - len(_MARGIN))
    if error.stopped:
        yield str(error).splitlines()[-1]


def _excerpt_lines(excerpt: Excerpt, width: int) -> Iterator[str]:
    """Yield a source line, cut around the column, and the mark below it."""
    indent = len(excerpt.text) - len(excerpt.text.lstrip(" \t"))
    indent = min(indent, excerpt.at)
    at = excerpt.at - indent
    shown = [_TAB if c == "\t" else escape(c) for c in excerpt.text[indent:].rstrip()]
    cells = [*map(cell_len, shown)]
    first, end = _window(cells, at, max(width, _MIN_WIDTH))
    before = "…" if first else ""
    after = "…" if end < len(shown) else ""
    offset = len(before) + sum(cells[first:at]) + max(0, at - len(cells))
    yield f"{_MARGIN}{before}{''.join(shown[first:end])}{after}"
    yield f"{_MARGIN}{' ' * offset}^"


def _window(cells: list[int], at: int, width: int) -> tuple[int, int]:
    """Return the first character to show and the one after the last, from their widths."""
    if sum(cells) <= width:
        return 0, len(cells)
    left = width - 2  # for the `…` at both ends
    first = end = min(at, len(cells))
    is_left = False
    while True:
        can_left = first > 0 and cells[first - 1] <= left
        can_right = end < len(cells) and cells[end] <= left
        if not can_left and not can_right:
            return first, end
        is_left = can_left and (not is_left or not can_right)
        if is_left:
            first -= 1
            left -= cells[first]
        else:
            left -= cells[end]
            end += 1
