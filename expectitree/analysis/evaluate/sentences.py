"""What a search found, in words: values, sums, names, and why a value and each cut are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Any

from rich.cells import cell_len
from rich.console import ConsoleOptions
from rich.text import Text

from expectitree.analysis.evaluate.cuts import cut_place, saved_parts
from expectitree.analysis.evaluate.reasons import Alternative, CutReason, Quotient, Reasons, Step
from expectitree.base.numbers import (
    Number,
    cell_text,
    factor_text,
    is_finite,
    probability_text,
)
from expectitree.base.tree import paths
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import characters, line, safe, spelled
from expectitree.text.phrases import TIED, interval_text, payment, plural, plus_text, untied

Terms = Iterable[tuple[Number, Number]]  # probabilities and what each is multiplied by
_MAX_NAME_LENGTH = 32  # columns of a path


def visited_text(search: Search, noun: str) -> str:
    """Return how many nodes or leaves were visited: `5 of 8 leaves`; of a game, `5 leaves`."""
    counts = search.counts
    visited, total = counts.visited, counts.total
    if noun == "leaf":
        visited, total = counts.leaves_visited, counts.leaves_total
    return plural(visited, noun) if search.grown else f"{visited:,} of {plural(total, noun)}"


def residue(search: Search) -> Number:
    """Return the size up to which a computed number is 0 apart from rounding errors.

    It is 1e-14 of the greatest utility or reward, and at most a millionth of the least that is not
    0.
    """
    if search.tree.exact:
        return 0
    columns = search.tree.columns
    terminals = zip(columns.kind, columns.utility, strict=True)
    sizes = [abs(float(u)) for kind, u in terminals if u and not kind]
    sizes += [abs(float(r)) for r in (*columns.reward, search.tree.root_reward) if r]
    return min(1e-14 * max(sizes), 1e-6 * min(sizes)) if sizes else 0.0


def _chance(p: Number) -> str:
    """Return a probability with as many digits as the numbers of a sum have."""
    return probability_text(p, digits=6)


class Words:
    """Puts what a search found into words: numbers, intervals, sums, and names of nodes."""

    def __init__(self, search: Search, options: ConsoleOptions) -> None:
        self.search, self.tree, self.options = search, search.tree, options
        self.columns, self.characters = search.tree.columns, characters(options)
        self.residue = residue(search)
        self._names: dict[tuple[int, int], str] = {}

    def number(self, value: Number) -> str:
        """Return a number, 0 for a rounding error."""
        return cell_text(value, self.residue)

    def between(self, lower: Number, upper: Number) -> str:
        """Return an interval that does not break: `in [2, 5]`."""
        return f"in {interval_text(lower, upper, self.number)}".replace(" ", TIED)

    def label(self, parent: int, branch: int) -> str:
        """Return a branch's label."""
        return safe(self.tree.branch_label(parent, branch), self.options)

    def name(self, node: int, branch: int | None = None) -> str:
        """Return the symbol of a node's kind and its path, or the end of a long path.

        `branch` is the last step of the path; by default it is that of the node's first path.
        """
        if branch is None:
            branch = self.tree.first_paths.branch[node]
        if (node, branch) not in self._names:
            symbol = self.characters.kinds[Kind(self.columns.kind[node]).name]
            self._names[node, branch] = symbol + (self._path_end(branch) or paths.ROOT)
        return self._names[node, branch]

    def _path_end(self, branch: int) -> str:
        parent, first_branch = self.tree.first_paths.parent, self.tree.first_paths.branch
        text = ""
        while branch >= 0:
            above = self.tree.parent_of(branch)
            label = safe(paths.join([self.tree.branch_label(above, branch)]), self.options)
            longer = f"{label}/{text}" if text else label
            if text and cell_len(longer) > _MAX_NAME_LENGTH:
                return f"{self.characters.ellipsis}/{text}"
            text = longer
            branch = first_branch[above] if parent[above] >= 0 else -1
        return text

    def product(self, p: Number, end: Number) -> str:
        """Return a term of an expectation: `0.9·2`."""
        factor = factor_text(self.number(end))
        if p == 1:
            return factor
        return f"{factor_text(_chance(p))}{self.characters.times}{factor}"

    def sum(self, terms: Terms) -> str:
        """Return an expectation: `0.9·2 + 0.1·3`, or `(1 + 2 + 6)/3` if all p are equal."""
        possible = [(p, end) for p, end in terms if p]
        if len(possible) > 1 and all(p == possible[0][0] for p, _ in possible):
            ends = " + ".join(factor_text(self.number(end)) for _, end in possible)
            return f"({ends})/{len(possible)}"
        return " + ".join(self.product(p, end) for p, end in possible)

    def summed(self, terms: Terms, value: Number, reward: Number = 0) -> str:
        """Return the value of a branch, after the sum that makes it, with the branch's reward."""
        text = self.number(value)
        sums = self.sum(terms)
        if reward and is_finite(value):
            before: Any = value
            sums = f"{sums or self.number(before - reward)}{self.paid(reward)}"
        return f"{sums} = {text}" if sums and sums != text else text

    def paid(self, reward: Number) -> str:
        """Return a branch's reward as the last part of a sum."""
        return plus_text(reward)

    def sides(self, quotient: Quotient) -> str:
        """Return how an outcome's window follows from its CHANCE node's: `(2.1 - 0.1·4) / 0.9`."""
        limit, rest = self.number(quotient.limit), plus_text(-quotient.reward)
        rest += "".join(f" − {self.product(q, end)}" for q, end in quotient.others)
        if quotient.p == 1:
            return limit + rest
        top = f"({limit}{rest})" if rest else limit
        return f"{top} / {factor_text(_chance(quotient.p))}"


