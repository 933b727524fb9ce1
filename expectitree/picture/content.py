"""What a picture of a searched tree shows: its nodes, its branches, and their texts.

Everything comes from an `Evaluation`, row by row as the terminal shows it (`evaluate.outline`).
`diagram` computes the places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from expectitree.analysis.evaluate.cut_text import cut_reason
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.outline import Row, outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.numbers import cell_text, escape, probability_text
from expectitree.picture.text import broken
from expectitree.searches.unvisited import CUT
from expectitree.text.console import UNICODE, clipped, text_console
from expectitree.text.phrases import known_text, node_name, plural, value_text
from expectitree.tree.model import Kind

MOST_NODES = 100  # that are drawn by default
_KIND_NAMES = tuple(kind.name for kind in Kind)
NOTE = "NOTE"  # a glyph that names what is left out
ELSEWHERE = "ELSEWHERE"  # a glyph with the number of a shared node that is drawn elsewhere
PLAIN, TIE, BEST = range(3)
_LABEL_COLUMNS, _LABEL_LINES = 22, 3
_REASON_COLUMNS = 34
_LONGEST_TITLE = 400
_LONGEST_NOTE = 1000
_LONG_EDGES = 1_000  # layers, plus two for each glyph, that edges may pass by


@dataclass(frozen=True)
class Style:
    """The user's choices for a picture."""

    rows: int | None = MOST_NODES  # about so many nodes are drawn; all with None
    theme: str = "light"  # or dark
    direction: str = "down"  # or right
    title: bool = True
    reasons: bool = False  # why each cut was made, beside its node
    places: bool = False  # labels that are only the place, such as #1


class Glyph(NamedTuple):
    """A node, or a note that replaces elided nodes."""

    kind: str  # the name of a `Kind`, or a constant above
    node: int  # -1 at a note
    value: str
    remarks: tuple[str, ...]  # small lines below the value, or the lines of a note
    is_grey: bool
    is_estimate: bool
    tooltip: str


class Edge(NamedTuple):
    """A branch between two glyphs, or a line to a note."""

    parent: int  # a glyph
    child: int  # a glyph
    label: tuple[str, ...]  # its lines
    probability: str
    rank: int  # PLAIN, TIE, BEST
    is_grey: bool
    is_cut: bool  # the first branch that a cut left
    is_first: bool  # whether the child is drawn below the parent; else it is drawn elsewhere
    tooltip: str


@dataclass
class Content:
    """Everything that a picture shows."""

    title: str
    summary: str
    description: str
    glyphs: list[Glyph] = field(default_factory=list)  # parents first
    edges: list[Edge] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)  # by glyph: its edges, in branch order
    layer: list[int] = field(default_factory=list)  # by glyph: edges on the longest way to it

    def add(self, glyph: Glyph) -> int:
        """Add a glyph and return its number."""
        self.glyphs.append(glyph)
        self.below.append([])
        return len(self.glyphs) - 1

    def join(self, edge: Edge) -> None:
        """Add an edge."""
        self.below[edge.parent].append(len(self.edges))
        self.edges.append(edge)

    @property
    def ordered_edges(self) -> list[Edge]:
        """The edges by their parents, in branch order."""
        return [self.edges[number] for below in self.below for number in below]


def content(evaluation: Evaluation, style: Style) -> Content:
    """Return what a picture of an evaluated tree shows; about `style.rows` nodes of it."""
    return _Reader(evaluation, style).read()


def summary(evaluation: Evaluation) -> str:
    """Return the result of the search in a line."""
    search, counts = evaluation.search, evaluation.search.counts
    text = f"{search.algorithm.full_name}: {value_text(search)}"
    if search.best is not None:
        text += f", best {clipped(escape(search.best), 40)}"
    leaves = f"{counts.leaves_visited:,} of {plural(counts.leaves_total, 'leaf')}"
    text += f"; {counts.visited:,} of {counts.total:,} nodes and {leaves} visited"
    return f"{text}, {plural(counts.cuts, 'cut')}" if search.algorithm.player_cuts else text


def find_layers(found: Content) -> bool:
    """Write each glyph's layer, below all its parents; say whether few layers are passed by."""
    layer = found.layer = [0] * len(found.glyphs)
    for glyph in sorted(range(len(layer)), key=lambda glyph: -found.glyphs[glyph].node):
        for edge in found.below[glyph]:  # parents have greater ids
            child = found.edges[edge].child
            layer[child] = max(layer[child], layer[glyph] + 1)
    passed = sum(layer[edge.child] - layer[edge.parent] - 1 for edge in found.edges)
    return passed <= _LONG_EDGES + 2 * len(layer)


