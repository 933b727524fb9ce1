"""Families of trees: compared with plain definitions, and identical on every machine."""

from __future__ import annotations

import hashlib
import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import exact_root

import expectitree as et
from expectitree import Kind, Tree
from expectitree.base import compiling
from expectitree.lab.families import expected_nodes, parameters_of

KINDS = ("max", "chance", "min")
ORDERS = ("random", "best", "worst")
PATTERNS = st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)
SEEDS = st.integers(0, 10**18 - 1)
BALLARD = st.fixed_dictionaries(
    {
        "pattern": PATTERNS,
        "plies": st.integers(1, 4),
        "branching": st.integers(1, 4),
        "order": st.sampled_from(ORDERS),
        "seed": SEEDS,
    }
)
UNIFORM = st.fixed_dictionaries(
    {
        "pattern": PATTERNS,
        "plies": st.integers(1, 4),
        "branching": st.tuples(st.integers(1, 4), st.integers(1, 4)).map(
            lambda pair: (min(pair), max(pair))
        ),
        "utilities": st.tuples(st.integers(-50, 50), st.integers(0, 50)).map(
            lambda pair: (pair[0], sum(pair))
        ),
        "real": st.booleans(),
        "end": st.sampled_from((0, 0.2, 0.5, 0.95)),
        "skew": st.integers(0, 4),
        "seed": SEEDS,
    }
)


FAMILY_AND_PARAMETERS = st.one_of(
    st.tuples(st.just("ballard"), BALLARD),
    st.tuples(st.just("uniform"), UNIFORM),
)


def kinds_by_ply(pattern: Sequence[str], plies: int | None) -> list[str]:
    """Return the pattern, repeated or cut."""
    return [pattern[ply % len(pattern)] for ply in range(plies or len(pattern))]


def inner_nodes(tree: Tree) -> list[et.Node]:
    return [node for node, _ in tree.walk() if node.kind]


def bits(tree: Tree) -> list[bytes]:
    """Return the columns, the same bytes on every machine."""
    return [
        struct.pack(f"<{len(column)}{code}", *column)
        for code, column in zip("BdIIdd", tree.columns.stored, strict=True)
    ]


# ---- Ballard: additive utilities.


def leaves_below(node: et.Node) -> list[Any]:
    if not node.kind:
        return [node.utility]
    return [utility for child in node.children for utility in leaves_below(child)]


def amounts(node: et.Node) -> list[Fraction]:
    """Return the numbers on a node's branches, computed from the means of their leaves."""
    means = [mean(map(Fraction, leaves_below(child))) for child in node.children]
    return [m - min(means) for m in means]


@given(parameters=BALLARD)
def test_ballard_branches_carry_permutations_and_terminals_their_sums(
    parameters: dict[str, Any],
) -> None:
    tree = et.generate("ballard", **parameters)
    plies, n = parameters["plies"], parameters["branching"]
    kinds = kinds_by_ply(parameters["pattern"], plies)
    assert len(tree) == sum(n**ply for ply in range(plies + 1))
    assert tree.root.bounds == (0, plies * (n - 1))

    def check(node: et.Node, ply: int, total: Fraction) -> None:
        if ply == plies:
            assert node.utility == total
            return
        assert node.kind.name == kinds[ply].upper()
        carried = amounts(node)
        assert sorted(carried) == list(range(n))
        if parameters["order"] != "random":
            falls = (node.kind == Kind.MAX) == (parameters["order"] == "best")
            assert carried == sorted(carried, reverse=falls)
        for branch, amount in zip(node.branches, carried, strict=True):
            assert branch.p == (1 / n if node.kind == Kind.CHANCE else 1)
            check(branch.child, ply + 1, total + amount)

    check(tree.root, 0, Fraction(0))


def chi_square(found: Iterable[Any], cells: int) -> float:
    counts = Counter(found)
    expected = counts.total() / cells
    assert len(counts) <= cells
    return (
        sum((n - expected) ** 2 for n in counts.values()) / expected
        + (cells - len(counts)) * expected
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4])
def test_random_permutations_are_uniform_and_independent(n: int) -> None:
    """The limits are nine standard deviations wide."""
    tree = et.generate(
        "ballard", pattern=["max"], plies={2: 11, 3: 7, 4: 5}[n], branching=n, seed=1
    )
    drawn = {node.id: tuple(amounts(node)) for node in inner_nodes(tree)}
    cells = len(list(permutations(range(n))))
    assert set(drawn.values()) == set(permutations(range(n)))
    assert chi_square(drawn.values(), cells) < cells + 9 * math.sqrt(2 * cells)


