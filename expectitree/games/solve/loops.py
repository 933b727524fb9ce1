"""The loops of `solve`, over columns: strong components, bounds, end components and best moves.

They run interpreted or compiled (`base.compiling`), and most also over fractions.
docs/background/solve.md explains them and proves that the bounds hold.
"""

from __future__ import annotations

from math import inf, nan
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
FURTHER = 4.0  # of the sweeps so far, by how many more values are extrapolated at most
STEADY = 0.1  # of the rate of changes, when they may be extrapolated
FROZEN = 64  # sweeps of the chosen moves at most, until moves are chosen again,
SHRUNK = 64.0  # or until changes are smaller by this factor
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
    states: Any  # lists of states of the component in progress: all that have unknown values,
    frozen: Any  # and those that the chosen moves reach
    chosen: Any  # the branch that a guess chose


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
    graph: Graph, begin: int, end: int, least: float, most: float, for_ever: bool,
    discounted: bool, scratch: Scratch,
) -> tuple[float, float]:  # fmt: skip
    """Return the range of what steps pay in end components of steps that pay so much.

    Their branches are `allowed`. If there is none, the range is empty. Without `for_ever`, return
    the range of all steps.
    """
    first, order, allowed = graph.first, graph.order, scratch.allowed
    for i in range(begin, end):
        state = order[i]
        for branch in range(first[state], first[state + 1]):
            allowed[branch] = least <= paid(graph, state, branch) <= most
    if for_ever:
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


def estimate(graph: Graph, state: int, column: Any) -> tuple[float, int]:
    """Return a state's number by those of its children, rounded to floats, and a best branch."""
    kind, first, child, weight, reward, _, _, _ = graph
    who = kind[state]
    begin = first[state]
    pays = len(reward) > 0
    total = 0.0
    best = NONE
    for branch in range(begin, first[state + 1]):
        worth = weight[branch] * column[child[branch]]
        if pays:
            worth += reward[branch]
        if who == CHANCE:
            total += worth
        elif branch == begin or (worth > total if who == MAX else worth < total):
            total = worth
            best = branch
    return total, best


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


def collect(graph: Graph, begin: int, end: int, bounds: Bounds) -> tuple[int, int, float]:
    """List the states of a component that are neither ends nor infinite.

    Return their number, that of their branches, and the widest interval below.
    """
    kind, first, child, _, reward, order, _, _ = graph
    low, high, states = bounds.low, bounds.high, bounds.states
    count = branches = 0
    below = 0.0
    for i in range(begin, end):
        state = order[i]
        is_infinite = low[state] == high[state] and abs(low[state]) == inf
        if kind[state] == TERMINAL or is_infinite and len(reward) > 0:
            continue
        states[count] = state
        count += 1
        branches += first[state + 1] - first[state]
        for branch in range(first[state], first[state + 1]):
            after = child[branch]
            if graph.part[after] != graph.part[state] and low[after] < high[after]:
                below = max(below, high[after] - low[after])
    return count, branches, below


def sweep(
    graph: Graph, states: Any, count: int, sign: int, keeps: bool, column: Any, stop: Any
) -> tuple[bool, float]:
    """Compute the bounds of states again, upper (`sign` 1) or lower ones (-1).

    With `keeps`, no bound becomes worse. Return whether none did, and the greatest gain.
    """
    is_bound = True
    gain = 0.0
    for i in range(count):
        if stop[0] != 0:
            return False, gain
        state = states[i]
        worth = backup(graph, state, column, sign)
        change = sign * (column[state] - worth)
        if not change >= 0.0:
            is_bound = False
            if keeps:
                continue
        gain = change if change > gain else gain
        column[state] = worth
    return is_bound, gain


def iterate(
    graph: Graph, states: Any, begin: int, end: int, is_frozen: bool, bounds: Bounds, stop: Any
) -> tuple[float, float]:
    """Sweep guessed values once; return the greatest change, and the greatest value.

    Players choose their best moves, or make those that they chose last.
    """
    _, _, value, before, _, _, _, chosen = bounds
    change = scale = 0.0
    for i in range(begin, end):
        if stop[0] != 0:
            break
        state = states[i]
        branch = chosen[state]
        if is_frozen and branch != NONE:
            worth = graph.weight[branch] * value[graph.child[branch]]
            if len(graph.reward) > 0:
                worth += graph.reward[branch]
        else:
            worth, chosen[state] = estimate(graph, state, value)
        before[state] = value[state]
        value[state] = worth
        change = max(change, abs(worth - before[state]))
        scale = max(scale, abs(worth))
    return change, scale


