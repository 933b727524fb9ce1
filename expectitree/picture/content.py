"""What a picture of a searched tree shows: its nodes, its branches, and their texts.

Everything comes from an `Evaluation`, row by row as the terminal shows it (`evaluate.outline`).
`diagram` computes the places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from expectitree.analysis.evaluate.cuts import cut_reason
from expectitree.analysis.evaluate.outline import Row
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.sentences import visited_text
from expectitree.base.numbers import (
    INFINITY,
    cell_text,
    escape,
    is_finite,
    probability_text,
)
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind
from expectitree.base.tree.paths import message_path
from expectitree.base.tree.totals import totals
from expectitree.picture.hidden import (
    BLANK,
    blanked,
    exercise_lines,
    exercise_room,
    is_unknown,
)
from expectitree.picture.rows import picture_rows
from expectitree.picture.text import balanced, payment_text
from expectitree.searches.cuts import CUT
from expectitree.searches.result import Search
from expectitree.text.console import clipped
from expectitree.text.phrases import (
    chance_text,
    known_text,
    left_out_text,
    payment,
    plural,
    plus_text,
    shared_chance,
)

Lines: TypeAlias = tuple[str, ...]
MAX_NODES = 100  # that are drawn by default
SYMBOLS = tuple(kind.name for kind in Kind)  # the kinds of glyphs that have one
NOTE = "NOTE"  # a glyph that names what is left out
ELSEWHERE = "ELSEWHERE"  # a glyph with the number of a shared node that is drawn elsewhere
SHAPES = {
    "game": dict(zip(SYMBOLS, ("BOX", "UP", "DOWN", "CIRCLE"), strict=True)),
    "decision": dict(zip(SYMBOLS, ("END", "SQUARE", "DOWN", "CIRCLE"), strict=True)),
}  # by style and kind
PLAIN, TIE, BEST, PLAYED = range(4)  # a branch; PLAYED is a best one that optimal play can reach
_LABEL_COLUMNS = 22
_LABEL_LINES = 8
_REASON_COLUMNS = 34
_MAX_TITLE_LENGTH = 400
_MAX_NOTE_LENGTH = 1000
_SAID_ONCE = 3  # so many equal probabilities or more
_MAX_PLIES = 2  # that an edge leads down; a longer one would cross many others


@dataclass(frozen=True)
class Style:
    """The user's choices for a picture."""

    rows: int | None = MAX_NODES  # about so many nodes are drawn; all with None
    theme: str = "light"  # or dark
    direction: str = "auto"  # or down, right
    width: float | None = None  # the most
    style: str = "auto"  # or game, decision
    totals: bool = False  # what a path pays in all, at its end
    title: bool = True
    reasons: bool = False  # why each cut was made, beside its node
    blank: bool = False  # an exercise: without what the search found
    solution: bool = False  # of the exercise: what is filled in, everything in the same place


@dataclass(eq=False)
class Glyph:
    """A node, or a note that replaces elided nodes."""

    kind: str  # the name of a `Kind`, or a constant above
    node: int  # -1 at a note
    value: str
    remarks: Lines  # small lines below the value, or the lines of a note
    is_grey: bool
    is_estimate: bool
    tooltip: str
    shape: str = ""  # a name in `SHAPES` of the style, for a node
    room: int | None = None  # lines for remarks in an exercise and its solution
    below: list[Edge] = field(default_factory=list)  # in branch order


@dataclass(eq=False)
class Edge:
    """A branch between two glyphs, or a line to a note."""

    parent: Glyph
    child: Glyph
    label: Lines  # its lines
    probability: str
    rank: int  # PLAIN, TIE, BEST, PLAYED
    is_grey: bool
    is_cut: bool  # the first branch that a cut at its node left
    is_unprobed: bool  # the first branch that a probe of its node left
    is_first: bool  # whether the child is drawn below the parent; else it is drawn elsewhere
    tooltip: str
    payment: str = ""  # what the branch pays MAX, with its sign, and what it is worth

    @property
    def is_left(self) -> bool:
        """Whether it is the first branch that a cut or a probe left."""
        return self.is_cut or self.is_unprobed

    @property
    def lines(self) -> Lines:
        """The texts of the edge."""
        return (*self.label, *filter(None, (self.probability, self.payment)))


