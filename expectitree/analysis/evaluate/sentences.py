"""Why a node has its value, and why every cut was sound, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rich.console import ConsoleOptions
from rich.text import Text

from expectitree.analysis.evaluate.cuts import cut_place, saved_parts
from expectitree.analysis.evaluate.reasons import Alternative, CutReason, Reasons, Step
from expectitree.analysis.evaluate.words import Words
from expectitree.base.numbers import Number, cell_text
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches.result import Outcome
from expectitree.text.console import line
from expectitree.text.phrases import TIED, payment, plural, untied


def explanation_lines(report: Reasons, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the sentences: about the node, about its children, and about each cut."""
    for position, (sentence, style) in enumerate(Sentences(report, options).all()):
        if style == "cut" and position:
            yield Text("")
        first, rest = {"title": ("", ""), "cut": ("", "  ")}.get(style, ("  ", "  "))
        for piece in wrap(
            sentence, options.max_width, initial_indent=first, subsequent_indent=rest
        ):
            yield line((untied(piece), style))


class Sentences(Words):
    """Puts reasons into words."""

    def __init__(self, report: Reasons, options: ConsoleOptions) -> None:
        super().__init__(report.search, options)
        self.report, self.kind = report, Kind(self.columns.kind[report.node])
        self.interval = self.search.interval_of_branch(report.branch)

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield sentences with their styles."""
        report = self.report
        yield self.claim(), "title"
        for one in report.alternatives:
            yield self.child(one), "none"
        if report.others:
            relation = "least" if self.kind == Kind.MIN else "most"
            end = self.number(report.others_end)
            yield f"{report.others:,} more, worth at {relation} {end} each.", "dim"
        for cut in report.cuts:
            yield self.cut(cut), "cut"
        if report.more_cuts:
            more = plural(report.more_cuts, "more cut")
            yield f"{more}: --explain PATH explains a part of the tree.", "dim"

    def paid(self, reward: Number) -> str:
        """Return a branch's reward as the last part of a sum, in words."""
        noun, amount = payment(reward)
        sign = "less" if noun == "cost" else "plus"
        return f" {sign} its {noun} of {amount}"

    # ---- Why the node has its value.

    def claim(self) -> str:
        report, n, search = self.report, self.report.node, self.search
        name, within = self.name(n, report.branch), self.between(*self.interval)
        is_seen = search.grown is None or bool(search.visits[n])
        if self.kind == Kind.TERMINAL and is_seen:
            noun = "estimate" if n in self.tree.estimated else "utility"
            value = cell_text(self.columns.utility[n])
            if report.reward:
                worth = shifted(self.columns.utility[n], report.reward)
                value += f"{self.paid(report.reward)} = {self.number(worth)}"
            seen = f"; it was not visited ({report.skipped})" if report.skipped else ""
            return f"{name} is a leaf: its {noun} is {value}{seen}."
        if report.skipped is not None:
            return f"{name} was not entered ({report.skipped}): its value is {within}."
        best = [self.label(n, one.branch) for one in report.alternatives if one.is_best]
        if self.report.is_decided:
            return (
                f"At {name}, {self.kind.name} chooses {' or '.join(best)}: its value is {within}."
            )
        if not search.is_exact(n):
            is_stopped = search.outcome is Outcome.STOPPED
            why = "the search was stopped" if is_stopped else "more was not needed"
            return f"The value of {name} ({self.kind.name}) is {within}: {why}."
        if self.kind == Kind.CHANCE or not best:
            value = self.summed(report.terms, self.interval[0], report.reward)
            return f"{name} ({self.kind.name}) is worth {value}."
        value = self.summed((), self.interval[0], report.reward)
        others = f" (as good: {', '.join(best[1:])})" if len(best) > 1 else ""
        return f"At {name}, {self.kind.name} chooses {best[0]}{others}: it is worth {value}."

    def child(self, one: Alternative) -> str:
        """Return what a child is worth, and how a player compares it with the best."""
        report, search, is_max = self.report, self.search, self.kind == Kind.MAX
        label = self.label(report.node, one.branch)
        if self.kind == Kind.CHANCE:
            label += f", of probability {cell_text(self.columns.probability[one.branch])},"
        is_compared = self.kind != Kind.CHANCE and (
            report.is_decided or search.is_exact(report.node)
        )
        is_least = is_max == (one.is_best and report.is_decided)  # else it is worth at most this
        end, relation = one.lower if is_least else one.upper, ""
        if one.lower != one.upper:
            if not is_compared:
                return f"{label} has a value {self.between(one.lower, one.upper)}."
            relation = "at least " if is_least else "at most "
        text = f"{label} is worth {relation}{self.summed(one.terms, end, one.reward)}"
        less = "less" if is_max else "more"
        if not is_compared or (one.is_best and not relation):
            return f"{text}."
        if one.is_best and report.is_decided:
            better = "more" if is_max else "less"
            return f"{text}, and no other action is worth {better}."
        if one.is_best:
            return f"{text}, and no {less}."
        sure = search.lower[report.node] if is_max else search.upper[report.node]
        is_worse = end < sure if is_max else end > sure
        relation = "worse" if is_worse else "no better"
        return f"{text}: {relation} than {self.number(sure)}."

    # ---- Why a cut was sound.

    def cut(self, one: CutReason) -> str:
        cut = one.cut
        bound = self.summed(one.terms, shifted(cut.bound, one.reward), one.reward)
        claim = f"it is worth {cut.relation} {bound}"
        if cut.rest is not None:
            claim = f"even if all that is left were worth {self.number(cut.rest)}, {claim}"
        name = self.name(one.node, one.branch)
        text = f"{cut.kind.capitalize()} cut at {name} {cut_place(cut)}: {claim}"
        for place, step in enumerate(one.steps):
            text += self.step(step, cut.is_low, place == 0)
        left = saved_parts(cut)
        rest = f" What is left, {' and '.join(left)}, cannot change that." if left else ""
        return f"{text}.{rest}"

    def step(self, step: Step, low: bool, is_first: bool) -> str:
        """Return where the end of the window comes from, one step up."""
        limit, name = self.number(step.limit), self.name(step.node, step.way)
        also = ", and " if is_first else ", which "
        if step.why == "has":
            player, own = "MAX" if low else "MIN", self.label(step.node, step.branch)
            sure = f"{player} is sure of {limit}" if is_first else f"{player} is sure of"
            return f"{also}{sure} at {name} with {own}"
        if step.why == "rivals":
            more = "more" if self.columns.kind[step.node] == Kind.MAX else "less"
            than = f" than {limit}" if is_first else ""
            return f", and no other action at {name} is worth {more}{than}"
        if step.why == "share":
            asked = self.quotient(*step.quotient) if step.quotient else self.number(step.asked)
            if low:
                return f"; up to {asked} it cannot lift {name} above {limit}"
            return f"; from {asked} up it cannot bring {name} below {limit}"
        if step.why == "bound":
            value = f"{limit} is" if is_first else "is"
            extreme = "least" if low else "greatest"
            return f"{also}{value} the {extreme} possible value"
        end = "alpha" if low else "beta"
        value = f"{end}{TIED}{limit} is" if is_first else "is"
        return f"{also}{value} what the players above are sure of"