def test_the_seed_matters_only_in_random_order() -> None:
    trees = {
        order: [bits(et.generate("ballard", order=order, seed=seed)) for seed in range(5)]
        for order in ORDERS
    }
    assert all(trees["random"].count(tree) == 1 for tree in trees["random"])
    assert all(tree == trees["best"][0] for tree in trees["best"])
    assert all(tree == trees["worst"][0] for tree in trees["worst"])
    assert "seed 3" in et.generate("ballard", seed=3).title
    assert "seed" not in et.generate("ballard", seed=3, order="best").title


# ---- Uniform: independent utilities.


def plainly_uniform(
    pattern: Sequence[str],
    plies: int,
    branching: tuple[int, int],
    utilities: tuple[int, int],
    real: bool,
    end: float,
    skew: int,
    seed: int,
) -> list[Any]:
    """Return a node as [kind, [[p, child], ...]] or [utility], drawn ply by ply.

    A ply's draws are two for each node, whether it ends and how wide it is; then one for each
    branch, a utility; then, below a CHANCE ply that is skewed, one for each branch, its weight.
    """
    draw = Random(seed).random
    root: list[Any] = []
    nodes = [root]
    for ply, kind in enumerate(kinds_by_ply(pattern, plies)):
        below = []
        for node in nodes:
            ends, width = (
                draw() < end,
                branching[0] + int(draw() * (branching[1] - branching[0] + 1)),
            )
            if ply == 0 or not ends:
                node[:] = [kind, [[1 / width if kind == "chance" else 1, []] for _ in range(width)]]
                below += [branch[1] for branch in node[1]]
        lower, upper = utilities
        for child in below:
            child.append(
                lower + (draw() * (upper - lower) if real else int(draw() * (upper - lower + 1)))
            )
        if skew and kind == "chance":
            for node in (node for node in nodes if len(node) == 2):
                powers = [draw() ** skew for _ in node[1]]
                units = [1 + int(power / sum(powers) * (10**12 - len(powers))) for power in powers]
                units[units.index(max(units))] += 10**12 - sum(units)
                for branch, whole in zip(node[1], units, strict=True):
                    branch[0] = whole / 10**12
        nodes = below
    return root


def matches(node: et.Node, plain: list[Any]) -> None:
    if len(plain) == 1:
        assert node.utility == plain[0]
        return
    kind, branches = plain
    assert node.kind.name == kind.upper()
    assert node.estimate is None
    assert len(node.branches) == len(branches)
    for branch, (p, child) in zip(node.branches, branches, strict=True):
        assert branch.p == pytest.approx(p, rel=0, abs=1e-11)
        matches(branch.child, child)


@given(parameters=UNIFORM)
def test_uniform_equals_its_plain_definition(parameters: dict[str, Any]) -> None:
    tree = et.generate("uniform", **parameters)
    assert tree.root.bounds == parameters["utilities"]
    matches(tree.root, plainly_uniform(**parameters))


def test_extreme_utilities_stay_in_their_range() -> None:
    """The range may be huge or empty."""
    for utilities in ((-1e15, 1e15), (1e15, 1e15), (-7, -7), (0, 0)):
        for real in (False, True):
            tree = et.generate("uniform", utilities=utilities, real=real, plies=5)
            assert utilities[0] <= tree.utility_range[0] <= tree.utility_range[1] <= utilities[1]


@pytest.mark.slow
def test_wide_trees_and_deep_trees_are_generated() -> None:
    for pattern, plies, branching in (("chance", 1, 100_000), ("max,chance,min", 64, 1)):
        for tree in (
            et.generate("uniform", pattern=pattern, plies=plies, branching=branching, skew=1),
            et.generate("ballard", pattern=pattern, plies=plies, branching=branching),
        ):
            assert len(tree) == 1 + plies * branching
            assert tree.heights[-1] == plies


# ---- Seeds: the same everywhere.


@pytest.mark.extra
@given(chosen=FAMILY_AND_PARAMETERS)
def test_interpreted_and_compiled_trees_are_identical(chosen: tuple[str, dict[str, Any]]) -> None:
    family, parameters = chosen
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "pays", lambda rows: False)
        one = et.generate(family, **parameters)
        patch.setattr(compiling, "pays", lambda rows: rows > 0)
        other = et.generate(family, **parameters)
    assert bits(one) == bits(other)
    assert (list(one.label), one.title, one.local_bounds) == (
        list(other.label),
        other.title,
        other.local_bounds,
    )


