"""The windows that say why a search without windows was right to stop: found from the intervals that it ended with.

One loop over columns, to be interpreted or compiled as it stands.
"""

from __future__ import annotations

from typing import Any

from expectitree.tree.columns import Column, Columns


def find_windows(
    tree: Columns,
    lower: Column,
    upper: Column,
    visits: Column,
    alpha_at: Column,
    beta_at: Column,
    cut: Column,
    cut_after: Column,
    is_asked: Column,
    alpha: Any,
    beta: Any,
    eps: Any,
    inf: Any,
    is_action: bool,
    stopped: bool,
) -> int:
    """Write for each node that was visited a window for which its interval says enough; return how many were cut.

    The root has the window (alpha, beta). From there it is handed down as `star_minimax` does, but
    by the intervals at the end: a MAX node's children have (max(alpha, lower), beta), so that one
    that cannot be better fails low, or where lower reaches beta, (beta, beta); a CHANCE node's have
    what the others leave. With `is_action` the best action at the root is asked only whether it is
    at least as good as each other can be. A node is cut where it fails low or high and a child is
    left open. One that satisfies nothing was looked at in vain, and is marked as one that was
    probed; or as stopped. A shared node has the window of the parent with the greatest id.
    """
    kind, _, first, child, probability = tree
    root = len(kind) - 1
    alpha_at[root] = alpha
    beta_at[root] = beta
    cuts = 0
    for i in range(len(kind)):
        n = root - i
        k = kind[n]
        if visits[n] == 0 or k == 0:
            continue
        begin, end = first[n], first[n + 1]
        a, b = alpha_at[n], beta_at[n]
        is_exact = lower[n] == upper[n]
        fails_low = not is_exact and upper[n] <= a + eps
        fails_high = not is_exact and lower[n] >= b - eps
        looked = 0
        is_open = False
        for branch in range(begin, end):
            c = child[branch]
            if visits[c] > 0:
                looked += 1
            if lower[c] < upper[c] and probability[branch] > 0:
                is_open = True
        cut_after[n] = looked
        is_decided = is_action and n == root and not stopped and k != 3
        if not (is_exact or fails_low or fails_high or is_decided):
            cut[n] = 6 if stopped else 5  # STOPPED, PROBED
        elif is_open and (fails_low or fails_high):
            if k == 3:
                cut[n] = 3 if fails_low else 4  # CHANCE_CUT_LOW, CHANCE_CUT_HIGH
                cuts += 1
            elif k == 1 and fails_high:
                cut[n] = 2  # BETA_CUT
                cuts += 1
            elif k == 2 and fails_low:
                cut[n] = 1  # ALPHA_CUT
                cuts += 1
        # The best action at the root of a search for it has the other window of two: that of the
        # rivals' best end.
        best = end
        rival = beta if k == 1 else alpha
        if is_decided and not is_exact:
            for branch in range(begin, end):
                c = child[branch]
                # It has both of the root's ends; another may have the same end on its own side, and
                # be worth no more.
                if best == end and (
                    k == 1 and lower[c] >= lower[n] - eps and upper[c] >= upper[n] - eps
                    or k == 2 and upper[c] <= upper[n] + eps and lower[c] <= lower[n] + eps
                ):  # fmt: skip
                    best = branch
            rival = alpha if k == 1 else beta
            for branch in range(begin, end):
                c = child[branch]
                if branch != best and (k == 1 and upper[c] > rival or k == 2 and lower[c] < rival):
                    rival = upper[c] if k == 1 else lower[c]
        for branch in range(begin, end):
            c = child[branch]
            p = probability[branch]
            if visits[c] == 0 or kind[c] == 0 or p <= 0 or is_asked[c]:
                continue
            is_asked[c] = 1
            child_alpha = a
            child_beta = b
            if k == 3:
                # alpha_i = (alpha - (high without i)) / p_i = upper_i + (alpha - high) / p_i;
                # beta_i is its mirror.
                child_alpha = upper[c] + (a - upper[n]) / p if a > -inf and upper[n] < inf else -inf
                child_beta = lower[c] + (b - lower[n]) / p if b < inf and lower[n] > -inf else inf
            elif branch == best:
                if k == 1:
                    child_beta = rival
                else:
                    child_alpha = rival
            elif k == 1:
                if lower[n] > a:
                    child_alpha = lower[n] if lower[n] < b else b
            elif upper[n] < b:
                child_beta = upper[n] if upper[n] > a else a
            alpha_at[c] = child_alpha
            beta_at[c] = child_beta
    return cuts
