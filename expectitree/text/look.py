"""How text looks where it goes: width, characters, colours.

Renderers ask it, the command line makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import wrap

from rich.console import Console, ConsoleOptions, RenderableType

from expectitree.numbers import escape
from expectitree.text.console import (
    ASCII,
    UNICODE,
    Characters,
    clipped,
    clipped_start,
    text_console,
    to_strings,
)

_LONGEST_TEXT = 20_000  # characters


def plain(text: str, _: str) -> str:
    """Paint nothing."""
    return text


@dataclass(frozen=True)
class Look:
    """A place that text is written to."""

    width: int = 80
    unicode: bool = True
    paint: Callable[[str, str], str] = field(default=plain)  # text, style -> text with its colour
    console: Console | None = None

    def shown(self, text: str) -> str:
        """Return a text as it can be shown here: control characters escaped, and all that is not ASCII if need be."""
        text = escape(text[: _LONGEST_TEXT + 1])
        return text if self.unicode else text.encode("ascii", "backslashreplace").decode()

    # A `Look` can take the place of `ConsoleOptions` until every renderer is converted.

    @property
    def ascii_only(self) -> bool:
        """Whether only ASCII characters can be written."""
        return not self.unicode

    legacy_windows = False

    @property
    def options(self) -> ConsoleOptions:
        """The options of the console."""
        return (self.console or text_console(self.width, self.unicode)).options

    @property
    def max_width(self) -> int:
        """The width in columns."""
        return self.width

    @cached_property
    def characters(self) -> Characters:
        """What drawings are made of here."""
        return UNICODE if self.unicode else ASCII


def look_lines(renderables: Iterable[RenderableType], look: Look) -> list[str]:
    """Return the lines of renderables, for a caller that writes lines itself."""
    console = look.console or text_console(look.width, look.unicode)
    return "".join(to_strings(renderables, console)).splitlines()


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines; a very long one (a page and more) is cut, since it is no title and no note."""
    return wrap(text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + " …", width)


def cell_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int) -> str:
    """Return the text with blanks up to a width in columns."""
    return text + " " * (width - cell_width(text))


__all__ = [
    "Look",
    "cell_width",
    "clipped",
    "clipped_start",
    "look_lines",
    "padded",
    "plain",
    "wrapped",
]
