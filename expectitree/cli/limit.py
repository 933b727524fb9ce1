"""`expectitree limit`: the fewest leaves that prove the result."""

from __future__ import annotations

from typing import Any

import click

from expectitree.analysis.limit.report import limit
from expectitree.analysis.show import renderer
from expectitree.cli.options import (
    Choices,
    SearchOptions,
    algorithm_option,
    algorithms_named,
    drop_slow,
    format_option,
    max_leaves_option,
    tree_options,
)
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, working, write


@click.command("limit")
@algorithm_option(
    "A search to compare with the limit; may be repeated. By default all that are not slow."
)
@tree_options
@max_leaves_option
@click.option("--all", "show_all", is_flag=True, help="Name every leaf.")
@format_option("limit")
@click.pass_context
def command(
    context: click.Context,
    /,
    names: tuple[str, ...],
    choices: Choices,
    max_leaves: int | None,
    show_all: bool,
    format_name: str,
    **given: Any,
) -> None:
    """Count the fewest leaves that prove the result, name them, and compare searches with them.

    These are the fewest leaves that prove the root's value, whatever all others are worth within
    their bounds: no correct search can visit fewer. A second count is for a proof of the best action
    alone. Where nodes are shared, each count may be a range.

    For example: expectitree limit trees/ballard-6.yaml
    """
    chosen = algorithms_named(names, choices)
    options = SearchOptions(**given)
    bounds = options.root_bounds()
    reports = []
    for file, tree in options.trees():
        algorithms = chosen if names else drop_slow(chosen, tree, file)
        with options.reporting_errors(file), working(f"the limit of {file}"):
            report = limit(
                tree, algorithms, bounds=bounds, engine=options.engine, max_visits=options.max_visits,
                max_leaves=max_leaves, file=file,
            )  # fmt: skip
            reports.append(report)
    if reports:
        render = renderer("limit", format_name)
        write(render(reports, make_look(), *([show_all] if format_name == "text" else [])))
    if any(not row.is_answered for report in reports for row in report.rows):
        options.failures.append(DOES_NOT_HOLD)
    if options.failures:
        context.exit(max(options.failures))
