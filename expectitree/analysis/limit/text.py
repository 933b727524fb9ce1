"""The fewest leaves that are enough, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.evaluate.text import BOUNDS_FROM
from expectitree.analysis.limit.report import Enough, Limit
from expectitree.numbers import readable
from expectitree.searches.result import Search
from expectitree.text.json_values import MOST_NESTED
from expectitree.text.look import Look, cell_width, clipped_start, wrapped
from expectitree.text.table import table
from expectitree.tree.model import Tree

HEADINGS = ("algorithm", "leaves", "needed", "surplus", "ratio")
RIGHT = HEADINGS[1:]
DISPENSABLE = ("ratio", "needed")
MOST_SHOWN = 20  # leaves that are named without --all


def render(reports: Sequence[Limit], look: Look, show_all: bool = False) -> Iterator[str]:
    """Yield for each file the fewest leaves, their names, and a table of the searches."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        tree = report.tree
        if len(reports) > 1 or not tree.title:
            yield look.paint(look.shown(report.file), "title")
        for line in wrapped(look.shown(tree.title or ""), look.width):
            yield look.paint(line, "title" if len(reports) == 1 else "none")
        lower, upper = map(readable, report.search.bounds)
        yield from wrapped(
            f"{_leaves(tree.leaves)}, bounds [{lower}, {upper}] {BOUNDS_FROM[report.search.bounds_source]}",
            look.width,
        )
        yield ""
        for sentence in _results(report, look):
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
            for note in notes(report):
                yield from wrapped(note, look.width)
            yield from (
                look.paint(line, "title") for line in wrapped(sentence_of(report), look.width)
            )


def between(least: int, most: int) -> str:
    """Return a count, or the range that it lies in."""
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def sentence_of(report: Limit) -> str:
    """Return a sentence on the search that visited the fewest leaves; empty if none finished."""
    least = report.least_row
    if least is None:
        return ""
    enough = report.enough(least)
    return (
        f"{least.algorithm.full_name} visited {_leaves(least.counts.leaves_visited)}; "
        f"{between(enough.least, enough.most)} {'is' if enough.most == 1 else 'are'} needed"
        f"{'' if enough is report.exact else ' for the best action'}."
    )


def notes(report: Limit) -> list[str]:
    """Return a sentence for each search that visited fewer leaves than are needed."""
    return [
        f"{row.algorithm.full_name} took numbers that differ by about {readable(row.eps, 2)} as "
        "equal, so it needed fewer leaves than the limit; with --exact it does not."
        for row in report.below
    ]


def _row(report: Limit, row: Search) -> list[str]:
    visited, enough = row.counts.leaves_visited, report.enough(row)
    needed = between(enough.least, enough.most)
    if not row.is_answered:
        return [row.algorithm.full_name, f"{visited:,}", needed, "stopped", "-"]
    surplus = between(visited - enough.most, visited - enough.least)
    is_known = enough.count is not None and enough.most
    ratio = f"{visited / enough.most:.2f}" if is_known else "-"
    return [row.algorithm.full_name, f"{visited:,}", needed, surplus, ratio]


def _results(report: Limit, look: Look) -> Iterator[str]:
    tree, exact, best = report.tree, report.exact, report.best_action
    lower, upper = map(readable, report.search.bounds)
    has_local = tree.local_bounds.keys() - {tree.root_id}
    others = (
        f"whatever the others are within {'their bounds' if has_local else f'[{lower}, {upper}]'}"
    )
    value = readable(report.search.value)
    total = tree.leaves
    if exact.count == 0:
        yield f"No leaf is needed: the bounds alone prove the value {value}."
    elif exact.count == total:
        every = f"All {_leaves(total)} are" if total > 1 else "The one leaf is"
        yield f"{every} needed to prove the value {value}."
    else:
        count = between(exact.least, exact.most)
        yield f"{count} of {_leaves(total)} prove{'s' * (exact.most == 1)} the value {value}, {others}."
    if best is None:
        yield "The root is not a player's node: there is no action to choose."
        return
    action = look.shown(report.proved or "")
    if best.most == 0:
        only = len(tree.branches_of(tree.root_id)) == 1
        why = "it is the only action" if only else "the bounds alone prove it"
        yield f"No leaf is needed to prove that {action} is best: {why}."
    else:
        count = between(best.least, best.most)
        yield f"{count} prove{'s' * (best.most == 1)} that {action} is best."
    if exact.count is None or best.count is None:
        yield "The exact figure is not known, since nodes are shared."


def _named(what: str, enough: Enough, tree: Tree, look: Look, show_all: bool) -> Iterator[str]:
    """Yield the names of the leaves, on as many lines as it takes."""
    if enough.most in (0, tree.leaves):
        return
    yield ""
    yield look.paint(
        f"{'Leaves' if enough.most > 1 else 'A leaf'} that prove{'s' * (enough.most == 1)} {what}:",
        "dim",
    )
    most = enough.most if show_all else MOST_SHOWN
    names = [
        f"node {name}" if isinstance(name, int) else look.shown(name)
        for name in leaf_names(tree, enough, most)
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


def leaf_names(tree: Tree, enough: Enough, most: int | None = None) -> list[str | int]:
    """Return the paths of the leaves; of a leaf deeper than `MOST_NESTED` the node id."""
    depth = tree.first_paths.depth
    return [tree.path_of(n) if depth[n] <= MOST_NESTED else n for n in enough.leaves[:most]]


def _leaves(count: int) -> str:
    return f"{count:,} lea{'f' if count == 1 else 'ves'}"
