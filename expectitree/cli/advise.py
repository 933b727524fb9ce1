"""`expectitree advise`: what each move in a position of a game is worth."""

from __future__ import annotations

from dataclasses import replace

from click import UsageError

from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import GameOptions, GameSource, is_game_name
from expectitree.cli.terminal import show


def source_of(
    name: str, depth: int | None, seconds: float | None, usual: float, games: GameOptions
) -> GameSource:
    """Return a game and how to search it, for the `usual` time if the user sets no limit."""
    from expectitree.games.growth import MAX_DEPTH

    if not is_game_name(name):
        hint = "name one such as game:pig or file.py:CLASS; for a tree, use `eval`."
        raise UsageError(f"{name} is not a game\n{hint}")
    if depth is None and seconds is None:
        seconds = usual
    if depth is None:
        depth = MAX_DEPTH
    return GameSource(name, replace(games, deepen=True, seconds=seconds), depth)


def command(
    game: str,
    algorithms: ChosenAlgorithms,
    depth: int | None,
    seconds: float | None,
    games: GameOptions,
    width: float,
    format_name: str,
) -> None:
    """Show what each move in a position of a game is worth, and the line of best play.

    The search goes to depth 1, then 2, and so on, for 5 seconds unless --seconds or --depth says
    otherwise. Half of the time is for the best move, the other half for the values of the others. A
    value that is not known in time is shown as an interval that contains it.

    For example: expectitree advise game:pig --play roll,6 --depth 6
    """
    from expectitree.games.advise.report import Advice

    chosen = algorithms.or_only("star2").only("advise runs one algorithm\ngive -a once.")
    source = source_of(game, depth, seconds, 5, games)
    search = source.search(chosen, goal="moves", width=width)
    show(format_name, Advice(game, search.named(f"{game}{source.options.position}")))
