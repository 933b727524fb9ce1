"""A trace as text: a sentence for each step, indented by depth, and the result."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rich.cells import cell_len
from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.trace.events import CLOSE, CUT, LEAVE, PASS, Event
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.sentences import StepSentences, conclusion, never_entered
from expectitree.text.console import characters, line, title_heading
from expectitree.text.phrases import nouns, untied

_DEEPEST = 10  # plies that are indented; a deeper step has its depth in digits
_MIN_ROOM = 24  # columns for text in a narrow terminal
_STYLES = {CUT: "cut", LEAVE: "value", CLOSE: "value", PASS: "dim"}


def render(report: Trace, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the steps as sentences, and the result."""
    yield from title_heading(report.tree, options)
    sentences = StepSentences(report, options)
    last = report.events[-1].step if report.events else 0
    wide = len(f"{last:,}")
    for event in report.events:
        yield from _step_lines(event, sentences, f"{event.step:>{wide},}  ")
    more = report.total - len(report.events)
    if not report.total:
        yield Text(never_entered(report))
    elif more:
        one_node = "" if report.at is not None else ", --at PATH follows one node"
        steps = f"{characters(options).ellipsis} {more:,} more {nouns(more, 'step')}"
        yield Text(f"{steps}: --limit shows more{one_node}", style="dim")
    yield ""
    yield Text(conclusion(report, options))


def _step_lines(event: Event, sentences: StepSentences, margin: str) -> Iterator[Text]:
    """Yield a step's sentence and formulas, the first line behind a margin with its number."""
    first = margin + "  " * min(event.depth, _DEEPEST)
    if event.depth > _DEEPEST:
        first += f"({event.depth}) "
    below = " " * (cell_len(first) + 2)
    room = max(_MIN_ROOM, sentences.options.max_width - len(below))
    style = _STYLES.get(event.kind, "none")
    for position, piece in enumerate(wrap(sentences.sentences[event.kind](event), room)):
        yield line((below if position else first, "dim"), (untied(piece), style))
    for formula in sentences.window_formulas(event):
        for piece in wrap(formula, room):
            yield line((below + piece, "dim"))
