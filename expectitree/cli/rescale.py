"""`expectitree rescale`: map the utilities, and see whether the decision changes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from expectitree.analysis.rescale.any_map import find_order_preserving_map
from expectitree.analysis.rescale.report import Rescaling, check_names, numbers_of, rescale
from expectitree.analysis.rescale.scales import (
    Scale,
    affine,
    exponential,
    logarithm,
    named,
    power,
)
from expectitree.analysis.rescale.table import load_table
from expectitree.cli.options import (
    FILE,
    SearchOptions,
    check_output,
    force_option,
    format_options,
    tree_options,
    write_tree,
)
from expectitree.cli.terminal import say, show
from expectitree.errors import NumberError, TransformError, TreeError
from expectitree.numbers import Number, quote, to_fraction
from expectitree.tree.model import Tree

_ONE = "give one of --map, --affine, --power, --log, --exp, --table, or --any"


@click.command("rescale")
@click.option("--map", "map_", metavar="U=V,...", help="U becomes V; other utilities stay.")
@click.option("--affine", metavar="A,B", help="u becomes A*u + B.")
@click.option("--power", metavar="K", help="u becomes u^K, K > 0; a negative u becomes -(-u)^K.")
@click.option("--log", is_flag=True, help="u becomes its natural logarithm; all must be above 0.")
@click.option(
    "--exp",
    metavar="R",
    help="u becomes (1 - e^(-R*u)) / R: constant risk aversion for R > 0, risk seeking for R < 0.",
)
@click.option(
    "--table",
    metavar="TABLE",
    type=FILE,
    help="U and V in the two columns of a CSV file; other utilities stay.",
)
@click.option(
    "--any",
    "any_",
    is_flag=True,
    help="Find an order-preserving map that changes the decision.",
)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE",
    type=FILE,
    help="Write the rescaled tree; the suffix decides the format.",
)
@force_option
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="Show every node of the strategies (json: and every utility).",
)
@tree_options
@format_options("rescale", "--report")
def command(
    options: SearchOptions,
    map_: str | None,
    affine: str | None,
    power: str | None,
    log: bool,
    exp: str | None,
    table: str | None,
    any_: bool,
    out: str | None,
    force: bool,
    show_all: bool,
    format_name: str,
) -> None:
    """Map the utilities of each tree, and show values and best actions before and after.

    A positive affine map changes no decision, which is checked at every node. A map that only keeps
    the order may change any decision above a chance node. Estimates go through the map too, and so
    do bounds, unless the map falls on them.

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
    asked = {
        "map": map_, "affine": affine, "power": power, "log": log or None, "exp": exp,
        "table": table,
    }  # fmt: skip
    chosen = {name: text for name, text in asked.items() if text is not None}
    if len(chosen) + any_ != 1:
        names = [f"--{name}" for name in chosen] + ["--any"] * any_
        found = f"{' and '.join(names)} exclude each other" if names else "No map was given"
        raise click.UsageError(f"{found}: {_ONE}.")
    if out is not None:
        if options.tree_count > 1:
            raise click.UsageError("-o writes one tree: give one FILE.")
        check_output(out, None, force)
    if table == "-" and "-" in options.files:
        raise click.UsageError(
            "Standard input can be read once: give - for the tree or for the table."
        )
    scale = None if any_ else _scale(*next(iter(chosen.items())), options.in_fractions)
    numbers: set[Number] = set()

    def rescale_tree(file: str, tree: Tree) -> Rescaling:
        bounds, engine = options.root_bounds, options.engine
        if scale is None:
            return find_order_preserving_map(tree, bounds=bounds, engine=engine, file=file)
        if scale.kind == "map":
            numbers.update(*numbers_of(tree))
        return rescale(tree, scale, bounds=bounds, engine=engine, file=file)

    reports = list(options.map("rescaling", rescale_tree))
    if scale is not None and scale.kind == "map" and not options.statuses:
        try:
            check_names(scale.names, numbers)
        except TransformError as error:
            raise click.BadParameter(str(error), param_hint="'--map'") from None
    if reports and out != "-":
        show("rescale", format_name, reports, show_all=show_all)
    if reports and out is not None:
        _write(reports[0], out, format_name)


def _write(report: Rescaling, out: str, format_name: str) -> None:
    if report.after is None:
        say("no map was found: no tree was written")
        return
    tree = report.after.tree
    try:
        write_tree(tree, out, "json" if format_name == "json" else "yaml")
    except TreeError:
        if not tree.exact or out.lower().endswith((".yaml", ".yml", ".json")):
            raise
        raise click.UsageError(
            f"{out} holds floats, and the rescaled tree has fractions: choose .yaml or .json, or "
            "leave --exact out."
        ) from None


# ---- The map, from what was typed.


def _scale(name: str, text: Any, exact: bool) -> Scale:
    hint = f"'--{name}'"
    try:
        if exact and name in ("log", "exp"):
            raise click.UsageError(
                f"--{name} gives irrational numbers, which no fraction holds: leave --exact out."
            )
        if name == "map":
            return named(_named_images(text))
        if name == "table":
            return named(load_table(text), "table", text)
        if name == "affine":
            return affine(*_numbers(text, 2, "A,B such as 2,-1"))
        if name == "power":
            return power(*_numbers(text, 1, "K such as 2 or 1/2"))
        if name == "exp":
            return exponential(*_numbers(text, 1, "R such as 0.01"))
        return logarithm()
    except (NumberError, TransformError) as error:
        raise click.BadParameter(str(error), param_hint=hint) from None


def _numbers(text: str, count: int, expected: str) -> list[Fraction]:
    parts = text.split(",")
    if len(parts) != count:
        raise NumberError(f"found {quote(text)}, expected {expected}")
    try:
        return [to_fraction(part.strip()) for part in parts]
    except NumberError as error:
        raise NumberError(f"{error}; expected {expected}") from None


def _named_images(text: str) -> dict[Fraction, Fraction]:
    images: dict[Fraction, Fraction] = {}
    for item in text.split(","):
        utility, equals, image = item.partition("=")
        if not equals:
            raise NumberError(f"found {quote(item)}, expected U=V, such as 2=20,3=30")
        named_one, becomes = to_fraction(utility.strip()), to_fraction(image.strip())
        if named_one in images:
            raise NumberError(f"the utility {quote(utility.strip())} is there twice: keep one")
        images[named_one] = becomes
    return images
