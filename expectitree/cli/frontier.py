"""`expectitree frontier`: the strategies that are best for some weight of a criterion."""

from __future__ import annotations

from expectitree.cli.trees import SearchOptions
from expectitree.decide.frontier.report import frontier
from expectitree.decide.sensitivity.parameters import parse_range


def command(parameter: str, options: SearchOptions) -> None:
    """Show which strategies are best for some weight of a criterion, such as a QALY's worth.

    The tree has criteria, and an objective that is linear in a parameter, its weight, such as
    wtp*effect - cost. The strategies are listed as in the league tables of health economics: with
    the incremental cost and effect, and the weight from which each is best, which is its ICER. An
    action that is never best is dominated by another, or extendedly dominated by two. --plot draws
    the cost-effectiveness plane.

    For example: expectitree frontier trees/programmes.yaml
    """
    name, ends = parse_range(parameter)
    options.show_all("frontier of", frontier, parameter=name, range=ends)
