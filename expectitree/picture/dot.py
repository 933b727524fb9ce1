"""A picture as a graph for Graphviz, which computes the places itself."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.picture.content import BEST, Edge, Glyph, Style, content
from expectitree.picture.svg import THEMES, Colours

SHAPES = {"MAX": "triangle", "MIN": "invtriangle", "CHANCE": "circle", "TERMINAL": "box"}


def draw(evaluation: Evaluation, style: Style | None = None) -> Iterator[str]:
    """Yield the lines of a graph in Graphviz's language."""
    style = style or Style()
    found, colours = content(evaluation, style), THEMES[style.theme]
    heading = "\n".join(filter(None, [found.title, found.summary])) if style.title else ""
    ink, font = colours["ink"], "Helvetica"
    graph = _attributes(
        label=heading, labelloc="t", fontname=font, fontsize=13, fontcolor=ink,
        bgcolor=colours["paper"], ordering="out",
        rankdir="LR" if style.direction == "right" else "TB",
    )  # fmt: skip
    node = _attributes(
        fontname=font, fontsize=11, fontcolor=ink, margin="0.05,0.03", width=0.3, height=0.3
    )
    edge = _attributes(
        fontname=font, fontsize=10, fontcolor=colours["dim"], color=colours["line"], dir="none"
    )
    yield "digraph tree {"
    yield from (f"  graph [{graph}]", f"  node [{node}]", f"  edge [{edge}]")
    for number, glyph in enumerate(found.glyphs):
        yield f"  n{number} [{_attributes(**_of_glyph(glyph, colours))}]"
    for line in found.ordered_edges:
        yield f"  n{line.parent} -> n{line.child} [{_attributes(**_of_edge(line, colours))}]"
    yield "}"


def _of_glyph(glyph: Glyph, colours: Colours) -> dict[str, object]:
    is_node = glyph.kind in SHAPES
    value = glyph.value.replace(", ", ",\n") if is_node else glyph.value  # it is within the shape
    attributes: dict[str, object] = {
        "label": "\n".join(filter(None, [value, *glyph.remarks])),
        "tooltip": glyph.tooltip,
        "shape": SHAPES.get(glyph.kind, "plaintext"),
    }
    if is_node:
        fill, line = colours["hidden" if glyph.is_grey else glyph.kind]
        style = "filled,dashed" if glyph.is_estimate else "filled"
        attributes |= {"style": style, "fillcolor": fill, "color": line}
    if glyph.is_grey:
        attributes["fontcolor"] = colours["grey"]
    return attributes


def _of_edge(edge: Edge, colours: Colours) -> dict[str, object]:
    attributes: dict[str, object] = {"tooltip": edge.tooltip}
    text = "\n".join(filter(None, [*edge.label, edge.probability]))
    ink, grey = colours["ink"], colours["grey"]
    if text:
        attributes["label"] = text
    if edge.rank:
        width = 3 if edge.rank == BEST else 2
        attributes |= {"penwidth": width, "color": ink, "fontcolor": ink}
    if edge.is_grey:
        attributes |= {"style": "dashed", "color": grey, "fontcolor": grey}
    if edge.is_cut:  # two strokes across the branch
        attributes |= {"dir": "back", "arrowtail": "teetee", "color": colours["cut"]}
    if not edge.is_first:
        attributes["constraint"] = "false"
    return attributes


def _attributes(**attributes: object) -> str:
    return " ".join(f"{key}={_quoted(str(value))}" for key, value in attributes.items())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
