"""What a search found, in words: values, sums, names, and why a value and each cut are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.cells import cell_len
from rich.console import ConsoleOptions
from rich.text import Text

from expectitree.analysis.evaluate.cuts import HIGH, LOW, Side, cut_place, saved_parts
from expectitree.analysis.evaluate.reasons import Alternative, CutReason, Quotient, Reasons, Step
from expectitree.base.numbers import (
    COMPUTED,
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
from expectitree.text.phrases import TIED, interval_text, payment, plural, plus_text

Terms = Iterable[tuple[Number, Number]]  # probabilities and what each is multiplied by
_WHY_OPEN = {
    Outcome.STOPPED: "the search was stopped",
    Outcome.ESTIMATE: "the search only estimates",
}
_MAX_NAME_LENGTH = 32  # columns of a path


def visited_text(search: Search, noun: str) -> str:
    """Return how many nodes or leaves were visited: `5 of 8 leaves`; of a game, `5 leaves`."""
    counts = search.counts
    visited = counts.visited
    total = counts.total
    if noun == "leaf":
        visited = counts.leaves_visited
        total = counts.leaves_total
    if search.grown:
        return plural(visited, noun)
    return f"{visited:,} of {plural(total, noun)}"


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
    if not sizes:
        return 0.0
    return min(1e-14 * max(sizes), 1e-6 * min(sizes))


class Words:
    """Puts what a search found into words: numbers, intervals, sums, and names of nodes."""

    def __init__(self, search: Search, options: ConsoleOptions) -> None:
        self.search, self.tree, self.options = search, search.tree, options
        self.columns = search.tree.columns
        self.characters = characters(options)
        self.residue = residue(search)
        self._names: dict[tuple[int, int], str] = {}

    def number(self, value: Number) -> str:
        """Return a number, 0 for a rounding error."""
        return cell_text(value, self.residue)

    def between(self, lower: Number, upper: Number) -> str:
        """Return an interval that does not break: `in [2, 5]`."""
        return f"in {interval_text(lower, upper, self.number)}".replace(" ", TIED)

    def leaf_noun(self, node: int) -> str:
        """Return what the number at a leaf is."""
        if node in self.tree.estimated:
            return "estimate"
        return "utility"

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
        """Return the labels of the path that ends with a branch, as many as a name has room for."""
        first_branch = self.tree.first_paths.branch
        text = ""
        while branch >= 0:
            above = self.tree.parent_of(branch)
            label = safe(paths.join([self.tree.branch_label(above, branch)]), self.options)
            longer = "/".join(filter(None, (label, text)))
            if text and cell_len(longer) > _MAX_NAME_LENGTH:
                return f"{self.characters.ellipsis}/{text}"
            text = longer
            branch = first_branch[above]
        return text

    def chance(self, p: Number) -> str:
        """Return a probability with as many digits as the numbers of a sum have."""
        if self.tree.formulas.probabilities:
            return probability_text(p, digits=6, most=COMPUTED)
        return probability_text(p, digits=6)

    def product(self, p: Number, end: Number) -> str:
        """Return a term of an expectation: `0.9·2`."""
        factor = factor_text(self.number(end))
        if p == 1:
            return factor
        return f"{factor_text(self.chance(p))}{self.characters.times}{factor}"

    def sum(self, terms: Terms) -> str:
        """Return an expectation: `0.9·2 + 0.1·3`, or `(1 + 2 + 6)/3` if all p are equal."""
        possible = [(p, end) for p, end in terms if p]
        if len(possible) > 1 and all(p == possible[0][0] for p, _ in possible):
            ends = " + ".join(factor_text(self.number(end)) for _, end in possible)
            return f"({ends})/{len(possible)}"
        return " + ".join(self.product(p, end) for p, end in possible)

    def summed(self, terms: Terms, value: Number, reward: Number) -> str:
        """Return the value of a branch, after the sum that makes it, with the branch's reward."""
        total = self.number(value)
        sums = self.sum(terms)
        if reward and is_finite(value):
            before = value
            sums = f"{sums or self.number(before - reward)}{self.paid(reward)}"
        if sums in ("", total):
            return total
        return f"{sums} = {total}"

    def paid(self, reward: Number) -> str:
        """Return a branch's reward as the last part of a sum."""
        return plus_text(reward)

    def sides(self, quotient: Quotient) -> str:
        """Return how an outcome's window follows from its CHANCE node's: `(2.1 - 0.1·4) / 0.9`."""
        top = self.number(quotient.limit)
        rest = plus_text(-quotient.reward)
        rest += "".join(f" − {self.product(q, end)}" for q, end in quotient.others)
        if quotient.p == 1:
            return top + rest
        if rest:
            top = f"({top}{rest})"
        return f"{top} / {factor_text(self.chance(quotient.p))}"


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
            yield line((piece, style))


