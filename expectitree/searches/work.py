"""The settings and the steps of a *-minimax search, its columns, and its running sums."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, TERMINAL, UNSEEN, Columns, IntColumn, NumberColumn
from expectitree.base.tree.scans import shifted

NO_LIMIT = sys.maxsize  # of visits

# The steps of the search: search the children of the node, enter the child that was chosen, leave
# the node, leave it because the search has reached its limit of visits, or go back to its parent.
SEARCH, ENTER, LEAVE, STOP, BACK = range(5)
NO_PROBE = -1  # in `rank`
SEEN = UNSEEN + 1  # in the column `kind` of a lean search: a terminal that was visited
RESUME_ENTRIES, RESUME_CUTS = range(2)  # in `resume`

Window: TypeAlias = tuple[Any, Any]  # alpha, beta


class Work(NamedTuple):
    """The columns that a search writes.

    A lean search has rows for inner nodes only: `slot[n]` is the row of node n in columns that are
    marked [N]. Terminals are 80 to 97% of most trees, and all that it keeps of one is whether it
    was visited.
    """

    lower: NumberColumn  # [N] the interval known to hold v*; starts as the node's bounds
    upper: NumberColumn  # [N]
    visits: IntColumn  # [N] entries
    alpha: NumberColumn  # [N] the window of the last entry
    beta: NumberColumn  # [N]
    cut: IntColumn  # [N] how the last entry ended: a constant of `cuts`
    cut_after: IntColumn  # [N] after how many children (while probing: outcomes reached)
    # [M] p * lower as an outcome last added it to its parent's sum `low`, and the same of `high`,
    # rewards included; infinite if the bound is. Empty if they follow from `lower` and `upper`.
    low_term: NumberColumn
    high_term: NumberColumn
    # By node id, if the search is lean; otherwise empty.
    kind: IntColumn  # the kind; SEEN if it is a terminal that was visited
    slot: IntColumn  # the number of inner nodes before it
    # [height + 1] by depth: the nodes between the root and the current one, with their state
    frame_node: IntColumn
    frame_branch: IntColumn  # the branch to the child that is being searched
    frame_rank: IntColumn
    frame_low: NumberColumn
    frame_high: NumberColumn
    frame_low_open: IntColumn
    frame_high_open: IntColumn
    frame_low_term: NumberColumn  # the terms of the child, if they are not kept by branch
    frame_high_term: NumberColumn
    frame_depth: IntColumn  # [1] of a loop that waits
    resume: IntColumn  # [2] its entries and cuts; all 0 at first

    @classmethod
    def of(
        cls,
        intervals: tuple[NumberColumn, NumberColumn],
        column: Callable[[str, int], Any],
        nodes: int,
        branches: int,
        depths: int,
        lean: tuple[IntColumn, IntColumn] | None = None,
    ) -> Work:
        """Return the columns at the start; `column` makes one of a type code and length.

        `lean` has the columns `kind` and `slot`.
        """
        by_node = (column(code, nodes) for code in "IddBI")
        by_branch = (column("d", branches) for _ in range(2))
        lean = lean or (column("B", 0), column("I", 0))
        return cls._make([*intervals, *by_node, *by_branch, *lean, *_frames(column, depths)])

    def by_node(self, tree: Columns, settings: Settings) -> Sequence[Any]:
        """Return the columns that are marked [N], by node id."""
        found: list[Any] = [*self[:7]]
        if settings.lean:
            ends = ((end, tree.utility) for end in settings.ends)
            terminals = [*ends, (0, 1), *[(0, 0)] * 4]
            for at, (unseen, seen) in enumerate(terminals):
                found[at] = Spread(found[at], self.kind, self.slot, unseen, seen)
        return found


class Spread(Sequence[Any]):
    """A column by node id that a lean search has by `slot`, and for terminals not at all."""

    def __init__(
        self, inner: IntColumn, kind: IntColumn, slot: IntColumn, unseen: Any, seen: Any
    ) -> None:
        self.inner, self.kind, self.slot = inner, kind, slot
        self.unseen, self.seen = unseen, seen  # of terminals; `seen` may be a column

    @cached_property
    def whole(self) -> Any:
        """The column in memory, as a compiled loop reads it."""
        import numpy as np

        kind = np.asarray(self.kind)
        found = np.asarray(self.inner)[np.asarray(self.slot)]  # the last is the root's
        np.copyto(found, self.unseen, where=kind == TERMINAL, casting="unsafe")
        np.copyto(found, self.seen, where=kind == SEEN, casting="unsafe")
        return memoryview(found)

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, int):
            return self.whole[at]
        kind = self.kind[at]
        if kind == SEEN:
            return self.seen if isinstance(self.seen, int) else self.seen[at]
        return self.unseen if kind == TERMINAL else self.inner[self.slot[at]]


def _frames(column: Callable[[str, int], Any], depths: int) -> Iterator[Any]:
    """Yield the columns by depth, and `resume`."""
    yield from (column(code, depths) for code in "IIiddiidd")
    yield column("I", 1)
    yield column("q", 2)


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
    # a tree without rewards has no code for them. (The next three do the same: `bounded` and
    # `limited` make star1 and star2 about a tenth faster.)
    pays: tuple[bool, ...] = ()
    # Not empty if no branch pays, and every bound is finite and no greater than `far`.
    bounded: tuple[bool, ...] = ()
    # Empty if there is no limit of visits.
    limited: tuple[bool, ...] = ()
    # Not empty if the columns of `Work` have rows for inner nodes only, and the terms of sums are
    # not kept by branch: then `bounded`, without `shares`, and every node starts with `ends`.
    lean: tuple[bool, ...] = ()
    ends: Window = (-INFINITY, INFINITY)
    # Empty if every node has one branch to it. Otherwise several outcomes of a CHANCE node may lead
    # to one child.
    shares: tuple[bool, ...] = ()


def interval_of(tree: Columns, work: Work, settings: Settings, n: int) -> Window:
    """Return the interval of a node."""
    if len(settings.lean) > 0:
        k = work.kind[n]
        if k == TERMINAL:
            return settings.ends
        if k == SEEN:
            u = tree.utility[n]
            return u, u
        n = work.slot[n]
    return work.lower[n], work.upper[n]


def is_any_open(tree: Columns, work: Work, settings: Settings, begin: int, end: int) -> bool:
    """Return whether one of these branches is possible and leads to a child that is not exact."""
    for b in range(begin, end):
        if tree.probability[b] > 0:
            lower, upper = interval_of(tree, work, settings, tree.child[b])
            if lower < upper:
                return True
    return False


def can_probe(tree: Columns, c: int, rank: int) -> bool:
    """Return whether an outcome is a terminal, a player with a child of this rank, or unseen."""
    k = tree.kind[c]
    return bool(k in (TERMINAL, UNSEEN) or k != CHANCE and tree.last[c] - tree.first[c] > rank)


def next_branch(work: Work) -> tuple[int, int]:
    """Return the node and the branch by which a loop that waits goes on."""
    depth = work.frame_depth[0] - 1
    return work.frame_node[depth], work.frame_branch[depth]


# ---- The running sums of a CHANCE node: its bounds while a search goes on below it.


def sum_terms(
    tree: Columns, work: Work, settings: Settings, begin: int, end: int
) -> tuple[Any, Any, int, int]:
    """Return low, high, low_open and high_open of a CHANCE node; unless `lean`, write the terms."""
    child, probability, lower, upper = tree.child, tree.probability, work.lower, work.upper
    low_term, high_term = work.low_term, work.high_term
    bounded, pays, lean = len(settings.bounded) > 0, len(settings.pays) > 0, len(settings.lean) > 0
    inf, low_open, high_open = settings.inf, 0, 0
    low = high = settings.zero
    for b in range(begin, end):
        p = probability[b]
        if p > 0:
            c = child[b]
            x, y = interval_of(tree, work, settings, c) if lean else (lower[c], upper[c])
            if pays:
                x = shifted(x, tree.reward[b])
            if bounded or x > -inf:
                x = p * x
                low += x
            else:
                low_open += 1
            if not lean:
                low_term[b] = x
            if pays:
                y = shifted(y, tree.reward[b])
            if bounded or y < inf:
                y = p * y
                high += y
            else:
                high_open += 1
            if not lean:
                high_term[b] = y
    return low, high, low_open, high_open


def outcome_window(
    p: Any,
    alpha: Any,
    beta: Any,
    low: Any,
    high: Any,
    low_open: int,
    high_open: int,
    low_term: Any,
    high_term: Any,
    settings: Settings,
) -> Window:
    """Return the window of outcome i of a CHANCE node, its reward included.

    alpha_i = (alpha - (high without i)) / p_i and beta_i = (beta - (low without i)) / p_i. An end
    is infinite if alpha (beta) or the upper (lower) bound of another outcome is.
    """
    inf, most = settings.inf, settings.most
    child_alpha = -inf
    child_beta = inf
    if alpha > -inf and (high_open == 0 or high_open == 1 and high_term == inf):
        child_alpha = (alpha - (high if high_open else high - high_term)) / p
        if child_alpha > most:
            child_alpha = most
    if beta < inf and (low_open == 0 or low_open == 1 and low_term == -inf):
        child_beta = (beta - (low if low_open else low - low_term)) / p
        if child_beta < -most:
            child_beta = -most
    return child_alpha, child_beta


def window_between_far_terms(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    branch: int,
    low: Any,
    high: Any,
    low_open: int,
    high_open: int,
) -> Window:
    """Return the window of an outcome as `outcome_window` does, where bounds may be far."""
    far, inf = settings.far, settings.inf
    p, alpha, beta = tree.probability[branch], work.alpha[node], work.beta[node]
    x, y = work.low_term[branch], work.high_term[branch]
    if x < -far and x > -inf:
        low = sum_anew(tree, work.low_term, settings, node, branch, -inf, branch)
        x = settings.zero
    if y > far and y < inf:
        high = sum_anew(tree, work.high_term, settings, node, branch, inf, branch)
        y = settings.zero
    return outcome_window(p, alpha, beta, low, high, low_open, high_open, x, y, settings)


def update_repeats(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    branch: int,
    low: Any,
    high: Any,
    low_open: int,
    high_open: int,
) -> tuple[Any, Any, int, int]:
    """Update the terms of the other outcomes that lead to the child of a branch.

    Return low, high, low_open and high_open.
    """
    c, far, inf = tree.child[branch], settings.far, settings.inf
    pays = len(settings.pays) > 0
    is_lossy = False
    for b in range(tree.first[node], tree.last[node]):
        p = tree.probability[b]
        if tree.child[b] != c or b == branch or p <= 0:
            continue
        end = shifted(work.lower[c], tree.reward[b]) if pays else work.lower[c]
        x = work.low_term[b]
        if end > -inf and p * end != x:
            work.low_term[b] = p * end
            low += p * end - x if x > -inf else p * end
            low_open -= 0 if x > -inf else 1
            is_lossy = is_lossy or -inf < x < -far
        end = shifted(work.upper[c], tree.reward[b]) if pays else work.upper[c]
        x = work.high_term[b]
        if end < inf and p * end != x:
            work.high_term[b] = p * end
            high += p * end - x if x < inf else p * end
            high_open -= 0 if x < inf else 1
            is_lossy = is_lossy or far < x < inf
    if is_lossy:
        low = sum_anew(tree, work.low_term, settings, node, branch, -inf, tree.last[node])
        high = sum_anew(tree, work.high_term, settings, node, branch, inf, tree.last[node])
    return low, high, low_open, high_open


def sum_anew(
    tree: Columns,
    term: NumberColumn,
    settings: Settings,
    node: int,
    branch: int,
    unknown: float,
    without: int,
) -> Any:
    """Return the sum of the finite terms of a CHANCE node, except that of one branch.

    If the next branch has a far term too, return the infinity `unknown`, which prunes nothing.
    Otherwise many outcomes with far terms would take quadratic time.
    """
    far, inf, end = settings.far, settings.inf, tree.last[node]
    after = branch + settings.one
    if after < end and far > 0 and settings.most < inf:
        x = term[after]
        if far < x < inf and unknown > 0 or -inf < x < -far and unknown < 0:
            return unknown
    total = settings.zero
    for b in range(tree.first[node], end):
        x = term[b]
        if b != without and tree.probability[b] > 0 and -inf < x < inf:
            total += x
    return total
