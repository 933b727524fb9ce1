"""The loops of `solve`, over columns: strong components, bounds, end components and best moves.

They run interpreted or compiled (`base.compiling`), and most also over fractions.
docs/background/solve.md explains them and proves that the bounds hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any, NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import (
    CHANCE,
    MAX,
    MIN,
    NONE,
    TERMINAL,
    FloatColumn,
    IntColumn,
    NumberColumn,
)

UNIT = 2.0**-53  # the most by which a float operation rounds, relative to its result
OPERATIONS = 6  # that round each branch, besides the sum: its numbers, their product, the end
FLOOR = 64 * UNIT  # changes that rounding alone may make, relative to the values
PATIENCE = 32  # sweeps of a component with a trap until it is deflated, then twice as many, …
CHECKS = 8  # sweeps that a guessed bound may take until it is proved, besides a quarter of all
MOST_WIDE = 2.0**20  # of the margin of a guess, relative to the values
WIDEN = 16.0  # by which a margin that rounding refutes becomes wider
DEGREES = 6  # of deflation: branches may be worse by twice the gap, by a sixteenth of that, …

# How the bounds of a component are found: by sweeps from outside, also with `deflate`; or values
# are guessed, from below, from anywhere, from above, or from given ones, and bounds around them
# proved.
SWEEP, BELOW, AROUND, ABOVE, GIVEN, DEFLATE = range(6)
NEVER = 2**62  # sweeps
SLOW = 0.9  # the least rate of changes that are extrapolated
STEADY = 0.1  # how much of it such a rate may change
FURTHER = 4.0  # of the sweeps so far, by how many more values are extrapolated at most
OPEN = 4  # added to a player who may pay forever, or gain, or neither
LOST, WON = 2, 3  # marks of states that are worth minus and plus infinity

# The progress of `narrow`: the component, its sweeps, those of all components, and how many visits
# of branches are left; the sweeps after which bounds are proved or deflated, and those after which
# values are extrapolated.
COMPONENT, SWEEPS, ALL_SWEEPS, LEFT, DUE, NEXT = range(6)


class Graph(NamedTuple):
    """The states of a game and their branches. Those of state s are first[s] to first[s + 1]."""

    kind: IntColumn  # [n]
    first: IntColumn  # [n + 1]
    child: IntColumn  # [m]
    weight: FloatColumn  # [m] the probability of an outcome; of a move the discount, else 1
    reward: FloatColumn  # [m] what a branch pays, times its probability; empty if no branch pays
    order: IntColumn  # [n] the states by component, children first as far as possible
    part: IntColumn  # [n] the component of a state
    start: IntColumn  # [c + 1] where in `order` the states of a component begin
    stop: IntColumn  # [1] not 0 if time is over


class Bounds(NamedTuple):
    """Columns by state: proven bounds of its value, and guesses."""

    low: FloatColumn
    high: FloatColumn
    value: FloatColumn
    lower: FloatColumn  # guessed bounds; outside the component in progress, the proven ones
    upper: FloatColumn


class Scratch(NamedTuple):
    """Columns that loops work with: by state, and `allowed` by branch."""

    number: IntColumn
    low: IntColumn
    stack: IntColumn
    path: IntColumn
    at: IntColumn
    inner: IntColumn
    unknown: IntColumn
    worst: FloatColumn
    best: FloatColumn
    allowed: IntColumn


class Members(NamedTuple):
    """The states of a component whose values are not known."""

    states: Sequence[int]
    branches: int  # how many these have
    below: float  # the widest interval of a value outside the component


class Marks(NamedTuple):
    """What `reach` finds: by state whether it is reached, and the helper's move."""

    reached: IntColumn
    choice: IntColumn
    allowed: IntColumn  # by branch: whether it may be used


