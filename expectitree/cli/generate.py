"""`expectitree generate`: a tree of a family, from a seed."""

from __future__ import annotations

from typing import Any

import click

from expectitree.cli.terminal import OUT, working
from expectitree.cli.tree_files import check_output, force_option, format_option, write_tree
from expectitree.lab.families import FAMILIES, generate, parameters_of
from expectitree.lab.families.parameters import ORDERS, PARAMETERS


def _parameter_options(command: Any) -> Any:
    """Add an option for each parameter, whose help names the families that have it."""
    for name, parameter in reversed(PARAMETERS.items()):
        families = [family for family in FAMILIES if name in parameters_of(family)]
        command = click.option(
            f"--{name}",
            is_flag=parameter.metavar is None and name != "order",
            default=None,
            type=click.Choice(ORDERS) if name == "order" else None,
            metavar=parameter.metavar,
            help=f"{', '.join(families)}: {parameter.help}",
        )(command)
    return command


@click.command("generate")
@click.argument("family", type=click.Choice(list(FAMILIES)))
@_parameter_options
@click.option(
    "-o",
    "--output",
    "out",
    default="-",
    metavar="FILE",
    type=OUT,
    help="The file to write; its ending sets the format.",
)
@format_option
@force_option
def command(family: str, out: str, format_name: str | None, force: bool, **given: Any) -> None:
    """Generate a tree and print it, or write it to a file.

    The same options give the same tree on every machine.

    \b
    ballard  additive utilities (Ballard 1983): the branches of every node carry a
             permutation of 0..N-1, a terminal is worth the sum on its path
    uniform  independent utilities

    For example: expectitree generate ballard --branching 6 | expectitree compare -
    """
    check_output(out, format_name, force)
    parameters = {name: value for name, value in given.items() if value is not None}
    with working(f"generating {family}"):
        tree = generate(family, **parameters)
    write_tree(tree, out, format_name)
