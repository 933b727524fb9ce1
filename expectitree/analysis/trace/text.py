"""A trace as text: a sentence for each step, indented by depth, and the result."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.evaluate.cuts import HIGH, LOW, cut_place
from expectitree.analysis.evaluate.reasons import MAX_TERMS
from expectitree.analysis.evaluate.sentences import Words, visited_text
from expectitree.analysis.trace.events import CLOSE, CUT, ENTER, LEAVE, PASS, Event
from expectitree.analysis.trace.report import Trace
from expectitree.base.numbers import Number, escape, is_finite
from expectitree.base.tree.model import Kind
from expectitree.base.tree.paths import ROOT
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import is_unordered
from expectitree.text.console import characters, line, safe, spelled, title_heading
from expectitree.text.phrases import TIED, payment, plural, window_text

_DEEPEST = 10  # plies that are indented; a deeper step has its depth in digits
_ROOM = 40  # columns kept for text in a narrow terminal, where fewer plies are indented
_MIN_ROOM = 24  # columns for text in a still narrower one
_STYLES = {CUT: "cut", LEAVE: "value", CLOSE: "value", PASS: "dim"}
_AIMS = {
    "exact": "to make it exact",
    "lower": "to lower its upper bound",
    "raise": "to raise its lower bound",
    "action": "to find its best action",
}


def render(report: Trace, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the steps as sentences, and the result."""
    yield from title_heading(report.tree, options)
    sentences = StepSentences(report.search, options)
    wide = max((len(f"{event.step:,}") for event in report.events[-1:]), default=0)
    for event in report.events:
        yield from _step_lines(event, sentences, f"{event.step:>{wide},}  ")
    more = report.total - len(report.events)
    if not report.total:
        name = report.search.algorithm.full_name
        node = ROOT
        if report.at is not None:
            node = escape(report.tree.path_of(report.at))
        yield Text(f"{name} did not visit {node}: `expectitree eval` shows why.")
    elif more:
        text = f"{characters(options).ellipsis} {plural(more, 'more step')}: --limit shows more"
        if report.at is None:
            text += ", --at PATH follows one node"
        yield Text(text, style="dim")
    yield ""
    yield Text(conclusion(report, options))


