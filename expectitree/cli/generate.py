"""`expectitree generate`: a tree of a family, from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from expectitree.cli.help import OWN, TREES, Option
from expectitree.cli.option_table import TABLE
from expectitree.cli.terminal import working
from expectitree.cli.tree_files import check_output, write_tree
from expectitree.lab.families import FAMILIES, generate, parameters_of
from expectitree.lab.families.parameters import ORDERS, PARAMETERS


def _parameter_options() -> Iterator[Option]:
    """Yield an option for each parameter, whose help names the families that have it."""
    for name, parameter in PARAMETERS.items():
        families = [family for family in FAMILIES if name in parameters_of(family)]
        section, value = OWN, parameter.metavar or ""
        if name == "order":
            section, value = TREES, f"[{'|'.join(ORDERS)}]"
        yield Option(
            f"--{name} {value}",
            f"{', '.join(families)}: {parameter.help}",
            section,
            rare=name in ("end", "skew", "real", "dice", "order"),
            type=None,  # the family reads it
        )


TABLE["**settings"] = [*_parameter_options()]
TABLE["generate"].append(click.Argument(["family"], type=click.Choice(list(FAMILIES))))


def command(
    family: str,
    settings: dict[str, Any],
    output: str,
    format_name: str | None,
    force: bool,
) -> None:
    """Generate a tree and print it, or write it to a file.

    The same options give the same tree on every machine.

    \b
    ballard  additive utilities (Ballard 1983): the branches of every node carry a
             permutation of 0..N-1, a terminal is worth the sum on its path
    uniform  independent utilities

    For example: expectitree generate ballard --branching 6 | expectitree compare -
    """
    check_output(output, format_name, force)
    with working(f"generating {family}"):
        tree = generate(family, **settings)
    write_tree(tree, output, format_name)
