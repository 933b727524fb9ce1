"""`expectitree flip`: interchange two levels of chance nodes."""

from __future__ import annotations

import click

from expectitree.cli.games import refuse_game
from expectitree.cli.options import FILE, set_option
from expectitree.cli.terminal import OUT, say
from expectitree.cli.tree_files import (
    check_output,
    force_option,
    format_option,
    read_exactly,
    reading_options,
    write_tree,
)
from expectitree.decide.flip import flip, left_out
from expectitree.files.rows import ReadOptions


@click.command("flip")
@click.argument("files", metavar="FILE", type=FILE)
@click.argument("out", metavar="[OUT]", type=OUT, default="-")
@click.option(
    "--at",
    "path",
    required=True,
    metavar="PATH",
    help="The upper chance node; / is the root.",
)
@format_option
@set_option
@reading_options
@force_option
def command(
    files: str,
    out: str,
    path: str,
    format_name: str | None,
    parameters: dict[str, str],
    force: bool,
    reading: ReadOptions,
) -> None:
    """Interchange two levels of chance nodes by Bayes' rule, and write the tree to OUT.

    The children of the node at PATH must be chance nodes with the same labels. What was P(a) and
    P(b given a) becomes P(b) and P(a given b), as formulas of the same parameters. Rewards of both
    levels are paid at the lower one. Values above do not change, and a second flip undoes the
    first.

    Without OUT, the tree is printed.

    For example: expectitree flip trees/oil-wildcatter.yaml --at drill
    """
    refuse_game(files)
    check_output(out, format_name, force)
    tree = read_exactly(files, parameters, reading)
    flipped = flip(tree, path)
    for lost in left_out(tree, path):
        say(f"left out, since the node is replaced: {lost}")
    if tree.formulas is not None and tree.formulas.defined:
        say("events: left out, since the probabilities become formulas of their own")
    if tree.expect is not None:
        say("expect: left out, since paths and counts of the tree change")
    write_tree(flipped, out, format_name)
