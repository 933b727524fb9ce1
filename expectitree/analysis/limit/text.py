"""How few leaves could have been enough, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.evaluate.text import BOUNDS_FROM
from expectitree.analysis.limit.proofs import Enough
from expectitree.analysis.limit.report import Limit
from expectitree.numbers import display_text
from expectitree.searches.result import Outcome, Search
from expectitree.text.json_values import MOST_NESTED
from expectitree.text.look import Look, cell_width, clipped_start, wrapped
from expectitree.text.table import table
from expectitree.tree.model import Tree

HEADINGS = ("algorithm", "leaves", "needed", "surplus", "ratio")
RIGHT = HEADINGS[1:]
DISPENSABLE = ("ratio", "needed")
MOST_SHOWN = 20  # leaves that are named without being asked


def render(reports: Sequence[Limit], look: Look, show_all: bool = False) -> Iterator[str]:
    """Yield for each file how few leaves are enough, which they are, and how far from that each algorithm was."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        tree = report.tree
        if len(reports) > 1 or not tree.title:
            yield look.paint(look.shown(report.file), "title")
        for line in wrapped(look.shown(tree.title or ""), look.width):
            yield look.paint(line, "title" if len(reports) == 1 else "none")
        lower, upper = map(display_text, report.search.bounds)
        yield from wrapped(
            f"{_leaves(tree.leaves)}, bounds [{lower}, {upper}] {BOUNDS_FROM[report.search.bounds_source]}",
            look.width,
        )
        yield ""
        for sentence in _sentences(report, look):
            for line in wrapped(sentence, look.width):
                yield look.paint(line, "title")
        yield from _named("the value", report.exact, tree, look, show_all)
        if report.best_action is not None:
            yield from _named("the best action", report.best_action, tree, look, show_all)
        if report.rows:
            yield ""
            yield from table(
                HEADINGS, [_row(report, row) for row in report.rows], look, RIGHT, DISPENSABLE
            )
            yield ""
            for note in report.notes:
                yield from wrapped(note, look.width)
            yield from (look.paint(line, "title") for line in wrapped(report.sentence, look.width))


def _row(report: Limit, row: Search) -> list[str]:
    looked, enough = row.counts.leaves_visited, report.enough(row)
    if row.outcome is Outcome.STOPPED:
        return [row.algorithm.full_name, f"{looked:,}", enough.text, "stopped", "-"]
    surplus = report.surplus(row)
    between = f"{looked - enough.most:,} to {looked - enough.least:,}"
    ratio = "-" if surplus is None or not enough.most else f"{looked / enough.most:.2f}"
    return [
        row.algorithm.full_name, f"{looked:,}", enough.text, between if surplus is None else f"{surplus:,}", ratio
    ]  # fmt: skip


def _sentences(report: Limit, look: Look) -> Iterator[str]:
    tree, exact, best = report.tree, report.exact, report.best_action
    lower, upper = map(display_text, report.search.bounds)
    local = tree.local_bounds.keys() - {len(tree) - 1}
    others = f"whatever the others are within {'their bounds' if local else f'[{lower}, {upper}]'}"
    value = display_text(report.search.value)
    unsure = " (shared nodes make the exact figure hard)"
    total = tree.leaves
    if exact.count is None:
        yield (
            f"Between {exact.least:,} and {exact.most:,} of {_leaves(total)} force the value {value}, {others}{unsure}."
        )
    elif exact.count == 0:
        yield f"No leaf is needed: the bounds alone force the value {value}."
    elif exact.count == total:
        every = f"All {_leaves(total)} are" if total > 1 else "The one leaf is"
        yield f"{every} needed to force the value {value}."
    else:
        yield f"{exact.count:,} of {_leaves(total)} force{'s' * (exact.count == 1)} the value {value}, {others}."
    if best is None:
        yield "The root is no player's: there is no action to choose."
        return
    action = look.shown(report.proved or "")
    if best.count is None:
        yield f"Between {best.least:,} and {best.most:,} are enough to know that {action} is best{unsure}."
    elif best.count == 0:
        one = tree.columns.first[len(tree)] - tree.columns.first[len(tree) - 1] == 1
        why = "it is the only action" if one else "the bounds alone say so"
        yield f"None is needed to know that {action} is best: {why}."
    else:
        yield f"{best.count:,} {'is' if best.count == 1 else 'are'} enough to know that {action} is best."


def _named(what: str, enough: Enough, tree: Tree, look: Look, show_all: bool) -> Iterator[str]:
    """Yield the names of the leaves, on as many lines as it takes."""
    if enough.most in (0, tree.leaves):
        return
    yield ""
    yield look.paint(
        f"{'Leaves' if enough.most > 1 else 'A leaf'} that force{'s' * (enough.most == 1)} {what}:",
        "dim",
    )
    most = enough.most if show_all else MOST_SHOWN
    names = [
        f"node {name}" if isinstance(name, int) else look.shown(name)
        for name in _names(tree, enough, most)
    ]
    names = [clipped_start(name, look.width - 3, look.characters.ellipsis) + "," for name in names]
    if enough.most > most:
        names += [look.characters.ellipsis, f"{enough.most - most:,} more (--all names them)"]
    else:
        names[-1] = names[-1][:-1]
    line = ""
    for name in names:
        if line and cell_width(line) + 1 + cell_width(name) > look.width:
            yield line
            line = ""
        line += f" {name}" if line else f"  {name}"
    yield line


def _names(tree: Tree, enough: Enough, most: int | None = None) -> list[str | int]:
    """Return the first paths to the leaves; one deeper than `MOST_NESTED` is given by its node id."""
    depth = tree.first_paths.depth
    return [tree.path_of(n) if depth[n] <= MOST_NESTED else n for n in enough.leaves[:most]]


def _leaves(count: int) -> str:
    return f"{count:,} lea{'f' if count == 1 else 'ves'}"
