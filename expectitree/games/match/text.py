"""A match as text: who won, and the means with their intervals."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.means import Mean
from expectitree.base.numbers import display_text
from expectitree.games.match.report import Match
from expectitree.text.console import characters, safe
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table


def render(match: Match, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the title, a row for each player, and how the games were played."""
    sign = characters(options).plus_minus
    yield Text(safe(match.game, options), "title")
    yield ""
    noun = "points a game"
    if match.par is None:
        noun = "mean total"
    columns = [Column("player"), Column("wins", number=True), Column(noun)]
    yield from table(
        columns,
        [
            [match.first, f"{match.wins:,}", _text(match.mean, sign)],
            [match.second, f"{match.losses:,}", _text(match.second_mean, sign)],
        ],
        options,
    )
    yield ""
    for sentence in _sentences(match):
        yield Text(sentence.replace("±", sign), "dim")


def _text(mean: Mean | None, sign: str) -> str:
    if mean is None:
        return "-"
    text = display_text(mean.value, 4)
    if mean.half is not None:
        text += f" {sign}{display_text(mean.half, 3)}"
    return text


def _sentences(match: Match) -> Iterator[str]:
    draws = f"{plural(match.games, 'game')}, {plural(match.draws, 'draw')}"
    if match.unfinished:
        draws += f", and {match.unfinished:,} more that were too long"
    yield f"{draws}; ± is the 95% interval."
    if not match.is_random:
        yield "Nothing is random, so these games are all that there are."
    elif match.par is None:
        yield "Each player plays each deal alone; a win is the better total of a deal."
    else:
        yield "Each deal is played twice, with sides swapped."
