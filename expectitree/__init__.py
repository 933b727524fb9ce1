"""Game trees with MAX, MIN and CHANCE nodes: read them, search them with and without pruning, show why.

    >>> import expectitree
    >>> tree = expectitree.loads("max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}}")
    >>> found = expectitree.evaluate(tree, "star2", bounds=(0, 100))
    >>> found.value, found.best, found.counts.leaves_visited
    (54.5, 'right', 4)

The names below are the public ones; each is imported when it is first used, so that start-up stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from expectitree.analysis.comparison import compare
    from expectitree.analysis.prepare import prepare
    from expectitree.analysis.verification import verify
    from expectitree.builder import TreeBuilder
    from expectitree.errors import (
        AnalysisError,
        ExpectitreeError,
        FileError,
        NumberError,
        SearchError,
        TransformError,
        TreeError,
    )
    from expectitree.files import load, loads
    from expectitree.render import to_json, to_text
    from expectitree.search.algorithms import ALGORITHMS
    from expectitree.search.engine import evaluate
    from expectitree.search.result import Search
    from expectitree.tree import Kind, Node, Tree

__version__ = "0.1.0"

_HOMES = {
    "TreeBuilder": "builder",
    **dict.fromkeys(
        (
            "AnalysisError",
            "ExpectitreeError",
            "FileError",
            "NumberError",
            "SearchError",
            "TransformError",
            "TreeError",
        ),
        "errors",
    ),
    **dict.fromkeys(("load", "loads"), "files"),
    "ALGORITHMS": "search.algorithms",
    "evaluate": "search.engine",
    "Search": "search.result",
    **dict.fromkeys(("to_json", "to_text"), "render"),
    "compare": "analysis.comparison",
    "prepare": "analysis.prepare",
    "verify": "analysis.verification",
    **dict.fromkeys(("Kind", "Node", "Tree"), "tree"),
}

__all__ = [
    "ALGORITHMS",
    "AnalysisError",
    "ExpectitreeError",
    "FileError",
    "Kind",
    "Node",
    "NumberError",
    "Search",
    "SearchError",
    "TransformError",
    "Tree",
    "TreeBuilder",
    "TreeError",
    "compare",
    "evaluate",
    "load",
    "loads",
    "prepare",
    "to_json",
    "to_text",
    "verify",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
