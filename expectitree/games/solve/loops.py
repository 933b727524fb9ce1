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
FLOOR = 64 * UNIT  # changes that rounding alone may make, relative to the values
PATIENCE = 32  # sweeps of a component with a trap until it is deflated, then twice as many, …
CHECKS = 4  # sweeps that a guessed bound may take until it is proved, if it comes early
MOST_WIDE = 2.0**20  # of such a guess, relative to the values
WIDEN = 16.0  # by which a guess that rounding refutes becomes wider
ROUNDS = 6  # of `deflate`: branches may be worse by twice the gap, then by a sixteenth of that, …

# How the bounds of a component are found: by sweeps from outside, also with `deflate`; or values
# are guessed, from below, from anywhere, or from above, and bounds around them verified.
SWEEP, BELOW, AROUND, ABOVE, DEFLATE = range(5)
NEVER = 2**62  # sweeps
FURTHER = 4.0  # of the sweeps so far, by how many more values are extrapolated at most
STEADY = 0.1  # of the rate of changes, when they may be extrapolated
OUTLOOK = 10  # numbers that `look_below` and `guess` keep about a component
OPEN = 4  # added to a player who may pay for ever, or gain, or neither
LOST, WON = 2, 3  # marks of states that are worth minus and plus infinity


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


class Bounds(NamedTuple):
    """Columns by state: proven bounds of its value, and guesses."""

    low: Any
    high: Any
    value: Any
    lower: Any  # guessed bounds; outside the component in progress, the proven ones
    upper: Any


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


def group_by_component(
    kind: Any, first: Any, child: Any, part: Any, order: Any, ends: Any, parent: Any
) -> None:
    """Sort the states by component, and within it those first that were found last.

    The outcomes of a player's moves come just before him, so that a sweep sees what is new.
    """
    for component in part:
        ends[component] += 1
    start = 0
    for component in range(len(ends)):
        size = ends[component]
        ends[component] = start
        start += size
    for state in range(len(part) - 1, -1, -1):
        parent[state] = state
    for state in range(len(part) - 1, -1, -1):
        for branch in range(first[state], first[state + 1]):
            if kind[state] != CHANCE and kind[child[branch]] == CHANCE:
                parent[child[branch]] = state
    for state in range(len(part) - 1, -1, -1):
        if parent[state] != state:
            continue
        for branch in range(first[state], first[state + 1]):
            below = child[branch]
            if parent[below] == state and below != state:
                parent[below] = NONE
                order[ends[part[below]]] = below
                ends[part[below]] += 1
        order[ends[part[state]]] = state
        ends[part[state]] += 1


def reach(
    graph: Graph, component: int, begin: int, end: int, helper: int, free: int, lost: int,
    allowed: Any, reached: Any, choice: Any,
) -> int:  # fmt: skip
    """Mark the states from which play leaves a component, or gets to a reached state.

    It does so by allowed branches with a probability above 0, whatever the player does who is not
    the `helper`, and without the risk of a `lost` state. Where staying is `free`, by moves (1) or
    by outcomes too (2), it is as good as leaving. `choice` receives the helper's moves. Return how
    many states are not reached.
    """
    kind, first, child, _, _, order, part, _ = graph
    missing = 0
    changed = True
    while changed:
        changed = False
        missing = 0
        for i in range(begin, end):
            state = order[i]
            if reached[state] != 0:
                continue
            who = kind[state]
            out = NONE
            stays = loses = False
            for branch in range(first[state], first[state + 1]):
                below = child[branch]
                if allowed[branch] == 0:
                    continue
                if reached[below] == lost:
                    loses = True
                elif part[below] != component or reached[below] != 0:
                    out = branch if out == NONE else out
                else:
                    stays = True
            is_free = free == 2 or free == 1 and who != CHANCE
            leaves = out != NONE or is_free and stays
            if who != helper:
                leaves = not loses and (is_free or (leaves if who == CHANCE else not stays))
            if not leaves:
                missing += 1
                continue
            reached[state] = 1
            changed = True
            if who == helper:
                choice[state] = out
    return missing


