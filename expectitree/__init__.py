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
Write a tree    save, dumps, to_networkx
"""

# `_HOMES` lists the public names. Each is imported when it is first used, so that start-up stays
# quick; `__init__.pyi` repeats them for type checkers.

from __future__ import annotations

from importlib import import_module

from expectitree.base import tables

__version__ = "0.1.0"

_HOMES = {
    "ALGORITHMS": "base.algorithms",
    "Algorithm": "base.algorithms",
    "AnalysisError": "base.errors",
    "Branch": "base.tree.model",
    "Comparison": "analysis.compare.report",
    "Counts": "searches.result",
    "ExpectitreeError": "base.errors",
    "FileError": "base.errors",
    "Game": "games.protocol",
    "GameError": "base.errors",
    "Grown": "searches.result",
    "Information": "decide.information.report",
    "Inquiry": "decide.ask.report",
    "Kind": "base.tree.model",
    "Limit": "lab.limit.report",
    "Node": "base.tree.model",
    "NumberError": "base.errors",
    "Opponents": "decide.opponents.report",
    "Outcome": "searches.result",
    "Problem": "base.errors",
    "Rescaling": "decide.rescale.report",
    "Risk": "decide.risk.report",
    "Search": "searches.result",
    "SearchError": "base.errors",
    "Sensitivity": "decide.sensitivity.report",
    "Summary": "lab.study.report",
    "Trace": "analysis.trace.report",
    "TransformError": "base.errors",
    "Tree": "base.tree.model",
    "TreeBuilder": "base.tree.builder",
    "TreeError": "base.errors",
    "Verification": "analysis.verify.report",
    "algorithm": "base.algorithms",
    "compare": "analysis.compare.report",
    "draw": "picture.drawing",
    "dumps": "files.saving",
    "evaluate": "searches.engine",
    "explain": "analysis.show",
    "from_dict": "files.nested",
    "from_networkx": "foreign.graphs",
    "generate": "lab.families",
    "information": "decide.information.report",
    "inquire": "decide.ask.report",
    "limit": "lab.limit.report",
    "load": "files",
    "loads": "files",
    "opponents": "decide.opponents.report",
    "prepare": "searches.prepare",
    "refresh": "analysis.verify.report",
    "rescale": "decide.rescale.report",
    "risk": "decide.risk.report",
    "sensitivity": "decide.sensitivity.report",
    "sensitivity_map": "decide.sensitivity.exact",
    "tornado": "decide.sensitivity.report",
    "find_order_preserving_map": "decide.rescale.any_map",
    "save": "files.saving",
    "search": "games.searching",
    "study": "lab.study.report",
    "to_html": "page",
    "to_json": "analysis.show",
    "to_networkx": "foreign.graphs",
    "to_svg": "picture.drawing",
    "to_text": "analysis.show",
    "trace": "analysis.trace.report",
    "verify": "analysis.verify.report",
    "write_out": "games.searching",
}
__all__ = list(_HOMES)

tables.QUESTIONS |= {
    "evaluate": "analysis.evaluate",
    "compare": "analysis.compare",
    "trace": "analysis.trace",
    "verify": "analysis.verify",
    "sensitivity": "decide.sensitivity",
    "risk": "decide.risk",
    "information": "decide.information",
    "rescale": "decide.rescale",
    "opponents": "decide.opponents",
    "ask": "decide.ask",
    "limit": "lab.limit",
    "study": "lab.study",
}
tables.FORMATS.append("foreign")
tables.PICTURES |= {
    ".svg": "picture.svg",
    ".png": "picture.drawing",
    ".pdf": "picture.drawing",
    ".dot": "picture.dot",
    ".mmd": "picture.mermaid",
    ".html": "page",
}
tables.TREES["game"] = "games.positions"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
