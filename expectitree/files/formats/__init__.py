"""File formats, a module each: to add a format, add it and its row in `FORMATS`.

Formats of other programs are in `expectitree/foreign/`; `tables.FORMATS` names their table.

The module of a text format in our grammar has `parse(text, name) -> Document` and
`write(tree) -> Iterator[str]`; that of a table format `load(path) -> Tree` and
`save(tree, stream, drop_fractions)`. The module of a format of another program has
`read(text, name, warn, exact_nodes, **options) -> Tree`, where the options are those of its row,
and, if it writes, `write(tree, warn) -> Iterator[str]`. A reader raises `FileError` with line and
column (`error_at` makes it); `files` adds the excerpts and sets the values of parameters. A writer
gets a tree without anything that `saving` refuses for the row.

An unknown name or ending may be a plugin's: an entry point in `expectitree.formats`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache

from expectitree.base import tables
from expectitree.base.errors import FileError, Problem, TransformError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.files.rows import Format, ReadOptions

MAX_SIGNATURE = 10_000  # characters at the beginning of a text, in which a signature is found


_OPTIONS = ("normalize", "max_nodes")
_NUMBERS_ONLY = ("parameters", "formulas", "distributions", "events", "criteria")
# In the order in which the endings of names, and the contents of files, decide.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("yaml", (".yaml", ".yml"), "YAML", options=_OPTIONS, loses=("cut nodes",)),
        Format("json", (".json",), "JSON", options=_OPTIONS, loses=("cut nodes",)),
        Format("arrow", (".arrow",), "Arrow", is_text=False, magic=b"ARROW1", loses=_NUMBERS_ONLY),
        Format(
            "parquet", (".parquet",), "Parquet", is_text=False, magic=b"PAR1", loses=_NUMBERS_ONLY
        ),
        *(row for module in tables.FORMATS for row in tables.module_of(module).FORMATS),
    )
}
TABLES = ("arrow", "parquet")  # ours; they are written and read part by part
NAMES = tuple(FORMATS)  # without those of plugins, as in the next lines
SUFFIXES = tuple(dict.fromkeys(suffix for row in FORMATS.values() for suffix in row.suffixes))
OUT_SUFFIXES = tuple(
    dict.fromkeys(suffix for row in FORMATS.values() if row.is_written for suffix in row.suffixes)
)
TEXT_FORMATS = tuple(row.name for row in FORMATS.values() if row.is_text and row.is_written)


def formats_by_suffix(path: str | os.PathLike[str]) -> list[Format]:
    """Return the formats of files whose names end like this one.

    Raise `FileError` if there is none, and a plugin is broken that might have the ending.
    """
    suffix = os.path.splitext(path)[1].lower()
    if not suffix:
        return []
    return _formats(lambda row: suffix in row.suffixes)


def format_by_suffix(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file by the ending of its name, None if the ending is unknown.

    If several formats have the ending, it is ours, and a signature shows the others.
    """
    return next(iter(formats_by_suffix(path)), None)


def format_of_text(text: str, name: str) -> Format:
    """Return the format of a text: by a foreign format's signature, else by its name's ending."""
    by_suffix, start = formats_by_suffix(name), text[:MAX_SIGNATURE]
    for row in by_suffix or FORMATS.values():
        if row.signature and re.search(row.signature, start):
            return row
    if by_suffix and by_suffix[0].is_text:
        return by_suffix[0]
    return FORMATS["yaml"]


def likely_format(text: str) -> Format | None:
    """Return the foreign format that a text may have, although it has no signature of it."""
    rows = [row for row in FORMATS.values() if row.likeness]
    return next((row for row in rows if re.search(row.likeness, text[:MAX_SIGNATURE])), None)


def format_by_name(name: str) -> Format | None:
    """Return the format with a name, None if there is none."""
    return next(iter(_formats(lambda row: row.name == name)), None)


def find_format(name: str) -> Format:
    """Return the format with a name; raise `TransformError` if there is none."""
    if (row := format_by_name(name)) is None:
        raise TransformError(f"unknown format {quote(name)}\nchoose among {', '.join(FORMATS)}")
    return row


def _formats(fits: Callable[[Format], bool]) -> list[Format]:
    """Return the formats that fit: ours, or else those of plugins."""
    if rows := [*filter(fits, FORMATS.values())]:
        return rows
    broken = _add_plugins()
    rows = [*filter(fits, FORMATS.values())]
    if broken and not rows:
        raise FileError(broken)
    return rows


@cache
def _add_plugins() -> list[Problem]:
    """Add the formats of other packages, once; return the problems of broken ones.

    Ours keep their names and endings.
    """
    broken: list[Problem] = []
    for point in tables.plugins("expectitree.formats").values():
        try:
            row = tables.plugin(point, Format)
            FORMATS.setdefault(row.name, row)
        except FileError as error:
            broken += error.problems
    return broken


def check_options(row: Format, name: str, options: ReadOptions) -> None:
    """Raise `TransformError` for an option that the format's reader does not have.

    Raise `TypeError` for one that no reader has, as Python does for an unknown argument.
    """
    for option in options:
        if option not in ReadOptions.__annotations__:
            meant = did_you_mean(option, ReadOptions.__annotations__)
            raise TypeError(f"unexpected keyword argument {quote(option)}{meant}")
        if option not in row.options:
            able = " and ".join(f.title for f in FORMATS.values() if option in f.options)
            error = TransformError(
                f"--{option.replace('_', '-')} is for {able}, and this is {row.title}",
                "remove it, or name the format with --from"
                + "; in a tree in YAML, write `min:`" * (option == "minimize"),
            )
            raise error.at(name)
