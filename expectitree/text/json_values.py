"""Reports as JSON: the fields of a report, of a tree and of a search; numbers and paths.

A report's JSON is what its method `json_fields` returns, or its fields if it has no such method. A
question whose folder has a module `json.py` has its own renderer, such as one for a large tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from expectitree.base.numbers import Number, exact_text, is_finite, is_shown_as_fraction
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.model import Tree

_UNSAFE = re.compile("[\x7f-\x9f\ud800-\udfff]")  # control characters, lone surrogates
MAX_NESTED = 300  # plies; deeper nodes are not nested, and have no path

Fields: TypeAlias = dict[str, Any]  # of a report, by name
Records: TypeAlias = list[Fields]  # flat ones: the rows of a table


def render(reports: Any, file: str = "") -> Iterator[str]:
    """Yield an object for each report, one a line: the fields about its tree, and its own.

    `file` is the name of the tree of a report that does not know it.
    """
    for report in listed(reports):
        about = {}
        if (tree := getattr(report, "tree", None)) is not None:
            about = about_fields(getattr(report, "file", file), tree)
        if getattr(report, "has_decider", False):
            about["decision_maker"] = report.tree.decision_maker.name
        yield dumps(json_value(about | fields_of(report)))


def listed(reports: Any) -> Sequence[Any]:
    """Return several reports, or a single one, as a list."""
    if isinstance(reports, Sequence):
        return reports
    return [reports]


def json_value(value: Any) -> Any:
    """Return a value for JSON: numbers by `json_number`, and objects as their fields."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (float, Fraction)):
        return json_number(value)
    if hasattr(value, "json_fields") or is_dataclass(value):
        value = fields_of(value)
    if isinstance(value, Mapping):
        return {key: json_value(item) for key, item in value.items()}
    return [json_value(item) for item in value]


def fields_of(report: Any) -> Fields:
    """Return the fields of a report, or what its method `json_fields` returns."""
    if hasattr(report, "json_fields"):
        return dict(report.json_fields())
    names = [field.name for field in fields(report) if field.repr]  # not large arrays
    return {name: getattr(report, name) for name in names if name != "tree"}


def dumps(value: object) -> str:
    """Return JSON on one line, with printable characters beyond ASCII as they are.

    Lone surrogates, of file names that are not UTF-8, are the text that a terminal shows for them.
    """
    return _UNSAFE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    text = f"\\u{ord(match[0]):04x}"
    if match[0] > "\x9f":
        text = f"\\{text}"
    return text


def about_fields(file: str, tree: Tree) -> Fields:
    """Return the fields about the tree that every report of a file has."""
    about: Fields = {"file": file, "title": tree.title}
    if tree.warnings:
        about["warnings"] = [*tree.warnings]
    return about


def json_path(tree: Tree, node: int, branch: int | None = None) -> str | None:
    """Return the path to a node by its first branch or another; None if it is very long."""
    first = tree.first_paths
    if branch is None or branch < 0:
        branch = first.branch[node]
    if branch < 0:
        return tree.path_of(node)
    above = tree.parent_of(branch)
    if first.depth[above] >= MAX_NESTED:
        return None
    return tree.path_of(above, branch)


def json_number(value: Number) -> int | float | str:
    """Return a number for JSON.

    A fraction is rounded to a float, or a text where fractions are shown. Infinities, unknown
    numbers (`?`) and numbers beyond all floats are text.
    """
    if value != value:
        return "?"
    if not is_shown_as_fraction(value):
        rounded = to_nearest_float(value)
        if is_finite(rounded):
            if rounded.is_integer() and abs(rounded) < 2**53:
                return int(rounded)
            return rounded
        if not is_finite(value):
            return str(rounded)
    text = exact_text(value)
    if text.startswith("about"):
        return text
    return str(value)