class Sentences(Words):
    """Puts reasons into words."""

    def __init__(self, report: Reasons, options: ConsoleOptions) -> None:
        super().__init__(report.search, options)
        self.report = report
        self.kind = Kind(self.columns.kind[report.node])
        self.interval = self.search.interval_of_branch(report.branch)
        self.reward = self.tree.reward_of(report.branch)

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield sentences with their styles."""
        report = self.report
        yield self.claim(), "title"
        for alternative in report.alternatives:
            yield self.child(alternative), "none"
        if report.others:
            relation = {Kind.MIN: "least"}.get(self.kind, "most")
            end = self.number(report.others_end)
            yield f"{report.others:,} more, worth at {relation} {end} each.", "dim"
        for reason in report.cuts:
            yield self.cut(reason), "cut"
        if report.more_cuts:
            more = plural(report.more_cuts, "more cut")
            yield f"{more}: --explain PATH explains a part of the tree.", "dim"

    def paid(self, reward: Number) -> str:
        """Return a branch's reward as the last part of a sum, in words."""
        noun, amount = payment(reward)
        sign = {"cost": "less"}.get(noun, "plus")
        return f" {sign} its {noun} of {amount}"

    # ---- Why the node has its value.

    def claim(self) -> str:
        report, n, search = self.report, self.report.node, self.search
        name = self.name(n, report.branch)
        is_seen = search.grown is None or bool(search.visits[n])
        if self.kind == Kind.TERMINAL and is_seen:
            return f"{name} is a leaf: {self.leaf()}."
        within = self.between(*self.interval)
        if report.skipped is not None:
            return f"{name} was not entered ({report.skipped}): its value is {within}."
        if not search.is_exact(n):
            why = _WHY_OPEN.get(search.outcome, "more was not needed")
            return f"The value of {name} ({self.kind.name}) is {within}: {why}."
        best = [self.label(n, child.branch) for child in report.alternatives if child.is_best]
        if self.kind == Kind.CHANCE or not best:
            value = self.summed(report.terms, self.interval[0], self.reward)
            return f"{name} ({self.kind.name}) is worth {value}."
        choice = best.pop(0)
        if best:
            choice += f" (as good: {', '.join(best)})"
        value = self.summed((), self.interval[0], self.reward)
        return f"At {name}, {self.kind.name} chooses {choice}: it is worth {value}."

    def leaf(self) -> str:
        """Return what a leaf is worth, and why it was not visited."""
        n = self.report.node
        noun = self.leaf_noun(n)
        utility = self.columns.utility[n]
        claim = f"its {noun} is {cell_text(utility)}"
        if self.reward:
            worth = self.number(shifted(utility, self.reward))
            claim += f"{self.paid(self.reward)} = {worth}"
        if self.report.skipped:
            claim += f"; it was not visited ({self.report.skipped})"
        return claim

    def child(self, child: Alternative) -> str:
        """Return what a child is worth, and how a player compares it with the best."""
        label = self.label(self.report.node, child.branch)
        is_exact = child.lower == child.upper
        is_compared = self.kind != Kind.CHANCE and self.search.is_exact(self.report.node)
        if self.kind == Kind.CHANCE:
            label += f", of probability {self.chance(self.columns.probability[child.branch])},"
        if not is_exact and not is_compared:
            return f"{label} has a value {self.between(child.lower, child.upper)}."
        side, end, less = HIGH, child.lower, "more"
        if self.kind == Kind.MAX:
            side, end, less = LOW, child.upper, "less"
        worth = self.summed(child.terms, end, self.tree.reward_of(child.branch))
        if not is_exact:
            worth = f"{side.relation} {worth}"
        text = f"{label} is worth {worth}"
        if not is_compared or (child.is_best and is_exact):
            return f"{text}."
        if child.is_best:
            return f"{text}, and no {less}."
        return f"{text}: {self.rank(end)}."

    def rank(self, end: Number) -> str:
        """Return how a child that is not the best compares with what the player is sure of."""
        sure = self.search.upper[self.report.node]
        is_worse = end > sure
        if self.kind == Kind.MAX:
            sure = self.search.lower[self.report.node]
            is_worse = end < sure
        relation = "no better"
        if is_worse:
            relation = "worse"
        return f"{relation} than {self.number(sure)}"

    # ---- Why a cut was sound.

    def cut(self, reason: CutReason) -> str:
        cut = reason.cut
        reward = self.tree.reward_of(reason.branch)
        bound = self.summed(reason.terms, shifted(cut.bound, reward), reward)
        claim = f"it is worth {cut.side.relation} {bound}"
        if cut.rest is not None:
            claim = f"even if all that is left were worth {self.number(cut.rest)}, {claim}"
        name = self.name(reason.node, reason.branch)
        text = f"{cut.kind.capitalize()} cut at {name} {cut_place(cut)}: {claim}"
        for place, step in enumerate(reason.steps):
            text += self.step(step, cut.side, place == 0)
        text += "."
        if left := saved_parts(cut):
            text += f" What is left, {' and '.join(left)}, cannot change that."
        return text

    def step(self, step: Step, side: Side, is_first: bool) -> str:
        """Return where the end of the window comes from, one step up."""
        limit = self.number(step.limit)
        name = self.name(step.node, step.way)
        if step.why == "share":
            asked = self.number(step.asked)
            if step.quotient and self.sides(step.quotient) != asked:
                asked += f" = {self.sides(step.quotient)}"
            if side is LOW:
                return f"; up to {asked} it cannot lift {name} above {limit}"
            return f"; from {asked} up it cannot bring {name} below {limit}"
        also, of_limit, subject = ", which ", "", ""
        if is_first:
            also, of_limit, subject = ", and ", f" {limit}", f"{limit} "
        if step.why == "has":
            action = self.label(step.node, step.branch)
            return f"{also}{side.player} is sure of{of_limit} at {name} with {action}"
        if step.why == "bound":
            extreme = f"the {side.extreme} possible value"
            if self.search.root_window != self.search.root_bounds:
                extreme = f"the window's {side.end}"
            return f"{also}{subject}is {extreme}"
        if is_first:
            subject = f"{side.end}{TIED}{subject}"
        return f"{also}{subject}is what the players above are sure of"
