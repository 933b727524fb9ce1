"""The reports for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from fractions import Fraction
from functools import partial, singledispatch
from itertools import pairwise
from string import ascii_letters
from typing import Any

from rich.console import ConsoleOptions

from expectitree.base.numbers import (
    decimal_text,
    display_text,
    exact_display,
    is_shown_as_fraction,
    message_text,
    typeset,
)
from expectitree.base.tree.model import Tree
from expectitree.decide.algebra.rationals import formula_text
from expectitree.decide.lines import Lines, notes, render_each, sentences
from expectitree.decide.records import Labels
from expectitree.decide.sensitivity.decisions import (
    Piece,
    Threshold,
    number_text,
    place_texts,
    short_text,
)
from expectitree.decide.sensitivity.exact import VALUE, BreakEven, Everywhere, TwoWay
from expectitree.decide.sensitivity.parameters import SAMPLED, Range, verified_text
from expectitree.decide.sensitivity.report import Bar, Sensitivity, Tornado
from expectitree.decide.sensitivity.strategies import Strategies
from expectitree.searches.result import PLAYERS
from expectitree.text.console import Characters, characters
from expectitree.text.phrases import amount_heading, names_text, plural, with_unit, worth_text
from expectitree.text.tables import GAP, Column, table

MAX_ROWS = 50  # of strategies or thresholds that are listed
_MAX_WORTH_LENGTH = 16  # characters of a fraction
_FEW_DIGITS = 5  # of a coefficient in a long formula
_MAX_CHANGES = 3  # of a bar of a tornado
_ROUNDING = Fraction(1, 10**12)  # of sampled values
_LATER = ", and changes of later decisions are not looked for"
_MIN_BAR, _MAX_BAR = 10, 40  # columns of a bar


@singledispatch
def _lines(report: Any, options: ConsoleOptions) -> Lines:
    raise TypeError(f"no text of {type(report).__name__}")


render = partial(render_each, _lines)


# ---- One parameter.


@_lines.register
def _(report: Sensitivity, options: ConsoleOptions) -> Lines:
    marks = characters(options)
    rows = []
    for (start, end), piece in zip(_ends(report, marks), report.pieces, strict=True):
        rows.append([f"{start} to {end}", names_text(piece.best)])
        if not report.reason:
            rows[-1].append(_value_of_piece(report, piece, marks))
    columns = [Column(report.range.heading), Column("best"), Column(amount_heading(report.tree))]
    yield from table(columns[: len(rows[0])], rows, options)
    yield ""
    yield from sentences(_sentences(report, marks), options)
    yield from notes(options, *range_notes(report.range))
    if report.branch is None and any(piece.later for piece in report.pieces):
        yield from sentences(["--everywhere shows the later decisions."], options, "hint")
    yield from notes(options, *_sampling_note(report))
    if report.thresholds and not report.reason:
        yield from notes(options, verified_text(report.tree))


def _sampling_note(report: Sensitivity | BreakEven) -> Iterator[str]:
    if report.reason:
        more = _LATER * has_later(report.tree)
        yield f"Found by sampling, since {report.reason}: narrower parts may be missed{more}."


def has_later(tree: Tree) -> bool:
    """Return whether somebody decides below the root."""
    return any(kind in PLAYERS for kind in tree.columns.kind[:-1])


def range_notes(*ranges: Range) -> Iterator[str]:
    """Yield the sentences about ranges that were cut, and about parameters that move with one."""
    for one in ranges:
        if one.cut_from:
            asked = part_text(*one.cut_from)
            moves = f"{one.name} moves from {part_text(one.low, one.high, one.unit)} only"
            yield f"{moves}, and not from {asked}: {one.why_cut}."
        if one.scaled:
            others = names_text([*one.scaled])
            yield f"As {one.name} moves, the rest of its sum is shared in proportion by {others}."


def part_text(low: Fraction, high: Fraction, unit: str | None = None) -> str:
    """Return a part of the range of a parameter, with the unit at both ends."""
    return f"{_amount(low, unit)} to {_amount(high, unit)}"


def _amount(value: Fraction, unit: str | None) -> str:
    return with_unit(number_text(value), unit)


def _value_of_piece(report: Sensitivity, piece: Piece, marks: Characters) -> str:
    """Return the value on a part of the range: a formula, or why there is none.

    Coefficients that are fractions, or too long for a table, are rounded.
    """
    if piece.value is None:
        return f"a later decision changes at {_first([*map(number_text, piece.later)])}"
    if not piece.value.degree:
        return number_text(piece.value(Fraction(0)))
    written = partial(formula_text, piece.value, report.range.name, marks.times)
    formula = written(exact_display)
    shows_fractions = is_shown_as_fraction(report.value) or not piece.value.is_polynomial
    if formula is None or not (shows_fractions or piece.value.has_decimals):
        scale = 1
        if not piece.value.is_polynomial:
            scale = max(map(abs, piece.value.denominator))
        rounded = written(lambda c: decimal_text(c / scale, _FEW_DIGITS))
        if rounded is None:
            return "a long formula"
        formula = f"{marks.about} {rounded}"
    return formula.replace("-", "−")


def _first(texts: Sequence[str]) -> str:
    """Return a list of texts, of many the first ones."""
    shown = [*texts[:_MAX_CHANGES]]
    if len(texts) > _MAX_CHANGES:
        shown.append(f"{len(texts) - _MAX_CHANGES:,} more")
    return ", ".join(shown)


def _ends(report: Sensitivity, marks: Characters) -> list[tuple[str, str]]:
    """Return the ends of each piece as text; those between two pieces are thresholds."""
    ends = [report.range.low, *(piece.end for piece in report.pieces)]
    known = {one.middle: place_texts(one, marks)[0] for one in report.thresholds}
    return [*pairwise(known.get(end, number_text(end)) for end in ends)]


def _sentences(report: Sensitivity, marks: Characters) -> Iterator[str]:
    one, best = report.range, names_text(report.best)
    unit = report.tree.unit
    value = with_unit(number_text(report.value), unit)
    here = f"{one.name} is {_amount(one.current, one.unit)}"
    if not report.best:
        yield f"{here}: the tree is worth {value}. There is no decision at the root."
        return
    verb = "actions are" if report.best[1:] else "action is"
    if report.branch is not None:
        yield f"The best {verb} {best} now, worth {value}."
        yield _limits_of_branch(report)
    else:
        yield f"{here}: the best {verb} {best}, worth {value}."
        yield from _moves(report)
    for threshold in report.thresholds[:MAX_ROWS]:
        place = with_unit(place_texts(threshold, marks)[1], one.unit)
        if threshold.at:
            worth = with_unit(_worth_text(threshold), unit)
            yield f"At {place} {names_text(threshold.at)} tie at {worth}."
        else:
            change = f"from {names_text(threshold.before)} to {names_text(threshold.after)}"
            yield f"At {place} the value jumps, and the best action changes {change}."


def _worth_text(threshold: Threshold) -> str:
    """Return the value at a threshold: a decimal, or `8875/7 = 1267.857143` in that notation."""
    text, decimal = exact_display(threshold.value), decimal_text(threshold.value, 10)
    is_fraction = is_shown_as_fraction(threshold.value) and "/" in text
    if threshold.exact is None or not is_fraction or len(text) > _MAX_WORTH_LENGTH:
        return decimal
    return f"{text} = {decimal}"


def _moves(report: Sensitivity) -> Iterator[str]:
    one, (fall, rise) = report.range, report.slack
    if not one.low <= one.current <= one.high:
        return
    moves = [
        f"{verb} by {with_unit(_move_text(move), one.unit)}"
        for verb, move in {"fall": fall, "rise": rise}.items()
        if move is not None
    ]
    if 0 in (fall, rise):
        yield "This is a threshold."
    elif moves:
        yield f"It can {' or '.join(moves)} before another action is best."
    else:
        yield f"No value from {part_text(one.low, one.high, one.unit)} changes that."


def _limits_of_branch(report: Sensitivity) -> str:
    """Return what a branch costs or pays when another action becomes best."""
    (fall, rise), pays, sign = report.slack, report.branch_pays, report.tree.gain_sign
    limits = [
        _payment(sign * (pays + way * move))
        for way, move in ((-1, fall), (1, rise))
        if move is not None
    ]
    advice = f"No amount at {report.branch} changes that"
    if limits:
        advice = f"{names_text(report.best)} stays best until {report.branch} {' or '.join(limits)}"
    return f"{advice}; it {_payment(sign * pays)} now."


def _payment(amount: Fraction) -> str:
    if amount == 0:
        return "pays nothing"
    verb = "costs" if amount < 0 else "pays"
    return f"{verb} {_move_text(abs(amount))}"


def _move_text(value: Fraction) -> str:
    """Return the distance to a threshold, with four digits or as an amount."""
    return decimal_text(value, 4 if value < 1000 else None)


# ---- Two parameters.


@_lines.register
def _(report: TwoWay, options: ConsoleOptions) -> Lines:
    labels = dict.fromkeys(p.best for row in report.rows for p in row.pieces)
    letters: dict[Labels | None, str] = dict(zip(labels, _letters_of(labels), strict=True))
    legend = ", ".join(f"{letters[best]} {names_text(best)}" for best in labels)
    texts = [f"best action: {legend}"]
    if () in labels:
        texts = ["There is no decision at the root."]
    head, across = f"{report.down.heading} ", report.across.heading
    marks = [number_text(row.at) for row in report.rows]
    margin = max(len(head) + max(map(len, marks)), len(across)) + 2
    width = max(10, min(60, options.max_width - margin))
    places = report.across.places(width - 1)
    for row, mark in zip(reversed(report.rows), reversed(marks), strict=True):
        actions = (report.best_at(row, place) for place in places)
        cells = "".join(letters.get(best, " ") for best in actions)
        texts.append(f"{head + mark:<{margin}}{cells}".rstrip())
        head = " " * len(head)
    low, high = number_text(report.across.low), number_text(report.across.high)
    texts.append(f"{across:<{margin}}{low}{high:>{width - len(low)}}")
    yield from sentences(texts, options)
    yield from notes(options, *range_notes(report.across, report.down))


def _letters_of(labels: Iterable[Labels]) -> list[str]:
    """Return a different letter for each set of best actions: = for ties, else of its name."""
    found: list[str] = []
    for label in labels:
        name = "="
        if len(label) == 1:
            name = "".join(filter(str.isalnum, label[0].lower()))
        found.append(next((letter for letter in name + ascii_letters if letter not in found), "?"))
    return found


# ---- Tornado.


@_lines.register
def _(report: Tornado, options: ConsoleOptions) -> Lines:
    best = f", with {names_text(report.best)}" if report.best else ""
    now = worth_text(report.tree, report.value)
    yield from notes(options, f"{now} now{best}; the policy is {report.policy}.")
    yield ""
    marks = characters(options)
    columns = [Column(""), Column("range"), Column("least", True), Column("")]
    columns += [Column("greatest", True), Column("changes at", spare=1)]
    bars = report.moving
    cells = [_bar_cells(bar) for bar in bars]
    if report.is_fixed:
        columns, cells = columns[:-1], [row[:-1] for row in cells]
    headings = [column.heading for column in columns]
    taken = sum(max(map(len, column)) + GAP for column in zip(headings, *cells, strict=True))
    places = [text for *_, text in cells]
    wrapped = max(map(len, " ".join(places).split()), default=0)  # if bars and places share a line
    least = options.max_width - taken + max(map(len, places), default=0) - wrapped
    width = max(min(_MAX_BAR, options.max_width - taken), min(_MIN_BAR, least))
    texts = []
    if width >= _MIN_BAR:  # else the numbers say more
        texts = [_bar_text(bar, report, width, marks) for bar in bars]
        cells = [[*row[:3], text, *row[4:]] for row, text in zip(cells, texts, strict=True)]
    if bars:
        yield from table(columns, cells, options)
    if any(marks.change in text for text in texts):
        yield from notes(options, f"{marks.change} the value where the best action changes")
    yield from notes(options, *_bar_notes(report))
    yield ""
    first = report.bars[0].range
    ask = f"Ask further: -p {first.name}"
    if first.name in report.assumed:
        ask += f"={message_text(first.low)}..{message_text(first.high)}"
    ask += " for its thresholds"
    if report.tree.attitude is None:
        ask += ", a second -p for a map, --until, --add or --strategies: see --help"
    yield from sentences([f"{ask}."], options, "hint")


def _bar_notes(report: Tornado) -> Iterator[str]:
    """Yield how the bars were found, and why others are missing."""
    idle = [bar.range.name for bar in report.bars if bar not in report.moving]
    if idle:
        yield f"Without effect on the value ({plural(len(idle), 'input')}): {', '.join(idle)}."
    sampled = [bar.range.name for bar in report.bars if bar.method == SAMPLED]
    if sampled:
        attitude = report.tree.attitude
        kind = f"Certainty equivalents ({attitude.text}), found" if attitude else "Found"
        more = _LATER * has_later(report.tree)
        yield f"{kind} by sampling{more}: {', '.join(sampled)}."
    if report.assumed:
        names = ", ".join(report.assumed)
        yield f"Without a range in the file, so moved by 10% both ways: {names}."
    yield from range_notes(*(bar.range for bar in report.bars))
    for name, why in report.left_out.items():
        yield f"Not moved: {name}: {why}."


def _bar_cells(bar: Bar) -> list[str]:
    """Return the cells of a row; the picture of the bar comes later."""
    one = bar.range
    ends = with_unit(f"{number_text(one.low)}..{number_text(one.high)}", one.unit)
    least, greatest = map(display_text, (bar.least, bar.greatest))
    ties = dict.fromkeys(bar.thresholds, " (tie)") | dict.fromkeys(bar.changes, "")
    places = []
    if ties:
        places.append(_first([short_text(place) + tie for place, tie in ties.items()]))
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

    def column(value: Fraction) -> int:
        return min(max(round((value - low) / span * (width - 1)), 0), width - 1)

    drawn = [" "] * width
    part = slice(column(bar.least), column(bar.greatest) + 1)
    drawn[part] = marks.bar * len(drawn[part])
    for threshold in bar.changes:
        drawn[column(threshold.value)] = marks.change
    drawn[column(report.value)] = "|"
    return "".join(drawn)


# ---- Every decision, break-even points and strategies.


@_lines.register
def _(report: Everywhere, options: ConsoleOptions) -> Lines:
    if not report.decisions:
        yield from sentences(["Play reaches no decision."], options)
        return
    rows = []
    for path, pieces in [*report.decisions.items()][:MAX_ROWS]:
        for piece in pieces:
            rows.append([path, part_text(piece.start, piece.end), names_text(piece.best)])
            path = ""
    columns = [Column("decision"), Column(report.range.heading), Column("best")]
    yield from table(columns, rows, options)
    yield from _cut_note(report.decisions, "decision", options)
    yield from notes(options, *range_notes(report.range))


@_lines.register
def _(report: BreakEven, options: ConsoleOptions) -> Lines:
    one = report.range
    yield from sentences(_meeting_texts(report, characters(options)), options)
    yield from notes(options, f"{one.name} is {_amount(one.current, one.unit)} now.")
    yield from notes(options, *range_notes(one))
    yield from notes(options, *_sampling_note(report))


def _meeting_texts(report: BreakEven, marks: Characters) -> Iterator[str]:
    one, is_value = report.range, report.left == VALUE
    right = typeset(report.right) if is_value else report.right
    what = f"{report.left} = {right}"
    if not report.meetings:
        yield f"{what} for no {one.name} from {part_text(one.low, one.high, one.unit)}."
    for meeting in report.meetings:
        if meeting.is_part:
            part = part_text(meeting.lower, meeting.upper, one.unit)
            yield f"{what} for every {one.name} from {part}."
            continue
        place = with_unit(place_texts(meeting, marks)[1], one.unit)
        text = f"{what} at {one.name} = {place}"
        if not is_value:
            text += f", where both are worth {decimal_text(meeting.value, 10)}"
        yield f"{text}."


@_lines.register
def _(report: Strategies, options: ConsoleOptions) -> Lines:
    rows = []
    for one in report.strategies[:MAX_ROWS]:
        later = dict(one.choices)
        root = later.pop("/", "")
        rest = ", ".join(map(": ".join, later.items()))
        rows.append([display_text(one.value), root, rest])
    columns = [Column(amount_heading(report.tree), True), Column("action"), Column("then")]
    yield from table(columns, rows, options)
    yield from _cut_note(report.strategies, "strategy", options)


def _cut_note(rows: Sized, noun: str, options: ConsoleOptions) -> Lines:
    if len(rows) > MAX_ROWS:
        yield from notes(options, f"The first {MAX_ROWS} of {plural(len(rows), noun)}.")
