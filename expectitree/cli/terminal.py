"""The terminal: consoles for the two streams, --color, and progress on standard error."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from expectitree.analysis.show import rendered
from expectitree.numbers import escape

if TYPE_CHECKING:
    from rich.console import Console


Command = TypeVar("Command", bound=Callable[..., Any])
COLOR = "expectitree.color"  # where --color is kept in the context's `meta`
_PATIENCE = 1.0  # seconds before progress is shown


def make_console(stderr: bool = False) -> Console:
    """Return the console for standard output or standard error, with the colours of --color."""
    from expectitree.text import console

    stream: Any = sys.stderr if stderr else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    context = click.get_current_context(silent=True)
    color = "auto" if context is None else context.meta.get(COLOR, "auto")
    return console.make_console(color, stderr=stderr)


def show(question: str, format: str, report: Any, **settings: Any) -> None:
    """Write the answer to a question to standard output; `settings` go to the format's renderer."""
    write(rendered(question, format, make_console(), report, **settings))


def show_separator(file: str, position: int) -> None:
    """Write the line before the output about one of several files."""
    from expectitree.text.console import to_strings
    from expectitree.text.headings import file_separator

    console = make_console()
    write(to_strings(file_separator(file, position, console.options), console))


def color_option(command: Command) -> Command:
    """Add --color; `make_console` reads what was chosen."""

    def choose(context: click.Context, param: click.Parameter, value: str) -> None:
        context.meta[COLOR] = value

    return click.option(
        "--color",
        type=click.Choice(("auto", "always", "never")),
        default="auto",
        show_default=True,
        expose_value=False,
        callback=choose,
        help="Colours: auto uses them on a terminal.",
    )(command)


def write(pieces: Iterable[str]) -> None:
    """Write text to standard output, in portions that are worth a system call."""
    portion: list[str] = []
    size = 0
    for piece in pieces:
        portion.append(piece)
        size += len(piece)
        if size > 60_000:
            sys.stdout.write("".join(portion))
            portion, size = [], 0
    sys.stdout.write("".join(portion))
    sys.stdout.flush()


def say(message: str) -> None:
    """Print a message to standard error."""
    with stderr_may_be_closed():
        click.echo(escape(message), err=True)


@contextmanager
def stderr_may_be_closed() -> Iterator[None]:
    """Lose a message that cannot be written: the exit status still reports the error."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Discard all further output to a stream, so that closing it does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a progress bar on standard error, a terminal, for work of more than a second."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show_progress, args=(what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show_progress(what: str, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(escape(what), total=None)
        done.wait()


@contextmanager
def counting(what: str, done: int, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a callback that advances a progress bar on standard error, a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda more: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(escape(what), total=total, completed=done)
        yield lambda more: progress.advance(task, more)
