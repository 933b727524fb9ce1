"""Trees in files: the options about them; read a tree exactly, and write one after a check."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from click import BadParameter, UsageError

from expectitree.base.tree.model import Tree
from expectitree.cli.terminal import say, standard_output, warn, working, write
from expectitree.files import NO_TREES, tree_files
from expectitree.files.formats import SUFFIXES
from expectitree.files.grammar.document import error_in
from expectitree.files.rows import Format
from expectitree.files.saving import format_of, pieces, save, text_format
from expectitree.files.writing import is_as_written
from expectitree.text.phrases import plural


def read_parameters(changes: Sequence[str], table: str | None) -> dict[str, str]:
    """Return the values of --set, and what --parameters sets, by the names of the parameters."""
    changed: dict[str, Any] = {}
    if table is not None:
        from expectitree.foreign.parameter_tables import read_settings

        changed.update(read_settings(table, warn))
    for setting in changes:
        name, _, value = map(str.strip, setting.partition("="))
        if not name or not value or "=" in value:
            raise BadParameter(
                f"found {setting!r}, expected NAME=VALUE such as pr=0.3\nrepeat --set for each "
                "parameter",
                param_hint="'--set'",
            )
        changed[name] = replace(changed[name], value=value) if name in changed else value
    return changed


def check_file(file: str, force: bool) -> None:
    """Raise an error if a file exists and may not be replaced, or if its folder does not exist."""
    check_place(file)
    if not force and (os.path.isfile(file) or os.path.islink(file)):
        raise UsageError(f"{file} exists already\nchoose another name, or replace it with --force.")


def check_place(file: str) -> None:
    """Raise an error if the folder of a file does not exist on this machine."""
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        raise error_in(file, f"the folder {folder} does not exist\ncheck the path, or create it")


def check_drawn(file: str, force: bool) -> None:
    """Raise an error as `check_file`, but not for a file that expectitree wrote by `write_marked`.

    Call this when all else is known to be right.
    """
    check_file(file, force or is_as_written(file))


def check_output(out: str, format: str | None, force: bool) -> Format:
    """Return the format of an output; raise an error if no tree can be written there.

    Call this before the work.
    """
    out_format = text_format(format or "yaml") if out == "-" else format_of(out, format)
    if out != "-":
        check_file(out, force)
    return out_format


def write_tree(tree: Tree, out: str, format: str | None, drop_fractions: bool = False) -> None:
    """Write a tree to a file in the format of its ending, or to standard output if it is `-`."""
    if out == "-":
        if hasattr(output := standard_output(), "reconfigure"):
            output.reconfigure(encoding="utf-8")  # tree files are UTF-8 on every system
        write(pieces(tree, format or "yaml", say))
        return
    with working(f"writing {out}"):
        save(tree, out, format=format, drop_fractions=drop_fractions, warn=say)
    command = "ask" if tree.unknown else "eval"
    say(f"{out} written: {plural(len(tree), 'node')}; next: expectitree {command} {out}")


def files_in(paths: Sequence[str]) -> list[str]:
    """Return the paths, with each folder replaced by the tree files in it."""
    files: list[str] = []
    for path in paths:
        trees = list(tree_files(path)) if os.path.isdir(path) else [path]
        if not trees:
            suffixes = ", ".join(suffix for suffix in SUFFIXES if suffix not in NO_TREES)
            raise error_in(
                path,
                f"no tree file in this folder: expected a name that ends in one of {suffixes}",
            )
        files += trees
    return files
