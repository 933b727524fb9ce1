"""The random trees and games of the tests reach every feature.

No other test would fail if a generator lost one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from oracle import definitions
from random_trees import GREAT, SMALL, Case, Row

from expectitree import Kind
from expectitree.base.numbers import INFINITY

DRAWS = 600
SHAPES = {
    "terminal root", "MAX root", "MIN root", "CHANCE root", "shared", "one child twice",
    "siblings share", "single child", "MAX under MAX", "MIN under MIN", "CHANCE under CHANCE",
    "MIN under CHANCE under MIN", "mixed children", "zero probability", "local bounds",
    "infinite local bounds", "no bounds", "infinite bounds", "tie at a bound",
}  # fmt: skip
RARE = {
    "great utility", "small utility", "p of at most 1e-40", "p of at most 1e-100", "estimate",
    "bounds at a terminal", "great and small utilities",
}  # fmt: skip
PAID = {"reward at a shared node"}
RARE_PAID = {"great reward", "small reward"}


def row_features(rows: list[Row], row: Row) -> Iterator[str]:
    """Yield the features of one node, with its children."""
    children = [rows[c] for c in row.children]
    kinds = {child.kind for child in children}
    for child in children:
        if row.kind == child.kind:
            yield f"{row.kind.name} under {row.kind.name}"
        if (row.kind, child.kind) == (Kind.MIN, Kind.CHANCE):
            yield from (f"{rows[c].kind.name} under CHANCE under MIN" for c in child.children)
    below = [set(rows[c].children) for c in set(row.children)]
    positive = [p for p in row.probabilities if p]
    yield from (
        feature
        for feature, is_there in {
            "single child": len(row.children) == 1,
            "one child twice": len(set(row.children)) < len(row.children),
            "siblings share": sum(map(len, below)) > len(set().union(*below)),
            "zero probability": 0 in row.probabilities,
            "p of at most 1e-40": min(positive, default=1) <= 1e-40,
            "p of at most 1e-100": min(positive, default=1) <= 1e-100,
            "local bounds": row.bounds is not None and bool(children),
            "infinite local bounds": row.bounds is not None and INFINITY in row.bounds,
            "bounds at a terminal": row.bounds is not None and not children,
            "mixed children": row.kind == Kind.CHANCE and len(kinds) > 2,
            "estimate": row.estimate is not None,
            "great utility": abs(row.utility) >= GREAT / 3,
            "small utility": 0 < abs(row.utility) <= 3 * SMALL,
            "great reward": GREAT in map(abs, row.rewards),
            "small reward": SMALL in map(abs, row.rewards),
        }.items()
        if is_there
    )


def features(case: Case) -> set[str]:
    """Return the features of a random tree and of its bounds."""
    rows = case.rows
    parents = Counter(c for row in rows for c in set(row.children))
    found = {feature for row in rows for feature in row_features(rows, row)}
    found.add("terminal root" if len(rows) == 1 else f"{rows[-1].kind.name} root")
    if any(count > 1 for count in parents.values()):
        found.add("shared")
        paying = {row.children[at] for row in rows for at, paid in enumerate(row.rewards) if paid}
        found |= {"reward at a shared node" for c in paying if parents[c] > 1}
    utilities = {abs(row.utility) for row in rows if not row.children}
    if {GREAT, 1} <= utilities:
        found.add("great and small utilities")
    if case.bounds is None:
        found.add("no bounds")
    elif {-INFINITY, INFINITY} & {*case.bounds}:
        found.add("infinite bounds")
    elif len(rows) > 1 and {*case.bounds} & {*definitions(case.tree())}:
        found.add("tie at a bound")
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pays", "rare", "expected"),
    [
        (False, False, SHAPES),
        (True, False, SHAPES | PAID),
        (False, True, SHAPES | RARE),
        (True, True, SHAPES | PAID | RARE | RARE_PAID),
    ],
)
def test_the_random_trees_have_every_feature(pays: bool, rare: bool, expected: set[str]) -> None:
    found = Counter(name for seed in range(DRAWS) for name in features(Case(seed, pays, rare)))
    assert expected - {name for name, count in found.items() if count >= 5} == set()
