"""A sheet as a LaTeX document, whose trees are drawn by TikZ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from expectitree.lab.sheets.variants import Sheet, Variant
from expectitree.picture.diagram import Diagram
from expectitree.picture.hidden import BLANK
from expectitree.picture.marks import THEMES, Line, Mark, Point, Text

_COLOURS = THEMES["light"]
_PREAMBLE = r"""\documentclass[a4paper,11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[scaled]{helvet}
\usepackage[margin=15mm]{geometry}
\usepackage{longtable,tikz}
\renewcommand{\familydefault}{\sfdefault}
\setlength{\parindent}{0pt}
\pagestyle{empty}
"""
_SPECIAL = {letter: rf"\{letter}" for letter in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "α": r"$\alpha$", "β": r"$\beta$", "−": "$-$", "∞": r"$\infty$", "≤": r"$\le$", "≥": r"$\ge$",
    "\xa0": "~", "…": r"\dots{}", "→": r"$\to$",
}  # fmt: skip
_ESCAPED = re.compile("|".join(map(re.escape, (BLANK, *_SPECIAL))))


def document(sheet: Sheet, is_key: bool) -> bytes:
    """Return the document with the exercises, or with all answers and the solutions."""
    return "".join(f"{line}\n" for line in _lines(sheet, is_key)).encode()


def _lines(sheet: Sheet, is_key: bool) -> Iterator[str]:
    yield _PREAMBLE
    for name, colour in _COLOURS.items():
        yield rf"\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}"
    yield r"\begin{document}"
    for variant in sheet.variants:
        yield from _page(sheet, variant, is_key)
        if is_key and variant is sheet.variants[0]:
            yield from _table(sheet)
        yield r"\newpage"
    yield r"\end{document}"


def _table(sheet: Sheet) -> Iterator[str]:
    yield rf"\begin{{longtable}}[l]{{{'l' * len(sheet.columns)}}}"
    yield " & ".join(map(_text, sheet.columns)) + r" \\ \hline\noalign{\smallskip}\endhead"
    for row in sheet.rows:
        yield " & ".join(map(_text, row)) + r" \\"
    yield r"\end{longtable}"


def _page(sheet: Sheet, variant: Variant, is_key: bool) -> Iterator[str]:
    yield rf"\section*{{{_text(sheet.title)} \hfill Variant {variant.name}}}"
    yield ("Solution" if is_key else rf"Name: {_rule('70mm')}") + r"\par\bigskip"
    yield _text(sheet.task) + r"\par"
    yield r"\begin{center}"
    picture, is_turned = variant.diagram(is_key)
    yield r"\rotatebox{-90}{%" if is_turned else "{%"
    yield from _tikz(picture)
    yield r"}\end{center}\vfill"
    answers = variant.answers.items()
    filled_in = (f"{_text(name)}: {_text(text) if is_key else _rule()}" for name, text in answers)
    yield r"\hfill ".join(filled_in) + "\n"


def _rule(width: str = "20mm") -> str:
    return rf"\rule[-2pt]{{{width}}}{{0.4pt}}"


def _text(text: str) -> str:
    return _ESCAPED.sub(lambda found: _SPECIAL.get(found[0]) or _rule("4.5em"), text)


def _tikz(picture: Diagram) -> Iterator[str]:
    scale = picture.scale
    yield rf"\begin{{tikzpicture}}[x={scale:.4f}bp,y=-{scale:.4f}bp,inner sep=0pt]"
    yield rf"\useasboundingbox (0,0) rectangle ({picture.width:.1f},{picture.height:.1f});"
    for mark in (mark for group in picture.groups for mark in group.marks):
        yield _mark(mark, scale)
    yield r"\end{tikzpicture}"


def _mark(mark: Mark, scale: float) -> str:
    if isinstance(mark, Text):
        size = mark.size * scale
        font = rf"\fontsize{{{size:.1f}bp}}{{{size:.1f}bp}}\selectfont"
        look = f"anchor=base{' west' * (not mark.is_centred)},text={mark.colour},font={font}"
        look += r"\bfseries" * mark.is_bold
        return rf"\node[{look}] at {_points([(mark.x, mark.y)])} {{{_text(mark.text)}}};"
    pen = f"line width={mark.width * scale:.2f}bp"
    if isinstance(mark, Line):
        if mark.dashes:
            on, off = mark.dashes.split()
            pen += f",dash pattern=on {on}bp off {off}bp"
        paths = []
        for points, curve, rest in mark.paths:
            path = _points(points)
            if curve:
                path += f" .. controls {_points(curve[:2], ' and ')} .. {_points(curve[2:])}"
            paths.append(path + (f" -- {_points(rest)}" if rest else ""))
        return rf"\draw[{pen},draw={mark.colour}] {' '.join(paths)};"
    pen += ",dashed" * mark.is_dashed + f",fill={mark.colour},draw={mark.colour}line"
    x, y, right, bottom = mark.box
    if mark.shape == "CIRCLE":
        middle = _points([((x + right) / 2, (y + bottom) / 2)])
        return rf"\filldraw[{pen}] {middle} circle[radius={(right - x) / 2 * scale:.1f}bp];"
    if mark.shape == "BOX":
        ends = _points([(x, y), (right, bottom)], " rectangle ")
        return rf"\filldraw[{pen},rounded corners=2bp] {ends};"
    return rf"\filldraw[{pen}] {_points(mark.triangle.points)} -- cycle;"


def _points(points: Iterable[Point], between: str = " -- ") -> str:
    return between.join(f"({x:.1f},{y:.1f})" for x, y in points)
