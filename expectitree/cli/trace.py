"""`expectitree trace`: a search step by step, as text, as JSON lines, or walked through in the terminal."""

from __future__ import annotations

from typing import Any

import click

from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.show import renderer
from expectitree.analysis.trace.report import trace
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

MOST_STEPS = 500  # that are told as text without being asked


@click.command("trace")
@algorithm_option("The search.  [default: expectiminimax]", "expectiminimax")
@tree_options
@click.option(
    "--at",
    metavar="PATH",
    callback=tree_path,
    shell_complete=completes("paths"),
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
@click.pass_context
def command(
    context: click.Context,
    /,
    names: tuple[str, ...],
    choices: Choices,
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
    if len(names) > 1:
        raise click.UsageError("trace follows one algorithm: give -a once.")
    chosen = find_algorithm(names[0], **choices)
    options = SearchOptions(**given)
    if options.engine == "compiled":
        raise click.UsageError("A compiled search cannot be followed: leave --engine compiled out.")
    several = len(files_in(options.files)) + len(options.texts) > 1
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
    bounds = options.root_bounds()
    look = make_look()
    for position, (file, tree) in enumerate(options.trees()):
        with options.reporting_errors(file):
            node = None if at is None else tree.find(at).id
            with working(f"{chosen.name}: {file}"):
                report = trace(
                    tree, chosen, bounds=bounds, at=None if step else node, most=limit or None,
                    max_visits=options.max_visits, file=file,
                )  # fmt: skip
            if not report.search.is_answered:
                options.failures.append(DOES_NOT_HOLD)
            if step:
                walk(report, node)
                continue
            if several and format_name == "text":
                write(["\n" if position else "", look.paint(f"== {escape(file)} ==", "dim"), "\n"])
            write(renderer("trace", format_name)(report, look))
    if options.failures:
        context.exit(max(options.failures))
