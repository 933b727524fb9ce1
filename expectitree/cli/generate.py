"""`expectitree generate`: a tree of a family, from a seed."""

from __future__ import annotations

import click

from expectitree.cli.options import FILE, check_output, force_option, write_tree
from expectitree.cli.terminal import working
from expectitree.families import FAMILIES, ORDERS, generate, parameters_of
from expectitree.files.saving import TEXT_FORMATS


@click.command("generate")
@click.argument("family", type=click.Choice(list(FAMILIES)))
@click.option(
    "--pattern",
    metavar="KINDS",
    help="ballard, uniform: kinds from the root down.  [default: max,chance,min]",
)
@click.option(
    "--plies", metavar="N", help="ballard, uniform: plies; the pattern is repeated or cut."
)
@click.option(
    "--branching",
    metavar="N",
    help="ballard, uniform: branches of each node; uniform takes a range.  [default: 4; uniform 2-4]",
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    help="ballard: how a node's children stand; best is best for a search.  [default: random]",
)
@click.option(
    "--dice",
    metavar="N",
    help="ballard: chance is the sum of two dice of N sides; 0 is none.  [default: 0]",
)
@click.option(
    "--utilities", metavar="LOWER,UPPER", help="uniform: where they lie.  [default: 0,100]"
)
@click.option(
    "--real", is_flag=True, default=None, help="uniform: utilities are real, not whole, numbers."
)
@click.option(
    "--end",
    metavar="P",
    help="uniform: with this probability a node is a terminal early.  [default: 0]",
)
@click.option(
    "--skew", metavar="K", help="uniform: how uneven chance is, from 0 to 4.  [default: 0, even]"
)
@click.option("--seed", metavar="N", help="ballard, uniform: the seed.  [default: 0]")
@click.option("--steps", metavar="N", help="lattice: steps to the last day.  [default: 100]")
@click.option("--spot", metavar="X", help="lattice: the price on the first day.  [default: 100]")
@click.option("--strike", metavar="X", help="lattice: the price that was agreed.  [default: 100]")
@click.option(
    "--up",
    metavar="X",
    help="lattice: the factor of a step up; down is its inverse.  [default: 1.01]",
)
@click.option(
    "--rate", metavar="X", help="lattice: what money grows by in a step.  [default: 1.0001]"
)
@click.option("--call", is_flag=True, default=None, help="lattice: the right to buy, not to sell.")
@click.option(
    "-o",
    "--output",
    "out",
    default="-",
    metavar="FILE",
    type=FILE,
    help="Where to write; the ending tells the format.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(TEXT_FORMATS),
    help="The format of standard output.",
)
@force_option
def command(
    family: str, out: str, format_name: str | None, force: bool, **given: str | bool | None
) -> None:
    """Make a tree of a family and print it, or write it to a file; the same options give the same tree everywhere.

    \b
    ballard  additive utilities (Ballard 1983): every node's branches carry a
             permutation of 0..N-1, a terminal is worth the sum on its path
    uniform  independent utilities
    lattice  an American option: at every point of a recombining lattice MAX
             stops, or goes on; nodes are shared (for a volatility s and an
             interest r: up = exp(s * sqrt(dt)), rate = exp(r * dt))

    For example: expectitree generate ballard --branching 6 | expectitree compare -
    """
    check_output(out, format_name, force)
    parameters = {name: value for name, value in given.items() if value is not None}
    known = parameters_of(family)
    for name in parameters:
        if name not in known:
            raise click.UsageError(
                f"{family} has no --{name}: it has {', '.join(f'--{other}' for other in known)}."
            )
    with working(f"making the {family} tree"):
        tree = generate(family, **parameters)
    write_tree(tree, out, format_name)
