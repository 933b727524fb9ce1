"""What k leaves can prove, for every k: plain loops over columns, to be interpreted or compiled as they stand.

A list says of a node: with so many leaves looked at, its value can be proved to be at most this. It
falls, and ends where it comes to the node's value. Lower bounds are the same lists of the mirrored
tree: MAX and MIN swapped, numbers negated (`sign` -1).

Lists are made by steps of at most two operands, so a node of m children takes m - 1 steps, paired
off like a tournament. Summed over a tree that is quadratic in the leaves: any two of them meet in
one step only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree.analysis.limit.nodes import CHANCE, EXACT, LOWER, MAX, MIN, TERMINAL, UPPER, Shape
from expectitree.tree.model import Column

# What a step does (the column `op`).
LEAF = 0  # its bound, and after one look its value
SUM = 1  # CHANCE: the leaves are split among the outcomes
WORST = 2  # the player that may take any child, so all must be proved: the leaves are split
BEST = 3  # the player of whose children one proof is enough
SUM_TOGETHER = 4  # the same as SUM and WORST of children that share leaves, each of which may serve all of them
WORST_TOGETHER = 5
COUNT = (
    6  # the fewest leaves that prove a child to be worth no more than its parent: kept in `start`
)


class Plan(NamedTuple):
    """The steps that make all lists of one side; every operand comes before its use."""

    op: Column  # [S] a constant above
    left: Column  # [S] a step; of LEAF the node
    right: Column  # [S]
    left_factor: Column  # [S]
    right_factor: Column  # [S]
    final: Column  # [S] where the list ends: the value of what it is about
    bound: Column  # [S] of LEAF: what is known without a look
    is_open: Column  # [S] of LEAF: nothing is known
    cap: Column  # [S] the most leaves that are of use
    last: Column  # [S] the last step that uses this one


class Lists(NamedTuple):
    """Where the lists are: the leaves from `start` on have a bound; before that there is none."""

    begin: Column  # [S] where it begins in the column of all numbers
    start: Column  # [S] leaves of its first number
    length: Column  # [S]
    full: Column  # [S] its last number stands for all leaves below, which are fewer than the proof would count


def make_plan(
    shape: Shape,
    value: Column,
    bound: Column,
    wants: Column,
    sign: Any,
    greatest: Any,
    eps: Any,
    plan: Plan,
    step_of: Column,
    need_step: Column,
    queue: Column,
    queue_factor: Column,
) -> tuple[int, int, int, int]:
    """Write the steps of one side: upper bounds with `sign` 1, lower bounds with -1.

    `step_of[N]` gets the step that makes a node's list, `need_step[M]` the COUNT of a branch. A
    bound beyond `greatest` is none. Return how many steps there are, the numbers in all lists at
    most, those of the longest pair, and the additions that it takes at most.
    """
    kind, first, child, factor, group, most = shape
    op, left, right, left_factor, right_factor, final, bound_of, is_open, cap, last = plan
    wanted = UPPER if sign > 0 else LOWER
    worst = MAX if sign > 0 else MIN
    grouped = len(group) > 1
    capped = len(most) > 1
    one = sign * sign
    s = numbers = additions = 0
    longest = 4
    for n in range(len(kind)):
        w = wants[n]
        k = kind[n]
        if k == TERMINAL:
            if w & wanted:
                op[s] = LEAF
                left[s] = n
                final[s] = sign * value[n]
                if sign * bound[n] > greatest:
                    is_open[s] = 1
                else:
                    bound_of[s] = sign * bound[n]
                cap[s] = 1 if is_open[s] or bound_of[s] > final[s] + eps else 0
                step_of[n] = s
                numbers += 2
                s += 1
            continue
        begin = int(first[n])
        end = int(first[n + 1])
        if w & EXACT and k == worst:
            for b in range(begin, end):
                op[s] = COUNT
                left[s] = step_of[child[b]]
                left_factor[s] = factor[b]
                final[s] = sign * value[n]
                last[left[s]] = s
                need_step[b] = s
                s += 1
        if not w & wanted:
            continue
        count = 0
        for b in range(begin, end):
            if factor[b] != 0:
                queue[count] = step_of[child[b]]
                queue_factor[count] = factor[b]
                count += 1
        split = SUM if k == CHANCE else WORST if k == worst else BEST
        together = grouped and split != BEST
        # First the children that share leaves (there no branch of probability 0 is left in), then
        # all that remain.
        while count > 1 or together:
            half = j = 0
            while j < count:
                x = queue[j]
                x_factor = queue_factor[j]
                j += 1
                while j < count and (
                    group[begin + j] == group[begin + j - 1] if together else j % 2 == 1
                ):
                    y = queue[j]
                    y_factor = queue_factor[j]
                    j += 1
                    how = split
                    if together:
                        how = SUM_TOGETHER if split == SUM else WORST_TOGETHER
                    op[s] = how
                    left[s] = x
                    right[s] = y
                    left_factor[s] = x_factor
                    right_factor[s] = y_factor
                    u = x_factor * final[x]
                    v = y_factor * final[y]
                    if split == SUM:
                        final[s] = u + v
                    elif split == WORST:
                        final[s] = u if u > v else v
                    else:
                        final[s] = u if u < v else v
                    if how in (SUM, WORST):
                        both = cap[x] + cap[y]
                        cap[s] = min(both, most[n]) if capped else both
                    else:
                        cap[s] = max(cap[x], cap[y])
                    additions += (cap[x] + 1) * (cap[y] + 1) if how == SUM else cap[x] + cap[y] + 2
                    numbers += cap[s] + 1
                    if cap[x] + cap[y] + 4 > longest:
                        longest = cap[x] + cap[y] + 4
                    last[x] = s
                    last[y] = s
                    x = s
                    x_factor = one
                    s += 1
                queue[half] = x
                queue_factor[half] = x_factor
                half += 1
            count = half
            together = False
        step_of[n] = queue[0]  # of a single child, which is certain
    return s, numbers, longest, additions


def fill(
    plan: Plan, lists: Lists, values: Column, step: int, stop: int, used: int, eps: Any
) -> tuple[int, int]:
    """Make the lists of the steps from `step` up to `stop`, from `used` on in the column of numbers.

    Return the step after the last that was made, which is earlier than `stop` where there was no
    more room, and how many numbers are used. One long function, since compiled loops call no
    others.
    """
    op, left, right, left_factor, right_factor, final, bound, is_open, cap, _ = plan
    begin, start, length, full = lists
    for s in range(step, stop):
        how = op[s]
        limit = final[s] + eps  # a bound within eps of the value says all
        if how == LEAF:
            if used + 2 > len(values):
                return s, used
            begin[s] = used
            start[s] = is_open[s]
            if cap[s] > 0 and not is_open[s]:
                values[used] = bound[s]
                used += 1
            values[used] = final[s]
            used += 1
            length[s] = used - begin[s]
            continue
        a = begin[left[s]]
        a_start = start[left[s]]
        a_length = length[left[s]]
        fa = left_factor[s]
        if how == COUNT:
            i = 0
            while i < a_length - 1 and fa * values[a + i] > limit:
                i += 1
            start[s] = a_start + i
            continue
        b = begin[right[s]]
        b_start = start[right[s]]
        b_length = length[right[s]]
        fb = right_factor[s]
        if used + a_length + b_length + 2 + abs(a_start - b_start) > len(values):
            return s, used
        at = used
        if how == SUM:
            from_leaves = a_start + b_start
            if a_length > b_length:  # the inner loop is the longer one
                a, b = b, a
                a_length, b_length = b_length, a_length
                fa, fb = fb, fa
            size = a_length + b_length - 1
            x = fa * values[a]
            for j in range(b_length):
                values[at + j] = x + fb * values[b + j]
            x = fb * values[b + b_length - 1]
            for i in range(1, a_length):
                values[at + b_length - 1 + i] = fa * values[a + i] + x
            for i in range(1, a_length):
                if values[a + i] == values[a + i - 1]:
                    continue
                x = fa * values[a + i]
                for j in range(b_length):
                    y = x + fb * values[b + j]
                    if y < values[at + i + j]:
                        values[at + i + j] = y
            for i in range(1, size):
                if values[at + i] > values[at + i - 1]:
                    values[at + i] = values[at + i - 1]
            i = 0
            while i < size - 1 and values[at + i] > limit:
                i += 1
            size = i + 1
        elif how == WORST:
            # The greatest of all numbers must be bettered first, whichever child's it is: k looks
            # remove k of them.
            from_leaves = a_start + b_start
            i = j = size = 0
            while i < a_length or j < b_length:
                if j == b_length or i < a_length and fa * values[a + i] >= fb * values[b + j]:
                    x = fa * values[a + i]
                    i += 1
                else:
                    x = fb * values[b + j]
                    j += 1
                values[at + size] = x
                size += 1
                if x <= limit:
                    break
        else:
            # Pointwise, each list going on with its last number; BEST needs but one of them to have
            # begun.
            if how == BEST:
                from_leaves = min(a_start, b_start)
            else:
                from_leaves = max(a_start, b_start)
            end = max(a_start + a_length, b_start + b_length)
            size = 0
            for k in range(from_leaves, end):
                i = min(k - a_start, a_length - 1)
                j = min(k - b_start, b_length - 1)
                if i < 0:
                    x = fb * values[b + j]
                elif j < 0:
                    x = fa * values[a + i]
                else:
                    x = fa * values[a + i]
                    y = fb * values[b + j]
                    if how == SUM_TOGETHER:
                        x += y
                    elif y < x if how == BEST else y > x:
                        x = y
                values[at + size] = x
                size += 1
                if x <= limit:
                    break
        if from_leaves + size - 1 > cap[s]:  # all leaves below are fewer, since paths share them
            full[s] = 1
            size = cap[s] - from_leaves + 1
            if size < 1:
                size = 1
                from_leaves = cap[s]
            values[at + size - 1] = final[s]
        begin[s] = at
        start[s] = from_leaves
        length[s] = size
        used += size
    return stop, used


def trace_back(
    plan: Plan, lists: Lists, values: Column, demand: Column, chosen: Column, step: int, stop: int
) -> None:
    """Hand the leaves that were demanded of the steps from `stop` down to `step` on to their operands.

    `demand[S]` is how many leaves a step may take for its proof; a leaf that gets one is marked in
    `chosen[N]`.
    """
    op, left, right, left_factor, right_factor, _, _, _, _, _ = plan
    begin, start, length, full = lists
    for s in range(stop - 1, step - 1, -1):
        how = op[s]
        if how == COUNT or demand[s] <= 0:
            continue
        end = start[s] + length[s] - 1
        k = min(demand[s], end)
        if k <= 0:
            continue
        one = left[s]
        if how == LEAF:
            chosen[one] = 1
            continue
        other_one = right[s]
        a = begin[one]
        b = begin[other_one]
        a_start = start[one]
        b_start = start[other_one]
        a_last = length[one] - 1
        b_last = length[other_one] - 1
        fa = left_factor[s]
        fb = right_factor[s]
        i = a_last
        j = b_last
        if full[s] and k == end:
            pass  # all leaves below: whatever proves each of them
        elif how == SUM:
            least = max(0, k - a_start - b_start - b_last)
            most = min(a_last, k - a_start - b_start)
            i = least
            j = min(k - a_start - i - b_start, b_last)
            lowest = fa * values[a + i] + fb * values[b + j]
            for other in range(least + 1, most + 1):
                rest = min(k - a_start - other - b_start, b_last)
                x = fa * values[a + other] + fb * values[b + rest]
                if x < lowest:
                    lowest = x
                    i = other
                    j = rest
        elif how == WORST:
            t = values[begin[s] + k - start[s]]
            i = j = 0
            while i < a_last and fa * values[a + i] > t:
                i += 1
            while j < b_last and fb * values[b + j] > t:
                j += 1
        else:  # BEST (those that go together are never traced)
            i = min(k - a_start, a_last)
            j = min(k - b_start, b_last)
            if j < 0 or i >= 0 and fa * values[a + i] <= fb * values[b + j]:
                while i > 0 and values[a + i - 1] == values[a + i]:
                    i -= 1
                j = -b_start
            else:
                while j > 0 and values[b + j - 1] == values[b + j]:
                    j -= 1
                i = -a_start
        demand[one] = max(demand[one], a_start + i)
        demand[other_one] = max(demand[other_one], b_start + j)


def compact(plan: Plan, lists: Lists, values: Column, step: int) -> int:
    """Move the lists that are used from `step` on to the beginning of the column; return how many numbers they have."""
    begin, _, length, _ = lists
    last = plan.last
    used = 0
    for s in range(step):
        if last[s] >= step:
            at = begin[s]
            begin[s] = used
            for i in range(length[s]):
                values[used + i] = values[at + i]
            used += length[s]
    return used


def place(plan: Plan, lists: Lists, step: int) -> None:
    """Write where the lists that are used from `step` on begin after `compact`."""
    begin, _, length, _ = lists
    last = plan.last
    used = 0
    for s in range(step):
        if last[s] >= step:
            begin[s] = used
            used += length[s]
