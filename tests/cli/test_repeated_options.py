"""An option with one value is given once: all options of all commands."""

from __future__ import annotations

from contextlib import suppress

import click
import pytest
from helpers import error_of, run_main

from expectitree.base.tables import COMMANDS
from expectitree.cli import cli

MAX = "max: {a: 1, b: {chance: [1, 5]}}"
ROCKEFELLER = "trees/rockefeller.yaml"


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
        assert error.endswith(f" Error: {last} was given twice: one and two; give it once.")
        assert error.startswith(f"Usage: expectitree {name}")


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


REPEATED = {
    ("eval", "--depth=1", "--depth", "2"): "--depth was given twice: 1 and 2",
    ("eval", "--order", "best", "--exact", "--order", "best"): "--order was given twice: best and "
    "best",
    ("trace", "--max-visits", "1", "--max-visits", "2", "--max-visits", "3"): "--max-visits was "
    "given twice: 1 and 2",
    ("draw", "-o", "x.svg", "--output=y.svg"): "--output was given twice: x.svg and y.svg",
    ("eval", "--explain", "--explain", "b"): "--explain was given twice: / and b",
    ("eval", "--parameters", "x.csv", "--parameters", "y.csv"): "--parameters was given twice: "
    "x.csv and y.csv",
    ("eval", "--set", "x=3", "--set", "x=4"): "--set x was given twice: x=3 and x=4",
    ("verify", "--set", "x=3", "--set", "y=1", "--set", " x = 3"): "--set x was given twice: x=3 "
    "and x = 3",
    ("information", "--set=x=3", "--set=x=4", "--set=x=5"): "--set x was given twice: x=3 "
    "and x=4",
    ("sensitivity", "-p", "x=0..1", "-p", "x=0..2"): "--parameter x was given twice: x=0..1 and "
    "x=0..2",
    ("sensitivity", "--tornado", "-p", "x", "--parameter", "x=1..2"): "--parameter x was given "
    "twice: x and x=1..2",
    ("information", "--likelihood", "x.yaml", "--likelihood", "y.yaml"): "--likelihood was given "
    "twice: x.yaml and y.yaml",
}  # fmt: skip


@pytest.mark.parametrize("words", REPEATED)
def test_what_is_given_twice_is_named(words: tuple[str, ...]) -> None:
    assert error_of(*words).endswith(f" {REPEATED[words]}; give it once.")


def test_options_with_several_values_may_be_repeated() -> None:
    done = run_main("eval", ROCKEFELLER, "--set", "pr=0.4", "--set", "sens=0.8", "--format", "json")
    assert done.status == 0
    done = run_main("compare", "-e", MAX, "-e", MAX, "-a", "star1", "-a", "star2")
    assert done.status == 0