@pytest.mark.extra
def test_many_draws_are_identical_in_both_engines() -> None:
    """Each ply draws more than the 624 words of the generator's state."""
    uniform: dict[str, Any] = {"plies": 7, "end": 0.05, "skew": 3, "real": True, "seed": 10**17}
    found = []
    for least in (INF, 1000):  # plies differ
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiling, "pays", lambda rows, least=least: rows > least)
            trees = et.generate("uniform", **uniform), et.generate("ballard", plies=6, branching=5)
        found.append([*map(bits, trees)])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("family", "parameters", "digest"),
    [
        ("ballard", {}, "142fc0b84125"),
        (
            "ballard",
            {"pattern": "min,chance", "plies": 5, "branching": 3, "seed": 10**18 - 1},
            "c089b75ca53c",
        ),
        ("ballard", {"branching": 6, "order": "best"}, "63121d35ffe3"),
        ("ballard", {"branching": 5, "order": "worst"}, "0ce2e9ef9b0e"),
        ("uniform", {}, "9451d94ced3f"),
        (
            "uniform",
            {"pattern": "chance,max", "plies": 6, "branching": "1-3", "end": 0.1, "skew": 2},
            "cdeafbd55f44",
        ),
        (
            "uniform",
            {"utilities": "-1,1", "real": True, "branching": 5, "skew": 4, "seed": 1},
            "4be284f3fbe4",
        ),
    ],
    ids=str,
)
def test_published_trees_never_change(family: str, parameters: dict[str, Any], digest: str) -> None:
    """Results on these trees have been published."""
    tree = et.generate(family, **parameters)
    assert hashlib.sha256(b"".join(bits(tree))).hexdigest()[:12] == digest


SAVED = [
    ("ballard", {"plies": 4}),
    ("ballard", {"plies": 3, "order": "worst"}),
    ("uniform", {"plies": 5, "end": 0.1}),
    ("uniform", {"plies": 5, "real": True, "skew": 1}),
    ("uniform", {"pattern": "chance", "plies": 2, "branching": 24, "skew": 4}),
]


@pytest.mark.parametrize("ending", ["yaml", "json", "arrow", "parquet"])
@pytest.mark.parametrize(("family", "parameters"), SAVED, ids=str)
def test_a_file_holds_the_same_tree(
    family: str, parameters: dict[str, Any], ending: str, tmp_path: Path
) -> None:
    """It is read without a warning: `verify` reads fractions, which must sum to 1."""
    tree, warned = et.generate(family, **parameters), list[str]()
    et.save(tree, tmp_path / f"tree.{ending}")
    loaded = et.load(tmp_path / f"tree.{ending}", warn=warned.append)
    assert warned == []
    assert (len(loaded), loaded.title, loaded.source) == (len(tree), tree.title, tree.source)
    assert bits(loaded) == bits(tree)


# ---- Values of parameters.


