"""*-minimax search: alpha-beta, Star1, Star2 and Star2.5 as switches of one loop (Ballard 1983).

Plain functions over columns, interpreted or compiled as they are: no recursion, no closures, no
objects. docs/decisions/0015-star-minimax-in-pieces.md has the cost of calling the functions.
"""

from __future__ import annotations

from typing import Any

from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL, UNSEEN, Columns
from expectitree.base.tree.scans import shifted
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
from expectitree.searches.intervals import (
    DONE,
    PAUSED,
    STOPPED_EARLY,
    WAITING,
    close,
    satisfies,
    sum_outcomes,
)
from expectitree.searches.work import (
    BACK,
    ENTER,
    LEAVE,
    NO_PROBE,
    RESUME_CUTS,
    RESUME_ENTRIES,
    SEARCH,
    SEEN,
    STOP,
    Settings,
    Window,
    Work,
    can_probe,
    interval_of,
    is_any_open,
    outcome_window,
    sum_anew,
    sum_terms,
    update_repeats,
    window_between_far_terms,
)


def star_minimax(
    tree: Columns, work: Work, settings: Settings, root: int, window: Window
) -> tuple[int, int]:
    """Search the root in a window (alpha, beta); return the number of cuts, and how it ended.

    It is PAUSED after `pause` entries, and WAITING where it would enter a node that is UNSEEN:
    `next_branch` leads to it. If it is called again with the same columns, which may have grown, it
    continues there.

    The contract: for every node entered, `[lower, upper]` narrows, always around v*, until

        lower == upper            exact, or
        upper <= alpha            fail low, or
        lower >= beta             fail high

    for the window of the entry (in floats to within `eps`). A child whose interval already
    satisfies this for its window is skipped: its interval is as good as searched. A search stops
    before it would enter nodes more than `most_visits` times. Then intervals hold v*, but may
    satisfy none of the three.

    A parent adds a branch's reward to what it reads of the child, and subtracts it from the window
    that it gives the child. At MAX `low` and `high` are the greatest lower and upper bound of a
    branch so far, at MIN the least, at CHANCE the sums of p * lower and p * upper over all outcomes
    with p > 0. Outcomes with an infinite bound are counted in `low_open` and `high_open` instead.
    `rank` is the number of a probe: at CHANCE of the probe in progress, at MAX and MIN of the only
    child to search.
    """
    kind, first, last = tree.kind, tree.first, tree.last
    lower, upper = work.lower, work.upper
    frame_node, frame_branch, frame_rank = work.frame_node, work.frame_branch, work.frame_rank
    frame_low, frame_high = work.frame_low, work.frame_high
    frame_low_open, frame_high_open = work.frame_low_open, work.frame_high_open
    eps, inf = settings.eps, settings.inf
    if kind[root] == TERMINAL:
        work.visits[root] += 1
        lower[root] = upper[root] = tree.utility[root]
        return 0, DONE
    pays = len(settings.pays) > 0
    bounded = len(settings.bounded) > 0
    limited = len(settings.limited) > 0
    lean = len(settings.lean) > 0
    cuts = 0
    entries = 1
    stopped = False
    returned = False  # whether the child at `branch` has just been left
    one = settings.one
    pause = settings.pause
    depth = one - one
    node = root
    rank = NO_PROBE
    low: Any
    high: Any
    step = ENTER
    if work.frame_depth[0] > 0:
        depth = work.frame_depth[0]
        entries = work.resume[RESUME_ENTRIES]
        cuts = work.resume[RESUME_CUTS]
        step = BACK
    while True:
        if step == BACK:
            # ---- Go back to the parent.
            depth -= one
            node = frame_node[depth]
            at = work.slot[node] if lean else node
            branch = frame_branch[depth]
            rank = frame_rank[depth]
            low = frame_low[depth]
            high = frame_high[depth]
            low_open = 0 if bounded else frame_low_open[depth]
            high_open = 0 if bounded else frame_high_open[depth]
            k = kind[node]
            step = SEARCH
        elif step == ENTER:
            # ---- Enter `node` with `window`.
            k = kind[node]
            at = work.slot[node] if lean else node
            work.visits[at] += 1
            work.alpha[at], work.beta[at] = alpha, beta = window
            work.cut[at] = NOT_CUT
            branch = first[node]
            low_open = high_open = 0
            step = SEARCH
            if k == CHANCE:
                low = high = settings.zero
                if settings.chance_cuts:
                    low, high, low_open, high_open = sum_terms(
                        tree, work, settings, first[node], last[node]
                    )
                    if (
                        high_open == 0
                        and high <= alpha + eps
                        or low_open == 0
                        and low >= beta - eps
                    ):
                        step = LEAVE
                    elif settings.probes > 0:
                        rank = 0
            else:
                low = high = -inf if k == MAX else inf
                for _ in range(rank):  # of a probe
                    branch += one

        # ---- Search the children of `node` until one must be entered, or the node is done.
        if step == SEARCH:
            if k == CHANCE:
                step, branch, entries, low, high, window, low_open, high_open, rank = search_chance(
                    tree,
                    work,
                    settings,
                    node,
                    at,
                    branch,
                    rank,
                    low,
                    high,
                    low_open,
                    high_open,
                    depth,
                    entries,
                    returned,
                    stopped,
                )
            else:
                step, branch, entries, low, high, window = search_player(
                    tree,
                    work,
                    settings,
                    node,
                    at,
                    branch,
                    rank,
                    low,
                    high,
                    entries,
                    returned,
                    stopped,
                )
            returned = False

        if step == ENTER:
            # ---- Go down to the child.
            frame_node[depth] = node
            frame_branch[depth] = branch
            frame_rank[depth] = rank
            frame_low[depth] = low
            frame_high[depth] = high
            if not bounded:
                frame_low_open[depth] = low_open
                frame_high_open[depth] = high_open
            child = tree.child[branch]
            if lean and k == CHANCE:
                child_low, child_high = interval_of(tree, work, settings, child)
                work.frame_low_term[depth] = tree.probability[branch] * child_low
                work.frame_high_term[depth] = tree.probability[branch] * child_high
            depth += one
            node = child
            if kind[node] == UNSEEN or entries > pause:
                # The step to this node is done again later.
                work.frame_depth[0] = depth
                work.resume[RESUME_ENTRIES] = entries - 1
                work.resume[RESUME_CUTS] = cuts
                return cuts, WAITING if kind[node] == UNSEEN else PAUSED
            if pays:
                window = shift_window(window, tree.reward[branch], settings.most)
            if k != CHANCE:
                rank = NO_PROBE
        else:
            # ---- Leave `node`: record the cut, narrow its interval, and go back to its parent.
            stopped = limited and (stopped or step == STOP)
            cut = NOT_CUT
            if branch < last[node] or rank != NO_PROBE or stopped:
                is_low = high_open == 0 and high <= work.alpha[at] + eps
                cut = find_cut(k, step, stopped, branch < last[node], rank != NO_PROBE, is_low)
            if k == CHANCE and lean:
                low, high, _, _ = sum_terms(tree, work, settings, first[node], last[node])
            elif k == CHANCE:
                low, high = sum_outcomes(
                    tree, lower, upper, first[node], last[node], settings.zero, inf, bounded, pays
                )
            if cut != NOT_CUT:
                work.cut[at] = cut
                work.cut_after[at] = branch - first[node]
                if cut != PROBED and cut != STOPPED:
                    rest = branch if rank == NO_PROBE else first[node]
                    if is_any_open(tree, work, settings, rest, last[node]):
                        cuts += 1
                    else:
                        work.cut[at] = NOT_CUT
                # Only the node's own bounds hold for the children that were not searched.
                if k == MAX:
                    high = upper[at]
                elif k == MIN:
                    low = lower[at]
            if low != high:
                low, high = close(k, low, high, lower[at], upper[at], 4 * eps)
            lower[at] = low
            upper[at] = high
            if depth == 0:
                return cuts, STOPPED_EARLY if stopped else DONE
            step = BACK
            returned = True


