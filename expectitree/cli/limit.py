"""`expectitree limit`: how few leaves could have been enough."""

from __future__ import annotations

from typing import Any

import click

from expectitree.analysis.limit.report import Limit, limit
from expectitree.analysis.show import renderer
from expectitree.cli.options import (
    ChosenAlgorithms,
    SearchOptions,
    algorithm_option,
    format_option,
    max_leaves_option,
    tree_options,
)
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, write
from expectitree.searches.result import Outcome
from expectitree.tree.model import Tree


@click.command("limit")
@algorithm_option(
    "A search to set beside the limit, once for each; by default all that do not think long."
)
@tree_options
@max_leaves_option
@click.option("--all", "show_all", is_flag=True, help="Name every leaf.")
@format_option("limit")
def command(
    algorithms: ChosenAlgorithms,
    max_leaves: int | None,
    show_all: bool,
    format_name: str,
    **given: Any,
) -> None:
    """Say how few leaves could have been enough, which they are, and how far from that each search was.

    These are the fewest leaves that force the root's value whatever all others are within their
    bounds, which no correct search can beat, and the fewest that force only which action is best.
    Where several paths lead to a leaf the figure may be known to lie between two only.

    For example: expectitree limit trees/ballard-6.yaml
    """
    options = SearchOptions(**given)

    def limit_of(file: str, tree: Tree) -> Limit:
        chosen = algorithms.for_tree(file, tree)
        return limit(tree, chosen, file=file, max_leaves=max_leaves, **options.search_arguments)

    reports = list(options.map("the limit of", limit_of))
    if reports:
        render = renderer("limit", format_name)
        write(render(reports, make_look(), *([show_all] if format_name == "text" else [])))
    if any(row.outcome is Outcome.STOPPED for report in reports for row in report.rows):
        options.statuses.append(DOES_NOT_HOLD)
    options.exit()
