"""Why a node has its value, and why every cut was sound: in sentences, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.text import Text

from expectitree.analysis.evaluate.cut_text import cut_place, saved_parts
from expectitree.analysis.evaluate.reasons import Alternative, CutReason, Reasons, Step
from expectitree.numbers import Number, cell_text
from expectitree.searches.result import Outcome
from expectitree.text.console import line, text_console
from expectitree.text.json_values import json_number, json_path
from expectitree.text.phrases import (
    TIED,
    Words,
    nouns,
    untied,
)
from expectitree.tree.model import Kind

if TYPE_CHECKING:
    from rich.console import ConsoleOptions

_BELOW = {
    "cut": "a cut",
    "passed over": "a node that was passed over",
    "probability 0": "an outcome of probability 0",
    "not reached": "a node that was not reached",
}


def explanation_lines(report: Reasons, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the sentences: about the node, about its children, and about each cut."""
    for position, (sentence, style) in enumerate(_Sentences(report, options).all()):
        if style == "cut" and position:
            yield Text("")
        first, rest = {"title": ("", ""), "cut": ("", "  ")}.get(style, ("  ", "  "))
        for piece in wrap(
            sentence, options.max_width, initial_indent=first, subsequent_indent=rest
        ):
            yield line((untied(piece), style))


def explanation_fields(report: Reasons) -> dict[str, Any]:
    """Return what `eval --explain --format json` adds: the node, its children, and the cuts."""
    sentences, tree = _Sentences(report, text_console().options), report.tree
    return {
        "node": report.node,
        "path": json_path(tree, report.node),
        "because": [
            {
                "label": tree.branch_label(report.node, one.branch),
                "lower": json_number(one.lower),
                "upper": json_number(one.upper),
                "best": one.is_best,
            }
            for one in report.alternatives
        ],
        "more_children": report.others,
        "cuts": [
            {
                "node": one.node,
                "path": json_path(tree, one.node),
                "kind": one.cut.kind,
                "fails": one.cut.fails,
                "bound": json_number(one.cut.bound),
                "window": [json_number(end) for end in one.cut.window],
                "sentence": untied(sentences.cut(one)),
            }
            for one in report.cuts
        ],
        "more_cuts": report.more_cuts,
        "sentences": [untied(sentence) for sentence, _ in sentences.all()],
    }


