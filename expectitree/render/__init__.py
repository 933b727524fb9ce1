"""Renderers: reports in, text out, piece by piece. The tables here feed `--format`.

A renderer yields lines without their ends; one whose name is in `_PIECES` yields pieces of text as they are to be
written, since its lines may be longer than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expectitree.analysis.comparison import Comparison
    from expectitree.analysis.verification import Verification
    from expectitree.search.result import Search

# --format -> the module and the function of a renderer, imported when it is chosen.
EVALUATION_FORMATS = {
    "text": ("evaluation_text", "evaluation_text"),
    "json": ("evaluation_json", "evaluation_json"),
}
COMPARISON_FORMATS = {
    "text": ("comparison", "comparison_text"),
    "json": ("comparison", "comparison_json"),
    "csv": ("comparison", "comparison_csv"),
    "markdown": ("comparison", "comparison_markdown"),
}
VERIFICATION_FORMATS = {
    "text": ("verification", "verification_text"),
    "json": ("verification", "verification_json"),
    "junit": ("verification", "verification_junit"),
}
TRACE_FORMATS = {
    "text": ("trace", "trace_text"),
    "json": ("trace", "trace_json"),
}
STUDY_FORMATS = {
    "text": ("study", "study_text"),
    "json": ("study", "study_json"),
    "csv": ("study", "study_csv"),
    "markdown": ("study", "study_markdown"),
}
_PIECES = {"evaluation_json"}


def renderer(formats: dict[str, tuple[str, str]], name: str) -> Callable[..., Iterator[str]]:
    """Return the function that renders the format of that name: it yields text to be written as it is."""
    from importlib import import_module

    module, function = formats[name]
    found: Callable[..., Iterator[str]] = getattr(import_module(f"{__name__}.{module}"), function)
    if function in _PIECES:
        return found
    return lambda *arguments: (f"{line}\n" for line in found(*arguments))


def to_text(
    found: Search | Comparison | Verification,
    *,
    width: int = 80,
    unicode: bool = True,
    rows: int | None = 60,
    windows: bool = False,
) -> str:
    """Return what the command line prints of a search, a comparison or a verification, without colour.

    Of a search about `rows` nodes are shown (None: all), with alpha and beta if `windows`.
    """
    from expectitree.analysis.evaluation import Evaluation
    from expectitree.render.look import Look
    from expectitree.search.result import Search

    look = Look(width, unicode)
    if isinstance(found, Search):
        return "".join(renderer(EVALUATION_FORMATS, "text")(Evaluation("", found, windows), look, rows)).rstrip("\n")
    formats = COMPARISON_FORMATS if hasattr(found, "rows") else VERIFICATION_FORMATS
    return "".join(renderer(formats, "text")([found], look)).rstrip("\n")


def to_json(search: Search, *, file: str = "", windows: bool = False) -> str:
    """Return the object that `expectitree eval --format json` prints of a search."""
    from expectitree.analysis.evaluation import Evaluation
    from expectitree.render.evaluation_json import evaluation_json
    from expectitree.render.look import Look

    return "".join(evaluation_json(Evaluation(file, search, windows), Look())).rstrip("\n")
