"""Best-first search: walk from the root to the leaf with the greatest expected gain, and visit it.

The search has no window and no order: it keeps an interval for every node, so each walk may go
anywhere. Intervals contain v* wherever the walks go, because of how they are updated. The search
ends because a walk goes through open nodes, and an open node has an open child. Only the choice of
the walks depends on estimates (docs/background/best-first.md).

Plain functions over columns, interpreted or compiled as they are.
"""

from __future__ import annotations

from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import CHANCE, NONE, TERMINAL, UNSEEN, Columns
from expectitree.searches.beliefs import (
    ACTION,
    AIM_OF_ALL,
    ENTRIES,
    EXACT,
    LOWER,
    NEXT_RENEWAL,
    PLACE,
    RAISE,
    SEEN,
    SIGN,
    VALUE,
    Beliefs,
    begin,
    paid,
)
from expectitree.searches.estimates import (
    GAIN_TIE,
    estimate,
    finite_bound,
    gain_at,
    gain_per_leaf,
    narrow,
    take_in,
)
from expectitree.searches.intervals import (
    DONE,
    PAUSED,
    STOPPED_EARLY,
    WAITING,
    end_of_branch,
    find_proved,
)
from expectitree.searches.levels import (
    is_inner,
    learn,
    pass_level_to_children,
    update_level_from_children,
    update_root_level,
)
from expectitree.searches.problem import WalkObserver

RENEWAL_GROWTH = 1.25  # of the leaves visited, until all estimates are renewed
RIVAL_MARGIN = 2.0  # how many times the favourite's gain a rival must promise
# A walk first moves the bound that every child must move if a leaf gains more than this share of
# what it would gain for the other bound.
FIRST_SHARE = 0.7


def best_first(
    tree: Columns,
    beliefs: Beliefs,
    most_visits: int,
    pause: int,
    observer: WalkObserver | None = None,
) -> int:
    """Visit leaf after leaf until the goal is reached; return how the search ended.

    The search stops before it would enter nodes more than `most_visits` times. It returns PAUSED
    after `pause` entries, and WAITING if a walk meets an UNSEEN node, one below PLACE on the route.
    Call it again to go on, in the same walk. An observed search is not compiled; in the others, no
    code for an observer is left.
    """
    if beliefs.tally[ENTRIES] == 0 and len(beliefs.grows) == 0:
        begin(tree, beliefs)
    entries = int(beliefs.tally[ENTRIES])
    while True:
        depth = walk(tree, beliefs, most_visits - entries, observer)
        beliefs.tally[PLACE] = 0
        if depth < 0:
            # The walk may have updated shared nodes before it stopped.
            if is_reached(tree, beliefs):
                return DONE
            return STOPPED_EARLY
        leaf = beliefs.route[depth]
        if tree.kind[leaf] == UNSEEN:
            for i in (depth - 1, depth):
                beliefs.visits[beliefs.route[i]] -= 1
            beliefs.tally[PLACE] = depth - 1
            return WAITING
        entries += depth + 1
        beliefs.tally[ENTRIES] = entries
        if tree.kind[leaf] == TERMINAL:
            take_in(beliefs, leaf, tree.utility[leaf])
        back_up(tree, beliefs, depth, observer)
        if is_reached(tree, beliefs):
            return DONE
        if entries > pause:
            return PAUSED


def walk(
    tree: Columns,
    beliefs: Beliefs,
    most: int,
    observer: WalkObserver | None = None,
) -> int:
    """Go from the root to a leaf that is not visited, write the nodes to `route`, return its depth.

    Or go on at the depth PLACE of the route, from where the last walk met an UNSEEN node.

    A walk updates only one parent of a shared node, so the intervals of others may be out of date.
    Therefore each node's interval is updated on entry. If this changes it, the walk ends there,
    since its purpose may be fulfilled. Return -1 if the walk would enter more than `most` nodes.
    """
    node = beliefs.root
    branch = NONE
    aim = EXACT
    depth = int(beliefs.tally[PLACE])
    if depth > 0:
        node = beliefs.route[depth]
        aim = beliefs.aim[node]
    elif beliefs.tally[SEEN] >= beliefs.tally[NEXT_RENEWAL]:
        renew(tree, beliefs, observer)
        if beliefs.visits[node] > 0 and is_reached(tree, beliefs):
            return 0  # updating all intervals was enough: no node is entered
    while depth < most:
        beliefs.route[depth] = node
        beliefs.aim[node] = aim
        beliefs.visits[node] += 1
        if observer is not None:
            observer.enter(node, branch, depth, aim)
        if not is_inner(tree, node):
            return depth
        interval = beliefs.lower[node], beliefs.upper[node]
        narrow(tree, beliefs, node, observer)
        if (
            interval != (beliefs.lower[node], beliefs.upper[node])
            or interval[0] == interval[1]
            or (depth == 0 and is_reached(tree, beliefs))
        ):
            return depth
        if tree.kind[node] == CHANCE:
            branch = choose_outcome(tree, beliefs, node, aim)
        elif depth == 0 and beliefs.goal == ACTION:
            branch, aim = choose_rival(tree, beliefs)
        else:
            branch, aim = choose_action(tree, beliefs, node, aim)
        node = tree.child[branch]
        depth += 1
    return -1


