"""Help in two sizes: `--help` shows what most users need, `--help-all` every option in sections.

This is click's own help. rich-click would import rich, which `--help` does without: 80 ms more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import click

from expectitree.cli.readable import Readable
from expectitree.cli.terminal import OUT, printing_to_stderr

Decorator: TypeAlias = Callable[[Any], Any]  # of a command

_IS_WHOLE = "expectitree.help_all"  # in the context's `meta`
_GAME = (
    "A GAME is game:NAME, open_spiel:NAME or path/to/file.py:Class (which runs that file), with "
    "parameters as in 'game:pig(target=20)'. A game needs --depth."
)
# The sections of the whole help, in its order.
OWN = "Options"
SEARCHES = "Options of searches"
TREES = "Options of trees"
FORMATS = "Options of other programs' files"
OUTPUT = "Options of the output"
GAMES = "Options for games"
SECTIONS = (OWN, SEARCHES, TREES, FORMATS, OUTPUT, GAMES)


class Option(click.Option):
    """An option that knows its place in the help, and is given once if it has one value.

    Without --help-all, the help shows a command's own options and those of games of a command for
    games, but not those that are `rare`. Of an option that is `named`, such as --set NAME=VALUE,
    each name is given once.
    """

    def __init__(
        self,
        *arguments: Any,
        section: str = OWN,
        rare: bool | None = None,
        named: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.section, self.rare, self.named = section, rare, named

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


# A file or folder to read, which shells complete; - is standard input or output.
FILE = Readable(readable=False, allow_dash=True)
_TYPES = {  # of values, by what the usage calls them
    "D": click.IntRange(min=0),
    "FILE": FILE,
    "K": click.IntRange(min=1),
    "N": click.IntRange(min=1),
    "OUT": OUT,
    "T": click.FloatRange(min=0, min_open=True),
}


def option(usage: str, help: str, name: str | None = None, **settings: Any) -> Decorator:
    """Declare an option as its usage shows it, as in `-o --output OUT`.

    The command receives the value by the `name`, or by the option's own. Without a word for a
    value, or a type in the `settings`, the option is a flag. The help shows its default.
    """
    words = usage.split()
    declared = [word for word in words if word.startswith("-")]
    value = " ".join(words[len(declared) :])
    if value:
        settings = {"metavar": value, "type": _TYPES.get(value), **settings}
    elif "type" not in settings:
        settings["is_flag"] = True
    has_default = settings.get("default") not in (None, ())
    settings.setdefault("show_default", has_default and "[default: " not in help)
    if name is not None:
        declared.append(name)
    return click.option(*declared, cls=Option, help=help, **settings)


output_option = partial(option, section=OUTPUT)
search_option = partial(option, section=SEARCHES)
tree_option = partial(option, section=TREES)
foreign_option = partial(option, section=FORMATS)
game_option = partial(option, section=GAMES)


class HelpCommand(click.Command):
    """A command whose help has two sizes, of which `--help-all` prints the whole."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Add --help-all after the other options."""
        super().__init__(*arguments, **settings)
        self.params.append(HELP_ALL)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, which alone may write to standard output, and returns its status."""
        with printing_to_stderr(ctx):
            status = super().invoke(ctx)
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


declare = partial(click.command, cls=HelpCommand)  # a command by its name


def is_whole(ctx: click.Context) -> bool:
    """Return whether the whole help is printed."""
    return bool(ctx.meta.get(_IS_WHOLE))


def _print_whole(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[_IS_WHOLE] = True
        click.echo(ctx.get_help())
        ctx.exit()


HELP_ALL = Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_whole,
    help="Show all options and exit.",
)
