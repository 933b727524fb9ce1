"""Show a report: `render` in the module `FORMAT.py` of a question's folder renders the answer.

A report names its `question`. `QUESTIONS` has the question's folder, which lists its `FORMATS`. If
the folder has no module `json.py`, `expectitree.text.json_values` writes the report's fields, and
without `csv.py`, `expectitree.text.csv` its records.
`expectitree.text` describes what `render` takes and yields.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from expectitree.base.numbers import show_exact
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.paths import ROOT

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    from expectitree.base.display import Shown
    from expectitree.base.tree.model import Tree
    from expectitree.searches.result import Search

Pieces: TypeAlias = Iterator[str]  # of text, to be written as they are
MAX_NODES = 100_000  # of a tree that is evaluated only to be shown: less than half a second
MAX_ROWS = 60  # nodes of a tree that are shown by default
_SHARED = {"json": "text.json_values", "csv": "text.csv"}  # where the folder has no module


def rendered(question: str, format: str, console: Console, report: Any, **settings: Any) -> Pieces:
    """Yield the answer to a question as text to be written as it is.

    `settings` go to the format's function `render`. The console renders what that of "text" yields,
    also in "html".
    """
    name = f"{QUESTIONS[question]}.{'text' if format == 'html' else format}"
    if format in _SHARED and find_spec(f"expectitree.{name}") is None:
        name = _SHARED[format]
    module = module_of(name)
    render = module.render
    if format in ("text", "html"):
        write = module_of("text.markup" if format == "html" else "text.console").to_strings
        return cast("Pieces", write(render(report, console.options, **settings), console))
    lines = render(report, **settings)
    if getattr(module, "YIELDS_PIECES", False):  # a line may be longer than memory
        return cast("Pieces", lines)
    return (f"{line}\n" for line in lines)


def to_text(
    found: Shown,
    *,
    width: int = 80,
    unicode: bool = True,
    rows: int | None = MAX_ROWS,
    windows: bool = False,
) -> str:
    """Return what the command line prints for a search or another report, without colour.

        >>> import expectitree as et
        >>> tree = et.loads("max: {left: {min: [3, 12]}, right: {min: [2, 4]}}")
        >>> print(et.to_text(et.evaluate(tree, "star1")))
        ▲ MAX 3
        ├─★ left   ▼ MIN 3 = min(3, 12)
        └── right  ▼ MIN 2 = min(2, (4))
              alpha cut after 1 of 2: at most 2 ≤ alpha 3; 1 leaf not visited
        <BLANKLINE>
        algorithm star1
        value     3
        best      left
        nodes     6 of 7 visited
        leaves    3 of 4 visited (75%)
        cuts      1
        bounds    [2, 12] from the leaves

    Args:
        found: What `evaluate`, `compare`, `verify`, `trace`, `limit`, `rescale` or
            `inquire` returned.
        width: The columns of a line.
        unicode: Use symbols such as ▲; without it, ASCII characters.
        rows: Show about so many nodes of a search; None shows all.
        windows: Show alpha and beta of each node that a search entered.

    Raises:
        AnalysisError: `found` is something else.
    """
    from expectitree.text.console import text_console

    return in_format(found, "text", text_console(width, unicode), windows=windows, rows=rows)


def segments(found: Shown, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
    """Yield what a console of rich shows for a search or another report, in its colors."""
    from rich.text import Text

    from expectitree.text.console import THEME, Trimmed

    if not found.question:
        yield from console.render(Text(repr(found)), options)
        return
    question, report, settings = _question(found, rows=MAX_ROWS)
    render = module_of(f"{QUESTIONS[question]}.text").render
    with _numbers_of(found), console.use_theme(THEME):
        for renderable in render(report, options, **settings):
            if isinstance(renderable, str):  # without markup
                renderable = Text(renderable)
            yield from console.render(Trimmed(renderable), options)


def to_json(found: Shown, *, file: str = "", windows: bool = False) -> str:
    """Return what the command line prints with `--format json`: one line for each report or step.

        >>> import expectitree as et
        >>> import json
        >>> found = json.loads(et.to_json(et.evaluate(et.load("example:risk"))))
        >>> found["value"], found["best"]
        (54.5, 'right')

    Args:
        found: As for `to_text`.
        file: The name that the output has for the tree of a search.
        windows: Add alpha and beta of each node that a search entered.

    Raises:
        AnalysisError: `found` is something else.
    """
    from expectitree.text.console import text_console

    return in_format(found, "json", text_console(), file=file, windows=windows)


def explain(
    found: Tree | Search, path: str = ROOT, *, width: int = 80, unicode: bool = True
) -> str:
    """Explain in sentences the value of a node, and why each cut below it was sound.

        >>> import expectitree as et
        >>> tree = et.loads("max: {left: {min: [3, 12]}, right: {min: [2, 4]}}")
        >>> print(et.explain(tree))
        At ▲ /, MAX chooses left: it is worth 3.
          left is worth 3.
          right is worth 2: worse than 3.

    Args:
        found: A search, or a tree, whose values are then explained.
        path: The labels from the root to the node, joined by `/`; by default the root.
        width: The columns of a line.
        unicode: Use symbols such as ▲; without it, ASCII characters.

    Raises:
        AnalysisError: The search found the best action without its value (`goal` "action").
        TreeError: The path names no node.
        SearchError: The tree cannot be evaluated.
    """
    from expectitree.analysis.evaluate.reasons import reasons
    from expectitree.analysis.evaluate.sentences import explanation_lines
    from expectitree.searches.engine import evaluate
    from expectitree.searches.result import Search
    from expectitree.text.console import text_console, to_strings

    search = found if isinstance(found, Search) else evaluate(found)
    found_reasons = reasons(search, search.tree.find(path).id, search.tree.find_branch(path))
    console = text_console(width, unicode)
    with _numbers_of(search):
        lines = to_strings(explanation_lines(found_reasons, console.options), console)
        return "".join(lines).rstrip("\n")


def in_format(found: Any, format: str, console: Console, **options: Any) -> str:
    """Return a search or another report as "text", as "json", or as "html" for a notebook."""
    question, report, settings = _question(found, **options)
    with _numbers_of(found):
        return "".join(rendered(question, format, console, report, **settings)).rstrip("\n")


def _numbers_of(found: Any) -> AbstractContextManager[None]:
    """Show the numbers of a report in a `with` block as it was asked for them."""
    search = getattr(found, "search", None) or next(iter(getattr(found, "rows", ())), found)
    search = getattr(search, "search", search)
    return show_exact(getattr(search, "exact", True))


def _question(
    found: Any, file: str = "", windows: bool = False, rows: int | None = None
) -> tuple[str, Any, dict[str, Any]]:
    """Return the question that a report answers, what its renderers take, and their settings."""
    question = getattr(found, "question", "")
    if question == "evaluate":
        from expectitree.analysis.evaluate.report import Evaluation

        return question, Evaluation(file, found, windows), {"most_rows": rows}
    if question:
        return question, found if found.is_shown_alone else [found], {}
    from expectitree.base.errors import AnalysisError

    raise AnalysisError(
        f"found {type(found).__name__}, expected a search, or what compare, verify, trace, limit, "
        "rescale, inquire or study returned"
    )
