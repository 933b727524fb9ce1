"""Why a search left something, in one line: each cut, and each node that was passed over."""

from __future__ import annotations

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.numbers import cell_text
from expectitree.searches.result import Outcome, Search
from expectitree.text.phrases import interval_text, known_text, plural
from expectitree.tree.model import Kind


def cut_reason(cut: Cut) -> str:
    """Return a cut with its place, the numbers that justify it, and how much it saved."""
    low = cut.fails == "low"
    claim = f"at {'most' if low else 'least'} {cell_text(cut.bound)} "
    claim += (
        f"<= alpha {cell_text(cut.window[0])}" if low else f">= beta {cell_text(cut.window[1])}"
    )
    if cut.kind == "chance" and cut.rest is not None:
        claim = f"even if the rest were {cell_text(cut.rest)}, {claim}"
    elif cut.kind == "chance":
        rest = "the rest" if cut.after < cut.of else "what is open"
        claim = f"even with {rest} at {'best' if low else 'worst'}, {claim}"
    saved = saved_parts(cut)
    not_visited = f"; {', '.join(saved)} not visited" if saved else ""
    return f"{cut.kind} cut {cut_place(cut)}: {claim}{not_visited}"


def cut_place(cut: Cut) -> str:
    """Return how many of the node's children were done."""
    if cut.probing:
        return f"while probing, after {cut.after} of {cut.of}"
    if cut.after:
        return f"after {cut.after} of {cut.of}"
    return f"before any {'outcome' if cut.kind == 'chance' else 'action'}"


def saved_parts(cut: Cut) -> list[str]:
    """Return the nodes and the leaves that were not visited below a cut, each in words."""
    counts = ((cut.nodes - cut.leaves, "node"), (cut.leaves, "leaf"))
    return [plural(count, noun) for count, noun in counts if count]


def why_passed_over(search: Search, parent: int, n: int) -> str:
    """Return why a child was not entered: its bounds and those of its parent."""
    lower, upper = search.interval_of(n)
    if lower == upper:
        return f"known to be {cell_text(lower)}"
    kind = search.tree.columns.kind[parent]
    if kind == Kind.CHANCE:
        return f"{interval_text(lower, upper, cell_text)} says enough"
    is_max = kind == Kind.MAX
    end = f"at most {cell_text(upper)}" if is_max else f"at least {cell_text(lower)}"
    if search.algorithm.in_order:
        return f"{end} by its bounds, and {known_text(*search.interval_of(parent))} is reached"
    sure = cell_text(search.lower[parent] if is_max else search.upper[parent])
    if search.is_exact(parent):
        other = f"{sure} is reached"
    elif parent == search.tree.root_id and search.outcome is Outcome.ACTION:
        other = f"{sure} is sure"
        if any(search.tree.columns.child[b] == n for b in search.best_branches(parent)):
            end = f"at least {cell_text(lower)}" if is_max else f"at most {cell_text(upper)}"
            is_only = len(search.tree.branches_of(parent)) == 1
            other = "there is no other" if is_only else "no other can be better"
    else:
        name, limits = ("alpha", search.alpha) if is_max else ("beta", search.beta)
        other = f"{name} is {cell_text(limits[parent])}"
    return f"{end} by its bounds, and {other}"
