"""An option with one value is given once: all options of all commands."""

from __future__ import annotations

from contextlib import suppress

import click
import pytest
from helpers import error_of

from expectitree.base.tables import COMMANDS
from expectitree.cli import cli
from expectitree.cli.option_table import TABLE


def options_of(name: str) -> list[click.Option]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return [param for param in command.params if isinstance(param, click.Option)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_with_one_value(name: str) -> None:
    for option in options_of(name):
        if option.multiple or option.is_flag:
            continue
        first, last = option.opts[0], option.opts[-1]
        error = error_of(name, first, "one", last, "two")
        assert error == f"{last} was given twice: one and two: give it once"


@pytest.mark.parametrize("name", COMMANDS)
def test_flags_may_be_repeated(name: str) -> None:
    command, context = cli.get_command(click.Context(cli), name), click.Context(cli)
    assert command is not None
    for option in options_of(name):
        if not option.is_flag or option.is_eager:
            continue
        flag = option.opts[0]
        with suppress(click.MissingParameter):  # raised after the check
            command.make_context(name, [flag, flag], context)


@pytest.mark.parametrize("key", [key for key in TABLE if not key.startswith("**")])
def test_the_commands_of_a_row_take_it(key: str) -> None:
    for name in key.split():
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert {row.name for row in TABLE[key]} <= {param.name for param in command.params}
