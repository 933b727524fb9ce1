"""The tables and pictures of shipped studies in the documents.

They show the results that are stored next to each study: nothing is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from expectitree.analysis.plotting import COLORS, finish, line_style, new_figure, save_figure
from expectitree.lab.study.reader import load_study
from expectitree.lab.study.report import Summary, SummaryRow, summarize
from expectitree.lab.study.results import Results
from expectitree.lab.study.spec import describe, is_game
from expectitree.lab.study.text import cells_of

ROOT = Path(__file__).resolve().parent.parent


def summary_of(name: str) -> Summary:
    """Return the stored results of a study in `studies/`."""
    path = ROOT / "studies" / f"{name}.yaml"
    results = Results(str(path.with_suffix(".results.jsonl")))
    results.read()
    return summarize(load_study(path), results)


# ---- Tables.


def whole_table(summary: Summary) -> Iterator[str]:
    """Yield a line for each kind of tree and search, with all that `expectitree study` prints."""
    rows = [cells_of(row, summary) for row in summary.rows]
    yield from _markdown([*rows[0]], [[*row.values()] for row in rows], words="algorithm")
    yield ""
    yield "Leaves and nodes that were visited, on average, ± the 95% interval."
    if summary.has_published:
        yield "Off by: measured minus published, in percentage points."


def table_of_shares(summary: Summary) -> Iterator[str]:
    """Yield a line for each kind of tree, with the share of the leaves that each search visits."""
    searches = [*dict.fromkeys(row.algorithm.full_name for row in summary.rows)]
    shares: dict[str, dict[str, str]] = {}
    for row in summary.rows:
        shares.setdefault(_name_of_trees(row, summary), {})[row.algorithm.full_name] = (
            f"{row.leaf_share.value:.1f}"
        )
    rows = [[name, *(found[search] for search in searches)] for name, found in shares.items()]
    yield from _markdown(["trees", *searches], rows, words="trees")
    counts = {row.trees for row in summary.rows}
    trees = " to ".join(map(str, sorted({min(counts), max(counts)})))
    widest = max(row.leaf_share.half or 0 for row in summary.rows)
    yield ""
    yield f"Mean share of the leaves visited, over {trees} trees in each row, in percent."
    yield f"The 95% intervals are at most ±{widest:.1f} percentage points."


TABLES: dict[str, Callable[[Summary], Iterator[str]]] = {
    "table": whole_table,
    "shares": table_of_shares,
}


def _name_of_trees(row: SummaryRow, summary: Summary) -> str:
    """Return a name of trees; for a game, its depth and what differs in the study."""
    if not is_game(row.tree):
        return describe(row.tree)
    others = [tree for tree in summary.study.trees if tree.get("game") == row.tree["game"]]
    differing = {name for name in row.tree if len({tree.get(name) for tree in others}) > 1}
    shown = {"game", "depth"} | differing
    return describe({name: value for name, value in row.tree.items() if name in shown})


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]], words: str) -> Iterator[str]:
    """Yield the lines of a table; `words` is the heading of the column that has no numbers."""
    rules = ["---" if heading == words else "---:" for heading in headings]
    for row in (headings, rules, *rows):
        yield f"| {' | '.join(row)} |".replace("_", r"\_")


# ---- Pictures.


def draw_growth(file: str) -> None:
    """Draw the leaves visited in the best case over the branching, on logarithmic axes."""
    summary = summary_of("ballard-growth")
    figure, axes = new_figure()
    axes.loglog()
    axes.xaxis.set_major_formatter("{x:,.12g}")
    axes.yaxis.set_major_formatter("{x:,.12g}")
    axes.set_xlabel("branching")
    axes.set_ylabel("leaves visited")
    for place, name in enumerate(("star1", "star2")):
        rows = [row for row in summary.rows if row.algorithm.name == name]
        branching = [int(row.tree["branching"]) for row in rows]
        leaves = [row.leaves.value for row in rows]
        axes.plot(branching, leaves, label=name, marker="os"[place], **line_style(place))
    finish(axes, summary.study.title)
    save_figure(figure, file)


def draw_probes(file: str) -> None:
    """Draw the share of the leaves that Star2.5 visits over the number of probes."""
    summary = summary_of("ballard-probes")
    figure, axes = new_figure()
    axes.set_xlabel("probes")
    axes.set_ylabel("leaves visited (% of all)")
    for place, order in enumerate(("cyclic", "sequential")):
        rows = [row for row in summary.rows if row.algorithm.options["probe-order"] == order]
        probes = [int(row.algorithm.options["probes"]) for row in rows]
        shares = [row.leaf_share.value for row in rows]
        halves = [row.leaf_share.half for row in rows]
        axes.plot(
            probes, shares, label=f"star2.5, {order}", marker="os"[place], **line_style(place)
        )
        axes.errorbar(
            probes, shares, halves, fmt="none", ecolor=COLORS[place], elinewidth=0.8, capsize=2.5
        )
    finish(axes, summary.study.title)
    save_figure(figure, file)


PICTURES = {"ballard-growth": draw_growth, "ballard-probes": draw_probes}
