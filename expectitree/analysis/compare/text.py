"""Comparisons as text: a table for each file, and one of totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.compare.report import Comparison, ComparisonRow, Total, totals
from expectitree.analysis.limit.text import notes, sentence_of
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import count_range, plural, seconds_text, value_text
from expectitree.text.tables import Column, table


class CompareColumn(NamedTuple):
    """A column of the table: its layout, and its cells in the rows of a file and of the totals."""

    layout: Column
    cell: Callable[[Comparison, ComparisonRow], str]
    total: Callable[[Total], str] | None  # None: the table of totals does not have the column


COLUMNS = (
    CompareColumn(
        Column("algorithm"),
        lambda _, row: row.search.algorithm.full_name,
        lambda total: total.algorithm.full_name,
    ),
    CompareColumn(Column("value"), lambda _, row: value_text(row.search), None),
    CompareColumn(Column("best", spare=1, most=16), lambda _, row: row.search.best or "-", None),
    CompareColumn(
        Column("nodes", number=True, spare=2),
        lambda _, row: f"{row.search.counts.visited:,}",
        lambda total: f"{total.nodes_visited:,}",
    ),
    CompareColumn(
        Column("leaves", number=True),
        lambda _, row: f"{row.search.counts.leaves_visited:,}",
        lambda total: f"{total.leaves_visited:,}",
    ),
    CompareColumn(
        Column("needed", number=True),
        lambda comparison, row: (
            count_range(*comparison.limit.enough(row.search).ends) if comparison.limit else ""
        ),
        lambda total: count_range(*total.needed) if total.needed else "",
    ),
    CompareColumn(
        Column("share", number=True, spare=3),
        lambda _, row: f"{row.search.counts.share:.0%}",
        lambda total: f"{total.leaves_visited / total.leaves_total:.0%}",
    ),
    CompareColumn(
        Column("cuts", number=True, spare=4),
        lambda _, row: f"{row.search.counts.cuts:,}",
        lambda total: f"{total.cuts:,}",
    ),
    CompareColumn(
        Column("time", number=True, spare=5),
        lambda _, row: seconds_text(row.seconds),
        lambda total: seconds_text(total.seconds),
    ),
)


def render(comparisons: Sequence[Comparison], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table and sentences for each file, and the totals of several files."""
    for position, comparison in enumerate(comparisons):
        if position:
            yield ""
        tree = comparison.tree
        yield from file_heading(comparison.file, tree, options, len(comparisons) > 1)
        yield f"{plural(len(tree), 'node')}, {plural(tree.leaves, 'leaf')}"
        yield ""
        yield from table(*file_table(comparison), options)
        yield ""
        style = "bad" if comparison.disagreements else "title"
        for disagreement in comparison.disagreements:
            yield Text(f"WRONG: {safe(disagreement, options)}", style=style)
        for sentence in sentences(comparison):
            yield Text(sentence, style=style)
    if len(comparisons) > 1:
        yield ""
        yield Text(f"All {len(comparisons)} files", style="title")
        yield ""
        yield from table(*totals_table(comparisons), options)


def file_table(comparison: Comparison) -> tuple[list[Column], list[list[str]]]:
    """Return the columns and the rows of one file's table."""
    columns = _columns(comparison)
    rows = [[column.cell(comparison, row) for column in columns] for row in comparison.rows]
    return [column.layout for column in columns], rows


def totals_table(comparisons: Sequence[Comparison]) -> tuple[list[Column], list[list[str]]]:
    """Return the columns and the rows of the table of totals."""
    columns = [column for column in _columns(comparisons[0]) if column.total]
    rows = [
        [column.total(row) for column in columns if column.total] for row in totals(comparisons)
    ]
    return [column.layout for column in columns], rows


def sentences(comparison: Comparison) -> Iterator[str]:
    """Yield what the comparison shows, in sentences."""
    yield from _conclusion(comparison)
    if comparison.limit is not None and comparison.limit.least_row:
        yield sentence_of(comparison.limit)
        yield from notes(comparison.limit)


def _columns(comparison: Comparison) -> list[CompareColumn]:
    return [c for c in COLUMNS if c.layout.heading != "needed" or comparison.limit is not None]


def _conclusion(comparison: Comparison) -> Iterator[str]:
    searches = [row.search for row in comparison.rows]
    stopped = sum(search.outcome is Outcome.STOPPED for search in searches)
    if stopped:
        yield f"{stopped} of {len(searches)} searches stopped before they knew the value."
        return
    if comparison.disagreements:
        yield "The algorithms disagree."
        return
    values = [search for search in searches if search.outcome is Outcome.VALUE]
    actions = [search for search in searches if search.outcome is not Outcome.VALUE]
    parts = [_fewest(values, "the same value" if not actions else "the value")] if values else []
    if actions:
        parts.append(_fewest(actions, "the best action alone"))
    yield " ".join(parts)


def _fewest(searches: Sequence[Search], goal: str) -> str:
    """Return which search visited the fewest leaves."""
    best = min(searches, key=lambda s: (s.counts.leaves_visited, s.counts.visits))
    leaves, visited = plural(best.tree.leaves, "leaf"), best.counts.leaves_visited
    if visited < best.tree.leaves:
        needed = f"{visited:,} of {leaves} ({best.counts.share:.0%})"
        return f"{best.algorithm.full_name} needed {needed} for {goal}."
    if best.tree.leaves == 1:
        return "The tree has one leaf."
    return f"No algorithm needed fewer than all {leaves} for {goal}."
