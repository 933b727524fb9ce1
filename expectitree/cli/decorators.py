"""Helpers for the decorators of commands: add several options, and complete values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])  # a decorator returns what it gets


def add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """Add options to a command, in the order of its help."""
    for option in reversed(options):
        command = option(command)
    return command


def complete_from(values: Iterable[str]) -> Callable[..., list[str]]:
    """Return a function that completes one of the values."""

    def complete(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return complete
