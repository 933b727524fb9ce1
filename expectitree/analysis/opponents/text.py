"""A tree against several opponents, and where the decision changes: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from expectitree.analysis.opponents.report import Crossing, Opponents
from expectitree.numbers import Number, display_text, exact_text
from expectitree.text.look import Look, clipped, wrapped
from expectitree.text.table import table
from expectitree.tree.model import Kind

MOST_SPANS = 50  # of a list, in text
_MOST_NAMES = 3  # of actions that tie, in text
_WIDEST_NAME = 24
_DIGITS = 10  # of an epsilon that is known exactly
_MOST_PLACES = 40
_LONGEST_FRACTION = 24  # characters

HEADINGS = ("opponent", "epsilon", "value", "best")
SPAN_HEADINGS = ("best", "from", "to", "exactly", "value there")
OPPONENT = (
    "With probability epsilon MIN errs and picks any of its actions, all equally likely; else it plays its best "
    "against its own later errors."
)
NATURES = {
    "expected": "outcomes have their probabilities",
    "worst": "of the outcomes of p > 0 the worst for MAX comes, without error",
    "best": "of the outcomes of p > 0 the best for MAX comes",
}


def render(reports: Sequence[Opponents], look: Look) -> Iterator[str]:
    """Yield for each file a table of the opponents, and in sentences where the decision changes.

    Reports that follow each other and are of the same tree share a table.
    """
    groups = [list(group) for _, group in groupby(reports, key=lambda report: id(report.tree))]
    for position, group in enumerate(groups):
        if position:
            yield ""
        yield from _heading(group[0], look, len(groups) > 1)
        for line in _opponent_lines(group, look):
            yield look.paint(line, "dim")
        yield ""
        yield from _opponent_table(group, look)
        yield ""
        for report in group if group[0].has_min else group[:1]:
            yield from _decision_lines(
                report, look, f"Nature {report.chance}: " if _is_among_others(group) else ""
            )


# ---- Text.


def _heading(report: Opponents, look: Look, among_others: bool) -> Iterator[str]:
    title = report.tree.title
    if among_others or not title:
        yield look.paint(look.shown(report.file), "title")
    if title:
        for line in wrapped(look.shown(title), look.width):
            yield look.paint(line, "none" if among_others else "title")


def _opponent_lines(group: Sequence[Opponents], look: Look) -> Iterator[str]:
    if group[0].has_min:
        yield from wrapped(OPPONENT, look.width)
    for report in group:
        if group[0].has_chance and (report.chance != "expected" or len(group) > 1):
            yield from wrapped(f"Nature {report.chance}: {NATURES[report.chance]}.", look.width)
    if not group[0].has_chance and any(report.chance != "expected" for report in group):
        yield from wrapped("There is no CHANCE node: Nature has nothing to choose.", look.width)


def _is_among_others(group: Sequence[Opponents]) -> bool:
    return len(group) > 1 and group[0].has_min


def _opponent_table(group: Sequence[Opponents], look: Look) -> Iterator[str]:
    rows = [
        [
            row.opponent,
            display_text(row.epsilon),
            display_text(row.value),
            _names(row.ties, look),
            report.chance,
        ]
        for report in group
        for row in report.rows
    ]
    headings = (*HEADINGS, "Nature") if len(group) > 1 else HEADINGS
    yield from table(
        headings, [row[: len(headings)] for row in rows], look, ("epsilon", "value"), ("opponent",)
    )


def _decision_lines(report: Opponents, look: Look, start: str) -> Iterator[str]:
    """Yield in sentences where the decision changes, in a table if that is more than once."""
    crossings = report.crossings
    for line in wrapped(start + _sentence(report, look), look.width):
        yield look.paint(line, "title")
    if len(crossings) > 1:
        dispensable = ("value there", "exactly")
        rows = _spans(crossings, look)[:MOST_SPANS]
        places = [
            i
            for i, heading in enumerate(SPAN_HEADINGS)
            if heading != "exactly" or any(row[i] for row in rows)
        ]
        kept = [[row[i] for i in places] for row in rows]
        yield from table([SPAN_HEADINGS[i] for i in places], kept, look, (), dispensable)
        if len(crossings) > MOST_SPANS:
            yield from wrapped(
                f"These are the first {MOST_SPANS}; --format json has all of them.", look.width
            )
    if crossings:
        checked = "Each place was" if len(crossings) > 1 else "This was"
        width = f"{float(report.tolerance):g}".replace("e-0", "e-")
        text = f"{checked} verified on both sides, at most {width} away, by evaluating the tree in exact arithmetic."
        for line in wrapped(text, look.width):
            yield look.paint(line, "dim")


def _sentence(report: Opponents, look: Look) -> str:
    kind = report.tree.root.kind
    if kind == Kind.TERMINAL:
        return "The root is a terminal: there is nothing to decide."
    if kind == Kind.CHANCE:
        return (
            "The root is a CHANCE node: no player decides there, so no decision at it can change."
        )
    if not report.has_min:
        return "There is no MIN node: all opponents are alike."
    whose = (
        ""
        if kind == Kind.MAX
        else " The root is MIN's: best is what it plays when it does not err."
    )
    if report.start and set(report.start) != set(report.rows[0].ties):
        whose += " (The table takes nearly equal values for ties; this is exact.)"
    if report.reason is not None:
        return f"Where the decision changes was not looked for: {report.reason}.{whose}"
    if not report.crossings:
        always = f"{_are_best(report.start, look)} for every epsilon"
        return f"{always}: MIN's errors never change the decision.{whose}"
    if len(report.crossings) > 1:
        return f"The best actions change at {len(report.crossings):,} places.{whose}"
    return f"{_one_change(report.crossings[0], look)}{whose}"


def _one_change(crossing: Crossing, look: Look) -> str:
    place, value = _place(crossing, look), _value_text(crossing)
    ties = _names(crossing.at, look)
    if not crossing.before:
        return f"{ties} tie at epsilon 0, at the value {value}; beyond it {_are_best(crossing.after, look)}."
    before = _are_best(crossing.before, look)
    if not crossing.after:
        return f"{before} for every epsilon below 1; there {ties} tie, at the value {value}."
    if crossing.before == crossing.after:
        return f"{before} for every epsilon; at {place} alone {ties} tie, at the value {value}."
    return (
        f"{before} while epsilon < {place}, {_names(crossing.after, look)} from there on; "
        f"at that place {ties} tie, at the value {value}."
    )


def _spans(crossings: Sequence[Crossing], look: Look) -> list[list[str]]:
    """Return the rows of a table of the best actions from place to place; a tie at one place alone has its own."""
    rows = []
    since = "0"
    for crossing in crossings:
        digits, fraction = _digits(crossing, look), _fraction(crossing) or ""
        value = _value_text(crossing)
        if crossing.before:
            rows.append([_names(crossing.before, look), since, digits, fraction, value])
        if (
            set(crossing.at) != {*crossing.before, *crossing.after}
            or crossing.before == crossing.after
        ):
            rows.append([_names(crossing.at, look), digits, digits, fraction, value])
        since = digits
    if crossings[-1].after:
        rows.append([_names(crossings[-1].after, look), since, "1", "", ""])
    return rows


def _value_text(crossing: Crossing) -> str:
    """Return the root's value at a place, in as many digits as are sure."""
    ends = _rounded(crossing.value_lower), _rounded(crossing.value_upper)
    for digits in range(_DIGITS, 2, -1):
        one, other = (display_text(end, digits) for end in ends)
        if one == other:
            return one
    return f"about {display_text(float(crossing.value), 3)}"


