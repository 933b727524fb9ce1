"""What a table of nodes holds besides its columns: JSON text in the schema's metadata.

The object has the keys `version`, `title`, `source`, `bounds`, `notes`, `branch_notes`,
`estimated`, `unknown` and `expect`. Bounds and notes are by row number.
"""

from __future__ import annotations

import json
from typing import Any

from expectitree.errors import TreeError
from expectitree.files.formats.json import NOTATION
from expectitree.files.grammar.document import Place
from expectitree.files.grammar.expect import read_expectation, written_expectation
from expectitree.files.grammar.flow import NumberText, number_text
from expectitree.numbers import exact_text, quote, to_bound
from expectitree.tree.columns import Bounds
from expectitree.tree.expectation import Expectation
from expectitree.tree.model import Tree

_VERSION = 1
_MOST_DIGITS = 10  # of a row number
_SHAPES = {  # the type of each value, the type of its parts, and both in words
    "title": (str, str, "a text"),
    "source": (str, str, "a text"),
    "bounds": (dict, list, "a mapping from row number to a pair of numbers"),
    "notes": (dict, str, "a mapping from row number to a note"),
    "branch_notes": (dict, str, "a mapping from row number to a note"),
    "estimated": (list, NumberText, "a list of row numbers"),
    "unknown": (list, NumberText, "a list of row numbers"),
}


def read_metadata(text: str | bytes | None, exact: bool) -> dict[str, Any]:
    """Return the metadata by the parameters of `adopt`; raise `TreeError` if one is not valid."""
    if text is None:
        return {}
    about = json.loads(
        text, parse_int=NumberText, parse_float=NumberText, parse_constant=NumberText
    )
    if not isinstance(about, dict) or about.get("version") != NumberText(_VERSION):
        raise TreeError(f"the metadata have another version: expected version {_VERSION}")
    found = {key: _checked(about[key], key) for key in _SHAPES if key in about}
    bounds = found.pop("bounds", {})
    found["local_bounds"] = {row: _bounds(ends, exact) for row, ends in bounds.items()}
    found["estimated"] = frozenset(found.get("estimated", ()))
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


def _checked(data: Any, key: str) -> Any:
    """Return a value of the metadata, with its row numbers as numbers."""
    whole, item, expected = _SHAPES[key]
    parts = data.values() if isinstance(data, dict) else data
    if type(data) is not whole or any(type(part) is not item for part in parts):
        raise TreeError(f"the {key} in the metadata: expected {expected}")
    if isinstance(data, dict):
        return {_row(row, key): part for row, part in data.items()}
    return data if isinstance(data, str) else [_row(row, key) for row in data]


def _row(data: str, key: str) -> int:
    if not (data.isascii() and data.isdecimal() and len(data) <= _MOST_DIGITS):
        raise TreeError(f"the {key} in the metadata: row {quote(data)} is not a row number")
    return int(data)


def _bounds(ends: Any, exact: bool) -> Bounds:
    if len(ends) != 2:
        raise TreeError("the bounds in the metadata: expected pairs of a lower and an upper number")
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
