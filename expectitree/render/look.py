"""How text looks where it goes: width, characters, colours. Renderers ask it, the command line makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

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

    @cached_property
    def characters(self) -> Characters:
        """What drawings are made of here."""
        return UNICODE if self.unicode else ASCII


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
