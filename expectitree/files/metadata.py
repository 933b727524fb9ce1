"""What a table of nodes holds besides its columns: JSON text in the schema's metadata.

The object has the keys `version`, `title`, `source`, `bounds`, `notes`, `branch_notes`,
`estimated`, `unknown` and `expect`. Bounds and notes are by row number.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from expectitree.errors import TreeError
from expectitree.files.formats.json import NOTATION
from expectitree.files.grammar.document import Place
from expectitree.files.grammar.expect import read_expectation, written_expectation
from expectitree.files.grammar.flow import NumberText, number_text
from expectitree.numbers import exact_text, quote, to_bound
from expectitree.tree.expectation import Expectation
from expectitree.tree.model import Bounds, Tree

_VERSION = 1
_MOST_DIGITS = 10  # of a row number


def read_metadata(text: str | bytes | None, exact: bool) -> dict[str, Any]:
    """Return the metadata by the parameters of `adopt`; raise `TreeError` if one is not valid."""
    if text is None:
        return {}
    about = json.loads(
        text, parse_int=NumberText, parse_float=NumberText, parse_constant=NumberText
    )
    if not isinstance(about, dict) or about.get("version") != NumberText(_VERSION):
        raise TreeError(f"the metadata have another version: expected version {_VERSION}")
    found = {}
    for key, read in _READERS.items():
        if key in about:
            found[key] = read(about[key], key)
    if "bounds" in found:
        bounds = found.pop("bounds")
        found["local_bounds"] = {row: _bounds(ends, exact) for row, ends in bounds.items()}
    if "expect" in about:
        found["expect"] = _expectation(about["expect"], exact)
    return found


def metadata_text(tree: Tree, drop_fractions: bool) -> str:
    """Return everything that is not a column as JSON text."""
    about: dict[str, Any] = {"version": _VERSION, "title": tree.title, "source": tree.source}
    about["bounds"] = {
        str(n): [number_text(float(end) if drop_fractions else end) for end in ends]
        for n, ends in tree.local_bounds.items()
    }
    about["notes"] = {str(n): note for n, note in tree.notes.items()}
    about["branch_notes"] = {str(b): note for b, note in tree.branch_notes.items()}
    about["estimated"] = sorted(tree.estimated)
    about["unknown"] = tree.unknown  # else a missing utility could be taken for an unknown one
    about = {key: value for key, value in about.items() if value or isinstance(value, str)}
    if tree.expect is not None:
        about["expect"] = written_expectation(tree.expect)
    return NOTATION.flow(about)


def _text(data: Any, key: str) -> str:
    if type(data) is not str:
        raise TreeError(f"the {key} in the metadata is not a text")
    return data


def _by_row(data: Any, key: str) -> dict[int, Any]:
    if not isinstance(data, dict):
        raise TreeError(f"the {key} in the metadata are not a mapping from row number")
    return {_row(row, key): value for row, value in data.items()}


def _bounds_by_row(data: Any, key: str) -> dict[int, Any]:
    bounds = _by_row(data, key)
    if not all(isinstance(ends, list) and len(ends) == 2 for ends in bounds.values()):
        raise TreeError("some bounds in the metadata are not a pair of a lower and an upper number")
    return bounds


def _notes_by_row(data: Any, key: str) -> dict[int, str]:
    notes = _by_row(data, key)
    if not all(type(note) is str for note in notes.values()):
        raise TreeError(f"a note among the {key} in the metadata is not a text")
    return notes


def _rows(data: Any, key: str) -> list[int]:
    if not isinstance(data, list):
        raise TreeError(f"the {key} rows in the metadata are not a list of row numbers")
    return [_row(row, key) for row in data]


def _row_set(data: Any, key: str) -> frozenset[int]:
    return frozenset(_rows(data, key))


def _row(data: Any, key: str) -> int:
    is_number = isinstance(data, str) and data.isascii() and data.isdecimal()
    if not is_number or len(data) > _MOST_DIGITS:
        row = quote(str(data))
        raise TreeError(f"the {key} in the metadata name row {row}, which is not a row number")
    return int(data)


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "title": _text,
    "source": _text,
    "bounds": _bounds_by_row,
    "notes": _notes_by_row,
    "branch_notes": _notes_by_row,
    "estimated": _row_set,
    "unknown": _rows,
}


def _bounds(ends: Any, exact: bool) -> Bounds:
    lower, upper = (to_bound(str(end), exact) for end in ends)
    if lower > upper:
        found = f"[{exact_text(lower)}, {exact_text(upper)}]"
        raise TreeError(f"the bounds {found} are the wrong way round")
    return lower, upper


def _expectation(data: Any, exact: bool) -> Expectation | None:
    problems: list[str] = []
    expect = read_expectation(
        _as_data(data), Place(), exact, lambda place, message: problems.append(message)
    )
    if problems:
        raise TreeError(problems[0])
    return expect


def _as_data(value: Any) -> Any:
    """Return a value of JSON in the form of a `Document`: mappings as pairs."""
    if isinstance(value, dict):
        return tuple((str(key), _as_data(item)) for key, item in value.items())
    return [_as_data(item) for item in value] if isinstance(value, list) else value