class Aim(NamedTuple):
    """What the bounds of a game depend on, besides its graph."""

    wanted: float  # the width of a component's bounds, beyond the widest below it
    worst: float  # bounds of what endless play is worth
    best: float
    discounted: bool
    rounds: float  # how many payments count, with a discount
    first: float  # where guesses begin between the bounds


def branches(graph: Graph, state: int) -> range:
    """Return the branches of a state."""
    return range(graph.first[state], graph.first[state + 1])


def worth(graph: Graph, branch: int, column: NumberColumn) -> Any:
    """Return what a branch is worth by a column; of an outcome, times its probability."""
    number: Any = graph.weight[branch] * column[graph.child[branch]]
    if len(graph.reward) > 0:
        number += graph.reward[branch]
    return number


def strong_components(
    graph: Graph, states: Sequence[int], part: IntColumn, scratch: Scratch
) -> int:
    """Number the strong components of some states, children first; return their count.

    Only branches that are `allowed` are followed; they stay among the states. This is Tarjan's
    algorithm (1972) without recursion.
    """
    first, child = graph.first, graph.child
    index, low, stack, path, at, _, _, _, _, allowed = scratch
    for state in states:
        index[state] = 0
        part[state] = NONE
    count = visited = size = 0
    for start in states:
        length = 0
        entered = NONE
        if index[start] == 0:
            entered = start
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
            if graph.stop[0] != 0:
                return count
            state = path[length - 1]
            branch = at[state]
            if branch < first[state + 1]:
                at[state] = branch + 1
                if allowed[branch] == 0:
                    continue
                below = child[branch]
                if index[below] == 0:
                    entered = below
                elif part[below] == NONE and index[below] < low[state]:
                    low[state] = index[below]
                continue
            length -= 1
            if length > 0 and low[state] < low[path[length - 1]]:
                low[path[length - 1]] = low[state]
            if low[state] == index[state]:
                while part[state] == NONE:
                    size -= 1
                    part[stack[size]] = count
                count += 1
    return count


def group_by_component(graph: Graph, parent: IntColumn) -> None:
    """Sort the states by component, and within it those first that were found last.

    The outcomes of a player's moves come just before him, so that a sweep sees what is new.
    """
    kind, child, order, part, start = graph.kind, graph.child, graph.order, graph.part, graph.start
    for component in part:
        start[component + 1] += 1
    begin = 0
    for component in range(len(start) - 1):
        size = start[component + 1]
        start[component + 1] = begin  # until the states are in their places
        begin += size
    for state in range(len(part) - 1, -1, -1):
        parent[state] = state
    for state in range(len(part) - 1, -1, -1):
        for branch in branches(graph, state):
            if kind[state] != CHANCE and kind[child[branch]] == CHANCE:
                parent[child[branch]] = state
    for state in range(len(part) - 1, -1, -1):
        if parent[state] != state:
            continue
        for branch in branches(graph, state):
            below = child[branch]
            if parent[below] == state and below != state:
                parent[below] = NONE
                order[start[part[below] + 1]] = below
                start[part[below] + 1] += 1
        order[start[part[state] + 1]] = state
        start[part[state] + 1] += 1


def reach(
    graph: Graph, states: Sequence[int], helper: int, free: int, lost: int, marks: Marks
) -> int:
    """Mark the states from which play leaves a component, or gets to a reached state.

    It does so by allowed branches with a probability above 0, whatever the player does who is not
    the `helper`, and without the risk of a `lost` state. Where staying is `free`, by moves (1) or
    by outcomes too (2), it is as good as leaving. Return how many states are not reached.
    """
    reached, choice, allowed = marks
    missing = 0
    changed = True
    while changed:
        changed = False
        missing = 0
        for state in states:
            if graph.stop[0] != 0:
                return missing
            if reached[state] != 0:
                continue
            who = graph.kind[state]
            stays = loses = exits = False
            for branch in branches(graph, state):
                below = graph.child[branch]
                if allowed[branch] == 0:
                    continue
                if reached[below] == lost:
                    loses = True
                elif graph.part[below] == graph.part[state] and reached[below] == 0:
                    stays = True
                elif not exits:
                    exits = True
                    if who == helper:
                        choice[state] = branch
            is_free = free == 2 or (free == 1 and who != CHANCE)
            leaves = exits or (is_free and stays)
            if who == CHANCE:
                leaves = not loses and (is_free or exits)
            elif who != helper:
                leaves = not loses and (is_free or not stays)
            if not leaves:
                missing += 1
                continue
            reached[state] = 1
            changed = True
            if who == helper and not exits:
                choice[state] = NONE
    return missing