def is_reached(tree: Columns, beliefs: Beliefs) -> bool:
    """Return whether the goal is reached: the root is exact, or its best action is proved."""
    root = beliefs.root
    if beliefs.lower[root] == beliefs.upper[root]:
        return True
    if beliefs.goal == VALUE or tree.kind[root] == CHANCE or not is_inner(tree, root):
        return False
    best = find_proved(tree, beliefs.lower, beliefs.upper, root, beliefs.eps)
    return bool(best < tree.last[root])


def back_up(
    tree: Columns,
    beliefs: Beliefs,
    depth: int,
    observer: WalkObserver | None = None,
) -> None:
    """Update the intervals and estimates of the nodes of the last walk, back to the root."""
    route = beliefs.route
    if not is_inner(tree, route[depth]):
        depth -= 1  # the estimate of a leaf is its utility
        if depth < 0:
            return
    for i in range(depth, -1, -1):
        update_level_from_children(tree, beliefs, route[i])
    update_root_level(beliefs)
    for i in range(depth + 1):
        pass_level_to_children(tree, beliefs, route[i])
    for i in range(depth, -1, -1):
        narrow(tree, beliefs, route[i], observer)
        estimate(tree, beliefs, route[i])


def renew(tree: Columns, beliefs: Beliefs, observer: WalkObserver | None = None) -> None:
    """Update the intervals and estimates of all nodes."""
    count = len(tree.kind)
    up = range(count)  # children before their parents
    down = range(count - 1, -1, -1)
    if len(beliefs.grows) > 0:
        up, down = down, up
    if beliefs.shares or beliefs.tally[SEEN] == 0:  # else `back_up` has updated every parent
        for n in up:
            if is_inner(tree, n):
                narrow(tree, beliefs, n, observer)
    learn(tree, beliefs, up)
    for n in up:
        if is_inner(tree, n):
            update_level_from_children(tree, beliefs, n)
    update_root_level(beliefs)
    for n in down:
        if is_inner(tree, n):
            pass_level_to_children(tree, beliefs, n)
    for n in up:
        if is_inner(tree, n):
            estimate(tree, beliefs, n)
    seen = beliefs.tally[SEEN]
    beliefs.tally[NEXT_RENEWAL] = seen + max(1.0, seen * (RENEWAL_GROWTH - 1))


# ---- Choosing a branch.


def choose_outcome(tree: Columns, beliefs: Beliefs, n: int, aim: int) -> int:
    """Return the branch by which a walk leaves an open CHANCE node: outcomes count by p."""
    chosen = end = tree.last[n]
    best = 0.0
    for b in range(tree.first[n], end):
        c, p = tree.child[b], tree.probability[b]
        if p != 0 and is_open(beliefs, c):
            if aim == EXACT:
                width = finite_bound(beliefs, c, LOWER) - finite_bound(beliefs, c, RAISE)
                score = width / (beliefs.cost[LOWER][c] + beliefs.cost[RAISE][c])
            else:
                score = gain_per_leaf(tree, beliefs, c, aim)
            score *= p
            if chosen == end or score > best * GAIN_TIE:
                chosen, best = b, float(score)
    return chosen


def choose_action(tree: Columns, beliefs: Beliefs, n: int, aim: int) -> tuple[int, int]:
    """Return the branch by which a walk leaves an open MAX or MIN, and its aim at the child.

    To lower the upper bound of MAX, every child's must fall: choose the child with the greatest
    one. To raise its lower bound, one child is enough: choose the one with the greatest gain per
    leaf. To make the first MAX of a walk exact, lower first, because that is needed whichever child
    is the best. MIN is the mirror image.
    """
    every = AIM_OF_ALL[tree.kind[n]]
    if aim not in (EXACT, every):
        return choose_helper(tree, beliefs, n, aim), aim
    chosen = end = tree.last[n]
    greatest, near = -INFINITY, beliefs.near
    chosen_top = chosen_mean = 0.0
    for b in range(tree.first[n], end):
        top, _, mean = seen_by(tree, beliefs, b, every)
        greatest = max(greatest, mean)
        if is_open(beliefs, tree.child[b]):
            is_close = top >= chosen_top - near and mean > chosen_mean + near
            if chosen == end or top > chosen_top + near or is_close:
                chosen, chosen_top, chosen_mean = b, top, mean
    if aim == EXACT and (
        chosen_mean < greatest - near or comes_first(tree, beliefs, n, tree.child[chosen], every)
    ):
        aim = every
    return chosen, aim


