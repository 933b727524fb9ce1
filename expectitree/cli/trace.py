"""`expectitree trace`: a search step by step, as text, as JSON lines, or walked through in the terminal."""

from __future__ import annotations

from typing import Any

import click

from expectitree.analysis.show import renderer
from expectitree.analysis.trace.report import Trace, trace
from expectitree.cli.options import (
    ChosenAlgorithms,
    SearchOptions,
    algorithm_option,
    complete_path,
    format_option,
    tree_options,
)
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, write
from expectitree.numbers import escape
from expectitree.searches.result import Outcome
from expectitree.tree.model import Tree

MOST_STEPS = 500  # that are told as text without being asked


@click.command("trace")
@algorithm_option("The search.  [default: expectiminimax]", "expectiminimax")
@tree_options
@click.option(
    "--at",
    metavar="PATH",
    shell_complete=complete_path,
    help="Follow one node: its steps, and what comes of its children.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Tell so many steps, 0 for all.  [default: {MOST_STEPS} as text, all else]",
)
@click.option(
    "--step", is_flag=True, help="Walk through it key by key, forwards and back, beside the tree."
)
@format_option("trace")
def command(
    algorithms: ChosenAlgorithms,
    at: str | None,
    limit: int | None,
    step: bool,
    format_name: str,
    **given: Any,
) -> None:
    """Tell a search step by step, in the order in which it is made.

    A step is an entry with its window, a probe, a visit, a child passed over, a bound that
    tightens, a cut, or that a node is left; with --format json an object a line. best-first is told
    walk by walk, each entry with its aim, and cuts in the end.

    For example: expectitree trace -a star2 --at a2 trees/aima-5.12-left.yaml
    """
    algorithm = algorithms.only("trace follows one algorithm: give -a once.")
    options = SearchOptions(**given)
    if options.engine == "compiled":
        raise click.UsageError("A compiled search cannot be followed: leave --engine compiled out.")
    several = options.tree_count > 1
    if step:
        if several:
            raise click.UsageError("--step walks through one tree: give one file.")
        if format_name != "text":
            raise click.UsageError(
                "--step is for people, --format json for programs: leave one out."
            )
        from expectitree.cli.stepper import check_terminal, walk

        check_terminal()
    if limit is None:
        limit = MOST_STEPS if format_name == "text" and not step else 0
    look = make_look()

    def trace_tree(file: str, tree: Tree) -> tuple[Trace, int | None]:
        node = None if at is None else tree.find(at).id
        report = trace(
            tree, algorithm, bounds=options.root_bounds, at=None if step else node,
            most=limit or None, max_visits=options.max_visits, file=file,
        )  # fmt: skip
        return report, node

    for position, (report, node) in enumerate(options.map(f"{algorithm.name}:", trace_tree)):
        if report.search.outcome is Outcome.STOPPED:
            options.statuses.append(DOES_NOT_HOLD)
        if step:
            walk(report, node)
            continue
        if several and format_name == "text":
            title = look.paint(f"== {escape(report.file)} ==", "dim")
            write(["\n" if position else "", title, "\n"])
        write(renderer("trace", format_name)(report, look))
    options.exit()
