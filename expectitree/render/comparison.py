"""Comparisons as a table for people, and as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.comparison import Comparison, totals
from expectitree.number import printable, readable, shortest
from expectitree.render.evaluation_json import dumps, search_fields
from expectitree.render.look import Look, cell_width, clipped, padded

HEADINGS = ("algorithm", "value", "best", "nodes", "leaves", "share", "cuts", "time")
_LABEL = 16  # columns that a label may take
CSV_COLUMNS = (
    "file", "algorithm", "probes", "probe_order", "value", "best", "bounds_lower", "bounds_upper", "nodes_total",
    "nodes_visited", "visits", "leaves_total", "leaves_visited", "cuts", "seconds",
)  # fmt: skip


def comparison_text(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a table for each file, its sentence, and for several files the totals."""
    for position, comparison in enumerate(comparisons):
        if position:
            yield ""
        tree = comparison.tree
        if len(comparisons) > 1 or not tree.title:
            yield look.paint(printable(comparison.file), "title")
        if tree.title:
            yield look.paint(printable(tree.title), "title" if len(comparisons) == 1 else "none")
        yield f"{len(tree):,} node{'s' * (len(tree) != 1)}, {tree.leaves:,} lea{'ves' if tree.leaves != 1 else 'f'}"
        yield ""
        yield from _table(HEADINGS, _rows(comparison), look)
        yield ""
        for disagreement in comparison.disagreements:
            yield look.paint(f"WRONG: {disagreement}", "bad")
        yield look.paint(comparison.sentence, "bad" if comparison.disagreements else "title")
    if len(comparisons) > 1:
        yield ""
        yield look.paint(f"All {len(comparisons)} files", "title")
        yield ""
        headings = tuple(h for h in HEADINGS if h not in ("value", "best"))
        yield from _table(headings, _total_rows(comparisons), look)


def comparison_markdown(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a Markdown table for each file, and its sentence."""
    for comparison in comparisons:
        title = f": {comparison.tree.title}" if comparison.tree.title else ""
        yield f"### {_escaped(printable(comparison.file + title))}"
        yield ""
        yield from _markdown(HEADINGS, _rows(comparison))
        yield ""
        for disagreement in comparison.disagreements:
            yield f"**WRONG: {_escaped(disagreement)}**"
        yield _escaped(comparison.sentence)
        yield ""
    if len(comparisons) > 1:
        yield f"### All {len(comparisons)} files"
        yield ""
        yield from _markdown(tuple(h for h in HEADINGS if h not in ("value", "best")), _total_rows(comparisons))
        yield ""


def comparison_json(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield an object for each file, one line each."""
    for comparison in comparisons:
        rows = [search_fields(comparison.file, row.search) | {"seconds": row.seconds} for row in comparison.rows]
        yield dumps({"file": comparison.file, "rows": rows})


def comparison_csv(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a heading, and a row for each file and algorithm."""
    yield ",".join(CSV_COLUMNS)
    for comparison in comparisons:
        for row in comparison.rows:
            search, counts = row.search, row.search.counts
            own = search.algorithm.name == "star2.5"
            fields: list[Any] = [
                comparison.file, search.algorithm.name, search.algorithm.probes if own else "",
                search.algorithm.probe_order if own else "", shortest(search.value), search.best or "",
                shortest(search.bounds[0]), shortest(search.bounds[1]), counts.total, counts.visited,
                counts.visits, counts.leaves_total, counts.leaves_visited, counts.cuts, f"{row.seconds:.6f}",
            ]  # fmt: skip
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(fields)
            yield line.getvalue()


def _rows(comparison: Comparison) -> list[list[str]]:
    rows = []
    for row in comparison.rows:
        search, counts = row.search, row.search.counts
        rows.append(
            [
                search.algorithm.full_name, readable(search.value), search.best or "-",
                f"{counts.visited:,}", f"{counts.leaves_visited:,}", f"{counts.share:.0%}", f"{counts.cuts:,}",
                seconds_text(row.seconds),
            ]
        )  # fmt: skip
    return rows


def _total_rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    return [
        [
            total.algorithm.full_name, f"{total.nodes_visited:,}", f"{total.leaves_visited:,}",
            f"{total.leaves_visited / total.leaves_total:.0%}", f"{total.cuts:,}", seconds_text(total.seconds),
        ]
        for total in totals(comparisons)
    ]  # fmt: skip


def seconds_text(seconds: float) -> str:
    """Return a time for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.0f} µs"


def _table(headings: Sequence[str], rows: list[list[str]], look: Look) -> Iterator[str]:
    """Yield aligned columns: text to the left, numbers to the right; a narrow place has fewer."""
    right = {"nodes", "leaves", "share", "cuts", "time"}
    rows = [[look.shown(cell if look.unicode else cell.replace("µ", "u")) for cell in row] for row in rows]
    kept = list(headings)

    def width(heading: str) -> int:
        i = headings.index(heading)
        widest = max(cell_width(row[i]) for row in [list(headings), *rows])
        return min(widest, _LABEL) if heading == "best" and widest > _LABEL else widest

    for heading in ("time", "cuts", "share", "nodes", "best"):
        if sum(width(h) + 2 for h in kept) - 2 > look.width and heading in kept:
            kept.remove(heading)
    places = [headings.index(heading) for heading in kept]
    widths = [width(heading) for heading in kept]
    over = sum(widths) + 2 * (len(widths) - 1) - look.width
    widths[0] = max(8, widths[0] - max(0, over))
    ellipsis = look.characters.ellipsis

    def line(row: Sequence[str]) -> str:
        cells = []
        for heading, place, columns in zip(kept, places, widths, strict=True):
            text = clipped(row[place], columns, ellipsis)
            cells.append(" " * (columns - cell_width(text)) + text if heading in right else padded(text, columns))
        return "  ".join(cells).rstrip()

    yield look.paint(line(headings), "dim")
    for row in rows:
        yield line(row)


def _markdown(headings: Sequence[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---' if h in ('algorithm', 'value', 'best') else '---:' for h in headings)} |"
    for row in rows:
        yield f"| {' | '.join(_escaped(printable(cell)) for cell in row)} |"


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in text)