def search_player(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    at: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    entries: int,
    returned: bool,
    stopped: bool,
) -> tuple[int, int, int, Any, Any, Window]:
    """Search the children of MAX or MIN until one must be entered or the node is done.

    Return the next step, the branch, the entries so far, low, high, and the branch's window, which
    includes its reward.
    """
    lower, upper, child = work.lower, work.upper, tree.child
    pays, limited = len(settings.pays) > 0, len(settings.limited) > 0
    lean = len(settings.lean) > 0
    eps, one = settings.eps, settings.one
    alpha = work.alpha[at]
    beta = work.beta[at]
    is_max = tree.kind[node] == MAX
    end = tree.last[node] if rank == NO_PROBE else branch + one
    while True:
        if is_max:
            if low > alpha:
                alpha = low
        elif high < beta:
            beta = high
        c = child[branch]
        if lean:
            child_low, child_high = interval_of(tree, work, settings, c)
        else:
            child_low = lower[c]
            child_high = upper[c]
        if pays:
            child_low = shifted(child_low, tree.reward[branch])
            child_high = shifted(child_high, tree.reward[branch])
        if returned:
            returned = False
        elif child_low < child_high and child_high > alpha + eps and child_low < beta - eps:
            if limited and entries >= settings.most_visits:
                return STOP, branch, entries, low, high, (alpha, beta)
            entries += 1
            if tree.kind[c] != TERMINAL:
                return ENTER, branch, entries, low, high, (alpha, beta)
            if lean:
                work.kind[c] = SEEN
                child_low = child_high = tree.utility[c]
            else:
                work.visits[c] += 1
                child_low = child_high = lower[c] = upper[c] = tree.utility[c]
            if pays:
                child_low = child_high = child_low + tree.reward[branch]
        if is_max:
            if child_low > low:
                low = child_low
            if child_high > high:
                high = child_high
            is_done = low >= beta - eps
        else:
            if child_low < low:
                low = child_low
            if child_high < high:
                high = child_high
            is_done = high <= alpha + eps
        branch += one
        if branch == end or is_done:
            return LEAVE, branch, entries, low, high, (alpha, beta)
        if limited and stopped:
            return STOP, branch, entries, low, high, (alpha, beta)


