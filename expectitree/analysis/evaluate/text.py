"""An evaluation as text: title, annotated tree or explanation, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from rich.console import ConsoleOptions, RenderableType

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import explanation_lines
from expectitree.analysis.evaluate.tree_text import Part, tree_lines
from expectitree.analysis.show import MAX_ROWS
from expectitree.base.expressions.syntax import text_of
from expectitree.base.numbers import (
    Number,
    cell_text,
    display_text,
    escape,
    exact_display,
    is_shown_as_fraction,
    percent_text,
)
from expectitree.base.tree.columns import CHANCE, NONE, Kind
from expectitree.searches.result import Counts, Outcome, Search
from expectitree.text.console import characters, line, safe, title_heading
from expectitree.text.phrases import (
    bounds_text,
    interval_text,
    payment,
    plural,
    tied,
    untied,
    with_unit,
)

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
        text = line(*parts)
        whole = [untied(part) if isinstance(part, str) else part for part in parts]
        pieces: list[Sequence[str | Part]] = [whole]
        if text.cell_len > room:
            pieces = [[untied(piece)] for piece in wrap(text.plain, room)]
        for place, piece in enumerate(pieces):
            start = "" if place else name
            yield line((f"{start:<{width}}", "dim"), *piece)


def _facts(evaluation: Evaluation, options: ConsoleOptions) -> Iterator[tuple[str | Part, ...]]:
    """Yield the name and the parts of each line of the summary."""
    search, counts = evaluation.search, evaluation.search.counts
    value = search.interval_of_branch(NONE)[0]
    write = exact_display if is_shown_as_fraction(value) else display_text
    jobs = f", {search.jobs} jobs" if search.jobs > 1 else ""
    has_opponent = search.tree.has_min and search.tree.decision_maker == Kind.MAX
    is_detailed = evaluation.is_detailed or search.algorithm.prunes or has_opponent or jobs
    if is_detailed:
        yield "algorithm", f"{search.algorithm.full_name}{jobs}"
    yield _name_of_value(search, has_opponent), (search.value_text(write), "value")
    yield from _attitude_facts(search, write)
    if evaluation.criteria:
        yield "criteria", ", ".join(_criteria(evaluation))
    if search.outcome is Outcome.ESTIMATE:
        yield "proved", f"in {interval_text(*search.interval_of_branch(NONE), write)}"
    if search.root_window != search.root_bounds:
        ends = interval_text(*search.root_window)
        yield "window", f"{ends}: the search {_DECIDED.get(search.outcome, 'did not fail')}"
    if search.outcome is Outcome.ACTION:
        yield "asked", "which action is best, not its value (--goal action)"
    if search.stopped and search.grown is None:
        unknown = plural(len(search.tree.unknown), "utility")
        reason = f"{unknown} not known yet" if search.tree.unknown else "--max-visits"
        yield "stopped", f"after {plural(counts.visits, 'visit')} ({reason})"
    if search.grown is not None and search.grown.why_stopped:
        yield "stopped", _why_stopped(search.grown, search.stopped)
    if search.best is not None:
        yield "best", *_best(search, options)
    if search.tree.decision_maker == Kind.MIN and search.grown is None:
        yield "decides", "MIN, who prefers small totals"
    if evaluation.formulas and evaluation.parameters:
        yield "parameters", ", ".join(map(tied, _parameters(evaluation)))
    if is_detailed:
        yield from _search_facts(evaluation)


def _name_of_value(search: Search, has_opponent: bool) -> str:
    """Return what decision analysts call the value of a tree in which nobody plays against them."""
    if search.tree.attitude is not None:
        return "certainty equivalent"
    has_one_decider = (
        search.grown is None and not has_opponent and CHANCE in search.tree.columns.kind
    )
    return "expected value" if has_one_decider else "value"


def _search_facts(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Yield the counts of a search and its bounds."""
    search, counts = evaluation.search, evaluation.search.counts
    wide = len(f"{max(counts.visited, counts.leaves_visited):,}")
    if search.grown is None:
        yield from _count_facts(counts, wide)
    else:
        yield from _game_facts(search.grown, counts)
    if search.algorithm.prunes:
        wide = wide if search.grown is None else 0
        passed = evaluation.explanation.passed_over
        note = f"; {plural(passed, 'node')} passed over" if passed else ""
        yield "cuts", f"{counts.cuts:>{wide},}{note}"
    bounds = bounds_text(search.root_bounds, search.bounds_source)
    if search.tree.root_reward:
        bounds += f", without the root's {' of '.join(payment(search.tree.root_reward))}"
    yield "bounds", bounds


