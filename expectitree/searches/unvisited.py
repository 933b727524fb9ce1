"""Why a search did not visit each part of a tree, and what each cut saved.

These are plain loops over columns, which run interpreted or compiled without a change.
"""

from __future__ import annotations

from typing import NamedTuple

from expectitree.base.tree.columns import TERMINAL, Columns, IntColumn, Readable
from expectitree.searches.cuts import CUT_PROBING, NOT_CUT, PROBED, STOPPED

# Why a node was not visited (the column `reason`).
VISITED = 0
CUT = 1  # a cut left it
SKIPPED = 2  # its interval already satisfied its window
IMPOSSIBLE = 3  # its probability is 0
BELOW_SKIPPED = 4  # a node above it was skipped
NOT_REACHED = 5  # the search stopped before

_NO_OWNER = -1
_STOPPED_OWNER = -2


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
    nodes: IntColumn,
    leaves: IntColumn,
) -> int:
    """Write why each part of the tree was not visited; return how many nodes were skipped.

    An unvisited node below a cut is counted once, under its first path. A child that comes before
    the cut was skipped. If the cut has no order, every child that the node left belongs to it.
    `owner` is the node whose cut a node belongs to, all -1 at first.
    """
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
