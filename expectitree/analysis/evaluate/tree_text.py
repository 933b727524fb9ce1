"""The annotated tree, line by line: labels, probabilities, values, best branches, cuts and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from textwrap import wrap
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import ConsoleOptions
from rich.text import Text

from expectitree.analysis.evaluate.cuts import cut_reason, why_passed_over
from expectitree.analysis.evaluate.outline import Row, outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import MAX_ROWS
from expectitree.base.numbers import Number, cell_text, factor_text
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import PROBED, SKIPPED
from expectitree.text.console import characters, clipped, line, safe
from expectitree.text.phrases import (
    TIED,
    chance_text,
    known_text,
    left_out_text,
    payment,
    plural,
    plus_text,
    shared_chance,
    tied,
    untied,
    window_text,
)

Part = tuple[str, str]  # a text and its style
Parts = list[Part]
_KIND_NAMES = tuple(kind.name for kind in Kind)
_FUNCTIONS = {Kind.MAX: "max", Kind.MIN: "min", Kind.CHANCE: "mean"}
_ROOM = 40  # columns kept for the text of a row, however deep it is
_PAYMENT_ROOM = 12  # columns kept for what a branch pays
_MIN_ROOM = 24  # columns for text in a narrow terminal
_LEAF_ROOM = 12  # columns kept for a leaf after a long label; an inner node has twice as many
_MIN_LABEL = 8
_MAX_UNSEEN = 3  # children in a row that no search of a game visited
_MAX_ALIGNED = 200  # siblings whose labels are aligned


def tree_lines(
    evaluation: Evaluation,
    options: ConsoleOptions,
    most_rows: int | None = MAX_ROWS,
    notes: bool = True,
) -> Iterator[Text]:
    """Yield the lines of the annotated tree, of about `most_rows` nodes or of all."""
    drawing = _Drawing(evaluation, options, most_rows, notes)
    for row in outline(evaluation.search, most_rows, folded=not evaluation.totals):
        yield from drawing.lines(row)


class _Siblings(NamedTuple):
    """Column widths shared by a node's children."""

    label_width: int
    p_width: int  # of the probabilities, 0 below MAX and MIN and where all are equal
    payment_width: int  # of the rewards and costs, 0 where no branch pays
    best: int | None  # the first best branch


