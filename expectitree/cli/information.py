"""`expectitree information`: what knowing an event in advance is worth."""

from __future__ import annotations

import click

from expectitree.analysis.information.likelihoods import read_likelihoods
from expectitree.analysis.information.report import Information, information
from expectitree.cli.options import FILE, SearchOptions, format_options, tree_options
from expectitree.cli.terminal import show
from expectitree.tree.model import Tree


@click.command("information")
@click.option(
    "--event", required=True, metavar="NAME", help="An event of the file, or a chance node's path."
)
@click.option(
    "--likelihood",
    metavar="FILE",
    type=FILE,
    help="A test in YAML: signal, then outcome, then the probability of the signal.",
)
@click.option("--control", is_flag=True, help="Show what choosing the outcome would be worth.")
@tree_options
@format_options("information")
def command(
    options: SearchOptions,
    event: str,
    likelihood: str | None,
    control: bool,
    format_name: str,
) -> None:
    """Compute what knowing an event in advance is worth (EVPI), or a free test for it (EVSI).

    An event is what `event:` names at chance nodes of the file. A chance node without it is an
    event of its own: give its path.

    For example: expectitree information trees/rockefeller.yaml --event oil
    """
    test = None if likelihood is None else read_likelihoods(likelihood, options.in_fractions)

    def worth(file: str, tree: Tree) -> Information:
        return information(tree, event, likelihood=test, file=file)

    reports = list(options.map("information in", worth))
    if reports:
        settings = {"shows_control": control} if format_name == "text" else {}
        show("information", format_name, reports, **settings)
