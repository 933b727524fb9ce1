"""The running sums of a CHANCE node: its bounds while a *-minimax search goes on below it."""

from __future__ import annotations

from typing import Any

from expectitree.base.tree.columns import Columns, NumberColumn
from expectitree.base.tree.scans import shifted
from expectitree.searches.work import Settings, Window, Work


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
