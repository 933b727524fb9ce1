"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.ask.report import Inquiry
from expectitree.analysis.ask.text import _children
from expectitree.text.json_values import dumps, json_number
from expectitree.text.look import Look


def render(inquiries: Sequence[Inquiry], look: Look) -> Iterator[str]:
    """Yield the same as an object each, one line each."""
    for inquiry in inquiries:
        yield dumps(inquiry_fields("", inquiry))


def inquiry_fields(file: str, inquiry: Inquiry) -> dict[str, Any]:
    """Return the state of an inquiry as the fields of one JSON object."""
    root = inquiry.interval(inquiry.tree.root)
    leaf = inquiry.leaf
    return {
        "file": file,
        "title": inquiry.tree.title,
        "goal": inquiry.algorithm.goal,
        "done": inquiry.is_done,
        "best": inquiry.best,
        "loss": json_number(inquiry.loss),
        "value": json_number(root[0]) if root[0] == root[1] else None,
        "interval": [json_number(end) for end in root],
        "actions": [
            {"label": label, "interval": [json_number(end) for end in inquiry.interval(child)]}
            for label, child in (_children(inquiry) if inquiry.best is not None else ())
        ],
        "bounds": [json_number(end) for end in inquiry.bounds],
        "bounds_from": inquiry.bounds_source,
        "unknown": {"total": inquiry.asked + inquiry.unknown_left, "answered": inquiry.asked},
        "answers": {path: json_number(value) for path, value in inquiry.answers.items()},
        "next": None
        if leaf is None
        else {"path": inquiry.path, "bounds": [json_number(end) for end in inquiry.interval(leaf)]},
    }
