"""Explain a search: the numbers behind every cut, why nodes were skipped, and both in words."""

from __future__ import annotations

from typing import NamedTuple

from expectitree.base.numbers import Number, cell_text, is_finite
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Kind
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BELOW_SKIPPED,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NO_CUTS,
    PROBED,
    VISITED,
    fails_low,
)
from expectitree.searches.result import Search
from expectitree.text.phrases import interval_text, plural

_KINDS = {ALPHA_CUT: "alpha", BETA_CUT: "beta", CHANCE_CUT_LOW: "chance", CHANCE_CUT_HIGH: "chance"}
# By the constants of `searches.cuts`.
REASONS = (None, "cut", "passed over", "probability 0", None, "not reached")


class Side(NamedTuple):
    """The words for a node that fails low, or high."""

    name: str
    relation: str  # of its bound to its value
    comparison: str  # of its bound with the limit, the end of its window
    end: str  # of the window
    extreme: str  # what the end is for the root
    rest: str  # what all that is left is taken to be
    player: str  # who is sure of the limit


LOW = Side("low", "at most", "≤ alpha", "alpha", "least", "best", "MAX")
HIGH = Side("high", "at least", "≥ beta", "beta", "greatest", "worst", "MIN")


class Cut(NamedTuple):
    """A cut: a node that a search left before all its children were done."""

    code: int  # of `searches.cuts`
    after: int  # children done; while probing: outcomes reached; of best-first: children visited
    of: int  # children
    interval: Bounds  # of the node
    window: Bounds
    rest: Number | None = None  # at CHANCE: the bound that all branches left share
    nodes: int = 0  # not visited because of this cut, leaves included
    leaves: int = 0
    is_of_game: bool = False  # the nodes it left were never made: branches are counted as leaves

    @property
    def kind(self) -> str:
        """The kind: alpha, beta or chance."""
        return _KINDS[self.code % CUT_PROBING]

    @property
    def probing(self) -> bool:
        """Whether a probe made the cut."""
        return bool(self.code & CUT_PROBING)

    @property
    def is_low(self) -> bool:
        """Whether the node fails low (`bound` <= alpha); else it fails high (`bound` >= beta)."""
        return fails_low(self.code)

    @property
    def bound(self) -> Number:
        """What the node is worth at most (fails low) or at least (fails high)."""
        return self.interval[self.is_low]

    @property
    def limit(self) -> Number:
        """The end of the window that the bound does not exceed (at beta: reaches)."""
        return self.window[not self.is_low]

    @property
    def side(self) -> Side:
        """The words for how the node fails."""
        if self.is_low:
            return LOW
        return HIGH


class Explanation:
    """The cuts of a search, and its reasons for not visiting nodes, by node."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.reason, self.nodes, self.leaves, self.passed_over = search.unvisited

    def skipped_above(self, node: int) -> str | None:
        """Return why a node or the part of the tree around it was not entered; None if it was."""
        parent = self.search.tree.first_paths.parent
        while (
            not self.search.visits[node]
            and self.reason[node] in (VISITED, BELOW_SKIPPED)
            and parent[node] >= 0
        ):
            node = parent[node]
        return self.skipped(node)

    def skipped(self, node: int) -> str | None:
        """Return why a node was not entered, if it is the topmost of a part that was not."""
        return REASONS[self.reason[node]]

    def cut(self, node: int) -> Cut | None:
        """Return the cut that the last entry of a node made, if it made one."""
        search = self.search
        code = search.cut[node]
        if code in NO_CUTS or not search.visits[node]:
            return None
        return Cut(
            code,
            search.cut_after[node],
            len(search.tree.branches_of(node)),
            search.interval_of(node),
            (search.alpha[node], search.beta[node]),
            _common_bound(search, node, fails_low(code)),
            self.nodes[node],
            self.leaves[node],
            search.grown is not None,
        )


def _common_bound(search: Search, n: int, is_low: bool) -> Number | None:
    """Return the bound that all open outcomes of a CHANCE node share; None where they differ."""
    tree = search.tree
    columns = tree.columns
    if columns.kind[n] != Kind.CHANCE:
        return None
    bounds = {
        search.interval_of_branch(b)[is_low]
        for b in tree.branches_of(n)
        if columns.probability[b]
        and not search.visits[columns.child[b]]
        and not search.is_exact(columns.child[b])
    }
    if len(bounds) == 1 and all(map(is_finite, bounds)):
        return bounds.pop()
    return None


# ---- In words.


def cut_reason(cut: Cut, reward: Number = 0) -> str:
    """Return a cut with its place, the numbers that justify it, and how much it saved.

    The text is shown next to a branch, so its numbers include the `reward` of the branch.
    """
    bound, limit = (cell_text(shifted(end, reward)) for end in (cut.bound, cut.limit))
    side = cut.side
    claim = f"{side.relation} {bound} {side.comparison} {limit}"
    if cut.rest is not None:
        claim = f"even if the rest were {cell_text(cut.rest)}, {claim}"
    elif cut.kind == "chance":
        rest = "the rest"
        if cut.after == cut.of:
            rest = "what is open"
        claim = f"even with {rest} at {side.rest}, {claim}"
    if saved := saved_parts(cut):
        claim += f"; {', '.join(saved)} not visited"
    return f"{cut.kind} cut {cut_place(cut)}: {claim}"


def cut_place(cut: Cut) -> str:
    """Return how many of the node's children were done."""
    if cut.probing:
        return f"while probing, after {cut.after} of {cut.of}"
    if cut.after:
        return f"after {cut.after} of {cut.of}"
    if cut.kind == "chance":
        return "before any outcome"
    return "before any action"


def saved_parts(cut: Cut) -> list[str]:
    """Return the nodes and the leaves that were not visited below a cut, each in words.

    Of a game, return the branches: what is below them is not known.
    """
    counts = [(cut.nodes - cut.leaves, "node"), (cut.leaves, "leaf")]
    if cut.is_of_game:
        counts = [(cut.leaves, "branch")]
    return [plural(count, noun) for count, noun in counts if count]


def why_passed_over(search: Search, parent: int, branch: int) -> str:
    """Return why the child of a branch was not entered: its bounds and those of its parent."""
    kind = search.tree.columns.kind[parent]
    (lower, upper), eps = search.interval_of_branch(branch), search.eps
    if lower == upper:
        return f"known to be {cell_text(lower)}"
    least = f"at least {cell_text(lower)} by its bounds"
    most = f"at most {cell_text(upper)} by its bounds"
    if not search.is_exact(parent) and search.is_best(parent, branch):
        if kind == Kind.MAX:
            most = least
        return f"{most}, and no other can be better"
    sure = max(search.lower[parent], search.alpha[parent])
    if kind == Kind.MAX and upper <= sure + eps:
        return f"{most}, and MAX is sure of {cell_text(sure)}"
    sure = min(search.upper[parent], search.beta[parent])
    if kind == Kind.MIN and lower >= sure - eps:
        return f"{least}, and MIN is sure of {cell_text(sure)}"
    if search.cut[parent] == PROBED:
        return "the probe was enough"
    return f"{interval_text(lower, upper, cell_text)} says enough"