def find_traps(
    graph: Graph, discounted: bool, plan: IntColumn, chain: IntColumn, marks: Marks
) -> tuple[int, int]:
    """Plan how to bound each component: `DEFLATE` where play may go on forever.

    Return how many components have a cycle, and how many of these may follow each other.

    States are `reached` from which play leaves the component, or is discounted, with a probability
    above 0 whatever the players do. The others of a component contain an end component.
    """
    child, part = graph.child, graph.part
    cyclic = longest = 0
    for component in range(len(chain)):
        states = graph.order[graph.start[component] : graph.start[component + 1]]
        is_cyclic = False
        below_it = 0
        for state in states:
            for branch in branches(graph, state):
                if part[child[branch]] == component:
                    is_cyclic = True
                else:
                    below_it = max(below_it, chain[part[child[branch]]])
        if reach(graph, states, NONE, int(discounted), NONE, marks) > 0:
            plan[component] = DEFLATE
        elif is_cyclic:
            plan[component] = AROUND
        cyclic += is_cyclic
        chain[component] = below_it + is_cyclic
        longest = max(longest, chain[component])
    return cyclic, longest


def paid(graph: Graph, state: int, branch: int) -> float:
    """Return what a move pays, or chance in a state on average; 0 if it is only rounding."""
    if graph.kind[state] != CHANCE:
        return float(graph.reward[branch])
    total = size = 0.0
    for outcome in branches(graph, state):
        total += graph.reward[outcome]
        size += abs(graph.reward[outcome])
    if abs(total) <= OPERATIONS * UNIT * size:
        return 0.0
    return total


def paid_for_ever(
    graph: Graph, states: Sequence[int], paying: tuple[float, float], aim: Aim, scratch: Scratch
) -> tuple[float, float]:
    """Return the range of what steps pay in end components of steps that pay so much.

    Their branches are `allowed`. If there is none, the range is empty.
    """
    allowed = scratch.allowed
    least, most = paying
    for state in states:
        for branch in branches(graph, state):
            allowed[branch] = least <= paid(graph, state, branch) <= most
    keep_end_components(graph, states, aim.discounted, scratch)
    lower, upper = inf, -inf
    for state in states:
        for branch in branches(graph, state):
            if allowed[branch] != 0:
                lower = min(lower, paid(graph, state, branch))
                upper = max(upper, paid(graph, state, branch))
    return lower, upper


def mark_infinite(
    graph: Graph, payer: IntColumn, discounted: bool, bounds: Bounds, marks: Marks
) -> int:
    """Bound the states that a player who pays forever cannot be sure to leave by infinity.

    `payer` has the player of each component, plus `OPEN` if he may not pay after all, and `CHANCE`
    if both may. Return such a component in which he may have to stay, or `NONE`.
    """
    child, reached = graph.child, marks.reached
    for branch in range(len(child)):
        marks.allowed[branch] = 1
    for helper in (MAX, MIN):
        mark, worst = LOST, -inf
        if helper == MIN:
            mark, worst = WON, inf
        for component in range(len(payer)):
            states = graph.order[graph.start[component] : graph.start[component + 1]]
            free = 2
            if payer[component] % OPEN == helper or payer[component] == CHANCE:
                free = int(discounted)
            missing = 1
            while missing > 0:
                for state in states:
                    if reached[state] == 1:
                        reached[state] = 0
                missing = reach(graph, states, helper, free, mark, marks)
                if missing > 0 and payer[component] >= CHANCE:
                    return component
                for state in states:
                    if reached[state] != 0 or graph.kind[state] == CHANCE:
                        continue
                    for branch in branches(graph, state):
                        if reached[child[branch]] == 0 or reached[child[branch]] == mark:
                            marks.choice[state] = branch
                for state in states:
                    if reached[state] == 0:
                        reached[state] = mark
                        bounds.low[state] = bounds.high[state] = worst
                        bounds.value[state] = bounds.lower[state] = bounds.upper[state] = worst
                    elif reached[state] == 1:
                        marks.choice[state] = NONE  # it is chosen by bounds
    return NONE


