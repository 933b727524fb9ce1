"""A sheet as pages of A4, each an SVG: in a web page to print, or in a PDF file (extra `draw`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from xml.sax.saxutils import escape

from expectitree.base.errors import AnalysisError, install_hint
from expectitree.lab.sheets.variants import WIDTH, Sheet, Variant
from expectitree.picture.drawing import converted
from expectitree.picture.svg import FONTS, svg_lines
from expectitree.picture.text import broken, text_width

_AREA = 'width="595.3" height="841.9"'  # points
_LEFT, _TOP, _FOOT = 42.5, 46.0, 800.0
_SIZE, _LINE, _BETWEEN = 11.0, 15.0, 14.0  # a text; from line to line; between texts in a row
_COLUMNS = 92  # of a line
_ROWS = 46  # of the table on a page
_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<style>
@page { size: A4; margin: 0 }
body { margin: 0 }
body > svg { display: block; width: 210mm; height: 296.9mm; margin: auto; break-after: page }
@media screen { body { background: #ddd } body > svg { background: white; margin: 5mm auto } }
</style>
"""


def web_page(sheet: Sheet, is_key: bool) -> bytes:
    """Return the pages in one web page."""
    title = f"<title>{escape(sheet.title)}</title>\n<body>\n"
    return "".join([_HEAD, title, *_pages(sheet, is_key)]).encode()


def pdf(sheet: Sheet, is_key: bool) -> bytes:
    """Return the pages in a PDF file; raise `AnalysisError` where a library is missing."""
    files = [converted(page, "pdf") for page in _pages(sheet, is_key)]
    if find_spec("pypdf") is None:
        raise AnalysisError(f"a sheet as .pdf needs pypdf\n{install_hint('draw')}, or write .html")
    writer, stream = import_module("pypdf").PdfWriter(), BytesIO()
    for file in files:
        writer.append(BytesIO(file))
    writer.write(stream)
    return stream.getvalue()


def _pages(sheet: Sheet, is_key: bool) -> Iterator[str]:
    """Yield the exercises; or the solutions and the table of the answers.

    The table is below the first solution; it has pages of its own where it needs more room.
    """
    rows = sheet.rows * is_key
    top = _FOOT - _LINE * (len(rows) + 2)
    below: Iterator[str] = iter(())  # the first variant takes it
    picture, is_turned = sheet.variants[0].diagram(is_key)
    task = broken(sheet.task, _COLUMNS, 20)
    end = _TOP + 58 + _LINE * len(task) + picture.height * picture.scale
    if rows and not is_turned and end < top - _LINE:
        below = _table([sheet.columns, *rows], top)
        rows = []
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        yield _svg(sheet, "Answers", _table([sheet.columns, *part], _TOP + 30))
    for variant in sheet.variants:
        content = [*_exercise(sheet, variant, is_key), *below]
        yield _svg(sheet, f"Variant {variant.name}", content)


def _svg(sheet: Sheet, name: str, content: Iterable[str]) -> str:
    title = _text(_LEFT, _TOP, sheet.title, 15, 'font-weight="bold"')
    name = _text(_LEFT + WIDTH, _TOP, name, 15, 'font-weight="bold" text-anchor="end"')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {_AREA} viewBox="0 0 595.3 841.9"'
    return f'{head} font-family="{FONTS}">\n{title}{name}{"".join(content)}</svg>\n'


def _exercise(sheet: Sheet, variant: Variant, is_key: bool) -> Iterator[str]:
    yield _text(_LEFT, _TOP + 30, "Solution" if is_key else f"Name: {'_' * 40}")
    y = _TOP + 58
    for line in broken(sheet.task, _COLUMNS, 20):
        yield _text(_LEFT, y, line)
        y += _LINE
    picture, is_turned = variant.diagram(is_key, _FOOT - 20 - y)
    x = _LEFT + (WIDTH - picture.scale * picture.width) / 2
    if is_turned:
        x = _LEFT + (WIDTH + picture.scale * picture.height) / 2
    place = f"translate({x:.1f},{y:.1f}){' rotate(90)' * is_turned}"
    yield f'<g transform="{place}">{"".join(svg_lines(picture))}</g>'
    answers = [f"{name}: {text if is_key else '_' * 9}" for name, text in variant.answers.items()]
    yield from _row(_FOOT, answers, [text_width(text, _SIZE) for text in answers])


def _table(rows: list[list[str]], top: float) -> Iterator[str]:
    columns = zip(*rows, strict=True)
    widths = [max(text_width(text, _SIZE, True) for text in column) for column in columns]
    for place, row in enumerate(rows):
        yield from _row(top + place * _LINE, row, widths, 'font-weight="bold"' * (not place))


def _row(y: float, texts: list[str], widths: list[float], look: str = "") -> Iterator[str]:
    x = _LEFT
    for text, width in zip(texts, widths, strict=True):
        yield _text(x, y, text, look=look)
        x += width + _BETWEEN


def _text(x: float, y: float, text: str, size: float = _SIZE, look: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" {look}>{escape(text)}</text>\n'
