"""`expectitree advise`: what each move in a position of a game is worth."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from expectitree.cli.algorithms import ChosenAlgorithms, algorithm_option
from expectitree.cli.games import POSITION_OPTIONS, GameOptions, GameSource, is_game_name
from expectitree.cli.help import FILE, declare, option, tree_option
from expectitree.cli.options import format_options
from expectitree.cli.terminal import show
from expectitree.cli.tree_files import add_options

SEARCH_OPTIONS = (
    tree_option(
        "--depth D",
        "Search at most D plies deep.  [default: as deep as the time allows]",
        rare=False,
    ),
    option("--seconds T", "Search for at most T seconds."),
)


def source_of(
    name: str, depth: int | None, seconds: float | None, usual: float, **position: Any
) -> GameSource:
    """Return a game and how to search it, for the `usual` time if the user sets no limit."""
    from expectitree.games.growth import MAX_DEPTH

    if not is_game_name(name):
        raise click.UsageError(f"{name} is not a game\nname one such as game:pig or file.py:CLASS.")
    if depth is None and seconds is None:
        seconds = usual
    if depth is None:
        depth = MAX_DEPTH
    return GameSource(name, GameOptions(**position, deepen=True, seconds=seconds), depth)


@declare("advise")
@click.argument("name", metavar="GAME", type=FILE)
@algorithm_option("The search.  [default: star2]")
@partial(add_options, options=(*SEARCH_OPTIONS, *POSITION_OPTIONS))
@option(
    "--width W",
    "Accept intervals of this width as values of moves.  [default: 0]",
    rare=True,
    type=click.FloatRange(min=0),
    default=0,
)
@format_options("advise")
def command(
    name: str,
    algorithms: ChosenAlgorithms,
    depth: int | None,
    seconds: float | None,
    width: float,
    format_name: str,
    **position: Any,
) -> None:
    """Show what each move in a position of a game is worth, and the line of best play.

    The search goes to depth 1, then 2, and so on, for 5 seconds unless --seconds or --depth says
    otherwise. Half of the time is for the best move, the other half for the values of the others. A
    value that is not known in time is shown as an interval that contains it.

    For example: expectitree advise game:pig --play roll,6 --depth 6
    """
    from expectitree.games.advise.report import Advice

    chosen = algorithms.or_only("star2").only("advise runs one algorithm\ngive -a once.")
    source = source_of(name, depth, seconds, usual=5, **position)
    found = source.search(chosen, goal="moves", width=width)
    show("advise", format_name, Advice(name, found.named(f"{name}{source.options.position}")))
