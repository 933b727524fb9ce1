"""Walks through a trace in the terminal, key by key, forwards and back: what `trace --step` does."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import zip_longest
from select import select
from typing import TYPE_CHECKING

import click

from expectitree.analysis.trace.events import CUT, Event, concerns
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.scene import Scene, scene
from expectitree.analysis.trace.text import never
from expectitree.cli.terminal import make_look
from expectitree.errors import AnalysisError
from expectitree.text.look import clipped, padded, wrapped

if TYPE_CHECKING:
    from rich.text import Text

BESIDE = 100  # columns from which the steps stand beside the tree, not below it
FAR = 10  # steps of a page
_GLANCE = 0.3  # seconds after which to look whether the window has another size
_KEY = re.compile(
    r"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00\xe0].|.", re.DOTALL
)  # a terminal's escape, Windows' pair, or a key
# What is typed -> what it does; the arrows and pages as terminals and as Windows send them.
KEYS = {
    " ": "on", "\r": "on", "\n": "on", "j": "on", "\x1b[C": "on", "\x1b[B": "on", "\xe0M": "on", "\xe0P": "on",
    "b": "back", "k": "back", "\x7f": "back", "\x08": "back", "\x1b[D": "back", "\x1b[A": "back", "\xe0K": "back",
    "\xe0H": "back",
    "\x1b[6~": "page", "f": "page", "\xe0Q": "page", "\x1b[5~": "page back", "u": "page back", "\xe0I": "page back",
    "n": "out", "c": "cut", "C": "cut back",
    "g": "start", "\x1b[H": "start", "\x1b[1~": "start", "\xe0G": "start",
    "G": "end", "\x1b[F": "end", "\x1b[4~": "end", "\xe0O": "end",
    "q": "quit", "\x1b": "quit", "\x1a": "suspend", "?": "help", "h": "help",
}  # fmt: skip
HELP = (  # the first that there is room for
    f"space on, b back, f and u {FAR} steps, n out of this node, c next cut, C previous cut, g/G ends, q quit, ? help",
    f"space on, b back, f/u {FAR} steps, n out, c/C cuts, g/G ends, q quit, ? help",
    "space on, b back, ? help",
)
ALL_KEYS = (
    "space, enter, j, right, down: a step on",
    "b, backspace, k, left, up: a step back",
    f"f, page down: {FAR} steps on",
    f"u, page up: {FAR} steps back",
    "n: on, out of this node",
    "c, C: to the next cut, to the previous one",
    "g, home; G, end: to the start, to the end",
    "q, escape: quit",
    "?, h: these keys, or the steps again",
)


def check_terminal() -> None:
    """Raise a usage error unless there are a screen and keys."""
    if not sys.stdout.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        raise click.UsageError(
            "--step needs a terminal to draw in: leave it out, or do not send the output elsewhere."
        )
    if not sys.stdin.isatty() and not os.access("/dev/tty", os.R_OK):
        raise click.UsageError("--step needs a keyboard: leave it out.")


def walk(report: Trace, at: int | None) -> None:
    """Show a trace step by step until the person who looks at it has seen enough; `at` is a node to keep to."""
    walker = Walker(report, at)
    if not walker.moment.done:
        raise AnalysisError(never(report, at))
    while show(walker) == "suspend":
        os.kill(os.getpid(), signal.SIGTSTP)  # the shell has its terminal; `fg` goes on here


def show(walker: Walker) -> str:
    """Draw and take keys until it is said to quit or to suspend; give the terminal back as it was."""
    from rich.console import Console

    console = Console()
    with keyboard() as typed, console.screen(hide_cursor=True) as screen:
        while True:
            size = console.size
            screen.update(picture(walker, size.width, size.height))
            # A terminal that is being resized may not be done with it: it is drawn once more.
            while (keys := typed()) == "" and console.size == size == walker.size:
                pass
            walker.size = size
            if keys is None:
                return "quit"
            for key in _KEY.findall(keys):
                action = KEYS.get(key)
                if action in ("quit", "suspend"):
                    return action
                if action is not None:
                    walker.do(action)


@contextmanager
def keyboard() -> Iterator[Callable[[], str | None]]:
    """Give what returns the keys typed next: soon an empty text where there are none, None where there is no more.

    The terminal hands keys over one by one for all the while: `click.getchar` alone would lose
    those typed in between.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield click.getchar
        return
    is_terminal = sys.stdin.isatty()
    source = sys.stdin.fileno() if is_terminal else os.open("/dev/tty", os.O_RDONLY)
    before = termios.tcgetattr(source)

    def typed() -> str | None:
        if not select([source], [], [], _GLANCE)[0]:
            return ""
        try:
            return os.read(source, 256).decode("utf-8", "replace") or None
        except OSError:  # the terminal is gone
            return None

    try:
        tty.setcbreak(source)
        mode = termios.tcgetattr(source)
        # Ctrl-Z comes as a key, so that the screen is given back before the program stops.
        mode[6][termios.VSUSP] = bytes([os.fpathconf(source, "PC_VDISABLE")])
        termios.tcsetattr(source, termios.TCSADRAIN, mode)
        yield typed
    finally:
        with suppress(termios.error):
            termios.tcsetattr(source, termios.TCSADRAIN, before)
        if not is_terminal:
            os.close(source)


