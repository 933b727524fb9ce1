"""Measures trace and limit on trees near their limits of size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

from benchmarks.measuring import Row, Size, best_seconds
from expectitree import (
    Tree,
    TreeBuilder,
    evaluate,
    generate,
    limit,
    trace,
)
from expectitree.base.tree.builder import NodeId
from expectitree.base.tree.model import Kind


def insight(size: Size) -> Iterator[Row]:
    """Yield the time of a trace as a multiple of its search, and the seconds of other reports."""
    leaves = 20_000 if size.search_nodes > 100_000 else 2_000
    tree = generate("uniform", plies=6, branching=(3, 4), real=True, seed=1)
    for name in ("star1", "star2"):
        runs = [partial(evaluate, tree, name, engine="interpreted"), partial(trace, tree, name)]
        search, traced = best_seconds(runs, size.repetitions)
        yield Row(
            f"the trace of {name} takes, of {len(tree):,} nodes", traced / search, "x of the search"
        )
    for what, one in (
        (f"limit, two CHANCE nodes of {leaves // 2:,} leaves", _two_fans(leaves)),
        (f"limit, two paths of {leaves // 20:,} equally likely leaves", _two_paths(leaves // 20)),
        (f"limit, a caterpillar of {leaves:,} leaves", _caterpillar(leaves)),
        (f"limit, a MAX node of {leaves:,} leaves", _wide(leaves)),
        (
            "limit, Ballard's trees",
            generate("ballard", branching=27 if leaves > 2_000 else 12, seed=1),
        ),
    ):
        (seconds,) = best_seconds(
            [partial(limit, one, "star2", max_leaves=30_000)], min(3, size.repetitions)
        )
        yield Row(f"{what}: {one.leaves:,} leaves", seconds, "s", 10, at_most=True)


def _two_fans(leaves: int) -> Tree:
    """Return MAX over two CHANCE nodes of irregular outcomes, the worst case: a full knapsack."""
    builder = TreeBuilder(exact=False)
    fans = []
    for fan in range(2):
        children = [
            builder.add_terminal(float((i + fan) * 7919 % 1009)) for i in range(leaves // 2)
        ]
        weights = [1 + i * 31 % 17 for i in range(len(children))]
        shares = [weight / sum(weights) for weight in weights]
        fans.append(builder.add_inner(Kind.CHANCE, children, shares, None))
    return builder.build(NodeId(builder.add_inner(Kind.MAX, fans, None, None)))


def _two_paths(leaves: int) -> Tree:
    """Return MAX over two paths of CHANCE nodes: lists of bounds are as long as possible."""
    random, builder = Random(1), TreeBuilder(exact=False)
    ends = []
    for _ in range(2):
        node = builder.terminal(50)
        for n in range(1, leaves):
            p = n / (n + 1)
            node = builder.chance([node, random.randint(0, 100)], [p, 1 - p])
        ends.append(node)
    return builder.build(builder.max(ends))


def _caterpillar(leaves: int) -> Tree:
    builder = TreeBuilder(exact=False)
    node = builder.add_terminal(500.0)
    for i in range(leaves - 1):
        leaf = builder.add_terminal(float(i * 7919 % 1000))
        kind = (Kind.MAX, Kind.CHANCE, Kind.MIN, Kind.CHANCE)[i % 4]
        node = builder.add_inner(
            kind, [node, leaf], [0.9, 0.1] if kind == Kind.CHANCE else None, None
        )
    return builder.build(NodeId(node))


def _wide(leaves: int) -> Tree:
    """Return MAX over irregular leaves: the work for a node must not repeat for each child."""
    builder = TreeBuilder(exact=False)
    return builder.build(builder.max([i * 7919 % 30_011 for i in range(leaves)]))
