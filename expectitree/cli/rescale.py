"""`expectitree rescale`: map the utilities, and see whether the decision changes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from expectitree.cli.games import GameCommand
from expectitree.cli.options import FILE, format_options, game_options
from expectitree.cli.saving import check_output, force_option, write_tree
from expectitree.cli.terminal import OUT, say, show
from expectitree.cli.trees import SearchOptions
from expectitree.decide.rescale.any_map import find_order_preserving_map
from expectitree.decide.rescale.report import Rescaling, rescale
from expectitree.decide.rescale.scales import Scale, affine, exponential, logarithm, named, power
from expectitree.decide.rescale.table import load_table, read_images
from expectitree.errors import NumberError, TransformError, TreeError
from expectitree.numbers import quote, to_fraction
from expectitree.tree.model import Tree

_ONE = "give one of --map, --affine, --power, --log, --exp, --table, or --any"


def map_option(
    name: str, metavar: str | None, help: str, read: Callable[[str], Scale], **settings: Any
) -> Callable[..., Any]:
    """Return an option whose text `read` makes a map."""

    def callback(context: click.Context, option: click.Parameter, text: Any) -> Scale | None:
        try:
            return read(text) if text else None
        except (NumberError, TransformError) as error:
            raise click.BadParameter(str(error)) from None

    return click.option(name, callback=callback, metavar=metavar, help=help, **settings)


def _named_images(text: str) -> Scale:
    return named(read_images(item.split("=") for item in text.split(",")))


def _numbers(text: str, count: int, expected: str) -> list[Fraction]:
    parts = text.split(",")
    if len(parts) != count:
        raise NumberError(f"found {quote(text)}, expected {expected}")
    return [to_fraction(part.strip()) for part in parts]


POWER = "u becomes u^K, K > 0; a negative u becomes -(-u)^K."
LOG = "u becomes its natural logarithm; all must be above 0."
EXP = "u becomes (1 - e^(-R*u)) / R: constant risk aversion for R > 0, risk seeking for R < 0."
TABLE = "U and V in the two columns of a CSV file; other utilities stay."


@click.command("rescale", cls=GameCommand)
@map_option("--map", "U=V,...", "U becomes V; other utilities stay.", _named_images)
@map_option(
    "--affine",
    "A,B",
    "u becomes A*u + B.",
    lambda text: affine(*_numbers(text, 2, "A,B as in 2,-1")),
)
@map_option("--power", "K", POWER, lambda text: power(*_numbers(text, 1, "K such as 2 or 1/2")))
@map_option("--log", None, LOG, lambda _: logarithm(), is_flag=True)
@map_option("--exp", "R", EXP, lambda text: exponential(*_numbers(text, 1, "R such as 0.01")))
@map_option(
    "--table", "TABLE", TABLE, lambda file: named(load_table(file), "table", file), type=FILE
)
@click.option(
    "--any", "any_", is_flag=True, help="Find an order-preserving map that changes the decision."
)
@click.option(
    *("-o", "--output", "out"),
    metavar="FILE",
    type=OUT,
    help="Write the rescaled tree; the suffix decides the format.",
)
@force_option
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="Show every node of the strategies (json: and every utility).",
)
@game_options
@format_options("rescale", "--report")
def command(
    options: SearchOptions,
    any_: bool,
    out: str | None,
    force: bool,
    show_all: bool,
    format_name: str,
    **maps: Scale | None,
) -> None:
    """Map the utilities of each tree, and show values and best actions before and after.

    A positive affine map changes no decision, which is checked at every node. A map that only keeps
    the order may change any decision above a chance node. Estimates go through the map too, and so
    do bounds, unless the map falls on them. If branches pay, the map applies to totals: the rewards
    are first folded into the utilities.

    The decision changes where the set of best actions at the root changes: ties count. With --any
    it changes where the first best action is no longer among the best. The answer is yes with an
    example that was verified in fractions, no with the reason, or unknown.

    -o - prints only the rescaled tree, in YAML or (with --format json) in JSON.

    \b
    For example:
      expectitree rescale trees/aima-5.12-left.yaml --map 2=20,3=30,4=400
      expectitree rescale money.yaml --exp 0.01
      expectitree rescale trees/aima-5.12-left.yaml --any
    """
    chosen = {f"--{name}": scale for name, scale in maps.items() if scale is not None}
    if len(chosen) + any_ != 1:
        names = " and ".join([*chosen, *["--any"] * any_])
        found = f"{names} exclude each other" if names else "No map was given"
        raise click.UsageError(f"{found}: {_ONE}.")
    if "-" in options.files and any(scale.text == "-" for scale in chosen.values()):
        raise click.UsageError("Standard input can be read once: for the tree or for the table.")
    if out is not None:
        if options.tree_count > 1:
            raise click.UsageError("-o writes one tree: give one FILE.")
        check_output(out, None, force)

    def rescale_tree(file: str, tree: Tree) -> Rescaling:
        bounds, engine = options.root_bounds, options.engine
        if any_:
            return find_order_preserving_map(
                tree, bounds=bounds, engine=engine, exact=True, file=file
            )
        return rescale(tree, *chosen.values(), bounds=bounds, engine=engine, exact=True, file=file)

    reports = list(options.map("rescaling", rescale_tree))
    if reports and out != "-":
        show("rescale", format_name, reports, show_all=show_all)
    if reports and out is not None:
        piped = "json" if format_name == "json" else "yaml"
        _write(reports[0], out, piped if out == "-" else None, options.exact)


def _write(report: Rescaling, out: str, format: str | None, exact: bool) -> None:
    if report.after is None:
        say("no map was found: no tree was written")
        return
    try:
        write_tree(report.after.tree, out, format, drop_fractions=not exact)
    except TreeError:
        if not exact:
            raise
        hint = "choose .yaml or .json, or remove --exact"
        raise click.UsageError(
            f"{out} holds floats, and the rescaled tree has fractions: {hint}."
        ) from None
