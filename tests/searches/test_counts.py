"""Exact counts of small trees, published or computed by hand.

A defect that prunes too little (or too much, by luck) changes no value: only counts show it. Every
count is tested in fractions and in floats, where a tie must cut as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from helpers import loads

from expectitree import ALGORITHMS, Search, TreeBuilder, evaluate
from expectitree.base.algorithms import Algorithm, algorithm
from expectitree.base.numbers import INFINITY
from expectitree.base.tree.columns import Bounds
from expectitree.searches.cuts import CHANCE_CUT_LOW

UNKNOWN = (-INFINITY, INFINITY)

FIGURE_5_12_LEFT = """
max:
  a1: {chance: [{p: 0.9, min: [2, 2]}, {p: 0.1, min: [3, 3]}]}
  a2: {chance: [{p: 0.9, min: [1, 1]}, {p: 0.1, min: [4, 4]}]}
"""
FIGURE_5_12_RIGHT = """
max:
  a1: {chance: [{p: 0.9, min: [20, 20]}, {p: 0.1, min: [30, 30]}]}
  a2: {chance: [{p: 0.9, min: [1, 1]}, {p: 0.1, min: [400, 400]}]}
"""
PRUNING_EXERCISE = """
max:
  - chance: [{min: [2, 2]}, {min: [1, 2]}]
  - chance: [{min: [0, 2]}, {min: [-1, 0]}]
