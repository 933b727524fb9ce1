"""`adopt`: a tree of columns that something else made, a file or a generator; they are checked, not copied.

Compiled loops check no index, so nothing reaches them but what `TreeBuilder` made or what has
passed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from expectitree import compiling
from expectitree.errors import TreeError
from expectitree.numbers import GREATEST_FLOAT, exact_text, quote
from expectitree.tree.builder import ROUNDING, SUM_TOLERANCE, TreeBuilder, label_at, outside_bounds
from expectitree.tree.expectation import Expectation
from expectitree.tree.model import Bounds, Column, Columns, Repeated, Tree

MOST_ROWS = 2**31 - 1  # of either table
_CODES = Columns("B", "d", "I", "I", "d")


def adopt(
    columns: Columns,
    label: Sequence[str | None] | None = None,
    *,
    local_bounds: Mapping[int, Bounds] | None = None,
    notes: Mapping[int, str] | None = None,
    branch_notes: Mapping[int, str] | None = None,
    estimated: frozenset[int] = frozenset(),
    unknown: Sequence[int] = (),
    title: str | None = None,
    source: str | None = None,
    expect: Expectation | None = None,
) -> Tree:
    """Return the tree of some columns, as arrays or views of memory with the type codes B, d, I, I, d.

    Labels are not looked at (`check_labels` does). The terminals in `unknown`, and no others, have
    NaN for a utility: it is not known yet, where elsewhere it would be missing. Raises `TreeError`
    naming the first row that is wrong.
    """
    kind, utility, first, child, probability = columns
    count, branches = len(kind), len(child)
    for name, column, code in zip(Columns._fields, columns, _CODES, strict=True):
        found = memoryview(column).format
        if found != code:
            raise TreeError(
                f"the column {name} holds numbers of type {found!r}, expected type {code!r}"
            )
    if label is not None and len(label) != branches:
        raise TreeError(
            f"the column label has {len(label):,} rows, expected {branches:,}, one for each branch"
        )
    lengths = (
        ("utility", utility, count),
        ("first", first, count + 1),
        ("probability", probability, branches),
    )
    for name, column, rows in lengths:
        if len(column) != rows:
            raise TreeError(
                f"the column {name} has {len(column):,} rows, expected {rows:,} beside the other columns"
            )
    if not count:
        raise TreeError("there are no nodes: a tree has at least one")
    if max(count, branches) > MOST_ROWS:
        raise TreeError(
            f"{max(count, branches):,} rows are more than a table can have: {MOST_ROWS:,}"
        )
    reached = compiling.zeros("B", count)
    limits = (GREATEST_FLOAT, SUM_TOLERANCE, ROUNDING)
    fault, row, sums = compiling.run(
        find_fault, columns, reached, *limits, bool(unknown), rows=count
    )
    if fault:
        raise TreeError(_message(columns, fault, row))
    if sums:
        columns = columns._replace(probability=_divided_out(columns))
    if label is None:
        label = Repeated(None, branches)
    about = (local_bounds or {}, notes or {}, branch_notes or {})
    _check_notes(count, branches, *about, estimated)
    for node in estimated:
        if kind[node]:
            raise TreeError(f"node {node}: it is said to be an estimate, and is no terminal")
    tree = Tree(columns, label, False, *about, estimated, title, source, expect)
    if unknown:
        _check_unknown(tree, unknown)
    if local_bounds:
        for node, message in outside_bounds(tree, None):
            raise TreeError(f"node {node}: {message}")
    return tree


(
    KIND,
    RANGE,
    NO_CHILDREN,
    CHILDREN,
    CHILD,
    UTILITY,
    ESTIMATE,
    PROBABILITY,
    CERTAIN,
    SUM,
    UNREACHED,
) = range(1, 12)


def find_fault(
    tree: Columns,
    reached: Column,
    greatest: float,
    tolerance: float,
    rounding: float,
    some_unknown: bool,
) -> tuple[int, int, int]:
    """Return what is wrong first (a constant above, or 0) and in which row; and how many sums miss 1 by a little.

    Where `some_unknown`, a terminal's utility may be NaN. A loop over columns, to be interpreted or
    compiled. Once it has passed, every index that a loop takes from these columns lies within them.
    """
    kind, utility, first, child, probability = tree
    sums = 0
    if first[0] != 0:
        return 2, 0, 0  # RANGE
    for n in range(len(kind)):
        k = kind[n]
        if k > 3:
            return 1, n, 0  # KIND
        begin = first[n]
        end = first[n + 1]
        if end < begin or end > len(child):
            return 2, n, 0  # RANGE
        u = utility[n]
        if k == 0:
            if end != begin:
                return 4, n, 0  # CHILDREN
            if not -greatest <= u <= greatest and not (some_unknown and u != u):
                return 6, n, 0  # UTILITY
            continue
        if end == begin:
            return 3, n, 0  # NO_CHILDREN
        if u == u and not -greatest <= u <= greatest:
            return 7, n, 0  # ESTIMATE
        total = 0.0
        lost = 0.0  # what rounding took from the total (Neumaier's sum, for p from 0 to 1)
        for b in range(begin, end):
            c = child[b]
            if c >= n:
                return 5, n, 0  # CHILD
            reached[c] = 1
            p = probability[b]
            if k == 3:
                if not 0 <= p <= 1:
                    return 8, n, 0  # PROBABILITY
                new = total + p
                lost += (total - new) + p if total >= p else (p - new) + total
                total = new
            elif p != 1:
                return 9, n, 0  # CERTAIN
        if k == 3:
            missing = (total - 1) + lost
            if not -tolerance <= missing <= tolerance:
                return 10, n, 0  # SUM
            if not -rounding <= missing <= rounding:
                sums += 1
    if first[len(kind)] != len(child):
        return 2, len(kind) - 1, 0
    for n in range(len(kind) - 1):
        if reached[n] == 0:
            return 11, n, 0  # UNREACHED
    return 0, 0, sums


def _message(columns: Columns, fault: int, n: int) -> str:
    kind, utility, first, child, probability = columns
    if fault == RANGE:
        return (
            f"node {n}: its branches are {first[n]} to {first[n + 1]} of {len(child):,}: each node's follow on those "
            "of the node before it"
        )
    own = range(first[n], first[n + 1])
    at = f"node {n}: "
    if fault == KIND:
        return f"{at}the kind is {kind[n]}, expected 0 to 3 (TERMINAL, MAX, MIN, CHANCE)"
    if fault == NO_CHILDREN:
        return f"{at}it has no children: give it at least one, or make it a terminal"
    if fault == CHILDREN:
        return f"{at}it is a terminal, and has {len(own)} children: terminals have none"
    if fault == CHILD:
        c = next(child[b] for b in own if child[b] >= n)
        return f"{at}its child is node {c}: children come before their parents"
    if fault in (UTILITY, ESTIMATE):
        what = "utility" if fault == UTILITY else "estimate"
        found = exact_text(utility[n]) if utility[n] == utility[n] else "missing"
        return f"{at}the {what} is {found}, expected a number up to 10^301"
    if fault == PROBABILITY:
        p = next(probability[b] for b in own if not 0 <= probability[b] <= 1)
        return f"{at}a probability is {p!r}, expected a number from 0 to 1"
    if fault == CERTAIN:
        p = next(probability[b] for b in own if probability[b] != 1)
        return f"{at}the probability of an action is {p!r}: below MAX and MIN it is 1"
    if fault == SUM:
        total = sum(probability[b] for b in own)
        return f"{at}the probabilities sum to {exact_text(total)}, expected 1"
    return f"{at}no branch leads to it: every node but the root, the last row, is some node's child"


def _check_unknown(tree: Tree, unknown: Sequence[int]) -> None:
    """Raise where the terminals without a utility are others than those that are said to be not known yet."""
    said, found = set(unknown), set(tree.unknown)
    if missing := found - said:
        raise TreeError(_message(tree.columns, UTILITY, min(missing)))
    if wrong := said - found:
        raise TreeError(
            f"node {min(wrong)}: it is said to be not known, and is no terminal without a utility"
        )


def _divided_out(columns: Columns) -> Column:
    """Return the probabilities, those of a chance node that miss 1 by more than rounding divided by their sum."""
    kind, _, first, _, probability = columns
    divided = compiling.zeros("d", len(probability))
    builder = TreeBuilder()
    for n in range(len(kind)):
        own = probability[first[n] : first[n + 1]]
        divided_own = builder.distribution(own.tolist(), len(own))[0] if kind[n] == 3 else own
        for place, p in enumerate(divided_own):
            divided[first[n] + place] = p
    return divided


def _check_notes(
    count: int,
    branches: int,
    local_bounds: Mapping[int, Bounds],
    notes: Mapping[int, str],
    branch_notes: Mapping[int, str],
    estimated: frozenset[int],
) -> None:
    for what, rows, most in (
        ("bounds", local_bounds, count), ("a note", notes, count), ("a note", branch_notes, branches),
        ("an estimate", estimated, count),
    ):  # fmt: skip
        for row in rows:
            if not 0 <= row < most:
                raise TreeError(f"there is {what} for row {row}, and the table has {most:,}")


def check_labels(columns: Columns, label: Sequence[str | None]) -> Iterator[str]:
    """Yield what is wrong with labels: an empty one, `#k` at another place, one that a sibling has too."""
    first = columns.first
    for n in range(len(columns.kind)):
        seen: set[str] = set()
        for place, text in enumerate(label[first[n] : first[n + 1]], start=1):
            if text is None:
                continue
            try:
                label_at(text, place)
            except TreeError as error:
                yield f"node {n}: {error}"
            if text in seen:
                yield f"node {n}: duplicate label {quote(text)} among siblings: give each its own"
            seen.add(text)
