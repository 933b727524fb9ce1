"""Evaluate game trees with MAX, MIN and CHANCE nodes, search them with pruning, and explain why.

    >>> import expectitree as et
    >>> tree = et.loads("max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}}")
    >>> found = et.evaluate(tree, "star2", bounds=(0, 100))
    >>> found.value, found.best, found.counts.leaves_visited
    (54.5, 'right', 4)

Get a tree      load, loads, from_dict, TreeBuilder, from_networkx, generate, prepare
Search it       evaluate, with one of ALGORITHMS; search, a game from its rules
Analyze it      compare, limit, opponents, rescale, find_order_preserving_map, trace, inquire, study
Check its file  verify, refresh
Show results    draw, to_svg, to_html, explain, to_text, to_json
Write a tree    save, dumps
"""

# `_HOMES` lists the public names. Each is imported when it is first used, so that start-up stays
# quick; `__init__.pyi` repeats them for type checkers.

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "ALGORITHMS": "algorithms",
    "Algorithm": "algorithms",
    "AnalysisError": "errors",
    "Branch": "tree.model",
    "Comparison": "analysis.compare.report",
    "Counts": "searches.result",
    "ExpectitreeError": "errors",
    "FileError": "errors",
    "Game": "games.protocol",
    "GameError": "errors",
    "Grown": "searches.result",
    "Information": "analysis.information.report",
    "Inquiry": "analysis.ask.report",
    "Kind": "tree.model",
    "Limit": "analysis.limit.report",
    "Node": "tree.model",
    "NumberError": "errors",
    "Opponents": "analysis.opponents.report",
    "Outcome": "searches.result",
    "Problem": "errors",
    "Rescaling": "analysis.rescale.report",
    "Risk": "analysis.risk.report",
    "Search": "searches.result",
    "SearchError": "errors",
    "Sensitivity": "analysis.sensitivity.report",
    "Summary": "analysis.study.report",
    "Trace": "analysis.trace.report",
    "TransformError": "errors",
    "Tree": "tree.model",
    "TreeBuilder": "tree.builder",
    "TreeError": "errors",
    "Verification": "analysis.verify.report",
    "algorithm": "algorithms",
    "compare": "analysis.compare.report",
    "draw": "drawing",
    "dumps": "files.saving",
    "evaluate": "searches.engine",
    "explain": "analysis.show",
    "from_dict": "files.nested",
    "from_networkx": "tree.graphs",
    "generate": "families",
    "information": "analysis.information.report",
    "inquire": "analysis.ask.report",
    "limit": "analysis.limit.report",
    "load": "files",
    "loads": "files",
    "opponents": "analysis.opponents.report",
    "prepare": "searches.prepare",
    "refresh": "analysis.verify.refresh",
    "rescale": "analysis.rescale.report",
    "risk": "analysis.risk.report",
    "sensitivity": "analysis.sensitivity.questions",
    "sensitivity_map": "analysis.sensitivity.questions",
    "tornado": "analysis.sensitivity.questions",
    "find_order_preserving_map": "analysis.rescale.any_map",
    "save": "files.saving",
    "search": "games.searching",
    "study": "analysis.study.report",
    "to_html": "drawing",
    "to_json": "analysis.show",
    "to_svg": "drawing",
    "to_text": "analysis.show",
    "trace": "analysis.trace.report",
    "verify": "analysis.verify.report",
    "write_out": "games.searching",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
