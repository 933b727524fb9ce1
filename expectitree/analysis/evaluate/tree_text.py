"""The annotated tree, line by line: labels, probabilities, values, best branches, cuts and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    payment,
    plural,
    plus_text,
    shared_chance,
    tied,
    untied,
    window_text,
)

Part = tuple[str, str]  # a text and its style
_KIND_NAMES = tuple(kind.name for kind in Kind)
_FUNCTIONS = {Kind.MAX: "max", Kind.MIN: "min", Kind.CHANCE: "mean"}
_ROOM = 40  # columns kept for the text of a row, however deep it is
_PAYMENT_ROOM = 12  # columns kept for what a branch pays
_MIN_ROOM = 24  # columns for text in a narrow terminal
_INNER_ROOM, _LEAF_ROOM = 24, 12  # columns kept for a node after a long label
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
        self.columns, self.explanation = self.tree.columns, evaluation.explanation
        self.options, self.width, self.notes = options, options.max_width, notes
        self.characters = characters(options)
        room = _ROOM + _PAYMENT_ROOM * self.columns.pays
        self.levels = max(3, (self.width - room) // 4)
        self.digits = len(str(self.tree.heights[-1]))  # of the greatest depth
        # Nodes of games have many leaves.
        lines = 3 if self.search.grown is None else 1
        self.terminals_room = 10**9 if most_rows is None else lines * self.width
        self.open: list[bool] = []  # by depth: whether more siblings follow
        self.siblings: dict[int, _Siblings] = {}  # by parent
        self.paid: list[Number] = []  # by depth: the rewards on the path to the row

    def lines(self, row: Row) -> Iterator[Text]:
        del self.open[row.depth :]
        self.open.append(not row.last)
        stem = self.stem(row.depth)
        guides: list[Part] = []
        mark = ""
        if row.depth:
            mark, style = self.mark(row)
            turn = self.characters.last if row.last else self.characters.branch
            guides = [(stem, "guide"), (turn + mark, style)]
        if row.node < 0:
            yield line(*guides, (self.left_out(row), "dim"))
            return
        head = self.head(row, mark) if row.depth else self.payment(NONE)
        room = self.width - len(stem) - 4 - _width(head)
        reward = self.tree.reward_of(row.branch)
        del self.paid[row.depth :]
        self.paid.append(shifted(reward, self.paid[-1]) if self.paid else reward)
        body, overflow = self.body(row, reward, room)
        yield line(*guides, *head, *body)
        remarks = [*overflow, *self.remarks(row, reward)]
        margin = stem + self.margin(row) if remarks else ""
        for text, style in remarks:
            text = TIED.join(safe(part, self.options) for part in text.split(TIED))
            for piece in wrap(text, max(_MIN_ROOM, self.width - len(margin))):
                yield line((margin, "guide"), (untied(piece), style))

    # ---- The left margin.

    def stem(self, depth: int) -> str:
        """Return the lines on the left; of a deep row only the nearest, after a number."""
        start = max(1, depth - self.levels)
        down, blank = self.characters.down, self.characters.blank
        stem = "".join([down if going_on else blank for going_on in self.open[start:depth]])
        if start == 1:
            return stem
        return f"{start - 1:>{self.digits}}{self.characters.ellipsis} {stem}"

    def margin(self, row: Row) -> str:
        """Return the guides left of a remark: one if siblings follow, one if children follow."""
        down, blank = self.characters.down, self.characters.blank
        is_leaf = self.columns.kind[row.node] == Kind.TERMINAL
        has_rows = row.is_first and not (is_leaf or row.is_folded or row.hidden_branches)
        if row.depth == 0:
            return down if has_rows else ""
        beside = blank if row.last else down
        return beside + (down if has_rows else "  ")

    def mark(self, row: Row) -> Part:
        """Return the mark on a branch, with its style: cut, best, as good, or none of these."""
        marks = self.characters
        if row.node >= 0:
            if row.is_first and self.explanation.skipped(row.node) == "cut":
                return marks.cut, "cut"
            if self.search.is_best(row.parent, row.branch):
                is_first = row.branch == self.siblings_below(row).best
                return (marks.best, "best") if is_first else (marks.tie, "guide")
        return marks.plain, "guide"

    # ---- A row.

    def head(self, row: Row, mark: str) -> list[Part]:
        """Return the branch: its label and its probability, aligned with those of its siblings."""
        siblings = self.siblings_below(row)
        style = "none" if self.tree.label[row.branch] else "dim"
        if mark == self.characters.best:
            style = "best"
        label = self.label(row.parent, row.branch, siblings.label_width)
        padding = " " * (siblings.label_width - cell_len(label))
        parts = [(label + padding, style), ("  ", "none")]
        if siblings.p_width:
            p = chance_text(self.tree, row.branch)
            parts += [("p ", "dim"), (f"{p:<{siblings.p_width}}  ", "none")]
        if siblings.payment_width:
            parts += self.payment(row.branch, siblings.payment_width)
        return parts

    def payment(self, branch: int, width: int = 0) -> list[Part]:
        """Return what a branch pays, padded to the width; -1 is the way to the root."""
        reward = self.tree.reward_of(branch)
        if not reward:
            return [(" " * width, "none")] if width else []
        noun, amount = payment(reward)
        return [(f"{noun} ", "dim"), (f"{amount}  ".ljust(width - len(noun) - 1), "none")]

    def siblings_below(self, row: Row) -> _Siblings:
        """Return what a row, the first one drawn below its parent, shares with the others there."""
        parent = row.parent
        if parent not in self.siblings:
            branches, kind = self.tree.branches_of(parent)[:_MAX_ALIGNED], self.columns.kind
            p_width, best = 0, None
            if kind[parent] != Kind.CHANCE:
                best = next(self.search.best_branches(parent), None)
            elif not shared_chance(self.tree, parent):
                p_width = max(len(chance_text(self.tree, b)) for b in branches)
            pays = self.columns.pays
            paid = max(_width(self.payment(b)) for b in branches) if pays else 0
            room = self.width - len(self.stem(row.depth)) - 6 - paid - (p_width and p_width + 4)
            are_inner = any(kind[self.columns.child[b]] for b in branches)
            room = max(_MIN_LABEL, room - (_INNER_ROOM if are_inner else _LEAF_ROOM))
            labels = max(cell_len(self.label(parent, b, room)) for b in branches)
            self.siblings[parent] = _Siblings(labels, p_width, paid, best)
        return self.siblings[parent]

    def label(self, parent: int, branch: int, room: int) -> str:
        label = safe(self.tree.branch_label(parent, branch), self.options)
        return clipped(label, room, self.characters.ellipsis)

    def body(self, row: Row, reward: Number, room: int) -> tuple[list[Part], list[Part]]:
        """Return the node: kind, value, its terminals, and why it was not visited.

        What does not fit becomes remarks, which are returned too.
        """
        n, tail, search = row.node, self.tail(row), self.search
        kind = _KIND_NAMES[self.columns.kind[n]]
        if kind == "TERMINAL":
            estimate = "estimate " if n in self.tree.estimated else ""
            total = f"  total {self.total(n)}" if self.evaluation.totals else ""
            return [*self.leaf(n, estimate, reward), (total, "none"), (tail, "dim")], []
        interval = search.interval_of_branch(row.branch) if reward else search.interval_of(n)
        reference = f"{name} " if (name := self.evaluation.shared_name(n)) else ""
        if not row.is_first:
            reference = f"{self.characters.arrow} {reference}"
        parts = [
            (reference, "dim"),
            (f"{self.characters.kinds[kind]}{kind}", kind),
            (" ", "none"),
            (known_text(*interval), "value" if search.visits[n] else "dim"),
        ]
        room -= _width(parts)
        overflow: list[Part] = []
        has_rows = row.is_first and not (row.is_folded or row.hidden_branches)
        if has_rows and (chance := shared_chance(self.tree, n)):
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
            relation, terminals = "=" if search.is_exact(n) else "of", self.terminals(n)
            terminals.append((plus_text(reward), "none"))
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

    def total(self, n: int) -> str:
        """Return what the path to a terminal's row pays in all."""
        return cell_text(shifted(self.columns.utility[n], self.paid[-1]))

    def leaf(self, n: int, estimate: str, reward: Number) -> list[Part]:
        """Return a terminal's utility, or how utility and reward make the value of its branch."""
        text, style = self.utility(n)
        if not reward or text == "?":
            return [(estimate, "none"), (text, style)]
        utility = self.columns.utility[n]
        sides = f"{estimate}{cell_text(utility)}{plus_text(reward)}"
        worth = f"{cell_text(shifted(utility, reward))} = {sides}"
        return [(worth if self.search.visits[n] else f"({worth})", style)]

    def utility(self, n: int) -> Part:
        """Return a terminal's utility; one that was not visited is in parentheses."""
        text = cell_text(self.columns.utility[n])
        return (text, "none") if self.search.visits[n] or text == "?" else (f"({text})", "dim")

    def terminals(self, n: int) -> list[Part]:
        """Return how terminals make a node's value: `min(2, 3)`, `mean(1, 2)`, `0.9·2 + 0.1·3`.

        With an attitude to risk, CHANCE is worth a certainty equivalent: `CE(0.9·2, 0.1·3)`. If
        there are very many, only the first; of a game, those that were visited.
        """
        search, branches = self.search, self.tree.branches_of(n)
        kind, probability = self.columns.kind[n], self.columns.probability
        is_sum = kind == Kind.CHANCE and any(
            probability[b] != probability[branches[0]] for b in branches
        )
        opening, separator, closing = "", " + ", ""
        if kind == Kind.CHANCE and self.tree.attitude is not None:
            opening, separator, closing = "CE(", ", ", ")"
        elif not is_sum:
            opening, separator, closing = f"{_FUNCTIONS[Kind(kind)]}(", ", ", ")"
        parts = [(opening, "none")]
        used, pays, shown = 0, self.columns.pays, list(branches)
        if search.grown is not None:
            seen = [b for b in branches if search.visits[self.columns.child[b]]]
            shown = seen if len(branches) - len(seen) > _MAX_UNSEEN else shown
        for place, b in enumerate(shown):
            value, style = self.utility(self.columns.child[b])
            reward = plus_text(self.tree.reward_of(b)) if pays else ""
            before = separator if place else ""
            if self.tree.label[b]:
                before += f"{self.label(n, b, self.width)}: "
            if is_sum:
                before += f"{chance_text(self.tree, b)}{self.characters.times}"
                value = f"({value}{reward})" if reward else factor_text(value)
            else:
                value += reward
            used += cell_len(before + value)
            if used > self.terminals_room:
                shown = shown[:place]
                break
            parts += [(before, "none"), (value, style)]
        if left := len(branches) - len(shown):
            before = separator if shown else ""
            parts.append((f"{before}{self.characters.ellipsis} {left:,} more", "none"))
        return [*parts, (closing, "none")]

    def tail(self, row: Row) -> str:
        """Return the end of a row: why it was not visited, and what is left out below it."""
        n = row.node
        reason = self.explanation.skipped(n) if row.is_first else None
        text = ""
        if reason == "cut":
            text = "  not visited" if self.columns.kind[n] else ""
        elif reason:
            text = f"  {reason}"
        elif row.is_first and self.search.cut[n] == PROBED and self.search.visits[n]:
            text = "  probed" if self.search.algorithm.probes else "  visited, not needed"
        return f"{text}  {self.left_out(row)}" if row.hidden or row.hidden_branches else text

    def left_out(self, row: Row) -> str:
        more = plural(row.hidden, "more node")
        if not row.hidden:
            more = f"{plural(row.hidden_branches, 'more branch')} to nodes shown elsewhere"
        return f"{self.characters.ellipsis} {more}"

    # ---- What is below a row.

    def remarks(self, row: Row, reward: Number) -> Iterator[Part]:
        """Yield the window of a node, why it was cut, and its notes."""
        n, search = row.node, self.search
        if row.is_first:
            if self.explanation.skipped(n) == "passed over":
                yield why_passed_over(search, row.parent, row.branch), "dim"
            if self.evaluation.windows and search.visits[n] and self.columns.kind[n]:
                window = search.alpha[n], search.beta[n]
                text = window_text(window, reward, partial(cell_text, residue=search.eps))
                yield untied(text), "dim"
            if row.is_folded and self.explanation.passed_over:
                reason, child = self.explanation.reason, self.columns.child
                passed = [b for b in self.tree.branches_of(n) if reason[child[b]] == SKIPPED]
                if passed:
                    why = why_passed_over(search, n, passed[0])
                    noun = "leaf" if search.grown is None else "branch"
                    yield f"{plural(len(passed), noun)} passed over: {why}", "dim"
            cut = self.explanation.cut(n)
            if cut is not None:
                yield cut_reason(cut, reward), "cut"
        if self.evaluation.formulas and self.tree.formulas is not None:
            for text in self.formulas(row):
                yield text, "dim"
        if self.notes and row.branch in self.tree.branch_notes:
            yield from _lines_of(self.tree.branch_notes[row.branch])
        if self.notes and row.is_first and n in self.tree.notes:
            yield from _lines_of(self.tree.notes[n])

    def formulas(self, row: Row) -> Iterator[str]:
        """Yield the formulas of a row, and of the terminals that are folded into it."""
        shown = self.evaluation.formulas_at(row.node if row.is_first else NONE, row.branch)
        if shown:
            yield _equations(shown)
        for b in self.tree.branches_of(row.node) if row.is_folded and row.is_first else ():
            shown = self.evaluation.formulas_at(self.columns.child[b], b)
            if shown:
                label = self.label(row.node, b, self.width)
                yield f"{label}: {_equations(shown)}"


def _lines_of(note: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a note that are not empty."""
    for text in note.split("\n"):
        if text.strip():
            yield text.rstrip(), "dim"


def _equations(formulas: Mapping[str, str]) -> str:
    """Return formulas by key as `p = pr, utility = 2*x`, which breaks between them."""
    return ", ".join(tied(f"{key} = {text}") for key, text in formulas.items())


def _width(parts: list[Part]) -> int:
    return sum(cell_len(text) for text, _ in parts)
