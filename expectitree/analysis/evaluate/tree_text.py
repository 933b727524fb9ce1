"""The annotated tree as lines of text: labels, probabilities, values, the best branches, and what was cut and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property

from expectitree.analysis.evaluate.outline import SHORT_TREE, Row, is_one_row, outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.numbers import Number, cell_text, probability_text
from expectitree.searches.cuts import PROBED
from expectitree.searches.result import Outcome
from expectitree.searches.unvisited import SKIPPED
from expectitree.text.look import Look, cell_width, clipped, padded, plain, wrapped
from expectitree.tree.model import Kind

_KIND_NAMES = tuple(kind.name for kind in Kind)
_ROOM = 40  # columns that are kept for what a row says, however deep it stands
_MOST_ALIGNED = 200  # siblings whose labels are looked at for alignment


def tree_lines(
    evaluation: Evaluation, look: Look, most_rows: int | None = SHORT_TREE, notes: bool = True
) -> Iterator[str]:
    """Yield the lines of the annotated tree; about `most_rows` nodes of it, or all."""
    for _, lines in tree_rows(evaluation, look, most_rows, notes):
        yield from lines


def tree_rows(
    evaluation: Evaluation,
    look: Look,
    most_rows: int | None,
    notes: bool,
    along: Collection[int] = (),
) -> Iterator[tuple[Row, Iterator[str]]]:
    """Yield every row of the annotated tree with its lines; the way along some branches is among them."""
    drawing = _Drawing(evaluation, look, most_rows, notes)
    for row in outline(evaluation.search, most_rows, along):
        yield row, drawing.lines(row)


class _Drawing:
    """Draws rows as they come, parents first; `open` tells of each depth whether the line goes on below."""

    def __init__(
        self, evaluation: Evaluation, look: Look, most_rows: int | None, notes: bool
    ) -> None:
        self.evaluation, self.search, self.tree = evaluation, evaluation.search, evaluation.tree
        self.look, self.characters, self.notes = look, look.characters, notes
        self.levels = max(3, (look.width - _ROOM) // 4)
        self.all = most_rows is None
        self.has_room = True  # the terminals of the last row fitted on it
        self.open: list[bool] = []
        self.widths: list[
            tuple[int, int]
        ] = []  # by depth: of the labels and of the probabilities of these siblings
        self.starred: dict[int, int] = {}  # node -> its first best branch

    def lines(self, row: Row) -> Iterator[str]:
        depth = row.depth
        del self.open[depth:]
        self.open.append(not row.last)
        stem = self.stem(depth)
        room = max(24, self.look.width - len(stem) - 4)
        if row.node < 0:
            yield self.guides(depth, stem, self.characters.plain) + self.look.paint(
                self.left_out(row), "dim"
            )
            return
        mark = self.mark(row)
        head, head_width = self.head(row, mark)
        yield self.guides(depth, stem, mark) + head + self.body(row, room - head_width)
        remarks = list(self.remarks(row))
        if remarks:
            margin = self.margin(depth, self.goes_on(row))
            for text, style in remarks:
                for line in wrapped(
                    self.look.shown(text), max(24, self.look.width - len(stem + margin))
                ):
                    yield self.look.paint(stem + margin, "guide") + self.look.paint(line, style)

    # ---- The left margin.

    @cached_property
    def gutter(self) -> int:
        """How many digits the greatest depth has."""
        return len(str(self.tree.heights[-1]))

    def stem(self, depth: int) -> str:
        """The lines that pass by on the left; of a deep row only the nearest, after how many there are more."""
        start = max(1, depth - self.levels)
        down, blank = self.characters.down, self.characters.blank
        stem = "".join([down if going_on else blank for going_on in self.open[start:depth]])
        if start == 1:
            return stem
        return f"{start - 1:>{self.gutter}}{self.characters.ellipsis} {stem}"

    def guides(self, depth: int, stem: str, mark: str) -> str:
        if depth == 0:
            return ""
        turn = self.characters.branch if self.open[depth] else self.characters.last
        style = (
            "best"
            if mark == self.characters.best
            else "cut"
            if mark == self.characters.cut
            else "guide"
        )
        return self.look.paint(stem, "guide") + self.look.paint(turn + mark, style)

    def goes_on(self, row: Row) -> bool:
        """Say whether rows of children follow."""
        inner = row.is_first and self.tree.columns.kind[row.node] != 0
        return inner and not row.hidden_branches and not is_one_row(self.tree, row.node)

    def margin(self, depth: int, below: bool) -> str:
        own = ""
        if depth:
            own = self.characters.down if self.open[depth] else self.characters.blank
        return own + (self.characters.down if below else "  " if depth else "")

    def mark(self, row: Row) -> str:
        if row.depth == 0:
            return ""
        if row.is_first and self.evaluation.explanation.skipped(row.node) == "cut":
            return self.characters.cut
        if self.search.is_best(row.parent, row.branch):
            if row.parent not in self.starred:
                self.starred[row.parent] = next(self.search.best_branches(row.parent))
            return (
                self.characters.best
                if row.branch == self.starred[row.parent]
                else self.characters.tie
            )
        return self.characters.plain

    # ---- What a row says.

    def head(self, row: Row, mark: str) -> tuple[str, int]:
        """The branch: its label and probability, aligned among siblings; and how wide that is."""
        if row.depth == 0:
            return "", 0
        del self.widths[row.depth :]
        while len(self.widths) < row.depth:
            self.widths.append((-1, -1))
        label_width, p_width = self.widths[row.depth - 1]
        if label_width < 0:
            label_width, p_width = self.widths[row.depth - 1] = self.sibling_widths(row.parent)
        label = self.label(row.parent, row.branch)
        style = (
            "best"
            if mark == self.characters.best
            else "none"
            if self.tree.label[row.branch]
            else "dim"
        )
        text = self.look.paint(padded(label, label_width), style) + "  "
        if p_width:
            text += (
                self.look.paint("p ", "dim") + padded(self.probability(row.branch), p_width) + "  "
            )
        return text, label_width + 2 + (p_width + 4 if p_width else 0)

    def sibling_widths(self, parent: int) -> tuple[int, int]:
        first = self.tree.columns.first
        branches = range(first[parent], min(first[parent + 1], first[parent] + _MOST_ALIGNED))
        labels = max(cell_width(self.label(parent, b)) for b in branches)
        if self.tree.columns.kind[parent] != Kind.CHANCE:
            return labels, 0
        return labels, max(len(self.probability(b)) for b in branches)

    def label(self, parent: int, branch: int) -> str:
        label = self.look.shown(self.tree.branch_label(parent, branch))
        return clipped(label, max(8, self.look.width // 4), self.characters.ellipsis)

    def probability(self, branch: int) -> str:
        return probability_text(self.tree.columns.probability[branch])

    def body(self, row: Row, room: int) -> str:
        n, paint = row.node, self.look.paint
        kind = _KIND_NAMES[self.tree.columns.kind[n]]
        shared = self.evaluation.shared_number[n] if kind != "TERMINAL" else 0
        if kind == "TERMINAL":
            estimate = "estimate " if n in self.tree.estimated else ""
            return (
                estimate
                + self.utility(n, self.look.paint)
                + self.look.paint(self.tail_text(row), "dim")
            )
        name = (
            ""
            if not shared
            else f"@{shared} "
            if row.is_first
            else f"{self.characters.arrow} @{shared} "
        )
        symbol = self.characters.kinds[kind]
        text = paint(name, "dim") + paint(f"{symbol}{kind}", kind) + " " + self.value(n)
        used = len(name + symbol + kind) + 1 + len(self.value_text(n))
        first = self.tree.columns.first
        is_played = (
            self.evaluation.strategy_only and kind != "CHANCE" and first[n + 1] - first[n] == 1
        )
        if row.is_first and is_one_row(self.tree, n) and is_played:
            text += f"  plays {self.label(n, first[n])}"
        elif row.is_first and is_one_row(self.tree, n):
            exact = self.search.is_exact(n)
            expression = self.expression(
                n, room - used - 3 - len(self.tail_text(row)), self.look.paint
            )
            self.has_room = bool(expression)
            text += (" = " if exact else " of ") + expression if expression else ""
        tail = self.tail_text(row)
        if tail == "  not visited" and used + len(tail) > room:
            tail = ""  # the mark on the branch says it too
        return text + self.look.paint(tail, "dim")

    def value_text(self, n: int) -> str:
        return interval_text(self.search.lower[n], self.search.upper[n])

    def value(self, n: int) -> str:
        return self.look.paint(self.value_text(n), "value" if self.search.visits[n] else "dim")

    def utility(self, n: int, paint: Callable[[str, str], str]) -> str:
        text = cell_text(self.tree.columns.utility[n])
        return text if self.search.visits[n] or text == "?" else paint(f"({text})", "dim")

    def expression(
        self, n: int, room: int, paint: Callable[[str, str], str], cut_short: bool = False
    ) -> str:
        """How a node's terminals make its value: `min(2, 3)`, `mean(1, 2)`, `0.9·2 + 0.1·3`; (4) was not visited.

        Where they have no room: nothing, or (`cut_short`) as many as have.
        """
        kind, _, first, child, probability = self.tree.columns
        begin, end = first[n], first[n + 1]
        sums = kind[n] == Kind.CHANCE and len(set(probability[begin:end])) > 1
        opening = "" if sums else f"{ {1: 'max', 2: 'min', 3: 'mean'}[kind[n]] }("
        separator = " + " if sums else ", "
        terms: list[str] = []
        used = len(opening) + 1
        for b in range(begin, end):
            label = f"{self.label(n, b)}: " if self.tree.label[b] else ""
            share = f"{self.probability(b)}{self.characters.times}" if sums else ""
            c = child[b]
            bare = f"{label}{share}{cell_text(self.tree.columns.utility[c])}"
            used += cell_width(bare) + len(separator) + (0 if self.search.visits[c] else 2)
            if (
                used + (0 if b + 1 == end else len(separator) + 7 + len(self.characters.ellipsis))
                > room
            ):
                if not cut_short:
                    return ""
                terms.append(f"{self.characters.ellipsis} {end - b:,} more")
                break
            terms.append(f"{label}{share}{self.utility(c, paint)}")
        return opening + separator.join(terms) + ("" if sums else ")")

    def tail_text(self, row: Row) -> str:
        """What is said at the end of a row: why it was not visited, what is left out below it."""
        n = row.node
        reason = self.evaluation.explanation.skipped(n) if row.is_first else None
        text = ""
        if reason == "cut":
            text = "  not visited" if self.tree.columns.kind[n] else ""
        elif reason:
            text = f"  {reason}"
        elif row.is_first and self.search.cut[n] == PROBED and self.search.visits[n]:
            text = "  probed" if self.search.algorithm.in_order else "  looked at in vain"
        return f"{text}  {self.left_out(row)}" if row.hidden_branches else text

    def left_out(self, row: Row) -> str:
        if not row.hidden:
            what = f"{row.hidden_branches:,} more branch{'es' * (row.hidden_branches != 1)} to nodes shown elsewhere"
        else:
            what = f"{row.hidden:,} more node{'s' * (row.hidden != 1)}"
        cuts = f", {row.hidden_cuts:,} cut{'s' * (row.hidden_cuts != 1)}" if row.hidden_cuts else ""
        return f"{self.characters.ellipsis} {what}{cuts}"

    def remarks(self, row: Row) -> Iterator[tuple[str, str]]:
        """What is said below a row: its window, why it was cut, its notes."""
        n, search = row.node, self.search
        if not row.is_first:
            if self.notes and row.branch in self.tree.branch_notes:
                yield self.tree.branch_notes[row.branch], "dim"
            return
        if self.evaluation.explanation.skipped(n) == "passed over":
            yield self.why_passed_over(row.parent, n), "dim"
        if self.evaluation.windows and search.visits[n] and self.tree.columns.kind[n]:
            yield (
                f"alpha {cell_text(search.alpha[n], search.eps)}, beta {cell_text(search.beta[n], search.eps)}",
                "dim",
            )
        if is_one_row(self.tree, n):
            yield from self.about_terminals(row)
        cut = self.evaluation.explanation.cut(n)
        if cut is not None:
            yield cut.reason, "cut"
        if self.notes:
            if row.branch in self.tree.branch_notes:
                yield self.tree.branch_notes[row.branch], "dim"
            if n in self.tree.notes:
                yield self.tree.notes[n], "dim"

    def about_terminals(self, row: Row) -> Iterator[tuple[str, str]]:
        """The terminals that had no room on their node's row; and why some were passed over."""
        n = row.node
        if not self.has_room:
            most = 10**9 if self.all else 3 * self.look.width
            yield (
                ("= " if self.search.is_exact(n) else "of ")
                + self.expression(n, most, plain, cut_short=True),
                "none",
            )
        _, _, first, child, _ = self.tree.columns
        told = self.evaluation.explanation
        passed = (
            [c for c in child[first[n] : first[n + 1]] if told.reason[c] == SKIPPED]
            if told.passed_over
            else []
        )
        if passed:
            leaves = f"{len(passed):,} lea{'f' if len(passed) == 1 else 'ves'} passed over"
            yield f"{leaves}: {self.why_passed_over(n, passed[0])}", "dim"

    def why_passed_over(self, parent: int, n: int) -> str:
        """Why a child need not be entered: what is known of it beforehand, and of its parent."""
        lower, upper = self.search.interval_of(n)
        found = interval_text(*self.search.interval_of(parent))
        if lower == upper:
            return f"known to be {cell_text(lower)}"
        if not self.search.algorithm.in_order and self.tree.columns.kind[parent] != Kind.CHANCE:
            return self.why_left(parent, n)
        if self.tree.columns.kind[parent] == Kind.MIN:
            return f"at least {cell_text(lower)} by its bounds, and {found} is reached"
        if self.tree.columns.kind[parent] == Kind.MAX:
            return f"at most {cell_text(upper)} by its bounds, and {found} is reached"
        return f"{interval_text(lower, upper)} says enough"

    def why_left(self, parent: int, n: int) -> str:
        """The same of a search that looks at children in any order, where the parent is a player's."""
        search, is_max = self.search, self.tree.columns.kind[parent] == Kind.MAX
        end = search.upper[n] if is_max else search.lower[n]
        if search.is_exact(parent):
            other = f"{cell_text(search.lower[parent])} is reached"
        elif parent == self.tree.root_id and search.outcome is Outcome.ACTION:
            if any(self.tree.columns.child[b] == n for b in search.best_branches(parent)):
                end = search.lower[n] if is_max else search.upper[n]
                first = self.tree.columns.first
                rest = (
                    "no other can be better"
                    if first[parent + 1] - first[parent] > 1
                    else "there is no other"
                )
                return (
                    f"at {'least' if is_max else 'most'} {cell_text(end)} by its bounds, and {rest}"
                )
            other = f"{cell_text(search.lower[parent] if is_max else search.upper[parent])} is sure"
        else:
            other = (
                f"alpha is {cell_text(search.alpha[parent])}"
                if is_max
                else f"beta is {cell_text(search.beta[parent])}"
            )
        return f"at {'most' if is_max else 'least'} {cell_text(end)} by its bounds, and {other}"


def interval_text(lower: Number, upper: Number) -> str:
    """Return a known value, or the interval that holds it, for a row of the tree."""
    return cell_text(lower) if lower == upper else f"[{cell_text(lower)}, {cell_text(upper)}]"
