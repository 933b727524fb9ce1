"""The command line: the only place that knows click, the terminal and exit statuses.

Each command has a module. To add one, write a module with a click command named `command`, and add
a row to `GROUPS`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from expectitree import __version__
from expectitree.base import compiling, interrupts
from expectitree.base.errors import (
    AnalysisError,
    ExpectitreeError,
    FileError,
    NumberError,
    SearchError,
    TransformError,
)
from expectitree.cli.help import HELP_ALL, is_whole
from expectitree.cli.terminal import (
    NO_TREE,
    WRONG_USAGE,
    discard,
    saving_report,
    say,
    say_lines,
    say_problems,
    say_usage,
    warning_last,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS = {
    "Solve": {
        "eval": "Compute the value and the best action; show the annotated tree.",
        "advise": "Show what each move of a game is worth, and the line of best play.",
        "play": "Play a game in the terminal, against a search.",
        "solve": "Compute the value of a whole game, even if its positions repeat.",
        "compare": "Run several algorithms on a tree and compare their counts.",
    },
    "Explain": {
        "trace": "List the steps of a search: visits, probes, bounds and cuts.",
        "draw": "Draw a picture of the tree, or a page that replays searches.",
        "limit": "Find the fewest leaves that prove the value.",
        "sheet": "Make exercise sheets: pages to print, LaTeX or Moodle, with answers.",
    },
    "Decide": {
        "sensitivity": "Find what the best decision depends on: thresholds, tornado, break-even.",
        "frontier": "Find the strategies that are best for some weight of a criterion.",
        "information": "Compute what knowing an event in advance, or a test, is worth.",
        "risk": "Show how risky each action is: the distribution of totals.",
        "simulate": "Show which action is best while parameters are uncertain; EVPI, EVPPI.",
        "report": "Write a page about a decision for a client, with pictures and tables.",
        "rescale": "Change the utilities, and see whether the decision changes.",
        "opponents": "Evaluate the tree against other MIN players and other chances.",
        "ask": "Ask for unknown utilities until the decision is certain.",
    },
    "Files": {
        "new": "Print a commented tree file to start from.",
        "edit": "Edit a tree in the browser, by typing or by clicking its picture.",
        "convert": "Write a tree in another format, also for other programs.",
        "verify": "Check that files are valid and results match their `expect`.",
    },
    "Research": {
        "generate": "Generate a tree from a seed: ballard or uniform.",
        "study": "Run an experiment on many generated trees, on all cores.",
    },
    "Editors and shells": {
        "schema": "Print a JSON Schema of the tree file.",
        "completion": "Print a completion script for bash, zsh or fish.",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
# What `--help` lists, besides a line that names the others without those in `_UNLISTED`.
_LISTED = (
    "eval", "compare", "trace", "draw", "sensitivity", "information", "risk", "new", "edit",
    "verify",
)  # fmt: skip
_UNLISTED = ("schema", "completion")


class _Commands(click.Group):
    """The commands, each imported when it is used."""

    def invoke(self, ctx: click.Context) -> object:
        with warning_last(ctx), saving_report(ctx):
            result: object = super().invoke(ctx)
            return result

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
        shown = COMMANDS if is_whole(ctx) else _LISTED
        widest = max(map(len, shown))
        for title, group in GROUPS.items():
            rows = [(f"{name:{widest}}", group[name]) for name in group if name in shown]
            if not rows:
                continue
            with formatter.section(title):
                formatter.write_dl(rows)
        if not is_whole(ctx):
            others = [name for name in COMMANDS if name not in (*_LISTED, *_UNLISTED)]
            formatter.write_paragraph()
            formatter.write_text(f"More commands: {', '.join(others)}; --help-all lists all.")


def _is_tree(word: str) -> bool:
    """Return whether a word names a tree rather than a command: a path, an example or a game."""
    return word == "-" or os.path.exists(word) or any(mark in word for mark in ":/.")


def _unknown_command(word: str) -> str:
    from expectitree.files.grammar.words import key_hint
    from expectitree.files.sources import PREFIX, examples

    if word in examples():
        return f"No such command {word!r}; the example of this name is {PREFIX}{word}."
    hint = key_hint(word, COMMANDS)
    return f"No such command {word!r}{hint}. The commands are {', '.join(COMMANDS)}."


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

    \b
    Exit status:
      0    success
      1    the answer is negative: a result differs from `expect`, algorithms
           disagree, a search or a study stopped before it was finished
      2    wrong usage
      3    a file cannot be read or written, or is not a tree or a game
      130  interrupted by Ctrl-C
      143  ended by SIGTERM, as `timeout` sends it
    """


def main() -> None:
    """Run the command line and exit with its status; no traceback reaches a user."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    instruction = os.environ.get("_EXPECTITREE_COMPLETE")  # of a shell's completion script
    if instruction is not None:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(cli, {}, "expectitree", "_EXPECTITREE_COMPLETE", instruction))
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
        return _fail("interrupted", interrupts.INTERRUPTED)
    except FileError as error:
        say_problems(error)
        return NO_TREE
    except (AnalysisError, SearchError, NumberError, TransformError) as error:
        return _fail(str(error), WRONG_USAGE)
    except ExpectitreeError as error:
        return _fail(str(error), NO_TREE)
    except MemoryError:
        return _fail("out of memory: the tree is too large for this machine", NO_TREE)
    return 0


def _fail(message: str, status: int) -> int:
    say_lines(message, "expectitree: ")
    return status
