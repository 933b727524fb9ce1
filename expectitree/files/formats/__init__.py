"""File formats, one module each: to add a format, add its module and its row in `FORMATS`.

The module of a text format has `parse(text, name) -> Document` and `write(tree) -> Iterator[str]`;
that of a table format `load(path, exact) -> Tree` and `save(tree, path, drop_fractions)`.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, NamedTuple


class Format(NamedTuple):
    """A row of `FORMATS`."""

    name: str  # also of its module
    suffixes: tuple[str, ...]
    is_text: bool
    magic: bytes = b""  # the first bytes of every file, for a table format

    @property
    def module(self) -> Any:
        """The module that reads and writes the format."""
        return import_module(f"{__name__}.{self.name}")


FORMATS = {
    format.name: format
    for format in (
        Format("yaml", (".yaml", ".yml"), is_text=True),
        Format("json", (".json",), is_text=True),
        Format("arrow", (".arrow",), is_text=False, magic=b"ARROW1"),
        Format("parquet", (".parquet",), is_text=False, magic=b"PAR1"),
    )
}
SUFFIXES = {suffix: format.name for format in FORMATS.values() for suffix in format.suffixes}
TEXT_FORMATS = tuple(format.name for format in FORMATS.values() if format.is_text)


def format_by_suffix(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file by the ending of its name, None if the ending is unknown."""
    name = SUFFIXES.get(os.path.splitext(path)[1].lower())
    return FORMATS[name] if name else None