def find_traps(
    graph: Graph, discounted: bool, plan: Any, reached: Any, chain: Any, scratch: Scratch
) -> tuple[int, int]:
    """Plan how to bound each component: `DEFLATE` where play may go on for ever.

    Return how many components have a cycle, and how many of these may follow each other.

    States are `reached` from which play leaves the component, or is discounted, with a probability
    above 0 whatever the players do. The others of a component contain an end component.
    """
    _, first, child, _, _, order, part, ends = graph
    begin = cyclic = longest = 0
    for component in range(len(ends)):
        end = ends[component]
        is_cyclic = False
        below_it = 0
        for i in range(begin, end):
            for branch in range(first[order[i]], first[order[i] + 1]):
                if part[child[branch]] == component:
                    is_cyclic = True
                else:
                    below_it = max(below_it, chain[part[child[branch]]])
        free = 1 if discounted else 0
        missing = reach(
            graph, component, begin, end, NONE, free, NONE, scratch.allowed, reached, scratch.index
        )
        if missing > 0:
            plan[component] = DEFLATE
        elif is_cyclic:
            plan[component] = AROUND
        cyclic += is_cyclic
        chain[component] = below_it + is_cyclic
        longest = max(longest, chain[component])
        begin = end
    return cyclic, longest


def paid(graph: Graph, state: int, branch: int) -> float:
    """Return what a move pays, or chance in a state on average; 0 if it is only rounding."""
    first, reward = graph.first, graph.reward
    if graph.kind[state] != CHANCE:
        return float(reward[branch])
    total = size = 0.0
    for outcome in range(first[state], first[state + 1]):
        total += reward[outcome]
        size += abs(reward[outcome])
    return 0.0 if abs(total) <= OPERATIONS * UNIT * size else total


def paid_for_ever(
    graph: Graph, begin: int, end: int, least: float, most: float, discounted: bool,
    scratch: Scratch,
) -> tuple[float, float]:  # fmt: skip
    """Return the range of what steps pay in end components of steps that pay so much.

    Their branches are `allowed`. If there is none, the range is empty.
    """
    first, order, allowed = graph.first, graph.order, scratch.allowed
    for i in range(begin, end):
        state = order[i]
        for branch in range(first[state], first[state + 1]):
            allowed[branch] = least <= paid(graph, state, branch) <= most
    keep_end_components(graph, begin, end, discounted, scratch)
    lower, upper = inf, -inf
    for i in range(begin, end):
        state = order[i]
        for branch in range(first[state], first[state + 1]):
            if allowed[branch] != 0:
                lower = min(lower, paid(graph, state, branch))
                upper = max(upper, paid(graph, state, branch))
    return lower, upper


def mark_infinite(
    graph: Graph, payer: Any, discounted: bool, low: Any, high: Any, reached: Any, choice: Any,
    scratch: Scratch,
) -> int:  # fmt: skip
    """Bound the states that a player who pays for ever cannot be sure to leave by infinity.

    `payer` has the player of each component, plus `OPEN` if he may not pay after all, and `CHANCE`
    if both may. Return such a component in which he may have to stay, or `NONE`.
    """
    kind, first, child, _, _, order, _, ends = graph
    allowed = scratch.allowed
    for branch in range(len(child)):
        allowed[branch] = 1
    for helper in (MAX, MIN):
        mark = LOST if helper == MAX else WON
        begin = 0
        for component in range(len(ends)):
            end = ends[component]
            free = 2
            is_open = payer[component] >= CHANCE
            if payer[component] % OPEN == helper or payer[component] == CHANCE:
                free = 1 if discounted else 0
            missing = 1
            while missing > 0:
                for i in range(begin, end):
                    if reached[order[i]] == 1:
                        reached[order[i]] = 0
                missing = reach(
                    graph, component, begin, end, helper, free, mark, allowed, reached,
                    scratch.index,
                )  # fmt: skip
                if missing > 0 and is_open:
                    return component
                for i in range(begin, end):
                    state = order[i]
                    if reached[state] != 0 or kind[state] == CHANCE:
                        continue
                    for branch in range(first[state], first[state + 1]):
                        if reached[child[branch]] == 0 or reached[child[branch]] == mark:
                            choice[state] = branch
                for i in range(begin, end):
                    state = order[i]
                    if reached[state] == 0:
                        reached[state] = mark
                        low[state] = high[state] = -inf if helper == MAX else inf
            begin = end
    return NONE


