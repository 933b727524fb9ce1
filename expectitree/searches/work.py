"""The settings and the steps of a *-minimax search, and the columns that it writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import CHANCE, TERMINAL, UNSEEN, Columns, IntColumn, NumberColumn

NO_LIMIT = sys.maxsize  # of visits

# The steps of the search: search the children of the node, enter the child that was chosen, leave
# the node, leave it because the search has reached its limit of visits, or go back to its parent.
SEARCH, ENTER, LEAVE, STOP, BACK = range(5)
NO_PROBE = -1  # in `rank`
# Where `resume` keeps the depth of a loop that waits, the entries so far, and the cuts so far.
RESUME_DEPTH, RESUME_ENTRIES, RESUME_CUTS = range(3)

Window: TypeAlias = tuple[Any, Any]  # alpha, beta


class Work(NamedTuple):
    """The columns that a search writes."""

    lower: NumberColumn  # [N] the interval known to hold v*; starts as the node's bounds
    upper: NumberColumn  # [N]
    visits: IntColumn  # [N] entries
    alpha: NumberColumn  # [N] the window of the last entry
    beta: NumberColumn  # [N]
    cut: IntColumn  # [N] how the last entry ended: a constant of `cuts`
    cut_after: IntColumn  # [N] after how many children (while probing: outcomes reached)
    low_term: NumberColumn  # [M] p * lower as an outcome last added it to its parent's sum `low`,
    high_term: NumberColumn  # [M] the same of `high`, rewards included; infinite if the bound is
    # [height + 1] by depth: the nodes between the root and the current one, with their state
    frame_node: IntColumn
    frame_branch: IntColumn  # the branch to the child that is being searched
    frame_rank: IntColumn
    frame_low: NumberColumn
    frame_high: NumberColumn
    frame_low_open: IntColumn
    frame_high_open: IntColumn
    resume: IntColumn  # [3] where a loop that waits goes on; all 0 at first

    @classmethod
    def of(
        cls,
        intervals: tuple[NumberColumn, NumberColumn],
        column: Callable[[str, int], Any],
        nodes: int,
        branches: int,
        depths: int,
    ) -> Work:
        """Return the columns at the start; `column` makes one of a type code and length."""
        by_node = (column(code, nodes) for code in "IddBI")
        by_branch = (column("d", branches) for _ in range(2))
        by_depth = (column(code, depths) for code in "IIiddii")
        return cls._make([*intervals, *by_node, *by_branch, *by_depth, column("q", 3)])


class Settings(NamedTuple):
    """The numbers and switches of a search."""

    zero: Any  # what sums start from
    most: Any  # the greatest number: a window end beyond it is moved to it, since inf means unknown
    chance_cuts: bool
    probes: int
    cyclic: bool  # probe round by round, rather than outcome by outcome
    eps: Any = 0  # numbers that differ by at most this are equal; 0 in fractions
    # A sum that loses a term beyond this is added up anew: the term has cost it too many digits. It
    # is the greatest float if no bound is so far.
    far: Any = sys.float_info.max
    inf: float = INFINITY
    most_visits: int = NO_LIMIT
    pause: int = NO_LIMIT  # return to the caller before a node is entered after so many entries
    one: Any = 1  # in the type of ids. Compiled that is unsigned: a signed index costs a test
    # Empty if no branch pays. The length of a tuple is a part of its type, so a compiled search of
    # a tree without rewards has no code for them.
    pays: tuple[bool, ...] = ()
    # Empty if every node has one branch to it. Otherwise several outcomes of a CHANCE node may lead
    # to one child.
    shares: tuple[bool, ...] = ()

    @classmethod
    def of(cls, chosen: Algorithm, exact: bool, zero: Number) -> Settings:
        """Return the settings of a search without rounding errors and limits."""
        most = INFINITY if exact else sys.float_info.max
        is_cyclic = chosen.probe_order == "cyclic"
        return cls(zero, most, chosen.chance_cuts, chosen.probes, is_cyclic)


def can_probe(tree: Columns, c: int, rank: int) -> bool:
    """Return whether an outcome is a terminal, a player with a child of this rank, or unseen."""
    k = tree.kind[c]
    return bool(k in (TERMINAL, UNSEEN) or k != CHANCE and tree.last[c] - tree.first[c] > rank)


def next_branch(work: Work) -> int:
    """Return the branch to the node that a loop that waits would enter next."""
    return work.frame_branch[work.resume[RESUME_DEPTH] - 1]
