"""How text looks where it goes: width, characters, colours.

Renderers ask it, the command line makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import wrap
from typing import NamedTuple

from expectitree.numbers import escape

# What a style means -> how rich writes it. Nothing is told by colour alone.
STYLES = {
    "title": "bold",
    "MAX": "green",
    "MIN": "red",
    "CHANCE": "cyan",
    "TERMINAL": "none",
    "value": "bold",
    "best": "bold green",
    "cut": "magenta",
    "good": "green",
    "bad": "bold red",
    "guide": "dim",
    "dim": "dim",
}


class Characters(NamedTuple):
    """The characters that a drawing is made of."""

    branch: str
    last: str
    down: str
    blank: str
    best: str
    tie: str
    cut: str
    plain: str
    kinds: dict[str, str]
    ellipsis: str
    times: str
    arrow: str
    yes: str
    no: str


_LONGEST_TEXT = 20_000  # characters

UNICODE = Characters(
    "├─", "└─", "│   ", "    ", "★ ", "☆ ", "╫ ", "─ ",
    {"MAX": "▲ ", "MIN": "▼ ", "CHANCE": "● ", "TERMINAL": ""}, "…", "·", "→", "✓", "✗",
)  # fmt: skip
ASCII = Characters(
    "|-", "`-", "|   ", "    ", "* ", "= ", "x ", "- ",
    {"MAX": "", "MIN": "", "CHANCE": "", "TERMINAL": ""}, "...", "*", "->", "ok", "NO",
)  # fmt: skip


def plain(text: str, _: str) -> str:
    """Paint nothing."""
    return text


@dataclass(frozen=True)
class Look:
    """A place that text is written to."""

    width: int = 80
    unicode: bool = True
    paint: Callable[[str, str], str] = field(default=plain)  # text, style -> text with its colour

    def shown(self, text: str) -> str:
        """Return a text as it can be shown here: control characters escaped, and all that is not ASCII if need be."""
        text = escape(text[: _LONGEST_TEXT + 1])
        return text if self.unicode else text.encode("ascii", "backslashreplace").decode()

    @cached_property
    def characters(self) -> Characters:
        """What drawings are made of here."""
        return UNICODE if self.unicode else ASCII


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


def clipped(text: str, width: int, ellipsis: str = "…") -> str:
    """Return the text, or its beginning and an ellipsis where it is wider than `width` columns."""
    if cell_width(text) <= width:
        return text
    kept, room = "", width - len(ellipsis)
    for character in text:
        room -= cell_width(character)
        if room < 0:
            break
        kept += character
    return kept + ellipsis


def clipped_start(text: str, width: int, ellipsis: str = "…") -> str:
    """Return the text, or an ellipsis and its end where it is wider than `width` columns."""
    if cell_width(text) <= width:
        return text
    start, room = len(text), width - len(ellipsis)
    while start and cell_width(text[start - 1 :]) <= room:
        start -= 1
    return ellipsis + text[start:]