def first_bounds(
    kind: Any, low: Any, high: Any, endless: tuple[float, float], is_open: bool, pays: bool
) -> tuple[float, float]:
    """Bound all values by the least and the greatest utility, and by endless play if `is_open`.

    Return these two.
    """
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
    return least, most


def estimate(graph: Graph, state: int, column: Any) -> float:
    """Return a state's number by those of its children in a column, as floats are rounded."""
    kind, first, child, weight, reward, _, _, _ = graph
    who = kind[state]
    begin = first[state]
    pays = len(reward) > 0
    total = 0.0
    if who == CHANCE:
        for branch in range(begin, first[state + 1]):
            total += weight[branch] * column[child[branch]]
            if pays:
                total += reward[branch]
        return total
    for branch in range(begin, first[state + 1]):
        worth = weight[branch] * column[child[branch]]
        if pays:
            worth += reward[branch]
        if branch == begin or (worth > total if who == MAX else worth < total):
            total = worth
    return total


def backup(graph: Graph, state: int, column: Any, sign: int) -> float:
    """Return a state's number by those of its children, rounded up (`sign` 1) or down (-1)."""
    kind, first, child, weight, reward, _, _, _ = graph
    who = kind[state]
    pays = len(reward) > 0
    unit = sign * UNIT
    total = size = rewards = 0.0
    furthest = -sign * inf
    for branch in range(first[state], first[state + 1]):
        number = column[child[branch]]
        worth = weight[branch] * number
        part = abs(worth)
        if pays:
            worth += reward[branch]
            part += abs(reward[branch])
            rewards += abs(reward[branch])
        if who == CHANCE:
            total += worth
            size += part
            if sign * (number - furthest) > 0:
                furthest = number
            continue
        is_rounded = weight[branch] != 1.0 or pays and reward[branch] != 0.0
        if is_rounded and part < inf:
            worth += OPERATIONS * unit * part
        if branch == first[state] or (worth > total if who == MAX else worth < total):
            total = worth
    total += (first[state + 1] - first[state] + OPERATIONS) * unit * size
    if who == CHANCE and rewards == 0.0 and sign * (total - furthest) > 0:
        return float(furthest)  # a mean is at most the greatest number
    return float(total)


def is_known(graph: Graph, low: Any, high: Any, state: int) -> bool:
    """Return whether a state is an end, or infinite."""
    if graph.kind[state] == TERMINAL:
        return True
    return len(graph.reward) > 0 and low[state] == high[state] and abs(low[state]) == inf


def look_below(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any, outlook: Any
) -> None:
    """Measure what surrounds a component.

    `outlook` receives the branches, the widest interval below, the least and the greatest bound
    below, and the least and the greatest reward. `guess` keeps three more, and where guesses begin
    between the bounds: a lone player expects nothing at first.
    """
    _, first, child, _, reward, order, part, _ = graph
    outlook[0] = outlook[1] = outlook[2] = outlook[3] = outlook[4] = outlook[5] = 0.0
    for i in range(begin, end):
        state = order[i]
        outlook[0] += first[state + 1] - first[state]
        for branch in range(first[state], first[state + 1]):
            below = child[branch]
            if part[below] != component and low[below] < high[below]:
                outlook[1] = max(outlook[1], high[below] - low[below])
            if len(reward) > 0:
                if part[below] != component:
                    outlook[2] = min(outlook[2], low[below])
                    outlook[3] = max(outlook[3], high[below])
                outlook[4] = min(outlook[4], reward[branch])
                outlook[5] = max(outlook[5], reward[branch])


def iterate(graph: Graph, begin: int, end: int, sign: int, bounds: Bounds) -> tuple[float, float]:
    """Sweep the guessed values once; return the greatest change, and the greatest value.

    With a `sign`, they are the proven lower (-1) or upper bounds (1).
    """
    low, high, value, before, _ = bounds
    change = scale = 0.0
    for i in range(begin, end):
        state = graph.order[i]
        if is_known(graph, low, high, state):
            continue
        if sign == 0:
            worth = estimate(graph, state, value)
            before[state] = value[state]
        elif sign < 0:
            worth = max(backup(graph, state, low, -1), low[state])
            low[state] = worth
        else:
            worth = min(backup(graph, state, high, 1), high[state])
            high[state] = worth
        change = max(change, abs(worth - value[state]))
        scale = max(scale, abs(worth))
        value[state] = worth
    return change, scale