def freeze(graph: Graph, count: int, bounds: Bounds, marks: Any) -> int:
    """List the states that matter if players make the chosen moves, at the end of `frozen`.

    Outcomes come before the players whose moves lead to them, so going back finds nearly all.
    Return where the list begins.
    """
    kind, first, child, _, _, _, _, _ = graph
    at = count
    for i in range(count - 1, -1, -1):
        state = bounds.states[i]
        if kind[state] == CHANCE and marks[state] == 0:
            continue
        marks[state] = 0
        at -= 1
        bounds.frozen[at] = state
        branch = bounds.chosen[state]
        for j in range(first[state] if branch == NONE else branch, first[state + 1]):
            marks[child[j]] = 1
            if branch != NONE:
                break
    return at


def begin_guess(graph: Graph, count: int, bounds: Bounds, stop: Any) -> None:
    """Guess values first as if a step to an unknown value were tried again, until it is known."""
    kind, first, child, weight, reward, _, _, _ = graph
    states, value = bounds.states, bounds.value
    for i in range(count):
        value[states[i]] = nan
    for _ in range(PATIENCE):
        is_complete = True
        for i in range(count):
            state = states[i]
            if value[state] == value[state] or stop[0] != 0:
                continue
            total = share = 0.0
            for branch in range(first[state], first[state + 1]):
                number = value[child[branch]]
                is_seen = abs(number) < inf  # other states can avoid what is infinite
                worth = weight[branch] * number if is_seen else 0.0
                if len(reward) > 0:
                    worth += reward[branch]
                if kind[state] == CHANCE:
                    total += worth
                    share += weight[branch] if is_seen else 0.0
                elif is_seen and (
                    share == 0.0 or (worth > total if kind[state] == MAX else worth < total)
                ):
                    total, share = worth, 1.0
            if share > 0.0:
                value[state] = total / share
            else:
                is_complete = False
        if is_complete:
            return
    for i in range(count):
        if value[states[i]] != value[states[i]]:
            value[states[i]] = 0.0


def extrapolate(states: Any, begin: int, end: int, factor: float, bounds: Bounds) -> None:
    """Move the guessed values on by a multiple of their last change."""
    for i in range(begin, end):
        state = states[i]
        bounds.value[state] += factor * (bounds.value[state] - bounds.lower[state])


def evaluate(
    graph: Graph, count: int, change: float, bounds: Bounds, marks: Any, place: Any, stop: Any
) -> float:
    """Sweep the values of the chosen moves until they hardly change; return by which rate they do.

    Changes that shrink by a steady rate are extrapolated.
    """
    begin = freeze(graph, count, bounds, marks)
    step, rate = change, 2.0
    is_new = False  # after an extrapolation, a change says nothing
    for _ in range(FROZEN):
        last, before = step, rate
        step, _ = iterate(graph, bounds.frozen, begin, count, True, bounds, stop)
        place[1] += 1
        place[2] += count > 1
        if is_new:
            is_new = False
            continue
        rate = step / last if last > 0.0 else 0.0
        if step <= change / SHRUNK:
            break
        further = rate / (1.0 - rate) if rate < 1.0 else inf
        is_steady = abs(rate - before) < STEADY * (1.0 - rate)
        if place[1] >= place[6] and further < FURTHER * place[1] and is_steady:
            extrapolate(bounds.frozen, begin, count, further, bounds)
            place[6] = place[1] + place[1] // 2
            is_new = True
    return rate


