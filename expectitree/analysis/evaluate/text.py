"""An evaluation as text: title, annotated tree or explanation, and a summary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from textwrap import wrap
from typing import Any, TypeAlias

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import explanation_lines
from expectitree.analysis.evaluate.tree_text import Part, tree_lines
from expectitree.analysis.show import MAX_ROWS
from expectitree.base.numbers import (
    cell_text,
    display_text,
    escape,
    exact_display,
    is_shown_as_fraction,
    percent_text,
)
from expectitree.base.tree.columns import NONE, Kind
from expectitree.searches.result import Counts, Outcome, Search
from expectitree.text.console import characters, line, safe, title_heading
from expectitree.text.phrases import (
    Write,
    amount_heading,
    bounds_text,
    interval_text,
    plural,
    root_payment_text,
    tied,
    with_unit,
    worth_text,
)

Facts: TypeAlias = Iterator[tuple[str, str]]  # each a name, and what is said of it
_NAME_WIDTH = 10  # columns of the names in the summary
_MAX_TIES = 6
_DECIDED = {Outcome.FAIL_LOW: "failed low", Outcome.FAIL_HIGH: "failed high"}


def render(
    evaluation: Evaluation,
    options: ConsoleOptions,
    most_rows: int | None = MAX_ROWS,
    notes: bool = True,
) -> Iterator[RenderableType]:
    """Yield the whole answer of `eval`."""
    yield from title_heading(evaluation.tree, options)
    if evaluation.reasons is not None:
        yield from explanation_lines(evaluation.reasons, options)
    else:
        yield from tree_lines(evaluation.shown, options, most_rows, notes)
    yield ""
    yield from summary_lines(evaluation, options)
    yield from criteria_table(evaluation, options)


def summary_lines(evaluation: Evaluation, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the value, the best action, counts and bounds, each behind its name."""
    facts = [*_facts(evaluation, options)]
    width = max(_NAME_WIDTH, *(len(name) + 1 for name, *_ in facts))
    room = options.max_width - width
    for name, *parts in facts:
        text = "".join(part if isinstance(part, str) else part[0] for part in parts)
        pieces = [parts]
        if cell_len(text) > room:
            pieces = [[piece] for piece in wrap(text, room)]
        for piece in pieces:
            yield line((f"{name:<{width}}", "dim"), *piece)
            name = ""


def _facts(evaluation: Evaluation, options: ConsoleOptions) -> Iterator[tuple[str | Part, ...]]:
    """Yield the name and the parts of each line of the summary."""
    search = evaluation.search
    value = search.interval_of_branch(NONE)[0]
    write: Write = display_text
    if is_shown_as_fraction(value):
        write = exact_display
    is_detailed = evaluation.is_detailed or search.algorithm.prunes
    if is_detailed:
        yield "algorithm", search.algorithm.full_name
    amount = partial(worth_text, search.tree, write=write)
    yield "value", (search.value_text(amount), "value")
    yield from _attitude_facts(search, write, amount)
    if evaluation.criteria:
        yield "criteria", ", ".join(_criteria(evaluation))
    if search.outcome is Outcome.ESTIMATE:
        yield "proved", f"in {interval_text(*search.interval_of_branch(NONE), amount)}"
    if search.root_window != search.root_bounds:
        ends = interval_text(*search.root_window)
        yield "window", f"{ends}: the search {_DECIDED.get(search.outcome, 'did not fail')}"
    if search.outcome is Outcome.ACTION:
        yield "asked", "which action is best, not its value (--goal action)"
    if search.stopped or search.grown is not None:
        yield from _why_stopped(search)
    if search.best is not None:
        yield "best", *_best(search, options)
    yield from _tree_facts(evaluation)
    if is_detailed:
        yield from _search_facts(evaluation)


def _tree_facts(evaluation: Evaluation) -> Facts:
    """Yield what the summary says of the tree, whoever searched it."""
    search = evaluation.search
    if count := search.tree.made_of:
        yield "unrolled", f"{len(search.tree):,} nodes, made of {count:,} in the file"
    if search.tree.decision_maker == Kind.MIN and search.grown is None:
        yield "decides", "MIN, who prefers small totals"
    if evaluation.formulas and evaluation.parameters:
        yield "parameters", ", ".join(map(tied, _parameters(evaluation)))


def _search_facts(evaluation: Evaluation) -> Facts:
    """Yield the counts of a search and its bounds."""
    search = evaluation.search
    counts = search.counts
    wide = 0
    if search.grown is None:
        wide = len(f"{max(counts.visited, counts.leaves_visited):,}")
        yield from _count_facts(counts, wide)
    else:
        yield from _game_facts(search.grown, counts, len(search.tree.estimated))
    if search.algorithm.prunes:
        cuts = f"{counts.cuts:>{wide},}"
        if passed := evaluation.explanation.passed_over:
            cuts += f"; {plural(passed, 'node')} passed over"
        yield "cuts", cuts
    bounds = bounds_text(search.root_bounds, search.bounds_source)
    yield "bounds", bounds + root_payment_text(search.tree)


