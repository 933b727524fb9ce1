"""*-minimax search by recursion (Ballard 1983): what `star_minimax` does, quicker if interpreted.

A loop that can be compiled keeps its stack in columns and passes its state from function to
function; interpreted, it takes twice as long as this (docs/decisions/0015).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any, Protocol

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN, Columns
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
from expectitree.searches.intervals import DONE, STOPPED_EARLY, close
from expectitree.searches.star_minimax import shift_window
from expectitree.searches.work import (
    NO_PROBE,
    Settings,
    Window,
    Work,
    is_any_open,
    update_repeats,
)

MAX_PLIES = 300  # by default, Python allows 1,000 calls inside each other


class Grower(Protocol):
    """What makes the UNSEEN children of a tree that grows; its columns are lists."""

    eps: Any  # in place of that of the settings, as it grows with the leaves
    ranks: list[int]  # of the children that probes may search: below the most branches of a node
    # If it is not None, it is called when the interval of a node has been narrowed.
    leave: Callable[[int], None] | None

    def grow(self, node: int, branch: int) -> bool:
        """Find out where a node's branch leads; return False to stop the search."""


def search_recursively(
    tree: Columns,
    work: Work,
    settings: Settings,
    root: int,
    window: Window,
    report: Callable[[int], object],
    grower: Grower | None = None,
) -> tuple[int, int]:
    """Search the root in a window (alpha, beta); return the number of cuts, and how it ended.

    The contract, the results and what is written to `lower`, `upper`, `visits`, `alpha`, `beta`,
    `cut` and `cut_after` are those of `star_minimax`. After every `pause` entries, call `report`
    with their number; the search ends if it returns true.

    A tree may grow: before the search enters an UNSEEN node, `grower` makes it.
    """
    kind, utility, first, last = tree.kind, tree.utility, tree.first, tree.last
    child, probability, reward = tree.child, tree.probability, tree.reward
    lower, upper, visits, alphas, betas, cut, cut_after, low_term, high_term = work[:9]
    zero, eps, most, most_visits = settings.zero, settings.eps, settings.most, settings.most_visits
    ranks = [*range(settings.probes)] if grower is None else grower.ranks
    cyclic = settings.cyclic or settings.probes == 0
    pays, shares = len(settings.pays) > 0, len(settings.shares) > 0
    left = min(settings.pause, most_visits - 1)  # entries until `is_over` is called
    entries = 1 + left  # the number of entries when it is called
    exact = not isinstance(zero, float) and not eps
    moves = grower is not None and not exact  # whether `eps` may
    host: Any = grower
    grow: Any = None if grower is None else grower.grow
    leave = None if grower is None else grower.leave
    cuts = 0
    stopped = False

    def search_player(node: int, alpha: Any, beta: Any, rank: int) -> None:
        """Search the children of MAX or MIN; a probe searches only the child of its rank."""
        nonlocal eps, left, stopped
        visits[node] += 1
        alphas[node], betas[node], cut[node] = alpha, beta, NOT_CUT
        is_max = kind[node] == MAX
        begin, end = first[node], last[node]
        if rank != NO_PROBE:
            begin, end = begin + rank, begin + rank + 1
        low: Any = -INFINITY if is_max else INFINITY
        high = low
        floor, ceiling = (alpha + eps, beta - eps) if eps else (alpha, beta)
        for branch in range(begin, end):
            c = child[branch]
            child_low, child_high = lower[c], upper[c]
            if pays:
                child_low, child_high = child_low + reward[branch], child_high + reward[branch]
            if child_low < child_high and child_high > floor and child_low < ceiling:
                k = kind[c]
                if not left and is_over() or k == UNSEEN and (stopped := not grow(node, branch)):
                    branch -= 1
                    break
                if k == UNSEEN:
                    c = child[branch]
                    k, child_low, child_high = kind[c], lower[c], upper[c]
                    if moves:
                        eps = host.eps
                        floor, ceiling = alpha + eps, beta - eps
                    if child_low >= child_high or child_high <= floor or child_low >= ceiling:
                        k = NONE  # a known row, or one whose own bounds are enough
                if k == TERMINAL:
                    left -= 1
                    visits[c] += 1
                    child_low = child_high = lower[c] = upper[c] = utility[c]
                elif k != NONE:
                    left -= 1
                    if pays:
                        search[k](c, *shift_window((alpha, beta), reward[branch], most), NO_PROBE)
                    else:
                        search[k](c, alpha, beta, NO_PROBE)
                    child_low, child_high = lower[c], upper[c]
                    if moves:
                        floor, ceiling = alpha + eps, beta - eps
                if pays:
                    child_low, child_high = child_low + reward[branch], child_high + reward[branch]
            if is_max:
                if child_high > high:
                    high = child_high
                if child_low > low:
                    low = child_low
                    if low > alpha:
                        alpha = low
                        floor = low + eps if eps else low
                    if low >= ceiling:
                        break
            else:
                if child_low < low:
                    low = child_low
                if child_high < high:
                    high = child_high
                    if high < beta:
                        beta = high
                        ceiling = high - eps if eps else high
                    if high <= floor:
                        break
            if stopped:
                break
        branch += 1
        if branch < end or rank != NO_PROBE:
            found = BETA_CUT if is_max else ALPHA_CUT
            if branch < end and not (low >= ceiling if is_max else high <= floor):
                found = STOPPED
            elif rank != NO_PROBE:
                found = PROBED
            end_early(node, found, branch, branch)
            # Only the node's own bounds hold for the children that were not searched.
            low, high = (low, upper[node]) if is_max else (lower[node], high)
        if low != high:
            low, high = close(kind[node], low, high, lower[node], upper[node], 4 * eps)
        lower[node], upper[node] = low, high
        if leave is not None:
            leave(node)

    def search_chance(node: int, alpha: Any, beta: Any, rank: int) -> None:
        """Probe the outcomes of CHANCE, and then search them."""
        nonlocal eps, left, stopped
        visits[node] += 1
        alphas[node], betas[node], cut[node] = alpha, beta, NOT_CUT
        begin, end = first[node], last[node]
        branch = begin - 1
        floor, ceiling = (alpha + eps, beta - eps) if eps else (alpha, beta)
        # Each round probes outcomes by their children of one rank; the last one searches them.
        outcomes: Any = range(begin, end)
        rounds: Any = zip(ranks, repeat(outcomes))
        if not cyclic:
            rounds = ((rank, (b,)) for b in outcomes for rank in ranks)
        rounds = chain(rounds, ((NO_PROBE, outcomes),))
        low = high = zero
        if exact:  # a product of fractions takes longer than all the rest
            lows, highs = [lower[c] for c in child[begin:end]], [upper[c] for c in child[begin:end]]
        p_before = x_before = y_before = None
        for b in range(begin, end):
            p = probability[b]
            if p:
                x, y = lower[child[b]], upper[child[b]]
                if pays:
                    x, y = x + reward[b], y + reward[b]
                if not exact:
                    x = p * x
                    y = p * y
                else:
                    if p is not p_before or x is not x_before or y is not y_before:
                        p_before, x_before, y_before = p, x, y
                        products = p * x, p * y
                    x, y = products
                low_term[b] = x
                high_term[b] = y
                low += x
                high += y
        if high <= floor or low >= ceiling:
            rounds = ()
        for rank, outcomes in rounds:
            for branch in outcomes:
                p, c = probability[branch], child[branch]
                k = kind[c]
                # As long as CHANCE does not fail, an unseen row satisfies no window.
                if k == UNSEEN and p and lower[c] < upper[c]:
                    if not left and is_over() or (stopped := not grow(node, branch)):
                        branch -= 1
                        break
                    c = child[branch]
                    k = kind[c]
                    if moves:
                        eps = host.eps
                        floor, ceiling = alpha + eps, beta - eps
                child_low, child_high = lower[c], upper[c]
                if (
                    not p
                    or rank != NO_PROBE
                    and (child_low == child_high or k == CHANCE or 0 < last[c] - first[c] <= rank)
                ):
                    continue
                if pays:
                    child_low, child_high = child_low + reward[branch], child_high + reward[branch]
                if child_low < child_high:
                    if k != TERMINAL:
                        child_alpha = (alpha - (high - high_term[branch])) / p
                        child_beta = (beta - (low - low_term[branch])) / p
                        if not exact:  # then `most` is infinite
                            if child_alpha > most:
                                child_alpha = most
                            if child_beta < -most:
                                child_beta = -most
                    # Nor does a terminal.
                    if (
                        k == TERMINAL
                        or rank != NO_PROBE
                        or child_high > child_alpha + eps
                        and child_low < child_beta - eps
                    ):
                        if not left and is_over():
                            branch -= 1
                            break
                        left -= 1
                        if k == TERMINAL:
                            visits[c] += 1
                            child_low = child_high = lower[c] = upper[c] = utility[c]
                        else:
                            if pays:
                                window = shift_window(
                                    (child_alpha, child_beta), reward[branch], most
                                )
                                search[k](c, *window, rank)
                            else:
                                search[k](c, child_alpha, child_beta, rank)
                            child_low, child_high = lower[c], upper[c]
                            if moves:
                                floor, ceiling = alpha + eps, beta - eps
                        if pays:
                            child_low += reward[branch]
                            child_high += reward[branch]
                repeats = shares and child[begin:end].count(c) > 1
                if exact:
                    at = branch - begin
                    is_same = child_low is lows[at] and child_high is highs[at]
                    if is_same and not (repeats or stopped):
                        continue
                    lows[at], highs[at] = child_low, child_high
                x = p * child_low
                low += x - low_term[branch]
                low_term[branch] = x
                if child_high is not child_low:
                    x = p * child_high
                high += x - high_term[branch]
                high_term[branch] = x
                if repeats:
                    sums = low, high, 0, 0
                    low, high, _, _ = update_repeats(tree, work, settings, node, branch, *sums)
                if high <= floor or low >= ceiling or stopped:
                    break
            else:
                continue
            break
        branch += 1
        if branch < end or rank != NO_PROBE or stopped:
            found = CHANCE_CUT_LOW if high <= floor else CHANCE_CUT_HIGH
            if stopped:
                found = STOPPED
            elif rank != NO_PROBE:
                found += CUT_PROBING
            end_early(node, found, branch, branch if rank == NO_PROBE else begin)
        if (
            not exact  # the sums have rounding errors, or the interval of an outcome has changed
            or pays
            or lows != [lower[c] for c in child[begin:end]]
            or highs != [upper[c] for c in child[begin:end]]
        ):
            low = high = zero
            for b in range(begin, end):
                p = probability[b]
                if p:
                    c = child[b]
                    x, y = lower[c], upper[c]
                    if pays:
                        x, y = x + reward[b], y + reward[b]
                    term = p * x
                    low += term
                    high += term if y is x else p * y
        if low != high:
            low, high = close(CHANCE, low, high, lower[node], upper[node], 4 * eps)
        lower[node], upper[node] = low, high
        if leave is not None:
            leave(node)

    def search_outcomes(node: int, alpha: Any, beta: Any, rank: int) -> None:
        """Search the outcomes of CHANCE, where CHANCE is not cut."""
        nonlocal eps, left, stopped
        visits[node] += 1
        alphas[node], betas[node], cut[node] = alpha, beta, NOT_CUT
        begin = first[node]
        low = high = zero
        for branch in range(begin, last[node]):
            p, c = probability[branch], child[branch]
            if not p:
                continue
            child_low, child_high = lower[c], upper[c]
            if child_low < child_high and not stopped:
                if (left or not is_over()) and (
                    kind[c] != UNSEEN or not (stopped := not grow(node, branch))
                ):
                    c = child[branch]
                    k, child_low, child_high = kind[c], lower[c], upper[c]
                    if child_low < child_high:
                        left -= 1
                        if k == TERMINAL:
                            visits[c] += 1
                            child_low = child_high = lower[c] = upper[c] = utility[c]
                        else:
                            search[k](c, -INFINITY, INFINITY, NO_PROBE)
                            child_low, child_high = lower[c], upper[c]
                    after = branch + 1
                else:
                    after = branch
                if stopped:
                    cut[node], cut_after[node] = STOPPED, after - begin
            if pays:
                child_low, child_high = child_low + reward[branch], child_high + reward[branch]
            low += p * child_low
            high += p * child_high
        if low != high:
            low, high = close(CHANCE, low, high, lower[node], upper[node], 4 * eps)
        lower[node], upper[node] = low, high
        if leave is not None:
            leave(node)

    def end_early(node: int, found: int, branch: int, rest: int) -> None:
        """Record how an entry ends before a branch; it is a cut if the `rest` was open."""
        nonlocal cuts
        cut_after[node] = branch - first[node]
        if found not in (PROBED, STOPPED):
            if not is_any_open(tree, work, settings, rest, last[node]):
                return
            cuts += 1
        cut[node] = found

    def is_over() -> bool:
        """Return whether the search has reached its limit of visits; if not, report progress."""
        nonlocal entries, left, stopped
        stopped = entries >= most_visits or bool(report(entries))
        if not stopped:
            left = min(settings.pause, most_visits - entries)
            entries += left
        return stopped

    chance = search_chance if settings.chance_cuts else search_outcomes
    search = (search_player, search_player, search_player, chance)
    search[kind[root]](root, *window, NO_PROBE)
    return cuts, STOPPED_EARLY if stopped else DONE
