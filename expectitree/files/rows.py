"""What the code knows of a file format: its row in `FORMATS`, and the options of its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict

if TYPE_CHECKING:
    from expectitree.base.tree.model import Tree

Warn: TypeAlias = Callable[[str], None]


def ignore(message: str) -> None:
    """Drop a warning: for a caller who does not ask for any."""


@dataclass
class Warnings:
    """Collects the warnings of a reader, and passes them on to the caller."""

    warn: Warn | None
    found: list[str] = field(default_factory=list)

    def __call__(self, message: str) -> None:
        self.found.append(message)
        if self.warn is not None:
            self.warn(message)

    def on(self, tree: Tree) -> Tree:
        """Return the tree with the warnings so far."""
        if self.found:
            return tree.changed(warnings=tuple(self.found))
        return tree


class ReadOptions(TypedDict, total=False):
    """Options for reading; each is in the rows of its formats."""

    max_player: str | int  # the name or the number of the player who is MAX
    tree: int  # the number of the tree in a file with several, from 1
    minimize: bool  # whether decisions are MIN's
    transpose: bool  # whether rows of a payoff table are states
    probabilities: str  # the name of their row or column in a payoff table
    max_nodes: int  # that nodes which lead to themselves may make
    normalize: bool  # whether probabilities that are rounded for print are divided by their sum


class Format(NamedTuple):
    """A row of `FORMATS`, or a plugin's entry point in `expectitree.formats`."""

    name: str
    suffixes: tuple[str, ...]
    title: str  # its name in messages
    is_text: bool = True
    magic: bytes = b""  # the first bytes of every file, for a table format
    is_foreign: bool = False  # of another program: its module makes the tree itself
    signature: str = ""  # a pattern that only texts of a foreign format have at the beginning
    options: tuple[str, ...] = ()  # the `ReadOptions` of its reader
    loses: tuple[str, ...] = ()  # what it cannot hold: names in `LOSSES`
    is_written: bool = True
    likeness: str = ""  # a pattern of texts that may be of a foreign format without its signature
    home: str = ""  # its module; by default, the one in `files.formats` with its name

    @property
    def module(self) -> Any:
        """The module that reads and writes the format."""
        return import_module(self.home or f"expectitree.files.formats.{self.name}")
