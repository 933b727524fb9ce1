"""Commands made from functions: the options of the table that their arguments name, and the help.

An argument is an option, or a dictionary of options, or made of options by the function in `MADE`.
The help has the options in the order of the arguments; those of the report are the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import cleandoc, signature
from typing import Any

import click

from expectitree.base.numbers import notation
from expectitree.base.tables import COMMANDS, module_of
from expectitree.cli.help import GAMES, HELP_ALL, OUTPUT, OWN, SECTIONS, Option, is_whole
from expectitree.cli.option_table import ALL, MADE, TABLE
from expectitree.cli.terminal import printing_to_stderr

_GAME = (
    "A GAME is game:NAME, open_spiel:NAME or path/to/file.py:Class (which runs that file), with "
    "parameters as in 'game:pig(target=20)'. A game needs --depth."
)


class Command(click.Command):
    """A command whose help has two sizes, of which `--help-all` prints the whole."""

    def __init__(self, name: str, function: Callable[..., int | None]) -> None:
        """Add --help-all after the other options."""
        rows: dict[str, click.Parameter] = {}
        for key, group in TABLE.items():
            if key == ALL or name in key.split():
                rows |= _by_name(group)
        params = dict.fromkeys(_params(function, rows))
        if folder := COMMANDS[name].folder:
            choice = click.Choice(module_of(folder).FORMATS)
            format = Option(
                "--format", "The format of the output.", OUTPUT, "format_name",
                type=choice, default="text",
            )  # fmt: skip
            params |= {format: None, rows["report_file"]: None}
        for param in params:
            if isinstance(param, Option):
                param.fill_in()
        super().__init__(name, params=[*params, HELP_ALL], help=cleandoc(str(function.__doc__)))
        self.function = function

    def invoke(self, ctx: click.Context) -> None:
        """Run the command, which alone may write to standard output, and returns its status."""
        exact = ctx.params.get("exact", False)
        with printing_to_stderr(ctx), notation(exact):
            arguments = _arguments(self.function, ctx)
            status = ctx.invoke(self.function, **arguments)
        if "options" in arguments:
            status = max(arguments["options"].statuses, default=0)
        if status:
            ctx.exit(status)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most users need, or all of them in sections."""
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        games_only = any(param.metavar == "GAME" for param in self.params)
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if not record or not isinstance(param, click.Option):
                continue
            if not isinstance(param, Option):  # --help itself
                sections[OWN].append(record)
            elif is_whole(ctx):
                sections[param.section].append(record)
            elif param.is_usual(games_only):
                sections[OWN].append(record)
        for title, records in sections.items():
            if not records:
                continue
            with formatter.section(title):
                if title == GAMES:
                    formatter.write_text(_GAME)
                    formatter.write_paragraph()
                formatter.write_dl(records)


def _by_name(group: list[click.Parameter]) -> dict[str, click.Parameter]:
    return {str(row.name): row for row in group}


def _maker(argument: str) -> Callable[..., Any]:
    """Return the function that makes an argument of its own arguments."""
    module, _, name = MADE[argument].partition(".")
    maker: Callable[..., Any] = getattr(module_of(f"cli.{module}"), name)
    return maker


def _params(
    function: Callable[..., Any], rows: Mapping[str, click.Parameter]
) -> Iterator[click.Parameter]:
    """Yield the options and arguments of the command line from which a function is called."""
    arguments = signature(function).parameters
    for name in arguments:
        if name in MADE:
            yield from _params(_maker(name), rows)
        elif f"**{name}" in TABLE:
            group = _by_name(TABLE[f"**{name}"])
            yield from (row for option, row in group.items() if option not in arguments)
        elif name in rows:
            yield rows[name]


def _arguments(function: Callable[..., Any], ctx: click.Context) -> dict[str, Any]:
    """Return the arguments of a function from the values of options; without an option, none."""
    values: dict[str, Any] = {}
    typed = click.core.ParameterSource.COMMANDLINE
    arguments = signature(function).parameters
    for name in arguments:
        if name in MADE:
            maker = _maker(name)
            parts = _arguments(maker, ctx)
            if parts:
                values[name] = maker(**parts)
        elif f"**{name}" in TABLE:
            others = _by_name(TABLE[f"**{name}"]).keys() - arguments.keys()
            given = [name for name in ctx.params if name in others]
            values[name] = {
                name: ctx.params[name] for name in given if ctx.get_parameter_source(name) == typed
            }
        elif name in ctx.params:
            values[name] = ctx.params[name]
    return values
