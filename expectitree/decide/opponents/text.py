"""A tree against several opponents, and where the decision changes, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import ConsoleOptions

from expectitree.base.numbers import display_text
from expectitree.base.tree.model import Kind
from expectitree.decide.lines import Lines, notes, sentences
from expectitree.decide.opponents.report import TOO_LARGE, Opponents
from expectitree.decide.sensitivity.decisions import place_texts
from expectitree.decide.sensitivity.parameters import verified_text
from expectitree.text.console import characters, file_heading
from expectitree.text.phrases import names_text, plural
from expectitree.text.tables import Column, table

MAX_CROSSINGS = 50  # that are listed

OPPONENT = (
    "With probability epsilon MIN makes a mistake and picks one of its actions uniformly. "
    "Otherwise it plays the best one, given its own later mistakes."
)
MIN_ROOT = "The root is a MIN node: its best action is the one it plays without a mistake."


def render(reports: Sequence[Opponents], options: ConsoleOptions) -> Lines:
    """Yield a table of the opponents for each tree, and the changes of the decision."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        yield from file_heading(report.file, report.tree, options, len(reports) > 1)
        if report.tree.has_min:
            yield from notes(options, OPPONENT)
        yield ""
        columns = [Column("opponent", spare=1), Column("epsilon", True)]
        columns += [Column("value", True), Column("best")]
        rows = [
            [row.opponent, *map(display_text, (row.epsilon, row.value)), names_text(row.ties)]
            for row in report.rows
        ]
        yield from table(columns, rows, options)
        yield ""
        yield from sentences([_sentence(report)], options, "title")
        if report.crossings:
            yield from _crossing_table(report, options)


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
        verb = "are" if best[1:] else "is"
        text = (
            f"{names_text(best)} {verb} best for every epsilon: MIN's mistakes never change the "
            "decision."
        )
    if kind == Kind.MIN:
        text += f" {MIN_ROOT}"
    return text


def _crossing_table(report: Opponents, options: ConsoleOptions) -> Lines:
    """Yield the best actions between the crossings, and at the crossings themselves."""
    crossings = report.crossings
    rows = []
    since = "0"
    shown = crossings[:MAX_CROSSINGS]
    for crossing in shown:
        place, in_full = place_texts(crossing, characters(options))
        if crossing.before:
            rows.append([f"{since} to {place}", names_text(crossing.before), ""])
        digits = 6 if crossing.exact is None else None
        value = display_text(crossing.value, digits).removeprefix("about ")
        rows.append([in_full, names_text(crossing.at), value])
        since = place
    if shown[-1].after:
        rows.append([f"{since} to 1", names_text(shown[-1].after), ""])
    columns = Column("epsilon"), Column("best"), Column("value", True)
    yield from table(columns, rows, options)
    if len(crossings) > MAX_CROSSINGS:
        yield from notes(options, f"The first {MAX_CROSSINGS} changes; --format json lists all.")
    yield from notes(options, verified_text(report.tree, "change"))
