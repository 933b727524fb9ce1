"""Search CHANCE nodes with an attitude to risk: certainty equivalents replace running sums."""

from __future__ import annotations

from typing import Any

from expectitree.searches.certainty import mix, solve_outcome
from expectitree.searches.intervals import satisfies
from expectitree.searches.work import (
    ENTER,
    LEAVE,
    NO_PROBE,
    STOP,
    Settings,
    Window,
    Work,
    can_probe,
)
from expectitree.tree.columns import TERMINAL, Columns
from expectitree.tree.scans import shifted


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
    """Probe, then search the outcomes of CHANCE as `search_chance`, with an attitude to risk.

    Return the next step, the branch, the entries so far, low, high, the window of the branch, and
    rank.

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


def weigh_terms(tree: Columns, work: Work, settings: Settings, node: int) -> Window:
    """Write, for each outcome of CHANCE, the weights on both sides and the worth of those after it.

    Return the interval of all outcomes. With an attitude to risk, several outcomes are worth their
    certainty equivalent.
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