class _Drawing:
    """Draws rows in turn, parents first."""

    def __init__(
        self, evaluation: Evaluation, options: ConsoleOptions, most_rows: int | None, notes: bool
    ) -> None:
        self.evaluation, self.search, self.tree = evaluation, evaluation.search, evaluation.tree
        self.columns = self.tree.columns
        self.explanation = evaluation.explanation
        self.options, self.width, self.notes = options, options.max_width, notes
        self.characters = characters(options)
        room = _ROOM + _PAYMENT_ROOM * self.columns.pays
        self.levels = max(1, (self.width - room) // 4)
        self.digits = len(str(self.tree.heights[-1]))  # of the greatest depth
        self.terminals_room = 3 * self.width
        if self.search.grown is not None:  # nodes of games have many leaves
            self.terminals_room = self.width
        if most_rows is None:
            self.terminals_room = 10**9
        self.open: list[bool] = []  # by depth: whether more siblings follow
        self.siblings: dict[int, _Siblings] = {}  # by parent
        self.paid: list[Number] = []  # by depth: the rewards on the path to the row

    def lines(self, row: Row) -> Iterator[Text]:
        del self.open[row.depth :]
        self.open.append(not row.last)
        stem, head, mark = self.stem(row.depth), self.payment(NONE), ""
        guides = []
        if row.depth:
            mark, style = self.mark(row)
            guides = [(stem, "guide"), (self.characters.turns[row.last] + mark, style)]
        if row.node < 0:
            yield line(*guides, (self.left_out(row), "dim"))
            return
        if row.depth:
            head = self.head(row, mark)
        reward = self.tree.reward_of(row.branch)
        del self.paid[row.depth :]
        self.paid.append(shifted(reward, sum(self.paid[-1:])))
        margin = stem + self.margin(row)
        room = max(_MIN_ROOM, self.width - len(margin))
        body, overflow = self.body(row, reward, self.width - len(stem) - 4 - _width(head))
        if _width([*guides, *head, *body]) > self.width and row.depth:
            branch = line(*guides, *head)
            branch.rstrip()
            yield branch
            guides, head = [(margin, "guide")], []
            body, overflow = self.body(row, reward, room)
        yield line(*guides, *head, *body)
        for text, style in (*overflow, *self.remarks(row, reward)):
            text = TIED.join(safe(part, self.options) for part in text.split(TIED))
            for piece in wrap(text, room):
                yield line((margin, "guide"), (piece, style))

    # ---- The left margin.

    def stem(self, depth: int) -> str:
        """Return the lines on the left; of a deep row only the nearest, after a number."""
        start = max(1, depth - self.levels)
        stem = "".join(self.characters.guides[goes_on] for goes_on in self.open[start:depth])
        if start == 1:
            return stem
        return f"{start - 1:>{self.digits}}{self.characters.ellipsis} {stem}"

    def margin(self, row: Row) -> str:
        """Return the guides left of a remark: one if siblings follow, one if children follow."""
        guides = self.characters.guides
        has_children = self.has_rows(row) and self.columns.kind[row.node] != Kind.TERMINAL
        if not row.depth:
            return guides[True] if has_children else ""
        return guides[not row.last] + (guides[True] if has_children else "  ")

    def has_rows(self, row: Row) -> bool:
        """Return whether the children of an inner node have rows below its own."""
        return row.is_first and not (row.is_folded or row.hidden_branches)

    def mark(self, row: Row) -> Part:
        """Return the mark on a branch, with its style: cut, best, as good, or none of these."""
        marks = self.characters
        if row.node >= 0 and row.is_first and self.explanation.skipped(row.node) == "cut":
            return marks.cut, "cut"
        if row.node < 0 or not self.search.is_best(row.parent, row.branch):
            return marks.plain, "guide"
        if row.branch == self.siblings_below(row).best:
            return marks.best, "best"
        return marks.tie, "guide"

    # ---- A row.

    def head(self, row: Row, mark: str) -> Parts:
        """Return the branch: its label and its probability, aligned with those of its siblings."""
        siblings = self.siblings_below(row)
        style = "dim"
        if mark == self.characters.best:
            style = "best"
        elif self.tree.label[row.branch]:
            style = "none"
        label = self.label(row.parent, row.branch, siblings.label_width)
        padding = " " * (siblings.label_width - cell_len(label))
        parts = [(label + padding, style), ("  ", "none")]
        if siblings.p_width:
            p = chance_text(self.tree, row.branch)
            parts += [("p ", "dim"), (f"{p:<{siblings.p_width}}  ", "none")]
        if siblings.payment_width:
            parts += self.payment(row.branch, siblings.payment_width)
        return parts

    def payment(self, branch: int, width: int = 0) -> Parts:
        """Return what a branch pays, padded to the width; -1 is the way to the root."""
        reward = self.tree.reward_of(branch)
        if not reward:
            return [(" " * width, "none")]
        noun, amount = payment(reward)
        return [(f"{noun} ", "dim"), (f"{amount}  ".ljust(width - len(noun) - 1), "none")]

    def siblings_below(self, row: Row) -> _Siblings:
        """Return what a row, the first one drawn below its parent, shares with the others there."""
        parent = row.parent
        if parent not in self.siblings:
            branches = self.tree.branches_of(parent)[:_MAX_ALIGNED]
            kind = self.columns.kind
            p_width = 0
            best = None
            room = self.width - len(self.stem(row.depth)) - 6
            if kind[parent] != Kind.CHANCE:
                best = next(self.search.best_branches(parent), None)
            elif not shared_chance(self.tree, parent):
                p_width = max(len(chance_text(self.tree, b)) for b in branches)
                room -= p_width + 4
            paid = max(_width(self.payment(b)) for b in branches)
            is_inner = any(kind[self.columns.child[b]] for b in branches)
            room = max(_MIN_LABEL, room - paid - _LEAF_ROOM * (1 + is_inner))
            labels = max(cell_len(self.label(parent, b, room)) for b in branches)
            self.siblings[parent] = _Siblings(labels, p_width, paid, best)
        return self.siblings[parent]

    def label(self, parent: int, branch: int, room: int) -> str:
        label = safe(self.tree.branch_label(parent, branch), self.options)
        return clipped(label, room, self.characters.ellipsis)

    def body(self, row: Row, reward: Number, room: int) -> tuple[Parts, Parts]:
        """Return the node: kind, value, its terminals, and why it was not visited.

        What does not fit becomes remarks, which are returned too.
        """
        n, tail, search = row.node, self.tail(row), self.search
        kind = _KIND_NAMES[self.columns.kind[n]]
        if kind == "TERMINAL":
            return [*self.leaf(n, reward), (tail, "dim")], []
        interval = search.interval_of(n)
        if reward:
            interval = search.interval_of_branch(row.branch)
        parts = [
            (self.reference(row), "dim"),
            (f"{self.characters.kinds[kind]}{kind}", kind),
            (" ", "none"),
            (known_text(*interval), "value" if search.visits[n] else "dim"),
        ]
        if _width(parts) > room:
            parts[0] = self.reference(row, is_named=False), "dim"
        room -= _width(parts)
        overflow = []
        if self.has_rows(row) and (chance := shared_chance(self.tree, n)):
            each = f"  p {chance} each"
            if len(each) <= room:
                parts.append((each, "none"))
                room -= len(each)
            else:
                overflow.append((each.strip(), "none"))
        branches = self.tree.branches_of(n)
        is_played = self.evaluation.strategy_only and kind != "CHANCE" and len(branches) == 1
        if row.is_folded and is_played:
            action = self.label(n, branches[0], max(_MIN_LABEL, room - len("  plays ")))
            parts.append((f"  plays {action}", "none"))
        elif row.is_folded:
            terminals = [*self.terminals(n), (plus_text(reward), "none")]
            relation = "=" if search.is_exact(n) else "of"
            if _width(terminals) + len(relation) + 2 + len(tail) <= room:
                parts += [(f" {relation} ", "none"), *terminals]
            else:
                text = "".join(text for text, _ in terminals)
                overflow.append((f"{relation} {text}", "none"))
        if len(tail) <= room:
            parts.append((tail, "dim"))
        elif tail != "  not visited":  # which the mark on the branch says
            overflow.append((tail.strip(), "dim"))
        return parts, overflow

    def reference(self, row: Row, is_named: bool = True) -> str:
        """Return the name or the number of a shared node, after an arrow if it was shown before."""
        text = self.evaluation.shared_name(row.node)
        if text and not is_named:
            text = f"@{self.evaluation.shared_number[row.node]}"
        if text:
            text += " "
        if not row.is_first:
            text = f"{self.characters.arrow} {text}"
        return text

    def leaf(self, n: int, reward: Number) -> Parts:
        """Return a terminal's utility, or how utility and reward make the value of its branch.

        What the path to it pays in all follows where that is shown.
        """
        utility, total = self.columns.utility[n], ""
        estimate = "estimate " if n in self.tree.estimated else ""
        if self.evaluation.totals:
            total = f"  total {cell_text(shifted(utility, self.paid[-1]))}"
        text, style = self.utility(n)
        if reward and text != "?":
            sides = f"{estimate}{cell_text(utility)}{plus_text(reward)}"
            text = f"{cell_text(shifted(utility, reward))} = {sides}"
            estimate = ""
            if not self.search.visits[n]:
                text = f"({text})"
        return [(estimate, "none"), (text, style), (total, "none")]

    def utility(self, n: int) -> Part:
        """Return a terminal's utility; one that was not visited is in parentheses."""
        text = cell_text(self.columns.utility[n])
        if text == "?" or self.search.visits[n]:
            return text, "none"
        return f"({text})", "dim"

    def terminals(self, n: int) -> Parts:
        """Return how terminals make a node's value: `min(2, 3)`, `mean(1, 2)`, `0.9·2 + 0.1·3`.

        With an attitude to risk, CHANCE is worth a certainty equivalent: `CE(0.9·2, 0.1·3)`. If
        there are very many, only the first; of a game, those that were visited.
        """
        branches = self.tree.branches_of(n)
        kind = Kind(self.columns.kind[n])
        probability = self.columns.probability
        is_sum = kind == Kind.CHANCE and len({probability[b] for b in branches}) > 1
        opening, separator, closing = f"{_FUNCTIONS[kind]}(", ", ", ")"
        if kind == Kind.CHANCE and self.tree.attitude is not None:
            opening = "CE("
        elif is_sum:
            opening, separator, closing = "", " + ", ""
        parts = [(opening, "none")]
        used = 0
        before = ""
        shown = self.shown_terminals(branches)
        for place, b in enumerate(shown):
            name, (value, style) = before, self.utility(self.columns.child[b])
            reward = plus_text(self.tree.reward_of(b))
            if self.tree.label[b]:
                name += f"{self.label(n, b, self.width)}: "
            if is_sum:
                name += f"{chance_text(self.tree, b)}{self.characters.times}"
            if not is_sum:
                value += reward
            elif reward:
                value = f"({value}{reward})"
            else:
                value = factor_text(value)
            used += cell_len(name + value)
            if used > self.terminals_room:
                shown = shown[:place]
                break
            parts += [(name, "none"), (value, style)]
            before = separator
        if left := len(branches) - len(shown):
            parts.append((f"{before}{self.characters.ellipsis} {left:,} more", "none"))
        return [*parts, (closing, "none")]

    def shown_terminals(self, branches: Sequence[int]) -> Sequence[int]:
        """Return the branches to terminals that are shown: of a game, those that were visited."""
        visited = [b for b in branches if self.search.visits[self.columns.child[b]]]
        if self.search.grown is None or len(branches) - len(visited) <= _MAX_UNSEEN:
            return branches
        return visited

    def tail(self, row: Row) -> str:
        """Return the end of a row: why it was not visited, and what is left out below it."""
        n = row.node
        text = ""
        if row.is_first:
            text = self.why_not_visited(n)
        if row.hidden or row.hidden_branches:
            text += f"  {self.left_out(row)}"
        return text

    def why_not_visited(self, n: int) -> str:
        reason = self.explanation.skipped(n)
        if reason == "cut" and self.columns.kind[n] == Kind.TERMINAL:
            return ""
        if reason == "cut":
            return "  not visited"
        if reason:
            return f"  {reason}"
        if self.search.cut[n] != PROBED or not self.search.visits[n]:
            return ""
        if self.search.algorithm.probes:
            return "  probed"
        return "  visited, not needed"

    def left_out(self, row: Row) -> str:
        more = left_out_text(row.hidden, row.hidden_branches, "shown")
        return f"{self.characters.ellipsis} {more}"

    # ---- What is below a row.

    def remarks(self, row: Row, reward: Number) -> Iterator[Part]:
        """Yield the window of a node, why it was cut, and its notes."""
        n = row.node
        if row.is_first:
            yield from self.search_remarks(row, reward)
        if self.evaluation.formulas:
            for text in self.formulas(row):
                yield text, "dim"
        notes = self.tree.branch_notes.get(row.branch, "")
        if row.is_first:
            notes += "\n" + self.tree.notes.get(n, "")
        for text in notes.split("\n") * self.notes:
            yield text.rstrip(), "dim"

    def search_remarks(self, row: Row, reward: Number) -> Iterator[Part]:
        """Yield what the search did at a node."""
        n, search, child = row.node, self.search, self.columns.child
        if self.explanation.skipped(n) == "passed over":
            yield why_passed_over(search, row.parent, row.branch), "dim"
        if self.evaluation.windows and search.visits[n] and self.columns.kind[n]:
            window = search.alpha[n], search.beta[n]
            text = window_text(window, reward, partial(cell_text, residue=search.eps))
            yield untied(text), "dim"
        if row.is_folded and self.explanation.passed_over:
            reason = self.explanation.reason
            passed = [b for b in self.tree.branches_of(n) if reason[child[b]] == SKIPPED]
            noun = "leaf" if search.grown is None else "branch"
            if passed:
                why = why_passed_over(search, n, passed[0])
                yield f"{plural(len(passed), noun)} passed over: {why}", "dim"
        cut = self.explanation.cut(n)
        if cut is not None:
            yield cut_reason(cut, reward), "cut"

    def formulas(self, row: Row) -> Iterator[str]:
        """Yield the formulas of a row, and of the terminals that are folded into it."""
        n = NONE
        folded = range(0)
        if row.is_first:
            n = row.node
        if row.is_folded:  # and so the first
            folded = self.tree.branches_of(n)
        if shown := self.evaluation.formulas_at(n, row.branch):
            yield _equations(shown)
        for b in folded:
            if shown := self.evaluation.formulas_at(self.columns.child[b], b):
                yield f"{self.label(n, b, self.width)}: {_equations(shown)}"


def _equations(formulas: Mapping[str, str]) -> str:
    """Return formulas by key as `p = pr, utility = 2*x`, which breaks between them."""
    return ", ".join(tied(f"{key} = {text}") for key, text in formulas.items())


def _width(parts: Parts) -> int:
    return sum(cell_len(text) for text, _ in parts)