@dataclass
class Content:
    """Everything that a picture shows."""

    title: str
    # The result, the counts of a search that pruned, and `shown`.
    summary: Lines
    description: str  # for screen readers
    glyphs: list[Glyph]  # parents first
    room: Lines = ()  # as the summary, the longest that an exercise has room for
    shown: Lines = ()  # how many nodes are drawn, if not all are

    @property
    def edges(self) -> list[Edge]:
        """The edges by their parents, in branch order."""
        return [edge for glyph in self.glyphs for edge in glyph.below]

    @cached_property
    def layer(self) -> dict[Glyph, int]:
        """The number of edges on the longest way to each glyph."""
        layer = dict.fromkeys(self.glyphs, 0)
        for glyph in sorted(self.glyphs, key=lambda glyph: -glyph.node):  # parents have greater ids
            for edge in glyph.below:
                layer[edge.child] = max(layer[edge.child], layer[glyph] + 1)
        return layer


def _is_decision(search: Search) -> bool:
    """Return whether a tree is drawn as in decision analysis."""
    tree = search.tree
    is_file = search.grown is None and not tree.has_min
    return is_file and bool(tree.parameters or tree.criteria or any(tree.columns.reward))


def content(evaluation: Evaluation, style: Style, folded: bool = False) -> Content:
    """Return what a picture of an evaluated tree shows; about `style.rows` nodes of it.

    Where `folded`, the picture has room for all leaves of a node, so it elides none of them.
    """
    return _Reader(evaluation, style, folded).read()


def _summary(search: Search) -> Lines:
    """Return the result in a line, and what the search visited if that is not everything."""
    counts = search.counts
    if is_unknown(search, search.tree.root_id):
        return (f"{plural(len(search.tree.unknown), 'utility')} not known yet",)
    text = f"Value {search.value_text()}"
    if search.best is not None:
        text += f", best: {clipped(escape(search.best), _MAX_TITLE_LENGTH)}"
        text += f" and {len(search.ties) - 1} more" * (len(search.ties) > 1)
    if counts.visited == counts.total:
        return (text,)
    visited = f"{visited_text(search, 'node')} and {visited_text(search, 'leaf')}"
    if search.algorithm.prunes:
        visited += f", {plural(counts.cuts, 'cut')}"
    return text, f"{search.algorithm.full_name} visited {visited}"


_LEGENDS = {
    "game": "Triangles that point up are MAX, down MIN; circles are CHANCE.",
    "decision": "Squares are MAX, triangles that point down MIN; circles are CHANCE.",
}


