"""Make a tree of columns that a file or a generator provides; the columns are checked, not copied.

Compiled loops check no index. So they may only read columns that `TreeBuilder` made or that `adopt`
has checked.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.numbers import MAX_FLOAT, Number, exact_text, quote
from expectitree.base.tree.bounds import outside_bounds
from expectitree.base.tree.builder import label_at, normalised
from expectitree.base.tree.columns import (
    CHANCE,
    MAX_IDS,
    NUMBER_WORDS,
    ROUNDING,
    SUM_TOLERANCE,
    TERMINAL,
    Columns,
    IntColumn,
    Labels,
    Repeated,
    zeros,
)
from expectitree.base.tree.model import TALLEST, Tree
from expectitree.base.tree.scans import measure


def adopt(
    columns: Columns,
    label: Labels | None = None,
    *,
    unknown: Collection[int] = (),
    **about: Any,
) -> Tree:
    """Return the tree of some columns: arrays or memory views with the type codes B, d, I, I, d, d.

    `about` are further fields of `Tree`. Labels are not checked; `check_labels` does that. The
    terminals in `unknown`, and no others, have the utility NaN. Raises `TreeError` for the first
    row that is wrong.
    """
    count, branches = len(columns.kind), len(columns.child)
    if not count:
        raise TreeError("there are no nodes: a tree has at least one")
    if max(count, branches) > MAX_IDS:
        raise TreeError(
            f"{max(count, branches):,} rows are more than a table can have: {MAX_IDS:,}"
        )
    if label is None:
        label = Repeated(None, branches)
    _check_shapes(columns, label)
    columns = Columns.of(*columns.stored)  # `last` could be anything
    heights = zeros("H", count)
    fault, row, sums = columns.scan(find_fault, heights, bool(unknown))
    if not fault:
        *measures, row = columns.scan(measure, heights, REACHED)
        if row != count - 1:
            fault = UNREACHED
    if fault:
        raise TreeError(f"node {row}: {fault_message(columns, fault, row)}")
    if sums:
        columns = columns._replace(probability=array("d", normalised(columns, columns.probability)))
    tree = Tree(columns, label).changed(**about)
    vars(tree)["_measures"] = measures  # a cached property, as the next one
    if heights[-1] < TALLEST:
        vars(tree)["heights"] = heights
    _check_annotations(tree)
    if unknown:
        _check_unknown(tree, unknown)
    if tree.local_bounds:
        for node, message in outside_bounds(tree, None):
            raise TreeError(f"node {node}: {message}")
    return tree


def _check_annotations(tree: Tree) -> None:
    count, branches = len(tree), len(tree.columns.child)
    for what, rows, most in (
        ("bounds", tree.local_bounds, count),
        ("a note", tree.notes, count),
        ("a note", tree.branch_notes, branches),
        ("an estimate", tree.estimated, count),
    ):
        for row in rows:
            if not 0 <= row < most:
                raise TreeError(f"there is {what} for row {row}, and the table has {most:,}")
    for node in tree.estimated:
        if tree.columns.kind[node]:
            raise TreeError(f"node {node}: it is marked as an estimate, but is not a terminal")


def _check_shapes(columns: Columns, label: Labels) -> None:
    count, branches = len(columns.kind), len(columns.child)
    lengths = (count, count, count + 1, branches, branches, branches * columns.pays)
    names = ("kind", "utility", "first", "child", "probability", "reward")
    for name, code, rows in zip(names, "BdIIdd", lengths, strict=True):
        column = memoryview(getattr(columns, name))
        if column.format != code:
            raise TreeError(
                f"the column {name} holds numbers of type {column.format!r}, expected type {code!r}"
            )
        if len(column) != rows:
            raise TreeError(
                f"the column {name} has {len(column):,} rows, expected {rows:,} "
                "to match the other columns"
            )
    if len(label) != branches:
        raise TreeError(
            f"the column label has {len(label):,} rows, expected {branches:,}, one for each branch"
        )


# What `find_fault` finds.
NO_FAULT, WRONG_KIND, WRONG_RANGE, WRONG_WIDTH, WRONG_CHILD = range(5)
WRONG_UTILITY, WRONG_PROBABILITY, WRONG_SUM, WRONG_REWARD, UNREACHED = range(5, 10)
REACHED = TALLEST + 1  # added to the height of a node to which a branch leads


def find_fault(tree: Columns, height: IntColumn, some_unknown: bool) -> tuple[int, int, int]:
    """Return the first fault (a constant above), its row, and how many sums miss 1 slightly.

    Write heights, as `measure_heights` does, all 0 at first; those of nodes to which a branch leads
    are greater by `REACHED`. (`measure` finds a node to which none leads.) With `some_unknown`, a
    terminal's utility may be NaN. If there is no fault, every index that a loop takes from these
    columns lies within them. This is a loop over columns, to be interpreted or compiled.
    """
    kind, utility, first = tree.kind, tree.utility, tree.first
    child, probability, reward = tree.child, tree.probability, tree.reward
    pays = len(reward) > 0
    least, greatest = -MAX_FLOAT, MAX_FLOAT
    sums = 0
    if first[0] != 0:
        return WRONG_RANGE, 0, 0
    for n in range(len(kind)):
        k = kind[n]
        if k > CHANCE:
            return WRONG_KIND, n, 0
        begin = first[n]
        end = first[n + 1]
        if end < begin or end > len(child):
            return WRONG_RANGE, n, 0
        if (k == TERMINAL) != (end == begin):
            return WRONG_WIDTH, n, 0
        u = utility[n]
        if not least <= u <= greatest and not (u != u and (k != TERMINAL or some_unknown)):
            return WRONG_UTILITY, n, 0
        if k == TERMINAL:
            continue
        highest = 0
        total = 0.0
        lost = 0.0  # what rounding took from the total (Neumaier's sum, for p from 0 to 1)
        for b in range(begin, end):
            c = child[b]
            if c >= n:
                return WRONG_CHILD, n, 0
            h = height[c]
            if h < REACHED:
                height[c] = h + REACHED
            else:
                h -= REACHED
            if h > highest:
                highest = h
            if pays and not least <= reward[b] <= greatest:
                return WRONG_REWARD, n, 0
            p = probability[b]
            if k == CHANCE:
                if not 0 <= p <= 1:
                    return WRONG_PROBABILITY, n, 0
                new = total + p
                lost += (total - new) + p if total >= p else (p - new) + total
                total = new
            elif p != 1:
                return WRONG_PROBABILITY, n, 0
        height[n] = highest + 1 if highest < TALLEST else TALLEST
        if k == CHANCE:
            missing = (total - 1) + lost
            if not -SUM_TOLERANCE <= missing <= SUM_TOLERANCE:
                return WRONG_SUM, n, 0
            if not -ROUNDING <= missing <= ROUNDING:
                sums += 1
    if first[len(kind)] != len(child):
        return WRONG_RANGE, len(kind) - 1, 0
    return NO_FAULT, 0, sums


def fault_message(columns: Columns, fault: int, n: int) -> str:
    """Return the message for a fault that `find_fault` found at node n."""
    kind, begin, end = columns.kind[n], columns.first[n], columns.first[n + 1]
    probability = columns.probability[begin:end]
    if fault == WRONG_RANGE:
        return (
            f"its branches are {begin} to {end} of {len(columns.child):,}: they must follow those "
            "of the node before it"
        )
    if fault == WRONG_KIND:
        return f"the kind is {kind}, expected 0 to 3 (TERMINAL, MAX, MIN, CHANCE)"
    if fault == WRONG_WIDTH:
        if kind:
            return "it has no children: give it at least one, or make it a terminal"
        return f"it is a terminal, and has {end - begin} children: terminals have none"
    if fault == WRONG_CHILD:
        child = next(c for c in columns.child[begin:end] if c >= n)
        return f"its child is node {child}: children come before their parents"
    if fault == WRONG_UTILITY:
        return (
            f"the {NUMBER_WORDS[kind]} is {_found(columns.utility[n])}, expected a number up "
            "to 10^301"
        )
    if fault == WRONG_PROBABILITY:
        if kind == CHANCE:
            p = next(p for p in probability if not 0 <= p <= 1)
            return f"a probability is {p!r}, expected a number from 0 to 1"
        p = next(p for p in probability if p != 1)
        return f"the probability of an action is {p!r}: below MAX and MIN it is 1"
    if fault == WRONG_SUM:
        return f"the probabilities sum to {exact_text(sum(probability))}, expected 1"
    if fault == WRONG_REWARD:
        rewards = enumerate(columns.reward[begin:end], start=1)
        place, r = next((row, r) for row, r in rewards if not -MAX_FLOAT <= r <= MAX_FLOAT)
        return f"the reward of branch #{place} is {_found(r)}, expected a number up to 10^301"
    return "no branch leads to it: every node except the root, the last row, is a child"


def _found(number: Number) -> str:
    if number == number:
        return exact_text(number)
    return "missing"


def _check_unknown(tree: Tree, unknown: Collection[int]) -> None:
    """Raise `TreeError` unless the terminals with the utility NaN are those listed as unknown."""
    listed, unknowns = set(unknown), set(tree.unknown)
    if missing := unknowns - listed:
        n = min(missing)
        raise TreeError(f"node {n}: {fault_message(tree.columns, WRONG_UTILITY, n)}")
    if wrong := listed - unknowns:
        raise TreeError(
            f"node {min(wrong)}: it is listed as unknown, but is not a terminal without a utility"
        )


def check_labels(columns: Columns, label: Labels) -> Iterator[str]:
    """Yield a message for each wrong label: empty, `#k` at another place, or that of a sibling."""
    for n, (begin, end) in enumerate(zip(columns.first, columns.last, strict=False)):
        seen = set()
        for place, text in enumerate(label[begin:end], start=1):
            if text is None:
                continue
            try:
                label_at(text, place)
            except TreeError as error:
                yield f"node {n}: {error}"
            if text in seen:
                yield f"node {n}: duplicate label {quote(text)} among siblings: give each its own"
            seen.add(text)