def first_bounds(
    kind: IntColumn, is_open: bool, pays: bool, aim: Aim, bounds: Bounds
) -> tuple[float, float]:
    """Bound all values by the least and the greatest utility, and by endless play if `is_open`.

    Return these two.
    """
    least, most = inf, -inf
    if is_open:
        least, most = aim.worst, aim.best
    for state in range(len(kind)):
        if kind[state] == TERMINAL:
            least = min(least, bounds.low[state])
            most = max(most, bounds.high[state])
    if pays:
        least, most = -inf, inf
    for state in range(len(kind)):
        if kind[state] != TERMINAL:
            bounds.low[state] = least
            bounds.high[state] = most
    return least, most


def estimate(graph: Graph, state: int, column: FloatColumn) -> float:
    """Return a state's number by those of its children in a column, as floats are rounded."""
    kind, first, child, weight, reward, _, _, _, _ = graph
    pays = len(reward) > 0
    total = 0.0
    if kind[state] == CHANCE:
        for branch in range(first[state], first[state + 1]):
            total += weight[branch] * column[child[branch]]
            if pays:
                total += reward[branch]
        return total
    gain = 1.0
    if kind[state] == MIN:
        gain = -1.0
    total = -inf
    for branch in range(first[state], first[state + 1]):
        number = weight[branch] * column[child[branch]]
        if pays:
            number += reward[branch]
        total = max(total, gain * number)
    return gain * total


def backup(graph: Graph, state: int, column: FloatColumn, sign: int) -> float:
    """Return a state's number by those of its children, rounded up (`sign` 1) or down (-1)."""
    _, first, child, weight, reward, _, _, _, _ = graph
    is_chance = graph.kind[state] == CHANCE
    gain = 1.0
    if graph.kind[state] == MIN:
        gain = -1.0
    pays = len(reward) > 0
    unit = sign * UNIT
    total = size = rewards = 0.0
    best = furthest = -inf
    for branch in range(first[state], first[state + 1]):
        below = column[child[branch]]
        number = weight[branch] * below
        part = abs(number)
        if pays:
            number += reward[branch]
            part += abs(reward[branch])
            rewards += abs(reward[branch])
        if is_chance:
            total += number
            size += part
            furthest = max(furthest, sign * below)
            continue
        is_rounded = weight[branch] != 1.0 or (pays and reward[branch] != 0.0)
        if is_rounded and part < inf:
            number += OPERATIONS * unit * part
        best = max(best, gain * number)
    if not is_chance:
        return gain * best
    total += (first[state + 1] - first[state] + OPERATIONS) * unit * size
    if rewards == 0.0 and sign * total > furthest:
        return sign * furthest  # a mean is at most the greatest number
    return total


def find_members(
    graph: Graph, states: Sequence[int], bounds: Bounds, unknown: IntColumn
) -> Members:
    """List the states of a component whose values are not known."""
    low, high = bounds.low, bounds.high
    count = size = 0
    widest_below = 0.0
    for state in states:
        if graph.kind[state] == TERMINAL or low[state] == high[state]:
            continue
        unknown[count] = state
        count += 1
        size += graph.first[state + 1] - graph.first[state]
        for branch in branches(graph, state):
            below = graph.child[branch]
            if graph.part[below] != graph.part[state] and low[below] < high[below]:
                widest_below = max(widest_below, high[below] - low[below])
    return Members(unknown[:count], size, widest_below)


