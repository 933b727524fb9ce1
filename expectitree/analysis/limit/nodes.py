"""What is counted and handed down node by node: plain loops over columns, interpreted or compiled as they stand."""

from __future__ import annotations

from typing import Any, NamedTuple

from expectitree.tree.model import Column

# What is asked of a node (the column `wants`, a sum).
EXACT = 1  # the fewest leaves that force its value
UPPER = 2  # its list of upper bounds
LOWER = 4  # its list of lower bounds

TERMINAL, MAX, MIN, CHANCE = range(4)


class Shape(NamedTuple):
    """The branches that matter, as in the tree's own columns."""

    kind: Column  # [N]
    first: Column  # [N+1]
    child: Column  # [M]
    factor: Column  # [M] what a number of the child is multiplied with: the probability, in exact mode an integer
    group: Column  # [M] branches of a node that share leaves have the same number, and stand together; [1] if none do
    most: Column  # [N] the leaves below that are not known; [1] where they need not be counted


def find_wants(shape: Shape, value: Column, eps: Any, wants: Column) -> tuple[int, int]:
    """Write what is asked of every node, so that the root's two counts can be told; return the steps of each side.

    What MAX is worth is forced by forcing a best child and proving of every other that it is worth
    no more; of the best action at a MAX root by lower bounds of a best child and upper bounds of
    the others. MIN mirrors.
    """
    kind, first, child, factor, _, _ = shape
    root = len(kind) - 1
    wants[root] = EXACT
    upper_steps = lower_steps = 0
    for n in range(root, -1, -1):
        w = wants[n]
        k = kind[n]
        begin = int(first[n])
        end = int(first[n + 1])
        for b in range(begin, end):
            f = factor[b]
            if f == 0:  # an outcome of probability 0 needs no proof, and is none
                continue
            c = child[b]
            want = w & (UPPER | LOWER)
            if w & EXACT:
                if k == CHANCE:
                    want |= EXACT
                else:
                    difference = f * value[c] - value[n]
                    is_best = difference >= -eps if k == MAX else difference <= eps
                    want |= UPPER if k == MAX else LOWER
                    if is_best:
                        want |= EXACT
                        if n == root and end - begin > 1:
                            want |= UPPER | LOWER
            wants[c] |= want
        if w & UPPER:
            upper_steps += max(end - begin, 1)
        if w & LOWER:
            lower_steps += max(end - begin, 1)
        if w & EXACT and k == MAX:
            upper_steps += end - begin
        if w & EXACT and k == MIN:
            lower_steps += end - begin
    return upper_steps, lower_steps


def count_exact(
    shape: Shape,
    value: Column,
    known: Column,
    wants: Column,
    eps: Any,
    upper_step: Column,
    lower_step: Column,
    upper_counts: Column,
    lower_counts: Column,
    need: Column,
    exact: Column,
    choice: Column,
) -> None:
    """Write the fewest leaves that force the value of each node of which that is asked, and the child to force.

    `upper_step[M]`, `lower_step[M]` are the COUNT steps of the branches, `…_counts[S]` their
    numbers of leaves. CHANCE: the sum over its outcomes. MAX: the least, over its best children, of
    what forces that child and proves of every other that it is worth no more; MIN mirrors. Of
    children that share leaves the neediest counts for all.
    """
    kind, first, child, factor, group, most = shape
    grouped = len(group) > 1
    for n in range(len(kind)):
        if not wants[n] & EXACT:
            continue
        k = kind[n]
        if k == TERMINAL:
            exact[n] = 1 - known[n]
            continue
        begin = int(first[n])
        end = int(first[n + 1])
        total = 0
        b = begin
        while b < end:  # a group of branches after another
            neediest = 0
            g = b
            while b < end and (b == g or grouped and group[b] == group[g]):
                if factor[b] == 0:
                    pass
                elif k == CHANCE:
                    neediest = max(neediest, exact[child[b]])
                else:
                    need[b] = (
                        upper_counts[upper_step[b]] if k == MAX else lower_counts[lower_step[b]]
                    )
                    neediest = max(neediest, need[b])
                b += 1
            total += neediest
        if k != CHANCE:
            least = -1
            b = begin
            while b < end:
                neediest = 0
                g = b
                while b < end and (b == g or grouped and group[b] == group[g]):
                    neediest = max(neediest, need[b])
                    b += 1
                for c in range(g, b):
                    difference = factor[c] * value[child[c]] - value[n]
                    if difference >= -eps if k == MAX else difference <= eps:
                        found = total - neediest + max(neediest, exact[child[c]])
                        if least < 0 or found < least:
                            least = found
                            choice[n] = c
            total = least
        exact[n] = min(total, most[n]) if len(most) > 1 else total


