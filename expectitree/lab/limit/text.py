"""The fewest leaves that are enough, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.evaluate.text import BOUNDS_FROM
from expectitree.base.numbers import display_text
from expectitree.lab.limit.report import Enough, Limit, leaf_names
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import characters, clipped_start, indented, safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import count_range, interval_text, plural
from expectitree.text.tables import Column, table
from expectitree.tree.model import Tree

COLUMNS = (
    Column("algorithm"),
    Column("leaves", number=True),
    Column("needed", number=True, spare=1),
    Column("surplus", number=True),
    Column("ratio", number=True, spare=2),
)
MAX_SHOWN = 20  # leaves that are named without --all


def render(
    reports: Sequence[Limit], options: ConsoleOptions, show_all: bool = False
) -> Iterator[RenderableType]:
    """Yield for each file the fewest leaves, their names, and a table of the searches."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        tree, search = report.tree, report.search
        yield from file_heading(report.file, tree, options, len(reports) > 1)
        source = BOUNDS_FROM[search.bounds_source]
        yield Text(
            f"{plural(tree.leaves, 'leaf')}, bounds {interval_text(*search.root_bounds)} {source}"
        )
        yield ""
        for sentence in _results(report, options):
            yield Text(sentence, style="title")
        yield from _named("the value", report.exact, tree, options, show_all)
        if report.best_action is not None:
            yield from _named("the best action", report.best_action, tree, options, show_all)
        if report.rows:
            yield ""
            yield from table(COLUMNS, [_row(report, row) for row in report.rows], options)
            yield ""
            yield from map(Text, notes(report))
            if sentence := sentence_of(report):
                yield Text(sentence, style="title")


def sentence_of(report: Limit) -> str:
    """Return a sentence on the search that visited the fewest leaves; empty if none finished."""
    least = report.least_row
    if least is None:
        return ""
    enough = report.enough(least)
    verb = "is" if enough.most == 1 else "are"
    goal = "" if enough is report.exact else " for the best action"
    return (
        f"{least.algorithm.full_name} visited {plural(least.counts.leaves_visited, 'leaf')}; "
        f"{count_range(*enough.ends)} {verb} needed{goal}."
    )


def notes(report: Limit) -> list[str]:
    """Return a sentence for each search that visited fewer leaves than are needed."""
    return [
        f"{row.algorithm.full_name} took numbers that differ by about {display_text(row.eps, 2)} "
        "as equal, so it needed fewer leaves than the limit; with --exact it does not."
        for row in report.below
    ]


def _row(report: Limit, row: Search) -> list[str]:
    visited, enough = row.counts.leaves_visited, report.enough(row)
    cells = [row.algorithm.full_name, f"{visited:,}", count_range(*enough.ends)]
    if row.outcome is Outcome.STOPPED:
        return [*cells, "stopped", "-"]
    surplus = count_range(visited - enough.most, visited - enough.least)
    ratio = report.ratio(row)
    return [*cells, surplus, "-" if ratio is None else f"{ratio:.2f}"]


def _results(report: Limit, options: ConsoleOptions) -> Iterator[str]:
    tree, exact, best = report.tree, report.exact, report.best_action
    has_local = tree.local_bounds.keys() - {tree.root_id}
    within = "their bounds" if has_local else interval_text(*report.search.root_bounds)
    leaves, value = plural(tree.leaves, "leaf"), display_text(report.search.value)
    if exact.count == tree.leaves > 1:
        yield f"All {leaves} are needed to prove the value {value}."
    else:
        goal = f"the value {value}"
        yield _result(exact, goal, f" of {leaves}", f", whatever the others are within {within}")
    if best is None:
        yield "The root is not a player's node: there is no action to choose."
        return
    is_only = len(tree.branches_of(tree.root_id)) == 1
    why = "it is the only action" if is_only else "the bounds alone prove it"
    yield _result(best, f"that {safe(report.proved or '', options)} is best", why=why)
    if exact.count is None or best.count is None:
        yield "The exact figure is not known, since nodes are shared."


def _result(
    enough: Enough, goal: str, of: str = "", rest: str = "", why: str = "the bounds alone prove it"
) -> str:
    if enough.most == 0:
        return f"No leaf is needed to prove {goal}: {why}."
    return f"{count_range(*enough.ends)}{of} prove{'s' * (enough.most == 1)} {goal}{rest}."


def _named(
    goal: str, enough: Enough, tree: Tree, options: ConsoleOptions, show_all: bool
) -> Iterator[RenderableType]:
    """Yield the names of the leaves that prove something."""
    if enough.most in (0, tree.leaves):
        return
    yield ""
    subject = "Leaves that prove" if enough.most > 1 else "A leaf that proves"
    yield Text(f"{subject} {goal}:", style="dim")
    most = enough.most if show_all else MAX_SHOWN
    ellipsis = characters(options).ellipsis
    names = [
        clipped_start(
            f"node {name}" if isinstance(name, int) else safe(name, options),
            options.max_width - 3,
            ellipsis,
        )
        for name in leaf_names(tree, enough, most)
    ]
    if enough.most <= most:
        yield indented(", ".join(names))
    else:
        yield indented(f"{', '.join(names)}, {ellipsis}")
        yield indented(f"{enough.most - most:,} more (--all names them)")