def extrapolate(graph: Graph, begin: int, end: int, factor: float, bounds: Bounds) -> None:
    """Move the guessed values on by a multiple of their last change."""
    value, before = bounds.value, bounds.lower
    for i in range(begin, end):
        state = graph.order[i]
        if not is_known(graph, bounds.low, bounds.high, state):
            value[state] += factor * (value[state] - before[state])


def is_inductive(
    graph: Graph, begin: int, end: int, sign: int, sweeps: int, bounds: Bounds, column: Any
) -> bool:
    """Sweep guessed bounds until each bounds what follows from it; return whether that is reached.

    Then the column has bounds of the values.
    """
    for _ in range(sweeps):
        is_bound = True
        for i in range(begin, end):
            state = graph.order[i]
            if is_known(graph, bounds.low, bounds.high, state):
                continue
            worth = backup(graph, state, column, sign)
            if not sign * (column[state] - worth) >= 0:
                is_bound = False
            column[state] = worth
        if is_bound:
            return True
    return False


def verify(
    graph: Graph, begin: int, end: int, sign: int, less: float, more: float, scale: float,
    sweeps: int, bounds: Bounds,
) -> float:  # fmt: skip
    """Prove bounds around the guessed values if possible; return the widest interval.

    With a `sign`, the values themselves are lower (-1) or upper bounds (1). With a `scale`, small
    values get smaller margins, down to a half: what is still to be paid shrinks at each step, so
    that such guesses leave something at each step, which rounding may use.
    """
    order = graph.order
    low, high, value, lower, upper = bounds
    for i in range(begin, end):
        state = order[i]
        if not is_known(graph, low, high, state):
            share = 0.5 + 0.5 * abs(value[state]) / scale if scale > 0.0 else 1.0
            lower[state] = value[state] - (0.0 if sign < 0 else share * less)
            upper[state] = value[state] + (0.0 if sign > 0 else share * more)
    proves_low = sign < 0 or is_inductive(graph, begin, end, -1, sweeps, bounds, lower)
    proves_high = sign > 0 or is_inductive(graph, begin, end, 1, sweeps, bounds, upper)
    gap = 0.0
    for i in range(begin, end):
        state = order[i]
        if is_known(graph, low, high, state):
            continue
        if proves_low:
            low[state] = max(low[state], lower[state])
        if proves_high:
            high[state] = min(high[state], upper[state])
        gap = max(gap, high[state] - low[state])
    return gap


