"""Very deep and very large trees need no recursion and no unfolding."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from helpers import LONG, loads

from expectitree import Kind, Tree, TreeBuilder, evaluate, generate
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.show import rendered
from expectitree.base.tree.transform import in_fractions
from expectitree.text.console import text_console

CHAIN = 100_000
ALGORITHMS = ("expectiminimax", "star1", "star2")


def link(n: int) -> str:
    """Return one node of a chain that preserves the value 1 of the node below."""
    return ("max: [{ref: n%d}, 0]", "chance: [{ref: n%d}]", "min: [{ref: n%d}, 2]")[n % 3] % (n - 1)


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
def test_a_long_chain_of_refs_is_read_and_searched(backwards: bool) -> None:
    """In reverse order every name is used before its definition."""
    names = [f"  n{n}: {{{link(n)}}}\n" for n in range(1, CHAIN)]
    tree = loads(
        f"{link(CHAIN)}\nnodes:\n  n0: 1\n{''.join(names[::-1] if backwards else names)}",
        name="chain.yaml",
    )
    assert sum(1 for kind in tree.columns.kind if kind) == CHAIN
    assert tree.heights[-1] == CHAIN
    check_searches(tree)


def chain(links: int) -> Tree:
    builder = TreeBuilder()
    node = builder.terminal(1)
    for n in range(links):
        node = (builder.max, builder.chance, builder.min)[n % 3]([node])
    return builder.build(builder.min([builder.max([node, 0]), 2]))


@pytest.fixture(scope="module", params=[400_000, pytest.param(1_000_000, marks=LONG)])
def long_chain(request: pytest.FixtureRequest) -> Tree:
    return chain(request.param)


@pytest.mark.slow
def test_a_long_chain_from_a_builder_is_searched(long_chain: Tree) -> None:
    assert len(long_chain) in (400_005, 1_000_005)
    check_searches(long_chain)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_long_chain_is_searched_by_every_engine(long_chain: Tree, algorithm: str) -> None:
    assert evaluate(long_chain, algorithm, engine="compiled").value == 1
    exact = in_fractions(chain(CHAIN))  # a million links work too, and take a minute
    assert evaluate(exact, algorithm, exact=True).value == 1


def printed(tree: Tree, format: str) -> tuple[int, int]:
    """Return the numbers of lines and characters of a rendered search, read as a stream."""
    evaluation = Evaluation("x.yaml", evaluate(tree, "star1"))
    lines = characters = 0
    for piece in rendered("evaluate", format, text_console(), evaluation):
        lines += piece.count("\n")
        characters += len(piece)
    return lines, characters


@pytest.mark.slow
def test_a_long_chain_is_shown_in_every_format(long_chain: Tree) -> None:
    assert printed(long_chain, "text")[0] < 1_000  # A page that reports what it leaves out.
    assert printed(long_chain, "json")[1] > 50 * len(long_chain)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "count"),
    [
        ("interpreted", 1_000_000),
        pytest.param("interpreted", 2_000_000, marks=LONG),
        ("compiled", 3_000_000),
        pytest.param("compiled", 10_000_000, marks=LONG),
    ],
)
def test_a_root_with_millions_of_children_is_searched(engine: str, count: int) -> None:
    """It takes a gigabyte: too much for a process that holds what other tests left.

    Interpreted searches take five times the memory of compiled ones for each child.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        executor.submit(search_wide, engine, count).result()


def search_wide(engine: str, count: int) -> None:
    tree = generate("uniform", pattern="max", branching=count, real=True)
    assert len(tree) == count + 1
    for algorithm in ("expectiminimax", "star1"):
        search = evaluate(tree, algorithm, engine=engine)
        assert search.value == tree.utility_range[1]
        assert search.counts.visited == count + 1
        del search  # the next one needs as much memory
    assert printed(tree, "text")[0] < 1_000


@pytest.mark.slow
def test_the_deepest_node_has_a_path(long_chain: Tree) -> None:
    assert max(long_chain.first_paths.depth) == len(long_chain) - 3
    assert long_chain.path_of(0) == "/".join(["#1"] * (len(long_chain) - 3))


def check_searches(tree: Tree) -> None:
    for algorithm in ALGORITHMS:
        search = evaluate(tree, algorithm)
        assert search.value == 1
    assert len(search.strategy_branches) == sum(
        1 for kind in tree.columns.kind if kind in (Kind.MAX, Kind.MIN)
    )


def multiplied(factor: int, levels: int) -> Tree:
    builder = TreeBuilder()
    node = builder.terminal(7)
    for _ in range(levels):
        node = builder.max([node] * factor)
    return builder.build(node)


@pytest.mark.slow
def test_sizes_beyond_4000_digits_are_approximate() -> None:
    assert multiplied(2, 997).unfolded == 2**998 - 1
    assert multiplied(10, 3999).unfolded == int("1" * 4000)
    assert multiplied(10, 4000).unfolded == "about 10^4000"
    assert multiplied(2, 100_000).unfolded == "about 10^30103"  # 2^100001, less 1
    for algorithm in ALGORITHMS:
        tree = multiplied(10, 300)
        assert evaluate(tree, algorithm, bounds=(0, 10)).counts.visits <= 3 * len(tree)
