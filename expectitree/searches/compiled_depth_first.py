"""The search of `depth_first`, as a loop that numba compiles. The contract is at the top of there.

The loop makes the same visits and cuts, by the same arithmetic in the same order. It knows floats,
rewards, shared nodes and pauses. What is odd is for the compiler, and measured in decision 15:

- There is no recursion. The nodes above the current one are in columns by depth, and the sums of
  the outcomes that follow are on a stack.
- 80 to 97% of a tree are terminals. So only inner nodes have rows: that of node n is `slot[n]`. A
  terminal that was visited is SEEN in a copy of the column of kinds.
- Ids are unsigned, and `one` has their type: numba tests an index that may be negative.
- `special` is None if no branch pays, no node is shared, no utility is unknown, and all terminals
  have the bounds of the root. Then numba leaves out the code for these, which takes a sixth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from expectitree.base import compiling
from expectitree.base.errors import SearchError
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    TERMINAL,
    UNSEEN,
    Columns,
    FloatColumn,
    IntColumn,
)
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NOT_CUT,
    PROBED,
    STOPPED,
)
from expectitree.searches.intervals import one_number
from expectitree.searches.problem import Found, Problem, Window
from expectitree.searches.recursion import FAR, Allowance
from expectitree.searches.unknown import why_unknown

ENTER, BACK = -1, -2  # steps of the loop; others are how an entry of a node ends
SEEN = UNSEEN + 1  # in `kind`: a terminal that was visited


class Work(NamedTuple):
    """The columns that the loop writes."""

    kind: IntColumn  # [N] the kind of a node, or SEEN
    slot: IntColumn  # [N] the row of an inner node
    low_bound: FloatColumn  # [N] the bounds of terminals; [1] if all are the same
    high_bound: FloatColumn
    mark: IntColumn  # [N] a branch to a node, plus 1; empty if no node is shared
    # [inner]
    lower: FloatColumn
    upper: FloatColumn
    visits: IntColumn
    floor: FloatColumn  # the window of the last entry: alpha + eps
    ceiling: FloatColumn  # beta - eps
    cut: IntColumn
    cut_after: IntColumn
    repeats: IntColumn  # whether several outcomes lead to one child; empty if no node is shared
    # [height + 1] the nodes above the current one, with their state
    node_at: IntColumn
    branch_at: IntColumn  # to the child that is being searched
    rank_at: IntColumn
    low_at: FloatColumn
    high_at: FloatColumn
    # The sums of the bounds of the outcomes that follow, of CHANCE nodes on the way to the current
    # one; those of the current node begin at `top`.
    rest_low: FloatColumn
    rest_high: FloatColumn
    saved: IntColumn  # [4] depth, top and cuts of a loop that waits; whether to close intervals


class Rule(NamedTuple):
    """The numbers and switches of a search."""

    root: Any
    one: Any  # in the type of ids, which is unsigned: a signed index costs a test
    chance_cuts: bool
    cyclic: bool
    probes: Any
    eps: float
    narrow: float
    low_bound: float
    high_bound: float
    special: bool | None  # None in plain trees


def search_columns(
    tree: Columns, work: Work, rule: Rule, window: Window, left: int, stopped: bool
) -> bool:
    """Search the root until it is done, or for `left` more visits, or stop the search.

    Return whether it is done. `rank` is at MAX and MIN the place of the only child to search, and
    at CHANCE that of the children to probe; it is `probes` if all children are searched.
    """
    kind, slot, first, last, one = tree.kind, work.slot, tree.first, tree.last, rule.one
    depth, top, cuts = work.saved[0], work.saved[1], work.saved[2]
    floor, ceiling = window
    node, rank = rule.root, rule.probes
    step = ENTER if depth == 0 else BACK
    returned = False  # whether the child at `branch` has just been left
    while True:
        if step == ENTER and kind[node] == TERMINAL:
            work.kind[node] = SEEN
            step, returned = BACK, True
        begins = step == ENTER
        if begins:
            row, k, branch = slot[node], kind[node], first[node]
            work.visits[row] += 1
            work.floor[row], work.ceiling[row] = floor, ceiling
            work.cut[row] = NOT_CUT
            low = high = 0.0
            if k == CHANCE:
                rank = one - one
            else:
                low = high = -INFINITY if k == MAX else INFINITY
                if rank < rule.probes:
                    branch += rank
        else:
            depth -= one
            node, branch, rank = work.node_at[depth], work.branch_at[depth], work.rank_at[depth]
            low, high = work.low_at[depth], work.high_at[depth]
            row, k = slot[node], kind[node]
            if k == CHANCE:
                top -= last[node] - first[node]

        if k == CHANCE:
            step, branch, rank, low, high, floor, ceiling, left = search_chance(
                tree,
                work,
                rule,
                node,
                branch,
                rank,
                low,
                high,
                top,
                left,
                begins,
                returned,
                stopped,
            )
        else:
            step, branch, low, high, floor, ceiling, left = search_player(
                tree, work, rule, node, branch, rank, low, high, left, returned, stopped
            )
        returned = False

        if step == ENTER:
            work.node_at[depth], work.branch_at[depth], work.rank_at[depth] = node, branch, rank
            work.low_at[depth], work.high_at[depth] = low, high
            depth += one
            if k == CHANCE:
                top += last[node] - first[node]
            else:
                rank = rule.probes
            node = tree.child[branch]
            if left == 0 or kind[node] == UNSEEN:
                work.saved[0], work.saved[1], work.saved[2] = depth, top, cuts
                return False
            left -= 1
            continue

        if step in (PROBED, STOPPED):
            work.cut[row], work.cut_after[row] = step, branch - first[node]
        elif step != NOT_CUT:
            since = first[node] if step >= CUT_PROBING else branch
            if is_any_open(tree, work, rule, since, last[node]):
                work.cut[row], work.cut_after[row] = step, branch - first[node]
                cuts += one
        if low < high:
            low = max(low, work.lower[row])
            high = min(high, work.upper[row])
            if high - low <= rule.narrow:
                work.saved[3] = one
        if low > high:
            low = high = (low + high) / 2
        work.lower[row], work.upper[row] = low, high
        if depth == 0:
            if work.saved[3]:
                close_intervals(tree, work, rule.narrow)
            work.saved[2] = cuts
            return True
        step = BACK
        returned = True


def search_player(
    tree: Columns,
    work: Work,
    rule: Rule,
    node: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    left: int,
    returned: bool,
    stopped: bool,
) -> tuple[Any, ...]:
    """Search the children of MAX or MIN until one must be entered or the node is done.

    Return the next step, the branch, low, high, the window of the child, and `left`.
    """
    kind, one, eps = work.kind, rule.one, rule.eps
    row = work.slot[node]
    floor, ceiling = work.floor[row], work.ceiling[row]
    is_max = tree.kind[node] == MAX
    end = tree.last[node] if rank == rule.probes else branch + one
    refused = False
    reward: Any = 0.0
    if is_max:
        floor = max(floor, low + eps)
    else:
        ceiling = min(ceiling, high - eps)
    while True:
        child = tree.child[branch]
        child_kind = kind[child]
        if rule.special is None and child_kind == SEEN:
            child_low = child_high = tree.utility[child]
        elif rule.special is None and child_kind == TERMINAL and left > 0:
            child_low, child_high = rule.low_bound, rule.high_bound
            if child_high > floor and child_low < ceiling:
                left -= 1
                kind[child] = SEEN
                child_low = child_high = tree.utility[child]
        else:
            child_low, child_high = interval_of(tree, work, rule, child)
            if rule.special is not None and len(tree.reward) > 0:
                reward = tree.reward[branch]
            child_floor, child_ceiling = floor - reward, ceiling - reward
            if returned:
                returned = False
            elif (
                child_high > child_floor
                and child_low < child_ceiling
                and is_open(rule, child_kind, child_low, child_high)
            ):
                if not stopped:
                    return ENTER, branch, low, high, child_floor, child_ceiling, left
                refused = True
        if rule.special is not None:
            child_low += reward
            child_high += reward
        if is_max:
            low = max(low, child_low)
            high = max(high, child_high)
            floor = max(floor, child_low + eps)
            is_cut = low >= ceiling
        else:
            low = min(low, child_low)
            high = min(high, child_high)
            ceiling = min(ceiling, child_high - eps)
            is_cut = high <= floor
        branch += one
        if is_cut or branch == end or stopped:
            break
    if refused:
        branch -= one
    if branch == end and rank == rule.probes:
        return NOT_CUT, branch, low, high, floor, ceiling, left
    if branch < end and not is_cut:
        mark = STOPPED
    elif rank < rule.probes:
        mark = PROBED
    else:
        mark = BETA_CUT if is_max else ALPHA_CUT
    if is_max:  # only the node's own bounds hold for the children that were not searched
        high = work.upper[row]
    else:
        low = work.lower[row]
    return mark, branch, low, high, floor, ceiling, left


def search_chance(
    tree: Columns,
    work: Work,
    rule: Rule,
    node: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    top: int,
    left: int,
    begins: bool,
    returned: bool,
    stopped: bool,
) -> tuple[Any, ...]:
    """Probe, then search the outcomes of CHANCE until one must be entered or the node is done.

    Return the next step, the branch, the rank, low, high, the window of the child, and `left`.
    """
    kind, one, eps, probes = work.kind, rule.one, rule.eps, rule.probes
    chance_cuts, cyclic = rule.chance_cuts, rule.cyclic
    rest_low, rest_high = work.rest_low, work.rest_high
    row = work.slot[node]
    floor, ceiling = work.floor[row], work.ceiling[row]
    alpha, beta = floor - eps, ceiling + eps
    begin, end = tree.first[node], tree.last[node]
    reward: Any = 0.0
    repeats = refused = False
    if rule.special is not None and len(work.mark) > 0:
        if begins and work.visits[row] == 1:
            work.repeats[row] = is_any_repeated(tree, work, rule, begin, end)
        repeats = chance_cuts and work.repeats[row] != 0
    begins = begins and chance_cuts
    while True:
        if begins:
            all_low, all_high = sum_rest(tree, work, rule, begin, end, top)
            if all_high <= floor or all_low >= ceiling:
                mark = CHANCE_CUT_LOW if all_high <= floor else CHANCE_CUT_HIGH
                return mark, branch, rank, all_low, all_high, floor, ceiling, left
        while branch != end:
            p = tree.probability[branch]
            if p == 0:
                branch += one
                continue
            child = tree.child[branch]
            child_kind = kind[child]
            place = top + (branch - begin)
            others_low, others_high = low, high
            if chance_cuts:
                others_low += rest_low[place]
                others_high += rest_high[place]
            if rule.special is None and (
                child_kind == SEEN or (child_kind == TERMINAL and left > 0)
            ):
                # Most of the time of a search goes here.
                if child_kind == TERMINAL:
                    left -= 1
                    kind[child] = SEEN
                term_low = term_high = p * tree.utility[child]
            else:
                if rule.special is not None and len(tree.reward) > 0:
                    reward = tree.reward[branch]
                child_low, child_high = interval_of(tree, work, rule, child)
                if returned:
                    returned = False
                elif rank == probes or can_probe(tree, child_kind, child, rank):
                    child_floor, child_ceiling = -INFINITY, INFINITY
                    if chance_cuts and child_kind != TERMINAL:
                        child_floor = min((alpha - others_high) / p + eps, FAR) - reward
                        child_ceiling = max((beta - others_low) / p - eps, -FAR) - reward
                    if (
                        child_high > child_floor
                        and child_low < child_ceiling
                        and is_open(rule, child_kind, child_low, child_high)
                    ):
                        if not stopped:
                            return ENTER, branch, rank, low, high, child_floor, child_ceiling, left
                        refused = True
                if rule.special is not None:
                    child_low += reward
                    child_high += reward
                if stopped:
                    low, high = sum_rest(tree, work, rule, begin, end, top)
                    if not refused:
                        branch += one
                    return STOPPED, branch, rank, low, high, floor, ceiling, left
                if rule.special is not None and repeats:  # what follows may lead to the same child
                    sum_rest(tree, work, rule, begin, end, top)
                    others_low, others_high = low + rest_low[place], high + rest_high[place]
                term_low, term_high = p * child_low, p * child_high
            if chance_cuts:
                all_low, all_high = others_low + term_low, others_high + term_high
                if all_high <= floor or all_low >= ceiling:
                    mark = CHANCE_CUT_LOW if all_high <= floor else CHANCE_CUT_HIGH
                    if rank < probes:
                        mark += CUT_PROBING
                    return mark, branch + one, rank, all_low, all_high, floor, ceiling, left
                if rank < probes and not cyclic:
                    if rank + one < probes:
                        rank += one
                        continue
                    rank = one - one
            low += term_low
            high += term_high
            branch += one
        if rank == probes:
            return NOT_CUT, branch, rank, low, high, floor, ceiling, left
        rank = rank + one if cyclic else probes
        branch = begin
        low = high = 0.0
        begins = chance_cuts


def can_probe(tree: Columns, child_kind: int, child: int, rank: int) -> bool:
    """Return whether an outcome is a terminal, or a player with a child of this rank."""
    return child_kind in (TERMINAL, UNSEEN) or (
        child_kind != CHANCE and tree.last[child] - tree.first[child] > rank
    )


def is_open(rule: Rule, child_kind: int, child_low: float, child_high: float) -> bool:
    """Return whether a leaf is not visited, or an interval is not exact but for rounding."""
    return child_high - child_low > rule.narrow or (
        child_kind == TERMINAL and child_low < child_high
    )


def interval_of(tree: Columns, work: Work, rule: Rule, node: int) -> Window:
    """Return the interval of a node."""
    k = work.kind[node]
    if rule.special is not None and (k in (TERMINAL, UNSEEN)):
        return work.low_bound[node], work.high_bound[node]
    if k == TERMINAL:
        return rule.low_bound, rule.high_bound
    if k == SEEN:
        return tree.utility[node], tree.utility[node]
    return work.lower[work.slot[node]], work.upper[work.slot[node]]


def sum_rest(tree: Columns, work: Work, rule: Rule, begin: int, end: int, top: int) -> Window:
    """Write for each outcome the sums of the bounds of those that follow; return those of all."""
    low = high = 0.0
    place = top + (end - begin)
    branch = end
    while branch != begin:
        branch -= rule.one
        place -= rule.one
        work.rest_low[place] = low
        work.rest_high[place] = high
        p = tree.probability[branch]
        if p != 0:
            child_low, child_high = interval_of(tree, work, rule, tree.child[branch])
            if rule.special is not None and len(tree.reward) > 0:
                child_low += tree.reward[branch]
                child_high += tree.reward[branch]
            low += p * child_low
            high += p * child_high
    return low, high


def is_any_open(tree: Columns, work: Work, rule: Rule, branch: int, end: int) -> bool:
    """Return whether one of these branches is possible and leads to a child that is not exact."""
    while branch < end:
        if tree.probability[branch] != 0:
            lower, upper = interval_of(tree, work, rule, tree.child[branch])
            if upper - lower > rule.narrow:
                return True
        branch += rule.one
    return False


def is_any_repeated(tree: Columns, work: Work, rule: Rule, begin: int, end: int) -> bool:
    """Return whether two possible outcomes of a node lead to one child, at its first visit."""
    branch = begin
    while branch < end:
        if tree.probability[branch] != 0:
            mark = work.mark[tree.child[branch]]
            if begin < mark <= branch:
                return True
            work.mark[tree.child[branch]] = branch + rule.one
        branch += rule.one
    return False


def close_intervals(tree: Columns, work: Work, narrow: float) -> None:
    """Make one number of each interval that is exact but for rounding."""
    for node in range(len(tree.kind)):
        k, row = tree.kind[node], work.slot[node]
        if k in (TERMINAL, UNSEEN) or work.visits[row] == 0:
            continue
        low, high = work.lower[row], work.upper[row]
        if low < high and high - low <= narrow:
            work.lower[row] = work.upper[row] = one_number(k, low, high)


def search_compiled(problem: Problem) -> Found:
    """Search a tree in the window of a problem."""
    tree, columns, window = problem.tree, problem.columns, problem.window
    work, rule = start(problem)
    eps = rule.eps
    floor, ceiling = float(window[0]) + eps, float(window[1]) - eps
    allow = Allowance(problem.max_visits, problem.pause, len(tree))
    left, stopped, is_done = allow() - 1, False, len(tree) == 1
    problem.begin()
    if is_done:
        work.kind[0] = SEEN
    while not is_done:
        is_done = problem.run(search_columns, columns, work, rule, (floor, ceiling), left, stopped)
        if not is_done:
            child = columns.child[work.branch_at[int(work.saved[0]) - 1]]
            if left and columns.kind[child] == UNSEEN:
                raise SearchError(why_unknown(tree, child))
            left = allow()
            stopped = left == 0
    bounds = (
        (work.low_bound, work.high_bound) if rule.special else (rule.low_bound, rule.high_bound)
    )
    found = Found(
        ByNode(work, work.lower, bounds[0], columns.utility),
        ByNode(work, work.upper, bounds[1], columns.utility),
        ByNode(work, work.visits, 0, 1),
        ByNode(work, work.floor, 0.0, 0.0, -eps),
        ByNode(work, work.ceiling, 0.0, 0.0, eps),
        ByNode(work, work.cut, NOT_CUT, NOT_CUT),
        ByNode(work, work.cut_after, 0, 0),
    )
    found.cuts, found.stopped = int(work.saved[2]), stopped
    return found


def start(problem: Problem) -> tuple[Work, Rule]:
    """Return the columns, the numbers and the switches at the start."""
    import numpy as np

    tree, columns, chosen, column = problem.tree, problem.columns, problem.algorithm, problem.column
    inner, depths = len(tree) - tree.leaves, tree.heights[-1] + 1
    low, high, eps = float(problem.bounds[0]), float(problem.bounds[1]), float(problem.eps) / 3
    is_plain = (
        low < high
        and not (columns.pays or tree.is_sharing or tree.unknown)
        and tree.local_bounds.keys() <= {tree.root_id}
    )
    if is_plain:
        bounds: Any = column("d", 0), column("d", 0)
        rows: Any = [compiling.filled("d", end, inner, True) for end in (low, high)]
    else:
        bounds = problem.intervals()
        is_inner = np.asarray(tree.columns.kind) != TERMINAL
        rows = [memoryview(np.asarray(ends)[is_inner]) for ends in bounds]
    sums = min(len(columns.child), int(tree.heights[-1] * tree.most_outcomes))
    codes = (("IddBI", inner), ("B", inner * tree.is_sharing), ("IIIdd", depths), ("dd", sums))
    work = Work._make(
        (
            memoryview(bytearray(columns.kind)),
            tree.inner_before,
            *bounds,
            column("I", len(tree) * tree.is_sharing),
            *rows,
            *(column(code, length) for group, length in codes for code in group),
            column("Q", 4),
        )
    )
    rule = Rule(
        root=problem.index(tree.root_id),
        one=problem.index(1),
        chance_cuts=chosen.chance_cuts,
        cyclic=chosen.probe_order == "cyclic",
        probes=problem.index(min(chosen.probes, int(tree.widest))),
        eps=eps,
        narrow=2 * eps,
        low_bound=low,
        high_bound=high,
        special=None if is_plain else True,
    )
    return work, rule


class ByNode(Sequence[Any]):
    """A column by node id, of the rows of inner nodes and of what terminals have.

    It is made whole where a loop reads it: that takes as long as the search of many a tree.
    """

    def __init__(self, work: Work, rows: Any, unseen: Any, seen: Any, more: float = 0) -> None:
        self.kind, self.slot, self.rows = work.kind, work.slot, rows
        self.unseen, self.seen = unseen, seen  # of terminals: a number, or a column by node id
        self.more = more  # what is added to a row

    @cached_property
    def whole(self) -> Any:
        """The column in memory."""
        import numpy as np

        kind, rows = np.asarray(self.kind), np.asarray(self.rows)
        column: Any = np.zeros(len(kind), rows.dtype)
        is_seen, is_inner = kind == SEEN, (kind != TERMINAL) & (kind < UNSEEN)
        column[is_inner] = rows + self.more if self.more else rows
        np.copyto(column, self.seen, where=is_seen, casting="unsafe")
        np.copyto(column, self.unseen, where=~(is_seen | is_inner), casting="unsafe")
        return memoryview(column)

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, int):
            return self.whole[at]
        kind = self.kind[at]
        if kind not in (TERMINAL, UNSEEN, SEEN):
            return self.rows[self.slot[at]] + self.more
        number = self.seen if kind == SEEN else self.unseen
        return number if isinstance(number, (int, float)) else number[at]
