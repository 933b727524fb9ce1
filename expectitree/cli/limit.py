"""`expectitree limit`: the fewest leaves that prove the value."""

from __future__ import annotations

from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms, algorithm_option
from expectitree.cli.help import declare, option
from expectitree.cli.options import format_options, tree_options
from expectitree.cli.trees import SearchOptions
from expectitree.lab.limit.report import MAX_LEAVES, Limit, limit
from expectitree.searches.result import Outcome


@declare("limit")
@algorithm_option(
    "A search to compare with the limit; may be repeated. By default all that are not slow."
)
@tree_options
@option(
    "--max-leaves N",
    f"Refuse trees with more leaves: the time grows with their square.  [default: {MAX_LEAVES:,}]",
)
@format_options("limit")
def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    max_leaves: int | None,
) -> None:
    """Count the fewest leaves that prove the value, name them, and compare searches with them.

    These are the fewest leaves that prove the root's value, whatever all others are worth within
    their bounds: no correct search for the value can visit fewer. A tree that shares nodes is
    refused.

    For example: expectitree limit trees/ballard-6.yaml
    """

    def limit_of(tree: Tree, file: str) -> Limit:
        chosen = algorithms.for_tree(file, tree)
        return limit(
            tree,
            chosen,
            file=file,
            max_leaves=max_leaves,
            exact=True,
            **options.arguments_for(*chosen),
        )

    reports = options.show_all("the limit of", limit_of, "limit")
    outcomes = {row.outcome for report in reports for row in report.rows}
    options.fail_if(Outcome.STOPPED in outcomes)
