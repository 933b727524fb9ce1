"""`expectitree rescale`: map the utilities, and see whether the decision changes."""

from __future__ import annotations

from functools import partial

import click

from expectitree.cli.help import declare, option
from expectitree.cli.options import format_options, node_options
from expectitree.cli.terminal import OUT, show
from expectitree.cli.tree_files import check_output, force_option, write_tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.rescale.report import rescale


@declare("rescale")
@option(
    "--map MAP", "A formula of the utility u, such as 'u^2', or pairs U=V,…: other utilities stay."
)
@option(
    "-o --output FILE", "Write the rescaled tree; the suffix decides the format.", "out", type=OUT
)
@force_option
@node_options
@format_options("rescale", "--report")
def command(
    options: SearchOptions,
    map: str | None,
    out: str | None,
    force: bool,
) -> None:
    """Map the utilities of each tree, and show values and best actions before and after.

    Only positive affine maps, such as 2*u + 5, are safe: they change no decision, which is checked
    at every node. A map that only keeps the order may change any decision above a chance node.
    Estimates go through the map too; bounds are left out. If branches pay, the map applies to
    totals: the rewards are first folded into the utilities. The decision changes where the set of
    best actions at the root changes: ties count.

    To take risk into account, use --attitude of eval: it keeps totals in their unit.

    -o - prints only the rescaled tree, in YAML or (with --format json) in JSON.

    \b
    For example:
      expectitree rescale trees/aima-5.12-left.yaml --map 2=20,3=30,4=400
      expectitree rescale trees/aima-5.12-left.yaml --map 'exp(3*u)'
    """
    if not map:
        raise click.UsageError("there is no map\ngive --map, such as 'u^2' or 2=20")
    if out is not None:
        if options.tree_count > 1:
            raise click.UsageError("-o writes one tree\ngive one FILE.")
        check_output(out, None, force)
    reports = list(options.map("rescaling", partial(rescale, map=map, exact=True)))
    if reports and out != "-":
        show("rescale", options.format_name, reports)
    if reports and out is not None:
        piped = "json" if options.format_name == "json" else "yaml"
        tree = reports[0].after.tree
        write_tree(tree, out, piped if out == "-" else None, not options.exact)