def explanation_lines(report: Reasons, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the sentences: about the node, about its children, and about each cut."""
    for position, (sentence, style) in enumerate(Sentences(report, options).all()):
        if style == "cut" and position:
            yield Text("")
        first, rest = {"title": ("", ""), "cut": ("", "  ")}.get(style, ("  ", "  "))
        for piece in wrap(
            spelled(sentence, options),
            options.max_width,
            initial_indent=first,
            subsequent_indent=rest,
        ):
            yield line((untied(piece), style))


class Sentences(Words):
    """Puts reasons into words."""

    def __init__(self, report: Reasons, options: ConsoleOptions) -> None:
        super().__init__(report.search, options)
        self.report, self.kind = report, Kind(self.columns.kind[report.node])
        self.interval = self.search.interval_of_branch(report.branch)
        self.reward = self.tree.reward_of(report.branch)

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
            if self.reward:
                worth = shifted(self.columns.utility[n], self.reward)
                value += f"{self.paid(self.reward)} = {self.number(worth)}"
            seen = f"; it was not visited ({report.skipped})" if report.skipped else ""
            return f"{name} is a leaf: its {noun} is {value}{seen}."
        if report.skipped is not None:
            return f"{name} was not entered ({report.skipped}): its value is {within}."
        best = [self.label(n, one.branch) for one in report.alternatives if one.is_best]
        if not search.is_exact(n):
            why = {
                Outcome.STOPPED: "the search was stopped",
                Outcome.ESTIMATE: "the search only estimates",
            }.get(search.outcome, "more was not needed")
            return f"The value of {name} ({self.kind.name}) is {within}: {why}."
        if self.kind == Kind.CHANCE or not best:
            value = self.summed(report.terms, self.interval[0], self.reward)
            return f"{name} ({self.kind.name}) is worth {value}."
        value = self.summed((), self.interval[0], self.reward)
        others = f" (as good: {', '.join(best[1:])})" if len(best) > 1 else ""
        return f"At {name}, {self.kind.name} chooses {best[0]}{others}: it is worth {value}."

    def child(self, one: Alternative) -> str:
        """Return what a child is worth, and how a player compares it with the best."""
        report, search, is_max = self.report, self.search, self.kind == Kind.MAX
        label = self.label(report.node, one.branch)
        if self.kind == Kind.CHANCE:
            label += f", of probability {_chance(self.columns.probability[one.branch])},"
        is_compared = self.kind != Kind.CHANCE and search.is_exact(report.node)
        end, relation = one.upper if is_max else one.lower, ""
        if one.lower != one.upper:
            if not is_compared:
                return f"{label} has a value {self.between(one.lower, one.upper)}."
            relation = "at most " if is_max else "at least "
        worth = self.summed(one.terms, end, self.tree.reward_of(one.branch))
        text = f"{label} is worth {relation}{worth}"
        if not is_compared or (one.is_best and not relation):
            return f"{text}."
        if one.is_best:
            return f"{text}, and no {'less' if is_max else 'more'}."
        sure = search.lower[report.node] if is_max else search.upper[report.node]
        is_worse = end < sure if is_max else end > sure
        relation = "worse" if is_worse else "no better"
        return f"{text}: {relation} than {self.number(sure)}."

    # ---- Why a cut was sound.

    def cut(self, one: CutReason) -> str:
        cut, reward = one.cut, self.tree.reward_of(one.branch)
        bound = self.summed(one.terms, shifted(cut.bound, reward), reward)
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
        if step.why == "share":
            asked = self.number(step.asked)
            if step.quotient and self.sides(step.quotient) != asked:
                asked += f" = {self.sides(step.quotient)}"
            if low:
                return f"; up to {asked} it cannot lift {name} above {limit}"
            return f"; from {asked} up it cannot bring {name} below {limit}"
        end = "alpha" if low else "beta"
        if step.why == "bound":
            value = f"{limit} is" if is_first else "is"
            extreme = f"the {'least' if low else 'greatest'} possible value"
            if self.search.root_window != self.search.root_bounds:
                extreme = f"the window's {end}"
            return f"{also}{value} {extreme}"
        value = f"{end}{TIED}{limit} is" if is_first else "is"
        return f"{also}{value} what the players above are sure of"
