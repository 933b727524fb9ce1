"""The command line: the only place that knows click, the terminal and exit statuses.

Each command has a module. To add one, write a module with a function named `command`, whose
arguments are options of `option_table.py`, and add a row to `_COMMANDS` in
`expectitree/__init__.py`.
"""

from __future__ import annotations

import os
import sys
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from expectitree import __version__
from expectitree.base import compiling, interrupts
from expectitree.base.errors import (
    AnalysisError,
    ExpectitreeError,
    NumberError,
    SearchError,
    TransformError,
)
from expectitree.base.numbers import quote
from expectitree.base.tables import COMMANDS, module_of
from expectitree.cli.help import HELP_ALL, is_whole
from expectitree.cli.terminal import (
    NO_TREE,
    WRONG_USAGE,
    discard,
    saving_report,
    say,
    say_problems,
    say_usage,
    say_warnings,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# `--help` names these below its list of commands no more than those that it lists.
_UNLISTED = ("schema", "completion")
_MEANT = {  # by commands that users expect, or that earlier versions had
    "tree": "`eval` prints a tree with its value, and `draw` makes a picture",
    "picture": "`draw` makes a picture",
    "plot": "`draw` makes a picture of a tree, and --plot one of an analysis",
    "minimax": "`eval` searches a tree by -a minimax",
    "expectimax": "`eval` searches a tree by -a expectimax",
    "list": "`new --list` lists the examples",
    "examples": "`new --list` lists the examples",
    "check": "`verify` checks files",
    "opponents": "write an opponent who makes mistakes as a CHANCE node, and `eval` the tree",
}


class _Commands(click.Group):
    """The commands, each imported when it is used."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            with saving_report(ctx):
                result: object = super().invoke(ctx)
                return result
        finally:
            say_warnings(ctx.obj)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["-e"]:
            args = ["eval", *args]
        args = args or ["--help"]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from expectitree.cli.commands import Command

        module = module_of(f"cli.{cmd_name.replace('eval', 'eval_')}")
        return Command(cmd_name, module.command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        items = [
            CompletionItem(row.name, help=row.about)
            for row in COMMANDS.values()
            if row.name.startswith(incomplete)
        ]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help":
            if args[1:] in ([], ["help"]):
                click.echo(ctx.get_help())
                ctx.exit()
            args = [args[1], "--help"]
        if args[0] not in COMMANDS and _is_tree(args[0]):
            args = ["eval", *args]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(_unknown_command(args[0]), ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [row for row in COMMANDS.values() if row.is_listed or is_whole(ctx)]
        widest = max(len(row.name) for row in rows)
        for title, group in groupby(rows, key=attrgetter("group")):
            with formatter.section(title):
                formatter.write_dl([(f"{row.name:{widest}}", row.about) for row in group])
        if not is_whole(ctx):
            shown = [*_UNLISTED, *(row.name for row in rows)]
            others = [name for name in COMMANDS if name not in shown]
            formatter.write_paragraph()
            formatter.write_text(f"More commands: {', '.join(others)}; --help-all lists all.")


def _is_tree(word: str) -> bool:
    """Return whether a word names a tree rather than a command: a path, an example or a game."""
    return word == "-" or os.path.exists(word) or any(mark in word for mark in ":/.")


def _unknown_command(word: str) -> str:
    from expectitree.files.grammar.words import key_hint
    from expectitree.files.sources import PREFIX, examples

    if word in examples():
        return f"no such command {quote(word)}\nthe example of this name is {PREFIX}{word}"
    hint = _MEANT.get(word.lower()) or key_hint(word, COMMANDS).strip(" ()")
    return f"no such command {quote(word)}\n{hint or 'expectitree --help lists the commands'}"


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[HELP_ALL],
)
@click.version_option(
    __version__, "-V", "--version", prog_name="expectitree", message="%(prog)s %(version)s"
)
def cli() -> None:
    """Evaluate game trees with MAX, MIN and CHANCE nodes.

    Write a tree in YAML or JSON: expectitree computes its value and the best action, and shows
    which branches pruning can skip, and why. `expectitree new` prints a tree to start from, and
    `expectitree FILE` evaluates it. A FILE may be - for standard input, example:risk for an
    example, a file of another program (see `expectitree convert --help-all`), or a GAME such as
    game:pig, which is searched from its rules.
    """


def main() -> None:
    """Run the command line and exit with its status; no traceback reaches a user."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    instruction = os.environ.get("_EXPECTITREE_COMPLETE")  # of a shell's completion script
    if instruction is not None:
        from click.shell_completion import shell_complete

        from expectitree.cli.completion import VARIABLE

        sys.exit(shell_complete(cli, {}, "expectitree", VARIABLE, instruction))
    compiling.serve_program(say)
    status = 0
    try:
        status = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        discard(sys.stdout)
    except OSError as error:
        discard(sys.stdout)
        say(f"standard output cannot be written: {error.strerror or error}")
        status = NO_TREE
    interrupts.finish(status)


def _run(words: list[str]) -> int:
    """Run a command and return its exit status, after reporting its error."""
    try:
        # As click's `main` does, but without exit status 1 after a closed pipe.
        with cli.make_context("expectitree", words) as context:
            cli.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        say_usage(error)
        return WRONG_USAGE
    except (click.Abort, KeyboardInterrupt):
        say("expectitree: interrupted")
        return interrupts.INTERRUPTED
    except ExpectitreeError as error:
        say_problems(error.as_problems())
        if isinstance(error, (AnalysisError, SearchError, NumberError, TransformError)):
            return WRONG_USAGE
        return NO_TREE
    except MemoryError:
        say("expectitree: error: out of memory: the tree is too large for this machine")
        return NO_TREE
    return 0
