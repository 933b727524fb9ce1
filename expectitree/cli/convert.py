"""`expectitree convert`: a tree from one format into another."""

from __future__ import annotations

import click

from expectitree.cli.options import FILE, check_output, force_option, set_option, write_tree
from expectitree.cli.terminal import say, working
from expectitree.errors import FileError
from expectitree.expressions.syntax import INEXACT
from expectitree.files import load
from expectitree.files.formats import TEXT_FORMATS, format_by_suffix
from expectitree.tree.folding import MOST_NODES, fold_rewards, unshare


@click.command("convert")
@click.argument("source", metavar="IN", type=FILE)
@click.argument("out", metavar="OUT", type=FILE)
@click.option(
    "--format", "format_name", type=click.Choice(TEXT_FORMATS), help="The format where OUT is -."
)
@click.option(
    "--drop",
    type=click.Choice(["fractions"]),
    multiple=True,
    help="Allow a loss: fractions become the nearest floats in .arrow and .parquet.",
)
@set_option
@click.option(
    "--fold",
    type=click.Choice(["rewards"]),
    help="Move rewards and costs into the utilities: each is then the total of its path.",
)
@click.option("--unshare", "unshares", is_flag=True, help="Give each path nodes of its own.")
@click.option(
    "--most-nodes",
    type=click.IntRange(1),
    metavar="N",
    help=f"Let --unshare make a tree of up to N nodes.  [default: {MOST_NODES:,}]",
)
@force_option
def command(
    source: str,
    out: str,
    format_name: str | None,
    drop: tuple[str, ...],
    parameters: dict[str, str],
    fold: str | None,
    unshares: bool,
    most_nodes: int | None,
    force: bool,
) -> None:
    """Write the tree in IN to OUT, each in the format of its ending.

    Write - for standard input or output.

    \b
    .yaml .yml .json     text with exact numbers: decimals and fractions
    .arrow .parquet      tables, for trees too large for text; numbers are floats

    Comments and layout are lost, and in tables parameters, formulas and events. Anything else that
    a format cannot hold is an error, unless you allow the loss with --drop.

    For programs that know utilities only, --fold rewards moves rewards and costs into the
    utilities. If paths with different rewards lead to a shared node, add --unshare.

    \b
    For example:
      expectitree convert --format json trees/risk.yaml -
      expectitree convert --fold rewards trees/rockefeller.yaml folded.yaml
    """
    if most_nodes is not None and not unshares:
        raise click.UsageError("--most-nodes is the limit of --unshare: give both.")
    check_output(out, format_name, force)
    # Text is read exactly, so that nothing is lost; tables hold floats.
    format = format_by_suffix(source)
    with working(f"reading {source}"):
        exact = format is None or format.is_text
        try:
            tree = load(source, exact=exact, warn=say, parameters=parameters)
        except FileError as error:
            if INEXACT not in str(error):
                raise
            tree = load(source, warn=say, parameters=parameters)
            say(f"{source}: a formula {INEXACT}: numbers are written as floats")
        if unshares:
            had_counts = tree.expect is not None and tree.expect.runs
            tree = unshare(tree, most_nodes or MOST_NODES)
            if had_counts and tree.expect is not None and not tree.expect.runs:
                say("expect: left out the counts of searches, since unfolding changes them")
        if fold:
            formulas = () if tree.formulas is None else tree.formulas.expressions()
            had_formulas, unfolded = any(True for _ in formulas), tree
            tree = fold_rewards(tree)
            if had_formulas and tree is not unfolded:
                say("parameters and formulas: left out, because folding changes their numbers")
    write_tree(tree, out, format_name, "fractions" in drop)
