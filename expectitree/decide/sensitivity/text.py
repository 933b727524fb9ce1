"""The reports for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial, singledispatch
from itertools import pairwise
from string import ascii_letters
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import (
    decimal_text,
    display_text,
    exact_display,
    message_text,
    typeset,
)
from expectitree.decide.algebra.rationals import formula_text
from expectitree.decide.sensitivity.decisions import (
    Piece,
    Threshold,
    number_text,
    place_texts,
    short_text,
)
from expectitree.decide.sensitivity.exact import VALUE, BreakEven, Everywhere, TwoWay
from expectitree.decide.sensitivity.parameters import Range
from expectitree.decide.sensitivity.report import Bar, Sensitivity, Tornado
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.text.console import Characters, characters, report_heading, safe
from expectitree.text.phrases import names_text, plural, with_unit
from expectitree.text.tables import GAP, Column, table

VERIFIED = "Each threshold is verified on both sides, by evaluating the tree in exact arithmetic."
MAX_ROWS = 50  # of strategies or thresholds that are listed
_MAX_WORTH_LENGTH = 16  # characters of a fraction
_FEW_DIGITS = 5  # of a coefficient in a long formula
_MAX_CHANGES = 3  # of a bar of a tornado
_ROUNDING = Fraction(1, 10**12)  # of sampled values
_MIN_BAR, _MAX_BAR = 10, 40  # columns of a bar

Lines = Iterator[RenderableType]


def render(reports: Sequence[Any], options: ConsoleOptions) -> Lines:
    """Yield the answer about each tree, below its title."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        yield from _lines(report, options)


@singledispatch
def _lines(report: Any, options: ConsoleOptions) -> Lines:
    raise TypeError(f"no text of {type(report).__name__}")


# ---- One parameter.


@_lines.register
def _(report: Sensitivity, options: ConsoleOptions) -> Lines:
    marks = characters(options)
    rows = []
    for (start, end), piece in zip(_ends(report, marks), report.pieces, strict=True):
        rows.append([f"{start} to {end}", names_text(piece.best)])
        if report.method == "exact":
            rows[-1].append(_value_of_piece(report, piece, marks))
    columns = [Column(_name_of(report.range)), Column("best"), Column("value")]
    yield from table(columns[: len(rows[0])], rows, options)
    yield ""
    for sentence in _sentences(report, marks):
        yield Text(safe(sentence, options))
    yield from _range_notes(options, report.range)
    if report.branch is None and any(piece.later for piece in report.pieces):
        yield Text("--everywhere shows the later decisions.", style="hint")
    if report.method == "sampled":
        found = f"Found by sampling, since {report.reason}: narrower parts may be missed."
        yield _note(found, options)
    elif report.thresholds:
        yield _note(VERIFIED, options)


def _note(text: str, options: ConsoleOptions) -> Text:
    return Text(safe(text, options), style="dim")


def range_notes(range: Range) -> Iterator[str]:
    """Yield the sentences about a range that was cut, and about parameters that move with one."""
    ends = f"{number_text(range.low)} to {_amount(range.high, range)}"
    if range.cut_from:
        asked = " to ".join(map(number_text, range.cut_from))
        yield f"{range.name} moves from {ends} only, and not from {asked}: {range.why_cut}."
    if range.scaled:
        others = names_text([*range.scaled])
        yield f"As {range.name} moves, the rest of its sum is shared in proportion by {others}."


def _range_notes(options: ConsoleOptions, *ranges: Range) -> Lines:
    for one in ranges:
        for sentence in range_notes(one):
            yield _note(sentence, options)


def _amount(value: Fraction, range: Range) -> str:
    """Return a value of a parameter with its unit."""
    return with_unit(number_text(value), range.unit)


def _name_of(range: Range) -> str:
    """Return the heading of a parameter's column: its name and unit."""
    return f"{range.name} ({range.unit})" if range.unit else range.name