def widest(bounds: Bounds, states: Sequence[int]) -> float:
    """Return the widest interval of some states."""
    gap = 0.0
    for state in states:
        if bounds.low[state] < bounds.high[state]:
            gap = max(gap, bounds.high[state] - bounds.low[state])
    return gap


def sweep(
    graph: Graph, states: Sequence[int], sign: int, keeps: bool, column: FloatColumn
) -> tuple[bool, float]:
    """Compute upper (`sign` 1) or lower bounds (-1) of states again.

    With `keeps`, no bound becomes worse. Return whether none did, and the greatest gain.
    """
    is_bound = True
    gain = 0.0
    for state in states:
        if graph.stop[0] != 0:
            return False, inf
        number = backup(graph, state, column, sign)
        change = sign * (column[state] - number)
        if not change >= 0.0:
            is_bound = False
            if keeps:
                continue
        gain = max(gain, change)
        column[state] = number
    return is_bound, gain


def iterate(graph: Graph, states: Sequence[int], sign: int, bounds: Bounds) -> tuple[float, float]:
    """Sweep the guessed values once; return the greatest change, and the greatest value.

    With a `sign`, they are the proven lower (-1) or upper bounds (1).
    """
    low, high, value, before, _ = bounds
    change = scale = 0.0
    for state in states:
        if graph.stop[0] != 0:
            break
        if sign == 0:
            number = estimate(graph, state, value)
        elif sign < 0:
            number = max(backup(graph, state, low, -1), low[state])
            low[state] = number
        else:
            number = min(backup(graph, state, high, 1), high[state])
            high[state] = number
        before[state] = value[state]
        value[state] = number
        change = max(change, abs(number - before[state]))
        scale = max(scale, abs(number))
    return change, scale


def bound_payments(graph: Graph, states: Sequence[int], aim: Aim, bounds: Bounds) -> None:
    """Bound the totals of a component by what its branches pay, if `aim.rounds` of them count.

    Then guess totals: 0 if a player who is alone only gains.
    """
    least = most = least_paid = most_paid = 0.0
    for state in states:
        bounds.value[state] = 0.0
        for branch in branches(graph, state):
            below = graph.child[branch]
            if graph.part[below] != graph.part[state]:
                least = min(least, bounds.low[below])
                most = max(most, bounds.high[below])
            least_paid = min(least_paid, graph.reward[branch])
            most_paid = max(most_paid, graph.reward[branch])
    for sign, end, payment in ((-1, least, least_paid), (1, most, most_paid)):
        prove(graph, states, sign, sign * (2.0 * aim.rounds * payment + end), CHECKS, bounds)
    if not ((aim.first == 0.0 and least_paid >= 0.0) or (aim.first == 1.0 and most_paid <= 0.0)):
        guess_totals(graph, states, bounds.value)


def guess_totals(graph: Graph, states: Sequence[int], value: FloatColumn) -> None:
    """Guess totals first as if a step to an unknown one were tried again, until it is known."""
    for state in states:
        value[state] = nan
    for _ in range(PATIENCE):
        for state in states:
            if graph.stop[0] != 0 or value[state] == value[state]:
                continue
            total = share = 0.0
            sign = 1.0
            if graph.kind[state] == MIN:
                sign = -1.0
            for branch in branches(graph, state):
                number = worth(graph, branch, value)
                is_seen = abs(number) < inf  # a player can avoid what is infinite
                if graph.kind[state] != CHANCE:
                    is_better = share == 0.0 or sign * (number - total) > 0.0
                    if is_seen and is_better:
                        total, share = number, 1.0
                elif is_seen:
                    total += number
                    share += graph.weight[branch]
                else:
                    total += graph.reward[branch]
            if share > 0.0:
                value[state] = total / share
    for state in states:
        if value[state] != value[state]:
            value[state] = 0.0


