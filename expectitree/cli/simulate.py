"""`expectitree simulate`: what is best while parameters are uncertain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from expectitree.base.display import Shown
from expectitree.cli.help import declare, option
from expectitree.cli.options import complete_parameters, file_options, format_options, plot_option
from expectitree.cli.trees import SearchOptions
from expectitree.decide.sensitivity.parameters import parse_range
from expectitree.decide.simulation.report import DRAWS, SEED, acceptability, simulate


@declare("simulate")
@option(
    "-p --parameter NAME[=LOW..HIGH]",
    "Show the acceptability curve: the share of draws in which each action is best, over the "
    "range of this parameter.",
    "moved",
    shell_complete=complete_parameters,
)
@option("--draws N", "The number of draws.", "count", default=DRAWS)
@option(
    "--seed",
    "The seed of the random numbers; the same seed gives the same draws.",
    type=click.IntRange(min=0),
    default=SEED,
)
@plot_option
@file_options
@format_options("simulation")
def command(
    options: SearchOptions,
    moved: str | None,
    count: int,
    seed: int,
) -> None:
    """Show which action is best while parameters are uncertain.

    Parameters are drawn from the `distribution` that they have in the file; --set makes one
    certain. For each action, `best in` is the share of draws in which it would be best if the
    parameters were known, and `loss` how much less it is worth than the best, on average. The
    second table has what knowing each parameter in advance is worth (EVPI, EVPPI). --format csv
    writes the draws.

    \b
    For example:
      expectitree simulate docs/examples/tegaderm.yaml --draws 1000
      expectitree simulate docs/examples/sumatriptan.yaml -p wtp --plot curve.svg
    """
    find: Callable[..., Shown] = partial(simulate, draws=count, seed=seed)
    if moved is not None:
        name, ends = parse_range(moved)
        find = partial(acceptability, parameter=name, range=ends, draws=count, seed=seed)
    options.show_all("simulating", find, "simulation")
