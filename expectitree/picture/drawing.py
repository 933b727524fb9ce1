"""Pictures of trees and searches as files or as text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import fields
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.errors import AnalysisError, install_hint
from expectitree.base.numbers import INFINITY, quote, show_exact
from expectitree.base.tables import PICTURES, module_of
from expectitree.base.tree.model import Tree
from expectitree.files.writing import write_marked
from expectitree.picture import CHOICES
from expectitree.picture.content import Lines, Style, content
from expectitree.picture.hidden import evaluate_known
from expectitree.searches.result import Search

if TYPE_CHECKING:
    from expectitree.picture.notebook import Picture

PAGE = "html"
CONVERTED = ("png", "pdf")
SCALE = 2.0  # pixels of a .png for each unit of the SVG
MAX_PIXELS = 12_000  # of a side of a .png; a larger picture is made smaller
_NUMBERS = (
    ("rows", int, "a whole number, 1 or more, or None for all"),
    ("width", int | float, "a number of pixels, 1 or more, or None"),
)


class Drawn(NamedTuple):
    """The content of a file with a picture."""

    data: str | bytes
    shown: Lines = ()  # how many nodes are drawn, if not all are


def draw(
    found: Tree | Search, path: str | os.PathLike[str] | None = None, **options: Any
) -> Picture | None:
    """Write a picture of a tree or a search to a file, in the format of the file's ending.

    A tree is drawn with its values. A search is drawn with what it visited, and its cuts. Without
    a path, `draw` returns the picture as the text of an SVG file, which a notebook shows.

        >>> import expectitree as et
        >>> tree = et.load("example:risk")
        >>> picture = et.draw(tree, title=False)  # the last line of a cell: it is shown
        >>> et.draw(tree, "risk.svg")  # doctest: +SKIP
        >>> et.draw(et.evaluate(tree, "star1"), "risk.pdf", windows=True)  # doctest: +SKIP
        >>> et.draw(tree, "risk.html", algorithms=["star1", "star2"])  # doctest: +SKIP

    Args:
        found: The tree or the search.
        path: The file. Its name ends in .svg, .png, .pdf, .dot, .mmd (Mermaid) or .html (a
            page that replays the search step by step, offline). Without it, the function returns
            the text of an SVG picture, which a notebook shows.
        options: Those of `to_svg`, or for a page those of `to_html`.

    Raises:
        AnalysisError: The ending or an option is unknown, or the library for .png and .pdf is
            missing.
        FileError: The file cannot be written.
        SearchError: The tree cannot be evaluated.
    """
    if path is None:
        from expectitree.picture.notebook import Picture

        return Picture(to_svg(found, **options))
    name = os.fspath(path)
    kind = kind_of(name)
    if kind == PAGE:
        _check_names(options, "page", ["algorithms", "bounds", "max_visits"])
        write(page(found, **options), name)
    else:
        write(picture(found, kind, **options).data, name)
    return None


def page(found: Tree | Search, algorithms: Any = None, **options: Any) -> str:
    """Return what `to_html` returns; only those who draw a page import its module."""
    return str(module_of(PICTURES[f".{PAGE}"]).to_html(found, algorithms, **options))


def to_svg(found: Tree | Search, **options: Any) -> str:
    """Return the picture of a tree or a search as the text of an SVG file.

        >>> import expectitree as et
        >>> et.to_svg(et.loads("max: {left: 3, right: 4}"), theme="dark", title=False)[:4]
        '<svg'

    Args:
        found: The tree, which is drawn with its values, or the search.
        options: `rows`: draw about so many nodes, by default 100; None draws all. `theme`: "light"
            or "dark". `direction`: "down", "right" or "auto", which takes what fits the width.
            `width`: the most, with text of 9 pixels or more; None sets no limit. `title=False`
            leaves out the title and the result. `style`: "game" draws MAX and MIN as triangles,
            "decision" decisions as squares and ends as triangles, and "auto" a tree without MIN
            that has rewards, parameters or criteria as "decision". `totals=True` adds to each
            terminal what its path pays in all. `windows=True` shows alpha and beta of each node
            that was entered, `reasons` the reason for each cut, and `strategy` only what optimal
            play can reach. `blank=True` draws an exercise, with lines to write on, and
            `solution=True` the same picture filled in, with everything in the same place.

    Raises:
        AnalysisError: An option or its value is unknown, the width is too small for legible
            text, or the search does not know the strategy.
        SearchError: The tree cannot be evaluated.
    """
    return str(picture(found, "svg", **options).data)


def picture(
    found: Tree | Search,
    kind: str,
    *,
    windows: bool = False,
    strategy: bool = False,
    file: str = "",
    **style: Any,
) -> Drawn:
    """Return a picture of a kind such as "svg".

    `style` has the fields of `Style`. Raises `AnalysisError` for any other name.
    """
    names = (field.name for field in fields(Style))
    _check_names(style, "picture", ["windows", "strategy", *names])
    wanted = Style(**style)
    for name, values in CHOICES.items():
        _check(wanted, name, getattr(wanted, name) in values, " or ".join(values))
    for name, kinds, expected in _NUMBERS:
        number = getattr(wanted, name)
        is_right = number is None or (isinstance(number, kinds) and 1 <= number < INFINITY)
        _check(wanted, name, is_right, expected)
    if wanted.solution and (wanted.blank or wanted.reasons):
        other = "an exercise" if wanted.blank else "a picture with reasons"
        raise AnalysisError(f"a picture is {other}, or a solution in its places\nchoose one")
    search = found if isinstance(found, Search) else evaluate_known(found)
    with show_exact(search.exact):
        return drawn(kind, Evaluation(file, search, windows, None, strategy), wanted)


def drawn(kind: str, evaluation: Evaluation, style: Style) -> Drawn:
    """Return a picture of a kind."""
    if kind in CONVERTED:
        svg = drawn("svg", evaluation, style)
        return svg._replace(data=converted(str(svg.data), kind, style.width))
    found = content(evaluation, style, folded=kind == "svg")
    lines = module_of(PICTURES[f".{kind}"]).draw(found, style)
    return Drawn("".join(f"{line}\n" for line in lines), found.shown)


def converted(svg: str, kind: str, width: float | None = None) -> bytes:
    """Return a picture as "pdf", or as "png" of at most `width` pixels."""
    if kind == "pdf":
        return bytes(_converter().svg_to_pdf(svg))
    sides = [float(svg.split(f' {side}="', 1)[1].split('"', 1)[0]) for side in ("width", "height")]
    scale = min(SCALE, (width or INFINITY) / sides[0], MAX_PIXELS / max(sides))
    return bytes(_converter().svg_to_png(svg, scale=scale))


def _converter() -> Any:
    """Return the library that converts SVG (extra `draw`); raise an error where it is missing."""
    if find_spec("vl_convert") is None:
        raise AnalysisError(
            f"pictures as .png and .pdf need vl-convert\n{install_hint('draw')}, or draw .svg"
        )
    return import_module("vl_convert")


def kind_of(name: str) -> str:
    """Return the kind of picture that a file's ending means, such as "svg".

    Raises `AnalysisError` if the ending is unknown, or the kind needs a library that is missing.
    """
    ending = os.path.splitext(name)[1].lower()
    if ending not in PICTURES:
        raise AnalysisError(f"{name}: a picture's ending is one of {', '.join(PICTURES)}")
    kind = ending[1:]
    if kind in CONVERTED:
        _converter()
    return kind


def write(picture: str | bytes, name: str) -> None:
    """Write a picture to a file, whole or not at all."""
    if isinstance(picture, str):
        picture = picture.encode()
    write_marked(picture, name)


def _check_names(options: Iterable[str], what: str, known: Sequence[str]) -> None:
    for name in options:
        if name not in known:
            choices = ", ".join(known)
            raise AnalysisError(f"unknown option {name!r} of a {what}\nchoose among {choices}")


def _check(style: Style, name: str, is_right: bool, expected: str) -> None:
    if not is_right:
        found = quote(str(getattr(style, name)))
        raise AnalysisError(f"found {found} as {name}, expected {expected}")