def search_chance(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    at: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    low_open: int,
    high_open: int,
    depth: int,
    entries: int,
    returned: bool,
    stopped: bool,
) -> tuple[int, int, int, Any, Any, Window, int, int, int]:
    """Probe, then search the outcomes of CHANCE until one must be entered or the node is done.

    Return the next step, the branch, the entries so far, low, high, the window of the branch,
    low_open, high_open, and rank.
    """
    lower, upper, child = work.lower, work.upper, tree.child
    pays, limited = len(settings.pays) > 0, len(settings.limited) > 0
    bounded, lean = len(settings.bounded) > 0, len(settings.lean) > 0
    if bounded:
        low_open = high_open = 0  # as they are, but so the compiler knows
    eps, far, inf, one = settings.eps, settings.far, settings.inf, settings.one
    low_term, high_term, far_low = work.low_term, work.high_term, -far
    chance_cuts, cyclic, probes = settings.chance_cuts, settings.cyclic, settings.probes
    shares = len(settings.shares) > 0
    alpha = work.alpha[at]
    beta = work.beta[at]
    end = tree.last[node]
    child_window = -inf, inf
    while True:
        if branch == end:  # a round of probes is over, or all outcomes are done
            if rank == NO_PROBE:
                step = LEAVE
                break
            rank = rank + 1 if cyclic and rank + 1 < probes else NO_PROBE
            branch = tree.first[node]
        p = tree.probability[branch]
        if p <= 0:
            branch += one
            continue
        c = child[branch]
        if lean and work.kind[c] == TERMINAL:
            # Most of the time of a search goes here: a terminal that was not visited before.
            if limited and entries >= settings.most_visits:
                step = STOP
                break
            entries += 1
            work.kind[c] = SEEN
            utility = tree.utility[c]
            branch += one
            if chance_cuts:
                low += p * utility - p * settings.ends[0]
                high += p * utility - p * settings.ends[1]
                if high <= alpha + eps or low >= beta - eps:
                    step = LEAVE
                    break
            continue
        if lean:
            child_low, child_high = interval_of(tree, work, settings, c)
        else:
            child_low = lower[c]
            child_high = upper[c]
        if pays:
            child_low = shifted(child_low, tree.reward[branch])
            child_high = shifted(child_high, tree.reward[branch])
        if not lean:
            low_was = low_term[branch]
            high_was = high_term[branch]
        elif returned:
            low_was = work.frame_low_term[depth]
            high_was = work.frame_high_term[depth]
        else:
            low_was = p * child_low
            high_was = p * child_high
        if returned:
            returned = False
        elif rank != NO_PROBE and (child_low == child_high or not can_probe(tree, c, rank)):
            branch += one
            if not cyclic:
                rank = 0
            continue
        elif child_low < child_high:
            # A terminal needs no window: as long as CHANCE does not fail, it satisfies none.
            is_terminal = tree.kind[c] == TERMINAL
            if chance_cuts and not is_terminal:
                if not bounded and far < settings.most:  # some bounds are far
                    child_window = window_between_far_terms(
                        tree, work, settings, node, branch, low, high, low_open, high_open
                    )
                else:
                    child_window = outcome_window(
                        p,
                        alpha,
                        beta,
                        low,
                        high,
                        low_open,
                        high_open,
                        low_was,
                        high_was,
                        settings,
                    )
            if (
                is_terminal
                or rank != NO_PROBE
                or not satisfies(child_low, child_high, child_window[0], child_window[1], eps)
            ):
                if limited and entries >= settings.most_visits:
                    step = STOP
                    break
                entries += 1
                if not is_terminal:
                    step = ENTER
                    break
                work.visits[c] += 1
                child_low = child_high = lower[c] = upper[c] = tree.utility[c]
                if pays:
                    child_low = child_high = child_low + tree.reward[branch]
        is_done = False
        if chance_cuts:
            if not lean:
                if bounded or child_low > -inf:
                    low_term[branch] = p * child_low
                if bounded or child_high < inf:
                    high_term[branch] = p * child_high
            if bounded or low_was >= far_low:
                low += p * child_low - low_was
            elif low_was > -inf:
                low = sum_anew(tree, low_term, settings, node, branch, -inf, end)
            elif child_low > -inf:
                low += p * child_low
                low_open -= 1
            if bounded or high_was <= far:
                high += p * child_high - high_was
            elif high_was < inf:
                high = sum_anew(tree, high_term, settings, node, branch, inf, end)
            elif child_high < inf:
                high += p * child_high
                high_open -= 1
            if shares:
                low, high, low_open, high_open = update_repeats(
                    tree, work, settings, node, branch, low, high, low_open, high_open
                )
            is_done = high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps
        if rank == NO_PROBE or cyclic or is_done or stopped:
            branch += one
        elif rank + 1 < probes and child_low < child_high:
            rank += 1
        else:
            branch += one
            rank = 0
        if is_done or stopped:
            step = LEAVE if is_done else STOP
            break
    return step, branch, entries, low, high, child_window, low_open, high_open, rank


def find_cut(
    kind: int, step: int, stopped: bool, is_rest: bool, is_probe: bool, is_low: bool
) -> int:
    """Return how an entry ends, a constant of `cuts`; `is_rest` says whether branches remain."""
    if step == STOP or stopped and kind == CHANCE:
        return STOPPED
    if kind == CHANCE:
        cut = CHANCE_CUT_LOW if is_low else CHANCE_CUT_HIGH
        return cut + CUT_PROBING if is_probe else cut
    if is_probe:
        return PROBED
    if is_rest:
        return BETA_CUT if kind == MAX else ALPHA_CUT
    return NOT_CUT


def shift_window(window: Window, reward: Any, most: Any) -> Window:
    """Return the window of a child from that of the branch to it, which includes the reward."""
    alpha = shifted(window[0], -reward)
    beta = shifted(window[1], -reward)
    if alpha > most:
        alpha = most
    if beta < -most:
        beta = -most
    return alpha, beta