def _count_facts(counts: Counts, wide: int) -> Facts:
    """Yield how many of the nodes and leaves of a tree were visited."""
    yield "nodes", f"{counts.visited:>{wide},} of {counts.total:,} visited{_again_text(counts)}"
    visited = counts.leaves_visited
    total = counts.leaves_total
    leaves = f"{visited:>{wide},} of {total:,} visited"
    if visited != total:
        leaves += f" ({percent_text(visited, total)})"
    yield "leaves", leaves


def _game_facts(grown: Any, counts: Counts, estimates: int) -> Facts:
    """Yield the counts of a search of a game; the size of its whole tree is unknown."""
    yield "depth", f"{grown.depth:,}"
    made = f"{grown.rows:,} made, {grown.merged:,} merged"
    yield "nodes", f"{counts.visited:,} visited{_again_text(counts)}; {made}"
    yield "evaluations", f"{grown.evaluations:,}"
    leaves = f"{counts.leaves_visited:,}, none an estimate: the result is that of the whole game"
    if estimates:
        leaves = f"{estimates:,} of {counts.leaves_visited:,} are estimates"
    yield "leaves", leaves
    if grown.repeats:
        what = f"{grown.repeats:,} positions repeat"
        if grown.repeats == 1:
            what = "1 position repeats"
        yield "cycles", f"{what}: `expectitree solve` gives the value of the whole game"


def _again_text(counts: Counts) -> str:
    if counts.visits == counts.visited:
        return ""
    return f", {plural(counts.visits - counts.visited, 'more visit')}"


def _why_stopped(search: Search) -> Facts:
    """Yield why a search was stopped, if it was; of a game, which depth is not finished."""
    grown = search.grown
    if grown is None:
        reason = "--max-visits"
        if search.tree.unknown:
            reason = f"{plural(len(search.tree.unknown), 'utility')} not known yet"
        yield "stopped", f"after {plural(search.counts.visits, 'visit')} ({reason})"
    elif grown.why_stopped:
        depths = f"depth {grown.depth:,} is finished, depth {grown.depth + 1:,} is not"
        if search.stopped:
            depths = f"depth {grown.depth:,} is not finished"
        yield "stopped", f"{depths}: {grown.why_stopped}"


def _parameters(evaluation: Evaluation) -> Iterator[str]:
    """Yield each parameter with its value, and with its formula if it is derived from others."""
    for name, value in evaluation.parameters.items():
        parameter = evaluation.tree.parameters[name]
        text = "?"
        if value is not None:
            text = with_unit(display_text(value), parameter.unit)
        if parameter.bases:
            text = f"{parameter.text} = {text}"
        yield f"{name} = {text}"


def _criteria(evaluation: Evaluation) -> Iterator[str]:
    """Yield what is expected of each criterion."""
    for name, amount in evaluation.criteria.get(NONE, {}).items():
        unit = evaluation.tree.criteria.by_name[name].unit
        yield tied(f"{name} {with_unit(cell_text(amount), unit)}")


def criteria_table(
    evaluation: Evaluation, options: ConsoleOptions, has_units: bool = False
) -> Iterator[RenderableType]:
    """Yield the value and the criteria of each action at the root, perhaps with their units."""
    if not evaluation.criteria:
        return
    from expectitree.text.tables import Column, table

    search, root, rows = evaluation.search, evaluation.tree.root_id, []
    criteria = evaluation.tree.criteria.by_name.values()
    columns = [
        Column(one.heading if has_units else one.name, number=True, spare=rank)
        for rank, one in enumerate(criteria, 1)
    ]
    for b, amounts in evaluation.criteria.items():
        if b == NONE:
            continue
        action = escape(evaluation.tree.branch_label(root, b))
        if search.is_best(root, b):
            action += f" {characters(options).best.strip()}"
        numbers = [search.interval_of_branch(b)[0], *amounts.values()]
        rows.append([action, *map(cell_text, numbers)])
    if rows:
        yield ""
        value = Column(amount_heading(evaluation.tree), number=True)
        yield from table([Column("action"), value, *columns], rows, options)


def _attitude_facts(
    search: Search, write: Write, amount: Write
) -> Iterator[tuple[str | Part, ...]]:
    """Yield the attitude to risk, and what the value would be without it."""
    attitude, figures = search.tree.attitude, search.under_attitude
    if attitude is None or figures is None:
        return
    text = attitude.text
    if search.tree.has_min:
        text += f" of {search.tree.decision_maker.name}"
    yield "attitude", f"{text}: values are certainty equivalents"
    if figures.utility is not None:
        yield "expected utility", write(figures.utility)
    premium = f"the risk premium is {amount(figures.premium)}"
    yield "mean", f"{amount(figures.mean)}, so {premium}"


def _best(search: Search, options: ConsoleOptions) -> list[str | Part]:
    """Return the best action, and the others that are worth as much."""
    best, *ties = [safe(label, options) for label in search.ties[:_MAX_TIES]]
    parts: list[str | Part] = [(best, "best")]
    if ties:
        equal = "worth as much"
        names = ", ".join(ties)
        if search.eps:
            equal = f"equal within rounding, {display_text(search.eps, 1)}"
        if len(search.ties) > _MAX_TIES:
            names += f" and {len(search.ties) - _MAX_TIES:,} more"
        parts.append(f"  ({equal}: {names})")
    return parts
