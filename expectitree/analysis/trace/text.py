"""A search told step by step: as at the board, indented by depth, and as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isclose
from typing import Any, cast

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.analysis.evaluate.text import heading, value_text
from expectitree.analysis.trace.events import (
    CLOSE,
    CUT,
    ENTER,
    EXPECTED_GAIN,
    GREATEST_ESTIMATE,
    GREATEST_SHARE,
    GREATEST_UPPER,
    LEAST_ESTIMATE,
    LEAST_LOWER,
    LEAVE,
    MOST_TERMS,
    ONLY_OPEN,
    PASS,
    PROBE,
    RIVAL_LOWER,
    RIVAL_UPPER,
    TIGHTEN,
    VISIT,
    Event,
)
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace
from expectitree.numbers import Number, cell_text, escape, is_finite
from expectitree.text.json_values import json_number, json_path
from expectitree.text.look import Look, cell_width, wrapped
from expectitree.text.phrases import (
    TIED,
    node_name,
    product_text,
    quotient_text,
    residue,
    sum_text,
    untied,
)
from expectitree.tree.model import Kind
from expectitree.tree.paths import ROOT

_DEEPEST = 10  # plies that are indented, before the depth is told in digits
_STYLES = {CUT: "cut", LEAVE: "value", CLOSE: "value", VISIT: "none", PASS: "dim", TIGHTEN: "none"}
_AIMS = {
    "exact": "to make it exact",
    "lower": "to lower its upper bound",
    "raise": "to raise its lower bound",
    "action": "to find its best action",
}
_REASONS = {  # why a walk goes on to a child, and to none of the others
    ONLY_OPEN: "no other is open",
    GREATEST_UPPER: "no other has a greater upper bound",
    LEAST_LOWER: "no other has a lesser lower bound",
    RIVAL_UPPER: "no other rival has a greater upper bound",
    RIVAL_LOWER: "no other rival has a lesser lower bound",
    GREATEST_ESTIMATE: "no other has a greater estimate",
    LEAST_ESTIMATE: "no other has a lesser estimate",
    EXPECTED_GAIN: "it expects most of a leaf there",
}


def render(report: Trace, look: Look) -> Iterator[str]:
    """Yield the steps as sentences, and what they came to."""
    yield from heading(report.tree, look)
    board = Board(report, look)
    moment = Moment(report)
    wide = len(f"{report.events[-1].step if report.events else 0:,}")
    while event := moment.forward():
        yield from board.lines(event, moment, f"{event.step:>{wide},}  ")
    more = report.total - len(report.events)
    if not report.total:
        yield from wrapped(f"{never(report, report.at)}.", look.width)
    elif more:
        ways = "--limit shows more" + (
            "" if report.at is not None else ", --at PATH follows one node"
        )
        yield look.paint(
            f"{look.characters.ellipsis} {more:,} more step{'s' * (more != 1)}: {ways}", "dim"
        )
    yield ""
    yield from wrapped(board.conclusion(), look.width)


def never(report: Trace, node: int | None) -> str:
    """Say that a search did not come to a node, nor to any of its children from there."""
    path = ROOT if node is None else escape(report.tree.path_of(node))
    return f"{report.search.algorithm.full_name} never came to {path}: `expectitree eval` says why"


class Board:
    """Says in words and in JSON what each step of a trace is."""

    def __init__(self, report: Trace, look: Look) -> None:
        self.report, self.search, self.tree, self.look = report, report.search, report.tree, look
        self.residue = residue(report.search)
        self.sentences: dict[str, Callable[[Event], str]] = {
            ENTER: self.entered, PROBE: self.probed, VISIT: self.visited, PASS: self.passed, TIGHTEN: self.tightened,
            CLOSE: self.closed, CUT: self.cut, LEAVE: self.left,
        }  # fmt: skip

    def lines(self, event: Event, moment: Moment, margin: str) -> Iterator[str]:
        """Yield a step's sentences as lines, indented by depth, the first after a margin such as its number.

        `moment` is that after the step.
        """
        first = margin + "  " * min(event.depth, _DEEPEST)
        if event.depth > _DEEPEST:
            first += f"({event.depth}) "
        below = " " * (cell_width(first) + 2)
        room = max(24, self.look.width - len(below))
        style = _STYLES.get(event.kind, "none")
        for position, line in enumerate(wrapped(self.sentences[event.kind](event), room)):
            yield self.look.paint(below if position else first, "dim") + self.look.paint(
                untied(line), style
            )
        for text in self.reckoned(event, moment):
            for line in wrapped(text, room):
                yield below + self.look.paint(line, "dim")

    def conclusion(self) -> str:
        """What the search came to."""
        search, counts = self.search, self.search.counts
        text = f"{search.algorithm.full_name} looked at {counts.leaves_visited:,} of {counts.leaves_total:,} "
        text += f"lea{'ves' if counts.leaves_total != 1 else 'f'}"
        if search.algorithm.player_cuts:
            text += f", with {counts.cuts:,} cut{'s' * (counts.cuts != 1)}"
        if search.stopped:
            text += f", and was stopped after {counts.visits:,} visits"
        text += f". The value is {value_text(search)}"
        best = (
            ""
            if search.best is None
            else f", and the best action is {self.look.shown(search.best)}"
        )
        return f"{text}{best}."

    def name(self, event: Event) -> str:
        return node_name(self.tree, cast(Any, self.look), event.node, event.branch)

    def number(self, value: Number) -> str:
        return cell_text(value, self.residue)

    # ---- A sentence for each kind of step.

    def entered(self, event: Event) -> str:
        kind = Kind(self.tree.columns.kind[event.node]).name
        if event.walk:
            enter = "Enter" if event.depth else f"Walk {event.walk:,}: enter"
            why = self.why(event)
            text = f"{enter} {self.name(event)} ({kind}), {self.known(event)}, {_AIMS[event.aim]}"
            return f"{text}: {why}" if why else text
        alpha, beta = map(self.number, event.window or ())
        return f"Enter {self.name(event)} ({kind}), {self.known(event)}: alpha{TIED}{alpha}, beta{TIED}{beta}"

    def probed(self, event: Event) -> str:
        if not self.tree.columns.kind[event.node]:
            return f"Probe {self.name(event)}"
        label = self.tree.branch_label(
            event.node, self.tree.columns.first[event.node] + event.place
        )
        return f"Probe {self.name(event)}: look at {self.look.shown(label)} of it alone"

    def visited(self, event: Event) -> str:
        estimate = "its estimate is" if event.node in self.tree.estimated else "its utility is"
        why = self.why(event)
        why = f", since {why}" if why else ""
        return f"Visit {self.name(event)}{why}: {estimate} {self.number(event.lower)}"

    def why(self, event: Event) -> str:
        """Why a walk goes there, nothing where that is not known."""
        if event.why != GREATEST_SHARE:
            return _REASONS.get(event.why, "")
        p, low, high = self.tree.columns.probability[event.branch], *event.was
        width = product_text(p, high - low, self.number, self.look.characters.times)
        return (
            f"no other has a greater p times width than {width} = {self.number(p * (high - low))}"
        )

    def closed(self, event: Event) -> str:
        sums = self.sum_text(event)
        reckoned = f"{sums} = {self.number(event.lower)}" if sums else self.number(event.lower)
        so_far = [end for end in event.was if is_finite(end)]
        known = f" (so{TIED}far in{TIED}[{self.number(event.was[0])},{TIED}{self.number(event.was[1])}])"
        return f"So {self.name(event)} is worth {reckoned}{known if so_far else ''}"

    def passed(self, event: Event) -> str:
        if event.lower == event.upper:
            return f"Pass over {self.name(event)}: known to be {self.number(event.lower)}"
        return f"Pass over {self.name(event)}: that it lies {self.known(event)} says enough"

    def tightened(self, event: Event) -> str:
        is_lower = event.lower != event.was[0]
        bound, was = (event.lower, event.was[0]) if is_lower else (event.upper, event.was[1])
        so_far = f" (so{TIED}far{TIED}{self.number(was)})" if is_finite(was) else ""
        sums = self.sum_text(event)
        reckoned = f"{sums} = {self.number(bound)}" if sums else self.number(bound)
        first, n = self.tree.columns.first, event.node
        if not sums and self.tree.columns.kind[n] == Kind.CHANCE:
            reckoned += f" over its {first[n + 1] - first[n]:,} outcomes"
        return f"So {self.name(event)} is worth at {'least' if is_lower else 'most'} {reckoned}{so_far}"

    def cut(self, event: Event) -> str:
        cut = self.cut_of(event)
        low = cut.fails == "low"
        limit = f"<={TIED}alpha{TIED}{self.number(cut.window[0])}"
        if not low:
            limit = f">={TIED}beta{TIED}{self.number(cut.window[1])}"
        sums = self.sum_text(event)
        claim = f"at {'most' if low else 'least'} {f'{sums} = ' if sums else ''}{self.number(cut.bound)} {limit}"
        kind = (
            cut.kind.capitalize()
            if self.search.algorithm.in_order
            else f"Found in the end: {cut.kind}"
        )
        return f"{kind} cut {cut.where}: {self.name(event)} is worth {claim}"

    def cut_of(self, event: Event) -> Cut:
        first = self.tree.columns.first
        assert event.window is not None
        return Cut.of_code(
            event.cut,
            event.after,
            first[event.node + 1] - first[event.node],
            (event.lower, event.upper),
            event.window,
        )

    def left(self, event: Event) -> str:
        name, lower, upper = self.name(event), event.lower, event.upper
        if event.window is None:  # expectiminimax: a value at once
            return f"{name} = {self.reckoning(event)}"
        if lower == upper:
            return f"Leave {name}: it is worth {self.number(lower)}"
        alpha, beta = event.window
        if upper <= alpha + self.search.eps:
            return f"Leave {name}: it fails low, at most {self.number(upper)} <= alpha {self.number(alpha)}"
        if lower >= beta - self.search.eps:
            return f"Leave {name}: it fails high, at least {self.number(lower)} >= beta {self.number(beta)}"
        return f"Leave {name}: it lies {self.known(event)}"

    def known(self, event: Event) -> str:
        return f"in{TIED}[{self.number(event.lower)},{TIED}{self.number(event.upper)}]"

    # ---- Where a number comes from.

    def sum_text(self, event: Event) -> str:
        return sum_text(event.terms, self.number, self.look.characters.times) if event.terms else ""

    def reckoning(self, event: Event) -> str:
        """How a node's value comes from those of its children."""
        kind, _, first, child, probability = self.tree.columns
        n, value = event.node, self.number(event.lower)
        own = range(first[n], first[n + 1])
        if len(own) > MOST_TERMS:
            return f"{value}, of {len(own):,} {'outcomes' if kind[n] == Kind.CHANCE else 'actions'}"
        values = [self.search.lower[child[b]] for b in own]
        if kind[n] == Kind.CHANCE:
            terms = tuple((probability[b], self.search.lower[child[b]]) for b in own)
            return f"{sum_text(terms, self.number, self.look.characters.times)} = {value}"
        return f"{'max' if kind[n] == Kind.MAX else 'min'}({', '.join(map(self.number, values))}) = {value}"

    def reckoned(self, event: Event, moment: Moment) -> Iterator[str]:
        """Yield how alpha and beta come about where a CHANCE node asks about one of its outcomes."""
        if (
            event.kind != ENTER
            or event.branch < 0
            or event.window is None
            or not self.search.algorithm.chance_cuts
        ):
            return
        tree = self.tree
        kind, _, first, child, probability = tree.columns
        above = tree.parent_of(event.branch)
        if kind[above] != Kind.CHANCE or first[above + 1] - first[above] > MOST_TERMS:
            return
        own = [b for b in range(first[above], first[above + 1]) if probability[b] > 0]
        p = probability[event.branch]
        window = (moment.alpha[above], moment.beta[above])
        for end_name, limit, asked, column in zip(
            ("alpha", "beta"), window, event.window, (moment.upper, moment.lower), strict=True
        ):
            others = tuple((probability[b], column[child[b]]) for b in own if b != event.branch)
            if (
                limit is None
                or not is_finite(limit)
                or not all(is_finite(end) for _, end in others)
            ):
                continue
            found: Any = (limit - sum(q * end for q, end in others)) / p
            slack: Any = self.search.eps
            if found == asked or (
                not tree.exact and isclose(found, asked, rel_tol=1e-9, abs_tol=4 * slack)
            ):
                asks = quotient_text(limit, others, p, self.number, self.look.characters.times)
                yield f"{end_name} = {asks} = {self.number(asked)}"

    # ---- As JSON.

    def fields(self, event: Event) -> dict[str, Any]:
        """Return what is told of a step; the path as far as it is not too long."""
        tree, n = self.tree, event.node
        fields: dict[str, Any] = {
            "node": n,
            "kind": Kind(tree.columns.kind[n]).name,
            "depth": event.depth,
        }
        if event.branch >= 0:
            above = self.tree.parent_of(event.branch)
            fields |= {"parent": above, "label": tree.branch_label(above, event.branch)}
        fields["path"] = json_path(tree, n, event.branch)
        if event.walk:
            fields["walk"] = event.walk
        if event.aim:
            fields |= {"aim": event.aim, "why": event.why or None}
        if event.window is not None:
            fields["window"] = list(map(json_number, event.window))
        if event.kind == PROBE and tree.columns.kind[n]:
            fields["child"] = tree.branch_label(n, tree.columns.first[n] + event.place)
        if event.kind == VISIT:
            fields["utility"] = json_number(event.lower)
        if event.kind == TIGHTEN:
            is_lower = event.lower != event.was[0]
            ends = (event.was[0], event.lower) if is_lower else (event.was[1], event.upper)
            fields |= {"bound": "lower" if is_lower else "upper"}
            fields |= dict(zip(("from", "to"), map(json_number, ends), strict=True))
        if event.kind == CUT:
            cut = self.cut_of(event)
            fields["cut"] = {
                "kind": cut.kind, "fails": cut.fails, "after": cut.after, "of": cut.of, "probing": cut.probing,
                "bound": json_number(cut.bound),
            }  # fmt: skip
        if event.terms:
            fields["terms"] = [[json_number(p), json_number(end)] for p, end in event.terms]
        return fields | {"lower": json_number(event.lower), "upper": json_number(event.upper)}