def guess(
    graph: Graph, begin: int, end: int, sign: int, bounds: Bounds, wanted: float, rounds: float,
    place: Any, outlook: Any,
) -> tuple[bool, float]:  # fmt: skip
    """Sweep guessed values of a component, and prove bounds around them when they hardly change.

    This is optimistic value iteration (Hartmanns and Kaminski 2020). `rounds` is the number of
    moves that count with a discount. Return whether nothing more can be gained by it, and the
    widest interval so far.
    """
    low, high, value, lower, upper = bounds
    if place[1] == 0:
        for i in range(begin, end):
            state = graph.order[i]
            lower[state], upper[state] = low[state], high[state]
            if sign != 0:
                value[state] = low[state] if sign < 0 else high[state]
            elif low[state] == high[state]:
                value[state] = low[state]
            elif high[state] - low[state] < inf:
                value[state] = outlook[9] * high[state] + (1.0 - outlook[9]) * low[state]
            elif value[state] != 0.0:  # free cycles would confirm a guess that is too good
                place[4] = NEVER
        if len(graph.reward) > 0:
            less = -2.0 * rounds * outlook[4] - outlook[2]
            more = 2.0 * rounds * outlook[5] + outlook[3]
            verify(graph, begin, end, sign, less, more, 0.0, CHECKS, bounds)
    change, scale = iterate(graph, begin, end, sign, bounds)
    place[1] += 1
    floor = FLOOR * scale
    # Changes that shrink geometrically, by this factor, sum to the error.
    shrinks = change / outlook[7] if outlook[7] > 0.0 else 2.0
    is_steady = abs(shrinks - outlook[8]) < STEADY * (1.0 - shrinks)
    outlook[7], outlook[8] = change, shrinks
    error = change / (1.0 - shrinks) if shrinks < 1.0 else inf
    is_settled = change <= floor or error <= outlook[6]
    if not is_settled and place[1] < place[3]:
        further = shrinks / (1.0 - shrinks) if shrinks < 1.0 else inf
        if sign == 0 and is_steady and place[1] >= place[4] and further < FURTHER * place[1]:
            extrapolate(graph, begin, end, further, bounds)
            outlook[7] = 0.0
            place[4] = place[1] + place[1] // 2
        return False, inf
    if place[1] >= place[3]:
        place[3] *= 4
    sweeps = CHECKS + (8 + place[1] // 4 if is_settled else 0)
    margin = outlook[1] / 2 + (wanted / 2 if is_settled else change * place[1])
    if sign != 0:  # one side needs none
        margin *= 2
    steep = scale if len(graph.reward) > 0 else 0.0
    gap = verify(graph, begin, end, sign, margin, margin, steep, sweeps, bounds)
    if gap <= outlook[1] + wanted:
        return True, gap
    if is_settled:
        outlook[6] = min(outlook[6], error) / 4
    if change > floor:
        return False, gap
    margin = max(margin, floor)
    while margin < min(gap / 2, MOST_WIDE * (scale + 1.0)):  # rounding refutes a closer guess
        margin *= WIDEN
        gap = verify(graph, begin, end, sign, margin, margin, steep, sweeps, bounds)
    return True, gap


def sweep(graph: Graph, begin: int, end: int, low: Any, high: Any) -> tuple[bool, float]:
    """Narrow the bounds of a component once; return if any changed, and the widest interval."""
    changed = False
    gap = 0.0
    for i in range(begin, end):
        state = graph.order[i]
        if is_known(graph, low, high, state):
            continue
        lower = backup(graph, state, low, -1)
        upper = backup(graph, state, high, 1)
        if lower > low[state]:
            low[state] = lower
            changed = True
        if upper < high[state]:
            high[state] = upper
            changed = True
        gap = max(gap, high[state] - low[state])
    return changed, gap


def narrow(
    graph: Graph, plan: Any, bounds: Bounds, endless: tuple[float, float], wanted: float,
    discounted: bool, rounds: float, place: Any, outlook: Any, scratch: Scratch, most: int,
) -> None:  # fmt: skip
    """Narrow the bounds of all states, one component after the other.

    `place` has the component, its sweeps so far, the sweeps of all components, and after how many
    sweeps a component is looked at closely. Return after about `most` visits of branches. Every
    proven bound is rounded outward.
    """
    ends, order = graph.ends, graph.order
    low, high, value, lower, upper = bounds
    while place[0] < len(ends) and most > 0:
        component = place[0]
        begin = ends[component - 1] if component > 0 else 0
        end = ends[component]
        sign = plan[component] - AROUND
        guesses = abs(sign) <= 1
        if place[1] == 0:
            look_below(graph, component, begin, end, low, high, outlook)
            outlook[6], outlook[7], outlook[8] = wanted / 8, 0.0, 0.0
            place[3] = 8 * PATIENCE if guesses else PATIENCE
            place[4] = 4
        place[2] += end > begin + 1
        most -= int(outlook[0])
        if guesses:
            is_over, gap = guess(graph, begin, end, sign, bounds, wanted, rounds, place, outlook)
            is_closed = gap <= outlook[1] + wanted
            if is_over and not is_closed:
                plan[component] = SWEEP if sign == 0 else DEFLATE
                place[1] = 0
        else:
            changed, gap = sweep(graph, begin, end, low, high)
            place[1] += 1
            is_closed = gap <= outlook[1] + wanted
            is_due = not changed or place[1] % place[3] == 0
            if plan[component] == DEFLATE and not is_closed and is_due:
                place[3] *= 2
                freed = deflate(
                    graph, component, begin, end, low, high, endless, discounted, gap, scratch
                )
                changed = changed or freed
                most -= ROUNDS * (end - begin) * int(outlook[0])
            is_closed = is_closed or not changed
        if is_closed:
            for i in range(begin, end):
                state = order[i]
                lower[state], upper[state] = low[state], high[state]
                value[state] = low[state] / 2 + high[state] / 2
            place[0] = component + 1
            place[1] = 0


def allow_best(
    graph: Graph, begin: int, end: int, column_max: Any, column_min: Any, delta: Any, allowed: Any
) -> None:
    """Allow the moves that are worth at most `delta` less than the state, and all outcomes.

    Numbers are those of a column for MAX, and of one for MIN.
    """
    kind, first, child, weight, reward, order, _, _ = graph
    for i in range(begin, end):
        state = order[i]
        column = column_max if kind[state] == MAX else column_min
        for branch in range(first[state], first[state + 1]):
            worth = weight[branch] * column[child[branch]]
            if len(reward) > 0:
                worth += reward[branch]
            loss = column[state] - worth if kind[state] == MAX else worth - column[state]
            allowed[branch] = kind[state] == CHANCE or loss <= delta


def keep_end_components(
    graph: Graph, begin: int, end: int, discounted: bool, scratch: Scratch
) -> None:
    """Forbid all branches but those of end components of allowed branches."""
    kind, first, child, _, _, order, part, _ = graph
    inner, allowed = scratch.inner, scratch.allowed
    for i in range(begin, end):
        state = order[i]
        for branch in range(first[state], first[state + 1]):
            if part[child[branch]] != part[state] or discounted and kind[state] != CHANCE:
                allowed[branch] = 0
    is_cut = True
    while is_cut:
        strong_components(first, child, order, begin, end, True, inner, scratch)
        is_cut = False
        for i in range(begin, end):
            state = order[i]
            loses = False
            for branch in range(first[state], first[state + 1]):
                if allowed[branch] != 0 and inner[child[branch]] != inner[state]:
                    allowed[branch] = 0
                    is_cut = True
                loses = loses or allowed[branch] == 0 and kind[state] == CHANCE
            for branch in range(first[state], first[state + 1] if loses else first[state]):
                is_cut = is_cut or allowed[branch] != 0
                allowed[branch] = 0


def deflate(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any,
    endless: tuple[float, float], discounted: bool, gap: float, scratch: Scratch,
) -> bool:  # fmt: skip
    """Narrow the bounds in end components of branches that may be best; return if any changed."""
    changed = False
    for round_ in range(ROUNDS):
        delta = gap * 2.0 ** (1 - 4 * round_)
        allow_best(graph, begin, end, high, low, delta, scratch.allowed)
        keep_end_components(graph, begin, end, discounted, scratch)
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
    """Choose the branch of each player's state that has the best bound, if none is chosen."""
    kind, first, child, weight, reward, _, _, _ = graph
    for state in range(len(kind)):
        is_max = kind[state] == MAX
        if choice[state] != NONE or not is_max and kind[state] != MIN:
            continue
        column = low if is_max else high
        best = column[state]
        for branch in range(first[state], first[state + 1]):
            worth = weight[branch] * column[child[branch]]
            if len(reward) > 0:
                worth += reward[branch]
            if choice[state] == NONE or (worth > best if is_max else worth < best):
                best = worth
                choice[state] = branch


def choose_exits(
    graph: Graph, component: int, begin: int, end: int, low: Any, high: Any, endless: Any,
    slack: Any, choice: Any, reached: Any, allowed: Any,
) -> int:  # fmt: skip
    """Choose branches that leave a component, where that is better than endless play.

    Where a value is above that of endless play, MAX must make play leave with a probability above
    0, by moves that are best up to `slack`, whatever MIN's best replies are; below it, MIN must.
    Return how many states have no such moves: 0 proves that the values, which no step improves, are
    those of the game.
    """
    missing = 0
    for helper in (MAX, MIN):
        bound = low if helper == MAX else high
        allow_best(graph, begin, end, bound, bound, slack, allowed)
        for i in range(begin, end):
            state = graph.order[i]
            is_out = bound[state] <= endless[0]
            if helper == MIN:
                is_out = bound[state] >= endless[1]
            reached[state] = 1 if is_out else 0
        missing += reach(graph, component, begin, end, helper, 0, NONE, allowed, reached, choice)
    return missing
