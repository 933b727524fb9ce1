"""`expectitree rescale`: map the utilities, and see whether the decision changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from expectitree.cli.help import declare, option
from expectitree.cli.options import format_options, node_options
from expectitree.cli.terminal import OUT, say, show
from expectitree.cli.tree_files import check_output, force_option, write_tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.rescale.any_map import find_order_preserving_map
from expectitree.decide.rescale.report import Rescaling, rescale


@declare("rescale")
@option(
    "--map MAP", "A formula of the utility u, such as 'u^2', or pairs U=V,…: other utilities stay."
)
@option(
    "--any",
    "Find an order-preserving map that changes the decision; the default without --map.",
    "any_",
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
    any_: bool,
    out: str | None,
    force: bool,
) -> None:
    """Map the utilities of each tree, and show values and best actions before and after.

    A positive affine map changes no decision, which is checked at every node. A map that only keeps
    the order may change any decision above a chance node. Estimates go through the map too; bounds
    are left out. If branches pay, the map applies to totals: the rewards are first folded into the
    utilities.

    The decision changes where the set of best actions at the root changes: ties count. With --any
    it changes where the first best action is no longer among the best. The answer is yes with an
    example that was verified in fractions, no with the reason, or unknown.

    To take risk into account, use --attitude of eval: it keeps totals in their unit.

    -o - prints only the rescaled tree, in YAML or (with --format json) in JSON.

    \b
    For example:
      expectitree rescale trees/aima-5.12-left.yaml --map 2=20,3=30,4=400
      expectitree rescale trees/aima-5.12-left.yaml --map 'exp(3*u)'
      expectitree rescale trees/aima-5.12-left.yaml --any
    """
    if map and any_:
        raise click.UsageError("--map and --any exclude each other\ngive one of them.")
    if out is not None:
        if options.tree_count > 1:
            raise click.UsageError("-o writes one tree\ngive one FILE.")
        check_output(out, None, force)
    find: Callable[..., Rescaling] = find_order_preserving_map
    if map:
        find = partial(rescale, map=map)
    reports = list(options.map("rescaling", partial(find, exact=True)))
    if reports and out != "-":
        show("rescale", options.format_name, reports)
    if reports and out is not None:
        if (after := reports[0].after) is None:
            say("no map was found: no tree was written")
            return
        piped = "json" if options.format_name == "json" else "yaml"
        write_tree(after.tree, out, piped if out == "-" else None, not options.exact)