def prove(
    graph: Graph, states: Sequence[int], sign: int, margin: float, checks: int, bounds: Bounds
) -> None:
    """Prove upper (`sign` 1) or lower bounds (-1) beyond the guessed values, if possible.

    If something is paid, small values get smaller margins, down to a half: what is still to be paid
    shrinks at each step, so that such guesses leave something at each step, which rounding may use.
    """
    column, proven = bounds.upper, bounds.high
    if sign < 0:
        column, proven = bounds.lower, bounds.low
    scale = 0.0
    if len(graph.reward) > 0:
        for state in states:
            scale = max(scale, abs(bounds.value[state]))
    for state in states:
        share = 1.0
        if scale > 0.0:
            share = 0.5 + 0.5 * abs(bounds.value[state]) / scale
        column[state] = bounds.value[state] + sign * share * margin
    for _ in range(checks):
        is_bound, _ = sweep(graph, states, sign, False, column)
        if is_bound:
            for state in states:
                if sign * (proven[state] - column[state]) > 0.0:
                    proven[state] = column[state]
            break


def begin_guess(graph: Graph, states: Sequence[int], plan: int, aim: Aim, bounds: Bounds) -> None:
    """Guess the values of a component first, between their bounds, or from what is paid."""
    if len(graph.reward) > 0:
        bound_payments(graph, states, aim, bounds)
        return
    first = 0.5 * (plan - BELOW)
    if plan == AROUND:
        first = aim.first
    for state in states:
        bounds.value[state] = first * bounds.high[state] + (1.0 - first) * bounds.low[state]


def guess(
    graph: Graph, members: Members, plan: IntColumn, aim: Aim, bounds: Bounds, place: IntColumn
) -> float:
    """Sweep guessed values of a component, and prove bounds around them when they hardly change.

    This is optimistic value iteration (Hartmanns and Kaminski 2020). Return the widest interval, if
    bounds were proved. If nothing more can be gained by it, the plan becomes to sweep from outside.
    """
    states, below = members.states, members.below
    sign = plan[place[COMPONENT]] - AROUND
    wanted = below + aim.wanted
    last = rate = 0.0
    tolerance = aim.wanted / 8
    while place[LEFT] > 0:
        change, scale = iterate(graph, states, sign, bounds)
        place[SWEEPS] += 1
        place[ALL_SWEEPS] += len(states) > 1
        place[LEFT] -= members.branches
        before, rate = rate, 2.0
        if last > 0.0:
            rate = change / last
        last = change
        error = further = inf
        if rate < 1.0:  # changes that shrink geometrically, by this rate, sum to the error
            error = change / (1.0 - rate)
            further = rate / (1.0 - rate)
        floor = FLOOR * scale
        is_settled = change <= floor or error <= tolerance
        if is_settled or place[SWEEPS] >= place[DUE]:
            margin = wanted / 2
            if not is_settled:
                margin = below / 2 + change * place[SWEEPS]
                place[DUE] *= 4
            if sign != 0:  # one side needs none
                margin *= 2
            checks = CHECKS + place[SWEEPS] // 4
            while True:
                for side in (-1, 1):
                    if side != sign:
                        prove(graph, states, side, margin, checks, bounds)
                gap = widest(bounds, states)
                if gap <= wanted:
                    return gap
                if change > floor or margin >= min(gap / 2, MOST_WIDE * (scale + 1.0)):
                    break
                margin = WIDEN * max(margin, floor)  # rounding refutes a closer guess
            if is_settled:
                tolerance = min(tolerance, error) / 4
            if change > floor:
                continue
            plan[place[COMPONENT]] = SWEEP
            if sign != 0:
                plan[place[COMPONENT]] = DEFLATE
            place[DUE] = place[SWEEPS] + PATIENCE
            return gap
        is_steady = rate > SLOW and abs(rate - before) < STEADY * (1.0 - rate)
        is_late = place[SWEEPS] >= place[NEXT] and place[SWEEPS] * FURTHER > further
        if sign == 0 and is_steady and is_late:
            for state in states:
                bounds.value[state] += further * (bounds.value[state] - bounds.lower[state])
            last = 0.0
            place[NEXT] = place[SWEEPS] + place[SWEEPS] // 2
    return inf


