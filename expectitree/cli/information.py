"""`expectitree information`: what knowing an event in advance is worth."""

from __future__ import annotations

import click

from expectitree.cli.options import FILE, format_options, tree_options
from expectitree.cli.saving import check_output, force_option, write_tree
from expectitree.cli.terminal import OUT, show
from expectitree.cli.trees import SearchOptions
from expectitree.decide.information.likelihoods import read_likelihoods
from expectitree.decide.information.report import Information, information
from expectitree.tree.model import Tree
from expectitree.tree.paths import ROOT


@click.command("information")
@click.option(
    "--event",
    "events",
    required=True,
    multiple=True,
    metavar="NAME",
    help="An event of the file, or a chance node's path; repeat for several.",
)
@click.option(
    "--likelihood",
    metavar="FILE",
    type=FILE,
    help="A test in YAML: signal, then outcome, then the probability of the signal.",
)
@click.option(
    "--at",
    "path",
    default=ROOT,
    metavar="PATH",
    help="Where the outcome or the signal is known.  [default: the root]",
)
@click.option("--control", is_flag=True, help="Show what choosing the outcome would be worth.")
@click.option(
    *("-o", "--output", "out"),
    metavar="FILE",
    type=OUT,
    help="Write the tree with the free test; the suffix decides the format.",
)
@force_option
@tree_options
@format_options("information", "--report")
def command(
    options: SearchOptions,
    events: tuple[str, ...],
    likelihood: str | None,
    path: str,
    control: bool,
    out: str | None,
    force: bool,
    format_name: str,
) -> None:
    """Compute what knowing an event in advance is worth (EVPI), or a free test for it (EVSI).

    An event is what `event:` names at chance nodes of the file. A chance node without it is an
    event of its own: give its path. With several events, all their outcomes are known in advance.

    The file of --likelihood has the probability of each signal given each outcome, such as
    `plus: {oil: 0.9, none: 0.3}`. Formulas may use the tree's parameters, and `rest` is 1 minus the
    sum of the other signals. -o writes the tree with the test in front of it, or of the node of
    --at, with formulas for the probabilities of signals and outcomes. -o - prints only that tree.

    For example: expectitree information trees/rockefeller.yaml --event oil
    """
    test = None if likelihood is None else read_likelihoods(likelihood)
    if out is not None:
        if test is None:
            raise click.UsageError("-o writes the tree with a test: give its --likelihood.")
        if options.tree_count > 1:
            raise click.UsageError("-o writes one tree: give one FILE.")
        check_output(out, None, force)

    def worth(file: str, tree: Tree) -> Information:
        found = information(tree, events, likelihood=test, at=path, exact=True, file=file)
        if out is not None:
            _ = found.tree_with_test  # its errors are reported with the file
        return found

    reports = list(options.map("information in", worth))
    if reports and out != "-":
        settings = {"shows_control": control} if format_name == "text" else {}
        show("information", format_name, reports, **settings)
    if reports and out is not None:
        write_tree(reports[0].tree_with_test, out, "json" if format_name == "json" else "yaml")