def prove(
    graph: Graph, count: int, sign: int, guess: Any, margin: float, scale: float, sweeps: int,
    bounds: Bounds, stop: Any,
) -> None:  # fmt: skip
    """Prove bounds beyond guesses if possible, upper (`sign` 1) or lower ones (-1).

    With a `scale`, small values get smaller margins, down to a half: what is still to be paid
    shrinks at each step, so that such guesses leave something at each step, which rounding may use.
    """
    states = bounds.states
    column = bounds.lower if sign < 0 else bounds.upper
    proven = bounds.low if sign < 0 else bounds.high
    for i in range(count):
        state = states[i]
        share = 0.5 + 0.5 * abs(guess[state]) / scale if scale > 0.0 else 1.0
        column[state] = guess[state] + sign * share * margin
    for _ in range(sweeps):
        is_bound, _ = sweep(graph, states, count, sign, False, column, stop)
        if not is_bound:
            continue
        for i in range(count):
            state = states[i]
            if sign * (proven[state] - column[state]) > 0.0:
                proven[state] = column[state]
        return


def widest(bounds: Bounds, count: int) -> float:
    """Return the widest interval of the states of a component."""
    gap = 0.0
    for i in range(count):
        state = bounds.states[i]
        if bounds.low[state] < bounds.high[state]:
            gap = max(gap, bounds.high[state] - bounds.low[state])
    return gap


def begin_values(
    graph: Graph, begin: int, end: int, count: int, sign: int, rounds: float, bounds: Bounds,
    place: Any, stop: Any,
) -> None:  # fmt: skip
    """Guess values of a component first; bound what it pays by `rounds` of its greatest payment."""
    low, high, value, lower, upper, states, _, chosen = bounds
    first, child, reward = graph.first, graph.child, graph.reward
    least = most = pays_least = pays_most = 0.0
    place[4], place[5], place[6] = 0, 0, CHECKS
    for i in range(begin, end):
        state = graph.order[i]
        lower[state], upper[state] = low[state], high[state]
        if low[state] == high[state]:
            value[state] = low[state]
    for i in range(count):
        state = states[i]
        chosen[state] = NONE
        if value[state] != 0.0 and low[state] < high[state]:
            place[5] = 1  # free cycles would confirm a guess that is too good
        for branch in range(first[state], first[state + 1] if len(reward) > 0 else first[state]):
            if graph.part[child[branch]] != graph.part[state]:
                least = min(least, low[child[branch]])
                most = max(most, high[child[branch]])
            pays_least = min(pays_least, reward[branch])
            pays_most = max(pays_most, reward[branch])
    less, more = -2.0 * rounds * pays_least - least, 2.0 * rounds * pays_most + most
    for side in (-1, 1) if len(reward) > 0 else (0, 0):
        if side != 0:
            margin = less if side < 0 else more
            prove(graph, count, side, value, margin, 0.0, CHECKS, bounds, stop)
    if sign == 0 and place[5] == 0:
        begin_guess(graph, count, bounds, stop)


