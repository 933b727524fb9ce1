"""Paths: the labels from the root to a node, joined by `/`; the root is `/`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from unicodedata import normalize

from expectitree.base.numbers import escape

ROOT = "/"
_MAX_PATH_LENGTH = 200  # characters of a path in a message

# Labels are compared in this form: `ü` may be one character, or `u` with an accent.
composed = partial(normalize, "NFC")


def join(labels: Iterable[str]) -> str:
    r"""Return the path of the labels; `/` within a label is written `\/` and a backslash `\\`."""
    return "/".join(label.replace("\\", "\\\\").replace("/", "\\/") for label in labels) or ROOT


def split(path: str) -> list[str]:
    """Return the labels of a path, the inverse of `join`; the last is empty after a slash."""
    if path in ("", ROOT):
        return []
    labels = re.findall(r"(?s)(?:\A|/)((?:\\.|[^/])*)", path)
    return [re.sub(r"(?s)\\(.)", r"\1", label) for label in labels]


def message_path(path: str) -> str:
    """Return a path for a message: on one line, the middle of a long path left out."""
    path = escape(path)
    if len(path) <= _MAX_PATH_LENGTH:
        return path
    return f"{path[:90]}…{path[-90:]}"
