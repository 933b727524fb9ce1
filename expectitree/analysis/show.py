"""Show a report: `analysis/QUESTION/FORMAT.py` is found by its name, so there is no table of renderers.

A question's folder lists its `FORMATS`. The function `render` of the module of that name takes the
report (or several) and yields text. What a report's class is called does not matter: the folder that
defines it says which question it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
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


def formats(question: str) -> tuple[str, ...]:
    """Return the formats in which the answer to a question can be shown."""
    found: tuple[str, ...] = import_module(f"expectitree.analysis.{question}").FORMATS
    return found


def renderer(question: str, format: str) -> Callable[..., Iterator[str]]:
    """Return the function that renders the answer to a question: it yields text to be written as is."""
    module = import_module(f"expectitree.analysis.{question}.{format}")
    render: Callable[..., Iterator[str]] = module.render
    if getattr(module, "YIELDS_PIECES", False):  # a line may be longer than memory
        return render
    return lambda *arguments: (f"{line}\n" for line in render(*arguments))


def to_text(
    found: Report,
    *,
    width: int = 80,
    unicode: bool = True,
    rows: int | None = 60,
    windows: bool = False,
) -> str:
    """Return what the command line prints of a search or another report, without colour.

    Of a search about `rows` nodes are shown (None: all), with alpha and beta if `windows`.
    """
    from expectitree.text.look import Look

    return _rendered(found, "text", Look(width, unicode), "", windows, rows)


def to_json(found: Report, *, file: str = "", windows: bool = False) -> str:
    """Return what the command line prints with `--format json`: an object, of a trace one a step."""
    from expectitree.text.look import Look

    return _rendered(found, "json", Look(), file, windows, None)


def _rendered(
    found: Any, format: str, look: Look, file: str, windows: bool, rows: int | None
) -> str:
    package, _, question = type(found).__module__.removesuffix(".report").rpartition(".")
    if package == "expectitree.searches":
        from expectitree.analysis.evaluate.report import Evaluation

        pieces = renderer("evaluate", format)(Evaluation(file, found, windows), look, rows)
    elif package == "expectitree.analysis":
        pieces = renderer(question, format)(found if question == "trace" else [found], look)
    else:
        raise TypeError(
            f"found {type(found).__name__}, expected a search, or what compare, verify, trace, limit, "
            "rescale, opponents or inquire returned"
        )
    return "".join(pieces).rstrip("\n")
