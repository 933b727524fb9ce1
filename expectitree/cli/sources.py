"""Where the trees of a command come from: each text, file and game, and how it is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click

from expectitree.base.algorithms import Algorithm
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import NO_BOUNDS
from expectitree.base.tree.model import Tree
from expectitree.base.tree.transform import in_fractions
from expectitree.cli.games import GameSource, is_game_name, refuse_file_options
from expectitree.cli.terminal import warn, working
from expectitree.cli.tree_options import TreeOptions
from expectitree.files import NO_TREES, load, loads, tree_files
from expectitree.files.formats import SUFFIXES
from expectitree.files.grammar.document import error_in
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Search


def sources_of(
    options: TreeOptions, lazy: Algorithm | None
) -> Iterator[tuple[str, Callable[[], Tree | Search]]]:
    """Yield the name of each text, file and game, and the function that reads it."""
    for text in options.texts:
        yield "-e", partial(_read, options, partial(loads, text, name="-e"), "-e")
    for file in files_in(options.files):
        read = partial(_read, options, partial(load, file), file)
        if is_game_name(file):
            yield file, partial(_grow, options, file, lazy)
        else:
            yield file, read


def _read(options: TreeOptions, read: Callable[..., Tree], name: str) -> Tree:
    """Return a tree as the options change it."""
    with working(f"reading {name}"):
        tree = read(
            exact_nodes=sys.maxsize if options.exact else EXACT_NODES,
            warn=warn,
            parameters=options.parameters,
            **options.reading,
        )
        if options.exact:  # a table holds floats
            tree = in_fractions(tree)
        if options.attitude is not None:
            tree = tree.with_attitude(options.attitude)
        return prepare(tree, options.depth, options.order)


def _grow(options: TreeOptions, name: str, algorithm: Algorithm | None) -> Tree | Search:
    """Search a game, or write it out."""
    refuse_file_options(options.parameters, options.reading)
    if options.attitude is not None:
        raise click.UsageError(
            f"--attitude needs the tree of {name}\nwrite it to a file first with "
            "`expectitree convert`, or remove --attitude."
        )
    assert options.games is not None
    bounds = NO_BOUNDS if options.bounds == "none" else options.root_bounds
    if bounds == "leaves":
        raise click.UsageError("The leaves of a game are not known in advance\ngive --bounds L,U.")
    source = GameSource(name, options.games, options.depth, bounds=bounds, exact=options.exact)
    if algorithm is None or algorithm.needs_whole_tree:
        instead = "; or search without the whole tree: `expectitree eval -a star2`"
        tree = source.write_out(instead)
        return prepare(tree, None, options.order)
    if options.order != "given":
        raise click.UsageError(
            f"--order {options.order} needs the whole tree, and {algorithm.name} searches a game "
            "without it\nremove it, or order moves with --deepen."
        )
    if options.engine == "compiled":
        raise click.UsageError(
            "The rules of a game are Python code, which cannot be compiled\nremove --engine "
            "compiled, or write the tree to a file first with `expectitree convert`."
        )
    return source.search(algorithm, options.max_visits)


def files_in(paths: Sequence[str]) -> list[str]:
    """Return the paths, with each folder replaced by the tree files in it."""
    files: list[str] = []
    for path in paths:
        found = list(tree_files(path)) if os.path.isdir(path) else [path]
        if not found:
            suffixes = ", ".join(suffix for suffix in SUFFIXES if suffix not in NO_TREES)
            raise error_in(
                path,
                f"no tree file in this folder: expected a name that ends in one of {suffixes}",
            )
        files += found
    return files