class _Reader:
    """Reads the rows, parents first, and makes a glyph and an edge of each."""

    def __init__(self, evaluation: Evaluation, style: Style) -> None:
        self.evaluation, self.style = evaluation, style
        self.shown = evaluation.shown
        self.search, self.tree = self.shown.search, self.shown.tree
        self.columns = self.tree.columns
        self.explanation: Explanation = self.shown.explanation
        self.options = text_console(width=200).options
        self.best: dict[int, int] = {}  # node -> its first best branch
        self.cut_branch: dict[int, int] = {}  # node -> the first branch that was cut there
        self.numbered: set[int] = set()  # shared nodes that have a number in the picture

    def read(self) -> Content:
        """Return the content; shared nodes get numbers where edges to them would be too long."""
        rows = list(outline(self.search, self.style.rows, folded=False))
        self.possible = self.find_possible(rows)
        drawn = {row.node for row in rows if row.node >= 0 and row.is_first}
        again = {row.node for row in rows if row.node >= 0 and not row.is_first}
        self.numbered = again - drawn
        found = self.read_rows(rows)
        if not find_layers(found):
            self.numbered = again
            found = self.read_rows(rows)
            find_layers(found)
        return found

    def read_rows(self, rows: list[Row]) -> Content:
        """Return the content of the rows: all glyphs first, since an edge may lead to any."""
        found = Content(*self.heading())
        place: dict[int, int] = {}
        for row in rows:
            if row.node >= 0 and row.is_first:
                place[row.node] = found.add(self.glyph(row.node))
                if row.hidden_branches:
                    hidden = row._replace(node=-1, parent=row.node, branch=-1)
                    self.add_note(found, place[row.node], hidden)
        for row in rows:
            if row.node < 0:
                self.add_note(found, place[row.parent], row)
            elif row.depth and not row.is_first and row.node in self.numbered:
                child = found.add(self.elsewhere(row.node))
                found.join(self.edge(row, place[row.parent], child, True))
            elif row.depth:
                child = place[row.node]
                found.join(self.edge(row, place[row.parent], child, row.is_first))
        return found

    def heading(self) -> tuple[str, str, str]:
        """Return the title, the summary, and a description for screen readers."""
        found = summary(self.evaluation)
        title = clipped(escape(self.tree.title or ""), _LONGEST_TITLE)
        source = clipped(escape(self.tree.source or ""), _LONGEST_TITLE)
        description = f"A game tree of {len(self.evaluation.tree):,} nodes. {found}."
        if self.evaluation.strategy_only:
            description += " The picture shows what optimal play can reach."
        description += (
            " Triangles that point up are MAX, down MIN; circles are CHANCE. The best branch is"
            " bold, a double stroke is a cut, and the search did not visit what is grey."
        )
        return title, found, f"{description} Source: {source}." if source else description

    # ---- Which parts are grey.

    def find_possible(self, rows: list[Row]) -> set[int] | None:
        """Return the nodes that chance can reach, or None where no drawn branch is impossible."""
        columns = self.columns
        if all(columns.probability[row.branch] for row in rows if row.node >= 0 and row.depth):
            return None
        possible = {len(self.tree) - 1}
        for n in range(len(self.tree) - 1, -1, -1):
            if n in possible and columns.kind[n]:
                branches = self.tree.branches_of(n)
                possible.update(columns.child[b] for b in branches if columns.probability[b])
        return possible

    def is_grey(self, node: int) -> bool:
        return not self.search.visits[node] or (
            self.possible is not None and node not in self.possible
        )

    # ---- Glyphs.

    def glyph(self, n: int) -> Glyph:
        """Return the glyph of a node that is drawn here."""
        kind, search = _KIND_NAMES[self.columns.kind[n]], self.search
        is_terminal, is_estimate = kind == "TERMINAL", n in self.tree.estimated
        value = known_text(search.lower[n], search.upper[n])
        if is_terminal:
            value = cell_text(self.columns.utility[n])
        remarks: list[str] = []
        tooltip = [f"{kind} {self.path(n)}: {'estimate ' if is_estimate else ''}{value}"]
        reason, cut = self.explanation.skipped(n), self.explanation.cut(n)
        if not search.visits[n]:
            tooltip.append(f"not visited{': ' + reason if reason else ''}")
        elif not is_terminal and self.evaluation.windows:
            alpha, beta = (cell_text(end[n], search.eps) for end in (search.alpha, search.beta))
            tooltip.append(f"α {alpha}, β {beta}")
            remarks.append(infinities(tooltip[-1]))
        if cut is not None:
            tooltip.append(cut_reason(cut))
            if self.style.reasons:
                remarks += broken(cut_reason(cut), _REASON_COLUMNS, 6)
        if n in self.tree.notes:
            tooltip.append(escape(self.tree.notes[n][:_LONGEST_NOTE]))
        if n in self.numbered and not is_terminal:
            value += f"  @{self.shown.shared_number[n]}"
        if is_estimate:
            value = f"est. {value}"
        if is_terminal and not search.visits[n]:
            value = f"({value})"
        return Glyph(
            kind, n, infinities(value), tuple(remarks), self.is_grey(n), is_estimate,
            "\n".join(tooltip),
        )  # fmt: skip

    def elsewhere(self, n: int) -> Glyph:
        """Return the glyph of a node that is drawn elsewhere: a terminal again, else its number."""
        if self.columns.kind[n] == Kind.TERMINAL:
            return self.glyph(n)
        text = f"{UNICODE.arrow} @{self.shown.shared_number[n]}"
        return Glyph(ELSEWHERE, n, text, (), self.is_grey(n), False, self.path(n))

    def path(self, node: int) -> str:
        symbol = UNICODE.kinds[_KIND_NAMES[self.columns.kind[node]]]
        return node_name(self.tree, self.options, node).removeprefix(symbol)

    def add_note(self, found: Content, parent: int, row: Row) -> None:
        """Add a note of what is left out below a node."""
        begin = row.branch if row.branch >= 0 else self.columns.first[row.parent]
        is_cut = begin <= self.first_cut(row.parent) < begin + row.hidden_branches
        text = left_out(row)
        child = found.add(Glyph(NOTE, -1, "", broken(text, 10, 6), True, False, text))
        found.join(Edge(parent, child, (), "", PLAIN, True, is_cut, True, text))

    # ---- Edges.

    def edge(self, row: Row, parent: int, child: int, is_first: bool) -> Edge:
        """Return the edge of a branch."""
        p = self.columns.probability[row.branch]
        is_outcome = self.columns.kind[row.parent] == Kind.CHANCE
        has_label = self.tree.label[row.branch] or self.style.places
        label = escape(self.tree.branch_label(row.parent, row.branch)) if has_label else ""
        first_cut = self.first_cut(row.parent)
        is_left = self.search.algorithm.in_order and not row.is_first
        is_grey = (
            not p
            or self.is_grey(row.parent)
            or self.is_grey(row.node)
            or (is_left and 0 <= first_cut <= row.branch)
        )
        return Edge(
            parent, child, broken(label, _LABEL_COLUMNS, _LABEL_LINES),
            probability_text(p) if is_outcome else "",
            PLAIN if is_grey else self.rank(row.parent, row.branch), is_grey,
            row.branch == first_cut, is_first, "\n".join(self.edge_tooltip(row, is_outcome)),
        )  # fmt: skip

    def edge_tooltip(self, row: Row, is_outcome: bool) -> Iterator[str]:
        label = escape(self.tree.branch_label(row.parent, row.branch)[:_LONGEST_NOTE])
        p = f", p = {cell_text(self.columns.probability[row.branch])}" if is_outcome else ""
        yield label + p
        cut = self.explanation.cut(row.parent)
        if cut is not None and row.branch == self.first_cut(row.parent):
            yield cut_reason(cut)
        if row.branch in self.tree.branch_notes:
            yield escape(self.tree.branch_notes[row.branch][:_LONGEST_NOTE])

    def rank(self, node: int, branch: int) -> int:
        """Return whether a branch is the best one of its node, as good as that, or neither."""
        if not self.search.is_best(node, branch):
            return PLAIN
        if node not in self.best:
            self.best[node] = next(self.search.best_branches(node))
        return BEST if branch == self.best[node] else TIE

    def first_cut(self, node: int) -> int:
        """Return the first branch of a node that a cut left, made there or above; or -1.

        A cut above leaves the branches of a node that was only probed.
        """
        if node not in self.cut_branch:
            branches = self.cut_branches(node) if self.search.visits[node] else iter(())
            self.cut_branch[node] = next(branches, -1)
        return self.cut_branch[node]

    def cut_branches(self, node: int) -> Iterator[int]:
        """Yield the branches of a node that a cut left."""
        columns, search = self.columns, self.search
        in_order, cut = search.algorithm.in_order, self.explanation.cut(node)
        if not search.algorithm.player_cuts:
            return
        is_own = cut is not None and not cut.probing
        begin, end = columns.first[node], columns.last[node]
        if is_own and in_order and cut is not None:
            begin += cut.after
        left = [  # whose intervals may still matter
            b
            for b in range(begin, end if is_own else begin)
            if columns.probability[b]
            and search.lower[columns.child[b]] < search.upper[columns.child[b]]
        ]
        for b in range(begin, end):
            c = columns.child[b]
            if self.tree.is_first_path(c, b):
                if self.explanation.reason[c] == CUT:
                    yield b
            elif b in left and (in_order or not search.visits[c]):
                yield b
        yield from left  # entered before the cut


def left_out(row: Row) -> str:
    """Return the text of a note that replaces a run of branches."""
    if not row.hidden:
        return f"… {plural(row.hidden_branches, 'more branch')} to nodes drawn elsewhere"
    cuts = f", {plural(row.hidden_cuts, 'cut')}" if row.hidden_cuts else ""
    return f"… {plural(row.hidden, 'more node')}{cuts}"


def infinities(text: str) -> str:
    """Return a text with infinite numbers as a textbook writes them."""
    return text.replace("inf", "∞")
