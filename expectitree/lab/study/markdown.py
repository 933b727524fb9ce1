"""A study as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.base.numbers import escape
from expectitree.lab.study.report import Summary
from expectitree.lab.study.spec import Parameters, describe, is_game
from expectitree.lab.study.text import Table, legend, long_table
from expectitree.text.phrases import count_range, nouns
from expectitree.text.tables import Column


def render(summary: Summary) -> Iterator[str]:
    study = summary.study
    yield f"### {_shown(study.title or study.file)}"
    yield ""
    if study.source:
        yield _shown(study.source)
        yield ""
    if not summary.rows:
        return
    if study.table == "wide":
        yield from _markdown(*_wide_table(summary))
        yield ""
        yield _wide_legend(summary)
    else:
        yield from _markdown(*long_table(summary))
        yield ""
        yield " ".join(legend(summary))


def _markdown(columns: list[Column], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(column.heading for column in columns)} |"
    rules = ("---:" if column.number else "---" for column in columns)
    yield f"| {' | '.join(rules)} |"
    for row in rows:
        yield f"| {' | '.join(map(_shown, row))} |"


def _shown(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in escape(text))


def _wide_table(summary: Summary) -> Table:
    """Return a row for each kind of tree, with the share of the leaves that each search visited."""
    searches = dict.fromkeys(row.algorithm.full_name for row in summary.rows)
    shares: dict[str, dict[str, str]] = {}
    for row in summary.rows:
        name = _name(row.tree, summary)
        shares.setdefault(name, {})[row.algorithm.full_name] = (
            f"{(row.leaf_share or row.leaves).value:.1f}"
        )
    rows = [[tree, *(own.get(name, "-") for name in searches)] for tree, own in shares.items()]
    return [Column("trees"), *(Column(name, number=True) for name in searches)], rows


def _name(tree: Parameters, summary: Summary) -> str:
    """Return a name of trees; for a game, its depth and what differs in the study."""
    if not is_game(tree):
        return describe(tree)
    others = [other for other in summary.study.trees if other.get("game") == tree["game"]]
    shown = {"game", "depth"} | {n for n in tree if len({other.get(n) for other in others}) > 1}
    return describe({name: value for name, value in tree.items() if name in shown})


def _wide_legend(summary: Summary) -> str:
    counts = [row.trees for row in summary.rows]
    trees = f"{count_range(min(counts), max(counts))} {nouns(max(counts), 'tree')}"
    widest = max((row.leaf_share or row.leaves).half or 0.0 for row in summary.rows)
    return (
        f"Mean share of the leaves that were visited, in per cent, over {trees} in each row. "
        f"The 95% intervals are at most ±{widest:.1f} percentage points."
    )
