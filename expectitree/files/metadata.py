"""The metadata of a table of nodes: JSON text in its schema.

The object has the keys `version`, `title`, `source`, `unit`, `root_reward`, `bounds`, `notes`,
`branch_notes`, `estimated`, `unknown`, `attitude` and `expect`. Bounds and notes are by row number.

The version is 3 if the tree has an attitude to risk, and 2 if it has rewards, so that a program
that does not know them refuses the file instead of ignoring them. Otherwise it is 1.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from expectitree.base.errors import ExpectitreeError, TreeError, lines_of
from expectitree.base.numbers import Number, number_text
from expectitree.base.reading import float_column
from expectitree.base.tree.attitude import read_attitude
from expectitree.base.tree.model import Tree
from expectitree.files.formats.json import NOTATION
from expectitree.files.grammar.document import (
    Data,
    Fields,
    NumberText,
    Place,
    keys_of,
)
from expectitree.files.grammar.expect import read_expectation, written_expectation
from expectitree.files.grammar.values import Read, ValueReader, text
from expectitree.files.grammar.words import require
from expectitree.files.sources import half_pair

_VERSIONS = ("1", "2", "3")
ROW = "row number"


def by_row(read: Read) -> Read:
    """Return the reader of a mapping from row number to what `read` reads."""

    def read_rows(values: ValueReader, data: Data) -> dict[int, Any]:
        require(isinstance(data, tuple), data, ", expected a mapping by row number")
        return {values.count(row, ROW): read(values, value) for row, value in data}

    return read_rows


def rows(values: ValueReader, data: Data) -> list[int]:
    """Read a list of row numbers."""
    require(isinstance(data, list), data, ", expected a list of row numbers")
    return [values.count(row, ROW) for row in data]


_VALUES: dict[str, Read] = {  # by key: the functions that read the values
    "title": text("the title"),
    "source": text("the source"),
    "unit": text("the unit"),
    "root_reward": ValueReader.number,
    "bounds": by_row(ValueReader.bounds),
    "notes": by_row(text("a note")),
    "branch_notes": by_row(text("a note")),
    "estimated": rows,
    "unknown": rows,
    "expect": read_expectation,
    "attitude": lambda values, data: read_attitude(text("an attitude")(values, data)),
}


def read_metadata(written: bytes | None) -> Fields:
    """Return the metadata by the parameters of `adopt`; raise `TreeError` if one is not valid."""
    if written is None:
        return {}
    if half_pair(written.decode()) >= 0:
        raise TreeError("the metadata have half of a surrogate pair\nwrite the character itself")
    data = json.loads(
        written,
        parse_int=NumberText,
        parse_float=NumberText,
        parse_constant=NumberText,
        object_pairs_hook=tuple,
    )
    about = keys_of(data)
    if about.get("version") not in _VERSIONS:
        raise TreeError("the metadata have another version: expected version 1 to 3")

    def report(place: Place, error: ExpectitreeError | str) -> None:
        raise TreeError(lines_of(error))

    values, fields = ValueReader(report), {}
    for key, read in _VALUES.items():
        if key in about:
            try:
                fields[key] = read(values, about[key])
            except ExpectitreeError as error:
                raise TreeError(f"the {key} in the metadata: {error.lines}") from None
    fields["estimated"] = frozenset(fields.get("estimated", ()))
    bounds = fields.pop("bounds", None) or {}
    fields["local_bounds"] = {n: tuple(float_column(ends)) for n, ends in bounds.items()}
    (fields["root_reward"],) = float_column([fields.get("root_reward", 0)])
    return fields


def metadata_text(tree: Tree, drop_fractions: bool) -> str:
    """Return everything that is not a column as JSON text."""

    def written(value: Number) -> str:
        return number_text(float(value) if drop_fractions else value)

    about: Fields = {key: getattr(tree.text, key) for key in ("title", "source", "unit")}
    about["version"] = 1
    if tree.columns.pays or tree.root_reward:
        about["version"] = 2
    if tree.attitude is not None:
        about |= {"version": 3, "attitude": tree.attitude.text}
    if tree.root_reward:
        about["root_reward"] = written(tree.root_reward)
    about["bounds"] = {str(n): list(map(written, ends)) for n, ends in tree.local_bounds.items()}
    about["notes"] = {str(n): note for n, note in tree.notes.items()}
    about["branch_notes"] = {str(b): note for b, note in tree.branch_notes.items()}
    about["estimated"] = sorted(tree.estimated)
    about["unknown"] = tree.unknown  # else a missing utility could be taken for an unknown one
    about = {key: value for key, value in about.items() if value or isinstance(value, str)}
    if tree.expect is not None:
        # A table has no parameters, so it cannot expect results at other values of them.
        about["expect"] = written_expectation(replace(tree.expect, at=()))
    return NOTATION.flow(about)
