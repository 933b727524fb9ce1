"""`expectitree generate`: a tree of a family, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from expectitree.cli.help import TREES, declare, option
from expectitree.cli.terminal import OUT, working
from expectitree.cli.tree_files import (
    add_options,
    check_output,
    float32_option,
    force_option,
    format_option,
    write_tree,
)
from expectitree.lab.families import FAMILIES, generate, parameters_of
from expectitree.lab.families.parameters import ORDERS, PARAMETERS


def parameter_options(*without: str) -> Callable[[Any], Any]:
    """Add an option for each parameter, whose help names the families that have it."""
    options = []
    for name in (name for name in PARAMETERS if name not in without):
        parameter = PARAMETERS[name]
        families = [family for family in FAMILIES if name in parameters_of(family)]
        settings: dict[str, Any] = {}
        if name == "order":
            settings = {"type": click.Choice(ORDERS), "section": TREES}
        elif parameter.metavar is not None:
            settings = {"type": None}  # the family reads it
        declared = option(
            f"--{name} {parameter.metavar or ''}",
            f"{', '.join(families)}: {parameter.help}",
            default=None,
            rare=name in ("end", "skew", "real", "dice", "order"),
            **settings,
        )
        options.append(declared)
    return partial(add_options, options=options)


@declare("generate")
@click.argument("family", type=click.Choice(list(FAMILIES)))
@parameter_options()
@option(
    "-o --output FILE",
    "The file to write; its ending sets the format.",
    "out",
    default="-",
    show_default=False,
    type=OUT,
)
@format_option
@float32_option
@force_option
def command(
    family: str, out: str, format_name: str | None, float32: bool, force: bool, **given: Any
) -> None:
    """Generate a tree and print it, or write it to a file.

    The same options give the same tree on every machine.

    \b
    ballard  additive utilities (Ballard 1983): the branches of every node carry a
             permutation of 0..N-1, a terminal is worth the sum on its path
    uniform  independent utilities

    For example: expectitree generate ballard --branching 6 | expectitree compare -
    """
    check_output(out, format_name, force, float32)
    parameters = {name: value for name, value in given.items() if value is not None}
    with working(f"generating {family}"):
        tree = generate(family, **parameters)
    write_tree(tree, out, format_name, float32=float32)
