"""Write a tree to a file or to standard output; check first that this is possible."""

from __future__ import annotations

import os
import sys

import click

from expectitree.base.errors import FileError, Problem
from expectitree.base.tree.columns import Kind
from expectitree.base.tree.model import Tree
from expectitree.cli.reading import FormatName
from expectitree.cli.terminal import say, working, write
from expectitree.files.formats import FORMATS, TEXT_FORMATS
from expectitree.files.rows import Format
from expectitree.files.saving import format_of, pieces, save
from expectitree.text.phrases import plural

format_option = click.option(
    "--format",
    "format_name",
    type=FormatName(TEXT_FORMATS),
    help="The format for standard output, or for a file if several formats have its ending.",
)
force_option = click.option("--force", is_flag=True, help="Replace an existing file.")


def check_file(file: str, force: bool) -> None:
    """Raise an error if a file exists and may not be replaced, or if its folder does not exist."""
    if not force and (os.path.isfile(file) or os.path.islink(file)):
        raise click.UsageError(
            f"{file} exists already: choose another name, or replace it with --force."
        )
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        message = f"the folder {folder} does not exist: check the path, or create it"
        raise FileError([Problem(file, message)])


def check_output(out: str, format: str | None, force: bool) -> Format:
    """Return the format of an output; raise an error if no tree can be written there.

    Call this before the work.
    """
    if out == "-":
        return FORMATS[format or "yaml"]
    check_file(out, force)
    return format_of(out, format)


def write_tree(
    tree: Tree,
    out: str,
    format: str | None,
    drop_fractions: bool = False,
    most_nodes: int | None = None,
) -> None:
    """Write a tree to a file in the format of its ending, or to standard output if it is `-`."""
    if out == "-":
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")  # tree files are UTF-8 on every system
        write(pieces(tree, format or "yaml", say, most_nodes))
        return
    with working(f"writing {out}"):
        save(
            tree, out, format=format, drop_fractions=drop_fractions, most_nodes=most_nodes, warn=say
        )
    command = "ask" if tree.unknown else "eval"
    # Radiant's files do not hold whether decisions minimize.
    option = " --minimize" if format == "radiant" and Kind.MIN in tree.columns.kind else ""
    say(f"{out} written: {plural(len(tree), 'node')}; next: expectitree {command} {out}{option}")