def choose_exact(
    shape: Shape,
    choice: Column,
    need: Column,
    known: Column,
    upper_step: Column,
    lower_step: Column,
    forced: Column,
    upper_demand: Column,
    lower_demand: Column,
    chosen: Column,
) -> None:
    """Hand down what forces the root's value: the nodes to force (`forced[N]`), and the proofs that go with them."""
    kind, first, child, factor, _, _ = shape
    forced[len(kind) - 1] = 1
    for n in range(len(kind) - 1, -1, -1):
        if not forced[n]:
            continue
        k = kind[n]
        if k == TERMINAL:
            chosen[n] = 1 - known[n]
            continue
        for b in range(int(first[n]), int(first[n + 1])):
            c = child[b]
            if k == CHANCE:
                if factor[b] != 0:
                    forced[c] = 1
            elif b == choice[n]:
                forced[c] = 1
            elif k == MAX:
                upper_demand[upper_step[c]] = max(upper_demand[upper_step[c]], need[b])
            else:
                lower_demand[lower_step[c]] = max(lower_demand[lower_step[c]], need[b])


def sift(
    shape: Shape,
    value: Column,
    lower: Column,
    upper: Column,
    greatest: Any,
    eps: Any,
    for_value: bool,
    leaves: Column,
    drop: bool,
    chosen: Column,
    low: Column,
    high: Column,
    enough: Column,
) -> None:
    """Write for each of some leaves whether the chosen ones are enough without it: for the root's value, or its action.

    Where they are, and `drop`, they do without it from then on. A leaf -1 stands for none.
    `low[N]`, `high[N]` are the intervals that the chosen leaves, without the last one, leave to
    every node; an end beyond `greatest` is open.
    """
    kind, first, child, factor, _, _ = shape
    root = len(kind) - 1
    zero = eps - eps
    for i in range(len(leaves)):
        leaf = leaves[i]
        if leaf >= 0:
            chosen[leaf] = 0
        for n in range(len(kind)):
            k = kind[n]
            if k == TERMINAL:
                low[n] = value[n] if chosen[n] else lower[n]
                high[n] = value[n] if chosen[n] else upper[n]
                continue
            x = y = zero
            is_first = True
            for b in range(int(first[n]), int(first[n + 1])):
                f = factor[b]
                if f == 0:
                    continue
                u = low[child[b]]
                v = high[child[b]]
                if u >= -greatest:
                    u = f * u
                if v <= greatest:
                    v = f * v
                if is_first:
                    x = u
                    y = v
                elif k == CHANCE:
                    x = x + u if x >= -greatest and u >= -greatest else min(x, u)
                    y = y + v if y <= greatest and v <= greatest else max(y, v)
                elif k == MAX:
                    x = max(x, u)
                    y = max(y, v)
                else:
                    x = min(x, u)
                    y = min(y, v)
                is_first = False
            low[n] = x
            high[n] = y
        if for_value:
            enough[i] = (
                low[root] >= -greatest and high[root] <= greatest and high[root] - low[root] <= eps
            )
        else:
            # The greatest that any action may be worth, and the greatest that any other may;
            # mirrored at MIN.
            sign = 1 if kind[root] == MAX else -1
            begin = int(first[root])
            end = int(first[root + 1])
            at = -1
            most = second = zero
            for b in range(begin, end):
                v = high[child[b]] if sign > 0 else -low[child[b]]
                if v <= greatest:
                    v = factor[b] * v
                if at < 0 or v > most:
                    second = most
                    most = v
                    at = b
                elif b == begin + 1 or v > second:  # (after the first branch there was none)
                    second = v
            enough[i] = end - begin == 1
            for b in range(begin, end):
                u = low[child[b]] if sign > 0 else -high[child[b]]
                if u >= -greatest:
                    u = factor[b] * u
                if u >= (second if b == at else most) - eps:
                    enough[i] = 1
        if leaf >= 0 and not (drop and enough[i]):
            chosen[leaf] = 1
