"""The types of what reports have, and give to other programs."""

from __future__ import annotations

from typing import Any, TypeAlias

from expectitree.text import json_values

Fields: TypeAlias = json_values.Fields
Records: TypeAlias = json_values.Records
Labels: TypeAlias = tuple[str, ...]  # of actions or outcomes, in order, or other names
Amount: TypeAlias = Any  # a float or a fraction: arithmetic is with numbers of one kind


def attributes(of: object, *names: str) -> Fields:
    """Return some attributes of an object, by name."""
    return {name: getattr(of, name) for name in names}
