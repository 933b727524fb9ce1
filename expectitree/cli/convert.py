"""`expectitree convert`: a tree from one format into another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import click

from expectitree.cli.games import (
    POSITION_OPTIONS,
    SET_IS_FOR_FILES,
    WRITING_OPTIONS,
    GameCommand,
    GameOptions,
    GameSource,
    is_game_name,
)
from expectitree.cli.options import (
    FILE,
    add_options,
    check_output,
    complete_source,
    force_option,
    read_bounds,
    set_option,
    write_tree,
)
from expectitree.cli.terminal import say, working
from expectitree.errors import FileError
from expectitree.expressions.syntax import INEXACT
from expectitree.files import load
from expectitree.files.formats import TEXT_FORMATS, format_by_suffix
from expectitree.files.saving import format_of
from expectitree.tree.folding import MOST_NODES, fold_rewards, unshare
from expectitree.tree.model import Tree


@click.command("convert", cls=GameCommand)
@click.argument("source", metavar="IN|GAME", type=FILE, shell_complete=complete_source)
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
@partial(add_options, options=[*WRITING_OPTIONS, *POSITION_OPTIONS])
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
    depth: int | None,
    bounds: str | None,
    **position: Any,
) -> None:
    """Write the tree in IN, or of a GAME, to OUT, in the format of its ending.

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
      expectitree convert 'game:pig(target=20)' pig.arrow --depth 5
    """
    if most_nodes is not None and not unshares:
        raise click.UsageError("--most-nodes is the limit of --unshare: give both.")
    check_output(out, format_name, force)
    is_game = is_game_name(source)
    games = GameOptions(**position)
    games.check(is_game)
    if is_game:
        if parameters:
            raise click.UsageError(SET_IS_FOR_FILES)
        exact = out == "-" or format_of(out).is_text
        root_bounds = None if bounds is None else read_bounds(bounds, exact)
        about = {"bounds": root_bounds, "exact": exact}
        tree = GameSource.of(source, games, depth, **about).write_out()
        tree = replace(tree, estimated=frozenset())  # a file has utilities at the depth limit
    else:
        tree = _read(source, parameters)
    with working(f"converting {source}"):
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


def _read(source: str, parameters: Mapping[str, str]) -> Tree:
    """Return the tree in a file; text is read exactly, so that nothing is lost."""
    format = format_by_suffix(source)
    exact = format is None or format.is_text  # tables hold floats
    with working(f"reading {source}"):
        try:
            return load(source, exact=exact, warn=say, parameters=parameters)
        except FileError as error:
            if INEXACT not in str(error):
                raise
            say(f"{source}: a formula {INEXACT}: numbers are written as floats")
            return load(source, warn=say, parameters=parameters)
