"""The options of commands, as a row of `option_table.py` declares each, and their help.

`--help` shows what most users need, `--help-all` every option in sections. This is click's own
help. rich-click would import rich, which `--help` does without: 80 ms more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

import click

from expectitree.base.tables import module_of
from expectitree.cli.readable import BOUNDS, Readable
from expectitree.cli.terminal import OUT

_IS_WHOLE = "expectitree.help_all"  # in the context's `meta`
# The sections of the whole help, in its order.
OWN = "Options"
SEARCHES = "Options of searches"
TREES = "Options of trees"
FORMATS = "Options of other programs' files"
OUTPUT = "Options of the output"
GAMES = "Options for games"
SECTIONS = (OWN, SEARCHES, TREES, FORMATS, OUTPUT, GAMES)

COUNT = click.IntRange(min=0)
# A file or folder to read, which shells complete; - is standard input or output.
FILE = Readable(readable=False, allow_dash=True)
_TYPES = {  # of values, by what the usage calls them
    "D": COUNT,
    "FILE": FILE,
    "K": click.IntRange(min=1),
    "N": click.IntRange(min=1),
    "OUT": OUT,
    "LOWER,UPPER": BOUNDS,
    "T": click.FloatRange(min=0, min_open=True),
    "W": click.FloatRange(min=0),
}


class _Constants(Formatter):
    """Replaces the name of a constant, such as {games.MAX_ROWS}, by its value."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        module, _, name = field_name.rpartition(".")
        value = getattr(module_of(module), name)
        return ", ".join(value) if isinstance(value, Mapping) else value, name


class Option(click.Option):
    """An option as its usage shows it, as in `-o --output OUT`; given once if it has one value.

    The command receives the value by the `name`, or by the option's own. A word in lower case, in
    brackets, lists the choices of the value. Without a word for a value, or a type in the
    `settings`, the option is a flag. The help and the default may name constants in braces.

    Without --help-all, the help shows a command's own options and those of games of a command for
    games, but not those that are `rare`. Of an option that is `named`, such as --set NAME=VALUE,
    each name is given once.
    """

    def __init__(
        self,
        usage: str,
        help: str,
        section: str = OWN,
        name: str | None = None,
        rare: bool | None = None,
        named: bool = False,
        **settings: Any,
    ) -> None:
        words = usage.split()
        declared = [word for word in words if word.startswith("-")]
        value = " ".join(words[len(declared) :])
        if value.startswith("[") and value.islower():
            settings["type"] = click.Choice(value[1:-1].split("|"))
        elif value:
            settings = {"metavar": value, "type": _TYPES.get(value), **settings}
        elif settings.get("type") is None:
            settings["is_flag"] = True
        has_default = settings.get("default") not in (None, ())
        settings.setdefault("show_default", has_default and "[default: " not in help)
        if name is not None:
            declared.append(name)
        super().__init__(declared, help=help, **settings)
        self.section, self.rare, self.named = section, rare, named

    def fill_in(self) -> None:
        """Replace the names of constants, whose modules are imported only for their command."""
        self.help = _Constants().format(str(self.help))
        if isinstance(self.default, str):
            self.default = _Constants().format(self.default)

    def is_usual(self, games_only: bool) -> bool:
        """Return whether the short help shows the option; `games_only` takes only games."""
        if self.rare is None:
            return self.section == OWN or (games_only and self.section == GAMES)
        return not self.rare

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser keep all values of an option, of which click keeps the last."""
        if self.is_flag:
            super().add_to_parser(parser, ctx)
        else:
            parser.add_option(self, self.opts, self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Return the value; raise `click.UsageError` for a second one."""
        name = str(self.name)
        if name in opts and not self.is_flag:
            if not ctx.resilient_parsing:
                self._check_once(opts[name], ctx)
            if not self.multiple:
                opts = {**opts, name: opts[name][-1]}
        return super().consume_value(ctx, opts)

    def _check_once(self, values: Sequence[Any], ctx: click.Context) -> None:
        if self.multiple and not self.named:
            return
        known: dict[str, str] = {}
        for value in values:
            text = value if isinstance(value, str) else self.flag_value  # given without a value
            name = text.partition("=")[0].strip() if self.named else ""
            what = f"{self.opts[-1]} {name}".rstrip()
            if what in known:
                raise click.UsageError(
                    f"{what} was given twice: {known[what]} and {text}\ngive it once.", ctx
                )
            known[what] = text


def is_given(ctx: click.Context, name: str | None) -> bool:
    """Return whether the user typed an option."""
    return ctx.get_parameter_source(str(name)) == click.core.ParameterSource.COMMANDLINE


def is_whole(ctx: click.Context) -> bool:
    """Return whether the whole help is printed."""
    return bool(ctx.meta.get(_IS_WHOLE))


def _print_whole(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_IS_WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


HELP_ALL = Option(
    "--help-all",
    "Show all options and exit.",
    is_eager=True,
    expose_value=False,
    callback=_print_whole,
)
