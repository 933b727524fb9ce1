"""`expectitree convert`: a tree from one format into another."""

from __future__ import annotations

import click

from expectitree.cli.options import FILE, check_output, force_option, set_option, write_tree
from expectitree.cli.terminal import say, working
from expectitree.errors import FileError
from expectitree.expressions.syntax import INEXACT
from expectitree.files import load
from expectitree.files.formats import TEXT_FORMATS, format_by_suffix


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
@force_option
def command(
    source: str,
    out: str,
    format_name: str | None,
    drop: tuple[str, ...],
    parameters: dict[str, str],
    force: bool,
) -> None:
    """Write the tree in IN to OUT, each in the format of its ending.

    Write - for standard input or output.

    \b
    .yaml .yml .json     text with exact numbers: decimals and fractions
    .arrow .parquet      tables, for trees too large for text; numbers are floats, without formulas

    Only comments and layout are lost. Anything else that a format cannot hold is an error, unless
    you allow the loss with --drop.

    For example: expectitree convert --format json trees/risk.yaml -
    """
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
    write_tree(tree, out, format_name, "fractions" in drop)
