"""What the terminal's reports of the analyses share: their headings, sentences and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.text.console import report_heading, safe

Lines: TypeAlias = Iterator[RenderableType]


def render_each(
    lines: Callable[[Any, ConsoleOptions], Lines], reports: Sequence[Any], options: ConsoleOptions
) -> Lines:
    """Yield the lines of each report, below its heading."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        yield from lines(report, options)


def sentences(texts: Iterable[str], options: ConsoleOptions, style: str = "") -> Lines:
    """Yield texts, each on lines of its own."""
    for text in texts:
        yield Text(safe(text, options), style=style)


def notes(options: ConsoleOptions, *texts: str) -> Lines:
    """Yield texts that explain how an answer was found."""
    return sentences(texts, options, "dim")
