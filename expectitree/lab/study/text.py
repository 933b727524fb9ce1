"""A study as text: a row for each kind of tree and search, or a wide table of shares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from string import ascii_uppercase
from typing import TypeAlias

from rich.columns import Columns
from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.lab.study.report import Mean, Summary, SummaryRow
from expectitree.lab.study.spec import Parameters, describe, is_game
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import count_range, nouns, plural, seconds_text
from expectitree.text.tables import Column, table

_CELL = 6  # terminal columns of a cell of a wide table
# Columns of figures -> the order in which a narrow terminal leaves them out; 0: never.
_SPARE = {"trees": 3, "leaves": 0, "nodes": 2, "published": 0, "off by": 1, "time": 4}

Table: TypeAlias = tuple[list[Column], list[list[str]]]  # columns and rows


def render(summary: Summary, options: ConsoleOptions) -> Iterator[RenderableType]:
    study = summary.study
    for text, style in ((study.title, "title"), (study.source, "dim")):
        if text:
            yield Text(safe(text, options), style=style)
    yield f"{summary.done:,} of {plural(summary.total, 'tree')} done"
    yield ""
    if not summary.rows:
        return
    if study.table == "wide":
        yield from _lettered(study_table(summary), options)
    else:
        yield from table(*study_table(summary), options)
    yield ""
    for sentence in legend(summary):
        marked = sentence.replace("±", characters(options).plus_minus)
        yield Text(marked, style="dim")


def study_table(summary: Summary) -> Table:
    """Return the table that the study asks for."""
    return _wide(summary) if summary.study.table == "wide" else _long(summary)


def legend(summary: Summary) -> Iterator[str]:
    """Yield sentences that explain the figures of the table."""
    if summary.study.table == "wide":
        counts = [row.trees for row in summary.rows]
        trees = f"{count_range(min(counts), max(counts))} {nouns(max(counts), 'tree')}"
        widest = max(row.leaf_share.half or 0.0 for row in summary.rows)
        yield (
            f"Mean share of the leaves that were visited, in per cent, over {trees} in each row. "
            f"The 95% intervals are at most ±{widest:.1f} percentage points."
        )
        return
    yield "Leaves and nodes that were visited, on average, ± the 95% interval."
    if summary.has_published:
        yield "Off by: measured minus published, in percentage points."


def _wide(summary: Summary) -> Table:
    """Return a row for each kind of tree, with the share of the leaves that each search visited."""
    searches = dict.fromkeys(row.algorithm.full_name for row in summary.rows)
    shares: dict[str, dict[str, str]] = {}
    for row in summary.rows:
        name = _name(row.tree, summary)
        shares.setdefault(name, {})[row.algorithm.full_name] = f"{row.leaf_share.value:.1f}"
    rows = [[tree, *(own.get(name, "-") for name in searches)] for tree, own in shares.items()]
    return [Column("trees"), *(Column(name, number=True) for name in searches)], rows


def _name(tree: Parameters, summary: Summary) -> str:
    """Return a name of trees; for a game, its depth and what differs in the study."""
    if not is_game(tree):
        return describe(tree)
    others = [other for other in summary.study.trees if other.get("game") == tree["game"]]
    shown = {"game", "depth"} | {n for n in tree if len({other.get(n) for other in others}) > 1}
    return describe({name: value for name, value in tree.items() if name in shown})


def _lettered(wide: Table, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a wide table with a letter in place of each search, and each row below its trees."""
    (_, *searches), rows = wide
    letters = [ascii_uppercase[i] if i < 26 else str(i) for i in range(len(searches))]
    for letter, search in zip(letters, searches, strict=True):
        yield line((f"{letter:>{_CELL}} {search.heading}", "dim"))
    yield ""
    cells = partial(Columns, width=_CELL, padding=0, align="right")
    yield cells([Text(letter, style="dim") for letter in letters])
    for tree, *shares in rows:
        yield Text(safe(tree, options), style="title")
        yield cells(shares)


def _long(summary: Summary) -> Table:
    rows = [_cells(row, summary) for row in summary.rows]
    columns = []
    for name in rows[0]:
        is_number = name != "algorithm" and all(_is_number(row[name]) for row in rows)
        number = name in _SPARE or is_number
        columns.append(Column(name, number=number, spare=_SPARE.get(name, 0)))
    return columns, [list(row.values()) for row in rows]


def _cells(row: SummaryRow, summary: Summary) -> dict[str, str]:
    """Return the cells of a row by their headings."""
    cells = {name: row.tree.get(name, "-") for name in summary.varying}
    cells |= {"algorithm": row.algorithm.full_name, "trees": f"{row.trees:,}"}
    cells |= {"leaves": _leaves(row), "nodes": _percent(row.node_share)}
    if summary.has_published:
        cells |= {"published": "-", "off by": ""}
    if row.published is not None and row.published_share is not None:
        off = f"{row.leaf_share.value - row.published_share:+.1f}"
        cells["published"] = row.published if "/" in row.published else f"{row.published}%"
        cells["off by"] = "0" if off in ("+0.0", "-0.0") else off
    return cells | {"time": seconds_text(row.seconds)}


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).isdecimal()


def _leaves(row: SummaryRow) -> str:
    if row.leaf_share.half:
        return _percent(row.leaf_share)
    return f"{row.leaves.value:,.0f} of {row.leaves_total:,.0f}"


def _percent(mean: Mean) -> str:
    half = f" ±{mean.half:.1f}" if mean.half else ""
    return f"{mean.value:.1f}%{half}"