class _Reader:
    """Reads the rows, parents first, and makes a glyph and an edge of each."""

    def __init__(self, evaluation: Evaluation, style: Style, folded: bool) -> None:
        self.blank = style.blank
        self.is_exercise = style.blank or style.solution
        self.evaluation = evaluation
        if style.blank:
            self.evaluation = blanked(evaluation)
        self.style = style
        self.shapes = style.style
        if self.shapes == "auto":
            self.shapes = "decision" if _is_decision(evaluation.search) else "game"
        self.folded = folded
        self.shown = self.evaluation.shown
        self.search = self.shown.search
        self.tree = self.shown.tree
        self.columns = self.tree.columns
        self.explanation = self.shown.explanation
        self.totals = totals(self.tree) if style.totals else {}
        self.numbered: set[int] = set()  # shared nodes that have a number in the picture

    def read(self) -> Content:
        """Return the content; shared nodes have numbers where edges to them would be too long."""
        chosen = self.search
        if self.style.solution:
            chosen = blanked(self.evaluation).search
        rows = list(picture_rows(chosen, self.style.rows, self.folded))
        self.best = {
            row.node: next(self.search.best_branches(row.node), -1) for row in rows if row.is_first
        }
        self.possible = {self.tree.root_id}  # nodes that chance can reach
        self.played = {self.tree.root_id}  # nodes that optimal play can reach
        nodes = (row for row in rows if row.node >= 0 <= row.parent)
        for row in sorted(nodes, key=lambda row: -row.parent):  # parents have greater ids
            if row.parent in self.possible and self.columns.probability[row.branch]:
                self.possible.add(row.node)
                is_chance = self.columns.kind[row.parent] == Kind.CHANCE
                if row.parent in self.played and (is_chance or self.best[row.parent] == row.branch):
                    self.played.add(row.node)
        drawn = self.read_rows(rows)
        while far := {
            edge.child.node
            for edge in drawn.edges
            if drawn.layer[edge.child] - drawn.layer[edge.parent] > _MAX_PLIES
        }:
            self.numbered |= far
            drawn = self.read_rows(rows)
        return drawn

    def read_rows(self, rows: list[Row]) -> Content:
        """Return the content of the rows: all glyphs first, since an edge may lead to any."""
        drawn = {row.node for row in rows if row.node >= 0}
        shown: Lines = ()
        if len(drawn) < len(self.tree):
            shown = (f"{len(drawn):,} of {plural(len(self.tree), 'node')} shown",)
        glyphs = {row.node: self.glyph(row.node) for row in rows if row.is_first}
        self.cut_branch = {n: self.first_left(n) for n in glyphs}
        others = []
        for row in rows:
            if row.parent < 0:
                continue
            if self.is_elsewhere(row):
                child = self.elsewhere(row)
                others.append(child)
            else:
                child = glyphs[row.node]
            glyphs[row.parent].below.append(self.edge(row, glyphs[row.parent], child))
        search = self.evaluation.search
        room: Lines = ()
        if self.is_exercise:
            text = exercise_lines(search, self.blank)
            room = exercise_room(search) + shown
        else:
            text = _summary(search)
        text += shown
        title = clipped(escape(self.tree.title or ""), _MAX_TITLE_LENGTH)
        description = self.description(text)
        return Content(title, text, description, [*glyphs.values(), *others], room, shown)

    def description(self, lines: Lines) -> str:
        """Return the picture in words."""
        text = f"A game tree of {len(self.evaluation.tree):,} nodes. {'. '.join(lines)}."
        if self.evaluation.strategy_only:
            text += " The picture shows what optimal play can reach."
        text += f" {_LEGENDS[self.shapes]}"
        if self.blank:
            text += (
                " An exercise without marks of the best branches, cuts and the reasons for them,"
                " values of inner nodes, marks of nodes that were not visited, alpha and beta."
            )
        else:
            text += (
                " The best branch is bold, a double stroke is a cut, a dotted stroke is where a"
                " probe ended, and the search did not visit what is gray."
            )
        if self.columns.pays:
            who = "the decision maker"
            if self.tree.has_min:
                who = "MAX"
            text += f" A signed number on a branch is what {who} receives there"
            if not self.is_exercise:
                text += "; after the arrow is what the branch is worth"
            text += "."
        if self.tree.source:
            text += f" Source: {clipped(escape(self.tree.source), _MAX_TITLE_LENGTH)}."
        return text

    # ---- Glyphs.

    def glyph(self, n: int) -> Glyph:
        kind = Kind(self.columns.kind[n]).name
        is_estimate = n in self.tree.estimated
        value = self._glyph_value(n)
        tooltip = f"{kind} {message_path(self.tree.path_of(n))}"
        if value not in ("", BLANK):
            noun = "estimate " if is_estimate else ""
            tooltip += f": {noun}{self.worth(n, value)}"
        remarks, more = self._glyph_notes(n)
        room = self._room(n) if self.is_exercise else None
        if n in self.numbered and kind != "TERMINAL":
            value += f"  {self.shown.shared_name(n)}"
        if is_estimate:
            value = f"est. {value}"
        if kind == "TERMINAL" and not self.search.visits[n]:
            value = f"({value})"
        return Glyph(
            kind, n, value, tuple(remarks), self.is_grey(n), is_estimate,
            "\n".join([tooltip, *more]), SHAPES[self.shapes][kind], room,
        )  # fmt: skip

    def _room(self, n: int) -> int:
        """Return how many remarks a node of an exercise, or of its solution, may have."""
        if self.columns.kind[n] == Kind.TERMINAL:
            return 0
        at_start = n == self.tree.root_id and bool(self.tree.root_reward)
        return at_start + 2 * self.evaluation.windows + bool(self.shared_probability(n))

    def _glyph_value(self, n: int) -> str:
        if self.columns.kind[n] == Kind.TERMINAL:
            return cell_text(self.columns.utility[n])
        if self.blank:
            return BLANK
        if is_unknown(self.search, n):
            return ""
        lower, upper = self.search.lower[n], self.search.upper[n]
        if self.style.solution:
            if not self.search.visits[n]:
                return ""
            if lower == -INFINITY or upper == INFINITY:  # as written by hand
                ends = [f"≥ {cell_text(lower)}"] * is_finite(lower)
                return "".join(ends + [f"≤ {cell_text(upper)}"] * is_finite(upper))
        return known_text(lower, upper)

    def _glyph_notes(self, n: int) -> tuple[list[str], list[str]]:
        """Return what is written below the value of a node, and the tooltip's other lines."""
        remarks = []
        tooltip = []
        is_inner = self.columns.kind[n] != Kind.TERMINAL
        window = self.search.alpha[n], self.search.beta[n]
        if n == self.tree.root_id and self.tree.root_reward and is_inner:
            remarks.append(self.paid(NONE, n, " at the start"))
        if not self.search.visits[n]:
            reasons = filter(None, ("not visited", self.explanation.skipped(n)))
            tooltip.append(": ".join(reasons))
        elif self.evaluation.windows and is_inner and (self.blank or window[0] is not None):
            # A best-first search has windows only at its end.
            ends = [BLANK] * 2
            if not self.blank:
                ends = [cell_text(end, self.search.eps) for end in window]
                tooltip.append(f"α {ends[0]}, β {ends[1]}")
            lines = [f"α {ends[0]}", f"β {ends[1]}"]
            if not self.is_exercise:
                lines = [", ".join(lines)]
            remarks += lines
        if n in self.totals:
            remarks.append(f"total {cell_text(self.totals[n])}")
        if chance := self.shared_probability(n):
            remarks.append(f"p {chance} each")
        if self.blank:  # a note may name what is left out
            return remarks, tooltip
        if (cut := self.explanation.cut(n)) is not None:
            tooltip.append(cut_reason(cut))
            if self.style.reasons:
                remarks += balanced(cut_reason(cut), _REASON_COLUMNS, 6)
        if n in self.tree.notes:
            tooltip += map(escape, self.tree.notes[n][:_MAX_NOTE_LENGTH].split("\n"))
        return remarks, tooltip

    def worth(self, n: int, value: str) -> str:
        """Return the value of a node's first branch as a sum of its reward and the node's value."""
        branch = self.tree.first_paths.branch[n]
        reward = self.tree.reward_of(branch)
        lower, upper = self.search.interval_of_branch(branch)
        if not reward or value == "?":
            return value
        return f"{known_text(lower, upper)} = {value}{plus_text(reward)}"

    def paid(self, branch: int, n: int, when: str = "") -> str:
        """Return what a branch to a node pays and is then worth, as text has it: `−250 → 1,000`.

        An exercise, which has room for the values of nodes only, leaves out the worth.
        """
        reward = self.tree.reward_of(branch)
        text = f"{payment_text(reward)}{when}"
        is_open = n in self.tree.unknown or is_unknown(self.search, n)
        if not reward or self.is_exercise or is_open or not self.search.visits[n]:
            return text
        return f"{text} → {known_text(*self.search.interval_of_branch(branch))}"

    def is_elsewhere(self, row: Row) -> bool:
        """Return whether a row is a note, or names a node that is drawn elsewhere."""
        return not row.is_first and (row.node in self.numbered or row.node not in self.best)

    def elsewhere(self, row: Row) -> Glyph:
        """Return the note of branches left out, or a terminal again, or the number of a node."""
        n = row.node
        if n < 0:
            lines: Lines = (f"… {row.hidden:,} more",)
            if not row.hidden:
                lines = f"… {plural(row.hidden_branches, 'more branch')}", "drawn elsewhere"
            more = left_out_text(row.hidden, row.hidden_branches, "drawn")
            return Glyph(NOTE, n, "", lines, True, False, f"… {more}")
        if self.columns.kind[n] == Kind.TERMINAL:
            return self.glyph(n)
        text = f"→ {self.shown.shared_name(n)}"
        path = message_path(self.tree.path_of(n))
        return Glyph(ELSEWHERE, n, text, (), self.is_grey(n), False, path)

    def shared_probability(self, node: int) -> str:
        """Return the probability of all outcomes of a node, where the node itself says it once."""
        # A node of an exercise has little room besides the lines to write on.
        if len(self.tree.branches_of(node)) < _SAID_ONCE * (1 + self.is_exercise):
            return ""
        return shared_chance(self.tree, node)

    def is_grey(self, node: int) -> bool:
        return not self.search.visits[node] or node not in self.possible

    # ---- Edges.

    def edge(self, row: Row, parent: Glyph, child: Glyph) -> Edge:
        b = row.branch
        first_cut = self.cut_branch[row.parent]
        is_first_left = b <= first_cut < b + max(1, row.hidden_branches)
        is_cut = is_first_left and self.explanation.cut(row.parent) is not None
        marks = is_cut, is_first_left and not is_cut
        if row.node < 0:
            return Edge(parent, child, (), "", PLAIN, True, *marks, True, child.tooltip)
        p = self.columns.probability[b]
        label = self.tree.branch_label(row.parent, b)
        is_outcome = parent.kind == "CHANCE"
        is_left = self.search.algorithm.in_order and not row.is_first and 0 <= first_cut <= b
        is_grey = not p or is_left or parent.is_grey or child.is_grey
        rank = PLAIN if is_grey or self.blank else self.rank(row.parent, b)
        about = [escape(label[:_MAX_NOTE_LENGTH])]
        reward = self.tree.reward_of(b)
        if is_outcome:
            about.append(f"p = {probability_text(p, digits=6)}")
        if reward:
            about.append(" ".join(payment(reward)))
        tooltip = [", ".join(about)]
        cut = self.explanation.cut(row.parent)
        if cut is not None and b == first_cut:
            tooltip.append(cut_reason(cut))
        if b in self.tree.branch_notes and not self.blank:
            tooltip.append(escape(self.tree.branch_notes[b][:_MAX_NOTE_LENGTH]))
        lines = balanced(escape(self.tree.label[b] or ""), _LABEL_COLUMNS, _LABEL_LINES)
        chance = ""
        if is_outcome and not self.shared_probability(row.parent):
            chance = chance_text(self.tree, b)
        return Edge(
            parent, child, lines, chance, rank, is_grey, *marks,
            row.is_first or self.is_elsewhere(row), "\n".join(tooltip),
            self.paid(b, row.node),
        )  # fmt: skip

    def rank(self, node: int, branch: int) -> int:
        """Return whether a branch is a best one, the first of them, and on the way of play."""
        if not self.search.is_best(node, branch):
            return PLAIN
        if branch != self.best[node]:
            return TIE
        if node not in self.played:
            return BEST
        return PLAYED

    def first_left(self, node: int) -> int:
        """Return the first branch of a node that a cut left, made there or above; or -1.

        A cut above leaves the branches of a node that was only probed. Where a cut left only
        branches that the search had entered before, this is the first of them.
        """
        search = self.search
        child = self.columns.child
        cut = self.explanation.cut(node)
        branches = self.tree.branches_of(node)
        in_order = search.algorithm.in_order and not (cut and cut.probing)
        if cut is not None and in_order:
            branches = branches[cut.after :]
        is_possible = self.columns.probability
        open_branches = [
            b for b in branches
            if cut and is_possible[b] and search.lower[child[b]] < search.upper[child[b]]
        ]  # fmt: skip
        for b in branches:
            if self.tree.is_first_path(child[b], b):
                if self.explanation.reason[child[b]] == CUT:
                    return b
            elif b in open_branches and (in_order or not search.visits[child[b]]):
                return b
        if cut is not None:
            open_branches += branches[-1:]
        return next(iter(open_branches), NONE)
