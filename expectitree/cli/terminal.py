"""Where output goes: width, colours and characters of standard output, and progress on standard error."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import click

from expectitree.numbers import escape
from expectitree.text.look import STYLES, UNICODE, Look

_PATIENCE = 1.0  # seconds before progress is shown


def make_look(err: bool = False) -> Look:
    """Return how text looks on standard output (`err`: on standard error).

    There is colour on a terminal only, and NO_COLOR is respected.
    """
    from rich.console import Console

    console = Console(stderr=err)
    stream: Any = sys.stderr if err else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return Look(
        width=max(20, console.width),
        unicode=_can_write("".join(UNICODE[:8]) + "▲▼●…·→✓✗", stream),
        paint=_painter(console.color_system)
        if console.color_system and not console.no_color
        else Look.paint,
    )


def _painter(color_system: str) -> Callable[[str, str], str]:
    from rich.color import ColorSystem
    from rich.style import Style

    system = {
        "standard": ColorSystem.STANDARD,
        "256": ColorSystem.EIGHT_BIT,
        "truecolor": ColorSystem.TRUECOLOR,
        "windows": ColorSystem.WINDOWS,
    }[color_system]

    @cache
    def codes(style: str) -> tuple[str, str]:
        before, _, after = (
            Style.parse(STYLES.get(style, "none")).render("\0", color_system=system).partition("\0")
        )
        return before, after

    def paint(text: str, style: str) -> str:
        before, after = codes(style)
        return f"{before}{text}{after}" if text else text

    return paint


def _can_write(characters: str, stream: Any) -> bool:
    try:
        characters.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


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
    """Tell something that is not the result: to standard error."""
    click.echo(escape(message), err=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a progress bar on standard error while something takes longer than a second, if people look at it."""
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
    """Give what is to be told of every few more that are done; show a bar with the time left, if people look at it."""
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
