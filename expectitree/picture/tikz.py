r"""A picture as a LaTeX document with TikZ: the diagram gives the places, and TeX sets the texts.

It compiles with pdfLaTeX, XeLaTeX and LuaLaTeX and needs `tikz`, `geometry` and `fix-cm`, which
every distribution has. pdfLaTeX has only Latin letters: it writes others by number, as [U+4E2D].
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining, normalize

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import Style
from expectitree.picture.diagram import diagram
from expectitree.picture.marks import Line, Mark, Path, Point, Symbol, Text
from expectitree.picture.theme import THEMES

_POINTS = 0.75  # TeX's points for a unit of the diagram
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$",
    ">": "$>$", "|": "$|$", '"': r"\char34{}", "'": "'{}", "`": r"\`{}", "-": "-{}",
    "…": r"\ldots{}", "∞": r"$\infty$", "→": r"$\to$", "α": r"$\alpha$", "β": r"$\beta$",
    "·": r"$\cdot$", "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_LETTERS = {
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip


_OTHER = (
    r"\newcommand{\other}[2]{\ifdefined\XeTeXversion#1\else\ifdefined\directlua#1\else#2\fi\fi}"
)


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a LaTeX document with the picture alone on its page."""
    picture = diagram(evaluation, style or Style())
    # TeX needs a little more room below than the picture takes, or it begins another page.
    size = f"paperwidth={picture.width * _POINTS:.1f}bp"
    size += f",paperheight={picture.height * _POINTS + 4:.1f}bp"
    yield r"\RequirePackage{fix-cm} % letters of any size"
    yield r"\documentclass{article}"
    yield rf"\usepackage[{size},margin=0pt]{{geometry}}"
    yield r"\usepackage{tikz}"
    yield r"\pagestyle{empty}\setlength{\parindent}{0pt}\setlength{\topskip}{0pt}"
    yield r"\renewcommand{\familydefault}{\sfdefault}"
    yield _OTHER
    for name, colour in THEMES[picture.style.theme].items():
        yield rf"\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}"
    yield r"\begin{document}"
    yield r"\begin{tikzpicture}[x=0.75bp,y=-0.75bp]"
    corner = _point((picture.width, picture.height))
    yield rf"\useasboundingbox (0,0) rectangle {corner};"
    yield rf"\fill[paper] (0,0) rectangle {corner};"
    for group in picture.groups:
        for mark in group.marks:
            yield from _mark(mark)
    yield r"\end{tikzpicture}"
    yield r"\end{document}"


def _mark(mark: Mark) -> Iterator[str]:
    if isinstance(mark, Text):
        anchor = "base" if mark.is_centred else "base west"
        font = rf"\fontsize{{{mark.size * _POINTS:.2f}}}{{{mark.size:.2f}}}\selectfont"
        bold = r"\bfseries" if mark.is_bold else ""
        paper = "fill=paper,inner sep=1pt" if mark.has_rim else "inner sep=0pt"
        where = rf"\node[anchor={anchor},text={mark.colour},{paper}] at {_point((mark.x, mark.y))}"
        yield f"{where} {{{font}{bold} {escaped(mark.text)}}};"
        return
    pen = f"line width={mark.width * _POINTS:.2f}bp{',dashed' if mark.is_dashed else ''}"
    if isinstance(mark, Line):
        for path in mark.paths:
            yield rf"\draw[{mark.colour},{pen}] {_path(path)};"
    else:
        area = f"fill={mark.colour},draw={mark.colour}line,line join=round"
        yield rf"\filldraw[{area},{pen}] {_shape(mark)};"


def _shape(symbol: Symbol) -> str:
    left, top, right, bottom = symbol.box
    if symbol.kind == "CHANCE":
        middle = _point(((left + right) / 2, (top + bottom) / 2))
        return f"{middle} circle[radius={(right - left) / 2 * _POINTS:.2f}bp]"
    if symbol.kind == "TERMINAL":
        return f"{_point((left, top))} rectangle {_point((right, bottom))}"
    return f"{_path(symbol.triangle)} -- cycle"


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
    text = " -- ".join(map(_point, path.points))
    if path.curve:
        first, second, end = map(_point, path.curve)
        text += f" .. controls {first} and {second} .. {end}"
    return text + "".join(f" -- {_point(point)}" for point in path.rest)


def _point(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"
