"""A match as text: who won, and the means with their intervals."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import display_text
from expectitree.games.match.report import Average, Match
from expectitree.text.console import line, safe
from expectitree.text.phrases import interval_text, plural
from expectitree.text.tables import Column, table


def render(match: Match, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the title, a row for each player, and how the games were played."""
    yield Text(safe(match.game, options), "title")
    yield ""
    noun = "points a game" if match.par is not None else "total"
    columns = [Column("player"), Column("wins", number=True), Column(noun), Column("95% interval")]
    rows = [
        [name, f"{wins:,}", *_cells(average)]
        for name, wins, average in zip(
            (match.first, match.second), (match.wins, match.losses), match.averages, strict=True
        )
    ]
    yield from table(columns, rows, options)
    yield ""
    for name, text in _facts(match):
        yield line((f"{name:<11}", "dim"), text)


def _cells(average: Average) -> list[str]:
    if average.mean is None:
        return ["-", "-"]
    mean = display_text(average.mean, 4)
    if average.lower is None or average.upper is None:
        return [mean, "-"]
    return [mean, interval_text(average.lower, average.upper, lambda end: display_text(end, 4))]


def _facts(match: Match) -> Iterator[tuple[str, str]]:
    how = "each deal twice, with sides swapped"
    if match.par is None:
        how = "each player plays each deal alone; a win is the better total of a deal"
    yield "games", f"{match.games:,}: {how}"
    if not match.is_random:
        yield "random", "nothing, so these games are all that there are"
    yield "draws", f"{match.draws:,}"
    if match.unfinished:
        yield "unfinished", f"{plural(match.unfinished, 'game')} too long, counted as draws"