def _value_of_piece(report: Sensitivity, piece: Piece, marks: Characters) -> str:
    """Return the value on a part of the range: a formula, or why there is none.

    Coefficients that are too long for a table are rounded.
    """
    if piece.value is None:
        return f"a later decision changes at {_first([*map(number_text, piece.later)])}"
    written = partial(formula_text, piece.value, report.range.name, marks.times)
    formula = written(exact_display)
    if formula is None:
        scale = 1 if piece.value.is_polynomial else max(map(abs, piece.value.denominator))
        rounded = written(lambda c: decimal_text(c / scale, _FEW_DIGITS))
        formula = f"{marks.about} {rounded}" if rounded else "a long formula"
    return formula.replace("-", "−")


def _first(texts: Sequence[str]) -> str:
    """Return a list of texts, of many the first ones."""
    more = [f"{len(texts) - _MAX_CHANGES:,} more"] * (len(texts) > _MAX_CHANGES)
    return ", ".join([*texts[:_MAX_CHANGES], *more])


def _ends(report: Sensitivity, marks: Characters) -> list[tuple[str, str]]:
    """Return the ends of each piece as text; those between two pieces are thresholds."""
    ends = [report.range.low, *(piece.end for piece in report.pieces)]
    known = {one.middle: place_texts(one, marks)[0] for one in report.thresholds}
    return [*pairwise(known.get(end, number_text(end)) for end in ends)]


def _sentences(report: Sensitivity, marks: Characters) -> Iterator[str]:
    one, best, value = report.range, names_text(report.best), number_text(report.value)
    here = f"{one.name} is {_amount(one.current, one)}"
    if not report.best:
        yield f"{here}: the tree is worth {value}. There is no decision at the root."
        return
    verb = "actions are" if len(report.best) > 1 else "action is"
    if report.branch is not None:
        yield f"The best {verb} {best} now, worth {value}."
        yield _limits_of_branch(report)
    else:
        yield f"{here}: the best {verb} {best}, worth {value}."
        yield from _moves(report)
    for threshold in report.thresholds[:MAX_ROWS]:
        place = with_unit(place_texts(threshold, marks)[1], one.unit)
        if threshold.at:
            yield f"At {place} {names_text(threshold.at)} tie at {_worth_text(threshold)}."
        else:
            change = f"from {names_text(threshold.before)} to {names_text(threshold.after)}"
            yield f"At {place} the value jumps, and the best action changes {change}."


def _worth_text(threshold: Threshold) -> str:
    """Return the value at a threshold: `8875/7 = 1267.857143`, or a decimal."""
    text = exact_display(threshold.value)
    decimal = decimal_text(threshold.value, 10)
    is_fraction = threshold.exact is not None and "/" in text and len(text) <= _MAX_WORTH_LENGTH
    return f"{text} = {decimal}" if is_fraction else decimal


def _moves(report: Sensitivity) -> Iterator[str]:
    one, (fall, rise) = report.range, report.slack
    if not one.low <= one.current <= one.high:
        return
    moves = [
        f"{verb} by {with_unit(move_text(move), one.unit)}"
        for verb, move in (("fall", fall), ("rise", rise))
        if move is not None
    ]
    if 0 in (fall, rise):
        yield "This is a threshold."
    elif moves:
        yield f"It can {' or '.join(moves)} before another action is best."
    else:
        yield f"No value from {number_text(one.low)} to {_amount(one.high, one)} changes that."


def _limits_of_branch(report: Sensitivity) -> str:
    """Return what a branch costs or pays when another action becomes best."""
    (fall, rise), pays, sign = report.slack, report.branch_pays, report.tree.gain_sign
    limits = []
    if fall is not None:
        limits.append(_payment(sign * (pays - fall)))
    if rise is not None:
        limits.append(_payment(sign * (pays + rise)))
    found = f"No amount at {report.branch} changes that"
    if limits:
        found = f"{names_text(report.best)} stays best until {report.branch} {' or '.join(limits)}"
    return f"{found}; it {_payment(sign * pays)} now."


def _payment(amount: Fraction) -> str:
    if amount == 0:
        return "pays nothing"
    return f"{'costs' if amount < 0 else 'pays'} {move_text(abs(amount))}"


