"""A study as text: a row for each kind of tree and search, or a wide table of shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from string import ascii_uppercase

from rich.columns import Columns
from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.study.spec import describe
from expectitree.analysis.study.summary import Mean, Summary, SummaryRow
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import plural, seconds_text
from expectitree.text.tables import Column, table

_CELL = 6  # terminal columns of a cell of a wide table


def render(summary: Summary, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the title, the table, and a legend."""
    study = summary.study
    for text, style in ((study.title, "title"), (study.source, "dim")):
        if text:
            yield Text(safe(text, options), style=style)
    yield f"{summary.done:,} of {plural(summary.total, 'tree')} done"
    yield ""
    if not summary.rows:
        return
    columns, rows = study_table(summary)
    if study.table == "wide":
        yield from _keyed([column.heading for column in columns[1:]], rows, options)
    else:
        yield from table(columns, rows, options)
    yield ""
    for sentence in legend(summary):
        marked = sentence.replace("±", characters(options).plus_minus)
        yield Text(marked, style="dim")


def study_table(summary: Summary) -> tuple[list[Column], list[list[str]]]:
    """Return the columns and rows of the table that the study asks for."""
    return _wide(summary) if summary.study.table == "wide" else _long(summary)


def legend(summary: Summary) -> Iterator[str]:
    """Yield what the figures of the table are, in sentences."""
    if summary.study.table == "wide":
        counts = [row.trees for row in summary.rows]
        trees = plural(max(counts), "tree")
        if min(counts) < max(counts):
            trees = f"{min(counts):,} to {trees}"
        widest = max(row.leaf_share.half or 0.0 for row in summary.rows)
        yield (
            f"Mean share of the leaves that were visited, in per cent, of {trees} a row; the 95% "
            f"intervals are up to ±{widest:.1f} wide to either side."
        )
        return
    if any(row.leaf_share.half for row in summary.rows):
        yield "Mean share of the leaves and of the nodes that were visited, ± the 95% interval."
    else:
        yield "Leaves visited of all; share of the nodes that were visited."
    if any(row.published is not None for row in summary.rows):
        yield "Off by: measured minus published, in percentage points."


def _wide(summary: Summary) -> tuple[list[Column], list[list[str]]]:
    """Return a row for each kind of tree, with the share of the leaves that each search visited."""
    searches = list(dict.fromkeys(row.run.name for row in summary.rows))
    rows: dict[str, dict[str, str]] = {}
    for row in summary.rows:
        rows.setdefault(describe(row.tree), {})[row.run.name] = f"{row.leaf_share.value:.1f}"
    columns = [Column("trees"), *(Column(name, number=True) for name in searches)]
    return columns, [
        [tree, *(cells.get(name, "-") for name in searches)] for tree, cells in rows.items()
    ]


def _keyed(
    searches: Sequence[str], rows: Sequence[Sequence[str]], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield a wide table: a letter stands for each search, and each row follows its trees' name."""
    keys = [ascii_uppercase[i] if i < 26 else str(i) for i in range(len(searches))]
    for key, name in zip(keys, searches, strict=True):
        yield line((f"{key:>{_CELL}} {name}", "dim"))
    yield ""
    cells = partial(Columns, width=_CELL, padding=0, align="right")
    yield cells([Text(key, style="dim") for key in keys])
    for tree, *shares in rows:
        yield Text(safe(tree, options), style="title")
        yield cells(shares)


def _long(summary: Summary) -> tuple[list[Column], list[list[str]]]:
    """Return a row for each kind of tree and search."""
    has_published = any(row.published is not None for row in summary.rows)
    figures = [f for f in _FIGURES if has_published or f[0].heading not in ("published", "off by")]
    parameters = [
        Column(name, number=all(_is_number(row.tree.get(name, "-")) for row in summary.rows))
        for name in summary.varying
    ]
    rows = [
        [
            *(row.tree.get(name, "-") for name in summary.varying),
            row.run.name,
            *(cell(row) for _, cell in figures),
        ]
        for row in summary.rows
    ]
    return [*parameters, Column("algorithm"), *(column for column, _ in figures)], rows


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).isdecimal()


def _leaves(row: SummaryRow) -> str:
    if row.leaf_share.half in (None, 0.0):
        return f"{row.leaves.value:,.0f} of {row.leaves_total:,.0f}"
    return _percent(row.leaf_share)


def _percent(mean: Mean) -> str:
    half = f" ±{mean.half:.1f}" if mean.half else ""
    return f"{mean.value:.1f}%{half}"


def _published(row: SummaryRow) -> str:
    if row.published is None:
        return "-"
    return row.published if "/" in row.published else f"{row.published}%"


def _off_by(row: SummaryRow) -> str:
    if row.published_share is None:
        return ""
    off = f"{row.leaf_share.value - row.published_share:+.1f}"
    return "0" if off in ("+0.0", "-0.0") else off


_FIGURES: tuple[tuple[Column, Callable[[SummaryRow], str]], ...] = (
    (Column("trees", number=True, spare=3), lambda row: f"{row.trees:,}"),
    (Column("leaves", number=True), _leaves),
    (Column("nodes", number=True, spare=2), lambda row: _percent(row.node_share)),
    (Column("published", number=True), _published),
    (Column("off by", number=True, spare=1), _off_by),
    (Column("time", number=True, spare=4), lambda row: seconds_text(row.seconds)),
)
