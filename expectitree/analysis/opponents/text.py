"""A tree against several opponents, and where the decision changes, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import groupby

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.opponents.report import (
    MOST_DEGREE,
    MOST_NODES,
    Crossing,
    Obstacle,
    Opponents,
)
from expectitree.numbers import display_text, exact_text
from expectitree.text.console import characters, clipped, safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table
from expectitree.tree.model import Kind

MOST_CROSSINGS = 50  # that are listed
_MOST_NAMES = 3  # of actions that tie
_WIDEST_NAME = 24  # terminal columns
_DIGITS = 10  # of a fraction, or of a value
_LONGEST_FRACTION = 24  # characters

COLUMNS = (
    Column("opponent", spare=1),
    Column("epsilon", number=True),
    Column("value", number=True),
    Column("best"),
)
OPPONENT = (
    "With probability epsilon MIN makes a mistake and picks one of its actions uniformly. "
    "Otherwise it plays the best one, given its own later mistakes."
)
MIN_ROOT = "The root is a MIN node: its best action is the one it plays without a mistake."
NATURES = {
    "expected": "outcomes have their probabilities",
    "worst": "the possible outcome that is worst for MAX always happens",
    "best": "the possible outcome that is best for MAX always happens",
}
_OBSTACLES = {
    Obstacle.NODES: f"the tree has {{:,}} nodes, more than {MOST_NODES:,}",
    Obstacle.DEGREE: f"more than {MOST_DEGREE} MIN nodes are on one path, "
    "so the powers of epsilon are too high",
    Obstacle.BITS: "its numbers are too long: round them",
    Obstacle.WORK: "the values of its nodes cross each other too often, or too closely",
    Obstacle.CROSSINGS: "it changes too often to verify each change",
}


def render(reports: Sequence[Opponents], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the opponents for each tree, and the changes of the decision.

    Reports about the same tree that follow each other share a table.
    """
    groups = [list(group) for _, group in groupby(reports, key=lambda report: id(report.tree))]
    for position, group in enumerate(groups):
        if position:
            yield ""
        first, is_alone = group[0], len(group) == 1
        yield from file_heading(first.file, first.tree, options, len(groups) > 1)
        if first.has_min:
            yield Text(OPPONENT, style="dim")
        for report in group:
            if first.has_chance and not (is_alone and report.chance == "expected"):
                yield Text(f"Nature {report.chance}: {NATURES[report.chance]}.", style="dim")
        yield ""
        columns = COLUMNS if is_alone else (*COLUMNS, Column("Nature"))
        yield from table(columns, _opponent_rows(group, options, len(columns)), options)
        yield ""
        for report in group if first.has_min else group[:1]:
            prefix = "" if is_alone or not first.has_min else f"Nature {report.chance}: "
            yield from _decision(report, prefix, options)


def obstacle_text(report: Opponents) -> str | None:
    """Return why the changes of the decision were not computed; None if they were."""
    if report.obstacle is None:
        return None
    return _OBSTACLES[report.obstacle].format(len(report.tree))


def _opponent_rows(
    group: Sequence[Opponents], options: ConsoleOptions, width: int
) -> list[list[str]]:
    rows = [
        [
            row.opponent,
            display_text(row.epsilon),
            display_text(row.value),
            _names(row.ties, options),
            report.chance,
        ]
        for report in group
        for row in report.rows
    ]
    return [row[:width] for row in rows]


def _decision(report: Opponents, prefix: str, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the answer in a sentence, and a table of the best actions by epsilon."""
    yield Text(prefix + _sentence(report, options), style="title")
    crossings = report.crossings
    if not crossings:
        return
    columns = (Column("epsilon"), Column("best"), Column("value", number=True))
    yield from table(columns, _decision_rows(crossings[:MOST_CROSSINGS], options), options)
    if len(crossings) > MOST_CROSSINGS:
        yield Text(f"The first {MOST_CROSSINGS} changes; --format json lists all.", style="dim")
    text = "Each change is verified on both sides, by evaluating the tree in exact arithmetic."
    yield Text(text, style="dim")


def _sentence(report: Opponents, options: ConsoleOptions) -> str:
    root = report.tree.root
    if root.kind not in (Kind.MAX, Kind.MIN):
        return "No player decides at the root, so there is no decision that can change."
    if not report.has_min:
        return "There is no MIN node: all opponents are alike."
    if report.obstacle is not None:
        return f"Where the decision changes was not computed: {obstacle_text(report)}."
    notes = "" if root.kind == Kind.MAX else f" {MIN_ROOT}"
    if set(report.start) != set(report.rows[0].ties):
        notes += " (The table counts nearly equal values as ties; this is exact.)"
    if report.crossings:
        values = plural(len(report.crossings), "value")
        return f"The best actions change at {values} of epsilon.{notes}"
    verb = "are" if len(report.start) > 1 else "is"
    return (
        f"{_names(report.start, options)} {verb} best for every epsilon: MIN's mistakes never "
        f"change the decision.{notes}"
    )


def _decision_rows(crossings: Sequence[Crossing], options: ConsoleOptions) -> list[list[str]]:
    """Return the rows of the intervals between the crossings, and of the crossings themselves."""
    rows = []
    since = "0"
    for crossing in crossings:
        fraction, digits = _fraction(crossing), _digits(crossing, options)
        place = fraction or digits
        if crossing.before:
            rows.append([f"{since} to {place}", _names(crossing.before, options), ""])
        both = f"{fraction} = {digits}" if fraction else digits
        rows.append([both, _names(crossing.at, options), _value_text(crossing)])
        since = place
    if crossings[-1].after:
        rows.append([f"{since} to 1", _names(crossings[-1].after, options), ""])
    return rows


def _value_text(crossing: Crossing) -> str:
    """Return the root's value at a crossing, with as many digits as are certain."""
    if crossing.exact is not None:
        return display_text(crossing.value)
    for digits in range(_DIGITS, 2, -1):
        ends = {_float_text(end, digits) for end in (crossing.value_lower, crossing.value_upper)}
        if len(ends) == 1:
            return ends.pop()
    return _float_text(crossing.value, 2)


def _float_text(value: Fraction, digits: int) -> str:
    try:
        return display_text(float(value), digits)
    except OverflowError:
        return display_text(value, digits)


def _names(actions: Sequence[str], options: ConsoleOptions) -> str:
    ellipsis = characters(options).ellipsis
    names = [
        clipped(safe(action, options), _WIDEST_NAME, ellipsis) for action in actions[:_MOST_NAMES]
    ]
    if len(actions) > _MOST_NAMES:
        names.append(f"{len(actions) - _MOST_NAMES:,} more")
    if len(names) < 2:
        return "".join(names) or "-"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _fraction(crossing: Crossing) -> str | None:
    """Return a crossing as a fraction, if that is short and no decimal is exact."""
    text = "" if crossing.exact is None else exact_text(crossing.exact)
    return text if "/" in text and len(text) <= _LONGEST_FRACTION else None


def _digits(crossing: Crossing, options: ConsoleOptions) -> str:
    """Return a crossing as a decimal: exactly, or the digits that are certain and an ellipsis."""
    if crossing.exact is not None and (text := _decimal(crossing.exact)):
        return text
    lower = crossing.lower
    floor = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    digits = floor.divide(Decimal(lower.numerator), Decimal(lower.denominator))
    return f"{digits}{characters(options).ellipsis}"


def _decimal(value: Fraction) -> str | None:
    """Return a number as a decimal, if that is exact and short."""
    text = exact_text(value)
    return None if "/" in text or text.startswith("about") else text
