"""Trees in files: the options of formats; read a tree exactly, and write one after a check."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from expectitree.base.tree.model import Tree
from expectitree.cli.help import foreign_option, option, output_option, tree_option
from expectitree.cli.terminal import say, standard_output, warn, working, write
from expectitree.files import load
from expectitree.files.formats import NAMES, TABLES, TEXT_FORMATS, format_by_name
from expectitree.files.grammar.document import error_in
from expectitree.files.rows import Format, ReadOptions
from expectitree.files.saving import format_of, pieces, save, text_format
from expectitree.files.urls import is_url
from expectitree.files.writing import is_as_written
from expectitree.text.phrases import plural

Command = TypeVar("Command", bound=Callable[..., Any])  # a decorator returns what it gets


def add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """Add options to a command, in the order of its help."""
    for declared in reversed(options):
        command = declared(command)
    return command


class FormatName(click.Choice[str]):
    """The name of a format: one of the choices, or a plugin's."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if there is such a format."""
        if value not in TABLES and format_by_name(value):
            return value
        return super().convert(value, param, ctx)


def reading_options(command: Command) -> Command:
    """Add the options of formats to a command; it receives those that the user gave."""

    @wraps(command)
    def with_options(**parameters: Any) -> Any:
        given = {name: parameters.pop(name) for name in ("format", *ReadOptions.__annotations__)}
        return command(reading={k: v for k, v in given.items() if v}, **parameters)

    options = (
        foreign_option(
            "--from",
            "The format of the tree, if neither the file's ending nor its content shows it.",
            "format",
            type=FormatName(NAMES),
        ),
        foreign_option(
            "--max-player PLAYER",
            "In .efg: the player who is MAX, by name or number.  [default: 1]",
        ),
        foreign_option(
            "--tree N", "In a SilverDecisions file with several trees: read the Nth.  [default: 1]"
        ),
        foreign_option(
            "--minimize",
            "In Radiant's YAML and in CSV: the numbers are costs, so decisions minimize them.",
        ),
        foreign_option(
            "--probabilities NAME",
            "In CSV: the name of the row or column with the probabilities of states.",
        ),
        foreign_option("--transpose", "In CSV: rows are states, and columns are actions."),
        tree_option(
            "--max-nodes N",
            "Let nodes that lead to themselves make at most N nodes.  [default: 200,000]",
        ),
        option(
            "--normalize",
            "Divide probabilities that are rounded for print by their sum, if that is 0.98 to "
            "1.02, with a warning.",
        ),
    )
    return cast(Command, add_options(with_options, options))


def read_exactly(source: str, parameters: Mapping[str, str], reading: ReadOptions) -> Tree:
    """Return the tree in a file; the numbers of a text are exact at any size."""
    with working(f"reading {source}"):
        return load(source, exact_nodes=sys.maxsize, warn=warn, parameters=parameters, **reading)


format_option = output_option(
    "--format",
    "The format for standard output, or for a file if several formats have its ending.",
    "format_name",
    type=FormatName(TEXT_FORMATS),
)
float32_option = output_option(
    "--float32",
    "In .arrow and .parquet: round numbers to 24 bits (7 digits), for half the space.",
)
force_option = output_option("--force", "Replace an existing file.")


def check_file(file: str, force: bool) -> None:
    """Raise an error if a file exists and may not be replaced, or if its folder does not exist."""
    check_place(file)
    if not force and (os.path.isfile(file) or os.path.islink(file)):
        raise click.UsageError(
            f"{file} exists already\nchoose another name, or replace it with --force."
        )


def check_place(file: str) -> None:
    """Raise an error if the folder of a file does not exist on this machine."""
    if is_url(file):
        message = "nothing is written at a URL\nname a file on this machine, and upload it"
        raise error_in(file, message)
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        message = f"the folder {folder} does not exist\ncheck the path, or create it"
        raise error_in(file, message)


def check_drawn(file: str, force: bool) -> None:
    """Raise an error as `check_file`, but not for a file that expectitree wrote by `write_marked`.

    Call this when all else is known to be right.
    """
    check_file(file, force or is_as_written(file))


def check_output(out: str, format: str | None, force: bool, float32: bool = False) -> Format:
    """Return the format of an output; raise an error if no tree can be written there.

    Call this before the work.
    """
    found = text_format(format or "yaml") if out == "-" else format_of(out, format)
    if float32 and found.name not in TABLES:
        raise click.UsageError(
            f"--float32 is for .arrow and .parquet, and {out} is {found.title}\nremove it."
        )
    if out != "-":
        check_file(out, force)
    return found


def write_tree(
    tree: Tree, out: str, format: str | None, drop_fractions: bool = False, float32: bool = False
) -> None:
    """Write a tree to a file in the format of its ending, or to standard output if it is `-`."""
    if out == "-":
        if hasattr(output := standard_output(), "reconfigure"):
            output.reconfigure(encoding="utf-8")  # tree files are UTF-8 on every system
        write(pieces(tree, format or "yaml", say))
        return
    with working(f"writing {out}"):
        save(tree, out, format=format, drop_fractions=drop_fractions, float32=float32, warn=say)
    command = "ask" if tree.unknown else "eval"
    say(f"{out} written: {plural(len(tree), 'node')}; next: expectitree {command} {out}")
