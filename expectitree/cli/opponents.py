"""`expectitree opponents`: a MIN that makes mistakes, a Nature that is for or against MAX."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import click

from expectitree.base.errors import NumberError
from expectitree.base.numbers import to_probability
from expectitree.cli.games import GameCommand
from expectitree.cli.options import format_options, game_options
from expectitree.cli.terminal import show
from expectitree.cli.trees import SearchOptions
from expectitree.decide.opponents.report import Opponents, opponents
from expectitree.tree.model import Tree


@click.command("opponents", cls=GameCommand)
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    default=("0.1",),
    metavar="E",
    help="The probability of a mistake: 0.05, 1/20 or 5%; several with commas.  [default: 0.1]",
)
@click.option(
    "--chance",
    "chances",
    multiple=True,
    default=("expected",),
    metavar="HOW",
    help="Nature: worst, best or expected; several with commas.  [default: expected]",
)
@partial(game_options, stoppable=False)
@format_options("opponents")
def command(
    options: SearchOptions,
    epsilons: tuple[str, ...],
    chances: tuple[str, ...],
    format_name: str,
) -> None:
    """Evaluate each tree against a perfect, a fallible and a random MIN.

    With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best
    one, given its own later mistakes. The command computes every epsilon at which the best actions
    change, and verifies it, in exact arithmetic.

    \b
    Nature (--chance), which makes no mistakes:
      expected  outcomes have their probabilities (expectiminimax)
      worst     the possible outcome that is worst for MAX happens (minimax)
      best      the possible outcome that is best for MAX happens (maximax)

    For example: expectitree opponents trees/risk-minimax.yaml
    """
    try:
        probabilities = [to_probability(text, exact=True) for text in _parts(epsilons)]
    except NumberError as error:
        raise click.BadParameter(str(error), param_hint="'--epsilon'") from None

    def opponents_of(file: str, tree: Tree) -> list[Opponents]:
        bounds, engine = options.root_bounds, options.engine
        return [
            opponents(
                tree,
                probabilities,
                chance=chance,
                bounds=bounds,
                engine=engine,
                exact=True,
                file=file,
            )
            for chance in _parts(chances)
        ]

    reports = [report for found in options.map("opponents of", opponents_of) for report in found]
    if reports:
        show("opponents", format_name, reports)


def _parts(texts: Iterable[str]) -> list[str]:
    """Return the parts of texts with commas, each once."""
    return list(dict.fromkeys(part.strip() for text in texts for part in text.split(",")))
