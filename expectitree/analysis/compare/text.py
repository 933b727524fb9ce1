"""Comparisons as text: a table for each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.compare.report import Comparison, ComparisonRow
from expectitree.base.numbers import percent_text
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import file_heading, safe
from expectitree.text.phrases import bounds_text, plural, seconds_text
from expectitree.text.tables import Column, table

_LONG = 24  # columns of a name that is not repeated in each row
COLUMNS = (
    Column("algorithm"),
    Column("value"),
    Column("best", spare=1),
    Column("nodes", number=True, spare=2),
    Column("leaves", number=True),
    Column("share", number=True, spare=3),
    Column("cuts", number=True, spare=4),
    Column("time", number=True, spare=5),
)


def render(comparisons: Sequence[Comparison], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table and sentences for each file."""
    for position, comparison in enumerate(comparisons):
        if position:
            yield ""
        tree = comparison.tree
        yield from file_heading(comparison.file, tree, options, len(comparisons) > 1)
        yield f"{plural(len(tree), 'node')}, {plural(tree.leaves, 'leaf')}"
        yield ""
        yield from _table(comparison, options)
        yield ""
        yield from _bounds(comparison)
        style = "title"
        for disagreement in comparison.disagreements:
            style = "bad"
            yield Text(f"WRONG: {safe(disagreement, options)}", style=style)
        yield Text(conclusion(comparison), style=style)


def _bounds(comparison: Comparison) -> Iterator[Text]:
    """Yield the line that says which bounds each pruning search used."""
    found: dict[str, list[str]] = {}
    for search in (row.search for row in comparison.rows):
        if search.algorithm.prunes:
            found.setdefault(bounds_text(search.root_bounds, search.bounds_source), []).append(
                search.algorithm.name
            )
    if found:
        *parts, (last, _) = found.items()
        text = "".join(f"{bounds} for {', '.join(names)}; " for bounds, names in parts)
        yield Text(f"bounds: {text}{last}{' for the others' * bool(parts)}", style="dim")


def _table(comparison: Comparison, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the table; a long best action that all searches have comes after it."""
    bests = {row.search.best or "-" for row in comparison.rows}
    is_long = len(bests) == 1 and cell_len(min(bests)) > _LONG
    is_shown = {"best": not is_long, "time": comparison.has_times}
    shown = [i for i, column in enumerate(COLUMNS) if is_shown.get(column.heading, True)]
    rows = [[cells[i] for i in shown] for cells in map(_cells, comparison.rows)]
    yield from table([COLUMNS[i] for i in shown], rows, options)
    if is_long:
        yield Text(f"best: {safe(bests.pop(), options)}")


def _cells(row: ComparisonRow) -> list[str]:
    search = row.search
    counts = search.counts
    return [
        search.algorithm.short_name,
        search.value_text(),
        search.best or "-",
        f"{counts.visited:,}",
        f"{counts.leaves_visited:,}",
        percent_text(counts.leaves_visited, counts.leaves_total),
        f"{counts.cuts:,}",
        seconds_text(row.seconds),
    ]


def conclusion(comparison: Comparison) -> str:
    """Return what the comparison shows, in sentences."""
    searches = comparison.proofs
    if not searches:
        return "No algorithm proves the value."
    if stopped := sum(search.outcome is Outcome.STOPPED for search in searches):
        return f"{stopped} of {len(searches)} searches stopped before they knew the value."
    if comparison.disagreements:
        return "The algorithms disagree."
    values = [search for search in searches if search.outcome is Outcome.VALUE]
    actions = [search for search in searches if search.outcome is not Outcome.VALUE]
    goal = "the value" if actions else "the same value"
    if len(searches) < len(comparison.rows):  # a search only estimates the value
        goal = "a proof of the value"
    groups = ((values, goal), (actions, "the best action alone"))
    return " ".join(_fewest(group, goal) for group, goal in groups if group)


def _fewest(searches: Sequence[Search], goal: str) -> str:
    """Return which search visited the fewest leaves."""
    best = min(searches, key=lambda s: (s.counts.leaves_visited, s.counts.visits))
    leaves = plural(best.tree.leaves, "leaf")
    visited = best.counts.leaves_visited
    if best.tree.leaves == 1:
        return "The tree has one leaf."
    if visited == best.tree.leaves:
        return f"Every algorithm visited all {leaves} for {goal}."
    others = sum(s.counts.leaves_visited == visited for s in searches) - 1
    also = f", as did {plural(others, 'other algorithm')}" if others else ""
    share = f"{visited:,} of {leaves} ({percent_text(visited, best.tree.leaves)})"
    return f"{best.algorithm.short_name} visited the fewest leaves for {goal}: {share}{also}."
