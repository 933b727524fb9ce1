"""The one *-minimax search: alpha-beta, Star1, Star2 and Star2.5 by its switches (Ballard 1983, with intervals).

Plain iterative Python over columns, to be interpreted or compiled as it stands: no recursion, no
closures, no objects. It is one long function because a call for each step would triple its time;
its parts have headings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree.tree.columns import Column, Columns

# How the last entry of a node ended (the column `cut`).
NOT_CUT, ALPHA_CUT, BETA_CUT, CHANCE_CUT_LOW, CHANCE_CUT_HIGH, PROBED, STOPPED = range(7)
CUT_PROBING = 8  # added to a chance cut that came while probing
NO_CUTS = (NOT_CUT, PROBED, STOPPED)


class Work(NamedTuple):
    """The columns that a search writes."""

    lower: Column  # [N] the interval known to hold v*; starts as the node's bounds
    upper: Column  # [N]
    visits: Column  # [N] entries
    alpha: Column  # [N] the window of the last entry
    beta: Column  # [N]
    cut: Column  # [N] how the last entry ended, a constant above
    cut_after: Column  # [N] after how many children (while probing: outcomes reached)
    low_term: Column  # [M] what an outcome last added to the running sum `low` of its chance node
    high_term: (
        Column  # [M] the same of `high`; an infinity is counted in low_open, high_open instead
    )
    frame_node: Column  # [height + 1] by depth: the nodes between the root and the current one
    frame_branch: Column
    frame_end: Column
    frame_rank: Column
    frame_alpha: Column
    frame_beta: Column
    frame_low: Column
    frame_high: Column
    frame_low_open: Column
    frame_high_open: Column


DEPTH_CODES = "IIIiddddii"  # the type codes of the columns by depth


def star_minimax(
    tree: Columns,
    work: Work,
    alpha: Any,
    beta: Any,
    eps: Any,
    zero: Any,
    inf: Any,
    most: Any,
    chance_cuts: bool,
    probes: int,
    cyclic: bool,
    most_visits: int,
) -> tuple[int, bool]:
    """Search the root in the window (alpha, beta); return how many cuts were made, and whether it was stopped.

    The contract. For every node entered, `[lower, upper]` is narrowed, always around v*, until
        lower == upper            exact, or
        upper <= alpha            fail low, or
        lower >= beta             fail high
    for the window that it was entered with (in float mode to within `eps`). A child that already
    satisfies this for its window is passed over: not entered, its interval as good as found. A
    search that is stopped, since it would go on beyond `most_visits` entries, leaves intervals
    around v* that may satisfy nothing else.

    `zero` is what sums start from and `most` the greatest number: a window beyond it is as good as
    at it, while an infinity would equal that of an unknown bound.

    At MAX `low` and `high` are the greatest child lower and upper so far, at MIN the least, at
    CHANCE the sums of p * lower and p * upper over all outcomes with p > 0. `rank` is the number of
    the probe: at CHANCE of the probing in progress, at MAX and MIN of the child that this entry, a
    probe, is for; else -1.
    """
    kind, utility, first, child, probability = tree
    lower, upper, visits, alpha_at, beta_at, cut, cut_after, low_term, high_term = work[:9]
    frame_node, frame_branch, frame_end, frame_rank, frame_alpha, frame_beta = work[9:15]
    frame_low, frame_high, frame_low_open, frame_high_open = work[15:]
    few_eps = 4 * eps
    bounded = (
        lower[len(kind) - 1] > -inf and upper[len(kind) - 1] < inf
    )  # the root, and so every node
    cuts = 0
    entries = 1
    stopping = False
    # Ids and branches are counted in the columns' own type, which compiled is unsigned: an index
    # that may be negative costs a test.
    frame_node[0] = len(kind) - 1
    frame_branch[0] = 1
    node = frame_node[0]
    one = frame_branch[0]
    depth = one - one
    rank = -1
    if kind[node] == 0:
        visits[node] += 1
        lower[node] = upper[node] = utility[node]
        return 0, False
    entering = True
    leaving = False
    returned = False
    while True:
        # ---- Enter `node` with the window (alpha, beta).
        if entering:
            entering = False
            k = kind[node]
            visits[node] += 1
            alpha_at[node] = alpha
            beta_at[node] = beta
            cut[node] = 0
            begin = first[node]
            end = first[node + one]
            branch = begin
            low_open = high_open = 0
            if k == 1:  # MAX
                low = high = -inf
            elif k == 2:  # MIN
                low = high = inf
            else:  # CHANCE
                low = high = zero
                if chance_cuts:
                    if bounded:
                        for b in range(begin, end):
                            p = probability[b]
                            if p > 0:
                                c = child[b]
                                x = p * lower[c]
                                low += x
                                low_term[b] = x
                                x = p * upper[c]
                                high += x
                                high_term[b] = x
                    else:
                        for b in range(begin, end):
                            p = probability[b]
                            if p > 0:
                                c = child[b]
                                x = lower[c]
                                if x > -inf:
                                    x = p * x
                                    low += x
                                else:
                                    low_open += 1
                                low_term[b] = x
                                x = upper[c]
                                if x < inf:
                                    x = p * x
                                    high += x
                                else:
                                    high_open += 1
                                high_term[b] = x
                    if probes > 0:
                        rank = 0
                    if (
                        high_open == 0
                        and high <= alpha + eps
                        or low_open == 0
                        and low >= beta - eps
                    ):
                        leaving = True
                        rank = -1
            if rank >= 0 and k != 3:
                for _ in range(rank):
                    branch += one
                end = branch + one

        # ---- Go on with the children until it is time to leave or to go down: choose the next and
        # its window, visit a terminal or pass over, take in its interval, and cut where that says
        # enough.
        if k == 1:
            while not leaving:
                if returned:
                    returned = False
                else:
                    c = child[branch]
                    child_low = lower[c]
                    child_high = upper[c]
                    child_alpha = low if low > alpha else alpha
                    if (
                        child_low < child_high
                        and child_high > child_alpha + eps
                        and child_low < beta - eps
                    ):
                        if entries >= most_visits:
                            stopping = True
                            break
                        entries += 1
                        if kind[c] != 0:
                            child_beta = beta
                            entering = True
                            break
                        visits[c] += 1
                        child_low = child_high = lower[c] = upper[c] = utility[c]
                if child_low > low:
                    low = child_low
                if child_high > high:
                    high = child_high
                branch += one
                if branch == end:
                    leaving = True
                elif low >= beta - eps:
                    leaving = True
                    cut[node] = 2  # BETA_CUT
                elif stopping:
                    break
        elif k == 2:
            while not leaving:
                if returned:
                    returned = False
                else:
                    c = child[branch]
                    child_low = lower[c]
                    child_high = upper[c]
                    child_beta = high if high < beta else beta
                    if (
                        child_low < child_high
                        and child_high > alpha + eps
                        and child_low < child_beta - eps
                    ):
                        if entries >= most_visits:
                            stopping = True
                            break
                        entries += 1
                        if kind[c] != 0:
                            child_alpha = alpha
                            entering = True
                            break
                        visits[c] += 1
                        child_low = child_high = lower[c] = upper[c] = utility[c]
                if child_low < low:
                    low = child_low
                if child_high < high:
                    high = child_high
                branch += one
                if branch == end:
                    leaving = True
                elif high <= alpha + eps:
                    leaving = True
                    cut[node] = 1  # ALPHA_CUT
                elif stopping:
                    break
        else:
            while not leaving:
                if returned:
                    returned = False
                    p = probability[branch]
                elif branch == end:  # a pass of probing is over, or all outcomes are done
                    if rank < 0:
                        break
                    rank = rank + 1 if cyclic and rank + 1 < probes else -1
                    branch = begin
                    continue
                else:
                    p = probability[branch]
                    if p <= 0:
                        branch += one
                        continue
                    c = child[branch]
                    child_low = lower[c]
                    child_high = upper[c]
                    skip = not child_low < child_high
                    if rank >= 0 and (
                        skip or kind[c] == 3 or first[c + one] - first[c] <= rank and kind[c] != 0
                    ):
                        branch += one
                        rank = rank if cyclic else 0
                        continue
                    # While this node fails neither way, a terminal that is not exact satisfies no
                    # window: needs none.
                    if not skip and kind[c] != 0:
                        child_alpha = -inf
                        child_beta = inf
                        if chance_cuts:
                            # alpha_i = (alpha - (high without i)) / p_i, beta_i = (beta - (low
                            # without i)) / p_i, where an infinity in alpha, beta or any other
                            # outcome leaves the window open on that side.
                            x = high_term[branch]
                            if alpha > -inf and (high_open == 0 or high_open == 1 and x == inf):
                                child_alpha = (alpha - (high if high_open else high - x)) / p
                                if child_alpha > most:
                                    child_alpha = most
                            x = low_term[branch]
                            if beta < inf and (low_open == 0 or low_open == 1 and x == -inf):
                                child_beta = (beta - (low if low_open else low - x)) / p
                                if child_beta < -most:
                                    child_beta = -most
                        skip = rank < 0 and (
                            child_high <= child_alpha + eps or child_low >= child_beta - eps
                        )
                    if not skip:
                        if entries >= most_visits:
                            stopping = True
                            break
                        entries += 1
                        if kind[c] != 0:
                            entering = True
                            break
                        visits[c] += 1
                        child_low = child_high = lower[c] = upper[c] = utility[c]
                if chance_cuts:
                    x = low_term[branch]
                    if x > -inf:
                        y = p * child_low
                        low_term[branch] = y
                        low += y - x
                    elif child_low > -inf:
                        y = p * child_low
                        low_term[branch] = y
                        low += y
                        low_open -= 1
                    x = high_term[branch]
                    if x < inf:
                        y = p * child_high
                        high_term[branch] = y
                        high += y - x
                    elif child_high < inf:
                        y = p * child_high
                        high_term[branch] = y
                        high += y
                        high_open -= 1
                    if (
                        high_open == 0
                        and high <= alpha + eps
                        or low_open == 0
                        and low >= beta - eps
                    ):
                        leaving = True
                if rank < 0 or cyclic or leaving:
                    branch += one
                elif rank + 1 < probes and child_low < child_high:
                    rank += 1
                else:
                    branch += one
                    rank = 0
                if stopping:
                    break

        # ---- Go down to the child `c`.
        if entering:
            frame_node[depth] = node
            frame_branch[depth] = branch
            frame_end[depth] = end
            frame_rank[depth] = rank
            frame_alpha[depth] = alpha
            frame_beta[depth] = beta
            frame_low[depth] = low
            frame_high[depth] = high
            frame_low_open[depth] = low_open
            frame_high_open[depth] = high_open
            depth += one
            node = c
            if k != 3:
                rank = -1
            alpha = child_alpha
            beta = child_beta

        # ---- Leave the node: record the cut, narrow its interval, and go back to the parent.
        else:
            leaving = False
            value_low = low
            value_high = high
            if k == 3:
                if stopping:
                    cut[node] = 6  # STOPPED
                elif branch < end or rank >= 0:
                    cut[node] = (
                        3 if high_open == 0 and high <= alpha + eps else 4
                    )  # CHANCE_CUT_LOW, CHANCE_CUT_HIGH
                    if rank >= 0:
                        cut[node] += 8  # CUT_PROBING
                value_low = value_high = zero
                low_open = high_open = 0
                if bounded:
                    for b in range(begin, end):
                        p = probability[b]
                        if p > 0:
                            c = child[b]
                            value_low += p * lower[c]
                            value_high += p * upper[c]
                else:
                    for b in range(begin, end):
                        p = probability[b]
                        if p > 0:
                            c = child[b]
                            x = lower[c]
                            if x > -inf:
                                value_low += p * x
                            else:
                                low_open += 1
                            x = upper[c]
                            if x < inf:
                                value_high += p * x
                            else:
                                high_open += 1
                if low_open > 0:
                    value_low = -inf
                if high_open > 0:
                    value_high = inf
            elif stopping and branch < end and cut[node] == 0:
                cut[node] = 6
            elif rank >= 0:
                cut[node] = 5  # PROBED
            if cut[node] > 0:
                cut_after[node] = branch - begin
                if cut[node] != 5 and cut[node] != 6:
                    for b in range(begin if rank >= 0 else branch, end):
                        if probability[b] > 0 and lower[child[b]] < upper[child[b]]:
                            cuts += 1
                            break
                    else:
                        cut[node] = 0
                if k == 1:  # of the children left, nothing is known but this node's own upper end
                    value_high = upper[node]
                elif k == 2:
                    value_low = lower[node]
            if value_high > value_low + few_eps:
                if lower[node] > value_low:
                    value_low = lower[node]
                if upper[node] < value_high:
                    value_high = upper[node]
            if value_high != value_low and value_high <= value_low + few_eps:
                if k == 1:
                    value_high = value_low
                elif k == 2:
                    value_low = value_high
                else:
                    value_low = value_high = (value_low + value_high) / 2
            lower[node] = value_low
            upper[node] = value_high
            if depth == 0:
                return cuts, stopping
            child_low = value_low
            child_high = value_high
            depth -= one
            node = frame_node[depth]
            branch = frame_branch[depth]
            rank = frame_rank[depth]
            alpha = frame_alpha[depth]
            beta = frame_beta[depth]
            low = frame_low[depth]
            high = frame_high[depth]
            low_open = frame_low_open[depth]
            high_open = frame_high_open[depth]
            k = kind[node]
            begin = first[node]
            end = frame_end[depth]
            returned = True
