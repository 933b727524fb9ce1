"""Studies as a table for people, and as JSON, CSV and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any

from expectitree.algorithms import OPTIONS
from expectitree.analysis.compare.csv import CHOICE_COLUMNS
from expectitree.analysis.study.spec import describe
from expectitree.analysis.study.summary import Mean, Summary, SummaryRow
from expectitree.text.look import Look, wrapped
from expectitree.text.phrases import seconds_text
from expectitree.text.table import table

_FIGURES = ("trees", "leaves", "nodes", "published", "off by", "time")
_RIGHT = (
    "trees",
    "leaves",
    "nodes",
    "published",
    "off by",
    "time",
    "branching",
    "plies",
    "steps",
    "seed",
    "end",
    "skew",
)


def render(summary: Summary, look: Look) -> Iterator[str]:
    """Yield title, table, and what stands in it."""
    study = summary.study
    for text, style in ((study.title, "title"), (study.source, "dim")):
        for line in wrapped(look.shown(text or ""), look.width):
            yield look.paint(line, style)
    yield f"{summary.done:,} of {summary.total:,} trees done"
    yield ""
    headings, rows = _table(summary)
    if rows:
        if not look.unicode:
            rows = [[cell.replace("±", "+-") for cell in row] for row in rows]
        if summary.study.table == "wide":
            yield from _keyed(headings[1:], rows, look)
        else:
            yield from table(headings, rows, look, _RIGHT, ("time", "trees", "nodes"))
        yield ""
        for remark in _legend(summary):
            for line in wrapped(remark if look.unicode else remark.replace("±", "+-"), look.width):
                yield look.paint(line, "dim")


CSV_COLUMNS = (
    "tree", "algorithm", *CHOICE_COLUMNS, "engine", "trees", "leaves_total", "leaves", "leaves_half",
    "leaf_share", "leaf_share_half", "node_share", "node_share_half", "visits", "seconds", "published",
)  # fmt: skip


def _fields(row: SummaryRow) -> list[Any]:
    chosen = row.run.algorithm
    return [
        None, chosen.name, *map(chosen.options.get, OPTIONS), row.run.engine,
        row.trees, row.leaves_total, row.leaves.value, row.leaves.half, row.leaf_share.value, row.leaf_share.half,
        row.node_share.value, row.node_share.half, row.visits.value, row.seconds, row.published,
    ]  # fmt: skip


def _table(summary: Summary) -> tuple[Sequence[str], list[list[str]]]:
    return _wide(summary) if summary.study.table == "wide" else _long(summary)


def _wide(summary: Summary) -> tuple[Sequence[str], list[list[str]]]:
    """Return a row for each kind of tree, with the share of the leaves that each search visited."""
    searches = list(dict.fromkeys(row.run.name for row in summary.rows))
    rows: dict[str, dict[str, str]] = {}
    for row in summary.rows:
        rows.setdefault(describe(row.tree), {})[row.run.name] = f"{row.leaf_share.value:.1f}"
    return ["trees", *searches], [
        [tree, *(cells.get(name, "-") for name in searches)] for tree, cells in rows.items()
    ]  # fmt: skip


def _keyed(searches: Sequence[str], rows: Sequence[Sequence[str]], look: Look) -> Iterator[str]:
    """Yield the rows of a wide table, each below what it is about; searches have a letter each, to leave room."""
    keys = [ascii_uppercase[i] if i < 26 else str(i) for i in range(len(searches))]
    yield from (
        look.paint(f"{key:>6} {name}", "dim") for key, name in zip(keys, searches, strict=True)
    )
    a_line = max(1, look.width // 6)

    def lines(cells: Sequence[str]) -> Iterator[str]:
        for i in range(0, len(cells), a_line):
            yield "".join(f"{cell:>6}" for cell in cells[i : i + a_line])

    yield ""
    for line in lines(keys):
        yield look.paint(line, "dim")
    for tree, *cells in rows:
        for line in wrapped(tree, look.width):
            yield look.paint(line, "title")
        yield from lines(cells)


def _long(summary: Summary) -> tuple[Sequence[str], list[list[str]]]:
    names = summary.varying
    has_published = any(row.published is not None for row in summary.rows)
    figures = [f for f in _FIGURES if has_published or f not in ("published", "off by")]
    rows = []
    for row in summary.rows:
        off = ""
        if row.published_share is not None:
            off = f"{row.leaf_share.value - row.published_share:+.1f}"
        cells = {
            "trees": f"{row.trees:,}",
            "leaves": percent(row.leaf_share),
            "nodes": percent(row.node_share),
            "published": _published(row),
            "off by": "0" if off in ("+0.0", "-0.0") else off,
            "time": seconds_text(row.seconds),
        }
        if row.leaf_share.half in (None, 0.0):
            cells["leaves"] = f"{row.leaves.value:,.0f} of {row.leaves_total:,.0f}"
        rows.append(
            [
                *(row.tree.get(name, "-") for name in names),
                row.run.name,
                *(cells[f] for f in figures),
            ]
        )
    return [*names, "algorithm", *figures], rows


def _published(row: SummaryRow) -> str:
    if row.published is None:
        return "-"
    return row.published if "/" in row.published else f"{row.published}%"


def percent(mean: Mean) -> str:
    """Return a mean share with the half width of its interval."""
    half = f" ±{mean.half:.1f}" if mean.half else ""
    return f"{mean.value:.1f}%{half}"


def _legend(summary: Summary) -> Iterator[str]:
    if summary.study.table == "wide":
        trees = sorted({row.trees for row in summary.rows})
        halves = [row.leaf_share.half or 0.0 for row in summary.rows]
        many = f"{trees[0]:,}" if len(trees) == 1 else f"{trees[0]:,} to {trees[-1]:,}"
        yield (
            f"Mean share of the leaves that were visited, in per cent, of {many} tree{'s' * (trees[-1] > 1)} a row; "
            f"the 95% intervals are up to ±{max(halves):.1f} wide to either side."
        )
        return
    if any(row.leaf_share.half for row in summary.rows):
        yield "Mean share of the leaves and of the nodes that were visited, ± the 95% interval."
    else:
        yield "Leaves visited of all; share of the nodes that were visited."
    if any(row.published is not None for row in summary.rows):
        yield "Off by: measured less published, in points of a per cent."
