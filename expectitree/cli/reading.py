"""The options of formats of other programs, in the help of `convert` only."""

from __future__ import annotations

from functools import wraps
from typing import Any, cast

import click

from expectitree.cli.decorators import Command, add_options
from expectitree.files.formats import FORMATS, ReadOptions


def reading_options(command: Command, are_shown: bool = False) -> Command:
    """Add the options to a command, which receives those that are given as `reading`."""

    @wraps(command)
    def with_options(**parameters: Any) -> Any:
        given = {name: parameters.pop(name) for name in ("format", *ReadOptions.__annotations__)}
        return command(reading={k: v for k, v in given.items() if v}, **parameters)

    options = (
        click.option(
            "--from",
            "format",
            type=click.Choice(list(FORMATS)),
            hidden=not are_shown,
            help="The format of the tree, where the file's ending and content do not show it.",
        ),
        click.option(
            "--max-player",
            metavar="PLAYER",
            hidden=not are_shown,
            help="In .efg: the player who is MAX, by name or number.  [default: 1]",
        ),
        click.option(
            "--payoffs-of",
            metavar="PLAYER",
            hidden=not are_shown,
            help="In .efg: use this player's payoffs, also if the game is not constant-sum.",
        ),
        click.option(
            "--tree",
            type=click.IntRange(1),
            metavar="N",
            hidden=not are_shown,
            help="In a file of SilverDecisions with several trees: the one to read.  [default: 1]",
        ),
        click.option(
            "--minimize",
            is_flag=True,
            hidden=not are_shown,
            help="In Radiant's YAML and CSV: decisions minimize, as for costs.",
        ),
    )
    return cast(Command, add_options(with_options, options))