def guess(
    graph: Graph, count: int, branches: int, sign: int, bounds: Bounds, below: float,
    wanted: float, place: Any, marks: Any, stop: Any, portion: int,
) -> tuple[bool, float, int]:  # fmt: skip
    """Sweep guessed values of a component, and prove bounds around them when they hardly change.

    This is optimistic value iteration (Hartmanns and Kaminski 2020). With a `sign`, the guesses are
    the lower (-1) or upper bounds (1). Between choices, the values of the chosen moves are computed
    (Puterman and Shin 1978). Return whether nothing more can be gained by it, the widest interval,
    and what is left of a portion of visits.
    """
    column = bounds.value
    if sign != 0:
        column = bounds.low if sign < 0 else bounds.high
    rate, before, is_over = 2.0, 0.0, False
    gap = inf
    while not is_over and portion > 0 and stop[0] == 0:
        if sign == 0:
            change, scale = iterate(graph, bounds.states, 0, count, False, bounds, stop)
        else:
            _, change = sweep(graph, bounds.states, count, sign, True, column, stop)
            scale = 1.0
        place[1] += 1
        place[2] += count > 1
        portion -= branches
        # Choices of two players may follow each other in a circle.
        evaluates = sign == 0 and place[5] == 0 and place[3] <= 64 * PATIENCE
        if not evaluates:
            rate = change / before if before > 0.0 else 2.0
            before = change
        floor = FLOOR * scale
        # Changes that shrink geometrically, by this rate, sum to the error.
        error = change / (1.0 - rate) if rate < 1.0 else inf
        is_settled = change <= floor or error <= wanted / 8 * 0.25 ** place[4]
        if not is_settled and place[1] < place[3]:
            if evaluates:
                rate = evaluate(graph, count, change, bounds, marks, place, stop)
                portion -= branches
            continue
        sweeps = CHECKS + (8 + place[1] // 4 if is_settled else 0)
        margin = below / 2 + max(wanted / 2, 0.0 if is_settled else change * place[1])
        place[3] *= 4 if place[1] >= place[3] else 1
        place[4] += is_settled
        is_first = True
        while is_first or change <= floor and margin < min(gap / 2, MOST_WIDE * (scale + 1.0)):
            if not is_first:  # rounding refutes a closer guess
                margin = WIDEN * max(margin, floor)
            is_first = False
            for side in (-1, 1):
                steep = scale if len(graph.reward) > 0 else 0.0
                # One side needs no proof.
                if side != sign:
                    prove(graph, count, side, column, margin, steep, sweeps, bounds, stop)
            gap = widest(bounds, count)
            if gap <= below + wanted:
                break
        is_over = gap <= below + wanted or change <= floor
    return is_over, gap, portion


def shrink(
    graph: Graph, component: int, begin: int, end: int, count: int, branches: int, plan: Any,
    bounds: Bounds, goal: float, endless: tuple[float, float], discounted: bool, place: Any,
    scratch: Scratch, stop: Any, portion: int,
) -> tuple[bool, int]:  # fmt: skip
    """Sweep the bounds of a component from outside; return if that is over, and what is left."""
    low, high, states = bounds.low, bounds.high, bounds.states
    while portion > 0 and stop[0] == 0:
        gains = 0.0
        for side in (-1, 1):
            _, gain = sweep(graph, states, count, side, True, low if side < 0 else high, stop)
            gains = max(gains, gain)
        place[1] += 1
        place[2] += 1
        portion -= 2 * branches
        gap = widest(bounds, count)
        changed = gains > 0.0
        if gap <= goal:
            return True, portion
        if plan[component] == DEFLATE and (not changed or place[1] % place[3] == 0):
            place[3] *= 2
            changed = deflate(
                graph, component, begin, end, low, high, endless, discounted, gap, scratch
            ) or changed  # fmt: skip
            portion -= ROUNDS * (end - begin) * branches
        if not changed and stop[0] == 0:
            return True, portion
    return False, portion


def narrow(
    graph: Graph, plan: Any, bounds: Bounds, endless: tuple[float, float], wanted: float,
    discounted: bool, rounds: float, place: Any, marks: Any, scratch: Scratch, stop: Any,
    portion: int,
) -> None:  # fmt: skip
    """Narrow the bounds of all states, one component after the other.

    `place` has the component, its sweeps so far, the sweeps of all components, after how many
    sweeps a component is looked at closely, how many of its guesses were refuted, whether play can
    go on for ever in it without payments, and after how many sweeps values are extrapolated. Return
    after about so many visits of branches, or when another thread sets `stop`. Every proven bound
    is rounded outward.
    """
    low, high, value, lower, upper, _, _, _ = bounds
    while place[0] < len(graph.ends) and portion > 0 and stop[0] == 0:
        component = place[0]
        begin = graph.ends[component - 1] if component > 0 else 0
        end = graph.ends[component]
        count, branches, below = collect(graph, begin, end, bounds)
        sign = plan[component] - AROUND
        if abs(sign) <= 1:
            if place[1] == 0:
                place[3] = 8 * PATIENCE
                begin_values(graph, begin, end, count, sign, rounds, bounds, place, stop)
            is_over, gap, portion = guess(
                graph, count, branches, sign, bounds, below, wanted, place, marks, stop, portion
            )
            if is_over and gap > below + wanted:
                plan[component] = SWEEP if sign == 0 else DEFLATE
                place[1] = 0
                is_over = False
        else:
            place[3] = PATIENCE if place[1] == 0 else place[3]
            is_over, portion = shrink(
                graph, component, begin, end, count, branches, plan, bounds, below + wanted,
                endless, discounted, place, scratch, stop, portion,
            )  # fmt: skip
        if is_over:
            for i in range(begin, end):
                state = graph.order[i]
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
