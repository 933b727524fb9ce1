"""`expectitree opponents`: a MIN that makes mistakes."""

from __future__ import annotations

from functools import partial

import click

from expectitree.base.errors import NumberError
from expectitree.base.numbers import to_probability
from expectitree.cli.trees import SearchOptions
from expectitree.decide.opponents.report import opponents


def command(
    epsilons: tuple[str, ...],
    options: SearchOptions,
) -> None:
    """Evaluate each tree against a perfect, a fallible and a random MIN.

    With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best
    one, given its own later mistakes. The command computes every epsilon at which the best actions
    change, and verifies it, in exact arithmetic.

    For example: expectitree opponents trees/risk-minimax.yaml
    """
    try:
        probabilities = [to_probability(text, exact=True) for text in epsilons]
    except NumberError as error:
        raise click.BadParameter(error.lines, param_hint="'--epsilon'") from None

    find = partial(opponents, epsilons=probabilities, exact=True)
    options.show_all("opponents of", find)
