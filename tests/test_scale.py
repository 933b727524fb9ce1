"""Trees as deep or as large as a text or a script can make them, without recursion and without unfolding."""

from __future__ import annotations

import pytest

from expectitree import Kind, Tree, TreeBuilder, evaluate, loads

CHAIN = 100_000
LONG_CHAIN = 1_000_000
ALGORITHMS = ("expectiminimax", "star1", "star2")


def link(n: int) -> str:
    """Return one node of a chain, which hands up the 1 from below past a 0 or a 2; a third of them is CHANCE."""
    return ("max: [{ref: n%d}, 0]", "chance: [{ref: n%d}]", "min: [{ref: n%d}, 2]")[n % 3] % (n - 1)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_by_ref(backwards: bool) -> None:
    """Backwards, every name is used before it is defined, so that reading must go down the chain by itself."""
    names = [f"  n{n}: {{{link(n)}}}\n" for n in range(1, CHAIN)]
    tree = loads(f"{link(CHAIN)}\nnodes:\n  n0: 1\n{''.join(names[::-1] if backwards else names)}", name="chain.yaml")
    assert sum(1 for kind in tree.columns.kind if kind) == CHAIN
    assert tree.heights[-1] == CHAIN
    check_searches(tree)


@pytest.fixture(scope="module")
def long_chain() -> Tree:
    builder = TreeBuilder()
    node = builder.terminal(1)
    for n in range(LONG_CHAIN):
        node = (builder.max, builder.chance, builder.min)[n % 3]([node])
    return builder.build(builder.min([builder.max([node, 0]), 2]))


def test_a_chain_by_builder(long_chain: Tree) -> None:
    assert len(long_chain) == LONG_CHAIN + 5
    check_searches(long_chain)


def test_the_path_to_the_deepest_node(long_chain: Tree) -> None:
    assert max(long_chain.first_paths.depth) == LONG_CHAIN + 2
    assert long_chain.path_of(0) == "/".join(["#1"] * (LONG_CHAIN + 2))


def check_searches(tree: Tree) -> None:
    for algorithm in ALGORITHMS:
        search = evaluate(tree, algorithm)
        assert search.value == 1
    assert len(search.strategy_branches) == sum(1 for kind in tree.columns.kind if kind in (Kind.MAX, Kind.MIN))


def tenfold(kind: str, levels: int) -> str:
    """Return a text in which each of some levels has ten times the one below, by aliases."""
    names = "".join(f"  n{n}: &n{n} {{{kind}: [{', '.join([f'*n{n - 1}'] * 10)}]}}\n" for n in range(1, levels))
    return f"nodes:\n  n0: &n0 {{{kind}: {[7] * 10}}}\n{names}{kind}: [{', '.join([f'*n{levels - 1}'] * 10)}]\n"


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["max", "chance"])
def test_a_text_that_unfolds_to_300_digits(kind: str, exact: bool) -> None:
    """One tenfold level after another: 1 + 10 * (1 + 10 * (…)) is a number of ones."""
    tree = loads(tenfold(kind, 299), name="tenfold.yaml", exact=exact)
    assert tree.unfolded == int("1" * 301)
    for algorithm in ALGORITHMS:
        search = evaluate(tree, algorithm, bounds=(0, 10))
        assert float(search.value) == pytest.approx(7)
        assert search.counts.unfolded == tree.unfolded
        assert search.counts.visits <= 3 * len(tree)


def multiplied(factor: int, levels: int) -> Tree:
    builder = TreeBuilder()
    node = builder.terminal(7)
    for _ in range(levels):
        node = builder.max([node] * factor)
    return builder.build(node)


def test_sizes_beyond_4000_digits_are_told_about() -> None:
    assert multiplied(2, 997).unfolded == 2**998 - 1
    assert multiplied(10, 3999).unfolded == int("1" * 4000)
    assert multiplied(10, 4000).unfolded == "about 10^4000"
    assert multiplied(2, 100_000).unfolded == "about 10^30103"  # 2^100001, less 1
