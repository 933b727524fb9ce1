"""`expectitree eval`: the value, the best action, the annotated tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import cleandoc

from click import UsageError

from expectitree.analysis.evaluate.reasons import reasons
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import ALGORITHMS
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import ROOT
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.trees import SearchOptions
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search


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
    verbose: bool,
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
        raise UsageError("--explain answers in sentences, --strategy draws\nremove one.")
    if explain not in (None, ROOT) and not options.files and not options.texts:
        # The word after --explain was the file and not a path.
        options, explain = replace(options, files=(explain,)), ROOT

    def evaluate_tree(source: Tree | Search, file: str) -> Evaluation:
        if isinstance(source, Search):
            search = source
        else:
            chosen.for_tree(file, source)
            search = search_tree(source, algorithm, **options.arguments_for(algorithm))
        tree = search.tree  # an attitude to risk may have folded its rewards
        why = None
        if explain is not None:
            why = reasons(search, tree.find(explain).id, tree.find_branch(explain))
        is_described = verbose or algorithms.are_named
        shows = "formulas" in shown, totals, is_described
        return Evaluation(file, search, windows, why, strategy, *shows)

    options.show_each(
        f"{algorithm.name}:",
        evaluate_tree,
        algorithms.of_game(),
        most_rows=None if show_all else rows,
        notes=notes and not options.parameters,  # they are about the parameters of the file
    )


command.__doc__ = "\n".join(
    [
        cleandoc(str(command.__doc__)),
        "\n\b\nAlgorithms:",
        *(f"  {name:14}  {algorithm.description}" for name, algorithm in ALGORITHMS.items()),
    ]
)
