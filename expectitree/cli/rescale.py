"""`expectitree rescale`: other utilities in place of these, and whether the decision changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import click

from expectitree.analysis.rescale.order_map import rescale_somehow
from expectitree.analysis.rescale.report import Rescaling, numbers_of, rescale
from expectitree.analysis.rescale.scales import (
    Scale,
    affine,
    exponential,
    logarithm,
    named,
    power,
    unknown_names,
)
from expectitree.analysis.rescale.table import load_table
from expectitree.analysis.show import renderer
from expectitree.cli.options import (
    FILE,
    SearchOptions,
    check_output,
    force_option,
    format_option,
    tree_options,
    write_tree,
)
from expectitree.cli.terminal import make_look, say, write
from expectitree.errors import NumberError, TransformError, TreeError
from expectitree.numbers import Number, message_text, quote, to_fraction
from expectitree.tree.model import Tree

_ONE = "give one of --map, --affine, --power, --log, --exp, --table, or --any"


@click.command("rescale")
@click.option(
    "--map", "map_", metavar="U=V,...", help="Utilities by name: U becomes V, those not named stay."
)
@click.option("--affine", metavar="A,B", help="u becomes A*u + B.")
@click.option("--power", metavar="K", help="u becomes u^K, K > 0; a negative u becomes -|u|^K.")
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
    help="U and V from a YAML, JSON or CSV file; those not named stay.",
)
@click.option(
    "--any",
    "any_",
    is_flag=True,
    help="Is there any order-preserving map that changes the decision?",
)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="FILE",
    type=FILE,
    help="Write the rescaled tree; the ending tells the format.",
)
@force_option
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="Show every node of the strategies (json: and every utility).",
)
@tree_options
@format_option("rescale")
def command(
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
    **given: Any,
) -> None:
    """Put other utilities in place of each tree's, and show values and best actions before and after.

    A positive affine map changes no decision, which is checked at every node. A map that only keeps the order may
    change it wherever chance is involved. Estimates go through the map too, and bounds, unless the map falls on them.

    The decision changes where the set of best actions at the root is another one: ties that appear or vanish count.
    For --any it changes where the first best action is no longer among the best; a map that is found is verified in
    fractions. The answer is yes with an example, no with the reason, or unknown.

    With -o - the rescaled tree alone is printed, in YAML or (--format json) JSON.

    \b
    For example:
      expectitree rescale trees/aima-5.12-left.yaml --map 2=20,3=30,4=400
      expectitree rescale money.yaml --exp 0.01
      expectitree rescale trees/aima-5.12-left.yaml --any
    """
    options = SearchOptions(**given)
    asked = {
        "map": map_,
        "affine": affine,
        "power": power,
        "log": log or None,
        "exp": exp,
        "table": table,
    }
    chosen = {name: text for name, text in asked.items() if text is not None}
    if len(chosen) + any_ != 1:
        names = [f"--{name}" for name in chosen] + ["--any"] * any_
        found = (
            f"{' and '.join(names)} cannot be had at once"
            if names
            else "It is not said how utilities change"
        )
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
            return rescale_somehow(tree, bounds=bounds, engine=engine, file=file)
        if scale.names:
            own = set().union(*numbers_of(tree))
            numbers.update(own)
            _check_table(scale, own)
        return rescale(tree, scale, bounds=bounds, engine=engine, file=file)

    reports = list(options.map("rescaling", rescale_tree))
    if scale is not None and scale.kind == "map" and not options.statuses:
        _check_names(scale.names, numbers)
    if reports and out != "-":
        write(renderer("rescale", format_name)(reports, make_look(), show_all))
    if reports and out is not None:
        _write(reports[0], out, format_name)
    options.exit()


def _write(report: Rescaling, out: str, format_name: str) -> None:
    if report.after is None:
        say(
            f"{'nothing' if out == '-' else out} was {'printed' if out == '-' else 'not written'}: no map was found"
        )
        return
    tree = report.after.tree
    try:
        write_tree(tree, out, "json" if format_name == "json" else "yaml")
    except TreeError:
        if not tree.exact or out.lower().endswith((".yaml", ".yml", ".json")):
            raise
        raise click.UsageError(
            f"{out} holds floats, and the rescaled tree has fractions: choose .yaml or .json, or leave --exact out."
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


def _check_names(names: Iterable[Fraction], numbers: Iterable[Number]) -> None:
    """Refuse a map that names a utility that no tree has: it is a slip of the pen."""
    known = sorted(numbers)
    for name in unknown_names(names, known):
        nearest: Sequence[Number] = sorted(sorted(known, key=lambda u: abs(Fraction(u) - name))[:2])
        near = " and ".join(map(message_text, nearest))
        raise click.BadParameter(
            f"no terminal is worth {message_text(name)} (and no estimate is): utilities run from {message_text(known[0])} to "
            f"{message_text(known[-1])}, nearest {'is' if len(nearest) == 1 else 'are'} {near}",
            param_hint="'--map'",
        )


def _check_table(scale: Scale, numbers: set[Number]) -> None:
    if scale.kind == "table" and len(unknown_names(scale.names, numbers)) == len(scale.names):
        raise TransformError(
            f"the table {scale.text} names none of its utilities, which run from {message_text(min(numbers))} to "
            f"{message_text(max(numbers))}"
        )
