"""File formats, a module or a folder each: to add a format, add it and its row in `FORMATS`.

The module of a text format in our grammar has `parse(text, name) -> Document` and
`write(tree) -> Iterator[str]`; that of a table format `load(path) -> Tree` and
`save(tree, path, drop_fractions)`. The module of a format of another program has
`read(text, name, warn, exact_nodes, **options) -> Tree`, where the options are those of its row,
and, if it writes, `write(tree, warn) -> Iterator[str]`. A reader raises `FileError` with line and
column (`error_at` makes it); `files` adds the excerpts and sets the values of parameters. A writer
gets a tree without anything that the row's `loses` makes `losses` refuse.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict

from expectitree.errors import TransformError
from expectitree.files.grammar.document import MOST_DEPTH
from expectitree.numbers import quote

if TYPE_CHECKING:
    from expectitree.tree.model import Tree

Warn: TypeAlias = Callable[[str], None]
MOST_SIGNATURE = 10_000  # characters at the beginning of a text, in which a signature is found


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
        return replace(tree, warnings=tuple(self.found)) if self.found else tree


class ReadOptions(TypedDict, total=False):
    """How to read formats of other programs; each option is in the rows of its formats."""

    max_player: str | int  # the name or the number of the player who is MAX
    payoffs_of: str | int  # the player who receives the payoffs that MAX and MIN play for
    tree: int  # the number of the tree in a file with several, from 1
    minimize: bool  # whether decisions are MIN's


class Format(NamedTuple):
    """A row of `FORMATS`."""

    name: str  # also of its module
    suffixes: tuple[str, ...]
    title: str  # its name in messages
    is_text: bool = True
    magic: bytes = b""  # the first bytes of every file, for a table format
    is_foreign: bool = False  # of another program: its module makes the tree itself
    signature: str = ""  # a pattern that only texts of a foreign format have at the beginning
    options: tuple[str, ...] = ()  # the `ReadOptions` of its reader
    loses: tuple[str, ...] = ()  # what it cannot hold: names in `LOSSES`
    is_written: bool = True
    has_results: bool = False  # files store results: its module has `read_results(text, name)`
    likeness: str = ""  # a pattern of texts that may be of a foreign format without its signature

    @property
    def module(self) -> Any:
        """The module that reads and writes the format."""
        return import_module(f"{__name__}.{self.name}")


_NUMBERS_ONLY = ("parameters", "formulas", "events")
_UNANNOTATED = ("source", "notes", "bounds", "estimates", "expect", "events", "sharing")
_VALUES = ("attitudes to risk", "unknown utilities", "cut nodes")
_SHAPES = ("trees of one terminal", f"paths of more than {MOST_DEPTH} branches")

FORMATS = {
    format.name: format
    for format in (
        Format("yaml", (".yaml", ".yml"), "YAML"),
        Format("json", (".json",), "JSON"),
        Format("arrow", (".arrow",), "Arrow", is_text=False, magic=b"ARROW1", loses=_NUMBERS_ONLY),
        Format(
            "parquet", (".parquet",), "Parquet", is_text=False, magic=b"PAR1", loses=_NUMBERS_ONLY
        ),
        Format(
            "efg",
            (".efg",),
            "Gambit's .efg",
            is_foreign=True,
            signature=r"\A\s*[EN]FG\s",
            options=("max_player", "payoffs_of"),
            loses=(*_UNANNOTATED, "parameters", "formulas", *_VALUES),
        ),
        Format(
            "radiant",
            (".yaml", ".yml"),
            "Radiant's YAML",
            is_foreign=True,
            signature=r"(?ims)\A(?=.*^name\s*:)(?=.*^type\s*:\s*(?:decision|chance)\b)"
            r"(?!.*^children\s*:)",
            options=("minimize",),
            loses=(*_UNANNOTATED, *_VALUES, *_SHAPES, "two players"),
            likeness=r"(?ims)\A(?=.*^type\s*:)(?=.*^\s+payoff\s*:)",
        ),
        Format(
            "silverdecisions",
            (".json",),
            "SilverDecisions' JSON",
            is_foreign=True,
            signature=r'\A\s*\{[^][{}]*"SilverDecisions"\s*:',  # among the first keys of the root
            options=("tree",),
            loses=(
                *("bounds", "estimates", "expect", "events", "sharing"),
                *(*_VALUES, *_SHAPES, "rewards of the root"),
                "MAX, MIN and CHANCE nodes in one tree",
            ),
            has_results=True,
        ),
        Format(
            "csv",
            (".csv",),
            "CSV",
            is_foreign=True,
            options=("minimize",),
            is_written=False,
            # Two lines of cells.
            likeness=r"\A(?:[^]\r\n:{}[,;\t]*[,;\t][^]\r\n:{}[]*(?:\r?\n|\Z)){2}",
        ),
    )
}
SUFFIXES = tuple(dict.fromkeys(suffix for row in FORMATS.values() for suffix in row.suffixes))
OUT_SUFFIXES = tuple(
    dict.fromkeys(suffix for row in FORMATS.values() if row.is_written for suffix in row.suffixes)
)
TEXT_FORMATS = tuple(row.name for row in FORMATS.values() if row.is_text and row.is_written)


def formats_by_suffix(path: str | os.PathLike[str]) -> list[Format]:
    """Return the formats of files whose names end like this one."""
    suffix = os.path.splitext(path)[1].lower()
    return [row for row in FORMATS.values() if suffix in row.suffixes]


def format_by_suffix(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file by the ending of its name, None if the ending is unknown.

    If several formats have the ending, it is ours, and a signature shows the others.
    """
    return next(iter(formats_by_suffix(path)), None)


def format_of_text(text: str, name: str) -> Format:
    """Return the format of a text: by a foreign format's signature, else by its name's ending."""
    by_suffix, start = formats_by_suffix(name), text[:MOST_SIGNATURE]
    for row in by_suffix or FORMATS.values():
        if row.signature and re.search(row.signature, start):
            return row
    return by_suffix[0] if by_suffix and by_suffix[0].is_text else FORMATS["yaml"]


def likely_format(text: str) -> Format | None:
    """Return the foreign format that a text may have, although it has no signature of it."""
    rows = [row for row in FORMATS.values() if row.likeness]
    return next((row for row in rows if re.search(row.likeness, text[:MOST_SIGNATURE])), None)


def find_format(name: str) -> Format:
    """Return the format with a name; raise `TransformError` if there is none."""
    if name not in FORMATS:
        raise TransformError(f"unknown format {quote(name)}: choose among {', '.join(FORMATS)}")
    return FORMATS[name]


def check_options(row: Format, name: str, options: ReadOptions) -> None:
    """Raise `TransformError` for an option that the format's reader does not have.

    Raise `TypeError` for one that no reader has, as Python does for an unknown argument.
    """
    for option in options:
        if option not in ReadOptions.__annotations__:
            from difflib import get_close_matches

            near = get_close_matches(option, ReadOptions.__annotations__, n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            raise TypeError(f"unexpected keyword argument {quote(option)}{meant}")
        if option not in row.options:
            able = " and ".join(f.title for f in FORMATS.values() if option in f.options)
            found = f"--{option.replace('_', '-')} is for {able}, and this is {row.title}"
            raise TransformError(f"{name}: {found}: leave it out, or name the format with --from")
