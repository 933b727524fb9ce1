"""A tree against several opponents, and where the decision changes, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import display_text
from expectitree.base.tree.model import Kind
from expectitree.decide.opponents.report import TOO_LARGE, Opponents
from expectitree.decide.sensitivity.decisions import Threshold, place_texts
from expectitree.text.console import characters, file_heading, safe
from expectitree.text.phrases import names_text, plural
from expectitree.text.tables import Column, table

MAX_CROSSINGS = 50  # that are listed

OPPONENT = (
    "With probability epsilon MIN makes a mistake and picks one of its actions uniformly. "
    "Otherwise it plays the best one, given its own later mistakes."
)
MIN_ROOT = "The root is a MIN node: its best action is the one it plays without a mistake."
VERIFIED = "Each change is verified on both sides, by evaluating the tree in exact arithmetic."


def render(reports: Sequence[Opponents], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the opponents for each tree, and the changes of the decision."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        yield from file_heading(report.file, report.tree, options, len(reports) > 1)
        if report.tree.has_min:
            yield Text(OPPONENT, style="dim")
        yield ""
        columns = [Column("opponent", spare=1), Column("epsilon", number=True)]
        columns += [Column("value", number=True), Column("best")]
        rows = [
            [row.opponent, *map(display_text, (row.epsilon, row.value)), names_text(row.ties)]
            for row in report.rows
        ]
        yield from table(columns, rows, options)
        yield ""
        yield Text(safe(_sentence(report), options), style="title")
        if report.crossings:
            yield from _crossing_table(report.crossings, options)


def _sentence(report: Opponents) -> str:
    """Return the answer in a sentence."""
    kind = report.tree.root.kind
    if kind not in (Kind.MAX, Kind.MIN):
        return "No player decides at the root, so there is no decision that can change."
    if Kind.MIN not in report.tree.columns.kind:
        return "There is no MIN node: all opponents are alike."
    if not report.complete:
        return f"The points at which the decision changes were not computed: {TOO_LARGE}."
    if report.crossings:
        values = plural(len(report.crossings), "value")
        text = f"The best actions change at {values} of epsilon."
    else:
        best = report.rows[0].ties
        verb = "are" if len(best) > 1 else "is"
        text = f"{names_text(best)} {verb} best for every epsilon: MIN's mistakes never "
        text += "change the decision."
    return f"{text} {MIN_ROOT}" if kind == Kind.MIN else text


def _crossing_table(
    crossings: Sequence[Threshold], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield the best actions between the crossings, and at the crossings themselves."""
    rows = []
    since = "0"
    shown = crossings[:MAX_CROSSINGS]
    for crossing in shown:
        place, in_full = place_texts(crossing, characters(options))
        if crossing.before:
            rows.append([f"{since} to {place}", names_text(crossing.before), ""])
        value = display_text(crossing.value, None if crossing.exact is not None else 6)
        rows.append([in_full, names_text(crossing.at), value.removeprefix("about ")])
        since = place
    if shown[-1].after:
        rows.append([f"{since} to 1", names_text(shown[-1].after), ""])
    columns = (Column("epsilon"), Column("best"), Column("value", number=True))
    yield from table(columns, rows, options)
    if len(crossings) > MAX_CROSSINGS:
        yield Text(f"The first {MAX_CROSSINGS} changes; --format json lists all.", style="dim")
    yield Text(VERIFIED, style="dim")
