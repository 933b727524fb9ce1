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

from expectitree import display

if TYPE_CHECKING:
    from expectitree.analysis.comparison import Comparison, compare
    from expectitree.analysis.limit import limit
    from expectitree.analysis.opponents import opponents
    from expectitree.analysis.prepare import prepare
    from expectitree.analysis.rescaling import rescale
    from expectitree.analysis.some_scale import rescale_somehow
    from expectitree.analysis.trace import trace
    from expectitree.analysis.verification import Verification, verify
    from expectitree.builder import TreeBuilder
    from expectitree.errors import (
        AnalysisError,
        ExpectitreeError,
        FileError,
        NumberError,
        Problem,
        SearchError,
        TransformError,
        TreeError,
    )
    from expectitree.families import generate
    from expectitree.files import load, loads
    from expectitree.files.saving import dumps, save
    from expectitree.render import to_json, to_text
    from expectitree.rewriting import refresh
    from expectitree.search.algorithms import ALGORITHMS, algorithm
    from expectitree.search.engine import evaluate
    from expectitree.search.inquiry import Inquiry, inquire
    from expectitree.search.result import Counts, Search
    from expectitree.tree import Branch, Kind, Node, Tree

__version__ = "0.1.0"

_PUBLIC = {
    "analysis.comparison": (
        "Comparison",
        "compare",
    ),
    "analysis.limit": ("limit",),
    "analysis.opponents": ("opponents",),
    "analysis.prepare": ("prepare",),
    "analysis.rescaling": ("rescale",),
    "analysis.some_scale": ("rescale_somehow",),
    "analysis.trace": ("trace",),
    "analysis.verification": (
        "Verification",
        "verify",
    ),
    "builder": ("TreeBuilder",),
    "errors": (
        "AnalysisError",
        "ExpectitreeError",
        "FileError",
        "NumberError",
        "Problem",
        "SearchError",
        "TransformError",
        "TreeError",
    ),
    "families": ("generate",),
    "files": (
        "load",
        "loads",
    ),
    "files.saving": (
        "dumps",
        "save",
    ),
    "render": (
        "to_json",
        "to_text",
    ),
    "rewriting": ("refresh",),
    "search.algorithms": (
        "ALGORITHMS",
        "algorithm",
    ),
    "search.engine": ("evaluate",),
    "search.inquiry": (
        "Inquiry",
        "inquire",
    ),
    "search.result": (
        "Counts",
        "Search",
    ),
    "tree": (
        "Branch",
        "Kind",
        "Node",
        "Tree",
    ),
}
display.show_by(lambda shown: import_module(f"{__name__}.render.notebook").bundle(shown))
_HOMES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = [
    "ALGORITHMS",
    "AnalysisError",
    "Branch",
    "Comparison",
    "Counts",
    "ExpectitreeError",
    "FileError",
    "Inquiry",
    "Kind",
    "Node",
    "NumberError",
    "Problem",
    "Search",
    "SearchError",
    "TransformError",
    "Tree",
    "TreeBuilder",
    "TreeError",
    "Verification",
    "algorithm",
    "compare",
    "dumps",
    "evaluate",
    "generate",
    "inquire",
    "limit",
    "load",
    "loads",
    "opponents",
    "prepare",
    "refresh",
    "rescale",
    "rescale_somehow",
    "save",
    "to_json",
    "to_text",
    "trace",
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