class Walker:
    """Goes through the steps of a trace, or through those that concern one node."""

    def __init__(self, report: Trace, at: int | None) -> None:
        self.moment = Moment(report)
        self.at = at
        self.helps = False  # the keys are shown, in place of the steps
        self.size: object = None  # of the terminal that was drawn on last
        self.do("on")

    def do(self, action: str) -> None:
        """Go where a key says."""
        if action == "help":
            self.helps = not self.helps
        elif action in ("on", "back"):
            self.go(action == "on", lambda event: True)
        elif action in ("page", "page back"):
            for _ in range(FAR):
                self.go(action == "page", lambda event: True)
        elif action in ("cut", "cut back"):
            self.go(action == "cut", lambda event: event.kind == CUT)
        elif action == "out":
            last = self.moment.last
            self.go(True, lambda event: last is None or event.depth < last.depth)
        else:
            self.go(action == "end", lambda event: False)

    def go(self, forwards: bool, is_there: Callable[[Event], bool]) -> None:
        """Go on, or back, to the next step that is wanted; where there is none, to the last, or the first."""
        moment = self.moment
        found = moment.done
        while moment.forward() if forwards else moment.done > 1 and moment.back():
            event = moment.last
            if event is not None and (self.at is None or concerns(moment.tree, event, self.at)):
                found = moment.done
                if is_there(event):
                    return
        while moment.done < found:
            moment.forward()
        while moment.done > found:
            moment.back()


def picture(walker: Walker, width: int, height: int) -> Text:
    """Return what fills a terminal of this size."""
    from dataclasses import replace

    from rich.text import Text

    look = replace(make_look(), width=width)
    moment = walker.moment
    rows = max(2, height - 5)
    beside = width >= BESIDE
    left = width * 11 // 20 if beside else width
    tree_lines = rows if beside else rows * 3 // 5
    steps_lines = rows if beside else rows - tree_lines - 1
    steps_width = width - left - 3 if beside else width - 2
    shown = scene(moment, look, (left - 4, tree_lines), (steps_width, steps_lines))
    if walker.helps:
        lines_of_help = [line for text in ALL_KEYS for line in wrapped(text, steps_width)][
            :steps_lines
        ]
        shown = shown._replace(steps=lines_of_help, latest=len(lines_of_help))
    down, across = ("│", "─") if look.unicode else ("|", "-")
    title = look.shown(moment.tree.title or moment.trace.file or "")
    position = (
        f"{moment.trace.search.algorithm.full_name}, step {moment.done:,} of {len(moment.events):,}"
    )
    room = max(8, width - len(position) - 3)
    title = padded(clipped(title, room, look.characters.ellipsis), room)
    lines = [Text.assemble((title, "bold"), "  ", position), Text(across * width, "dim")]

    def fitted(line: Text, columns: int) -> Text:
        line = line.copy()
        line.truncate(columns, overflow="ellipsis" if look.unicode else "crop", pad=True)
        return line

    tree, steps = _tree_column(shown, look.unicode), _steps_column(shown)
    if beside:
        blank = [Text()] * (rows - len(steps))
        for one, other in zip_longest(tree, steps + blank, fillvalue=Text()):
            lines.append(
                Text.assemble(
                    fitted(one, left - 1), (down, "dim"), " ", fitted(other, width - left - 1)
                )
            )
    else:
        lines += tree + [Text()] * (tree_lines - len(tree)) + [Text(across * width, "dim")]
        lines += steps + [Text()] * (steps_lines - len(steps))
    lines += [
        Text(across * width, "dim"),
        Text(shown.status, "bold"),
        Text(next((h for h in HELP if len(h) <= width), HELP[-1]), "dim"),
    ]
    return Text("\n").join(fitted(line, width) for line in lines[:height])


def _tree_column(shown: Scene, unicode: bool) -> list[Text]:
    from rich.text import Text

    here = "▶ " if unicode else "> "
    return [
        Text.assemble((here if i == shown.here else "  ", "bold yellow"), Text.from_ansi(line))
        for i, line in enumerate(shown.tree)
    ]


def _steps_column(shown: Scene) -> list[Text]:
    """The steps, what came before the latest one in a lower voice."""
    from rich.text import Text

    before = len(shown.steps) - shown.latest
    lines = [Text.from_ansi(line) for line in shown.steps]
    for line in lines[before:]:
        line.stylize("bold")
    for line in lines[:before]:
        line.stylize("dim")
    return lines