"""


@pytest.fixture(params=["exact", "float"])
def exact(request: pytest.FixtureRequest) -> bool:
    return request.param == "exact"


def unvisited(search: Search) -> list[str]:
    """Return the first paths of the nodes that were not entered, parents first."""
    return [path for node, path in search.tree.walk() if not search.visits[node.id]]


CYCLIC = algorithm("star2.5", probes=2)
SEQUENTIAL = algorithm("star2.5", probes=2, probe_order="sequential")
IN_ORDER = (ALGORITHMS["alphabeta"], ALGORITHMS["star1"], ALGORITHMS["star2"])
STAR1, STAR2 = IN_ORDER[1:2], IN_ORDER[2:]
BOUNDED = (0, 10)
FEW_OF_EACH = "max: [5, {chance: [{min: [8, 0, 9]}, {min: [2, 9, 9]}]}]"
# What a search does, with the tree, the algorithms, the bounds, and then the value, the nodes that
# are not visited, the cuts, and the interval of #2.
BY_HAND: dict[str, tuple[str, Sequence[Algorithm], Bounds, Any, str, int, Bounds]] = {
    # Russell and Norvig, Figure 5.5: after 2, the second MIN is worth at most 2 <= 3. The 2 of the
    # third MIN comes last, so it cuts nothing. The children that are left could be less than 2.
    "an alpha cut": (
        "max: [{min: [3, 12, 8]}, {min: [2, 4, 6]}, {min: [14, 5, 2]}]",
        IN_ORDER, (0, 20), 3, "#2/#2 #2/#3", 1, (0, 2),
    ),
    "an alpha cut without bounds": (
        "max: [{min: [3, 12, 8]}, {min: [2, 4, 6]}, {min: [14, 5, 2]}]",
        IN_ORDER, UNKNOWN, 3, "#2/#2 #2/#3", 1, (-INFINITY, 2),
    ),
    # The second MAX is worth at least 5 >= 3. The third reaches 3 with its last child only.
    "a beta cut": (
        "min: [{max: [3, 1]}, {max: [5, 9]}, {max: [2, 3]}]",
        IN_ORDER, BOUNDED, 3, "#2/#2", 1, (5, 10),
    ),
    # The inner MIN is worth at most 4 <= 5, the value of an action three levels up.
    "a window reaches deeper nodes": (
        "max: [5, {min: [{max: [{min: [4, 9]}, 8]}, 1]}]",
        IN_ORDER, BOUNDED, 5, "#2/#1/#1/#2", 1, (1, 1),
    ),
    # MIN is worth at most 0.3, no better than the first action. In floats 0.1 + 0.2 > 0.3.
    "a child that can only tie is cut": (
        "max: [0.3, {min: [{chance: [{p: 0.1, max: [1]}, {p: 0.2, max: [1]}, {p: 0.7, max: [0]}]},"
        " 0.1]}]",
        IN_ORDER, (0, 2), 0.3, "#2/#2", 1, (0, 0.3),
    ),
    # By their bounds the first MIN is worth at most 5 and the second exactly 7. Skipping a child
    # does not skip later children, so it is not a cut.
    "a child that satisfies its window is skipped": (
        "max: [5, {min: [1, 2], bounds: [0, 5]}, {min: [7, 7], bounds: [7, 7]}]",
        IN_ORDER[:1], BOUNDED, 7, "#2 #2/#1 #2/#2 #3 #3/#1 #3/#2", 0, (0, 5),
    ),
    # MIN is worth at most 2 <= 3 and skips only an exact child, so no work is saved.
    "skipping only exact children is not a cut": (
        "max: [&s {min: [3, 4]}, {min: [2, *s]}, {min: [2, 4]}]",
        IN_ORDER[:1], BOUNDED, 3, "#3/#2", 1, (0, 2),
    ),
    # After one outcome the node is worth at most (0 + 10) / 2 <= 5; mirrored, at least 5.
    "a chance cut": ("max: [5, {chance: [0, 7]}]", STAR1, BOUNDED, 5, "#2/#2", 1, (0, 5)),
    "its mirror": ("min: [5, {chance: [10, 3]}]", STAR1, BOUNDED, 5, "#2/#2", 1, (5, 10)),
    # MIN gets the window (-inf, inf), so its 1 cuts nothing.
    "alphabeta passes no window through a chance node": (
        "max: [9, {chance: [0, {min: [1, 2]}]}]", IN_ORDER[:1], BOUNDED, 9, "", 0, (0.5, 0.5),
    ),
    # After 2, MIN needs more than (5 - 2/2) / (1/2) = 8, and 8 cuts. The mirror is alike.
    "with infinite bounds the last outcome has a window": (
        "max: [5, {chance: [2, {min: [8, 3]}]}]",
        STAR1, UNKNOWN, 5, "#2/#2/#2", 1, (-INFINITY, 5),
    ),
    "that window mirrored": (
        "min: [5, {chance: [8, {max: [2, 3]}]}]", STAR1, UNKNOWN, 5, "#2/#2/#2", 1, (5, INFINITY),
    ),
    "leaving an outcome of probability 0 is not a cut": (
        "max: [5, {chance: [{p: 1, utility: 0}, {p: 0, utility: 7}]}]",
        STAR1, BOUNDED, 5, "#2/#2", 0, (0, 0),
    ),
    # Both equal 0 after one visit, so the node is worth at most (0 + 0 + 2 * 10) / 4 <= 5.
    "all outcomes that share a node count": (
        "{max: [5, {chance: [{p: 1/4, ref: s}, {p: 1/2, min: [9]}, {p: 1/4, ref: s}]}], "
        "nodes: {s: {min: [0]}}}",
        STAR1, BOUNDED, 5, "#2/#2 #2/#2/#1", 1, (0, 5),
    ),
    # Probes bring 8 and 2, so at most (8 + 2) / 2 <= 5: neither MIN is searched.
    "star2 probes one child of each outcome": (
        FEW_OF_EACH, (*STAR2, CYCLIC), BOUNDED, 5, "#2/#1/#2 #2/#1/#3 #2/#2/#2 #2/#2/#3", 1, (0, 5),
    ),
    # 8 and 0 of the first MIN, (0 + 10) / 2 <= 5.
    "sequential probing visits other leaves": (
        FEW_OF_EACH,
        (SEQUENTIAL,), BOUNDED, 5, "#2/#1/#3 #2/#2 #2/#2/#1 #2/#2/#2 #2/#2/#3", 1, (0, 5),
    ),
    # 8 and 6 cut nothing. The second round starts with the first MIN's second child, and cuts.
    "a second round probes the next children": (
        "max: [5, {chance: [{min: [8, 4, 9]}, {min: [6, 0, 9]}]}]",
        (CYCLIC,), BOUNDED, 5, "#2/#1/#3 #2/#2/#2 #2/#2/#3", 1, (0, 5),
    ),
    # After 4, the second MIN needs more than (5 - 4/2) / (1/2) = 6: its probe finds 6. One cut is
    # at the inner MIN, one at the chance node.
    "windows of probes use earlier probes": (
        "max: [5, {chance: [{min: [4, 9]}, {min: [{min: [6, 1]}, 9]}]}]",
        STAR2, BOUNDED, 5, "#2/#1/#2 #2/#2/#1/#2 #2/#2/#2", 2, (0, 5),
    ),
    # The last outcome's 0 cuts, (10 + 10 + 0) / 4 <= 5, before the inner chance node.
    "chance nodes are not probed and terminals are evaluated": (
        "max: [5, {chance: [{p: 1/4, min: [10, 9]}, {p: 1/4, chance: [1, 2]}, "
        "{p: 1/2, utility: 0}]}]",
        STAR2, BOUNDED, 5, "#2/#1/#2 #2/#2 #2/#2/#1 #2/#2/#2", 1, (0, 5),
    ),
    # The root is MIN with 5 so far, and probes give at least (2 + 8) / 2 >= 5.
    "a MAX child is probed from below": (
        "min: [5, {chance: [{max: [2, 1]}, {max: [8, 1]}]}]",
        STAR2, BOUNDED, 5, "#2/#1/#2 #2/#2/#2", 1, (5, 10),
    ),
    # After a round both outcomes are worth at most 8. The next probe gives 6, so the sum is 6.
    "probes of a shared outcome count for all that share it": (
        "{max: [6, {chance: [{ref: s}, {ref: s}]}], nodes: {s: {min: [8, 6, 9]}}}",
        (CYCLIC,), BOUNDED, 6, "#2/#1/#3", 1, (0, 6),
    ),
    # Probes give 8 and 7: no cut at alpha 5. Then both MINs are searched from their second leaf.
    "a probe's leaf is not visited again": (
        "max: [5, {chance: [{min: [8, 6]}, {min: [7, 9]}]}]",
        STAR2, BOUNDED, 6.5, "", 0, (6.5, 6.5),
    ),
}  # fmt: skip
VISITS = {  # where nodes are entered more than once
    "star2 probes one child of each outcome": 7,
    "sequential probing visits other leaves": 7,
    "a second round probes the next children": 9,
    "a probe's leaf is not visited again": 11,
}


def nodes_and_leaves(search: Search) -> tuple[int, int]:
    return search.counts.visited, search.counts.leaves_visited


# ---- Published.


@pytest.mark.parametrize(
    ("text", "bounds", "expected"),
    [
        (FIGURE_5_12_LEFT, (1, 4), (11, 5)),
        (FIGURE_5_12_LEFT, UNKNOWN, (14, 7)),
        (FIGURE_5_12_RIGHT, (1, 400), (14, 7)),
        (FIGURE_5_12_RIGHT, UNKNOWN, (15, 8)),
    ],
)
def test_figure_5_12_has_its_published_counts(
    text: str, bounds: Bounds, expected: tuple[int, int], exact: bool
) -> None:
    tree = loads(text, exact=exact)
    assert nodes_and_leaves(evaluate(tree, "star1", bounds=bounds)) == expected
    assert nodes_and_leaves(evaluate(tree, bounds=bounds)) == (15, 8)


@pytest.mark.parametrize(
    ("algorithm", "bounds", "skipped"),
    [
        ("star1", (-2, 2), ["#2/#1/#2", "#2/#2", "#2/#2/#1", "#2/#2/#2"]),
        ("star2", (-2, 2), ["#2/#1/#2", "#2/#2", "#2/#2/#1", "#2/#2/#2"]),
        ("star1", UNKNOWN, ["#2/#2/#2"]),
        ("star2", UNKNOWN, ["#2/#1/#2", "#2/#2/#2"]),
    ],
)
def test_the_pruning_exercise_has_its_published_counts(
    algorithm: str, bounds: Bounds, skipped: list[str], exact: bool
) -> None:
    search = evaluate(loads(PRUNING_EXERCISE, exact=exact), algorithm, bounds=bounds)
    assert search.value == 1.5
    assert unvisited(search) == skipped


@pytest.mark.parametrize(
    ("n", "star1", "star2"), [(3, 15, 13), (4, 40, 25), (6, 138, 58), (8, 336, 105), (10, 670, 166)]
)
def test_ballards_best_case_has_its_published_counts(
    n: int, star1: int, star2: int, exact: bool
) -> None:
    """The tree has MAX, CHANCE and MIN, and each leaf sums its branches' 0 to n - 1."""
    builder = TreeBuilder(exact=exact)
    tree = builder.build(
        builder.max(
            [
                builder.chance([builder.min([a + b + c for c in range(n)]) for b in range(n)])
                for a in reversed(range(n))
            ]
        )
    )
    bounds = (0, 3 * (n - 1))
    leaves = {
        name: evaluate(tree, name, bounds=bounds).counts.leaves_visited for name in ALGORITHMS
    }
    assert leaves["expectiminimax"] == n**3
    assert leaves["star1"] == star1
    assert leaves["star2"] == star2


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_windows_are_not_clamped_to_the_bounds(algorithm: str, exact: bool) -> None:
    """The window of the first outcome starts at -2.8. At the bound -1, -1 would fail low."""
    search = evaluate(
        loads("max: [-0.9, {chance: [-1, -1]}]", exact=exact), algorithm, bounds=(-1, 1)
    )
    assert float(search.value) == -0.9
    assert search.best == "#1"
    assert nodes_and_leaves(search) == (5, 3)
    assert search.counts.cuts == 0  # The last outcome decides, and nothing is left to cut.


