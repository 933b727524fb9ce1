"""`expectitree eval`: the value, the best action, the annotated tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from inspect import cleandoc

import click

from expectitree.analysis.evaluate.reasons import reasons
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import MAX_ROWS
from expectitree.base.algorithms import ALGORITHMS
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import ROOT
from expectitree.cli.algorithms import ChosenAlgorithms, algorithm_option
from expectitree.cli.help import declare, option, output_option
from expectitree.cli.options import (
    complete_paths,
    format_options,
    totals_option,
    tree_options,
    windows_option,
)
from expectitree.cli.trees import SearchOptions
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search


@declare("eval")
@algorithm_option("The search.  [default: expectiminimax; star2 for games]")
@partial(tree_options, is_lazy=True)
@windows_option
@output_option(
    "--rows",
    "Show about this many nodes.",
    type=click.IntRange(min=1),
    default=MAX_ROWS,
)
@output_option("--all", "Show every node.", "show_all")
@option(
    "--explain [PATH]",
    "Explain in sentences the value of the root or of a node, and why each cut was sound.",
    is_flag=False,
    flag_value=ROOT,
    shell_complete=complete_paths,
)
@output_option(
    "--show",
    "Show the formulas next to the numbers, and the parameters.",
    "shown",
    type=click.Choice(("formulas",)),
    multiple=True,
)
@option("--strategy", "Show only the nodes that optimal play can reach.", rare=True)
@totals_option
@option(
    "-v --verbose",
    "Describe the search too: algorithm, counts and bounds; the default with -a.",
    "is_detailed",
)
@output_option(
    "--notes/--no-notes",
    "Show the notes of nodes, but not with --set.",
    default=True,
)
@format_options("evaluate")
def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    windows: bool,
    rows: int,
    show_all: bool,
    explain: str | None,
    shown: Sequence[str],
    strategy: bool,
    totals: bool,
    is_detailed: bool,
    notes: bool,
) -> None:
    """Compute the value of each tree and show the tree, annotated.

    The tree shows what a pruning search cut and why; (4) is a leaf that was not visited.

    For example: expectitree eval -a star1 trees/aima-5.12-left.yaml
    """
    chosen = algorithms.or_only("expectiminimax")
    algorithm = chosen.only(
        "eval runs one algorithm\n`expectitree compare` runs several, side by side."
    )
    if explain is not None and strategy:
        raise click.UsageError("--explain answers in sentences, --strategy draws\nremove one.")
    if explain not in (None, ROOT) and not options.files and not options.texts:
        # The word after --explain was the file and not a path.
        options, explain = replace(options, files=(explain,)), ROOT

    def evaluate_tree(found: Tree | Search, file: str) -> Evaluation:
        if isinstance(found, Search):
            search = found
        else:
            chosen.for_tree(file, found)
            arguments = options.arguments_for(algorithm)
            search = search_tree(found, algorithm, **arguments)
        tree = search.tree  # an attitude to risk may have folded its rewards
        why = None
        if explain is not None:
            why = reasons(search, tree.find(explain).id, tree.find_branch(explain))
        is_described = is_detailed or algorithms.are_named
        shows = "formulas" in shown, totals, is_described
        return Evaluation(file, search, windows, why, strategy, *shows)

    options.show_each(
        f"{algorithm.name}:",
        evaluate_tree,
        "evaluate",
        algorithms.of_game(),
        most_rows=None if show_all else rows,
        notes=notes and not options.parameters,  # they are about the parameters of the file
    )


command.help = "\n".join(
    [
        cleandoc(str(command.help)),
        "\n\b\nAlgorithms:",
        *(f"  {name:14}  {algorithm.description}" for name, algorithm in ALGORITHMS.items()),
    ]
)
