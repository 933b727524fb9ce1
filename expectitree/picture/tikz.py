r"""A picture as a LaTeX document with TikZ: the diagram gives the places, and TeX sets the texts.

It compiles with pdfLaTeX, XeLaTeX and LuaLaTeX and needs `tikz`, `geometry` and `fix-cm`, which
every distribution has. pdfLaTeX has only Latin letters: it writes others by number, as [U+4E2D].
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, normalize

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Style
from expectitree.picture.diagram import (
    HALF,
    Diagram,
    Path,
    PlacedEdge,
    PlacedGlyph,
    Point,
    Text,
    diagram,
)
from expectitree.picture.svg import (
    SYMBOLS,
    THEMES,
    edge_colour,
    glyph_colour,
    importance,
    triangle,
)

_POINTS = 0.75  # TeX's points for a unit of the diagram
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$",
    ">": "$>$", "|": "$|$", '"': r"\char34{}", "'": "'{}", "`": r"\`{}", "-": "-{}",
    "…": r"\ldots{}", "∞": r"$\infty$", "→": r"$\to$", "α": r"$\alpha$", "β": r"$\beta$",
    "·": r"$\cdot$",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_LETTERS = {
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a LaTeX document with the picture alone on its page."""
    yield from _Tikz(diagram(evaluation, style or Style())).lines()


class _Tikz:
    def __init__(self, picture: Diagram) -> None:
        self.picture, self.colours = picture, THEMES[picture.style.theme]

    def lines(self) -> Iterator[str]:
        picture = self.picture
        # TeX needs a little more room below than the picture takes, or it begins another page.
        size = f"paperwidth={picture.width * _POINTS:.1f}bp"
        size += f",paperheight={picture.height * _POINTS + 4:.1f}bp"
        yield r"\RequirePackage{fix-cm} % letters of any size"
        yield r"\documentclass{article}"
        yield rf"\usepackage[{size},margin=0pt]{{geometry}}"
        yield r"\usepackage{tikz}"
        yield r"\pagestyle{empty}\setlength{\parindent}{0pt}\setlength{\topskip}{0pt}"
        yield r"\renewcommand{\familydefault}{\sfdefault}"
        yield (
            r"\newcommand{\other}[2]"
            r"{\ifdefined\XeTeXversion#1\else\ifdefined\directlua#1\else#2\fi\fi}"
        )
        for name, colour in self.colours.items():
            colours = [colour] if isinstance(colour, str) else colour
            for part, value in zip(("", "line"), colours, strict=False):
                yield rf"\definecolor{{{name}{part}}}{{HTML}}{{{value[1:].upper()}}}"
        yield r"\begin{document}"
        yield r"\begin{tikzpicture}[x=0.75bp,y=-0.75bp,line width=0.9bp]"
        corner = _p((picture.width, picture.height))
        yield rf"\useasboundingbox (0,0) rectangle {corner};"
        yield rf"\fill[paper] (0,0) rectangle {corner};"
        for text in picture.heading:
            yield self.text(text, "ink" if text.is_bold else "dim")
        for placed in sorted(picture.edges, key=importance):
            yield from self.edge(placed)
        for placed in picture.edges:
            for text in placed.texts:
                yield self.text(text, edge_colour(placed), on_paper=True)
        for glyph in picture.glyphs:
            yield from self.glyph(glyph)
        yield r"\end{tikzpicture}"
        yield r"\end{document}"

    def edge(self, placed: PlacedEdge) -> Iterator[str]:
        look = "line"
        if placed.edge.is_grey:
            look = "grey,dashed,line width=0.75bp"
        elif placed.edge.rank:
            look = f"ink,line width={2.2 if placed.edge.rank == BEST else 1.5}bp"
        for path in placed.paths:
            yield rf"\draw[{look}] {_path(path)};"
        for start, end in placed.strokes:
            yield rf"\draw[cut,line width=1.5bp] {_p(start)} -- {_p(end)};"

    def glyph(self, placed: PlacedGlyph) -> Iterator[str]:
        glyph, x = placed.glyph, placed.x
        if glyph.kind == "CHANCE":
            shape = f"{_p((x, placed.y))} circle[radius={HALF * _POINTS:.2f}bp]"
        elif glyph.kind == "TERMINAL":
            corners = (
                (x - placed.half_width, placed.box.top),
                (x + placed.half_width, placed.box.bottom),
            )
            shape = " rectangle ".join(map(_p, corners))
        else:
            shape = " -- ".join([*map(_p, triangle(placed)), "cycle"])
        if glyph.kind in SYMBOLS:
            name = "hidden" if glyph.is_grey else glyph.kind
            dashed = ",dashed" if glyph.is_estimate else ""
            yield rf"\filldraw[fill={name},draw={name}line,line join=round{dashed}] {shape};"
        for position, text in enumerate(placed.texts):
            yield self.text(text, glyph_colour(placed, position))

    def text(self, text: Text, colour: str, on_paper: bool = False) -> str:
        anchor = "base" if text.anchor == "middle" else "base west"
        font = rf"\fontsize{{{text.size * _POINTS:.2f}}}{{{text.size:.2f}}}\selectfont"
        bold = r"\bfseries" if text.is_bold else ""
        paper = ",fill=paper,inner sep=1pt" if on_paper else ",inner sep=0pt"
        where = rf"\node[anchor={anchor},text={colour}{paper}] at {_p((text.x, text.y))}"
        return f"{where} {{{font}{bold} {escaped(text.text)}}};"


def escaped(text: str) -> str:
    """Return a text with every character escaped for TeX."""
    return "".join(map(_letter, text))


def _letter(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _LETTERS:
        return _LETTERS[character]
    if " " <= character <= "~":
        return character
    base, *marks = list(normalize("NFD", character))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        dotless = rf"\{base}" if base in "ij" and marks[0] != "\u0327" else base
        return rf"\{_ACCENTS[marks[0]]}{{{dotless}}}"
    if combining(character) or ord(character) < 32:
        return ""
    return rf"\other{{{character}}}{{[U+{ord(character):04X}]}}"


def _path(path: Path) -> str:
    text = " -- ".join(map(_p, path.points))
    if path.curve:
        first, second, end = path.curve
        text += f" .. controls {_p(first)} and {_p(second)} .. {_p(end)}"
    return text + (f" -- {_p(path.goal)}" if path.goal else "")


def _p(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"
