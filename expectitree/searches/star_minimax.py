"""*-minimax search: alpha-beta, Star1, Star2 and Star2.5 as switches of one loop (Ballard 1983).

Plain functions over columns, interpreted or compiled as they are: no recursion, no closures, no
objects. What the functions cost is in docs/decisions/0015-star-minimax-in-pieces.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from expectitree.searches.certainty import mix, solve_outcome, weigh_outcomes
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
from expectitree.searches.endings import DONE, PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.intervals import close, is_any_open, satisfies, sum_outcomes
from expectitree.tree.columns import (
    CHANCE,
    MAX,
    MIN,
    TERMINAL,
    UNSEEN,
    Columns,
    IntColumn,
    NumberColumn,
)
from expectitree.tree.scans import shifted

# The steps of the search: search the children of the node, enter the child that was chosen, leave
# the node, leave it because the search has reached its limit of visits, or go back to its parent.
SEARCH, ENTER, LEAVE, STOP, BACK = range(5)
NO_PROBE = -1  # in `rank`
# Where `resume` keeps the depth of a loop that waits, the entries so far, and the cuts so far.
RESUME_DEPTH, RESUME_ENTRIES, RESUME_CUTS = range(3)
RESUME_NUMBERS = 3

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
    before: NumberColumn  # [M] the probability of the outcomes before one, and of those after it;
    after: NumberColumn  # both are empty without an attitude to risk
    # [height + 1] by depth: the nodes between the root and the current one, with their state
    frame_node: IntColumn
    frame_branch: IntColumn  # the branch to the child that is being searched
    frame_rank: IntColumn
    frame_low: NumberColumn
    frame_high: NumberColumn
    frame_low_open: IntColumn
    frame_high_open: IntColumn
    resume: IntColumn  # [3] where a loop that waits goes on; all 0 at first


DEPTH_CODES = "IIiddii"  # the type codes of the columns by depth


class Settings(NamedTuple):
    """The numbers and switches of a search."""

    eps: Any  # numbers that differ by at most this are equal; 0 in exact mode
    # A sum that loses a term beyond this is added up anew: the term has cost it too many digits. It
    # is the greatest float if no bound is so far.
    far: float
    zero: Any  # what sums start from
    inf: float
    most: Any  # the greatest number: a window end beyond it is moved to it, since inf means unknown
    chance_cuts: bool
    probes: int
    cyclic: bool  # probe round by round, rather than outcome by outcome
    most_visits: int
    pause: int  # wait before a node is entered after so many entries
    one: Any  # 1 in the type of ids. Compiled that is unsigned: a signed index costs a test
    # Empty if no branch pays. The length of a tuple is a part of its type, so a compiled search of
    # a tree without rewards has no code for them.
    pays: tuple[bool, ...]
    # Empty if every node has one branch to it. Otherwise several outcomes of a CHANCE node may lead
    # to one child.
    shares: tuple[bool, ...] = ()
    # Empty without an attitude to risk. With one, CHANCE is worth a certainty equivalent
    # (`certainty`).
    is_risky: tuple[bool, ...] = ()
    tolerance: float = 1.0  # the risk tolerance of the exponential attitude


def star_minimax(
    tree: Columns, work: Work, settings: Settings, root: int, window: Window
) -> tuple[int, int]:
    """Search the root in a window (alpha, beta); return the number of cuts, and how it ended.

    It is PAUSED after `pause` entries, and WAITING where it would enter a node that is UNSEEN:
    `next_branch` leads to it. Called again with the same columns, which may have grown, it goes on
    there.

    The contract: for every node entered, `[lower, upper]` narrows, always around v*, until

        lower == upper            exact, or
        upper <= alpha            fail low, or
        lower >= beta             fail high

    for the window of the entry (in float mode to within `eps`). A child whose interval already
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
    is_risky = len(settings.is_risky) > 0
    # Then every bound is finite. (A reward may move a bound beyond the greatest float.)
    bounded = not pays and lower[root] > -inf and upper[root] < inf
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
    if work.resume[RESUME_DEPTH] > 0:
        for _ in range(work.resume[RESUME_DEPTH]):
            depth += one
        entries = work.resume[RESUME_ENTRIES]
        cuts = work.resume[RESUME_CUTS]
        step = BACK
    while True:
        if step == BACK:
            # ---- Go back to the parent.
            depth -= one
            node = frame_node[depth]
            branch = frame_branch[depth]
            rank = frame_rank[depth]
            low = frame_low[depth]
            high = frame_high[depth]
            low_open = frame_low_open[depth]
            high_open = frame_high_open[depth]
            k = kind[node]
            step = SEARCH
        elif step == ENTER:
            # ---- Enter `node` with `window`.
            k = kind[node]
            work.visits[node] += 1
            work.alpha[node], work.beta[node] = alpha, beta = window
            work.cut[node] = NOT_CUT
            branch = first[node]
            low_open = high_open = 0
            step = SEARCH
            if k == CHANCE:
                low = high = settings.zero
                if settings.chance_cuts:
                    if is_risky:
                        low, high = weigh_terms(tree, work, settings, node)
                    else:
                        low, high, low_open, high_open = sum_terms(
                            tree, work, first[node], last[node], low, inf, bounded, pays
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
            if k == CHANCE and is_risky:
                step, branch, entries, low, high, window, rank = search_lottery(
                    tree, work, settings, node, branch, rank, low, high, entries, returned, stopped
                )
            elif k == CHANCE:
                step, branch, entries, low, high, window, low_open, high_open, rank = search_chance(
                    tree,
                    work,
                    settings,
                    node,
                    branch,
                    rank,
                    low,
                    high,
                    low_open,
                    high_open,
                    entries,
                    returned,
                    stopped,
                )
            else:
                step, branch, entries, low, high, window = search_player(
                    tree, work, settings, node, branch, rank, low, high, entries, returned, stopped
                )
            returned = False

        if step == ENTER:
            # ---- Go down to the child.
            frame_node[depth] = node
            frame_branch[depth] = branch
            frame_rank[depth] = rank
            frame_low[depth] = low
            frame_high[depth] = high
            frame_low_open[depth] = low_open
            frame_high_open[depth] = high_open
            depth += one
            node = tree.child[branch]
            if kind[node] == UNSEEN or entries > pause:
                # The step to this node is done again later.
                work.resume[RESUME_DEPTH] = depth
                work.resume[RESUME_ENTRIES] = entries - 1
                work.resume[RESUME_CUTS] = cuts
                return cuts, WAITING if kind[node] == UNSEEN else PAUSED
            if pays:
                window = shift_window(window, tree.reward[branch], settings.most)
            if k != CHANCE:
                rank = NO_PROBE
        else:
            # ---- Leave `node`: record the cut, narrow its interval, and go back to its parent.
            stopped = stopped or step == STOP
            cut = NOT_CUT
            if branch < last[node] or rank != NO_PROBE or stopped:
                is_low = high_open == 0 and high <= work.alpha[node] + eps
                cut = find_cut(k, step, stopped, branch < last[node], rank != NO_PROBE, is_low)
            if k == CHANCE and is_risky:
                begin, end, tolerance = first[node], last[node], settings.tolerance
                low = weigh_outcomes(tree, lower, begin, end, NO_PROBE, tolerance)[1]
                high = weigh_outcomes(tree, upper, begin, end, NO_PROBE, tolerance)[1]
            elif k == CHANCE:
                low, high = sum_outcomes(
                    tree, lower, upper, first[node], last[node], settings.zero, inf, bounded, pays
                )
            if cut != NOT_CUT:
                work.cut[node] = cut
                work.cut_after[node] = branch - first[node]
                if cut != PROBED and cut != STOPPED:
                    rest = branch if rank == NO_PROBE else first[node]
                    if is_any_open(tree, lower, upper, rest, last[node]):
                        cuts += 1
                    else:
                        work.cut[node] = NOT_CUT
                # Only the node's own bounds hold for the children that were not searched.
                if k == MAX:
                    high = upper[node]
                elif k == MIN:
                    low = lower[node]
            if low != high:
                low, high = close(k, low, high, lower[node], upper[node], 4 * eps)
            lower[node] = low
            upper[node] = high
            if depth == 0:
                return cuts, STOPPED_EARLY if stopped else DONE
            step = BACK
            returned = True


def next_branch(work: Work) -> int:
    """Return the branch to the node that a loop that waits would enter next."""
    return work.frame_branch[work.resume[RESUME_DEPTH] - 1]


def search_player(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
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
    pays = len(settings.pays) > 0
    eps, one = settings.eps, settings.one
    alpha = work.alpha[node]
    beta = work.beta[node]
    is_max = tree.kind[node] == MAX
    end = tree.last[node] if rank == NO_PROBE else branch + one
    while True:
        if is_max:
            if low > alpha:
                alpha = low
        elif high < beta:
            beta = high
        c = child[branch]
        child_low = lower[c]
        child_high = upper[c]
        if pays:
            child_low = shifted(child_low, tree.reward[branch])
            child_high = shifted(child_high, tree.reward[branch])
        if returned:
            returned = False
        elif child_low < child_high and child_high > alpha + eps and child_low < beta - eps:
            if entries >= settings.most_visits:
                return STOP, branch, entries, low, high, (alpha, beta)
            entries += 1
            if tree.kind[c] != TERMINAL:
                return ENTER, branch, entries, low, high, (alpha, beta)
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
        if stopped:
            return STOP, branch, entries, low, high, (alpha, beta)


def search_chance(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    low_open: int,
    high_open: int,
    entries: int,
    returned: bool,
    stopped: bool,
) -> tuple[int, int, int, Any, Any, Window, int, int, int]:
    """Probe, then search the outcomes of CHANCE until one must be entered or the node is done.

    Return the next step, the branch, the entries so far, low, high, the window of the branch,
    low_open, high_open, and rank.
    """
    lower, upper, child = work.lower, work.upper, tree.child
    pays = len(settings.pays) > 0
    eps, far, inf, one = settings.eps, settings.far, settings.inf, settings.one
    low_term, high_term, far_low = work.low_term, work.high_term, -far
    is_wide = far < settings.most
    chance_cuts, cyclic, probes = settings.chance_cuts, settings.cyclic, settings.probes
    shares = len(settings.shares) > 0
    alpha = work.alpha[node]
    beta = work.beta[node]
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
        child_low = lower[c]
        child_high = upper[c]
        if pays:
            child_low = shifted(child_low, tree.reward[branch])
            child_high = shifted(child_high, tree.reward[branch])
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
                if is_wide:
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
                        low_term[branch],
                        high_term[branch],
                        settings,
                    )
            if (
                is_terminal
                or rank != NO_PROBE
                or not satisfies(child_low, child_high, child_window[0], child_window[1], eps)
            ):
                if entries >= settings.most_visits:
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
            x = low_term[branch]
            if x >= far_low:
                low_term[branch] = p * child_low
                low += p * child_low - x
            elif x > -inf:
                low_term[branch] = p * child_low
                low = sum_anew(tree, low_term, settings, node, branch, -inf, end)
            elif child_low > -inf:
                low_term[branch] = p * child_low
                low += p * child_low
                low_open -= 1
            x = high_term[branch]
            if x <= far:
                high_term[branch] = p * child_high
                high += p * child_high - x
            elif x < inf:
                high_term[branch] = p * child_high
                high = sum_anew(tree, high_term, settings, node, branch, inf, end)
            elif child_high < inf:
                high_term[branch] = p * child_high
                high += p * child_high
                high_open -= 1
            if shares:
                low, high, low_open, high_open = update_repeats(
                    tree, work, settings, node, branch, low, high, low_open, high_open
                )
            is_done = high_open == 0 and high <= alpha + eps or low_open == 0 and low >= beta - eps
        if rank == NO_PROBE or cyclic or is_done:
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


def search_lottery(
    tree: Columns,
    work: Work,
    settings: Settings,
    node: int,
    branch: int,
    rank: int,
    low: Any,
    high: Any,
    entries: int,
    returned: bool,
    stopped: bool,
) -> tuple[int, int, int, Any, Any, Window, int]:
    """Do the same as `search_chance` with an attitude to risk.

    `low` and `high` are the certainty equivalents of the outcomes before `branch`. Those of the
    outcomes after it are in `low_term` and `high_term`. So no sum ever has a term taken out, which
    would lose all digits where one outcome decides.
    """
    lower, upper, child = work.lower, work.upper, tree.child
    pays = len(settings.pays) > 0
    eps, inf, one, tolerance = settings.eps, settings.inf, settings.one, settings.tolerance
    chance_cuts, cyclic, probes = settings.chance_cuts, settings.cyclic, settings.probes
    alpha = work.alpha[node]
    beta = work.beta[node]
    end = tree.last[node]
    child_window = -inf, inf
    while True:
        if branch == end:  # a round of probes is over, or all outcomes are done
            if rank == NO_PROBE:
                step = LEAVE
                break
            rank = rank + 1 if cyclic and rank + 1 < probes else NO_PROBE
            branch = tree.first[node]
            weigh_terms(tree, work, settings, node)
        p = tree.probability[branch]
        if p <= 0:
            branch += one
            continue
        c = child[branch]
        child_low = lower[c]
        child_high = upper[c]
        if pays:
            child_low = shifted(child_low, tree.reward[branch])
            child_high = shifted(child_high, tree.reward[branch])
        is_skipped = False
        if returned:
            returned = False
        elif rank != NO_PROBE and (child_low == child_high or not can_probe(tree, c, rank)):
            is_skipped = True
        elif child_low < child_high:
            is_terminal = tree.kind[c] == TERMINAL
            if chance_cuts and not is_terminal:
                child_window = lottery_window(work, settings, branch, p, alpha, beta, low, high)
            if (
                is_terminal
                or rank != NO_PROBE
                or not satisfies(child_low, child_high, child_window[0], child_window[1], eps)
            ):
                if entries >= settings.most_visits:
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
        next_low = low
        next_high = high
        if chance_cuts:
            before, after = work.before[branch], work.after[branch]
            next_low = mix(before, low, p, child_low, tolerance)
            next_high = mix(before, high, p, child_high, tolerance)
            all_low = mix(before + p, next_low, after, work.low_term[branch], tolerance)
            all_high = mix(before + p, next_high, after, work.high_term[branch], tolerance)
            is_done = not is_skipped and (all_high <= alpha + eps or all_low >= beta - eps)
            if is_done:
                next_low, next_high = all_low, all_high
        if rank == NO_PROBE or cyclic or is_done:
            branch += one
        elif not is_skipped and rank + 1 < probes and child_low < child_high:
            rank += 1
            next_low, next_high = low, high  # the outcome is probed once more
        else:
            branch += one
            rank = 0
        low, high = next_low, next_high
        if is_done or stopped:
            step = LEAVE if is_done else STOP
            break
    return step, branch, entries, low, high, child_window, rank


def lottery_window(
    work: Work,
    settings: Settings,
    branch: int,
    p: Any,
    alpha: Any,
    beta: Any,
    low: Any,
    high: Any,
) -> Window:
    """Return the window of an outcome with an attitude to risk, its reward included."""
    before, after, tolerance = work.before[branch], work.after[branch], settings.tolerance
    rest = mix(before, high, after, work.high_term[branch], tolerance)
    child_alpha = solve_outcome(p, before + after, rest, alpha, tolerance)
    rest = mix(before, low, after, work.low_term[branch], tolerance)
    child_beta = solve_outcome(p, before + after, rest, beta, tolerance)
    most = settings.most
    return (most if child_alpha > most else child_alpha), (
        -most if child_beta < -most else child_beta
    )


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


def can_probe(tree: Columns, c: int, rank: int) -> bool:
    """Say whether an outcome is a terminal, a player with a child of this rank, or unseen."""
    k = tree.kind[c]
    return bool(k in (TERMINAL, UNSEEN) or k != CHANCE and tree.last[c] - tree.first[c] > rank)


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

    If the term after `branch`, whose turn is next, is far too, then the sum prunes nothing. Return
    the infinity `unknown`, or many outcomes would take quadratic time.
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


def shift_window(window: Window, reward: Any, most: Any) -> Window:
    """Return the window of a child from that of the branch to it, which includes the reward."""
    alpha = shifted(window[0], -reward)
    beta = shifted(window[1], -reward)
    return (most if alpha > most else alpha), (-most if beta < -most else beta)


def weigh_terms(tree: Columns, work: Work, settings: Settings, node: int) -> Window:
    """Write what is before and after each outcome of CHANCE; return what all are worth, both ends.

    The attitude to risk decides what outcomes are worth together: their certainty equivalent.
    """
    first, last, tolerance = tree.first[node], tree.last[node], settings.tolerance
    pays = len(settings.pays) > 0
    weight: Any = 0.0
    for b in range(first, last):
        work.before[b] = weight
        if tree.probability[b] > 0:
            weight += tree.probability[b]
    weight = 0.0
    low: Any = 0.0
    high: Any = 0.0
    for i in range(last - first):
        b = last - settings.one - i
        work.after[b], work.low_term[b], work.high_term[b] = weight, low, high
        p = tree.probability[b]
        if p > 0:
            c = tree.child[b]
            child_low = work.lower[c]
            child_high = work.upper[c]
            if pays:
                child_low = shifted(child_low, tree.reward[b])
                child_high = shifted(child_high, tree.reward[b])
            low = mix(p, child_low, weight, low, tolerance)
            high = mix(p, child_high, weight, high, tolerance)
            weight += p
    return low, high


def sum_terms(
    tree: Columns,
    work: Work,
    begin: int,
    end: int,
    zero: Any,
    inf: Any,
    bounded: bool,
    pays: bool,
) -> tuple[Any, Any, int, int]:
    """Write the terms of the sums of a CHANCE node; return low, high, low_open and high_open."""
    child, probability, lower, upper = tree.child, tree.probability, work.lower, work.upper
    low_term, high_term = work.low_term, work.high_term
    low = high = zero
    low_open = high_open = 0
    for b in range(begin, end):
        p = probability[b]
        if p > 0:
            c = child[b]
            x = lower[c]
            if pays:
                x = shifted(x, tree.reward[b])
            if bounded or x > -inf:
                x = p * x
                low += x
            else:
                low_open += 1
            low_term[b] = x
            x = upper[c]
            if pays:
                x = shifted(x, tree.reward[b])
            if bounded or x < inf:
                x = p * x
                high += x
            else:
                high_open += 1
            high_term[b] = x
    return low, high, low_open, high_open