def approach(
    graph: Graph, members: Members, plan: int, aim: Aim, bounds: Bounds, scratch: Scratch,
    place: IntColumn,
) -> float:  # fmt: skip
    """Sweep the bounds of a component from outside, and deflate it from time to time.

    Return the widest interval, or 0 if nothing more can be gained.
    """
    states, wanted = members.states, members.below + aim.wanted
    gap = inf
    while place[LEFT] > 0 and gap > wanted:
        _, rise = sweep(graph, states, -1, True, bounds.low)
        _, fall = sweep(graph, states, 1, True, bounds.high)
        place[SWEEPS] += 1
        place[ALL_SWEEPS] += len(states) > 1
        place[LEFT] -= 2 * members.branches
        gap = widest(bounds, states)
        changed = rise > 0.0 or fall > 0.0
        if plan == DEFLATE and gap > wanted and (not changed or place[SWEEPS] >= place[DUE]):
            place[DUE] = 2 * place[SWEEPS]
            for degree in range(DEGREES):
                delta = gap * 2.0 ** (1 - 4 * degree)
                freed = deflate(graph, states, delta, aim, bounds, scratch)
                changed = changed or freed
        if not changed and graph.stop[0] == 0:
            return 0.0
    return gap


def narrow(
    graph: Graph, plan: IntColumn, aim: Aim, bounds: Bounds, scratch: Scratch, place: IntColumn
) -> None:
    """Narrow the bounds of all states, one component after the other.

    `place` has the progress. Return after about `place[LEFT]` visits of branches. Every proven
    bound is rounded outward.
    """
    while place[COMPONENT] < len(plan) and place[LEFT] > 0 and graph.stop[0] == 0:
        component = place[COMPONENT]
        states = graph.order[graph.start[component] : graph.start[component + 1]]
        members = find_members(graph, states, bounds, scratch.unknown)
        if place[SWEEPS] == 0:
            place[DUE], place[NEXT] = 8 * PATIENCE, 4
            if plan[component] == GIVEN:  # free cycles would confirm a guess that is too good
                plan[component], place[NEXT] = AROUND, NEVER
            elif plan[component] == DEFLATE:
                place[DUE] = PATIENCE
            elif plan[component] != SWEEP:
                begin_guess(graph, members.states, plan[component], aim, bounds)
        gap = 0.0
        if plan[component] in (BELOW, AROUND, ABOVE):
            gap = guess(graph, members, plan, aim, bounds, place)
        elif members.branches > 0:
            gap = approach(graph, members, plan[component], aim, bounds, scratch, place)
        if gap > members.below + aim.wanted:
            continue
        for state in states:
            bounds.lower[state], bounds.upper[state] = bounds.low[state], bounds.high[state]
            bounds.value[state] = bounds.low[state] / 2 + bounds.high[state] / 2
        place[COMPONENT] += 1
        place[SWEEPS] = 0


def allow_best(
    graph: Graph, states: Sequence[int], ends: tuple[NumberColumn, NumberColumn], delta: Number,
    allowed: IntColumn,
) -> None:  # fmt: skip
    """Allow the moves that are worth at most `delta` less than the state, and all outcomes.

    Numbers are those of the first column for MAX, and of the second one for MIN.
    """
    for state in states:
        column, sign = ends[0], 1
        if graph.kind[state] == MIN:
            column, sign = ends[1], -1
        for branch in branches(graph, state):
            loss = sign * (column[state] - worth(graph, branch, column))
            allowed[branch] = graph.kind[state] == CHANCE or loss <= delta


