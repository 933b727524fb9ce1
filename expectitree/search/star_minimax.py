"""The one *-minimax search: alpha-beta, Star1, Star2 and Star2.5 by its switches (Ballard 1983, with intervals).

Plain iterative Python over columns, to be interpreted or compiled as it stands: no recursion, no closures, no
objects. It is one long function because a call for each step would triple its time; its parts have headings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree.tree import Column, Columns

# How the last entry of a node ended (the column `cut`).
NOT_CUT, ALPHA_CUT, BETA_CUT, CHANCE_CUT_LOW, CHANCE_CUT_HIGH, PROBED = range(6)
CUT_PROBING = 8  # added to a chance cut that came while probing


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
    high_term: Column  # [M] the same of `high`; an infinity is counted in low_open, high_open instead
    frame_node: Column  # [height + 1] by depth: the nodes between the root and the current one
    frame_branch: Column
    frame_rank: Column
    frame_alpha: Column
    frame_beta: Column
    frame_low: Column
    frame_high: Column
    frame_low_open: Column
    frame_high_open: Column


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
) -> int:
    """Search the root in the window (alpha, beta) and return how many cuts were made.

    The contract. For every node entered, `[lower, upper]` is narrowed, always around v*, until
        lower == upper            exact, or
        upper <= alpha            fail low, or
        lower >= beta             fail high
    for the window that it was entered with (in float mode to within `eps`). A child that already satisfies
    this for its window is passed over: not entered, its interval as good as found.

    `zero` is what sums start from and `most` the greatest number: a window beyond it is as good as at it, while an
    infinity would equal that of an unknown bound.

    At MAX `low` and `high` are the greatest child lower and upper so far, at MIN the least, at CHANCE the sums of
    p * lower and p * upper over all outcomes with p > 0. `rank` is the number of the probe: at CHANCE of the probing
    in progress, at MAX and MIN of the child that this entry, a probe, is for; else -1.
    """
    kind, utility, first, child, probability = tree
    lower, upper, visits, alpha_at, beta_at, cut, cut_after, low_term, high_term = work[:9]
    frame_node, frame_branch, frame_rank, frame_alpha, frame_beta = work[9:14]
    frame_low, frame_high, frame_low_open, frame_high_open = work[14:]
    few_eps = 4 * eps
    cuts = 0
    depth = 0
    node = len(kind) - 1
    rank = -1
    if kind[node] == 0:
        visits[node] += 1
        lower[node] = upper[node] = utility[node]
        return 0
    entering = True
    returned = False
    while True:
        # ---- Enter `node` with the window (alpha, beta).
        if entering:
            entering = False
            leaving = False
            k = kind[node]
            visits[node] += 1
            alpha_at[node] = alpha
            beta_at[node] = beta
            cut[node] = 0
            begin = first[node]
            end = first[node + 1]
            branch = begin
            low_open = high_open = 0
            if k == 1:  # MAX
                low = high = -inf
            elif k == 2:  # MIN
                low = high = inf
            else:  # CHANCE
                low = high = zero
                if chance_cuts:
                    for b in range(begin, end):
                        p = probability[b]
                        if p > 0:
                            c = child[b]
                            x = lower[c]
                            if x == -inf:
                                low_open += 1
                            else:
                                x = p * x
                                low += x
                            low_term[b] = x
                            x = upper[c]
                            if x == inf:
                                high_open += 1
                            else:
                                x = p * x
                                high += x
                            high_term[b] = x
                    if probes > 0:
                        rank = 0
                    if high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps:
                        leaving = True
                        rank = -1
            if rank > 0 and k != 3:
                branch += rank
            if rank >= 0 and k != 3:
                end = branch + 1

        # ---- Choose the next child and its window; visit a terminal, pass over, or go down.
        if not returned and not leaving:
            if branch == end:  # only at CHANCE, where a pass of probing is over, or all outcomes are done
                if rank < 0:
                    leaving = True
                else:
                    rank = rank + 1 if cyclic and rank + 1 < probes else -1
                    branch = begin
                    continue
            else:
                c = child[branch]
                child_low = lower[c]
                child_high = upper[c]
                if k == 1:
                    child_alpha = low if low > alpha else alpha
                    child_beta = beta
                elif k == 2:
                    child_alpha = alpha
                    child_beta = high if high < beta else beta
                else:
                    p = probability[branch]
                    if p <= 0:
                        branch += 1
                        continue
                    child_alpha = -inf
                    child_beta = inf
                    if chance_cuts:
                        # alpha_i = (alpha - (high without i)) / p_i, beta_i = (beta - (low without i)) / p_i, where
                        # an infinity in alpha, beta or any other outcome leaves the window open on that side.
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
                if k == 3 and rank >= 0:  # probing
                    if child_low == child_high or kind[c] == 3 or first[c + 1] - first[c] <= rank and kind[c] != 0:
                        branch += 1
                        rank = rank if cyclic else 0
                        continue
                    skip = False
                else:
                    skip = child_low == child_high or child_high <= child_alpha + eps or child_low >= child_beta - eps
                if not skip:
                    if kind[c] == 0:
                        visits[c] += 1
                        child_low = child_high = lower[c] = upper[c] = utility[c]
                    else:
                        frame_node[depth] = node
                        frame_branch[depth] = branch
                        frame_rank[depth] = rank
                        frame_alpha[depth] = alpha
                        frame_beta[depth] = beta
                        frame_low[depth] = low
                        frame_high[depth] = high
                        frame_low_open[depth] = low_open
                        frame_high_open[depth] = high_open
                        depth += 1
                        node = c
                        if k != 3:
                            rank = -1
                        alpha = child_alpha
                        beta = child_beta
                        entering = True
                        continue

        # ---- Take in the interval of the child at `branch`; cut where it says enough.
        if not leaving:
            returned = False
            if k == 1:
                if child_low > low:
                    low = child_low
                if child_high > high:
                    high = child_high
                branch += 1
                if branch == end:
                    leaving = True
                elif low >= beta - eps:
                    leaving = True
                    cut[node] = 2  # BETA_CUT
            elif k == 2:
                if child_low < low:
                    low = child_low
                if child_high < high:
                    high = child_high
                branch += 1
                if branch == end:
                    leaving = True
                elif high <= alpha + eps:
                    leaving = True
                    cut[node] = 1  # ALPHA_CUT
            else:
                if chance_cuts:
                    p = probability[branch]
                    x = low_term[branch]
                    if x == -inf:
                        if child_low > -inf:
                            low_open -= 1
                            low_term[branch] = p * child_low
                            low += low_term[branch]
                    else:
                        low_term[branch] = p * child_low
                        low += low_term[branch] - x
                    x = high_term[branch]
                    if x == inf:
                        if child_high < inf:
                            high_open -= 1
                            high_term[branch] = p * child_high
                            high += high_term[branch]
                    else:
                        high_term[branch] = p * child_high
                        high += high_term[branch] - x
                    if high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps:
                        leaving = True
                if rank < 0 or cyclic or leaving:
                    branch += 1
                elif rank + 1 < probes and child_low < child_high:
                    rank += 1
                else:
                    branch += 1
                    rank = 0

        # ---- Leave the node: record the cut, narrow its interval, and go back to the parent.
        if leaving:
            leaving = False
            value_low = low
            value_high = high
            if k == 3:
                if branch < end or rank >= 0:
                    cut[node] = 3 if high_open == 0 and high <= alpha + eps else 4  # CHANCE_CUT_LOW, CHANCE_CUT_HIGH
                    if rank >= 0:
                        cut[node] += 8  # CUT_PROBING
                value_low = value_high = zero
                for b in range(begin, end):
                    p = probability[b]
                    if p > 0:
                        c = child[b]
                        value_low = -inf if value_low == -inf or lower[c] == -inf else value_low + p * lower[c]
                        value_high = inf if value_high == inf or upper[c] == inf else value_high + p * upper[c]
            elif rank >= 0:
                cut[node] = 5  # PROBED
            if cut[node] > 0:
                cut_after[node] = branch - begin
                if cut[node] != 5:
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
                return cuts
            child_low = value_low
            child_high = value_high
            depth -= 1
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
            end = begin + rank + 1 if k != 3 and rank >= 0 else first[node + 1]
            returned = True
