"""`expectitree risk`: the distribution of totals for each action."""

from __future__ import annotations

from functools import partial

import click

from expectitree.base.errors import NumberError
from expectitree.base.numbers import to_fraction
from expectitree.cli.help import declare, option
from expectitree.cli.options import format_options, node_options, plot_option
from expectitree.cli.trees import SearchOptions
from expectitree.decide.reach.report import reach as trace_of
from expectitree.decide.risk.report import risk


@declare("risk")
@option("--target T", "Show the probability of a total at least as good as T.", type=None)
@option(
    "--reach COUNTER",
    "Show how likely play enters each node that repeats, by a counter such as cycle.",
)
@plot_option
@node_options
@format_options("risk")
def command(
    options: SearchOptions,
    target: str | None,
    reach: str | None,
) -> None:
    """Show the distribution of totals for each first action, with optimal play afterward.

    The columns 5%, 50% and 95% are quantiles: with that probability the total is at most so much.
    "worst 5%" is the mean of the worst 5%, the CVaR; where MIN decides alone, large totals are bad.
    An action dominates another if it is at least as good whatever happens (deterministic
    dominance), if everyone who prefers more gain would choose it (first order), or everyone who
    also avoids risk (second order). --plot draws the probability of each total or less, with a line
    for each action.

    --reach shows the trace of a cohort: for each action, with optimal play afterward, the
    probability of entering each node that repeats while the counter has each number, and of having
    ended before. --plot then draws that of the best action.

    For example: expectitree risk trees/rockefeller.yaml --target 1000
    """
    try:
        wanted = None if target is None else to_fraction(target)
    except NumberError as error:
        raise click.BadParameter(error.lines, param_hint="'--target'") from None

    if reach is not None and target is not None:
        raise click.UsageError("--reach and --target ask different questions\nremove one.")

    if reach is not None:
        find = partial(trace_of, counter=reach, exact=True)
        options.show_all("tracing", find, "reach")
        return
    options.show_all("risk of", partial(risk, target=wanted, exact=True), "risk")
