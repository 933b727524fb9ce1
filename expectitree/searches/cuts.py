"""How entries of nodes ended, what each cut saved, and why nodes were not visited.

`explain_unvisited` is a plain loop over columns, which runs interpreted or compiled.
"""

from __future__ import annotations

from typing import NamedTuple

from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL, Columns, IntColumn, Readable

# How the last entry of a node ended (the column `cut`).
NOT_CUT = 0
ALPHA_CUT = 1  # MIN fails low
BETA_CUT = 2  # MAX fails high
CHANCE_CUT_LOW = 3  # CHANCE fails low
CHANCE_CUT_HIGH = 4  # CHANCE fails high
PROBED = 5  # only one child was searched: the entry was a probe
STOPPED = 6  # the search reached a limit
CUT_PROBING = 8  # added to a chance cut that a probe made
# Added to a cut that was found in the final intervals: the children that were done may be any, and
# `cut_after` is their number.
CUT_UNORDERED = 16

CUT_OF = {  # by the kind of a node, and whether it fails low
    (MIN, True): ALPHA_CUT,
    (MAX, False): BETA_CUT,
    (CHANCE, True): CHANCE_CUT_LOW,
    (CHANCE, False): CHANCE_CUT_HIGH,
}
NO_CUTS = (NOT_CUT, PROBED, STOPPED)

# Why a node was not visited (the column `reason`).
VISITED = 0
CUT = 1  # a cut left it
SKIPPED = 2  # its interval already satisfied its window
IMPOSSIBLE = 3  # its probability is 0
BELOW_SKIPPED = 4  # a node above it was skipped
NOT_REACHED = 5  # the search stopped before

_NO_OWNER = -1
_STOPPED_OWNER = -2


def fails_low(cut: int) -> bool:
    """Return whether a node was left because v* <= alpha, whether or not while probing."""
    return cut % CUT_PROBING in (ALPHA_CUT, CHANCE_CUT_LOW)


def is_unordered(cut: int) -> bool:
    """Return whether the cut was found in the final intervals, rather than made on the way."""
    return bool(cut & CUT_UNORDERED)


class Unvisited(NamedTuple):
    """The reason why each node was not visited; columns are by node id."""

    reason: Readable[int]  # [N] a constant above
    nodes: Readable[int]  # [N] unvisited nodes below the cut made at a node, leaves included
    leaves: Readable[int]  # [N] unvisited leaves below the cut made at a node
    skipped: int  # nodes that were skipped, and nodes below them


class SearchColumns(NamedTuple):
    """The columns of a search that `explain_unvisited` reads, by node id."""

    order: Readable[int]  # [N] node ids; each node comes after the node that asked for it
    parent: Readable[int]  # [N] the node above on the first path
    branch: Readable[int]  # [N] the branch from there
    asked_by: Readable[int]  # [N] the node that asked for the node
    visits: Readable[int]
    cut: Readable[int]
    cut_after: Readable[int]


def explain_unvisited(
    tree: Columns,
    search: SearchColumns,
    owner: IntColumn,
    reason: IntColumn,
    spared: tuple[IntColumn, IntColumn],
) -> int:
    """Write why each part of the tree was not visited; return how many nodes were skipped.

    An unvisited node below a cut is counted once, under its first path. A child that comes before
    the cut was skipped. If the cut has no order, every child that the node left belongs to it.
    `owner` is the node whose cut a node belongs to, all -1 at first. `spared` has the numbers of
    nodes and of leaves that each cut spares.
    """
    nodes, leaves = spared
    skipped = 0
    for i in range(len(search.order)):
        n = search.order[i]
        above = search.parent[n]
        cut = search.cut[n]
        if search.visits[n] > 0:
            if cut == PROBED:  # what it left belongs to the cut above, if any
                owner[n] = owner[search.asked_by[n]]
            elif cut == STOPPED:
                owner[n] = _STOPPED_OWNER
            elif cut != NOT_CUT:
                owner[n] = n
            continue
        if above < 0:
            continue
        if search.visits[above] == 0:
            owner[n] = owner[above]
            if reason[above] == SKIPPED or reason[above] == BELOW_SKIPPED:
                reason[n] = BELOW_SKIPPED
        elif tree.probability[search.branch[n]] == 0:
            reason[n] = IMPOSSIBLE
        elif owner[above] == _STOPPED_OWNER:
            reason[n] = NOT_REACHED
            owner[n] = _STOPPED_OWNER  # what a probe from elsewhere left below is not reached, too
        elif owner[above] == _NO_OWNER or (
            owner[above] == above
            and search.cut[above] < CUT_PROBING
            and search.branch[n] - tree.first[above] < search.cut_after[above]
        ):
            reason[n] = SKIPPED
        else:
            reason[n] = CUT
            owner[n] = owner[above]
        if reason[n] == SKIPPED or reason[n] == BELOW_SKIPPED:
            skipped += 1
        if owner[n] >= 0:
            nodes[owner[n]] += 1
            if tree.kind[n] == TERMINAL:
                leaves[owner[n]] += 1
    return skipped
