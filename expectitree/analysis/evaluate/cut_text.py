"""Why a search left something, in one line: each cut, and each node that was passed over."""

from __future__ import annotations

from expectitree.analysis.evaluate.cuts import Cut
from expectitree.base.numbers import Number, cell_text
from expectitree.searches.cuts import PROBED
from expectitree.searches.result import Search
from expectitree.text.phrases import interval_text, plural
from expectitree.tree.model import Kind
from expectitree.tree.scans import shifted


def cut_reason(cut: Cut, reward: Number = 0) -> str:
    """Return a cut with its place, the numbers that justify it, and how much it saved.

    The text is shown next to a branch, so its numbers include the `reward` of the branch.
    """
    bound, limit = (cell_text(shifted(end, reward)) for end in (cut.bound, cut.limit))
    claim = f"{cut.relation} {bound} {cut.comparison} {limit}"
    if cut.rest is not None:
        claim = f"even if the rest were {cell_text(cut.rest)}, {claim}"
    elif cut.kind == "chance":
        rest = "the rest" if cut.after < cut.of else "what is open"
        end = "best" if cut.is_low else "worst"
        claim = f"even with {rest} at {end}, {claim}"
    saved = saved_parts(cut)
    not_visited = f"; {', '.join(saved)} not visited" if saved else ""
    return f"{cut.kind} cut {cut_place(cut)}: {claim}{not_visited}"


def cut_place(cut: Cut) -> str:
    """Return how many of the node's children were done."""
    if cut.probing:
        return f"while probing, after {cut.after} of {cut.of}"
    if cut.after:
        return f"after {cut.after} of {cut.of}"
    return "before any outcome" if cut.kind == "chance" else "before any action"


def saved_parts(cut: Cut) -> list[str]:
    """Return the nodes and the leaves that were not visited below a cut, each in words.

    Of a game, return the branches: what is below them is not known.
    """
    if cut.is_of_game:
        return [plural(cut.leaves, "branch")] if cut.leaves else []
    counts = ((cut.nodes - cut.leaves, "node"), (cut.leaves, "leaf"))
    return [plural(count, noun) for count, noun in counts if count]


def why_passed_over(search: Search, parent: int, branch: int) -> str:
    """Return why the child of a branch was not entered: its bounds and those of its parent."""
    kind = search.tree.columns.kind[parent]
    (lower, upper), eps = search.interval_of_branch(branch), search.eps
    if lower == upper:
        return f"known to be {cell_text(lower)}"
    least, most = f"at least {cell_text(lower)}", f"at most {cell_text(upper)}"
    if not search.is_exact(parent) and search.is_best(parent, branch):
        own = least if kind == Kind.MAX else most
        return f"{own} by its bounds, and no other can be better"
    sure = max(search.lower[parent], search.alpha[parent])
    if kind == Kind.MAX and upper <= sure + eps:
        return f"{most} by its bounds, and MAX is sure of {cell_text(sure)}"
    sure = min(search.upper[parent], search.beta[parent])
    if kind == Kind.MIN and lower >= sure - eps:
        return f"{least} by its bounds, and MIN is sure of {cell_text(sure)}"
    if search.cut[parent] == PROBED:
        return "the probe was enough"
    return f"{interval_text(lower, upper, cell_text)} says enough"
