"""The loops of `solve`, over columns: strong components, bounds, end components and best moves.

They run interpreted or compiled (`base.compiling`), and most also over fractions.
docs/background/solve.md explains them and proves that the bounds hold.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from expectitree.base.tree.columns import CHANCE, MAX, MIN, NONE, TERMINAL

UNIT = 2.0**-53  # the most by which a float operation rounds, relative to its result
OPERATIONS = 6  # that round each branch, besides the sum: its numbers, their product, the end
MOST_INCREASE = 0.4  # of the expected number of plies, in the sweep that bounds it
PATIENCE = 32  # sweeps of a component with a trap until it is deflated, then twice as many, …
ROUNDS = 6  # of `deflate`: branches may be worse by twice the gap, then by a sixteenth of that, …


class Graph(NamedTuple):
    """The states of a game and their branches. Those of state s are first[s] to first[s + 1]."""

    kind: Any  # [n]
    first: Any  # [n + 1]
    child: Any  # [m]
    weight: Any  # [m] the probability of an outcome; of a move the discount, else 1
    reward: Any  # [m] what a branch pays, times its probability; empty if no branch pays
    order: Any  # [n] the states by component, children first as far as possible
    part: Any  # [n] the component of a state
    ends: Any  # [c] by component: one past the place of its last state in `order`


class Scratch(NamedTuple):
    """Columns that loops work with: by state, and `allowed` by branch."""

    index: Any
    low: Any
    stack: Any
    path: Any
    at: Any
    finished: Any
    inner: Any
    worst: Any
    best: Any
    allowed: Any


def strong_components(
    first: Any, child: Any, states: Any, begin: int, end: int, some: bool, part: Any,
    scratch: Scratch,
) -> int:  # fmt: skip
    """Number the strong components of some states, children first; return their count.

    With `some`, only branches that are `allowed` are followed; they stay among the states.
    `finished` receives the states in the order in which a depth-first search leaves them. This is
    Tarjan's algorithm (1972) without recursion.
    """
    index, low, stack, path, at, finished, _, _, _, allowed = scratch
    for i in range(begin, end):
        index[states[i]] = 0
        part[states[i]] = NONE
    count = visited = size = done = 0
    for i in range(begin, end):
        length = 0
        entered = states[i] if index[states[i]] == 0 else NONE
        while entered != NONE or length > 0:
            if entered != NONE:
                visited += 1
                index[entered] = visited
                low[entered] = visited
                at[entered] = first[entered]
                stack[size] = entered
                path[length] = entered
                size += 1
                length += 1
                entered = NONE
            state = path[length - 1]
            branch = at[state]
            if branch < first[state + 1]:
                at[state] = branch + 1
                if some and allowed[branch] == 0:
                    continue
                below = child[branch]
                if index[below] == 0:
                    entered = below
                elif part[below] == NONE and index[below] < low[state]:
                    low[state] = index[below]
                continue
            length -= 1
            finished[done] = state
            done += 1
            if length > 0 and low[state] < low[path[length - 1]]:
                low[path[length - 1]] = low[state]
            if low[state] == index[state]:
                while part[state] == NONE:
                    size -= 1
                    part[stack[size]] = count
                count += 1
    return count


def group_by_component(finished: Any, part: Any, order: Any, ends: Any) -> None:
    """Sort the states by component, and within it in the order in which they were finished."""
    for state in finished:
        ends[part[state]] += 1
    start = 0
    for component in range(len(ends)):
        size = ends[component]
        ends[component] = start
        start += size
    for state in finished:
        component = part[state]
        order[ends[component]] = state
        ends[component] += 1


def find_traps(
    graph: Graph, discounted: bool, trap: Any, reached: Any, chain: Any
) -> tuple[int, int]:
    """Mark components in which play may go on for ever.

    Return how many components have a cycle, and how many of these may follow each other.

    States are `reached` from which play leaves the component, or is discounted, with a probability
    above 0 whatever the players do. The others of a component contain an end component.
    """
    kind, first, child, _, _, order, part, ends = graph
    begin = cyclic = longest = 0
    for component in range(len(ends)):
        end = ends[component]
        is_cyclic = False
        below_it = 0
        changed = True
        while changed:
            changed = False
            missing = 0
            for i in range(begin, end):
                state = order[i]
                if reached[state] != 0:
                    continue
                needs_all = kind[state] != CHANCE
                leaves = kind[state] == TERMINAL or discounted and needs_all
                inside = 0
                for branch in range(first[state], first[state + 1]):
                    below = child[branch]
                    if part[below] == component:
                        is_cyclic = True
                    else:
                        below_it = max(below_it, chain[part[below]])
                    if part[below] == component and reached[below] == 0:
                        inside += 1
                    elif not needs_all:
                        leaves = True
                if leaves or inside == 0:
                    reached[state] = 1
                    changed = True
                else:
                    missing += 1
        cyclic += is_cyclic
        trap[component] = missing > 0
        chain[component] = below_it + is_cyclic
        longest = max(longest, chain[component])
        begin = end
    return cyclic, longest


def first_bounds(
    kind: Any, low: Any, high: Any, endless: tuple[float, float], is_open: bool, pays: bool
) -> None:
    """Bound all values by the least and the greatest utility, and by endless play if `is_open`."""
    least, most = (endless[0], endless[1]) if is_open else (inf, -inf)
    for state in range(len(kind)):
        if kind[state] == TERMINAL:
            least = min(least, low[state])
            most = max(most, high[state])
    if pays:
        least, most = -inf, inf
    for state in range(len(kind)):
        if kind[state] != TERMINAL:
            low[state] = least
            high[state] = most


def narrow(
    graph: Graph, trap: Any, low: Any, high: Any, endless: tuple[float, float], discounted: bool,
    wanted: float, place: Any, scratch: Scratch, most: int,
) -> None:  # fmt: skip
    """Narrow the bounds of all states, one component after the other.

    `place` has the component, its sweeps so far, the sweeps of all components, and after how many
    sweeps a component with a trap is deflated. Return after about `most` visits of branches. Every
    number is rounded outward.
    """
    kind, first, child, weight, reward, order, part, ends = graph
    pays = len(reward) > 0
    while place[0] < len(ends) and most > 0:
        component = place[0]
        begin = ends[component - 1] if component > 0 else 0
        end = ends[component]
        if pays and place[1] == 0:
            most -= bound_totals(graph, component, begin, end, low, high, scratch.best)
        changed = False
        gap = gap_below = 0.0
        for i in range(begin, end):
            state = order[i]
            who = kind[state]
            if who == TERMINAL:
                continue
            lower = upper = size = 0.0
            is_rounded = who == CHANCE or pays
            for branch in range(first[state], first[state + 1]):
                below = child[branch]
                if part[below] != component:
                    gap_below = max(gap_below, high[below] - low[below])
                one, other = weight[branch] * low[below], weight[branch] * high[below]
                if who != CHANCE and weight[branch] != 1.0:
                    is_rounded = True
                own = max(abs(one), abs(other))
                if pays:
                    own += abs(reward[branch])
                    one += reward[branch]
                    other += reward[branch]
                if who == CHANCE:
                    lower += one
                    upper += other
                    size += own
                elif branch == first[state]:
                    lower, upper, size = one, other, own
                else:
                    lower = max(lower, one) if who == MAX else min(lower, one)
                    upper = max(upper, other) if who == MAX else min(upper, other)
                    size = max(size, own)
            most -= first[state + 1] - first[state]
            if is_rounded:
                error = (first[state + 1] - first[state] + OPERATIONS) * UNIT * size
                lower -= error
                upper += error
            if lower > low[state]:
                low[state] = lower
                changed = True
            if upper < high[state]:
                high[state] = upper
                changed = True
            gap = max(gap, high[state] - low[state])
        place[1] += 1
        place[2] += end > begin + 1
        is_closed = gap <= gap_below + wanted
        if trap[component] != 0 and not is_closed and (not changed or place[1] % place[3] == 0):
            place[3] *= 2
            freed = deflate(
                graph, component, begin, end, low, high, endless, discounted, gap, scratch
            )
            changed = changed or freed
            most -= ROUNDS * (first[order[end - 1] + 1] - first[order[end - 1]]) * (end - begin)
        if is_closed or not changed:
            place[0] = component + 1
            place[1] = 0
            place[3] = PATIENCE


def bound_totals(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any, steps: Any
) -> int:
    """Bound the totals in a component by its rewards; return the branches that were visited.

    If `steps` grow by less than 1/2 in a sweep, twice as many are an upper bound of the expected
    number of plies until play leaves, whatever the players do.
    """
    kind, first, child, weight, reward, order, part, _ = graph
    largest = beyond = 0.0
    visited = 0
    is_cyclic = False
    for i in range(begin, end):
        steps[order[i]] = 0.0
        for branch in range(first[order[i]], first[order[i] + 1]):
            below = child[branch]
            if part[below] == component:
                is_cyclic = True
            else:
                beyond = max(beyond, abs(low[below]), abs(high[below]))
            largest = max(largest, abs(reward[branch]) / min(1.0, weight[branch]))
    grows = is_cyclic
    increase = 1.0
    while is_cyclic and (grows or increase > MOST_INCREASE):
        grows = increase > MOST_INCREASE / 2
        increase = 0.0
        for i in range(begin, end):
            state = order[i]
            found = 0.0
            for branch in range(first[state], first[state + 1]):
                if part[child[branch]] == component:
                    own = weight[branch] * steps[child[branch]]
                    found = found + own if kind[state] == CHANCE else max(found, own)
            visited += first[state + 1] - first[state]
            increase = max(increase, found + 1.0 - steps[state])
            if grows:
                steps[state] = max(steps[state], found + 1.0)
    for i in range(begin, end if is_cyclic else begin):
        total = 1.001 * (beyond + 2.0 * largest * steps[order[i]])
        low[order[i]] = -total
        high[order[i]] = total
    return visited


def allow_best(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any, delta: float,
    discounted: bool, allowed: Any,
) -> None:  # fmt: skip
    """Allow the branches within a component by which a player may still reach the best bound.

    A player's branch may be worse than the best one by `delta`.
    """
    kind, first, child, _, _, order, part, _ = graph
    for i in range(begin, end):
        state = order[i]
        for branch in range(first[state], first[state + 1]):
            below = child[branch]
            is_best = kind[state] == CHANCE
            if kind[state] == MAX and not discounted:
                is_best = high[below] >= high[state] - delta
            elif kind[state] == MIN and not discounted:
                is_best = low[below] <= low[state] + delta
            allowed[branch] = is_best and part[below] == component


def cut_branches(graph: Graph, begin: int, end: int, inner: Any, allowed: Any) -> bool:
    """Forbid branches between parts, and all of a chance node if it lacks one; return if any."""
    kind, first, child, _, _, order, _, _ = graph
    changed = False
    for i in range(begin, end):
        state = order[i]
        loses = False
        for branch in range(first[state], first[state + 1]):
            if allowed[branch] != 0 and inner[child[branch]] != inner[state]:
                allowed[branch] = 0
                changed = True
            if allowed[branch] == 0:
                loses = kind[state] == CHANCE
        if loses:
            for branch in range(first[state], first[state + 1]):
                changed = changed or allowed[branch] != 0
                allowed[branch] = 0
    return changed


def deflate(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any,
    endless: tuple[float, float], discounted: bool, gap: float, scratch: Scratch,
) -> bool:  # fmt: skip
    """Narrow the bounds in end components of branches that may be best; return if any changed."""
    changed = False
    for round_ in range(ROUNDS):
        delta = gap * 2.0 ** (1 - 4 * round_)
        allow_best(graph, component, begin, end, low, high, delta, discounted, scratch.allowed)
        is_cut = True
        while is_cut:
            strong_components(
                graph.first, graph.child, graph.order, begin, end, True, scratch.inner, scratch
            )
            is_cut = cut_branches(graph, begin, end, scratch.inner, scratch.allowed)
        freed = deflate_parts(graph, component, begin, end, low, high, endless, scratch)
        changed = changed or freed
    return changed


def deflate_parts(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any,
    endless: tuple[float, float], scratch: Scratch,
) -> bool:  # fmt: skip
    """Narrow the bounds of end components by the players' best ways out; return if any changed.

    MIN can stay, so MAX gets at most the better of his best way out and of endless play. MAX can
    stay, too.
    """
    kind, first, child, _, _, order, part, _ = graph
    _, _, _, _, _, _, inner, worst, best, allowed = scratch
    changed = False
    for i in range(begin, end):
        worst[inner[order[i]]] = endless[0]
        best[inner[order[i]]] = endless[1]
    for narrows in (False, True):
        for i in range(begin, end):
            state = order[i]
            stays = False
            for branch in range(first[state], first[state + 1]):
                stays = stays or allowed[branch] != 0
            mine = inner[state]
            if not stays:
                continue
            if narrows:
                changed = changed or best[mine] < high[state] or worst[mine] > low[state]
                high[state] = min(high[state], best[mine])
                low[state] = max(low[state], worst[mine])
                continue
            for branch in range(first[state], first[state + 1]):
                below = child[branch]
                if part[below] != component or inner[below] != mine:
                    if kind[state] == MAX:
                        best[mine] = max(best[mine], high[below])
                    elif kind[state] == MIN:
                        worst[mine] = min(worst[mine], low[below])
    return changed


def choose(graph: Graph, low: Any, high: Any, choice: Any) -> None:
    """Choose the branch of each player's state that has the best bound."""
    kind, first, child, weight, reward, _, _, _ = graph
    for state in range(len(kind)):
        is_max = kind[state] == MAX
        if not is_max and kind[state] != MIN:
            continue
        column = low if is_max else high
        best = column[state]
        choice[state] = NONE
        for branch in range(first[state], first[state + 1]):
            worth = weight[branch] * column[child[branch]]
            if len(reward) > 0:
                worth += reward[branch]
            if choice[state] == NONE or (worth > best if is_max else worth < best):
                best = worth
                choice[state] = branch


