"""A solved game as text: its value, its moves, and what the computation needed."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from math import floor, log10

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import (
    Number,
    decimal_text,
    display_text,
    exact_display,
    is_finite,
    typeset,
)
from expectitree.games.solve.report import Solution
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import interval_text, plural, seconds_text
from expectitree.text.tables import Column, table

MAX_MOVES = 20  # that are shown
MAX_PLACES = 15  # of a decimal


def render(solution: Solution, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the title, the moves at the start, the value, and the counts."""
    yield Text(safe(solution.title, options), "title")
    yield Text(safe(solution.game, options), "dim")
    yield ""
    best, mark = solution.root.best, characters(options)
    moves = sorted(solution.root.moves, key=lambda m: (m.label != best, not m.is_best))
    if moves:
        signs = [mark.best if m.label == best else mark.tie if m.is_best else "" for m in moves]
        cells = [(m.label, interval(m.lower, m.upper)) for m in moves]
        rows = [(s, *cell) for s, cell in zip(signs, cells, strict=True)][:MAX_MOVES]
        heading = f"move of {str(solution.root.turn).upper()}"
        yield from table((Column(""), Column(heading), Column("value")), rows, options)
        if len(moves) > MAX_MOVES:
            yield Text(f"… {len(moves) - MAX_MOVES:,} more moves", "dim")
        yield ""
    for name, text in _facts(solution):
        style = name if name in ("value", "best") else ""
        yield line((f"{name:<11}", "dim"), (safe(text, options), style))


def _facts(solution: Solution) -> Iterator[tuple[str, str]]:
    if solution.is_exact and is_finite(solution.value):
        text, about = exact_display(solution.value), decimal_text(solution.value)
        yield "value", text if text == about else f"{text}, about {about}"
    elif solution.is_narrow:
        yield "value", display_text(solution.value, 10)
        if solution.lower != solution.upper:
            yield "certainly", f"in {interval(solution.lower, solution.upper)}"
    else:
        yield "value", f"in {interval(solution.lower, solution.upper)}"
    if solution.stopped:
        yield "stopped", "the limit of --seconds was reached: allow more"
    elif not solution.is_narrow:
        yield "wider", f"than {solution.wanted:g}, because floats are rounded"
    if solution.root.best is not None:
        yield "best", solution.root.best
    yield "positions", f"{solution.states:,}, with {plural(solution.branches, 'branch')}"
    if solution.cyclic:
        yield "components", f"{solution.components:,}, of which {solution.cyclic:,} repeat"
        yield "sweeps", f"{solution.sweeps:,} of these"
    yield "time", seconds_text(solution.seconds)


def interval(lower: Number, upper: Number) -> str:
    """Return an interval that contains this one, in as many digits as its width deserves."""
    if lower == upper:
        return display_text(lower, 10)
    if not is_finite(lower) or not is_finite(upper):
        return interval_text(lower, upper)
    places = min(MAX_PLACES, max(0, -floor(log10(upper - lower))))
    ends = ((lower, ROUND_FLOOR), (upper, ROUND_CEILING))
    unit = Decimal(1).scaleb(-places)
    texts = [typeset(f"{Decimal(float(end)).quantize(unit, mode):f}") for end, mode in ends]
    return f"[{', '.join(texts)}]"
