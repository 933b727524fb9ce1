"""A sheet as questions for Moodle: https://docs.moodle.org/en/Moodle_XML_format.

Each variant has a numerical question for each number: the value, and the counts of a search that
prunes. The exercise is a picture in the question, and the solution a picture in its feedback.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from fractions import Fraction
from html import escape
from xml.etree import ElementTree

from expectitree.base.numbers import Number, decimal_text, to_exact
from expectitree.lab.sheets.variants import Sheet, Variant
from expectitree.picture.svg import svg_lines

_NEAREST = Fraction(1, 200)  # half of a hundredth, or of a percent of a number below 1


def quiz(sheet: Sheet, is_key: bool) -> bytes:
    """Return all questions, which have their answers."""
    root = ElementTree.Element("quiz")
    category = ElementTree.SubElement(root, "question", type="category")
    _add(category, "category", "$course$/" + sheet.title.replace("/", "//"))
    for variant in sheet.variants:
        for name, number in _numbers(variant):
            question = ElementTree.SubElement(root, "question", type="numerical")
            _add(question, "name", f"{sheet.title}, variant {variant.name}: {name}")
            value = decimal_text(number)
            # What has at most two decimals is asked for exactly.
            is_short = to_exact(number) * 100 % 1 == 0
            tolerance = 0 if is_short else min(_NEAREST, abs(to_exact(number)) * _NEAREST)
            how = "" if is_short else " (rounded to two decimals or three digits)"
            _add_picture(question, "questiontext", variant, f"{sheet.task} {name}{how}?")
            _add_picture(question, "generalfeedback", variant, f"{name}: {value}", is_solved=True)
            for tag, text in {"defaultgrade": "1", "penalty": "0.3333333", "hidden": "0"}.items():
                ElementTree.SubElement(question, tag).text = text
            answer = _add(question, "answer", value, fraction="100", format="moodle_auto_format")
            ElementTree.SubElement(answer, "tolerance").text = decimal_text(Fraction(tolerance))
            _add(answer, "feedback", "", format="html")
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, "UTF-8", xml_declaration=True))


def _numbers(variant: Variant) -> Iterator[tuple[str, Number]]:
    search, counts = variant.search, variant.search.counts
    yield "Value of the tree", search.value
    if search.algorithm.prunes:
        yield "Number of leaves visited", Fraction(counts.leaves_visited)
        yield "Number of cuts", Fraction(counts.cuts)


def _add(parent: ElementTree.Element, tag: str, text: str, **look: str) -> ElementTree.Element:
    """Add an element whose text is in an element of its own."""
    element = ElementTree.SubElement(parent, tag, look)
    ElementTree.SubElement(element, "text").text = text
    return element


def _add_picture(
    question: ElementTree.Element, tag: str, variant: Variant, text: str, is_solved: bool = False
) -> None:
    name = f"variant-{variant.name}{'-solution' * is_solved}.svg"
    picture = f'<p><img src="@@PLUGINFILE@@/{name}" alt="The tree" class="img-fluid"></p>'
    element = _add(question, tag, f"<p>{escape(text)}</p>{picture}", format="html")
    file = ElementTree.SubElement(element, "file", name=name, path="/", encoding="base64")
    svg = "\n".join(svg_lines(variant.diagram(is_solved)[0]._replace(scale=1)))
    file.text = b64encode(svg.encode()).decode()