def choose_exits(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any, endless: Any,
    slack: Any, choice: Any, reached: Any,
) -> int:  # fmt: skip
    """Choose branches that leave a component, where that is better than endless play.

    Where a value is above that of endless play, MAX must make play leave with a probability above
    0, by moves that are best up to `slack`, whatever MIN's best replies are; below it, MIN must.
    Return how many states have no such moves: 0 proves that the values, which no step improves, are
    those of the game.
    """
    kind, first, child, _, _, order, part, _ = graph
    missing = 0
    for helper in (MAX, MIN):
        bound = low if helper == MAX else high
        for i in range(begin, end):
            worth = bound[order[i]]
            is_out = worth <= endless if helper == MAX else worth >= endless
            reached[order[i]] = 1 if is_out else 0
        changed = True
        while changed:
            changed = False
            for i in range(begin, end):
                state = order[i]
                if reached[state] != 0:
                    continue
                outside = NONE
                inside = 0
                for branch in range(first[state], first[state + 1]):
                    below = child[branch]
                    if kind[state] != CHANCE and abs(bound[below] - bound[state]) > slack:
                        continue
                    if part[below] != component or reached[below] != 0:
                        outside = branch if outside == NONE else outside
                    else:
                        inside += 1
                if outside != NONE and (kind[state] in (CHANCE, helper) or inside == 0):
                    reached[state] = 1
                    changed = True
                    if kind[state] == helper:
                        choice[state] = outside
        for i in range(begin, end):
            missing += reached[order[i]] == 0
    return missing