def choose_helper(tree: Columns, beliefs: Beliefs, n: int, aim: int) -> int:
    """Return the branch to the child that promises most per leaf to move a player's bound alone."""
    chosen = end = tree.last[n]
    best = 0.0
    for b in range(tree.first[n], end):
        if aim == RAISE:
            may_help = end_of_branch(tree, beliefs.upper, b) > beliefs.lower[n] + beliefs.eps
        else:
            may_help = end_of_branch(tree, beliefs.lower, b) < beliefs.upper[n] - beliefs.eps
        if may_help and is_open(beliefs, tree.child[b]):
            score = gain_at(tree, beliefs, n, b, aim)
            if chosen == end or score > best * GAIN_TIE:
                chosen, best = b, score
    return chosen


def comes_first(tree: Columns, beliefs: Beliefs, n: int, c: int, aim: int) -> bool:
    """Return whether a walk to a child that may be the best should pursue this aim first.

    Every child must reach this aim. Only the best child must reach the other one, so the leaves for
    it are wasted if another child proves to be better. That matters at the first player of a walk,
    where the subtrees are large. At nodes below, it saved no leaves in measurements.
    """
    if n != beliefs.root and (tree.kind[beliefs.root] != CHANCE or beliefs.depth[n] != 1):
        return False
    other_gain = gain_per_leaf(tree, beliefs, c, 1 - aim)
    return gain_per_leaf(tree, beliefs, c, aim) > FIRST_SHARE * other_gain * GAIN_TIE


def choose_rival(tree: Columns, beliefs: Beliefs) -> tuple[int, int]:
    """Return the branch at a player's root, and the aim, to prove which action is best.

    Either raise the favourite, or lower its strongest rival. MIN is the mirror image. Lower the
    rival if the favourite's own bound is below the rival's, or if a leaf there gains clearly more,
    given that all rivals must fall.
    """
    root, child, near = beliefs.root, tree.child, beliefs.near
    begin, end = tree.first[root], tree.last[root]
    to_lower = AIM_OF_ALL[tree.kind[root]]
    to_raise, costs = 1 - to_lower, beliefs.cost[to_lower]

    favourite = begin
    best_high, best_low, best_mean = seen_by(tree, beliefs, begin, to_lower)
    for b in range(begin, end):
        high, low, mean = seen_by(tree, beliefs, b, to_lower)
        is_close = mean >= best_mean - near
        if mean > best_mean + near or (is_close and high > best_high + near):
            favourite, best_high, best_low, best_mean = b, high, low, mean
    best = child[favourite]

    rival = end
    cost = most = 0.0
    for b in range(begin, end):
        if child[b] != best and is_open(beliefs, child[b]):
            high, _, _ = seen_by(tree, beliefs, b, to_lower)
            if rival == end or high > most + near:
                rival, most = b, high
            if high > best_low + near:
                cost += costs[child[b]]

    # An action whose bound is not beyond what another one guarantees is not a rival.
    guaranteed = SIGN[to_lower] * beliefs.bound[to_raise][root]
    may_rise = is_open(beliefs, best)
    if rival == end or (may_rise and most <= guaranteed + near):
        return favourite, to_raise
    if not may_rise or best_high < most - near:
        return rival, to_lower
    c = child[rival]
    up = gain_per_leaf(tree, beliefs, best, to_raise)
    down = gain_per_leaf(tree, beliefs, c, to_lower)
    if tree.kind[c] == CHANCE:
        b = choose_outcome(tree, beliefs, c, to_lower)
        down = tree.probability[b] * gain_per_leaf(tree, beliefs, child[b], to_lower)
    down *= costs[c] / max(1.0, cost)
    if down > RIVAL_MARGIN * up * GAIN_TIE:
        return rival, to_lower
    return favourite, to_raise


def seen_by(tree: Columns, beliefs: Beliefs, b: int, aim: int) -> tuple[float, float, float]:
    """Return the bounds and the mean of a branch, the bound that an aim moves first.

    If the aim is to raise, they are those of the mirror image.
    """
    c, r, sign = tree.child[b], paid(beliefs, b), SIGN[aim]
    top, bottom = beliefs.bound[aim][c] + r, beliefs.bound[1 - aim][c] + r
    return sign * top, sign * bottom, sign * (beliefs.mean[c] + r)


def is_open(beliefs: Beliefs, n: int) -> bool:
    """Return whether the interval of a node is more than one number."""
    return bool(beliefs.lower[n] < beliefs.upper[n])
