"""The command line: the only place that knows click, the terminal and exit codes.

One module a command.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from expectitree import __version__
from expectitree.cli.status import INTERRUPTED, NO_TREE, WRONG_USAGE
from expectitree.errors import (
    AnalysisError,
    ExpectitreeError,
    FileError,
    NumberError,
    SearchError,
    TransformError,
)
from expectitree.numbers import escape

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "eval": "The value of a tree, the best action, and the annotated tree.",
    "compare": "The same tree under several algorithms, side by side.",
    "trace": "A search step by step: every entry, probe, visit, cut and bound.",
    "limit": "The fewest leaves that could have been enough, and which.",
    "rescale": "Other utilities in place of these: does the decision change?",
    "opponents": "A MIN that errs, another Nature: does the decision change?",
    "ask": "What is not known yet, asked for until the decision is certain.",
    "draw": "A picture: SVG, PNG, PDF, Graphviz, Mermaid, LaTeX, or a page that replays.",
    "verify": "Does every file read well, and say what its `expect` says?",
    "convert": "A tree from one format into another: YAML, JSON, Arrow, Parquet.",
    "generate": "A tree of a family, from a seed: ballard, uniform, lattice.",
    "study": "An experiment: families of trees, searched many times over, on all cores.",
    "schema": "A JSON Schema of the tree file, for editors.",
    "completion": "Completion for bash, zsh, fish, PowerShell.",
    "new": "A commented tree file to start from.",
}


class _Commands(click.Group):
    """The commands, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"expectitree.cli.{cmd_name.replace('eval', 'eval_')}")
        command: click.Command = module.command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=about)
            for name, about in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from expectitree.files.grammar.words import nearest

            raise click.UsageError(
                f"No such command {args[0]!r}{nearest(args[0], COMMANDS)}. The commands are {', '.join(COMMANDS)}.",
                ctx,
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    __version__, "-V", "--version", prog_name="expectitree", message="%(prog)s %(version)s"
)
def cli() -> None:
    """Game trees with MAX, MIN and CHANCE nodes: what they are worth, and which branches need no look.

    A tree is a YAML or JSON file; `expectitree new` prints one to start from. FILE may be - for standard input.

    \b
    Exit status:
      0    all is well
      1    what was asked about does not hold (an expectation is broken, algorithms
           disagree, a search was stopped before the value was known, a study is
           not done)
      2    wrong usage
      3    a file that cannot be read or written, or is no tree
      130  interrupted
    """


def main() -> None:
    """Run the command line; no traceback reaches a user."""
    for name, mode in (("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by who called: there is nobody to tell
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if "_EXPECTITREE_COMPLETE" in os.environ:  # a shell asks
        from expectitree.cli.completion import answer

        _leave(answer(cli))
    status = 0
    try:
        # What click's own `main` would do, but for its exit status 1 where a pipe was closed.
        with cli.make_context("expectitree", sys.argv[1:]) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except BrokenPipeError:
        _quiet_exit()
    except OSError as error:
        _fail(f"cannot write the output: {error.strerror or error}", NO_TREE)
    except click.exceptions.Exit as error:
        status = error.exit_code
    except click.ClickException as error:
        if isinstance(error, click.UsageError):
            error.show()
            _leave(WRONG_USAGE)
        _fail(error.format_message(), WRONG_USAGE)
    except (click.Abort, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough: leaving takes a moment
        _fail("interrupted", INTERRUPTED)
    except (AnalysisError, SearchError, NumberError, TransformError) as error:
        _fail(str(error), WRONG_USAGE)
    except FileError as error:
        _say(str(error))
        _leave(NO_TREE)
    except ExpectitreeError as error:
        _fail(str(error), NO_TREE)
    except MemoryError:
        _fail("out of memory: the tree is too large for this machine", NO_TREE)
    _leave(status)


def _say(message: str) -> None:
    with suppress(OSError, ValueError):
        click.echo(message, err=True)


def _fail(message: str, status: int) -> None:
    _say("expectitree: " + "\n".join(map(escape, message.splitlines())))
    _leave(status)


def _leave(status: int) -> None:
    """Exit, with what is left of the output written or given up in silence."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _quiet_exit()
    except OSError:
        _silence(sys.stdout.fileno())
    sys.exit(status)


def _quiet_exit() -> None:
    """Leave as a program does that is no longer read from, with nothing to say."""
    _silence(sys.stdout.fileno())
    sys.exit(0)


def _silence(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