# ---- Computed by hand.


@pytest.mark.parametrize("name", BY_HAND)
def test_counts_computed_by_hand(name: str, exact: bool) -> None:
    text, algorithms, bounds, value, left, cuts, interval = BY_HAND[name]
    tree = loads(text, exact=exact)
    for chosen in algorithms:
        search = evaluate(tree, chosen, bounds=bounds)
        assert search.value == pytest.approx(value)
        assert (unvisited(search), search.cuts) == (left.split(), cuts), chosen.full_name
        assert search.interval("#2") == pytest.approx(interval)
        assert search.counts.visits == VISITS.get(name, search.counts.visits)


def test_the_window_of_an_outcome_is_divided_by_its_probability(exact: bool) -> None:
    """The second MIN needs more than (5 - 8/4) / (3/4) = 4; without the division, 3."""
    tree = loads("max: [5, {chance: [{p: 1/4, min: [8, 8]}, {p: 3/4, min: [4, 0]}]}]", exact=exact)
    search = evaluate(tree, "star1", bounds=(0, 10))
    assert unvisited(search) == ["#2/#2/#2"]
    assert (search.alpha[search.tree.find("#2/#2").id], search.counts.cuts) == (4, 1)


def test_bounds_of_children_can_cut_a_chance_node_on_entry(exact: bool) -> None:
    """By the children's bounds the node is worth at most (4 + 6) / 2 <= 5 on entry."""
    tree = loads(
        "max: [5, {chance: [{min: [1], bounds: [0, 4]}, {min: [6], bounds: [0, 6]}]}]", exact=exact
    )
    for name in ("star1", "star2"):
        search = evaluate(tree, name, bounds=(0, 10))
        assert nodes_and_leaves(search) == (3, 1)
        assert search.counts.cuts == 1
        node = tree.find("#2").id
        assert (search.cut[node], search.cut_after[node]) == (
            CHANCE_CUT_LOW,
            0,
        )  # The cut is not one of probing.