def move_text(value: Fraction) -> str:
    """Return the distance to a threshold, with four digits or as an amount."""
    return decimal_text(value, 4 if value < 1000 else None)


# ---- Two parameters.


@_lines.register
def _(report: TwoWay, options: ConsoleOptions) -> Lines:
    labels = dict.fromkeys(p.best for row in report.rows for p in row.pieces)
    letters = dict(zip(labels, _letters_of([*labels]), strict=True))
    legend = ", ".join(f"{letter} {names_text(best)}" for best, letter in letters.items())
    yield Text(safe(f"best action: {legend}", options))
    head = f"{_name_of(report.down)} "
    marks = [number_text(row.at) for row in report.rows]
    across = _name_of(report.across)
    margin = max(len(head) + max(map(len, marks)), len(across)) + 2
    width = max(10, min(60, options.max_width - margin))
    places = report.across.places(width - 1)
    for row, mark in zip(reversed(report.rows), reversed(marks), strict=True):
        start, head = f"{head}{mark}", " " * len(head)
        found = (report.best_at(row, place) for place in places)
        cells = "".join(" " if best is None else letters[best] for best in found)
        yield Text(safe(f"{start:<{margin}}{cells}".rstrip(), options))
    low, high = number_text(report.across.low), number_text(report.across.high)
    yield Text(safe(f"{across:<{margin}}{low}{high:>{width - len(low)}}", options))
    yield from _range_notes(options, report.across, report.down)


