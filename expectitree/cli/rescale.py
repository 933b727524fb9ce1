"""`expectitree rescale`: map the utilities, and see whether the decision changes."""

from __future__ import annotations

from click import UsageError

from expectitree.cli.terminal import show
from expectitree.cli.tree_files import check_output, write_tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.rescale.report import rescale


def command(
    map: str | None,
    output: str | None,
    force: bool,
    options: SearchOptions,
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
        raise UsageError("there is no map\ngive --map, such as 'u^2' or 2=20")
    if output is not None:
        if options.tree_count > 1:
            raise UsageError("-o writes one tree\ngive one FILE.")
        check_output(output, None, force)
    reports = list(options.map("rescaling", rescale, map=map, exact=True))
    if reports and output != "-":
        show(options.format_name, reports)
    if reports and output is not None:
        piped = "json" if options.format_name == "json" else "yaml"
        tree = reports[0].after.tree
        write_tree(tree, output, piped if output == "-" else None, not options.exact)
