"""A study as text: a row for each kind of tree and search."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.means import Mean
from expectitree.base.numbers import typeset
from expectitree.lab.study.report import Summary, SummaryRow
from expectitree.lab.study.spec import is_lazy
from expectitree.text.console import characters, safe
from expectitree.text.phrases import plural, seconds_text
from expectitree.text.tables import Column, table

# Columns of figures -> the order in which a narrow terminal leaves them out; 0: never.
_SPARE = {
    "trees": 3, "leaves": 0, "nodes": 2, "evaluations": 0, "rows": 5, "published": 0, "off by": 1,
    "time": 4,
}  # fmt: skip


def render(summary: Summary, options: ConsoleOptions) -> Iterator[RenderableType]:
    study = summary.study
    if study.title:
        yield Text(safe(study.title, options), style="title")
    if study.source:
        yield Text(safe(study.source, options), style="dim")
    yield f"{summary.done:,} of {plural(summary.total, 'tree')} done"
    yield ""
    if not summary.rows:
        return
    rows = [cells_of(row, summary) for row in summary.rows]
    columns = [_column(name, [row[name] for row in rows]) for name in rows[0]]
    yield from table(columns, [list(row.values()) for row in rows], options)
    yield ""
    legend = "Leaves and nodes that were visited, on average, {} the 95% interval."
    yield Text(legend.format(characters(options).plus_minus), style="dim")
    if summary.has_published:
        yield Text("Off by: measured minus published, in percentage points.", style="dim")


def _column(name: str, cells: list[str]) -> Column:
    is_number = name in _SPARE or (name != "algorithm" and all(map(_is_number, cells)))
    return Column(name, number=is_number, spare=_SPARE.get(name, 0))


def cells_of(row: SummaryRow, summary: Summary) -> dict[str, str]:
    """Return the cells of a row by the names of their columns."""
    cells = {name: row.tree.get(name, "-") for name in summary.varying}
    cells |= {"algorithm": row.algorithm.full_name, "trees": f"{row.trees:,}"}
    cells |= {"leaves": _leaves(row), "nodes": _percent(row.node_share) or _figure(row.nodes)}
    if any(is_lazy(other.tree) for other in summary.rows):
        cells |= {"evaluations": _figure(row.evaluations) or "-", "rows": _figure(row.rows) or "-"}
    if summary.has_published:
        cells |= {"published": "-", "off by": ""}
    if row.published and row.published_share is not None and row.leaf_share:
        off = typeset(f"{row.leaf_share.value - row.published_share:+.1f}")
        cells["published"] = row.published + "%" * ("/" not in row.published)
        cells["off by"] = {"+0.0": "0", "−0.0": "0"}.get(off, off)
    return cells | {"time": seconds_text(row.seconds)}


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).isdecimal()


def _leaves(row: SummaryRow) -> str:
    if row.leaf_share is not None and not row.leaf_share.half:
        return f"{row.leaves.value:,.0f} of {row.leaves_total:,.0f}"
    return _percent(row.leaf_share) or _figure(row.leaves)


def _percent(mean: Mean | None) -> str:
    return _figure(mean, ".1f", "%")


def _figure(mean: Mean | None, form: str = ",.0f", sign: str = "") -> str:
    """Return a mean and its interval, the latter unless it is a point; nothing for no mean."""
    if mean is None:
        return ""
    text = f"{mean.value:{form}}{sign}"
    if mean.half:
        text += f" ±{mean.half:{form}}"
    return text
