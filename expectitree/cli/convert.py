"""`expectitree convert`: a tree from one format into another."""

from __future__ import annotations

import sys

from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.folding import fold_with_formulas, unshare
from expectitree.base.tree.model import Tree
from expectitree.cli.games import (
    GameOptions,
    GameSource,
    is_game_name,
    refuse_file_options,
    refuse_game_options,
)
from expectitree.cli.terminal import say, warn, working
from expectitree.cli.tree_files import check_output, write_tree
from expectitree.decide.flip import flip, left_out
from expectitree.files import load
from expectitree.files.rows import ReadOptions


def command(
    source: str,
    out: str,
    format_name: str | None,
    drop: tuple[str, ...],
    parameters: dict[str, str],
    reading: ReadOptions,
    fold: str | None,
    flipped: str | None,
    unshares: bool,
    force: bool,
    depth: int | None,
    bounds: Bounds | None,
    games: GameOptions,
) -> None:
    """Write the tree of a file or a GAME to OUT. The ending of OUT sets the format.

    Write - for standard input or output.

    \b
    .yaml .yml .json  text with exact numbers: decimals and fractions
    .arrow .parquet   tables, for trees too large for text; numbers are floats
    .efg              games of Gambit, which OpenSpiel reads, too
    .json .yaml       SilverDecisions and Radiant: recognized when read, and not written
    .csv              payoff tables, which can only be read

    Comments and layout are lost. A message on standard error names anything else that the format
    cannot hold. If values would change, that is an error. If fractions would be rounded, it is an
    error, too, unless you add --drop fractions.

    For programs that know utilities only, --fold rewards moves rewards and costs into the
    utilities. If paths with different rewards lead to a shared node, add --unshare.

    \b
    For example:
      expectitree convert --format json trees/risk.yaml -
      expectitree convert trees/risk.yaml risk.efg
      expectitree convert --fold rewards trees/rockefeller.yaml folded.yaml
      expectitree convert --depth 5 'game:pig(target=20)' pig.arrow
    """
    out_format = check_output(out, format_name, force)
    if is_game_name(source):
        refuse_file_options(parameters, reading)
        is_exact = out_format.is_text
        tree = GameSource(source, games, depth, bounds=bounds, exact=is_exact).write_out()
    else:
        refuse_game_options()
        with working(f"reading {source}"):
            tree = load(
                source, exact_nodes=sys.maxsize, warn=warn, parameters=parameters, **reading
            )
    with working(f"converting {source}"):
        if flipped:
            tree = _flipped(tree, flipped)
        if unshares:
            tree = _unshared(tree)
        if fold:
            tree = _folded(tree)
    write_tree(tree, out, format_name, "fractions" in drop)


def _flipped(tree: Tree, path: str) -> Tree:
    """Return the tree with two levels of chance interchanged; print what is left out."""
    flipped = flip(tree, path)
    for lost in left_out(tree, path):
        say(f"left out, since the node is replaced: {lost}")
    if tree.formulas.defined:
        say("events: left out, since the probabilities become formulas of their own")
    if tree.expect is not None:
        say("expect: left out, since paths and counts of the tree change")
    return flipped


def _unshared(tree: Tree) -> Tree:
    """Return the tree with separate nodes for each path; print what is left out."""
    unfolded = unshare(tree)
    if unfolded.expect != tree.expect:
        lost = "counts of searches, and values of copies by name or at other counters"
        say(f"expect: left out {lost}, since unfolding changes them")
    return unfolded


def _folded(tree: Tree) -> Tree:
    """Return the tree with rewards moved into the utilities; print what is left out."""
    folded = fold_with_formulas(tree, say)
    had_more = tree.expect is not None and (tree.expect.values or tree.expect.runs)
    if had_more and tree.expect != folded.expect:
        say("expect: left out the values of nodes and the counts of searches")
    return folded
