"""`expectitree compare`: the same tree under several algorithms, side by side."""

from __future__ import annotations

from dataclasses import replace

from expectitree.analysis.compare.report import Comparison, compare
from expectitree.base.errors import Problem
from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import is_game_name
from expectitree.cli.terminal import say_problems
from expectitree.cli.trees import SearchOptions
from expectitree.searches.result import Outcome


def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    verbose: bool,
) -> None:
    """Search each tree with several algorithms, and compare values and counts.

    The algorithms must agree; a disagreement is reported, and the exit status is 1. `limit`
    compares them with the fewest leaves that could have been enough.

    For example: expectitree compare trees/ballard-6.yaml
    """

    def compare_tree(tree: Tree, file: str) -> Comparison:
        chosen = algorithms.for_tree(file, tree)
        comparison = compare(tree, chosen, exact=True, **options.arguments_for(*chosen))
        return replace(comparison, file=file, has_times=verbose or is_game_name(file))

    comparisons = options.show_all("comparing", compare_tree)
    wrong = [(c.file, disagreement) for c in comparisons for disagreement in c.disagreements]
    for file, disagreement in wrong:
        advice = "this is a defect of expectitree, please report it with the tree"
        say_problems([Problem(file, f"{disagreement}\n{advice}")])
    outcomes = {row.search.outcome for comparison in comparisons for row in comparison.rows}
    options.fail_if(bool(wrong) or Outcome.STOPPED in outcomes)
