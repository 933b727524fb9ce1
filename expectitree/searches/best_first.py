"""Best-first search: walk from the root to the leaf with the greatest expected gain, and visit it.

The search has no window and no order: it keeps an interval for every node, so each walk may go
anywhere. Intervals contain v* wherever the walks go, because of how they are updated. The search
ends because a walk goes through open nodes, and an open node has an open child. Only the choice of
the walks depends on estimates (docs/background/best-first.md).

Plain functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN, Columns
from expectitree.base.tree.scans import shifted
from expectitree.searches.beliefs import (
    ACTION,
    BOUNDS,
    ENTRIES,
    EXACT,
    GAIN_TIE,
    LEARNING,
    LOWER,
    NEXT_RENEWAL,
    PLACE,
    RAISE,
    SEEN,
    VALUE,
    Beliefs,
    Limits,
    begin,
    estimate,
    finite_high,
    finite_low,
    gain_at,
    gain_per_leaf,
    middle_of,
    narrow,
    take_in,
)
from expectitree.searches.intervals import DONE, PAUSED, STOPPED_EARLY, WAITING
from expectitree.searches.levels import (
    learn,
    pass_level_to_children,
    update_level_from_children,
    update_root_level,
)

RENEWAL_GROWTH = 1.25  # of the leaves visited, until all estimates are renewed
RIVAL_MARGIN = 2.0  # how many times the favourite's gain a rival must promise
# A walk first moves the bound that every child must move if a leaf gains more than this share of
# what it would gain for the other bound.
FIRST_SHARE = 0.7


def best_first(
    tree: Columns, beliefs: Beliefs, limits: Limits, most_visits: int, pause: int
) -> int:
    """Visit leaf after leaf until the goal is reached; return how the search ended.

    The search stops before it would enter nodes more than `most_visits` times. It returns PAUSED
    after `pause` entries, and WAITING if a walk meets an UNSEEN node, one below PLACE on the route.
    Call it again to go on, in the same walk.
    """
    if beliefs.tally[ENTRIES] == 0 and len(limits.grows) == 0:
        begin(tree, beliefs, limits)
    entries = int(beliefs.tally[ENTRIES])
    while True:
        depth = walk(tree, beliefs, limits, most_visits - entries, int(beliefs.tally[PLACE]))
        beliefs.tally[PLACE] = 0
        if depth < 0:
            # The walk may have updated shared nodes before it stopped.
            return DONE if is_reached(tree, beliefs, limits) else STOPPED_EARLY
        leaf = beliefs.route[depth]
        if tree.kind[leaf] == UNSEEN:
            for i in (depth - 1, depth):
                beliefs.visits[beliefs.route[i]] -= 1
            beliefs.tally[PLACE] = depth - 1
            return WAITING
        entries += depth + 1
        beliefs.tally[ENTRIES] = entries
        if tree.kind[leaf] == TERMINAL:
            take_in(beliefs, limits, leaf, tree.utility[leaf])
        back_up(tree, beliefs, limits, depth)
        if is_reached(tree, beliefs, limits):
            return DONE
        if entries > pause:
            return PAUSED


def walk(tree: Columns, beliefs: Beliefs, limits: Limits, most: int, depth: int = 0) -> int:
    """Go from the root to a leaf that is not visited, write the nodes to `route`, return its depth.

    Or go on at a depth of the route, from where the last walk met an UNSEEN node.

    A walk updates only one parent of a shared node, so the intervals of others may be out of date.
    Therefore each node's interval is updated on entry. If this changes it, the walk ends there,
    since its purpose may be fulfilled. Return -1 if the walk would enter more than `most` nodes.
    """
    node = limits.root
    aim = EXACT
    if depth > 0:
        node = beliefs.route[depth]
        aim = beliefs.aim[node]
    elif beliefs.tally[SEEN] >= beliefs.tally[NEXT_RENEWAL]:
        renew(tree, beliefs, limits)
        if beliefs.visits[node] > 0 and is_reached(tree, beliefs, limits):
            return 0  # updating all intervals was enough: no node is entered
    while depth < most:
        beliefs.route[depth] = node
        beliefs.aim[node] = aim
        beliefs.visits[node] += 1
        if tree.kind[node] in (TERMINAL, UNSEEN):
            return depth
        lower, upper = beliefs.lower[node], beliefs.upper[node]
        narrow(tree, beliefs, limits, node)
        if (
            beliefs.lower[node] != lower
            or beliefs.upper[node] != upper
            or lower == upper
            or depth == 0
            and is_reached(tree, beliefs, limits)
        ):
            return depth
        if depth == 0 and limits.goal == ACTION and tree.kind[node] != CHANCE:
            branch, aim = choose_rival(tree, beliefs, limits, node)
        else:
            branch, aim = choose(tree, beliefs, limits, node, aim)
        node = tree.child[branch]
        depth += 1
    return -1


def is_reached(tree: Columns, beliefs: Beliefs, limits: Limits) -> bool:
    """Return whether the goal is reached: the root is exact, or its best action is proved."""
    root = limits.root
    lower, upper = beliefs.lower, beliefs.upper
    if lower[root] == upper[root]:
        return True
    k = tree.kind[root]
    if limits.goal == VALUE or k in (TERMINAL, CHANCE):
        return False
    begin, end = tree.first[root], tree.last[root]
    pays = len(tree.reward) > 0
    sure, hope = (lower, upper) if k == MAX else (upper, lower)
    first = second = NONE  # the two different children that may be worth most,
    most = rest = hope[root]  # and what the branches to them may be worth
    for b in range(begin, end):
        c = tree.child[b]
        x = shifted(hope[c], tree.reward[b]) if pays else hope[c]
        if first == NONE or (x > most if k == MAX else x < most):
            if c != first:
                second, rest = first, most
            first, most = c, x
        elif c != first and (second == NONE or (x > rest if k == MAX else x < rest)):
            second, rest = c, x
    for b in range(begin, end):
        c = tree.child[b]
        if c == first and second == NONE:
            return True
        rival = rest if c == first else most
        x = shifted(sure[c], tree.reward[b]) if pays else sure[c]
        if rival <= x + limits.eps if k == MAX else rival >= x - limits.eps:
            return True
    return False


def back_up(tree: Columns, beliefs: Beliefs, limits: Limits, depth: int) -> None:
    """Update the intervals and estimates of the nodes of the last walk, back to the root."""
    route = beliefs.route
    if limits.guide == LEARNING:
        for i in range(depth + 1):
            n = route[depth - i]
            if tree.kind[n] != TERMINAL:
                update_level_from_children(tree, beliefs, n)
        update_root_level(beliefs, limits.root)
        for i in range(depth + 1):
            n = route[i]
            if tree.kind[n] != TERMINAL:
                pass_level_to_children(tree, beliefs, n)
    for i in range(depth + 1):
        n = route[depth - i]
        if tree.kind[n] != TERMINAL:
            narrow(tree, beliefs, limits, n)
            estimate(tree, beliefs, limits, n)


def renew(tree: Columns, beliefs: Beliefs, limits: Limits) -> None:
    """Update the intervals and estimates of all nodes."""
    count = len(tree.kind)
    up = range(count)  # children before their parents
    down = range(count - 1, -1, -1)
    if len(limits.grows) > 0:
        up, down = down, up
    if limits.shares or beliefs.tally[SEEN] == 0:  # else `back_up` has updated every parent
        for n in up:
            if TERMINAL < tree.kind[n] < UNSEEN:
                narrow(tree, beliefs, limits, n)
    if limits.guide == LEARNING:
        learn(tree, beliefs, limits)
        for n in up:
            if TERMINAL < tree.kind[n] < UNSEEN:
                update_level_from_children(tree, beliefs, n)
        update_root_level(beliefs, limits.root)
        for n in down:
            if TERMINAL < tree.kind[n] < UNSEEN:
                pass_level_to_children(tree, beliefs, n)
    else:
        for n in up:
            beliefs.mean[n] = middle_of(beliefs, n)
            beliefs.cost_lower[n] = beliefs.cost_raise[n] = 1.0
    for n in up:
        if TERMINAL < tree.kind[n] < UNSEEN:
            estimate(tree, beliefs, limits, n)
    beliefs.tally[NEXT_RENEWAL] = beliefs.tally[SEEN] + max(
        1.0, beliefs.tally[SEEN] * (RENEWAL_GROWTH - 1)
    )


def choose(tree: Columns, beliefs: Beliefs, limits: Limits, n: int, aim: int) -> tuple[int, int]:
    """Return the branch by which a walk leaves an open node, and its aim at the child.

    To lower the upper bound of MAX, every child's must fall: choose the child with the greatest
    one. To raise its lower bound, one child is enough: choose the one with the greatest gain per
    leaf. To make the first MAX of a walk exact, lower first, because that is needed whichever child
    is the best. MIN is the mirror image. At CHANCE, each outcome counts by its probability.
    """
    lower, upper, low, high = beliefs.lower, beliefs.upper, beliefs.low, beliefs.high
    pays = len(tree.reward) > 0
    k = tree.kind[n]
    begin, end = tree.first[n], tree.last[n]
    chosen = end
    best = 0.0
    if k == CHANCE:
        for b in range(begin, end):
            c = tree.child[b]
            p = tree.probability[b]
            if p != 0 and lower[c] < upper[c]:
                if limits.guide == BOUNDS:
                    score = finite_high(beliefs, limits, c) - finite_low(beliefs, limits, c)
                elif aim == EXACT:
                    width = finite_high(beliefs, limits, c) - finite_low(beliefs, limits, c)
                    score = width / (beliefs.cost_lower[c] + beliefs.cost_raise[c])
                else:
                    score = gain_per_leaf(tree, beliefs, limits, c, aim)
                score *= p
                if chosen == end or score > best * GAIN_TIE:
                    chosen, best = b, float(score)
        return chosen, aim
    every = LOWER if k == MAX else RAISE  # the aim that every child must reach
    if aim in (EXACT, every) or limits.guide == BOUNDS:
        sign = 1.0 if k == MAX else -1.0
        hope = greatest = 0.0
        for b in range(begin, end):
            c = tree.child[b]
            r = sign * beliefs.reward[b] if pays else 0.0
            mean = sign * beliefs.mean[c] + r
            if b == begin or mean > greatest:
                greatest = mean
            if lower[c] < upper[c]:
                end_of = (high[c] if k == MAX else -low[c]) + r
                is_close = end_of >= best - limits.near and mean > hope + limits.near
                if chosen == end or end_of > best + limits.near or is_close:
                    chosen, best, hope = b, end_of, mean
        if aim == EXACT and (
            hope < greatest - limits.near
            or comes_first(tree, beliefs, limits, n, tree.child[chosen], every)
        ):
            aim = every
        return chosen, aim
    for b in range(begin, end):
        c = tree.child[b]
        x = upper[c] if k == MAX else lower[c]
        if pays:
            x = shifted(x, tree.reward[b])
        may_help = x > lower[n] + limits.eps if k == MAX else x < upper[n] - limits.eps
        if lower[c] < upper[c] and may_help:
            r = beliefs.reward[b] if pays else 0.0
            score = gain_at(beliefs, limits, n, c, r, aim)
            if chosen == end or score > best * GAIN_TIE:
                chosen, best = b, score
    return chosen, aim


def comes_first(tree: Columns, beliefs: Beliefs, limits: Limits, n: int, c: int, aim: int) -> bool:
    """Return whether a walk to a child that may be the best should pursue this aim first.

    Every child must reach this aim. Only the best child must reach the other one, so the leaves for
    it are wasted if another child proves to be better. That matters at the first player of a walk,
    where the subtrees are large. At nodes below, it saved no leaves in measurements.
    """
    is_first = n == limits.root or tree.kind[limits.root] == CHANCE and beliefs.depth[n] == 1
    if limits.guide == BOUNDS or not is_first:
        return False
    other = RAISE if aim == LOWER else LOWER
    gain = gain_per_leaf(tree, beliefs, limits, c, aim)
    return gain > FIRST_SHARE * gain_per_leaf(tree, beliefs, limits, c, other) * GAIN_TIE


def choose_rival(tree: Columns, beliefs: Beliefs, limits: Limits, root: int) -> tuple[int, int]:
    """Return the branch at a player's root, and the aim, to prove which action is best.

    Either raise the favourite, or lower its strongest rival. MIN is the mirror image. Lower the
    rival if the favourite's own bound is below the rival's, or if a leaf there gains clearly more,
    given that all rivals must fall.
    """
    lower, upper, child, near = beliefs.lower, beliefs.upper, tree.child, limits.near
    is_max = tree.kind[root] == MAX
    begin, end = tree.first[root], tree.last[root]
    to_raise, to_lower = (RAISE, LOWER) if is_max else (LOWER, RAISE)
    costs = beliefs.cost_lower if is_max else beliefs.cost_raise
    favourite = begin
    best_low, best_high, best_mean = seen_by(tree, beliefs, begin, is_max)
    for b in range(begin, end):
        low, high, mean = seen_by(tree, beliefs, b, is_max)
        is_close = mean >= best_mean - near
        if mean > best_mean + near or is_close and high > best_high + near:
            favourite, best_low, best_high, best_mean = b, low, high, mean
    best = child[favourite]
    rival = end
    cost = most = 0.0
    for b in range(begin, end):
        c = child[b]
        if c != best and lower[c] < upper[c]:
            _, high, _ = seen_by(tree, beliefs, b, is_max)
            if rival == end or high > most + near:
                rival, most = b, high
            if high > best_low + near:
                cost += costs[c]
    is_open = lower[best] < upper[best]
    # An action whose bound is not beyond what another one guarantees is not a rival.
    guaranteed = beliefs.low[root] if is_max else -beliefs.high[root]
    if rival == end or is_open and most <= guaranteed + near:
        return favourite, to_raise
    if not is_open or best_high < most - near:
        return rival, to_lower
    c = child[rival]
    up = gain_per_leaf(tree, beliefs, limits, best, to_raise)
    down = gain_per_leaf(tree, beliefs, limits, c, to_lower)
    if tree.kind[c] == CHANCE:
        down = 0.0
        for b in range(tree.first[c], tree.last[c]):
            outcome = child[b]
            if tree.probability[b] > 0 and lower[outcome] < upper[outcome]:
                share = gain_per_leaf(tree, beliefs, limits, outcome, to_lower)
                down = max(down, tree.probability[b] * share)
    down *= costs[c] / max(1.0, cost)
    if down > RIVAL_MARGIN * up * GAIN_TIE:
        return rival, to_lower
    return favourite, to_raise


def seen_by(tree: Columns, beliefs: Beliefs, b: int, is_max: bool) -> tuple[float, float, float]:
    """Return a branch's bounds and mean; for MIN the negated ones, so that MIN maximises too."""
    n = tree.child[b]
    r = beliefs.reward[b] if len(beliefs.reward) > 0 else 0.0
    low, high, mean = beliefs.low[n] + r, beliefs.high[n] + r, beliefs.mean[n] + r
    return (low, high, mean) if is_max else (-high, -low, -mean)
