"""The annotated tree, line by line: labels, probabilities, values, best branches, cuts and why."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from expectitree.analysis.evaluate.cut_text import cut_reason, why_passed_over
from expectitree.analysis.evaluate.outline import SHORT_TREE, Row, is_one_row, outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.numbers import cell_text, factor_text, probability_text
from expectitree.searches.cuts import PROBED
from expectitree.searches.unvisited import SKIPPED
from expectitree.text.console import characters, clipped, line, safe
from expectitree.text.phrases import known_text, nouns, plural
from expectitree.tree.model import Kind

if TYPE_CHECKING:
    from rich.console import ConsoleOptions

Part = tuple[str, str]  # a text and its style
_KIND_NAMES = tuple(kind.name for kind in Kind)
_FUNCTIONS = {Kind.MAX: "max", Kind.MIN: "min", Kind.CHANCE: "mean"}
_ROOM = 40  # columns kept for the text of a row, however deep it is
_LEAST_ROOM = 24  # columns for text in a narrow terminal
_MOST_ALIGNED = 200  # siblings whose labels are aligned


def tree_lines(
    evaluation: Evaluation,
    options: ConsoleOptions,
    most_rows: int | None = SHORT_TREE,
    notes: bool = True,
) -> Iterator[Text]:
    """Yield the lines of the annotated tree, of about `most_rows` nodes or of all."""
    drawing = _Drawing(evaluation, options, most_rows, notes)
    for row in outline(evaluation.search, most_rows):
        yield from drawing.lines(row)


class _Drawing:
    """Draws rows in turn, parents first."""

    def __init__(
        self, evaluation: Evaluation, options: ConsoleOptions, most_rows: int | None, notes: bool
    ) -> None:
        self.evaluation, self.search, self.tree = evaluation, evaluation.search, evaluation.tree
        self.columns, self.explanation = self.tree.columns, evaluation.explanation
        self.options, self.width, self.notes = options, options.max_width, notes
        self.characters = characters(options)
        self.levels = max(3, (self.width - _ROOM) // 4)
        self.digits = len(str(self.tree.heights[-1]))  # of the greatest depth
        self.expression_room = 10**9 if most_rows is None else 3 * self.width
        self.has_room = True  # for the terminals of the last row
        self.open: list[bool] = []  # by depth: whether more siblings follow
        self.sibling_widths: dict[int, tuple[int, int]] = {}  # parent -> of labels and of p
        self.starred: dict[int, int] = {}  # node -> its first best branch

    def lines(self, row: Row) -> Iterator[Text]:
        del self.open[row.depth :]
        self.open.append(not row.last)
        stem = self.stem(row.depth)
        mark = self.mark(row)
        guides = self.guides(row.depth, stem, mark)
        if row.node < 0:
            yield line(*guides, (self.left_out(row), "dim"))
            return
        head = self.head(row, mark)
        room = max(_LEAST_ROOM, self.width - len(stem) - 4) - _width(head)
        yield line(*guides, *head, *self.body(row, room))
        margin = ""
        for text, style in self.remarks(row):
            margin = margin or stem + self.margin(row)
            for piece in wrap(safe(text, self.options), max(_LEAST_ROOM, self.width - len(margin))):
                yield line((margin, "guide"), (piece, style))

    # ---- The left margin.

    def stem(self, depth: int) -> str:
        """Return the lines on the left; of a deep row only the nearest, after a number."""
        start = max(1, depth - self.levels)
        down, blank = self.characters.down, self.characters.blank
        stem = "".join([down if going_on else blank for going_on in self.open[start:depth]])
        if start == 1:
            return stem
        return f"{start - 1:>{self.digits}}{self.characters.ellipsis} {stem}"

    def guides(self, depth: int, stem: str, mark: str) -> list[Part]:
        if depth == 0:
            return []
        turn = self.characters.branch if self.open[depth] else self.characters.last
        styles = {self.characters.best: "best", self.characters.cut: "cut"}
        return [(stem, "guide"), (turn + mark, styles.get(mark, "guide"))]

    def margin(self, row: Row) -> str:
        """Return what is before a remark: a line where siblings, and one where children follow."""
        has_rows = (
            row.is_first
            and self.columns.kind[row.node] != Kind.TERMINAL
            and not row.hidden_branches
            and not is_one_row(self.tree, row.node)
        )
        if row.depth == 0:
            return self.characters.down if has_rows else ""
        own = self.characters.down if self.open[row.depth] else self.characters.blank
        return own + (self.characters.down if has_rows else "  ")

    def mark(self, row: Row) -> str:
        if row.depth == 0:
            return ""
        if row.node < 0:
            return self.characters.plain
        if row.is_first and self.explanation.skipped(row.node) == "cut":
            return self.characters.cut
        if not self.search.is_best(row.parent, row.branch):
            return self.characters.plain
        if row.parent not in self.starred:
            self.starred[row.parent] = next(self.search.best_branches(row.parent))
        is_first = row.branch == self.starred[row.parent]
        return self.characters.best if is_first else self.characters.tie

    # ---- What a row says.

    def head(self, row: Row, mark: str) -> list[Part]:
        """Return the branch: its label and its probability, aligned with those of its siblings."""
        if row.depth == 0:
            return []
        if row.parent not in self.sibling_widths:
            self.sibling_widths[row.parent] = self.find_widths(row.parent)
        label_width, p_width = self.sibling_widths[row.parent]
        style = "none" if self.tree.label[row.branch] else "dim"
        if mark == self.characters.best:
            style = "best"
        parts = [(_padded(self.label(row.parent, row.branch), label_width), style), ("  ", "none")]
        if p_width:
            p = self.probability(row.branch)
            parts += [("p ", "dim"), (f"{p:<{p_width}}  ", "none")]
        return parts

    def find_widths(self, parent: int) -> tuple[int, int]:
        """Return the widths of the labels and of the probabilities below a node."""
        branches = self.tree.branches_of(parent)[:_MOST_ALIGNED]
        labels = max(cell_len(self.label(parent, b)) for b in branches)
        if self.columns.kind[parent] != Kind.CHANCE:
            return labels, 0
        return labels, max(len(self.probability(b)) for b in branches)

    def label(self, parent: int, branch: int) -> str:
        label = safe(self.tree.branch_label(parent, branch), self.options)
        return clipped(label, max(8, self.width // 4), self.characters.ellipsis)

    def probability(self, branch: int) -> str:
        return probability_text(self.columns.probability[branch])

    def body(self, row: Row, room: int) -> list[Part]:
        """Return the node: kind, value, the terminals that fit, and why it was not visited."""
        n, tail = row.node, self.tail(row)
        kind = _KIND_NAMES[self.columns.kind[n]]
        if kind == "TERMINAL":
            estimate = "estimate " if n in self.tree.estimated else ""
            return [(estimate, "none"), self.utility(n), (tail, "dim")]
        shared = self.evaluation.shared_number[n]
        reference = "" if row.is_first else f"{self.characters.arrow} "
        parts = [
            (f"{reference}@{shared} " if shared else "", "dim"),
            (f"{self.characters.kinds[kind]}{kind}", kind),
            (" ", "none"),
            (self.interval(n), "value" if self.search.visits[n] else "dim"),
        ]
        room -= _width(parts)
        if row.is_first and is_one_row(self.tree, n):
            branches = self.tree.branches_of(n)
            if self.evaluation.strategy_only and kind != "CHANCE" and len(branches) == 1:
                parts.append((f"  plays {self.label(n, branches[0])}", "none"))
            else:
                expression = self.expression(n, room - 3 - len(tail))
                self.has_room = bool(expression)
                if expression:
                    parts += [(" = " if self.search.is_exact(n) else " of ", "none"), *expression]
        if tail != "  not visited" or len(tail) <= room:  # else the mark on the branch says it
            parts.append((tail, "dim"))
        return parts

    def interval(self, n: int) -> str:
        return known_text(self.search.lower[n], self.search.upper[n])

    def utility(self, n: int) -> Part:
        """Return a terminal's utility; one that was not visited is in parentheses."""
        text = cell_text(self.columns.utility[n])
        return (text, "none") if self.search.visits[n] or text == "?" else (f"({text})", "dim")

    def expression(self, n: int, room: int, shorten: bool = False) -> list[Part]:
        """Return how terminals make a node's value: `min(2, 3)`, `mean(1, 2)`, `0.9·2 + 0.1·3`.

        If there is no room: nothing, or with `shorten` as many terminals as fit.
        """
        branches = self.tree.branches_of(n)
        kind, probability = self.columns.kind[n], self.columns.probability
        is_sum = kind == Kind.CHANCE and any(
            probability[b] != probability[branches[0]] for b in branches
        )
        opening, separator, closing = "", " + ", ""
        if not is_sum:
            opening, separator, closing = f"{_FUNCTIONS[Kind(kind)]}(", ", ", ")"
        parts = [(opening, "none")]
        used = len(opening) + 1
        for b in branches:
            value, style = self.utility(self.columns.child[b])
            before = f"{self.label(n, b)}: " if self.tree.label[b] else ""
            if is_sum:
                before += f"{self.probability(b)}{self.characters.times}"
                value = factor_text(value)
            used += cell_len(before + value) + len(separator)
            is_last = b == branches[-1]
            if used + (0 if is_last else len(separator) + 7 + len(self.characters.ellipsis)) > room:
                if not shorten:
                    return []
                parts.append((f"{self.characters.ellipsis} {branches[-1] + 1 - b:,} more", "none"))
                break
            parts += [(before, "none"), (value, style), ("" if is_last else separator, "none")]
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
            text = "  probed" if self.search.algorithm.probes else "  visited in vain"
        return f"{text}  {self.left_out(row)}" if row.hidden_branches else text

    def left_out(self, row: Row) -> str:
        more = f"{row.hidden:,} more {nouns(row.hidden, 'node')}"
        if not row.hidden:
            branches = nouns(row.hidden_branches, "branch")
            more = f"{row.hidden_branches:,} more {branches} to nodes shown elsewhere"
        cuts = f", {plural(row.hidden_cuts, 'cut')}" if row.hidden_cuts else ""
        return f"{self.characters.ellipsis} {more}{cuts}"

    # ---- What is below a row.

    def remarks(self, row: Row) -> Iterator[Part]:
        """Yield the window of a node, why it was cut, and its notes."""
        n, search = row.node, self.search
        if row.is_first:
            if self.explanation.skipped(n) == "passed over":
                yield why_passed_over(search, row.parent, row.branch), "dim"
            if self.evaluation.windows and search.visits[n] and self.columns.kind[n]:
                alpha, beta = (cell_text(end[n], search.eps) for end in (search.alpha, search.beta))
                yield f"alpha {alpha}, beta {beta}", "dim"
            if is_one_row(self.tree, n):
                yield from self.about_terminals(n)
            cut = self.explanation.cut(n)
            if cut is not None:
                yield cut_reason(cut), "cut"
        if self.notes and row.branch in self.tree.branch_notes:
            yield self.tree.branch_notes[row.branch], "dim"
        if self.notes and row.is_first and n in self.tree.notes:
            yield self.tree.notes[n], "dim"

    def about_terminals(self, n: int) -> Iterator[Part]:
        """Yield terminals that had no room on their node's row, and why some were passed over."""
        if not self.has_room:
            relation = "=" if self.search.is_exact(n) else "of"
            parts = self.expression(n, self.expression_room, shorten=True)
            yield f"{relation} {''.join(text for text, _ in parts)}", "none"
        if self.explanation.passed_over:
            reason, child = self.explanation.reason, self.columns.child
            passed = [b for b in self.tree.branches_of(n) if reason[child[b]] == SKIPPED]
            if passed:
                why = why_passed_over(self.search, n, passed[0])
                yield f"{plural(len(passed), 'leaf')} passed over: {why}", "dim"


def _width(parts: list[Part]) -> int:
    return sum(cell_len(text) for text, _ in parts)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
