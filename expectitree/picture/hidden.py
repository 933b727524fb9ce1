"""What an exercise leaves out, and what can be drawn of a tree with unknown utilities.

A hidden part is removed from the search before any text is made of it. So no picture can contain
it: neither in a tooltip nor in the choice of the nodes that are drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY, escape, quote
from expectitree.picture.text import typeset
from expectitree.searches.engine import search_known, search_tree
from expectitree.searches.result import PLAYERS, Search
from expectitree.text.console import clipped
from expectitree.text.phrases import interval_text, plural, value_text
from expectitree.tree.columns import Bounds, Repeated
from expectitree.tree.model import Kind, Tree, check_tree

PARTS = {
    "values": "values of inner nodes",
    "windows": "alpha and beta",
    "cuts": "cuts and the reasons for them",
    "best": "marks of the best branches",
    "visits": "marks of nodes that were not visited",
}
BLANK = "______"  # a line to write on


def check_parts(parts: str | Collection[str]) -> frozenset[str]:
    """Return the parts as a set; a text has commas. Raise `AnalysisError` if one is unknown."""
    if isinstance(parts, str):
        parts = [part.strip() for part in parts.split(",")] if parts else ()
    for part in parts:
        if part not in PARTS:
            known = ", ".join(PARTS)
            raise AnalysisError(f"{quote(str(part))} cannot be hidden: choose among {known}")
    return frozenset(parts)


def without(evaluation: Evaluation, parts: frozenset[str]) -> Evaluation:
    """Return an evaluation without the hidden parts of its search.

    The intervals stay as long as best branches or cuts are shown, and the visits as long as cuts
    are: those marks follow from them.
    """
    if not parts:
        return evaluation
    if evaluation.strategy_only and "best" in parts:
        raise AnalysisError(
            "the strategy consists of the best branches, which are hidden: draw the whole tree"
        )
    search, count = evaluation.search, len(evaluation.tree)
    changed: dict[str, Any] = {}
    if {"values", "best", "cuts"} <= parts:
        columns = evaluation.tree.columns
        for name, end in (("lower", -INFINITY), ("upper", INFINITY)):
            pairs = zip(columns.kind, columns.utility, strict=True)
            changed[name] = [end if kind else utility for kind, utility in pairs]
        changed["stopped"] = True
    if {"visits", "cuts"} <= parts:
        changed["visits"] = Repeated(1, count)
    if "cuts" in parts:
        changed |= {"cut": Repeated(0, count), "cut_after": Repeated(0, count), "cuts": 0}
    known = replace(search, **changed)
    return Evaluation(evaluation.file, known, evaluation.windows, None, evaluation.strategy_only)


def exercise_lines(evaluation: Evaluation, parts: frozenset[str]) -> Iterator[str]:
    """Yield the result, with lines to write on in place of the hidden parts."""
    search, tree = evaluation.search, evaluation.tree
    value = BLANK if "values" in parts else typeset(value_text(search))
    text = f"Value {value}"
    if tree.columns.kind[tree.root_id] in PLAYERS:
        best = clipped(escape(search.best or "not known"), 40)
        if "best" in parts:
            best = BLANK
        text += f", best action {best}"
    yield text
    if search.algorithm.player_cuts:
        visited = BLANK if "visits" in parts else f"{search.counts.leaves_visited:,}"
        cuts = f"{BLANK} cuts" if "cuts" in parts else plural(search.cuts, "cut")
        bounds = typeset(interval_text(*search.root_bounds))
        name, leaves = search.algorithm.full_name, plural(tree.leaves, "leaf")
        yield f"{name} with bounds {bounds} visited {visited} of {leaves}, {cuts}"


def evaluate_known(
    tree: Tree,
    algorithm: Algorithm | str = "expectiminimax",
    *,
    is_blank: bool = False,
    bounds: Bounds | None = None,
    exact: bool = False,
    **settings: Any,
) -> Search:
    """Return a search to draw; of a tree with unknown utilities, what the known ones imply.

    A pruning search needs all utilities, unless the picture shows nothing of it (`is_blank`). The
    picture has fractions if `exact`.
    """
    check_tree(tree)
    chosen = find_algorithm(algorithm)
    if not tree.unknown or (chosen.player_cuts and not is_blank):
        found = search_tree(tree, chosen, bounds=bounds, **settings)
        return replace(found, rounds=not exact)
    nothing = Repeated(0, len(tree))
    return replace(
        search_known(tree, bounds),
        algorithm=chosen,
        visits=Repeated(1, len(tree)),
        cut=nothing,
        cut_after=nothing,
        cuts=0,
        rounds=not exact,
    )


def is_unknown(search: Search, node: int) -> bool:
    """Return whether the value of a node cannot be computed because utilities are unknown."""
    is_inner = search.tree.columns.kind[node] != Kind.TERMINAL
    is_asked = search.grown is None and bool(search.tree.unknown)
    return is_inner and is_asked and not search.is_exact(node)
