"""Help in two sizes: `--help` shows what most users need, `--help-all` every option in sections.

This is click's own help. rich-click would import rich, which `--help` does without: 80 ms more.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import click

from expectitree.base.algorithms import OPTIONS
from expectitree.cli.terminal import printing_to_stderr

_IS_WHOLE = "expectitree.help_all"  # in the context's `meta`
_GAME = (
    "A GAME is game:NAME, open_spiel:NAME or path/to/file.py:Class (which runs that file), with "
    "parameters as in 'game:pig(target=20)'. A game needs --depth."
)
_OWN, _OF_GAMES = "Options", "Options for games"
# By the names of the parameters; all others are the command's own.
_SECTIONS = {
    "Options of searches": (
        "names", *(name.replace("-", "_") for name in OPTIONS),
        "bounds", "engine", "max_visits", "jobs", "scheduler",
    ),
    "Options of trees": (
        "texts", "depth", "order", "parameters", "table", "attitude", "exact",
        "max_nodes",
    ),
    "Options of other programs' files": (
        "format", "max_player", "tree", "minimize", "probabilities", "transpose",
    ),
    "Options of the output": (
        "format_name", "report_file", "force", "rows", "show_all", "notes", "windows", "shown",
        "title", "float32", "drop",
    ),
}  # fmt: skip
# `--help` shows a command's own options without these, and these of the other sections.
_RARE = (
    "fixed", "grid", "reasons", "no_save", "answers", "results", "unshares", "strategy", "width",
    "end", "skew", "real", "dice", "task", "trees",
)  # fmt: skip
_USUAL = ("names", "texts", "parameters", "depth")


class GameOption(click.Option):
    """An option that applies only to games."""


class HelpCommand(click.Command):
    """A command whose help has two sizes, and whose options with one value are given once."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Add --help-all after the other options."""
        super().__init__(*arguments, **settings)
        self.params.append(HELP_ALL)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; raise `click.UsageError` for an option with one value given twice."""
        options = [copy(param) for param in self.params if isinstance(param, click.Option)]
        for option in options:
            option.multiple = True  # the parser keeps all values then
        given, *_ = click.Command(None, params=[*options]).make_parser(ctx).parse_args([*args])
        for param in self.params:
            if isinstance(param, click.Option) and not param.is_flag and not ctx.resilient_parsing:
                _check_once(param, given.get(param.name, []), ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, which alone may write to standard output."""
        with printing_to_stderr(ctx):
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most users need, or all of them in sections."""
        titles = (_OWN, *_SECTIONS, _OF_GAMES)
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
        takes_only_games = any(param.metavar == "GAME" for param in self.params)
        options = (param for param in self.get_params(ctx) if isinstance(param, click.Option))
        for param in options:
            title, name, record = _section_of(param), str(param.name), param.get_help_record(ctx)
            is_own = title == _OWN or title == _OF_GAMES and takes_only_games
            is_usual = name in _USUAL or is_own and name not in _RARE
            if record and (is_usual or is_whole(ctx)):
                sections[title if is_whole(ctx) else _OWN].append(record)
        for title, records in sections.items():
            if not records:
                continue
            with formatter.section(title):
                if title == _OF_GAMES:
                    formatter.write_text(_GAME)
                    formatter.write_paragraph()
                formatter.write_dl(records)


def _check_once(option: click.Option, values: Sequence[Any], ctx: click.Context) -> None:
    """Raise `click.UsageError` if an option, or a name that it sets, has two values."""
    if option.multiple and not str(option.metavar).startswith(("NAME=", "NAME[=")):
        return
    known: dict[str, str] = {}
    for value in values:
        text = value if isinstance(value, str) else option.flag_value  # given without a value
        name = text.partition("=")[0].strip() if option.multiple else ""
        what = f"{option.opts[-1]} {name}".rstrip()
        if what in known:
            both = f"{known[what]} and {text}"
            raise click.UsageError(f"{what} was given twice: {both}; give it once.", ctx)
        known[what] = text


def _section_of(param: click.Parameter) -> str:
    if isinstance(param, GameOption):
        return _OF_GAMES
    return next((title for title, names in _SECTIONS.items() if param.name in names), _OWN)


def is_whole(ctx: click.Context) -> bool:
    """Return whether the whole help is printed."""
    return bool(ctx.meta.get(_IS_WHOLE))


def _print_whole(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_IS_WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_whole,
    help="Show all options and exit.",
)