class _Sentences(Words):
    """Puts reasons into words."""

    def __init__(self, report: Reasons, options: ConsoleOptions) -> None:
        super().__init__(report.search, options)
        self.report, self.kind = report, Kind(self.columns.kind[report.node])

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield sentences with their styles."""
        report = self.report
        yield self.claim(), "title"
        for one in report.alternatives:
            yield self.outcome(one) if self.kind == Kind.CHANCE else self.action(one), "none"
        if report.others:
            relation = "least" if self.kind == Kind.MIN else "most"
            end = self.number(report.others_end)
            yield f"{report.others:,} more, worth at {relation} {end} each.", "dim"
        for cut in report.cuts:
            yield self.cut(cut), "cut"
        if report.more_cuts:
            more = f"{report.more_cuts:,} more {nouns(report.more_cuts, 'cut')}"
            yield f"{more}: --explain PATH explains a part of the tree.", "dim"

    # ---- Why the node has its value.

    def claim(self) -> str:
        report, n, search = self.report, self.report.node, self.search
        name, within = self.name(n), self.between(*search.interval_of(n))
        if self.kind == Kind.TERMINAL:
            noun = "estimate" if n in self.tree.estimated else "utility"
            value = cell_text(self.columns.utility[n])
            seen = "" if search.visits[n] else f"; it was not visited ({self.why_unseen()})"
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
            value = self.summed(report.terms, search.lower[n])
            return f"{name} ({self.kind.name}) is worth {value}."
        value = self.number(search.lower[n])
        others = f" (as good: {', '.join(best[1:])})" if len(best) > 1 else ""
        return f"At {name}, {self.kind.name} chooses {best[0]}{others}: it is worth {value}."

    def action(self, one: Alternative) -> str:
        """Return what an action is worth, and how that compares with the best."""
        if self.report.is_decided:
            return self.decided(one)
        n, is_max = self.report.node, self.kind == Kind.MAX
        label, best = self.label(self.report.node, one.branch), self.search.lower[n]
        is_exact = self.search.is_exact(n)
        if one.lower == one.upper:
            text = f"{label} is worth {self.summed(one.terms, one.lower)}"
            if not is_exact or one.is_best:
                return f"{text}."
            difference: Any = best - one.lower if is_max else one.lower - best
            return f"{text}, {self.number(difference)} {'less' if is_max else 'more'}."
        if not is_exact:
            return f"The value of {label} is {self.between(one.lower, one.upper)}."
        end = one.upper if is_max else one.lower
        text = f"{label} is worth at {'most' if is_max else 'least'} {self.summed(one.terms, end)}"
        if one.is_best:
            return f"{text}, and no {'less' if is_max else 'more'}."
        return f"{text}: {self.compared(end, best, is_max)}."

    def compared(self, end: Number, best: Number, is_max: bool) -> str:
        is_worse = end < best if is_max else end > best
        return f"{'worse' if is_worse else 'no better'} than {self.number(best)}"

    def decided(self, one: Alternative) -> str:
        """Return the least that the best action is worth, or the most that another is worth."""
        root, is_max = self.report.node, self.kind == Kind.MAX
        is_least = is_max == one.is_best
        end = one.lower if is_least else one.upper
        relation = f"at {'least' if is_least else 'most'} " if one.lower != one.upper else ""
        label = self.label(self.report.node, one.branch)
        text = f"{label} is worth {relation}{self.summed(one.terms, end)}"
        if len(self.report.alternatives) == 1:
            return f"{text}; there is no other."
        if one.is_best:
            return f"{text}, and no other action is worth {'more' if is_max else 'less'}."
        sure = self.search.lower[root] if is_max else self.search.upper[root]
        return f"{text}: {self.compared(end, sure, is_max)}."

    def why_unseen(self) -> str:
        """Return why a leaf was not visited."""
        report = self.report
        if report.skipped is not None or report.skipped_above is None:
            return report.skipped or "below a cut"
        return f"below {_BELOW[report.skipped_above]}"

    def outcome(self, one: Alternative) -> str:
        p = cell_text(self.columns.probability[one.branch])
        label = f"{self.label(self.report.node, one.branch)}, of probability {p},"
        if one.lower == one.upper:
            return f"{label} is worth {self.summed(one.terms, one.lower)}."
        return f"{label} has a value {self.between(one.lower, one.upper)}."

    # ---- Why a cut was sound.

    def cut(self, one: CutReason) -> str:
        cut, low = one.cut, one.cut.fails == "low"
        claim = f"it is worth at {'most' if low else 'least'} {self.summed(one.terms, cut.bound)}"
        if cut.kind == "chance" and cut.rest is not None:
            claim = f"even if all that is left were worth {self.number(cut.rest)}, {claim}"
        text = f"{cut.kind.capitalize()} cut at {self.name(one.node)} {cut_place(cut)}: {claim}"
        text += "".join(self.step(step, low, place == 0) for place, step in enumerate(one.steps))
        left = saved_parts(cut)
        rest = f" What is left, {' and '.join(left)}, cannot change that." if left else ""
        return f"{text}.{rest}"

    def step(self, step: Step, low: bool, is_first: bool) -> str:
        """Return where the end of the window comes from, one step up."""
        limit, name = self.number(step.limit), self.name(step.node)
        also = ", and " if is_first else ", which "
        if step.why == "has":
            sure = f"{'MAX' if low else 'MIN'} is sure of{f' {limit}' if is_first else ''}"
            return f"{also}{sure} at {name} with {self.label(step.node, step.branch)}"
        if step.why == "rivals":
            is_max = self.columns.kind[step.node] == Kind.MAX
            than = f" than {limit}" if is_first else ""
            return f", and no other action at {name} is worth {'more' if is_max else 'less'}{than}"
        if step.why in ("share", "since"):
            asked = self.number(step.asked)
            if step.why == "share":
                asked = self.quotient(step.limit, step.terms, step.p, step.asked)
            if low:
                return f"; up to {asked} it cannot lift {name} above {limit}"
            return f"; from {asked} up it cannot bring {name} below {limit}"
        if step.why == "bound":
            value = f"{limit} is" if is_first else "is"
            return f"{also}{value} the {'least' if low else 'greatest'} possible value"
        value = f"{'alpha' if low else 'beta'}{TIED}{limit} is" if is_first else "is"
        return f"{also}{value} what the players above are sure of"
