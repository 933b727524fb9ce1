"""`expectitree opponents`: a MIN that makes mistakes."""

from __future__ import annotations

from fractions import Fraction

from expectitree.cli.trees import SearchOptions
from expectitree.decide.opponents.report import opponents


def command(
    epsilons: tuple[Fraction, ...],
    options: SearchOptions,
) -> None:
    """Evaluate each tree against a perfect, a fallible and a random MIN.

    With probability epsilon MIN picks one of its actions uniformly. Otherwise it plays the best
    one, given its own later mistakes. The command computes every epsilon at which the best actions
    change, and verifies it, in exact arithmetic.

    For example: expectitree opponents trees/risk-minimax.yaml
    """
    options.show_all("opponents of", opponents, epsilons=epsilons, exact=True)
