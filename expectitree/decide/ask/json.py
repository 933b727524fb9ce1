"""An inquiry as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.decide.ask.report import Inquiry
from expectitree.text.json_values import about_fields, dumps, json_number
from expectitree.tree.columns import Bounds
from expectitree.tree.paths import ROOT


def render(inquiries: Sequence[Inquiry], file: str = "") -> Iterator[str]:
    """Yield one object for each inquiry, one a line."""
    for inquiry in inquiries:
        yield dumps(_fields(file, inquiry))


def _fields(file: str, inquiry: Inquiry) -> dict[str, Any]:
    root = inquiry.interval(ROOT)
    leaf = inquiry.leaf
    return {
        **about_fields(file, inquiry.tree),
        "goal": inquiry.algorithm.goal,
        "done": inquiry.is_done,
        "best": inquiry.best,
        "loss": json_number(inquiry.loss),
        "value": json_number(root[0]) if root[0] == root[1] else None,
        "interval": _ends(root),
        "actions": [
            {"label": action.label, "interval": _ends(action.interval)}
            for action in inquiry.actions
        ],
        "bounds": _ends(inquiry.bounds),
        "bounds_from": inquiry.bounds_source,
        "unknown": {"total": inquiry.asked + inquiry.unknown_left, "answered": inquiry.asked},
        "answers": {path: json_number(value) for path, value in inquiry.answers.items()},
        "next": None
        if leaf is None
        else {"path": inquiry.path, "bounds": _ends(inquiry.allowed(leaf))},
    }


def _ends(interval: Bounds) -> list[int | float | str]:
    return [json_number(end) for end in interval]
