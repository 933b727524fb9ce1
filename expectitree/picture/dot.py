"""A picture as a graph for Graphviz, which places everything itself."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Content, Edge, Glyph, Style, content
from expectitree.picture.svg import THEMES, Colours

SHAPES = {"MAX": "triangle", "MIN": "invtriangle", "CHANCE": "circle", "TERMINAL": "box"}


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a graph in Graphviz's language."""
    style = style or Style()
    found, colours = content(evaluation, style), THEMES[style.theme]
    yield "digraph tree {"
    yield f"  graph [{_attributes(_of_graph(found, style, colours))}]"
    node = _attributes(
        fontname="Helvetica",
        fontsize=11,
        fontcolor=colours["ink"],
        margin="0.05,0.03",
        width=0.3,
        height=0.3,
    )
    yield f"  node [{node}]"
    edge = _attributes(
        fontname="Helvetica",
        fontsize=10,
        fontcolor=colours["dim"],
        color=colours["line"],
        dir="none",
    )
    yield f"  edge [{edge}]"
    for number, glyph in enumerate(found.glyphs):
        yield f"  n{number} [{_attributes(_of_glyph(glyph, colours))}]"
    for edge in (found.edges[number] for below in found.below for number in below):
        yield f"  n{edge.parent} -> n{edge.child} [{_attributes(_of_edge(edge, colours))}]"
    yield "}"


def _of_graph(found: Content, style: Style, colours: Colours) -> dict[str, object]:
    heading = "\n".join([found.title] * bool(found.title) + [found.summary]) if style.title else ""
    return {
        "label": heading,
        "labelloc": "t",
        "fontname": "Helvetica",
        "fontsize": 13,
        "fontcolor": colours["ink"],
        "bgcolor": colours["paper"],
        "ordering": "out",
        "rankdir": "LR" if style.direction == "right" else "TB",
    }


def _of_glyph(glyph: Glyph, colours: Colours) -> dict[str, object]:
    value = (
        glyph.value.replace(", ", ",\n") if glyph.kind in SHAPES else glyph.value
    )  # Graphviz draws around it
    text = "\n".join([*([value] if value else []), *glyph.remarks])
    about: dict[str, object] = {
        "label": text,
        "tooltip": glyph.tooltip,
        "shape": SHAPES.get(glyph.kind, "plaintext"),
    }
    if glyph.kind in SHAPES:
        fill, line = colours["hidden" if glyph.is_grey else glyph.kind]
        about |= {
            "style": "filled,dashed" if glyph.is_estimate else "filled",
            "fillcolor": fill,
            "color": line,
        }
    if glyph.is_grey:
        about["fontcolor"] = colours["grey"]
    return about


def _of_edge(edge: Edge, colours: Colours) -> dict[str, object]:
    about: dict[str, object] = {"tooltip": edge.tooltip}
    text = "\n".join([*edge.label, *([edge.probability] if edge.probability else [])])
    if text:
        about["label"] = text
    if edge.rank:
        about |= {
            "penwidth": 3 if edge.rank == BEST else 2,
            "color": colours["ink"],
            "fontcolor": colours["ink"],
        }
    if edge.is_grey:
        about |= {"style": "dashed", "color": colours["grey"], "fontcolor": colours["grey"]}
    if edge.is_cut:
        about |= {
            "dir": "back",
            "arrowtail": "teetee",
            "color": colours["cut"],
        }  # two strokes across the branch
    if not edge.is_first:
        about["constraint"] = "false"
    return about


def _attributes(about: dict[str, object] | None = None, **more: object) -> str:
    return " ".join(
        f"{key}={_quoted(str(value))}" for key, value in {**(about or {}), **more}.items()
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