def keep_end_components(
    graph: Graph, states: Sequence[int], discounted: bool, scratch: Scratch
) -> None:
    """Forbid all branches but those of end components of allowed branches."""
    kind, child, part = graph.kind, graph.child, graph.part
    inner, allowed = scratch.inner, scratch.allowed
    for state in states:
        for branch in branches(graph, state):
            if part[child[branch]] != part[state] or (discounted and kind[state] != CHANCE):
                allowed[branch] = 0
    is_cut = True
    while is_cut:
        strong_components(graph, states, inner, scratch)
        is_cut = False
        for state in states:
            loses = False
            for branch in branches(graph, state):
                if allowed[branch] != 0 and inner[child[branch]] != inner[state]:
                    allowed[branch] = 0
                    is_cut = True
                loses = loses or allowed[branch] == 0
            if kind[state] == CHANCE and loses:
                for branch in branches(graph, state):
                    is_cut = is_cut or allowed[branch] != 0
                    allowed[branch] = 0


def may_stay(graph: Graph, state: int, allowed: IntColumn) -> bool:
    """Return whether a branch of a state is allowed."""
    stays = False
    for branch in branches(graph, state):
        stays = stays or allowed[branch] != 0
    return stays


def deflate(
    graph: Graph, states: Sequence[int], delta: float, aim: Aim, bounds: Bounds, scratch: Scratch
) -> bool:
    """Narrow the bounds in end components of branches that may be best up to `delta`.

    MIN can stay there, so MAX gets at most the better of his best way out and of endless play. MAX
    can stay, too. Return whether any bound changed.
    """
    low, high, inner = bounds.low, bounds.high, scratch.inner
    worst, best, allowed = scratch.worst, scratch.best, scratch.allowed
    allow_best(graph, states, (high, low), delta, allowed)
    keep_end_components(graph, states, aim.discounted, scratch)
    if graph.stop[0] != 0:
        return False
    for state in states:
        worst[inner[state]] = aim.worst
        best[inner[state]] = aim.best
    for state in states:
        mine = inner[state]
        if graph.kind[state] == CHANCE or not may_stay(graph, state, allowed):
            continue
        for branch in branches(graph, state):
            below = graph.child[branch]
            if graph.part[below] == graph.part[state] and inner[below] == mine:
                continue
            if graph.kind[state] == MAX:
                best[mine] = max(best[mine], high[below])
            else:
                worst[mine] = min(worst[mine], low[below])
    changed = False
    for state in states:
        mine = inner[state]
        if may_stay(graph, state, allowed):
            changed = changed or best[mine] < high[state] or worst[mine] > low[state]
            high[state] = min(high[state], best[mine])
            low[state] = max(low[state], worst[mine])
    return changed


def choose_exits(
    graph: Graph, states: Sequence[int], ends: tuple[NumberColumn, NumberColumn],
    endless: tuple[Number, Number], slack: Number, marks: Marks,
) -> int:  # fmt: skip
    """Choose branches that leave a component, where that is better than endless play.

    Where a value is above that of endless play, MAX must make play leave with a probability above
    0, by moves that are best up to `slack`, whatever MIN's best replies are; below it, MIN must.
    Return how many states have no such moves: 0 proves that the values, which no step improves, are
    those of the game. `ends` are the columns of bounds.
    """
    missing = 0
    for helper in (MAX, MIN):
        bound = ends[1]
        if helper == MAX:
            bound = ends[0]
        allow_best(graph, states, (bound, bound), slack, marks.allowed)
        for state in states:
            is_out = bound[state] <= endless[0]
            if helper == MIN:
                is_out = bound[state] >= endless[1]
            marks.reached[state] = is_out
        missing += reach(graph, states, helper, 0, NONE, marks)
    return missing
