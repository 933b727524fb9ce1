"""Why a node is worth what it is, and why every cut was sound: in sentences, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from expectitree.analysis.evaluate.reasons import Alternative, CutReason, Reasons, Step
from expectitree.numbers import Number, cell_text
from expectitree.searches.result import Outcome
from expectitree.text.json_values import json_number, json_path
from expectitree.text.look import Look, wrapped
from expectitree.text.phrases import (
    TIED,
    Terms,
    node_name,
    quotient_text,
    residue,
    sum_text,
    untied,
)
from expectitree.tree.model import Kind


def reasons_text(report: Reasons, look: Look) -> Iterator[str]:
    """Yield the sentences, a paragraph for the node and one for each cut."""
    teller = _Teller(report, look)
    for position, (sentence, style) in enumerate(teller.paragraphs()):
        hanging = "" if style == "title" else "  "
        if style == "cut" and position:
            yield ""
        for place, line in enumerate(wrapped(sentence, look.width - len(hanging))):
            mark = hanging if place or style != "cut" else ""
            yield mark + look.paint(untied(line), style)


def reasons_fields(report: Reasons, look: Look) -> dict[str, Any]:
    """Return what `eval --explain --format json` adds: the path, the children, the cuts, and the sentences."""
    teller, tree = _Teller(report, look), report.tree
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
                "node": one.node, "path": json_path(tree, one.node), "kind": one.cut.kind, "fails": one.cut.fails,
                "bound": json_number(one.cut.bound), "window": [json_number(end) for end in one.cut.window],
                "sentence": untied(teller.cut(one)),
            }
            for one in report.cuts
        ],
        "more_cuts": report.more_cuts,
        "sentences": [untied(sentence) for sentence, _ in teller.paragraphs()],
    }  # fmt: skip


class _Teller:
    """Says in sentences what the reasons are."""

    def __init__(self, report: Reasons, look: Look) -> None:
        self.report, self.search, self.tree, self.look = report, report.search, report.tree, look
        self.residue = residue(report.search)

    def paragraphs(self) -> Iterator[tuple[str, str]]:
        """Yield sentences with their style."""
        report = self.report
        if report.skipped is not None and self.tree.columns.kind[report.node]:
            yield (
                f"{self.name(report.node)} was not entered ({report.skipped}): it lies {self.known(report.node)}.",
                "title",
            )
        else:
            yield self.claim(), "title"
        kind = self.tree.columns.kind[report.node]
        for one in report.alternatives:
            yield self.outcome(one) if kind == Kind.CHANCE else self.action(one), "none"
        if report.others:
            what = f"at {'least' if kind == Kind.MIN else 'most'} {self.number(report.others_end)}"
            yield f"{report.others:,} more, worth {what} each.", "dim"
        for cut in report.cuts:
            yield self.cut(cut), "cut"
        if report.more_cuts:
            yield (
                f"{report.more_cuts:,} more cut{'s' * (report.more_cuts != 1)}: --explain PATH tells of a part.",
                "dim",
            )

    def number(self, value: Number) -> str:
        return cell_text(value, self.residue)

    def name(self, node: int, branch: int | None = None) -> str:
        return node_name(self.tree, cast(Any, self.look), node, branch)

    def known(self, node: int) -> str:
        lower, upper = self.search.interval_of(node)
        return f"in{TIED}[{self.number(lower)},{TIED}{self.number(upper)}]"

    def label(self, node: int, branch: int) -> str:
        return self.look.shown(self.tree.branch_label(node, branch))

    # ---- Why the node is worth what it is.

    def claim(self) -> str:
        report, n = self.report, self.report.node
        kind = Kind(self.tree.columns.kind[n])
        name, value = self.name(n), self.number(self.search.lower[n])
        if kind == Kind.TERMINAL:
            told = "estimate is" if n in self.tree.estimated else "utility is"
            seen = "" if self.search.visits[n] else f", and nobody looked ({self.unseen(report)})"
            return f"{name} is a leaf: its {told} {cell_text(self.tree.columns.utility[n])}{seen}."
        if self.is_decided:
            best = " or ".join(
                self.label(n, one.branch) for one in report.alternatives if one.is_best
            )
            return f"At {name}, {kind.name} chooses {best}: it lies {self.known(n)}."
        if not self.search.is_exact(n):
            why = (
                "more was not needed"
                if self.search.outcome is not Outcome.STOPPED
                else "the search was stopped"
            )
            return f"{name} ({kind.name}) lies {self.known(n)}: {why}."
        if kind == Kind.CHANCE:
            return f"{name} ({kind.name}) is worth {self.summed(report.terms, value)}."
        chosen = [one for one in report.alternatives if one.is_best]
        if not chosen:
            return f"{name} ({kind.name}) is worth {value}."
        labels = self.label(n, chosen[0].branch)
        if len(chosen) > 1:
            labels = f"{', '.join(self.label(n, one.branch) for one in chosen)} alike, {labels} being the first"
        return f"At {name}, {kind.name} chooses {labels}: it is worth {value}."

    def action(self, one: Alternative) -> str:
        """What an action is worth, and how much worse that is."""
        n = self.report.node
        label, is_max = self.label(n, one.branch), self.tree.columns.kind[n] == Kind.MAX
        best: Any = self.search.lower[n]
        if self.is_decided:
            return self.decided(one, label, is_max)
        if one.lower == one.upper:
            text = f"{label} is worth {self.summed(one.terms, self.number(one.lower))}"
            worse: Any = best - one.lower if is_max else one.lower - best
            if not self.search.is_exact(n):
                return f"{text}."
            if one.is_best:
                return f"{text}."
            return f"{text}, {self.number(worse)} {'less' if is_max else 'more'}."
        end = one.upper if is_max else one.lower
        text = f"{label} is worth at {'most' if is_max else 'least'} {self.summed(one.terms, self.number(end))}"
        if one.is_best and self.search.is_exact(n):
            return f"{text}, and no {'less' if is_max else 'more'}."
        if not self.search.is_exact(n):
            return (
                f"{label} lies in{TIED}[{self.number(one.lower)},{TIED}{self.number(one.upper)}]."
            )
        is_worse = end < best if is_max else end > best
        return f"{text}: {'worse' if is_worse else 'no better'} than {self.number(best)}."

    @property
    def is_decided(self) -> bool:
        """Whether it is the root that is explained, where only its best action was asked for."""
        return self.search.outcome is Outcome.ACTION and self.report.node == len(self.tree) - 1

    def decided(self, one: Alternative, label: str, is_max: bool) -> str:
        """What an action is worth at least, if it is the best one, else at most."""
        root = self.report.node
        sure = self.search.lower[root] if is_max else self.search.upper[root]
        is_least = is_max == one.is_best
        end = one.lower if is_least else one.upper
        text = f"{label} is worth at {'least' if is_least else 'most'} {self.summed(one.terms, self.number(end))}"
        if one.lower == one.upper:
            text = f"{label} is worth {self.summed(one.terms, self.number(end))}"
        if len(self.report.alternatives) == 1:
            return f"{text}; there is no other."
        if one.is_best:
            return f"{text}, {'which no other can exceed' if is_max else 'below which no other can be'}."
        is_worse = end < sure if is_max else end > sure
        return f"{text}: {'worse' if is_worse else 'no better'} than {self.number(sure)}."

    def unseen(self, report: Reasons) -> str:
        """Why nobody looked at a leaf."""
        if report.skipped is not None or report.skipped_above is None:
            return report.skipped or "below a cut"
        above = {
            "cut": "a cut",
            "passed over": "what was passed over",
            "probability 0": "an outcome of probability 0",
        }
        return f"below {above.get(report.skipped_above, 'what was not reached')}"

    def outcome(self, one: Alternative) -> str:
        n = self.report.node
        p = cell_text(self.tree.columns.probability[one.branch])
        label = self.label(n, one.branch)
        if one.lower == one.upper:
            return f"{label}, of probability {p}, is worth {self.summed(one.terms, self.number(one.lower))}."
        return f"{label}, of probability {p}, lies in{TIED}[{self.number(one.lower)},{TIED}{self.number(one.upper)}]."

    def summed(self, terms: Terms, value: str) -> str:
        sums = sum_text(terms, self.number, self.look.characters.times)
        return f"{sums} = {value}" if sums and sums != value else value

    # ---- Why a cut was sound.

    def cut(self, one: CutReason) -> str:
        cut, n = one.cut, one.node
        low = cut.fails == "low"
        word = "most" if low else "least"
        claim = f"it is worth at {word} {self.summed(one.terms, self.number(cut.bound))}"
        if cut.kind == "chance" and cut.rest is not None:
            claim = f"even if all that is left were worth {self.number(cut.rest)}, {claim}"
        text = f"{cut.kind.capitalize()} cut at {self.name(n)} {cut.where}: {claim}"
        text += "".join(self.step(step, low, place) for place, step in enumerate(one.steps))
        parts = []
        if cut.nodes - cut.leaves:
            parts.append(f"{cut.nodes - cut.leaves:,} node{'s' * (cut.nodes - cut.leaves != 1)}")
        if cut.leaves:
            parts.append(f"{cut.leaves:,} lea{'ves' if cut.leaves != 1 else 'f'}")
        left = f" What is left, {' and '.join(parts)}, cannot change that." if parts else ""
        return f"{text}.{left}"

    def step(self, step: Step, low: bool, place: int) -> str:
        """Say where the end of the window comes from, one step up."""
        limit, node = self.number(step.limit), step.node
        relation = f"{'alpha' if low else 'beta'}{TIED}{limit}"
        also = ", and " if not place else ", which "
        if step.why == "has":
            sure = f"{'MAX' if low else 'MIN'} is sure of"
            where = f"at {self.name(node)} with {self.label(node, step.branch)}"
            return f", and {sure} {limit} {where}" if not place else f", which {sure} {where}"
        if step.why == "rivals":
            at, more = (
                self.name(node),
                "more" if self.tree.columns.kind[node] == Kind.MAX else "less",
            )
            if not place:
                return f", and no other action at {at} is worth {more} than {limit}"
            return f", and no other action at {at} is worth {more}"
        if step.why in ("share", "since"):
            asked = self.number(step.asked)
            if step.why == "share":
                asks = quotient_text(
                    step.limit, step.terms, step.p, self.number, self.look.characters.times
                )
                asked = f"{asked} = {asks}" if asks != asked else asked
            reach = f"lift {self.name(node)} above" if low else f"bring {self.name(node)} below"
            return f"; {'up to' if low else 'from'} {asked}{'' if low else ' on'} it cannot {reach} {limit}"
        if step.why == "bound":
            return f"{also}{'is' if place else f'{limit} is'} the {'least' if low else 'greatest'} that there is"
        return f"{also}{'is' if place else f'{relation} is'} what its players above are sure of"
