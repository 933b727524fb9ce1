"""Evaluate game trees with MAX, MIN and CHANCE nodes, search them with pruning, and explain why.

    >>> import expectitree as et
    >>> tree = et.loads("max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}}")
    >>> found = et.evaluate(tree, "star2", bounds=(0, 100))
    >>> found.value, found.best, found.counts.leaves_visited
    (54.5, 'right', 4)

Get a tree      load, loads, from_dict, TreeBuilder, from_networkx, generate, prepare
Search it       evaluate, with one of ALGORITHMS; search, solve and match, for a game's rules
Follow it       trace, compare, limit, study
Decide          sensitivity, risk, information, simulate, frontier, rescale, inquire
Check its file  verify, refresh
Show results    draw, replay, to_svg, to_html, explain, to_text, to_json; Python's own print
Write a tree    save, dumps, to_networkx
"""

# `_COMMANDS` has a row for each command and each question, with the public names of its report;
# `_NAMES` has those of other modules. A module is imported when it is first used, so that start-up
# stays quick; `__init__.pyi` repeats the names for type checkers.

from __future__ import annotations

from importlib import import_module

from expectitree.base import tables
from expectitree.base.tables import Command

__version__ = "0.1.0"

_COMMANDS = (
    Command(
        "Solve",
        "eval",
        "Compute the value and the best action; show the annotated tree.",
        is_listed=True,
        folder="analysis.evaluate",
    ),
    Command(
        "Solve",
        "advise",
        "Show what each move of a game is worth, and the line of best play.",
        folder="games.advise",
    ),
    Command("Solve", "play", "Play a game in the terminal, against a search."),
    Command(
        "Solve",
        "solve",
        "Compute the value of a whole game, even if its positions repeat.",
        folder="games.solve",
        public=("Solution", "solve"),
    ),
    Command(
        "Solve",
        "compare",
        "Run several algorithms on a tree and compare their counts.",
        is_listed=True,
        folder="analysis.compare",
        public=("Comparison", "compare"),
    ),
    Command(
        "Explain",
        "trace",
        "List the steps of a search: visits, probes, bounds and cuts.",
        is_listed=True,
        folder="analysis.trace",
        public=("Trace", "trace"),
    ),
    Command(
        "Explain",
        "draw",
        "Draw a picture of the tree, or a page that replays searches.",
        is_listed=True,
    ),
    Command(
        "Explain",
        "limit",
        "Find the fewest leaves that prove the value.",
        folder="lab.limit",
        public=("Limit", "limit"),
    ),
    Command(
        "Explain", "sheet", "Make exercise sheets: pages to print, LaTeX or Moodle, with answers."
    ),
    Command(
        "Decide",
        "sensitivity",
        "Find what the best decision depends on: thresholds, tornado, break-even.",
        is_listed=True,
        folder="decide.sensitivity",
        public=("Sensitivity", "sensitivity", "tornado"),
    ),
    Command(
        "Decide",
        "frontier",
        "Find the strategies that are best for some weight of a criterion.",
        folder="decide.frontier",
        public=("Frontier", "frontier"),
    ),
    Command(
        "Decide",
        "information",
        "Compute what knowing an event in advance, or a test, is worth.",
        is_listed=True,
        folder="decide.information",
        public=("Information", "information"),
    ),
    Command(
        "Decide",
        "risk",
        "Show how risky each action is: the distribution of totals.",
        is_listed=True,
        folder="decide.risk",
        public=("Risk", "risk"),
    ),
    Command(
        "Decide",
        "simulate",
        "Show which action is best while parameters are uncertain; EVPI, EVPPI.",
        folder="decide.simulation",
        public=("Simulation", "acceptability", "simulate"),
    ),
    Command(
        "Decide", "report", "Write a page about a decision for a client, with pictures and tables."
    ),
    Command(
        "Decide",
        "rescale",
        "Change the utilities, and see whether the decision changes.",
        folder="decide.rescale",
        public=("Rescaling", "rescale"),
    ),
    Command(
        "Decide",
        "ask",
        "Ask for unknown utilities until the decision is certain.",
        folder="decide.ask",
        public=("Inquiry", "inquire"),
    ),
    Command("Files", "new", "Print a commented tree file to start from.", is_listed=True),
    Command(
        "Files",
        "edit",
        "Edit a tree in the browser, by typing or by clicking its picture.",
        is_listed=True,
    ),
    Command("Files", "convert", "Write a tree in another format, also for other programs."),
    Command(
        "Files",
        "verify",
        "Check that files are valid and results match their `expect`.",
        is_listed=True,
        folder="analysis.verify",
        public=("Verification", "refresh", "verify"),
    ),
    Command("Research", "generate", "Generate a tree from a seed: ballard or uniform."),
    Command(
        "Research",
        "study",
        "Run an experiment on many generated trees, on all cores.",
        folder="lab.study",
        public=("Summary", "study"),
    ),
    Command("Editors and shells", "schema", "Print a JSON Schema of the tree file."),
    Command("Editors and shells", "completion", "Print a completion script for bash, zsh or fish."),
    Command("", "", "", folder="decide.reach", public=("Reach", "reach")),  # by `risk --reach`
    Command("", "", "", folder="games.match", public=("Match", "match")),  # asked from Python
)
for _command in _COMMANDS:
    tables.register(_command)
_NAMES = {
    "analysis.show": ("explain", "to_json", "to_text"),
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
    "decide.sensitivity.exact": ("sensitivity_map",),
    "decide.sensitivity.sampling": ("risk_tolerances",),
    "files": ("load", "loads"),
    "files.nested": ("from_dict",),
    "files.saving": ("dumps", "save"),
    "foreign.graphs": ("from_networkx", "to_networkx"),
    "games.engine": ("Engine",),
    "games.found": ("GameSearch",),
    "games.grown": ("Grown",),
    "games.protocol": ("Game",),
    "games.searching": ("search", "write_out"),
    "lab.families": ("generate",),
    "page": ("Replay", "replay", "to_html"),
    "picture.drawing": ("draw", "to_svg"),
    "searches.engine": ("evaluate",),
    "searches.prepare": ("prepare",),
    "searches.result": ("Counts", "Outcome", "Search"),
}
_NAMES |= {f"{row.folder}.report": row.public for row in _COMMANDS if row.public}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = list(_HOMES)

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
