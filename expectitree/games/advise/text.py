"""Advice as text: the position, its moves and their values, and the line of best play."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import probability_text
from expectitree.base.tree.columns import CHANCE
from expectitree.games.advise.report import Advice
from expectitree.games.found import GameSearch
from expectitree.text.console import characters, line, safe, title_heading
from expectitree.text.phrases import chance_text, known_text, plural
from expectitree.text.tables import Column, table

MAX_MOVES = 20
MAX_STEPS = 8  # of the line


def render(advice: Advice, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the position, the moves, and what the search did."""
    yield from title_heading(advice.tree, options)
    yield from (Text(safe(row, options)) for row in advice.position.splitlines())
    yield ""
    yield from move_lines(advice, options)
    for name, text in facts(advice.search, options).items():
        rows = wrap(text, options.max_width - 10)
        for place, row in enumerate(rows):
            yield line(("" if place else name).ljust(10), row)


def move_lines(advice: Advice, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the moves or outcomes and their values."""
    tree, search, marks = advice.tree, advice.search, characters(options)
    is_chance = tree.columns.kind[tree.root_id] == CHANCE
    shown = advice.choices[:MAX_MOVES]
    noun = "outcome" if is_chance else "move"
    columns = [Column(noun), Column("value")]
    rows = [[choice.label, known_text(choice.lower, choice.upper)] for choice in shown]
    if is_chance:
        columns.insert(1, Column("p"))
        for row, branch in zip(rows, tree.branches_of(tree.root_id), strict=False):
            row.insert(1, chance_text(tree, branch))
    elif shown and search.best is not None:
        rows[0][1] += f"  {marks.best.strip()}"
    if not shown:
        yield Text(f"The game is over; its value is {known_text(*search.interval())}.")
        return
    yield from table(columns, rows, options)
    if more := len(search.moves) - len(shown):
        yield Text(f"{marks.ellipsis} {plural(more, f'more {noun}')}", style="dim")
    yield ""


def facts(found: GameSearch, options: ConsoleOptions) -> dict[str, str]:
    """Return the line of best play, and how far the search went."""
    grown = found.grown
    steps = [
        safe(step.label, options)
        + ("" if step.probability is None else f" (p {probability_text(step.probability)})")
        for step in found.line[:MAX_STEPS]
    ]
    steps += [characters(options).ellipsis] * (len(found.line) > MAX_STEPS)
    known = f"depth {grown.depth:,}" if grown.estimated or found.stopped else "the whole game"
    known += " is not finished" * found.stopped
    search = f"{known}, {plural(grown.evaluations, 'evaluation')}"
    if grown.estimated:
        search += f"; estimates: {plural(grown.estimated, 'leaf')}"
    line = {"line": ", ".join(steps)} if steps else {}
    return line | {"search": search}