@pytest.fixture
def no_large_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail the test if a large column is made before the tree is refused."""
    for name in ("zeros", "filled"):
        make = getattr(compiling, name)

        def checked(*arguments: Any, make: Any = make) -> Any:
            assert arguments[-1] < 10**6
            return make(*arguments)

        monkeypatch.setattr(compiling, name, checked)


NAN, INF = float("nan"), float("inf")
WHOLE = "whole number"
RANGE = "two such as 2-4|whole number"
PAIR = "a lower and an upper number"
WRONG: list[tuple[str, str, tuple[object, ...], str]] = [
    ("ballard", "branching", (0, -1, 1.5, NAN, True, None, "x", "", "4.0"), WHOLE),
    ("ballard", "branching", ("2-4", (2, 4), [2, 3]), "one branching"),
    ("ballard", "plies", (0, 65, 10**9, 1.5, NAN, True, "x", "3.0"), WHOLE),
    ("ballard", "pattern", ([], "", "max,terminal", "max,,min", 5, None, [1]), "max, min and chan"),
    ("ballard", "pattern", ([Kind.TERMINAL], ["max"] * 100_000), "max, min and chance"),
    ("ballard", "order", ("bset", "", None, ["best"]), "random, best, worst"),
    ("ballard", "seed", (-1, 1.5, True, None, NAN, 10**18, "x", "", "-1", 10**5000), WHOLE),
    ("ballard", "utilities", ((0, 1),), "it has pattern, plies, branching, order, dice, seed"),
    ("uniform", "branching", (0, (0, 2), (4, 2), "4-2", "2-", "-2", "2-3-4", (1, 2, 3)), RANGE),
    ("uniform", "branching", ((2,), (1.5, 2), 2.5, (True, 2), 10**5000), RANGE),
    ("uniform", "utilities", ((5, 1), "5,1", (NAN, 1), (0, INF), "0,nan", "0,1e400", "0"), PAIR),
    ("uniform", "utilities", ((0, 2e15), "a,b", (0, 1, 2), 5, None, (None, 1)), PAIR),
    ("uniform", "utilities", ((0.5, 1),), "whole ends"),
    ("uniform", "end", (1, -0.1, NAN, INF, True, None, "x", "1", [0]), "from 0 to 0.999999"),
    ("uniform", "skew", (-1, 5, 1.5, NAN, True, None, "x", "1.5"), WHOLE),
    ("uniform", "real", ("yes", "", "1", 2), "true or false"),
]


@pytest.mark.usefixtures("no_large_columns")
@pytest.mark.parametrize(("family", "name", "values", "expected"), WRONG)
def test_a_wrong_parameter_is_explained(
    family: str, name: str, values: tuple[object, ...], expected: str
) -> None:
    for value in values:
        with pytest.raises(et.TransformError, match=expected) as caught:
            et.generate(family, **{name: value})
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 200
        if name in parameters_of(family) and value not in (10**5000, ["max"] * 100_000):
            assert any(text in message for text in spellings(value)), message


def spellings(value: object) -> list[str]:
    """Return how a message may write a value: as given or as read, in part or whole."""
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in spellings(part)] or ["[]", "()"]
    if isinstance(value, str):
        return [part or "''" for part in [value, *value.split(",")]]
    return [str(value), str(value).lower(), *([f"{value:g}"] if isinstance(value, float) else [])]


@pytest.mark.usefixtures("no_large_columns")
def test_a_tree_that_is_too_large_is_refused_at_once() -> None:
    large: list[tuple[str, dict[str, Any]]] = [
        ("ballard", {"branching": 10**9, "plies": 10}),
        ("ballard", {"branching": 2, "plies": 64}),
        ("uniform", {"branching": 10**9, "plies": 2}),
        ("uniform", {"branching": (2, 10**9), "plies": 10}),
        ("uniform", {"branching": (10**8, 10**9), "plies": 3, "end": 0.1}),
    ]
    for family, parameters in large:
        with pytest.raises(et.TransformError, match="more than 2,147,483,647 nodes"):
            et.generate(family, **parameters)


def test_an_unknown_family_is_explained() -> None:
    expected = "unknown family 'balard': choose among ballard, uniform"
    with pytest.raises(et.TransformError, match=expected):
        et.generate("balard")


# ---- Parameters as text, sizes and titles.


def test_parameters_are_read_from_text() -> None:
    cases: list[tuple[str, dict[str, str], dict[str, Any]]] = [
        ("ballard", {"pattern": "MAX, Chance ,min", "plies": "4"}, {"pattern": KINDS, "plies": 4}),
        ("uniform", {"utilities": "[0,10]", "real": "True"}, {"utilities": (0, 10), "real": True}),
        ("uniform", {"branching": "2-3", "end": "2e-1"}, {"branching": (2, 3), "end": 0.2}),
    ]
    for family, text, parameters in cases:
        one, other = et.generate(family, **text), et.generate(family, **parameters)
        assert (bits(one), one.title) == (bits(other), other.title)


@pytest.mark.parametrize(
    ("family", "parameters"),
    [
        ("ballard", {}),
        ("ballard", {"pattern": "max,min", "plies": "5", "branching": "3"}),
        ("ballard", {"pattern": "max,chance,min,chance", "branching": "3", "dice": "4"}),
        ("uniform", {}),
        ("uniform", {"plies": 4, "branching": "1-5"}),
        ("uniform", {"plies": 4, "end": 0.3}),
        ("uniform", {"plies": 3, "end": 0.8}),
    ],
    ids=str,
)
def test_expected_nodes_is_about_the_mean(family: str, parameters: dict[str, Any]) -> None:
    seeds = [{"seed": seed} for seed in range(200)] if family == "uniform" else [{}]
    found = mean(len(et.generate(family, **parameters, **seed)) for seed in seeds)
    assert expected_nodes(family, **parameters) == pytest.approx(found, rel=0.2)


def test_titles_contain_the_parameters() -> None:
    """Numbers in titles are not rounded."""
    assert et.generate("ballard", branching=3, seed=8).title == (
        "Additive utilities: MAX, CHANCE, MIN, branching 3, order random, seed 8"
    )
    wide = et.generate("uniform", utilities=(0, 1234567))
    assert "from 0 to 1234567:" in wide.title.replace(",", "")


def test_dice_give_the_probabilities_of_their_sums() -> None:
    """Each CHANCE node has an outcome for each sum; utilities still add up."""
    tree = et.generate("ballard", pattern="max,chance,min", branching=3, dice=4, seed=5)
    ways = [1, 2, 3, 4, 3, 2, 1]
    chances = [tree.node(n) for n in range(len(tree)) if tree.node(n).kind == et.Kind.CHANCE]
    assert len(chances) == 3
    sums = []
    for node in chances:
        # The children of each MIN node carry 0, 1, 2: the least utility is the sum so far.
        found = {min(child.utility for child in b.child.children): b.p for b in node.branches}
        start = min(found)
        assert {path - start: 16 * p for path, p in found.items()} == dict(enumerate(ways))
        sums.append(start)
    assert sorted(sums) == [0, 1, 2]
    assert tree.local_bounds[len(tree) - 1] == (0, 2 + 6 + 2)
    first = exact_root(et.loads(et.dumps(tree))).children[0]
    assert first.branches[0].p.denominator in (4, 8, 16)
