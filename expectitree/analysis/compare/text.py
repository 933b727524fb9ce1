"""Comparisons as a table for people, and as JSON, CSV and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.compare.report import Comparison, Total, totals
from expectitree.analysis.evaluate.text import value_text
from expectitree.analysis.limit.proofs import between
from expectitree.numbers import escape
from expectitree.text.look import Look, wrapped
from expectitree.text.table import table

HEADINGS = ("algorithm", "value", "best", "nodes", "leaves", "needed", "share", "cuts", "time")
RIGHT = ("nodes", "leaves", "needed", "share", "cuts", "time")
DISPENSABLE = ("time", "cuts", "share", "nodes", "best")
WIDEST = {"best": 16}


def render(comparisons: Sequence[Comparison], look: Look) -> Iterator[str]:
    """Yield a table for each file, its sentence, and for several files the totals."""
    for position, comparison in enumerate(comparisons):
        if position:
            yield ""
        tree = comparison.tree
        if len(comparisons) > 1 or not tree.title:
            yield look.paint(escape(comparison.file), "title")
        if tree.title:
            yield look.paint(escape(tree.title), "title" if len(comparisons) == 1 else "none")
        yield f"{len(tree):,} node{'s' * (len(tree) != 1)}, {tree.leaves:,} lea{'ves' if tree.leaves != 1 else 'f'}"
        yield ""
        yield from table(_headings(comparison), _rows(comparison), look, RIGHT, DISPENSABLE, WIDEST)
        yield ""
        for disagreement in comparison.disagreements:
            yield look.paint(f"WRONG: {disagreement}", "bad")
        for sentence in _sentences(comparison):
            for line in wrapped(sentence, look.width):
                yield look.paint(line, "bad" if comparison.disagreements else "title")
    if len(comparisons) > 1:
        yield ""
        yield look.paint(f"All {len(comparisons)} files", "title")
        yield ""
        headings = tuple(h for h in _headings(comparisons[0]) if h not in ("value", "best"))
        yield from table(headings, _total_rows(comparisons), look, RIGHT, DISPENSABLE)


def _headings(comparison: Comparison) -> tuple[str, ...]:
    return tuple(h for h in HEADINGS if h != "needed" or comparison.limit is not None)


def _sentences(comparison: Comparison) -> Iterator[str]:
    yield comparison.sentence
    if comparison.limit is not None and comparison.limit.sentence:
        yield comparison.limit.sentence
        yield from comparison.limit.notes


def _rows(comparison: Comparison) -> list[list[str]]:
    rows = []
    limit = comparison.limit
    for row in comparison.rows:
        search, counts = row.search, row.search.counts
        needed = [] if limit is None else [limit.enough(search).text]
        rows.append(
            [
                search.algorithm.full_name, value_text(search), search.best or "-",
                f"{counts.visited:,}", f"{counts.leaves_visited:,}", *needed, f"{counts.share:.0%}", f"{counts.cuts:,}",
                seconds_text(row.seconds),
            ]
        )  # fmt: skip
    return rows


def _total_rows(comparisons: Sequence[Comparison]) -> list[list[str]]:
    return [
        [
            total.algorithm.full_name, f"{total.nodes_visited:,}", f"{total.leaves_visited:,}", *_needed(total),
            f"{total.leaves_visited / total.leaves_total:.0%}", f"{total.cuts:,}", seconds_text(total.seconds),
        ]
        for total in totals(comparisons)
    ]  # fmt: skip


def _needed(total: Total) -> list[str]:
    return [] if total.needed is None else [between(*total.needed)]


def seconds_text(seconds: float) -> str:
    """Return a time for people."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.0f} µs"
