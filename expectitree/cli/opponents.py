"""`expectitree opponents`: a MIN that errs, a Nature that is for or against us."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import click

from expectitree.analysis.opponents.report import MOST_NODES, Opponents, opponents
from expectitree.analysis.show import renderer
from expectitree.cli.options import SearchOptions, format_option, tree_options
from expectitree.cli.terminal import make_look, write
from expectitree.errors import NumberError
from expectitree.numbers import Number, message_text, quote, to_fraction, to_probability
from expectitree.tree.model import Tree
from expectitree.tree.transform import CHANCES

_LEAST_TOLERANCE = Fraction(1, 10**100)
_MOST_TOLERANCE = Fraction(1, 10)


@click.command("opponents")
@click.option(
    "--epsilon",
    "epsilons",
    multiple=True,
    default=("0.1",),
    metavar="E",
    help="How often MIN errs: several, or with commas between them; 0.05, 1/20 or 5%.  [default: 0.1]",
)
@click.option(
    "--chance",
    "chances",
    multiple=True,
    default=("expected",),
    callback=lambda _context, _option, value: _read_chances(value),
    metavar="HOW",
    help="Nature: worst, best or expected; several, or with commas between them.  [default: expected]",
)
@click.option(
    "--tolerance",
    default="1e-9",
    show_default=True,
    metavar="WIDTH",
    help="How narrowly an epsilon that is no short fraction is given.",
)
@click.option(
    "--most-nodes",
    type=click.IntRange(min=1),
    default=MOST_NODES,
    show_default=True,
    metavar="N",
    help="Of larger trees it is not told where the decision changes.",
)
@tree_options
@format_option("opponents")
def command(
    epsilons: tuple[str, ...],
    chances: tuple[str, ...],
    tolerance: str,
    most_nodes: int,
    format_name: str,
    **given: Any,
) -> None:
    """Evaluate each tree against a perfect MIN, one that errs, and a random one.

    With probability epsilon MIN picks uniformly among all its actions, else it plays its best against its own later
    errors. Every epsilon at which the best actions change is found and verified, in exact arithmetic, of numbers
    as floating point has them, or with --exact as they are written.

    \b
    Nature (--chance), which never errs:
      expected  outcomes have their probabilities (expectiminimax)
      worst     the outcome of p > 0 that is worst for MAX (minimax)
      best      the one that is best for MAX (maximax)
    """
    options = SearchOptions(**given)
    often = [
        _read_epsilon(text, options.in_fractions)
        for option in epsilons
        for text in option.split(",")
    ]
    width = _read_tolerance(tolerance)

    def opponents_of(file: str, tree: Tree) -> list[Opponents]:
        return [
            opponents(
                tree,
                often,
                chance=chance,
                tolerance=width,
                most_nodes=most_nodes,
                bounds=options.root_bounds,
                engine=options.engine,
                file=file,
            )
            for chance in chances
        ]

    reports = [report for found in options.map("opponents of", opponents_of) for report in found]
    if reports:
        write(renderer("opponents", format_name)(reports, make_look()))
    options.exit()


def _read_chances(options: Iterable[str]) -> tuple[str, ...]:
    found = dict.fromkeys(text.strip() for option in options for text in option.split(","))
    for text in found:
        if text not in CHANCES:
            raise click.BadParameter(f"found {quote(text)}, expected worst, best or expected")
    return tuple(found)


def _read_epsilon(text: str, exact: bool) -> Number:
    try:
        return to_probability(text.strip(), exact)
    except NumberError as error:
        raise click.BadParameter(str(error), param_hint="'--epsilon'") from None


def _read_tolerance(text: str) -> Fraction:
    try:
        width = to_fraction(text.strip())
    except NumberError as error:
        raise click.BadParameter(str(error), param_hint="'--tolerance'") from None
    if not _LEAST_TOLERANCE <= width <= _MOST_TOLERANCE:
        raise click.BadParameter(
            f"found {message_text(width)}, expected a number from 1e-100 to 0.1, such as 1e-9",
            param_hint="'--tolerance'",
        )
    return width