def test_a_window_beyond_the_greatest_float_proves_nothing() -> None:
    """(1e10 - 0) / 1e-300 is infinite in floats, and so is the unknown upper end of MIN."""
    text = "max: [10000000000, {chance: [{p: 1, utility: 0}, {p: 1e-300, min: [5, 6]}]}]"
    mirror = "min: [-10000000000, {chance: [{p: 1, utility: 0}, {p: 1e-300, max: [-5, -6]}]}]"
    for tree in (loads(text), loads(mirror)):
        search = evaluate(tree, "star1", bounds=UNKNOWN)
        assert abs(search.value) == 1e10
        assert unvisited(search) == ["#2/#2/#2"]


def test_an_outcome_of_probability_zero_is_entered_by_expectiminimax_alone(exact: bool) -> None:
    tree = loads(
        "chance: [{p: 0, utility: 7}, {p: 1, utility: 3}, {p: 0, min: [1, 2]}]", exact=exact
    )
    assert evaluate(tree).counts.visited == 6
    for name in ("alphabeta", "star1", "star2", "star2.5"):
        for bounds in (None, UNKNOWN):
            search = evaluate(tree, name, bounds=bounds)
            assert search.value == 3
            assert unvisited(search) == ["#1", "#3", "#3/#1", "#3/#2"]


