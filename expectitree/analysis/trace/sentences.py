"""Each step of a trace in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from expectitree.analysis.evaluate.cut_text import cut_place
from expectitree.analysis.evaluate.terms import MOST_TERMS
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
    ONLY_OPEN,
    PASS,
    PROBE,
    RIVAL_LOWER,
    RIVAL_UPPER,
    TIGHTEN,
    VISIT,
    Event,
    cut_of,
)
from expectitree.analysis.trace.report import Trace
from expectitree.numbers import escape, is_finite
from expectitree.text.console import safe
from expectitree.text.phrases import (
    TIED,
    Words,
    plural,
    product_text,
    quotient_text,
    sum_text,
    value_text,
)
from expectitree.tree.model import Kind
from expectitree.tree.paths import ROOT

if TYPE_CHECKING:
    from rich.console import ConsoleOptions

_AIMS = {
    "exact": "to make it exact",
    "lower": "to lower its upper bound",
    "raise": "to raise its lower bound",
    "action": "to find its best action",
}
_REASONS = {  # why a walk goes on to this child
    ONLY_OPEN: "no other is open",
    GREATEST_UPPER: "no other has a greater upper bound",
    LEAST_LOWER: "no other has a lesser lower bound",
    RIVAL_UPPER: "no other rival has a greater upper bound",
    RIVAL_LOWER: "no other rival has a lesser lower bound",
    GREATEST_ESTIMATE: "no other has a greater estimate",
    LEAST_ESTIMATE: "no other has a lesser estimate",
    EXPECTED_GAIN: "it expects most of a leaf there",
}


def never_entered(report: Trace, node: int | None) -> str:
    """Return the sentence for a node that a search neither entered nor passed over."""
    path = ROOT if node is None else escape(report.tree.path_of(node))
    name = report.search.algorithm.full_name
    return f"{name} never came to {path}: `expectitree eval` shows why"


def conclusion(report: Trace, options: ConsoleOptions) -> str:
    """Return the result of the search."""
    search, counts = report.search, report.search.counts
    leaves = f"{counts.leaves_visited:,} of {plural(counts.leaves_total, 'leaf')}"
    text = f"{search.algorithm.full_name} visited {leaves}"
    if search.algorithm.player_cuts:
        text += f", with {plural(counts.cuts, 'cut')}"
    if search.stopped:
        text += f", and was stopped after {plural(counts.visits, 'visit')}"
    text += f". The value is {value_text(search)}"
    if search.best is not None:
        text += f", and the best action is {safe(search.best, options)}"
    return f"{text}."


class StepSentences(Words):
    """Puts each step of a trace into words; `sentences` has a method for each kind of event."""

    def __init__(self, report: Trace, options: ConsoleOptions) -> None:
        super().__init__(report.search, options)
        self.sentences: dict[str, Callable[[Event], str]] = {
            ENTER: self.entered,
            PROBE: self.probed,
            VISIT: self.visited,
            PASS: self.passed,
            TIGHTEN: self.tightened,
            CLOSE: self.closed,
            CUT: self.cut,
            LEAVE: self.left,
        }

    def window_formulas(self, event: Event) -> Iterator[str]:
        """Yield how alpha and beta of an outcome follow from its CHANCE node."""
        for formula in event.formulas:
            sides = quotient_text(formula.limit, formula.others, formula.p, self.number, self.times)
            yield f"{formula.end} = {sides} = {self.number(formula.found)}"

    # ---- A sentence for each kind of step.

    def entered(self, event: Event) -> str:
        kind = Kind(self.columns.kind[event.node]).name
        within = self.between(event.lower, event.upper)
        if event.walk:
            enter = "Enter" if event.depth else f"Walk {event.walk:,}: enter"
            why = self.why(event)
            aim = f"{_AIMS[event.aim]}{f': {why}' if why else ''}"
            return f"{enter} {self.name(event.node, event.branch)} ({kind}), {within}, {aim}"
        alpha, beta = map(self.number, event.window or ())
        window = f"alpha{TIED}{alpha}, beta{TIED}{beta}"
        return f"Enter {self.name(event.node, event.branch)} ({kind}), {within}: {window}"

    def probed(self, event: Event) -> str:
        if self.columns.kind[event.node] == Kind.TERMINAL:
            return f"Probe {self.name(event.node, event.branch)}"
        branch = self.columns.first[event.node] + event.place
        label = self.label(event.node, branch)
        return f"Probe {self.name(event.node, event.branch)}: visit only {label} of it"

    def visited(self, event: Event) -> str:
        noun = "estimate" if event.node in self.tree.estimated else "utility"
        why = self.why(event)
        since = f", since {why}" if why else ""
        name = self.name(event.node, event.branch)
        return f"Visit {name}{since}: its {noun} is {self.number(event.lower)}"

    def why(self, event: Event) -> str:
        """Return why a walk goes to a node, or nothing if that is not known."""
        if event.why != GREATEST_SHARE:
            return _REASONS.get(event.why, "")
        p, low, high = self.columns.probability[event.branch], *event.was
        width = product_text(p, high - low, self.number, self.times)
        share = self.number(p * (high - low))
        return f"no other has a greater p times width than {width} = {share}"

    def closed(self, event: Event) -> str:
        is_known = any(map(is_finite, event.was))
        so_far = f" (so{TIED}far {self.between(*event.was)})".replace(" in", f"{TIED}in")
        value = self.summed(event.terms, event.lower)
        return (
            f"So {self.name(event.node, event.branch)} is worth {value}{so_far if is_known else ''}"
        )

    def passed(self, event: Event) -> str:
        if event.lower == event.upper:
            name = self.name(event.node, event.branch)
            return f"Pass over {name}: known to be {self.number(event.lower)}"
        within = self.between(event.lower, event.upper)
        return f"Pass over {self.name(event.node, event.branch)}: its interval is enough, {within}"

    def tightened(self, event: Event) -> str:
        is_lower = event.lower != event.was[0]
        bound, was = (event.lower, event.was[0]) if is_lower else (event.upper, event.was[1])
        value = self.summed(event.terms, bound)
        if not event.terms and self.columns.kind[event.node] == Kind.CHANCE:
            outcomes = len(self.tree.branches_of(event.node))
            value += f" over its {plural(outcomes, 'outcome')}"
        so_far = f" (so{TIED}far{TIED}{self.number(was)})" if is_finite(was) else ""
        relation = "at least" if is_lower else "at most"
        return f"So {self.name(event.node, event.branch)} is worth {relation} {value}{so_far}"

    def cut(self, event: Event) -> str:
        cut = cut_of(event, self.tree)
        if cut.fails == "low":
            relation, limit = "at most", f"<={TIED}alpha{TIED}{self.number(cut.window[0])}"
        else:
            relation, limit = "at least", f">={TIED}beta{TIED}{self.number(cut.window[1])}"
        kind = cut.kind.capitalize()
        if not self.search.algorithm.in_order:
            kind = f"Found in the end: {cut.kind}"
        claim = f"{relation} {self.summed(event.terms, cut.bound)} {limit}"
        return (
            f"{kind} cut {cut_place(cut)}: {self.name(event.node, event.branch)} is worth {claim}"
        )

    def left(self, event: Event) -> str:
        name, lower, upper = (
            self.name(event.node, event.branch),
            self.number(event.lower),
            self.number(event.upper),
        )
        if event.window is None:  # expectiminimax computes the value at once
            return f"{name} = {self.value_formula(event)}"
        if event.lower == event.upper:
            return f"Leave {name}: it is worth {lower}"
        alpha, beta = event.window
        if event.upper <= alpha + self.search.eps:
            return f"Leave {name}: it fails low, at most {upper} <= alpha {self.number(alpha)}"
        if event.lower >= beta - self.search.eps:
            return f"Leave {name}: it fails high, at least {lower} >= beta {self.number(beta)}"
        return f"Leave {name}: its value is {self.between(event.lower, event.upper)}"

    def value_formula(self, event: Event) -> str:
        """Return how a node's value follows from those of its children."""
        n, value = event.node, self.number(event.lower)
        branches, is_chance = self.tree.branches_of(n), self.columns.kind[n] == Kind.CHANCE
        if len(branches) > MOST_TERMS:
            return f"{value}, of {plural(len(branches), 'outcome' if is_chance else 'action')}"
        values = [self.search.lower[self.columns.child[b]] for b in branches]
        if is_chance:
            p = [self.columns.probability[b] for b in branches]
            return f"{sum_text(zip(p, values, strict=True), self.number, self.times)} = {value}"
        function = Kind(self.columns.kind[n]).name.lower()
        return f"{function}({', '.join(map(self.number, values))}) = {value}"