def _letters_of(labels: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a different letter for each set of best actions: = for ties, else of its name."""
    found: list[str] = []
    for label in labels:
        name = "=" if len(label) > 1 else "".join(filter(str.isalnum, label[0].lower()))
        found.append(next((c for c in name + ascii_letters if c not in found), "?"))
    return found


# ---- Tornado.


@_lines.register
def _(report: Tornado, options: ConsoleOptions) -> Lines:
    kind = "fixed" if report.is_fixed else "re-optimized"
    best = f", with {names_text(report.best)}" if report.best else ""
    now = display_text(report.value)
    yield _note(f"{now} now{best}; the policy is {kind}.", options)
    yield ""
    marks = characters(options)
    columns = [Column(""), Column("range"), Column("least", number=True), Column("")]
    columns += [Column("greatest", number=True), Column("changes at", spare=1)]
    cells = [_bar_cells(bar) for bar in report.bars]
    if report.is_fixed:
        columns, cells = columns[:-1], [row[:-1] for row in cells]
    headings = [column.heading for column in columns]
    taken = sum(max(map(len, column)) + GAP for column in zip(headings, *cells, strict=True))
    width = max(_MIN_BAR, min(_MAX_BAR, options.max_width - taken))
    for bar, row in zip(report.bars, cells, strict=True):
        row[3] = _bar_text(bar, report, width, marks)
    yield from table(columns, cells, options)
    if any(marks.change in row[3] for row in cells):
        yield _note(f"{marks.change} the value where the best action changes", options)
    sampled = [bar.range.name for bar in report.bars if bar.method == "sampled"]
    if sampled:
        attitude = report.tree.attitude
        kind = f"Certainty equivalents ({attitude.text}), found" if attitude else "Found"
        yield _note(f"{kind} by sampling: {', '.join(sampled)}.", options)
    if report.assumed:
        names = ", ".join(report.assumed)
        yield _note(f"Without a range in the file, so moved by 10% both ways: {names}.", options)
    yield from _range_notes(options, *(bar.range for bar in report.bars))
    for name, why in report.left_out.items():
        yield _note(f"Not moved: {name}: {why}.", options)
    yield ""
    one = report.bars[0].range
    ends = f"={message_text(one.low)}..{message_text(one.high)}"
    ends = ends if one.name in report.assumed else ""
    ask = f"Ask further: -p {one.name}{ends} for its thresholds"
    if report.tree.attitude is None:
        ask += ", a second -p for a map, --until, --add or --strategies: see --help"
    yield Text(safe(f"{ask}.", options), style="hint")


def _bar_cells(bar: Bar) -> list[str]:
    """Return the cells of a row; the picture of the bar comes later."""
    one = bar.range
    ends = with_unit(f"{number_text(one.low)}..{number_text(one.high)}", one.unit)
    least, greatest = map(display_text, (bar.least, bar.greatest))
    changes = [short_text(t) + ("" if t in bar.changes else " (tie)") for t in bar.thresholds]
    places = [_first(changes)] if changes else []
    if bar.later:
        places.append(f"a later decision at {_first([*map(number_text, bar.later)])}")
    return [one.name, ends, least, "", greatest, ", ".join(places)]


def _bar_text(bar: Bar, report: Tornado, width: int, marks: Characters) -> str:
    """Return a bar from the least to the greatest value, on a scale for all bars.

    The sign | is the value now, and another one is the value at a change of the best action.
    """
    low = min(report.value, *(one.least for one in report.bars))
    high = max(report.value, *(one.greatest for one in report.bars))
    span = high - low
    if span <= _ROUNDING * max(abs(low), abs(high)):
        span = Fraction(1)  # nothing moves the value
    changes = [one.value for one in bar.changes]
    start, end, base, *places = (
        min(max(round((value - low) / span * (width - 1)), 0), width - 1)
        for value in (bar.least, bar.greatest, report.value, *changes)
    )
    drawn = [marks.bar if start <= i <= end else " " for i in range(width)]
    for place in places:
        drawn[place] = marks.change
    drawn[base] = "|"
    return "".join(drawn)


# ---- Every decision, break-even points and strategies.


@_lines.register
def _(report: Everywhere, options: ConsoleOptions) -> Lines:
    if not report.decisions:
        yield Text("Play reaches no decision.")
        return
    rows = []
    for path, pieces in [*report.decisions.items()][:MAX_ROWS]:
        for position, piece in enumerate(pieces):
            part = f"{number_text(piece.start)} to {number_text(piece.end)}"
            rows.append(["" if position else path, part, names_text(piece.best)])
    columns = [Column("decision"), Column(_name_of(report.range)), Column("best")]
    yield from table(columns, rows, options)
    yield from _cut_note(len(report.decisions), "decision", options)
    yield from _range_notes(options, report.range)


@_lines.register
def _(report: BreakEven, options: ConsoleOptions) -> Lines:
    one = report.range
    what = f"{report.left} = {typeset(report.right) if report.left == VALUE else report.right}"
    if not report.meetings:
        ends = f"{number_text(one.low)} to {_amount(one.high, one)}"
        yield Text(safe(f"{what} for no {one.name} from {ends}.", options))
    for meeting in report.meetings:
        if meeting.is_part:
            ends = f"{number_text(meeting.lower)} to {_amount(meeting.upper, one)}"
            yield Text(safe(f"{what} for every {one.name} from {ends}.", options))
            continue
        place = with_unit(place_texts(meeting, characters(options))[1], one.unit)
        value = decimal_text(meeting.value, 10)
        both = "" if report.left == VALUE else f", where both are worth {value}"
        yield Text(safe(f"{what} at {one.name} = {place}{both}.", options))
    yield _note(f"{one.name} is {_amount(one.current, one)} now.", options)
    yield from _range_notes(options, one)


@_lines.register
def _(report: Strategies, options: ConsoleOptions) -> Lines:
    rows = []
    for one in report.strategies[:MAX_ROWS]:
        root = one.choices.get("/", "")
        rest = ", ".join(f"{path}: {label}" for path, label in one.choices.items() if path != "/")
        rows.append([display_text(one.value), root, rest])
    columns = [Column("value", number=True), Column("action"), Column("then")]
    yield from table(columns, rows, options)
    yield from _cut_note(len(report.strategies), "strategy", options)


def _cut_note(count: int, noun: str, options: ConsoleOptions) -> Lines:
    if count > MAX_ROWS:
        yield _note(f"The first {MAX_ROWS} of {plural(count, noun)}.", options)