def test_exhausted_and_exact_children_are_not_probed_again(exact: bool) -> None:
    """The first MIN has one child. The second is exact after one probe, since 0 is its bound.

    (9 + 0 + 9) / 3 = 6 cuts nothing, so the first and the third are searched again: probes prove
    upper ends only.
    """
    tree = loads("max: [5, {chance: [{min: [9]}, {min: [0, 3]}, {min: [9, 9]}]}]", exact=exact)
    for order in ("cyclic", "sequential"):
        search = evaluate(tree, "star2.5", bounds=(0, 10), probes=9, probe_order=order)
        visits = {path: search.visits[node.id] for node, path in tree.walk()}
        assert [visits[path] for path in ("#2/#1", "#2/#2", "#2/#3")] == [2, 1, 3]
        assert unvisited(search) == ["#2/#2/#2"]


# ---- Computed by hand: sharing, and the definition of a cut.


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_shared_node_is_visited_once(algorithm: str, exact: bool) -> None:
    tree = loads("max: [&s {min: [3, 4]}, {chance: [*s, *s]}]", exact=exact)
    search = evaluate(tree, algorithm, bounds=(0, 10))
    if search.algorithm.in_order:
        assert search.ties == ("#1", "#2")
        assert search.visits[tree.find("#1").id] == 1
    else:  # One walk for each leaf, which updates the nodes of that walk only.
        assert search.best == "#1"
        assert [search.visits[tree.find(path).id] for path in ("#1/#1", "#1/#2", "#1")] == [1, 1, 2]
    assert search.counts.total == 5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_terminal_at_the_root_is_visited(algorithm: str, exact: bool) -> None:
    for bounds in (None, (0, 5), UNKNOWN):
        search = evaluate(loads("3", exact=exact), algorithm, bounds=bounds)
        assert (search.value, search.best, search.counts.visits, search.counts.cuts) == (
            3,
            None,
            1,
            0,
        )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_root_is_entered_even_if_its_bounds_satisfy_the_window(
    algorithm: str, exact: bool
) -> None:
    search = evaluate(loads("max: [3, 3]", exact=exact), algorithm)
    assert search.visited("/")
    assert search.value == 3


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_float_is_summed_afresh_as_backward_induction_does(algorithm: str) -> None:
    """The running sums start at the bounds, a billion, and lose seven digits."""
    tree = loads("chance: [{min: [0.1, 0.3]}, {max: [0.2, 0.1]}, 0.7]")
    search = evaluate(tree, algorithm, bounds=(-1e9, 1e9))
    assert search.value == 0.1 * (1 / 3) + 0.2 * (1 / 3) + 0.7 * (1 / 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "text",
    [
        "max: [0.3, {min: [0.30000000000000004, 0.9]}]",
        "min: [0.30000000000000004, {max: [0.3, 0.1]}]",
        "chance: [{max: [0.3, {min: [0.30000000000000004, 0.9]}]}, 0.3]",
    ],
)
def test_a_float_interval_no_wider_than_rounding_is_exact(text: str, algorithm: str) -> None:
    """The second action is an exact tie, so it is cut; rounding leaves a tiny interval."""
    search = evaluate(loads(text), algorithm, bounds=(0, 1))
    assert search.is_exact(len(search.tree) - 1)
    assert search.value == pytest.approx(0.3, abs=1e-15)