def _count_facts(counts: Counts, wide: int) -> Iterator[tuple[str, str]]:
    """Yield how many of the nodes and leaves of a tree were visited."""
    nodes = f"{counts.visited:>{wide},} of {counts.total:,} visited{_again_text(counts)}"
    yield "nodes", nodes
    visited, total = counts.leaves_visited, counts.leaves_total
    share = "" if visited == total else f" ({percent_text(visited, total)})"
    yield "leaves", f"{visited:>{wide},} of {total:,} visited{share}"


def _game_facts(grown: Any, counts: Counts) -> Iterator[tuple[str, str]]:
    """Yield the counts of a search of a game; the size of its whole tree is unknown."""
    yield "depth", f"{grown.depth:,}"
    made = f"{grown.rows:,} made, {grown.merged:,} merged"
    yield "nodes", f"{counts.visited:,} visited{_again_text(counts)}; {made}"
    yield "evaluations", f"{grown.evaluations:,}"
    yield "leaves", leaves_text(grown.estimated, counts.leaves_visited)
    if grown.repeats:
        verb = "repeats" if grown.repeats == 1 else "repeat"
        what = f"{plural(grown.repeats, 'position')} {verb}"
        yield "cycles", f"{what}: `expectitree solve` gives the value of the whole game"


def leaves_text(estimated: int, leaves: int) -> str:
    """Return how many leaves of a game are estimates, and what follows if none is."""
    if not estimated:
        return f"{leaves:,}, none an estimate: the result is that of the whole game"
    return f"{estimated:,} of {leaves:,} are estimates"


def _again_text(counts: Counts) -> str:
    again = counts.visits - counts.visited
    return f", {plural(again, 'more visit')}" if again else ""


def _why_stopped(grown: Any, is_open: bool) -> str:
    """Explain which depth is not finished, and why."""
    depth = grown.depth
    known = f"depth {depth:,} is not finished"
    if not is_open:
        known = f"depth {depth:,} is finished, depth {depth + 1:,} is not"
    return f"{known}: {grown.why_stopped}"


def _parameters(evaluation: Evaluation) -> Iterator[str]:
    """Yield each parameter with its value, and with its formula if it is derived from others."""
    for name, value in evaluation.parameters.items():
        parameter = evaluation.tree.parameters[name]
        formula = f"{text_of(parameter.value)} = " if parameter.bases else ""
        number = "?" if value is None else with_unit(display_text(value), parameter.unit)
        yield f"{name} = {formula}{number}"


def _criteria(evaluation: Evaluation) -> Iterator[str]:
    """Yield what is expected of each criterion."""
    for name, amount in evaluation.criteria.get(NONE, {}).items():
        unit = evaluation.tree.criteria.by_name[name].unit
        yield tied(f"{name} {with_unit(cell_text(amount), unit)}")


def criteria_table(evaluation: Evaluation, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the value and the criteria of each action at the root."""
    if not evaluation.criteria:
        return
    from expectitree.text.tables import Column, table

    search, root, rows = evaluation.search, evaluation.tree.root_id, []
    for b, amounts in evaluation.criteria.items():
        columns = [Column(name, number=True, spare=1) for name in amounts]
        if b == NONE:
            continue
        mark = f" {characters(options).best.strip()}" if search.is_best(root, b) else ""
        numbers = [search.interval_of_branch(b)[0], *amounts.values()]
        action = escape(evaluation.tree.branch_label(root, b))
        rows.append([f"{action}{mark}", *map(cell_text, numbers)])
    if rows:
        yield ""
        yield from table([Column("action"), Column("value", True), *columns], rows, options)


def _attitude_facts(
    search: Search, write: Callable[[Number], str]
) -> Iterator[tuple[str | Part, ...]]:
    """Yield the attitude to risk, and what the value would be without it."""
    attitude = search.tree.attitude
    if attitude is None:
        return
    who = f" of {search.tree.decision_maker.name}" if search.tree.has_min else ""
    yield "attitude", f"{attitude.text}{who}: values are certainty equivalents"
    premium = f"the risk premium is {write(search.unrounded.risk_premium)}"
    yield "mean", f"{write(search.unrounded.mean)}, so {premium}"


def _best(search: Search, options: ConsoleOptions) -> list[str | Part]:
    """Return the best action, and the others that are worth as much."""
    ties = [safe(label, options) for label in search.ties[:_MAX_TIES]]
    parts: list[str | Part] = [(ties[0], "best")]
    if len(ties) > 1:
        others = len(search.ties) - len(ties)
        more = f" and {others:,} more" if others else ""
        equal = f"equal within rounding, {display_text(search.eps, 1)}" if search.eps else ""
        parts.append(f"  ({equal or 'worth as much'}: {', '.join(ties[1:])}{more})")
    return parts
