"""Commands made from functions: the options of the table that their arguments name, and the help.

An argument is an option, or a dictionary of options, or made of options by the function in `MADE`.
The help has the options in the order of the arguments; those of the report are the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import cleandoc, signature
from typing import Any, TypeAlias

import click

from expectitree.base.numbers import show_exact
from expectitree.base.tables import COMMANDS, module_of
from expectitree.cli.help import GAMES, HELP_ALL, OUTPUT, OWN, SECTIONS, Option, is_given, is_whole
from expectitree.cli.option_table import ALL, MADE, TABLE
from expectitree.cli.terminal import printing_to_stderr

_Plan: TypeAlias = dict[str, Any]  # of options by name; a dictionary of an argument with several
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
        report: list[click.Parameter] = []
        if folder := COMMANDS[name].folder:
            formats = click.Choice(module_of(folder).FORMATS)
            about = "The format of the output."
            format = Option("--format", about, OUTPUT, "format_name", type=formats, default="text")
            report = [format, rows["report_file"]]
            rows["format_name"] = format
        self.function, self.plan = function, _plan(function, rows)
        others = [param for param in dict.fromkeys(_leaves(self.plan)) if param not in report]
        params = [*others, *report, HELP_ALL]
        for param in params:
            if isinstance(param, Option):
                param.fill_in()
        super().__init__(name, params=params, help=cleandoc(str(function.__doc__)))

    def invoke(self, ctx: click.Context) -> None:
        """Run the command, which alone may write to standard output, and returns its status."""
        with printing_to_stderr(), show_exact(ctx.params.get("exact", False)):
            arguments = _arguments(self.plan, ctx)
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
            if is_whole(ctx):
                sections[getattr(param, "section", OWN)].append(record)
            elif not isinstance(param, Option) or param.is_usual(games_only):
                sections[OWN].append(record)
        for title, records in sections.items():
            if not records:
                continue
            with formatter.section(title):
                if title == GAMES:
                    formatter.write_text(_GAME)
                    formatter.write_paragraph()
                formatter.write_dl(records)


def _by_name(group: list[click.Parameter]) -> _Plan:
    return {str(row.name): row for row in group}


def _maker(argument: str) -> Callable[..., Any]:
    """Return what makes an argument of its own arguments."""
    module, _, name = MADE[argument].partition(".")
    maker: Callable[..., Any] = getattr(module_of(f"cli.{module}"), name)
    return maker


def _plan(function: Callable[..., Any], rows: _Plan) -> _Plan:
    """Return the options that each argument of a function takes, if it takes any."""
    plan: _Plan = {}
    names = signature(function).parameters
    for name in names:
        if name in MADE:
            plan[name] = _plan(_maker(name), rows)
        elif f"**{name}" in TABLE:
            group = _by_name(TABLE[f"**{name}"])
            plan[name] = {option: group[option] for option in group if option not in names}
        elif name in rows:
            plan[name] = rows[name]
    return {name: part for name, part in plan.items() if part}


def _leaves(plan: _Plan) -> Iterator[click.Parameter]:
    """Yield the options of a plan in their order."""
    for part in plan.values():
        if isinstance(part, dict):
            yield from _leaves(part)
        else:
            yield part


def _arguments(plan: _Plan, ctx: click.Context) -> dict[str, Any]:
    """Return the arguments of a function from the values of their options."""
    arguments: dict[str, Any] = {}
    for name, part in plan.items():
        if name in MADE:
            arguments[name] = _maker(name)(**_arguments(part, ctx))
        elif isinstance(part, dict):
            given = [option for option in part if is_given(ctx, option)]
            arguments[name] = {option: ctx.params[option] for option in given}
        else:
            arguments[name] = ctx.params[name]
    return arguments
