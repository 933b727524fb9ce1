"""Reading files: the options of formats of other programs, and text read in fractions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import wraps
from typing import Any, cast

import click

from expectitree.base.tree.model import Tree
from expectitree.cli.decorators import Command, add_options
from expectitree.cli.terminal import warn, working
from expectitree.files import load
from expectitree.files.formats import NAMES, format_by_name
from expectitree.files.rows import ReadOptions


class FormatName(click.Choice[str]):
    """The name of a format: one of the choices, or a plugin's."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name if there is such a format."""
        if value not in NAMES and format_by_name(value):
            return value
        return super().convert(value, param, ctx)


def reading_options(command: Command, are_shown: bool = False) -> Command:
    """Add the options of formats to a command; it receives those that the user gave as `reading`.

    Only `convert` shows them in its help.
    """

    @wraps(command)
    def with_options(**parameters: Any) -> Any:
        given = {name: parameters.pop(name) for name in ("format", *ReadOptions.__annotations__)}
        return command(reading={k: v for k, v in given.items() if v}, **parameters)

    options = (
        click.option(
            "--from",
            "format",
            type=FormatName(NAMES),
            hidden=not are_shown,
            help="The format of the tree, if neither the file's ending nor its content shows it.",
        ),
        click.option(
            "--max-player",
            metavar="PLAYER",
            hidden=not are_shown,
            help="In .efg: the player who is MAX, by name or number.  [default: 1]",
        ),
        click.option(
            "--tree",
            type=click.IntRange(1),
            metavar="N",
            hidden=not are_shown,
            help="In a SilverDecisions file with several trees: read the Nth.  [default: 1]",
        ),
        click.option(
            "--minimize",
            is_flag=True,
            hidden=not are_shown,
            help="In Radiant's YAML and in CSV: the numbers are costs, so decisions minimize them.",
        ),
    )
    return cast(Command, add_options(with_options, options))


def read_exactly(source: str, parameters: Mapping[str, str], reading: ReadOptions) -> Tree:
    """Return the tree in a file; the numbers of a text are exact at any size."""
    with working(f"reading {source}"):
        return load(source, exact_nodes=sys.maxsize, warn=warn, parameters=parameters, **reading)