def _rounded(value: Fraction) -> Number:
    """Return the number as people read it: itself where it is short, else in floating point."""
    if len(exact_text(value)) <= _DIGITS:
        return value
    try:
        return float(value)
    except OverflowError:
        return value


def _names(actions: Sequence[str], look: Look) -> str:
    ellipsis = look.characters.ellipsis
    named = [
        clipped(look.shown(action), _WIDEST_NAME, ellipsis) for action in actions[:_MOST_NAMES]
    ]
    if len(actions) > _MOST_NAMES:
        named.append(f"{len(actions) - _MOST_NAMES:,} more")
    if len(named) < 2:
        return "".join(named) or "-"
    return f"{', '.join(named[:-1])} and {named[-1]}"


def _are_best(actions: Sequence[str], look: Look) -> str:
    return f"{_names(actions, look)} {'are' if len(actions) > 1 else 'is'} best"


def _place(crossing: Crossing, look: Look) -> str:
    fraction = _fraction(crossing)
    return f"{fraction} = {_digits(crossing, look)}" if fraction else _digits(crossing, look)


def _fraction(crossing: Crossing) -> str | None:
    """Return the fraction that the place is, where it is one that a decimal does not write better."""
    text = "" if crossing.exact is None else exact_text(crossing.exact)
    return text if "/" in text and len(text) <= _LONGEST_FRACTION else None


def _digits(crossing: Crossing, look: Look) -> str:
    """Return the place in decimals: all of them, or those that are sure and an ellipsis."""
    if crossing.exact is not None:
        text = exact_text(crossing.exact)
        if "/" not in text and not text.startswith("about"):
            return text
        places = _DIGITS
        while crossing.exact * 10**places < 100:
            places += 1
    else:
        places = len(str((crossing.upper - crossing.lower).denominator)) - 1
    if places > _MOST_PLACES:
        return f"about {float(crossing.lower):.4g}"
    digits = f"{int(crossing.lower * 10**places):0{places + 1}d}"
    return f"{digits[:-places]}.{digits[-places:]}{look.characters.ellipsis}"
