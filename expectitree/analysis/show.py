"""Renderers: reports in, text out, piece by piece. The tables here feed `--format`.

A renderer yields lines without their ends; one whose name is in `_PIECES` yields pieces of text as
they are to be written, since its lines may be longer than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from expectitree.analysis.ask.report import Inquiry
    from expectitree.analysis.compare.report import Comparison
    from expectitree.analysis.limit.report import Limit
    from expectitree.analysis.opponents.report import Opponents
    from expectitree.analysis.rescale.report import Rescaling
    from expectitree.analysis.trace.report import Trace
    from expectitree.analysis.verify.report import Verification
    from expectitree.searches.result import Search
    from expectitree.text.look import Look

    Report: TypeAlias = (
        Search | Comparison | Verification | Trace | Limit | Rescaling | Opponents | Inquiry
    )

# --format -> the module and the function of a renderer, imported when it is chosen.
EVALUATION_FORMATS = {
    "text": ("evaluate.text", "evaluation_text"),
    "json": ("evaluate.json", "evaluation_json"),
}
COMPARISON_FORMATS = {
    "text": ("compare.text", "comparison_text"),
    "json": ("compare.text", "comparison_json"),
    "csv": ("compare.text", "comparison_csv"),
    "markdown": ("compare.text", "comparison_markdown"),
}
VERIFICATION_FORMATS = {
    "text": ("verify.text", "verification_text"),
    "json": ("verify.text", "verification_json"),
    "junit": ("verify.text", "verification_junit"),
}
TRACE_FORMATS = {
    "text": ("trace.text", "trace_text"),
    "json": ("trace.text", "trace_json"),
}
LIMIT_FORMATS = {
    "text": ("limit.text", "limit_text"),
    "json": ("limit.text", "limit_json"),
}
RESCALING_FORMATS = {
    "text": ("rescale.text", "rescaling_text"),
    "json": ("rescale.text", "rescaling_json"),
}
OPPONENTS_FORMATS = {
    "text": ("opponents.text", "opponents_text"),
    "json": ("opponents.text", "opponents_json"),
}
INQUIRY_FORMATS = {
    "text": ("ask.text", "inquiry_text"),
    "json": ("ask.text", "inquiry_json"),
}
STUDY_FORMATS = {
    "text": ("study.text", "study_text"),
    "json": ("study.text", "study_json"),
    "csv": ("study.text", "study_csv"),
    "markdown": ("study.text", "study_markdown"),
}
# A picture file's ending -> what renders it: lines, pieces (`_PIECES`) or bytes.
PICTURES = {
    ".svg": ("picture.svg", "picture_svg"),
    ".png": ("picture.raster", "picture_png"),
    ".pdf": ("picture.raster", "picture_pdf"),
    ".dot": ("picture.dot", "picture_dot"),
    ".mmd": ("picture.mermaid", "picture_mermaid"),
    ".tex": ("picture.tikz", "picture_tikz"),
    ".html": ("page", "page_html"),
}
_PIECES = {"evaluation_json", "page_html", "picture_png", "picture_pdf"}
_FORMATS_OF = {  # the name of a report's class -> how it can be shown
    "Search": EVALUATION_FORMATS,
    "Comparison": COMPARISON_FORMATS,
    "Verification": VERIFICATION_FORMATS,
    "Trace": TRACE_FORMATS,
    "Limit": LIMIT_FORMATS,
    "Rescaling": RESCALING_FORMATS,
    "Opponents": OPPONENTS_FORMATS,
    "Inquiry": INQUIRY_FORMATS,
}


def renderer(formats: dict[str, tuple[str, str]], name: str) -> Callable[..., Iterator[str]]:
    """Return the function that renders the format of that name: it yields text to be written as it is."""
    from importlib import import_module

    module, function = formats[name]
    found: Callable[..., Iterator[str]] = getattr(
        import_module(
            f"expectitree.{module}"
            if module.startswith(("picture", "page"))
            else f"expectitree.analysis.{module}"
        ),
        function,
    )
    if function in _PIECES:
        return found
    return lambda *arguments: (f"{line}\n" for line in found(*arguments))


def drawing(kind: str) -> Callable[..., Any]:
    """Return the function that draws a kind of picture, `svg` say: it returns bytes, or yields text as it is."""
    return renderer(PICTURES, f".{kind}")


def to_text(
    found: Report,
    *,
    width: int = 80,
    unicode: bool = True,
    rows: int | None = 60,
    windows: bool = False,
) -> str:
    """Return what the command line prints of a search, or of what another function found, without colour.

    Of a search about `rows` nodes are shown (None: all), with alpha and beta if `windows`.
    """
    from expectitree.text.look import Look

    return _rendered(found, "text", Look(width, unicode), "", windows, rows)


def to_json(found: Report, *, file: str = "", windows: bool = False) -> str:
    """Return what the command line prints with `--format json`: an object, of a trace a line for each step."""
    from expectitree.text.look import Look

    return _rendered(found, "json", Look(), file, windows, None)


def _rendered(
    found: Any, format: str, look: Look, file: str, windows: bool, rows: int | None
) -> str:
    kind = type(found).__name__
    if kind not in _FORMATS_OF:
        raise TypeError(f"found {kind}, expected one of {', '.join(_FORMATS_OF)}")
    render = renderer(_FORMATS_OF[kind], format)
    if kind == "Search":
        from expectitree.analysis.evaluate.report import Evaluation

        pieces = render(Evaluation(file, found, windows), look, rows)
    else:
        pieces = render(found if kind == "Trace" else [found], look)
    return "".join(pieces).rstrip("\n")
