"""Show a report: `render` in `analysis/QUESTION/FORMAT.py` renders the answer to a question.

A question's folder lists its `FORMATS`. The folder in which a report's class is defined is the
question that the report answers. `expectitree.text` describes what `render` takes and yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from expectitree.display import Shown

Pieces: TypeAlias = Iterator[str]  # of text, to be written as they are
MOST_NODES = 100_000  # of a tree that is evaluated only to be shown: less than half a second
MOST_ROWS = 60  # nodes of a tree that are shown by default


def formats(question: str) -> tuple[str, ...]:
    """Return the formats in which the answer to a question can be shown."""
    found: tuple[str, ...] = import_module(f"expectitree.analysis.{question}").FORMATS
    return found


def rendered(question: str, format: str, console: Console, report: Any, **settings: Any) -> Pieces:
    """Yield the answer to a question as text to be written as it is.

    `settings` go to the format's function `render`. As text the console renders what it yields.
    """
    module = import_module(f"expectitree.analysis.{question}.{format}")
    render = module.render
    if format == "text":
        from expectitree.text.console import to_strings

        return to_strings(render(report, console.options, **settings), console)
    lines = render(report, **settings)
    if getattr(module, "YIELDS_PIECES", False):  # a line may be longer than memory
        return cast("Pieces", lines)
    return (f"{line}\n" for line in lines)


def to_text(
    found: Shown,
    *,
    width: int = 80,
    unicode: bool = True,
    rows: int | None = MOST_ROWS,
    windows: bool = False,
) -> str:
    """Return what the command line prints for a search or another report, without colour.

    Of a search about `rows` nodes are shown (None: all), with alpha and beta if `windows`.
    """
    from expectitree.text.console import text_console

    question, report, settings = _question(found, "", windows, rows)
    console = text_console(width, unicode)
    return "".join(rendered(question, "text", console, report, **settings)).rstrip("\n")


def to_json(found: Shown, *, file: str = "", windows: bool = False) -> str:
    """Return what `--format json` prints: one object, or one for each step of a trace."""
    from expectitree.text.console import text_console

    question, report, settings = _question(found, file, windows, None)
    return "".join(rendered(question, "json", text_console(), report, **settings)).rstrip("\n")


def renderables(found: object, console: Console, options: ConsoleOptions) -> RenderResult:
    """Yield what `rich.print` shows of a tree, a search or another report.

    A tree is shown with its values; a large one, or one that has no values yet, as its `repr`.
    """
    from rich.text import Text

    from expectitree.searches.engine import evaluate
    from expectitree.text.console import THEME, Trimmed
    from expectitree.tree.model import Tree

    if isinstance(found, Tree):
        if len(found) > MOST_NODES or found.unknown:
            yield Text(repr(found))
            return
        found = evaluate(found)
    question, report, settings = _question(found, "", False, MOST_ROWS)
    module = import_module(f"expectitree.analysis.{question}.text")
    with console.use_theme(THEME):
        for renderable in module.render(report, options, **settings):
            yield Trimmed(Text(renderable) if isinstance(renderable, str) else renderable)


def _question(
    found: Any, file: str, windows: bool, rows: int | None
) -> tuple[str, Any, dict[str, Any]]:
    """Return the question that a report answers, what its renderers take, and their settings."""
    package, _, question = type(found).__module__.removesuffix(".report").rpartition(".")
    if package == "expectitree.searches":
        from expectitree.analysis.evaluate.report import Evaluation

        return "evaluate", Evaluation(file, found, windows), {"most_rows": rows}
    if package == "expectitree.analysis":
        return question, found if question in ("trace", "study") else [found], {}
    from expectitree.errors import AnalysisError

    raise AnalysisError(
        f"found {type(found).__name__}, expected a search, or what compare, verify, trace, limit, "
        "rescale, opponents, inquire or study returned"
    )
