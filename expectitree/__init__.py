"""Evaluate game trees with MAX, MIN and CHANCE nodes, search them with pruning, and explain why.

    >>> import expectitree as et
    >>> tree = et.loads("max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}}")
    >>> found = et.evaluate(tree, "star2", bounds=(0, 100))
    >>> found.value, found.best, found.counts.leaves_visited
    (54.5, 'right', 4)

Get a tree      load, loads, from_dict, TreeBuilder, from_networkx, generate, prepare
Search it       evaluate, with one of ALGORITHMS; search, solve and match, for a game's rules
Analyze it      compare, limit, opponents, rescale, find_order_preserving_map, trace, inquire, study
Check its file  verify, refresh
Show results    print, draw, to_svg, to_html, explain, to_text, to_json
Write a tree    save, dumps, to_networkx
"""

# `_NAMES` has the public names of each module. A module is imported when it is first used, so that
# start-up stays quick; `__init__.pyi` repeats the names for type checkers.

from __future__ import annotations

from importlib import import_module

from expectitree.base import tables

__version__ = "0.1.0"

_NAMES = {
    "analysis.compare.report": ("Comparison", "compare"),
    "analysis.show": ("explain", "to_json", "to_text"),
    "analysis.trace.report": ("Trace", "trace"),
    "analysis.verify.report": ("Verification", "refresh", "verify"),
    "base.algorithms": ("ALGORITHMS", "Algorithm", "algorithm"),
    "base.errors": (
        "AnalysisError",
        "ExpectitreeError",
        "FileError",
        "GameError",
        "NumberError",
        "Problem",
        "SearchError",
        "TransformError",
        "TreeError",
    ),
    "base.tree.builder": ("TreeBuilder",),
    "base.tree.model": ("Branch", "Kind", "Node", "Tree"),
    "decide.ask.report": ("Inquiry", "inquire"),
    "decide.frontier.report": ("Frontier", "frontier"),
    "decide.information.report": ("Information", "information"),
    "decide.opponents.report": ("Opponents", "opponents"),
    "decide.reach.report": ("Reach", "reach"),
    "decide.rescale.any_map": ("find_order_preserving_map",),
    "decide.rescale.report": ("Rescaling", "rescale"),
    "decide.risk.report": ("Risk", "risk"),
    "decide.sensitivity.exact": ("sensitivity_map",),
    "decide.sensitivity.report": ("Sensitivity", "sensitivity", "tornado"),
    "decide.sensitivity.sampling": ("risk_tolerances",),
    "decide.simulation.report": ("Simulation", "acceptability", "simulate"),
    "files": ("load", "loads"),
    "files.nested": ("from_dict",),
    "files.saving": ("dumps", "save"),
    "foreign.graphs": ("from_networkx", "to_networkx"),
    "games.engine": ("Engine",),
    "games.found": ("GameSearch",),
    "games.grown": ("Grown",),
    "games.match.report": ("Match", "match"),
    "games.protocol": ("Game",),
    "games.searching": ("search", "write_out"),
    "games.solve.report": ("Solution", "solve"),
    "lab.families": ("generate",),
    "lab.limit.report": ("Limit", "limit"),
    "lab.study.report": ("Summary", "study"),
    "page": ("to_html",),
    "picture.drawing": ("draw", "to_svg"),
    "searches.engine": ("evaluate",),
    "searches.prepare": ("prepare",),
    "searches.result": ("Counts", "Outcome", "Search"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = list(_HOMES)

_QUESTIONS = {
    "analysis": ("evaluate", "compare", "trace", "verify"),
    "decide": (
        "sensitivity",
        "frontier",
        "risk",
        "reach",
        "information",
        "simulation",
        "rescale",
        "opponents",
        "ask",
    ),
    "games": ("solve", "advise", "match"),
    "lab": ("limit", "study"),
}
for _room, _questions in _QUESTIONS.items():
    tables.QUESTIONS.update((question, f"{_room}.{question}") for question in _questions)
tables.FORMATS.append("foreign.formats")
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
    return sorted(__all__)
