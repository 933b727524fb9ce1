"""What a picture of a searched tree shows: its nodes, its branches, and what is said of each.

Not yet where.

All of it is read from an `Evaluation`, row by row as the terminal shows it (`analysis.outline`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.outline import Row, outline
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.text import value_text
from expectitree.analysis.evaluate.tree_text import interval_text
from expectitree.numbers import cell_text, escape, probability_text
from expectitree.picture.text import broken
from expectitree.searches.unvisited import CUT
from expectitree.text.look import Look, clipped
from expectitree.text.phrases import node_name
from expectitree.tree.model import Kind

MOST_NODES = 100  # that are drawn without being asked
_KIND_NAMES = tuple(kind.name for kind in Kind)
NOTE = "NOTE"  # a spot that says what is left out there
ELSEWHERE = "ELSEWHERE"  # a spot in place of a node that has no room here: by its number
PLAIN, TIE, BEST = range(3)
_LABEL_COLUMNS, _LABEL_LINES = 22, 3
_REASON_COLUMNS = 34
_LONGEST_TITLE = 400
_LONG_LINKS = 1_000  # layers, beside two for each spot, that links may pass by
_LOOK = Look(width=200)


@dataclass(frozen=True)
class Style:
    """How a picture is wanted."""

    rows: int | None = MOST_NODES  # about so many nodes are drawn; all with None
    theme: str = "light"  # or dark
    direction: str = "down"  # or right
    title: bool = True
    reasons: bool = False  # why each cut was made, beside its node
    places: bool = False  # labels that are only the place, such as #1


class Spot(NamedTuple):
    """A thing with a place: a node, or what stands for some."""

    kind: str  # the name of a `Kind`, or a constant above
    node: int  # whose it is; -1 at a note
    value: str  # or the note's text
    remarks: tuple[str, ...]  # small lines below it
    is_grey: bool
    is_estimate: bool
    tooltip: str


class Link(NamedTuple):
    """A branch between two spots, or what leads to a note."""

    parent: int  # a spot
    child: int  # a spot
    label: tuple[str, ...]  # its lines
    probability: str
    rank: int  # PLAIN, TIE, BEST
    is_grey: bool
    is_cut: bool  # the first that a search left by a cut there
    is_first: bool  # the child hangs here; else it is a shared node that hangs elsewhere
    tooltip: str


@dataclass
class Content:
    """Everything that a picture shows."""

    title: str
    summary: str
    description: str
    spots: list[Spot] = field(
        default_factory=list
    )  # parents before children that hang below them; the root first
    links: list[Link] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)  # by spot: its links, in branch order
    layer: list[int] = field(default_factory=list)  # by spot: the links on the longest way to it

    def add(self, spot: Spot) -> int:
        """Take in a spot and return its number."""
        self.spots.append(spot)
        self.below.append([])
        return len(self.spots) - 1

    def join(self, link: Link) -> None:
        """Take in a link."""
        self.below[link.parent].append(len(self.links))
        self.links.append(link)


def content(evaluation: Evaluation, style: Style) -> Content:
    """Return what a picture of an evaluated tree shows; about `style.rows` nodes of it."""
    return _Reader(evaluation, style).read()


def summary(evaluation: Evaluation) -> str:
    """Return what the search found, in a line."""
    search, counts = evaluation.search, evaluation.search.counts
    text = f"{search.algorithm.full_name}: {value_text(search)}"
    if search.best is not None:
        text += f", best {clipped(escape(search.best), 40)}"
    leaves = f"{counts.leaves_visited:,} of {counts.leaves_total:,} lea{'ves' if counts.leaves_total != 1 else 'f'}"
    text += f"; {counts.visited:,} of {counts.total:,} nodes and {leaves} visited"
    if search.algorithm.player_cuts:
        text += f", {counts.cuts:,} cut{'s' * (counts.cuts != 1)}"
    return text


def find_layers(found: Content) -> bool:
    """Put every spot into the layer below the last of its parents; say whether no links pass by too many layers."""
    layer = found.layer = [0] * len(found.spots)
    long = 0
    for spot in sorted(
        range(len(layer)), key=lambda spot: -found.spots[spot].node
    ):  # parents have greater ids
        for link in found.below[spot]:
            child = found.links[link].child
            layer[child] = max(layer[child], layer[spot] + 1)
    for each in found.links:
        long += layer[each.child] - layer[each.parent] - 1
    return long <= _LONG_LINKS + 2 * len(layer)


class _Reader:
    """Goes through the rows, parents first, and takes down what each shows."""

    def __init__(self, evaluation: Evaluation, style: Style) -> None:
        self.told = evaluation
        shown = evaluation.shown
        self.shown, self.search, self.tree = shown, shown.search, shown.tree
        self.style = style
        self.explanation: Explanation = shown.explanation
        self.best: dict[int, int] = {}  # node -> its first best branch
        self.cut_branch: dict[int, int] = {}  # node -> the first branch that was cut there
        self.numbered: set[int] = set()  # shared nodes that are told by their number somewhere

    def read(self) -> Content:
        rows = list(outline(self.search, self.style.rows, folded=False))
        self.live = self.find_live(rows)
        drawn = {row.node for row in rows if row.node >= 0 and row.is_first}
        again = {row.node for row in rows if row.node >= 0 and not row.is_first}
        self.numbered = again - drawn
        found = self.read_rows(rows)
        if not find_layers(
            found
        ):  # long branches to shared nodes would take more room than all the rest
            self.numbered = again
            found = self.read_rows(rows)
            find_layers(found)
        return found

    def read_rows(self, rows: list[Row]) -> Content:
        found = Content(*self.heading())
        place: dict[int, int] = {}
        for row in rows:
            if row.node >= 0 and row.is_first:
                place[row.node] = found.add(self.spot(row))
                if row.hidden_branches:
                    self.add_note(
                        found, place[row.node], row._replace(node=-1, parent=row.node, branch=-1)
                    )
        for row in rows:
            if row.depth == 0:
                continue
            if row.node < 0:
                self.add_note(found, place[row.parent], row)
                continue
            is_first = row.is_first
            if not is_first and row.node in self.numbered:
                child, is_first = found.add(self.elsewhere(row)), True
            else:
                child = place[row.node]
            found.join(self.link(row, place[row.parent], child, is_first))
        return found

    def heading(self) -> tuple[str, str, str]:
        tree, told = self.tree, summary(self.told)
        title = clipped(escape(tree.title or ""), _LONGEST_TITLE)
        source = clipped(escape(tree.source or ""), _LONGEST_TITLE)
        description = [f"A game tree of {len(self.told.tree):,} nodes. {told}."]
        if self.told.strategy_only:
            description.append("Drawn is what optimal play can reach.")
        description.append(
            "Triangles that point up are MAX, down MIN; circles are CHANCE. The best branch is bold, a double stroke is"
            " a cut, and grey is what no search had to look at."
        )
        if source:
            description.append(f"Source: {source}.")
        return title, told, " ".join(description)

    # ---- Which parts are grey.

    def find_live(self, rows: list[Row]) -> set[int] | None:
        """Return the drawn nodes that can happen, where an outcome of probability 0 is drawn; else None: all can."""
        kind, _, first, child, probability = self.tree.columns
        drawn = [row for row in rows if row.node >= 0 and row.branch >= 0]
        if all(probability[row.branch] for row in drawn):
            return None
        live = {len(self.tree) - 1}
        if not self.tree.is_sharing:
            for row in drawn:
                if row.parent in live and probability[row.branch]:
                    live.add(row.node)
            return live
        for n in range(
            len(self.tree) - 1, -1, -1
        ):  # a node may be reached by branches that are not drawn
            if n in live and kind[n]:
                live.update(child[b] for b in range(first[n], first[n + 1]) if probability[b])
        return live

    def is_grey(self, node: int) -> bool:
        return not self.search.visits[node] or (self.live is not None and node not in self.live)

    # ---- Spots.

    def spot(self, row: Row) -> Spot:
        n = row.node
        kind = _KIND_NAMES[self.tree.columns.kind[n]]
        value = interval_text(self.search.lower[n], self.search.upper[n])
        if kind == "TERMINAL":
            value = cell_text(self.tree.columns.utility[n])
        is_estimate = n in self.tree.estimated
        remarks: list[str] = []
        tooltip = f"{kind} {self.path(n)}: {'estimate ' if is_estimate else ''}{value}"
        reason = self.explanation.skipped(n)
        if not self.search.visits[n]:
            tooltip += f"\nnot visited{': ' + reason if reason else ''}"
        elif kind != "TERMINAL" and self.told.windows:
            alpha, beta = (
                cell_text(end[n], self.search.eps) for end in (self.search.alpha, self.search.beta)
            )
            window = f"α {alpha}, β {beta}"
            remarks.append(infinities(window))
            tooltip += f"\n{window}"
        cut = self.explanation.cut(n)
        if cut is not None:
            tooltip += f"\n{cut.reason}"
            if self.style.reasons:
                remarks += broken(cut.reason, _REASON_COLUMNS, 6)
        if n in self.tree.notes:
            tooltip += f"\n{escape(self.tree.notes[n][:1000])}"
        if n in self.numbered and kind != "TERMINAL":
            value += f"  @{self.shown.shared_number[n]}"
        if is_estimate:
            value = f"est. {value}"
        if kind == "TERMINAL" and not self.search.visits[n]:
            value = f"({value})"
        return Spot(
            kind, n, infinities(value), tuple(remarks), self.is_grey(n), is_estimate, tooltip
        )

    def elsewhere(self, row: Row) -> Spot:
        """What stands for a node whose own place is left out: a terminal itself, else the node's number."""
        if self.tree.columns.kind[row.node] == Kind.TERMINAL:
            return self.spot(row)
        text = f"{_LOOK.characters.arrow} @{self.shown.shared_number[row.node]}"
        return Spot(
            ELSEWHERE, row.node, text, (), self.is_grey(row.node), False, self.path(row.node)
        )

    def path(self, node: int) -> str:
        symbol = _LOOK.characters.kinds[_KIND_NAMES[self.tree.columns.kind[node]]]
        return node_name(self.tree, cast(Any, _LOOK), node).removeprefix(symbol)

    def add_note(self, found: Content, parent: int, row: Row) -> None:
        """Say what is left out below a node, at the end of a branch that stands for some."""
        begin = row.branch if row.branch >= 0 else self.tree.columns.first[row.parent]
        is_cut = begin <= self.first_cut(row.parent) < begin + row.hidden_branches
        text = left_out(row)
        child = found.add(Spot(NOTE, -1, "", broken(text, 10, 6), True, False, text))
        found.join(Link(parent, child, (), "", PLAIN, True, is_cut, True, text))

    # ---- Links.

    def link(self, row: Row, parent: int, child: int, is_first: bool) -> Link:
        p = self.tree.columns.probability[row.branch]
        is_outcome = self.tree.columns.kind[row.parent] == Kind.CHANCE
        written = self.tree.label[row.branch]
        label = (
            escape(self.tree.branch_label(row.parent, row.branch))
            if written or self.style.places
            else ""
        )
        is_cut = row.branch == self.first_cut(row.parent)
        is_grey = not p or self.is_grey(row.parent) or self.is_grey(row.node)
        in_order = self.search.algorithm.in_order
        is_grey = is_grey or (
            in_order and not row.is_first and 0 <= self.first_cut(row.parent) <= row.branch
        )
        return Link(
            parent,
            child,
            broken(label, _LABEL_COLUMNS, _LABEL_LINES),
            probability_text(p) if is_outcome else "",
            PLAIN if is_grey else self.rank(row.parent, row.branch),
            is_grey,
            is_cut,
            is_first,
            "\n".join(self.link_tooltip(row, is_outcome, is_cut)),
        )

    def link_tooltip(self, row: Row, is_outcome: bool, is_cut: bool) -> Iterator[str]:
        label = escape(self.tree.branch_label(row.parent, row.branch)[:1000])
        yield (
            f"{label}, p = {cell_text(self.tree.columns.probability[row.branch])}"
            if is_outcome
            else label
        )
        cut = self.explanation.cut(row.parent) if is_cut else None
        if cut is not None:
            yield cut.reason
        if row.branch in self.tree.branch_notes:
            yield escape(self.tree.branch_notes[row.branch][:1000])

    def rank(self, node: int, branch: int) -> int:
        if not self.search.is_best(node, branch):
            return PLAIN
        if node not in self.best:
            self.best[node] = next(self.search.best_branches(node))
        return BEST if branch == self.best[node] else TIE

    def first_cut(self, node: int) -> int:
        """Return the first branch of a node that a cut left, made there or (of a node that was probed) above; or -1."""
        if node not in self.cut_branch:
            self.cut_branch[node] = (
                next(self.cut_branches(node), -1) if self.search.visits[node] else -1
            )
        return self.cut_branch[node]

    def cut_branches(self, node: int) -> Iterator[int]:
        if not self.search.algorithm.player_cuts:
            return
        _, _, first, child, probability = self.tree.columns
        search, reason = self.search, self.explanation.reason
        begin = first[node]
        cut = self.explanation.cut(node)
        if cut is not None and not cut.probing and search.algorithm.in_order:
            begin += cut.after
        for b in range(begin, first[node + 1]):
            c = child[b]
            if not self.tree.is_first_path(c, b):
                is_left = search.algorithm.in_order or not search.visits[c]
                if (
                    cut is not None
                    and not cut.probing
                    and probability[b]
                    and search.lower[c] < search.upper[c]
                    and is_left
                ):
                    yield b
            elif reason[c] == CUT:
                yield b
        if cut is not None and not cut.probing:  # what it left has been entered before
            for b in range(begin, first[node + 1]):
                if probability[b] and search.lower[child[b]] < search.upper[child[b]]:
                    yield b


def left_out(row: Row) -> str:
    """Return what a note says of a run of branches that is left out."""
    if not row.hidden:
        return f"… {row.hidden_branches:,} more branch{'es' * (row.hidden_branches != 1)} to nodes drawn elsewhere"
    cuts = f", {row.hidden_cuts:,} cut{'s' * (row.hidden_cuts != 1)}" if row.hidden_cuts else ""
    return f"… {row.hidden:,} more node{'s' * (row.hidden != 1)}{cuts}"


def infinities(text: str) -> str:
    """Return a text whose infinite numbers are written as they are in a textbook."""
    return text.replace("inf", "∞")
