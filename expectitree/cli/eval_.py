"""`expectitree eval`: the value, the best action, the annotated tree."""

from __future__ import annotations

from dataclasses import replace
from inspect import cleandoc
from typing import Any

import click

from expectitree.algorithms import ALGORITHMS
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.evaluate.outline import SHORT_TREE
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import renderer
from expectitree.cli.options import (
    Choices,
    SearchOptions,
    algorithm_option,
    completes,
    files_in,
    format_option,
    tree_options,
    tree_path,
)
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, working, write
from expectitree.numbers import escape
from expectitree.searches.engine import evaluate
from expectitree.tree.paths import ROOT


@click.command("eval")
@algorithm_option("The search.  [default: expectiminimax]", "expectiminimax")
@tree_options
@click.option("--windows", is_flag=True, help="Show alpha and beta of every node that was entered.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=SHORT_TREE,
    show_default=True,
    help="About so many nodes are shown.",
)
@click.option("--all", "show_all", is_flag=True, help="Show every node.")
@click.option(
    "--explain",
    is_flag=False,
    flag_value=ROOT,
    callback=tree_path,
    shell_complete=completes("paths_or_files"),
    metavar="[PATH]",
    help="Say in sentences why the root, or a node, is worth what it is, and why each cut was sound.",
)
@click.option("--strategy", is_flag=True, help="Show only what optimal play can reach.")
@click.option(
    "--notes/--no-notes", default=True, show_default=True, help="Show the notes of nodes."
)
@format_option("evaluate")
@click.pass_context
def command(
    context: click.Context,
    /,
    names: tuple[str, ...],
    choices: Choices,
    windows: bool,
    rows: int,
    show_all: bool,
    explain: str | None,
    strategy: bool,
    notes: bool,
    format_name: str,
    **given: Any,
) -> None:
    """Compute the value of each tree and show the tree, annotated.

    Where a pruning search left a node, the tree says what was cut and why; (4) is a leaf that was not visited.
    """
    if len(names) > 1:
        raise click.UsageError(
            "eval runs one algorithm: `expectitree compare` runs several, side by side."
        )
    chosen = find_algorithm(names[0], **choices)
    options = SearchOptions(**given)
    if explain is not None and strategy:
        raise click.UsageError("--explain answers in sentences, --strategy draws: leave one out.")
    if explain not in (None, ROOT) and not options.files and not options.texts:
        options, explain = (
            replace(options, files=(explain,)),
            ROOT,
        )  # it was the tree that stood behind --explain
    bounds = options.root_bounds()
    look = make_look()
    render = renderer("evaluate", format_name)
    several = len(files_in(options.files)) + len(options.texts) > 1
    for position, (file, tree) in enumerate(options.trees()):
        with options.reporting_errors(file):
            with working(f"{chosen.name}: {file}"):
                search = evaluate(
                    tree,
                    chosen,
                    bounds=bounds,
                    engine=options.engine,
                    max_visits=options.max_visits,
                )
                node = None if explain is None else tree.find(explain).id
                evaluation = Evaluation(file, search, windows, node, strategy)
                _ = evaluation.shown
            if not search.is_answered:
                options.failures.append(DOES_NOT_HOLD)
            if several and format_name == "text":
                write(["\n" if position else "", look.paint(f"== {escape(file)} ==", "dim"), "\n"])
            write(render(evaluation, look, None if show_all else rows, notes))
    if options.failures:
        context.exit(max(options.failures))


command.help = "\n".join(
    [
        cleandoc(str(command.help)),
        "\n\b\nAlgorithms:",
        *(f"  {name:14}  {algorithm.description}" for name, algorithm in ALGORITHMS.items()),
    ]
)
