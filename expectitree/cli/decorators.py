"""Helpers for the decorators of commands: add several options, and complete values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from expectitree.cli.annotations import Command


def add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """Add options to a command, in the order of its help."""
    for option in reversed(options):
        command = option(command)
    return command


def complete_from(values: Iterable[str]) -> Callable[..., list[str]]:
    """Return a function that completes one of the values."""
    return lambda context, param, incomplete: [v for v in values if v.startswith(incomplete)]


def complete_path(context: click.Context, param: click.Parameter, incomplete: str) -> Any:
    """Complete a path within the tree on the command line."""
    from expectitree.cli import completion  # takes time that other commands need not spend

    return completion.complete_path(context, param, incomplete)


def complete_source(context: click.Context, param: click.Parameter, incomplete: str) -> Any:
    """Complete the name of a game, or of a file."""
    from expectitree.cli import completion

    return completion.complete_source(incomplete)
