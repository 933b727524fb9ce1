r"""A picture as a LaTeX document with TikZ, which people can edit by hand.

Nodes have names made of their paths, and branches lead from name to name, so they follow a node
that is moved. Kinds of nodes and branches are named styles. All is within one `tikzpicture`, so
that another document can `\input` it.

It compiles with pdfLaTeX, XeLaTeX and LuaLaTeX, and needs `standalone` and `tikz`. pdfLaTeX has
only Latin letters: it writes others by number, as [U+4E2D].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from math import dist

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, PLAIN, PLAYED, TIE, Edge, Glyph, Style
from expectitree.picture.diagram import Diagram, diagram
from expectitree.picture.marks import Box, Group, Line, Point, Symbol, Text
from expectitree.picture.tex import escaped
from expectitree.picture.theme import THEMES
from expectitree.tree.model import Tree

_MAX_NAME_LENGTH = 40
_NEAR = 5.0  # a bend so near to the one before needs no point of its own
_LOWERED = {"MAX": 2 / 0.75, "MIN": -2 / 0.75}  # by the `yshift` of their styles
_REACH = 17.0  # from a symbol's middle to where a branch may begin
_NARROWEST = 18.5  # of a terminal's box; wider ones say how wide they are
_RANKS = {PLAIN: "branch", TIE: "tied branch", BEST: "best branch", PLAYED: "played branch"}
_MACROS = r"""
\providecommand{\other}[2]{\ifdefined\XeTeXversion#1\else\ifdefined\directlua#1\else#2\fi\fi}
\providecommand{\blank}{\rule[-0.3ex]{2.6em}{0.4pt}}
\providecommand{\remark}[1]{{\footnotesize\color{tree-dim}#1}}
\tikzset{
  player/.style={shape=regular polygon, regular polygon sides=3, inner sep=0pt, line width=1bp,
    minimum size=21bp},
  max node/.style={player, yshift=-2bp, draw=tree-MAXline, fill=tree-MAX},
  min node/.style={player, yshift=2bp, shape border rotate=180, draw=tree-MINline, fill=tree-MIN},
  chance node/.style={shape=circle, inner sep=0pt, minimum size=18bp, line width=1bp,
    draw=tree-CHANCEline, fill=tree-CHANCE},
  terminal node/.style={shape=rectangle, rounded corners=2bp, inner sep=2bp, line width=1bp,
    minimum width=18bp, minimum height=16bp, text=tree-ink, draw=tree-TERMINALline,
    fill=tree-TERMINAL},
  best leaf/.style={draw=tree-ink, line width=1.8bp, font=\sffamily\bfseries},
  not visited/.style={draw=tree-hiddenline, fill=tree-hidden, text=tree-grey},
  estimate/.style={dashed},
  value/.style={align=left, inner xsep=4bp, inner ysep=0bp, text=tree-ink},
  note/.style={align=center, inner sep=1bp, font=\sffamily\footnotesize, text=tree-grey},
  heading/.style={anchor=south west, align=left, inner sep=0pt, yshift=9bp, text=tree-ink},
  branch/.style={draw=tree-line, line width=0.9bp},
  tied branch/.style={branch, draw=tree-ink, line width=1.2bp},
  best branch/.style={branch, draw=tree-ink, line width=1.5bp},
  played branch/.style={branch, draw=tree-ink, line width=2.2bp},
  branch not visited/.style={draw=tree-grey, line width=0.7bp, dashed},
  branch label/.style={align=center, inner sep=1bp, fill=tree-paper, font=\sffamily\small,
    text=tree-ink},
  played label/.style={branch label, font=\sffamily\small\bfseries},
  label not visited/.style={branch label, text=tree-grey},
  cut/.style={postaction={decorate}, decoration={markings, mark=at position #1 with {
    \draw[solid, draw=tree-cut, line width=1.5bp]
      (-1.6bp,-5bp) -- (-1.6bp,5bp) (1.6bp,-5bp) -- (1.6bp,5bp);}}},
}
""".strip()


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a LaTeX document with the picture alone on its page."""
    picture = diagram(evaluation, style or Style())
    yield r"\documentclass[tikz,border=8bp]{standalone}"
    yield r"\usetikzlibrary{shapes.geometric,decorations.markings,backgrounds}"
    yield r"\begin{document}"
    yield from _Writer(picture, evaluation.shown.tree).lines()
    yield r"\end{document}"


class _Writer:
    """Writes the nodes and the branches of a picture."""

    def __init__(self, picture: Diagram, tree: Tree) -> None:
        self.picture, self.tree = picture, tree
        self.name: dict[Glyph, str] = {}
        self.box: dict[Glyph, Box] = {}  # of a node with its texts
        self.middle: dict[Glyph, Point] = {}  # of its symbol

    def lines(self) -> Iterator[str]:
        """Yield the lines of the `tikzpicture`."""
        theme, groups = self.picture.style.theme, self.picture.groups
        options = r"x=0.75bp, y=-0.75bp, font=\sffamily"
        if theme == "dark":
            options += ", show background rectangle, inner frame sep=9bp"
            options += ", background rectangle/.style={fill=tree-paper}"
        yield rf"\begin{{tikzpicture}}[{options}]"
        for name, colour in THEMES[theme].items():
            yield rf"\definecolor{{tree-{name}}}{{HTML}}{{{colour[1:].upper()}}}"
        yield _MACROS
        yield "% The nodes."
        for group in groups:
            if isinstance(group.of, Glyph):
                yield self.node(group.of, group)
        yield "% The branches, which follow their nodes."
        texts = {g.of: g for g in groups if isinstance(g.of, Edge) and isinstance(g.marks[0], Text)}
        for group in groups:
            if isinstance(group.of, Edge) and isinstance(group.marks[0], Line):
                yield self.branch(group.of, group, texts.get(group.of))
        yield from self.heading()
        yield r"\end{tikzpicture}"

    def heading(self) -> Iterator[str]:
        content = self.picture.content
        if self.picture.style.title:
            lines = [rf"\textbf{{{escaped(content.title)}}}"] if content.title else []
            lines += [rf"\small {escaped(line)}" for line in content.summary]
            text = r"\\[2bp] ".join(lines)
            width = f"text width={max(300, self.picture.width - 32) * 0.75:.0f}bp"
            yield rf"\node[heading, {width}] at (current bounding box.north west) {{{text}}};"

    # ---- Nodes.

    def node(self, glyph: Glyph, group: Group) -> str:
        """Return a node with its value."""
        assert group.box is not None
        texts = [mark for mark in group.marks if isinstance(mark, Text)]
        symbol = next((mark for mark in group.marks if isinstance(mark, Symbol)), None)
        box = group.box if symbol is None else symbol.box
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        self.middle[glyph] = x, y + _LOWERED.get(symbol.kind if symbol else "", 0)
        self.box[glyph] = group.box
        name = self.name[glyph] = self.new_name(glyph)
        lines = [escaped(text.text) for text in texts]
        place = f"({name}) at {_point(x, y)}"
        if symbol is None:
            return rf"\node[note] {place} {{{_stacked(lines)}}};"
        styles = [f"{symbol.kind.lower()} node"]
        if symbol.colour in ("hidden", "best"):
            styles.append({"hidden": "not visited", "best": "best leaf"}[symbol.colour])
        styles += ["estimate"] * symbol.is_dashed
        if symbol.kind == "TERMINAL":
            wide = (box.right - box.left) * 0.75
            styles += [f"minimum width={wide:.0f}bp"] * (wide > _NARROWEST)
            return rf"\node[{', '.join(styles)}] {place} {{{_stacked(lines)}}};"
        if any(lines):
            down = (texts[0].y + texts[-1].y) / 2 - texts[0].size * 0.35 - y
            value = ["value", *["text=tree-grey"] * (symbol.colour == "hidden")]
            value += [f"yshift={1 - down * 0.75:.0f}bp"] * (down > 3)
            remarks = [rf"\remark{{{line}}}" for line in lines[1:]]
            text = r"\\[-2bp] ".join([lines[0], *remarks])
            styles.append(f"label={{[{', '.join(value)}]right:{{{text}}}}}")
        return rf"\node[{', '.join(styles)}] {place} {{}};"

    def new_name(self, glyph: Glyph) -> str:
        """Return a name that no other node has: the path, where TikZ allows that."""
        path = self.tree.path_of(glyph.node) if glyph.node >= 0 else "note"
        name = re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-") or "root"
        if len(name) > _MAX_NAME_LENGTH or not path.isascii():
            name = f"node-{glyph.node}"
        names, number = set(self.name.values()), 2
        unique = name
        while unique in names:
            unique, number = f"{name}-again-{number}", number + 1
        return unique

    # ---- Branches.

    def branch(self, edge: Edge, group: Group, label: Group | None) -> str:
        """Return the line between two nodes, with its label and the strokes of a cut."""
        line = group.marks[0]
        assert isinstance(line, Line)
        here = line.paths[0].points[0]
        ends = [edge.parent, edge.child]
        if not _is_within(here, self.box[edge.parent]):  # a gap in a run of leaves
            ends = []
        stops: list[tuple[Point, ...]] = []  # each a point, perhaps behind those of its curve
        for path in line.paths:
            stops += [(point,) for point in path.points[1:]]
            stops += [path.curve] if path.curve else []
            stops += [(point,) for point in path.rest]
        style = "branch not visited" if edge.is_grey else _RANKS[edge.rank]
        if len(group.marks) > 1:
            style += f", cut={_place_of_cut([here, *(stop[-1] for stop in stops)], group):.2f}"
        text = rf"\draw[{style}] {self.place(here, ends)}"
        at_label = len(line.paths[0].points) - 2
        for number, (*curve, point) in enumerate(stops):
            is_last = number == len(stops) - 1
            through = ""
            if label and number == at_label + 1:
                through = self.label(edge, label, here, point)
            elif not (is_last or curve or number == at_label) and dist(here, point) < _NEAR:
                continue
            place = self.place(point, ends)
            if curve:
                first, second = (self.place(control, ends) for control in curve)
                text += f" .. controls {first} and {second} .. {place}"
            else:
                text += f" -- {through}{place}"
            here = point
        return f"{text};"

    def label(self, edge: Edge, group: Group, before: Point, after: Point) -> str:
        """Return the label of a branch as a node on the line between two points."""
        assert group.box is not None
        box, style = group.box, "label not visited" if edge.is_grey else "branch label"
        middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        if edge.rank == PLAYED:
            style = "played label"
        part = dist(before, middle) / dist(before, after)
        lines = [escaped(mark.text) for mark in group.marks if isinstance(mark, Text)]
        return f"node[{style}, pos={part:.2f}] {{{_stacked(lines)}}} "

    def place(self, point: Point, ends: list[Glyph]) -> str:
        """Return a point relative to the nearer one of two nodes, or the side of a node there."""
        known = [glyph for glyph in ends if glyph in self.name]
        if not known:
            return _point(*point)
        near = min(known, key=lambda glyph: dist(point, self.middle[glyph]))
        name, (x, y) = self.name[near], self.middle[near]
        right, down = point[0] - x, point[1] - y
        if abs(right) < 1 and abs(down) < _REACH:
            return f"({name}.south)" if down > 0 else f"({name}.north)"
        if abs(down) < 4 and right < 0 and _is_within(point, self.box[near]):
            return f"({name}.west)"
        return f"([shift={{{_point(right, down)}}}]{name}.center)"


def _is_within(point: Point, box: Box) -> bool:
    """Return whether a point is in a box or at its border."""
    (x, y), slack = point, 6
    is_beside = x < box.left - slack or x > box.right + slack
    return not is_beside and box.top - slack <= y <= box.bottom + slack


def _place_of_cut(points: list[Point], group: Group) -> float:
    """Return how far along its branch a cut is, as a part of the length."""
    strokes = group.marks[1]
    assert isinstance(strokes, Line)
    ends = [point for path in strokes.paths for point in path.points]
    cut = sum(x for x, _ in ends) / len(ends), sum(y for _, y in ends) / len(ends)
    before = total = 0.0
    detour = None  # of the segment that passes the cut
    for one, other in pairwise(points):
        extra = dist(one, cut) + dist(cut, other) - dist(one, other)
        if detour is None or extra < detour:
            detour, before = extra, total + dist(one, cut)
        total += dist(one, other)
    return before / total


def _point(x: float, y: float) -> str:
    return f"({x + 0:.4g},{y + 0:.4g})"


def _stacked(lines: list[str]) -> str:
    return r"\\ ".join(lines)
