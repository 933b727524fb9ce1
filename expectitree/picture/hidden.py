"""What an exercise leaves out, and what can be drawn of a tree with unknown utilities.

What is left out is removed from the search before any text is made of it. So no picture can contain
it: neither in a tooltip nor in the choice of the nodes that are drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rich.cells import cell_len

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import Algorithm
from expectitree.base.algorithms import algorithm as find_algorithm
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import INFINITY, escape, is_finite
from expectitree.base.tree.columns import ChosenBounds, Repeated
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.searches.engine import search_known, search_tree
from expectitree.searches.result import PLAYERS, Search
from expectitree.text.console import clipped
from expectitree.text.phrases import interval_text, nouns, plural

BLANK = "________"  # a line to write on
_LONG_VALUE = "-1000000.25"  # as long as most values
_MAX_LABEL_LENGTH = 40  # columns of the best action


def blanked(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation without what its search found: intervals, visits and cuts."""
    if evaluation.strategy_only:
        raise AnalysisError(
            "the strategy consists of the best branches, which are hidden\ndraw the whole tree"
        )
    count = len(evaluation.tree)
    columns = evaluation.tree.columns
    lower, upper = list(columns.utility), list(columns.utility)
    for node, kind in enumerate(columns.kind):
        if kind != Kind.TERMINAL:
            lower[node], upper[node] = -INFINITY, INFINITY
    search = replace(
        evaluation.search,
        lower=lower,
        upper=upper,
        stopped=True,
        visits=Repeated(1, count),
        cut=Repeated(0, count),
        cut_after=Repeated(0, count),
        cuts=0,
    )
    return Evaluation(evaluation.file, search, evaluation.windows)


def exercise_lines(search: Search, is_blank: bool) -> tuple[str, ...]:
    """Return lines to write the result on, and the counts of a search that prunes; or the result.

    The counts of a search that does not prune are left out: it visits everything.
    """
    if is_blank:
        return _lines(search, BLANK, BLANK, BLANK, BLANK)
    counts = search.counts
    best = clipped(escape(search.best or ""), _MAX_LABEL_LENGTH)
    return _lines(search, search.value_text(), best, f"{counts.leaves_visited:,}", str(counts.cuts))


def exercise_room(search: Search) -> tuple[str, ...]:
    """Return the longest lines that an exercise has room for; they do not depend on the search."""
    tree = search.tree
    labels = (escape(tree.branch_label(tree.root_id, b)) for b in tree.branches_of(tree.root_id))
    best = max((BLANK, *(clipped(label, _MAX_LABEL_LENGTH) for label in labels)), key=cell_len)
    return _lines(search, _LONG_VALUE, best, BLANK, BLANK)


def _lines(search: Search, value: str, best: str, leaves: str, cuts: str) -> tuple[str, ...]:
    tree = search.tree
    text, name, ends = f"Value {value}", search.algorithm.full_name, search.root_bounds
    if tree.columns.kind[tree.root_id] in PLAYERS:
        text += f", best: {best}"
    if not search.algorithm.prunes:
        return (text,)
    bounds = "without bounds"
    if any(map(is_finite, ends)):
        bounds = f"with bounds {interval_text(*ends)}"
    visited = f"{leaves} of {plural(tree.leaves, 'leaf')}, {cuts} {nouns(cuts == '1', 'cut')}"
    return text, f"{name} {bounds} visited {visited}"


def evaluate_known(
    tree: Tree,
    algorithm: Algorithm | str = "expectiminimax",
    *,
    is_blank: bool = False,
    bounds: ChosenBounds = None,
    exact: bool = False,
    **settings: Any,
) -> Search:
    """Return a search to draw; of a tree with unknown utilities, what the known ones imply.

    A pruning search needs all utilities, unless the picture shows nothing of it (`is_blank`). The
    picture has fractions if `exact`.
    """
    check_tree(tree)
    chosen = find_algorithm(algorithm)
    if is_blank and bounds is None and tree.root_id not in tree.local_bounds:
        bounds = "none"  # who solves an exercise does not know all leaves in advance
    if tree.unknown and (chosen.needs_whole_tree or is_blank):
        found = search_known(tree, chosen, bounds)
    else:
        found = search_tree(tree, chosen, bounds=bounds, **settings)
    return replace(found, exact=exact)


def is_unknown(search: Search, node: int) -> bool:
    """Return whether the value of a node cannot be computed because utilities are unknown."""
    is_inner = search.tree.columns.kind[node] != Kind.TERMINAL
    is_asked = search.grown is None and bool(search.tree.unknown)
    return is_inner and is_asked and not search.is_exact(node)