def _step_lines(event: Event, sentences: StepSentences, margin: str) -> Iterator[Text]:
    """Yield a step's sentence and formulas, the first line behind a margin with its number."""
    deepest = min(_DEEPEST, max(0, sentences.options.max_width - _ROOM) // 2)
    first = margin + "  " * min(event.depth, deepest)
    if event.depth > deepest:
        first += f"({event.depth}) "
    below = " " * (cell_len(first) + 2)
    room = max(_MIN_ROOM, sentences.options.max_width - len(below))
    texts = [(sentences.sentence(event), _STYLES.get(event.kind, "none"))]
    texts += [(formula, "dim") for formula in sentences.window_formulas(event)]
    for text, style in texts:
        for piece in wrap(text, room):
            yield line((first, "dim"), (piece, style))
            first = below
    if event.kind == ENTER and sentences.search.grown is not None:
        for text in sentences.tree.notes.get(event.node, "").splitlines():  # of the position
            yield line((below + safe(text, sentences.options), "dim"))


def conclusion(report: Trace, options: ConsoleOptions) -> str:
    """Return the result of the search."""
    search = report.search
    counts = search.counts
    text = f"{search.algorithm.full_name} visited {visited_text(search, 'leaf')}"
    if search.algorithm.prunes:
        text += f", with {plural(counts.cuts, 'cut')}"
    if search.stopped:
        text += f", and was stopped after {plural(counts.visits, 'visit')}"
    text += f". The value is {search.value_text()}"
    if search.best is not None:
        text += f", and the best action is {safe(search.best, options)}"
    return f"{text}."


class StepSentences(Words):
    """Puts each step of a trace into words; `on_KIND` is about a kind of event."""

    def sentence(self, event: Event) -> str:
        """Return the sentence of a step."""
        name = self.name(event.node, event.branch)
        return spelled(getattr(self, f"on_{event.kind}")(event, name), self.options)

    def window_formulas(self, event: Event) -> Iterator[str]:
        """Yield how alpha and beta of an outcome follow from its CHANCE node."""
        for end, quotient in zip(("alpha", "beta"), event.quotients, strict=False):
            if quotient is not None:
                formula = f"{end} = {self.sides(quotient)} = {self.number(quotient.found)}"
                yield spelled(formula, self.options)

    # Bounds of an event's node are written as those of its branch: its reward included.

    def paid_number(self, event: Event, end: Number) -> str:
        """Return a bound of an event's branch."""
        return self.number(shifted(end, self.tree.reward_of(event.branch)))

    def interval(self, event: Event, lower: Number, upper: Number) -> str:
        """Return an interval of an event's branch."""
        reward = self.tree.reward_of(event.branch)
        return self.between(shifted(lower, reward), shifted(upper, reward))

    def worth(self, event: Event, end: Number) -> str:
        """Return a bound of an event's branch, after the sum that makes it."""
        reward = self.tree.reward_of(event.branch)
        return self.summed(event.terms, shifted(end, reward), reward)

    # ---- A sentence for each kind of step.

    def on_enter(self, event: Event, name: str) -> str:
        about = Kind(self.columns.kind[event.node]).name
        reward = self.tree.reward_of(event.branch)
        if reward:
            about += f", {' '.join(payment(reward))}"
        entry = f"{name} ({about}), {self.interval(event, event.lower, event.upper)}"
        if event.window is not None:
            return f"Enter {entry}: {window_text(event.window, reward, self.number)}"
        if event.depth:
            return f"Enter {entry}, {_AIMS[event.aim]}"
        return f"Walk {event.walk:,}: enter {entry}, {_AIMS[event.aim]}"

    def on_probe(self, event: Event, name: str) -> str:
        text = f"Probe {name}"
        if self.columns.kind[event.node] == Kind.TERMINAL:
            return text
        label = self.label(event.node, self.columns.first[event.node] + event.place)
        return f"{text}: visit only {label} of it"

    def on_visit(self, event: Event, name: str) -> str:
        text = f"Visit {name}: its {self.leaf_noun(event.node)} is {self.number(event.lower)}"
        if reward := self.tree.reward_of(event.branch):
            worth = self.paid_number(event, event.lower)
            text += f", its {' '.join(payment(reward))}, so it is worth {worth}"
        return text

    def on_pass(self, event: Event, name: str) -> str:
        reason = f"its interval is enough, {self.interval(event, event.lower, event.upper)}"
        if event.lower == event.upper:
            reason = f"known to be {self.worth(event, event.lower)}"
        return f"Pass over {name}: {reason}"

    def on_close(self, event: Event, name: str) -> str:
        text = f"So {name} is worth {self.worth(event, event.lower)}"
        if any(map(is_finite, event.was)):
            text += f" (was{TIED}{self.interval(event, *event.was)})"
        return text

    def on_tighten(self, event: Event, name: str) -> str:
        end, was, bound = event.tightened
        value = self.worth(event, bound)
        if not event.terms and self.columns.kind[event.node] == Kind.CHANCE:
            value += f" over its {plural(len(self.tree.branches_of(event.node)), 'outcome')}"
        if is_finite(was):
            value += f" (was{TIED}{self.paid_number(event, was)})"
        relation = {"lower": HIGH, "upper": LOW}[end].relation
        return f"So {name} is worth {relation} {value}"

    def on_cut(self, event: Event, name: str) -> str:
        cut = event.cut_in(self.tree)
        kind = cut.kind.capitalize()
        if is_unordered(event.cut):
            kind = f"Reconstructed: {cut.kind}"
        text = f"{kind} cut {cut_place(cut)}: {name} is worth {cut.side.relation} "
        end = self.paid_number(event, cut.limit)
        limit = f"{cut.side.comparison} {end}".replace(" ", TIED)
        return f"{text}{self.worth(event, cut.bound)} {limit}"

    def on_leave(self, event: Event, name: str) -> str:
        lower, upper = self.worth(event, event.lower), self.worth(event, event.upper)
        if event.window is None:  # expectiminimax computes the value at once
            return f"{name} = {self.value_formula(event)}"
        if event.lower == event.upper:
            return f"Leave {name}: it is worth {lower}"
        alpha, beta = (self.paid_number(event, end) for end in event.window)
        if event.upper <= event.window[0] + self.search.eps:
            return f"Leave {name}: it fails low, at most {upper} ≤ alpha {alpha}"
        if event.lower >= event.window[1] - self.search.eps:
            return f"Leave {name}: it fails high, at least {lower} ≥ beta {beta}"
        return f"Leave {name}: its value is {self.interval(event, event.lower, event.upper)}"

    def value_formula(self, event: Event) -> str:
        """Return how a node's value follows from those of its children."""
        n = event.node
        value = self.paid_number(event, event.lower)
        paid = self.paid(self.tree.reward_of(event.branch))
        branches = self.tree.branches_of(n)
        is_chance = self.columns.kind[n] == Kind.CHANCE
        if len(branches) > MAX_TERMS:
            noun = "outcome" if is_chance else "action"
            return f"{value}, of {plural(len(branches), noun)}"
        values = [self.search.interval_of_branch(b)[0] for b in branches]
        if is_chance:
            p = [self.columns.probability[b] for b in branches]
            sides = self.sum(zip(p, values, strict=True))
            return f"{sides}{paid} = {value}"
        function = Kind(self.columns.kind[n]).name.lower()
        return f"{function}({', '.join(map(self.number, values))}){paid} = {value}"
