"""An inquiry asks for the leaves that the search visits, and its intervals and losses are true."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import loads
from oracle import definition, definitions, exact_root, intervals
from random_trees import Case, in_numbers

import expectitree as et
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import algorithm
from expectitree.base.errors import SearchError
from expectitree.base.tree.columns import UNKNOWN, Bounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.decide.ask.report import with_utilities
from expectitree.picture.content import Style
from expectitree.picture.drawing import drawn

SMALL = '{bounds: [0, 9], max: {sure: 4, bet: {min: {good: {utility: "?"}, bad: {utility: "?"}}}}}'
SEEDS = range(30)


def tree_of(text: str, exact: bool = False) -> Tree:
    return loads(text, name="x.yaml", exact=exact)


def without(tree: Tree, nodes: Sequence[int] | None = None) -> Tree:
    """Return the tree with some terminals, or all, unknown."""
    leaves = [n for n in range(len(tree)) if not tree.columns.kind[n]]
    return with_utilities(tree, dict.fromkeys(leaves if nodes is None else nodes, UNKNOWN))


def bounds_of(case: Case, exact: bool) -> Bounds:
    return in_numbers(case.window_bounds, exact)


def searched(tree: Tree, bounds: Bounds, goal: str) -> list[int]:
    """Return the leaves that the search visits, in order."""
    steps = et.trace(tree, algorithm("best-first", goal=goal), bounds=bounds).events
    return [step.node for step in steps if step.kind == "visit"]


def finish(inquiry: et.Inquiry, tree: Tree) -> list[int]:
    """Answer with the utilities of a tree until the end; return the leaves asked for, in order."""
    asked = []
    while inquiry.leaf is not None:
        asked.append(inquiry.leaf.id)
        inquiry.answer(tree.columns.utility[inquiry.leaf.id])
    return asked


def moved(interval: Bounds, by: Any) -> Bounds:
    return interval[0] + by, interval[1] + by


def worst(tree: Tree, narrow: list[Bounds], action: int) -> Any:
    """Return by how much another action at the root may be better than this one."""
    branches, sign = exact_root(tree).branches, 1 if tree.root.kind == Kind.MAX else -1
    mine, losses = branches[action], [0]
    for other in branches:
        one, two = (moved(narrow[b.child.id], b.reward) for b in (mine, other))
        if other.child == mine.child:
            losses.append(sign * (other.reward - mine.reward))
        else:
            losses.append(two[1] - one[0] if sign > 0 else one[1] - two[0])
    return max(losses)


# ---- The same leaves as the search.


@pytest.mark.parametrize("goal", ["value", "action"])
@pytest.mark.parametrize("exact", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_inquiry_asks_for_the_leaves_that_the_search_visits(goal: str, exact: bool) -> None:
    """The inquiry may end earlier, if another path or a tie proves the result already."""
    asked = visited = ended_early = 0
    for seed in SEEDS:
        case = Case(seed)
        tree, bounds = case.tree(exact), bounds_of(case, exact)
        inquiry = et.inquire(without(tree), bounds=bounds, goal=goal)
        order, found = searched(tree, bounds, goal), finish(inquiry, tree)
        assert found == order[: len(found)]
        assert len(set(found)) == len(found)
        if len(found) < len(order):
            ended_early += 1
            known = {n: tree.columns.utility[n] for n in found}
            narrow = intervals(tree, bounds, known)
            is_player = tree.root.kind in (Kind.MAX, Kind.MIN)
            if goal == "action" and is_player:
                losses = [worst(tree, narrow, a) for a in range(len(tree.root.children))]
                assert min(losses) <= inquiry.search.eps * 5
            else:
                assert narrow[-1][1] - narrow[-1][0] <= inquiry.search.eps * 5
        asked += len(found)
        visited += len(order)
    assert 0.9 * visited < asked <= visited
    assert ended_early > 0  # so the bounds above were checked


# ---- Intervals and losses are true at any time.


def check_answers(seed: int, exact: bool, pays: bool) -> None:
    """Answer in any order, and check every interval and loss against the definition."""
    random = Random(seed)
    case = Case(seed, pays)
    tree = case.tree(exact)
    bounds = random.choice((None, bounds_of(case, exact)))
    leaves = [n for n in range(len(tree)) if not tree.columns.kind[n]]
    unknown = [n for n in leaves if random.random() < 0.7]
    goal = random.choice(("value", "action"))
    inquiry = et.inquire(without(tree, unknown), bounds=bounds, goal=goal, exact=exact)
    values = definitions(tree)
    known = {n: tree.columns.utility[n] for n in leaves if n not in unknown}
    size = max(1.0, *(abs(float(tree.columns.utility[n])) for n in leaves), 100 * pays)
    eps = 0 if exact else 1e-8 * size
    while True:
        check_state(inquiry, tree, values, known, eps)
        if inquiry.leaf is None:
            break
        assert inquiry.leaf.id in unknown
        assert inquiry.leaf.id not in known
        if random.random() < 0.3:
            n = random.choice([n for n in unknown if n not in known])
            inquiry.answer(tree.columns.utility[n], tree.path_of(n))
        else:
            n = inquiry.leaf.id
            inquiry.answer(tree.columns.utility[n])
        known[n] = tree.columns.utility[n]


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 60), marks=pytest.mark.slow)])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("pays", [False, True])
def test_intervals_and_losses_are_true_for_answers_in_any_order(
    exact: bool, pays: bool, seeds: range
) -> None:
    """Random trees, known leaves, bounds or none, answers in any order."""
    for seed in seeds:
        check_answers(seed, exact, pays)


def probabilities(tree: Tree, n: int) -> list[Any]:
    """Return the probabilities of the branches on the first path to a node."""
    found = []
    while n != tree.root_id:
        found.append(tree.columns.probability[tree.first_paths.branch[n]])
        n = tree.first_paths.parent[n]
    return found


def check_state(
    inquiry: et.Inquiry, tree: Tree, values: list[Any], known: dict[int, Any], eps: float
) -> None:
    bounds = None if inquiry.bounds_source == "file" else inquiry.bounds
    narrow = intervals(tree, bounds, known)
    search = inquiry.search
    for n in range(len(tree)):
        lower, upper = search.lower[n], search.upper[n]
        reward = tree.reward_of(tree.first_paths.branch[n])
        assert inquiry.interval(tree.path_of(n)) == moved((lower, upper), reward)
        assert lower - eps <= values[n] <= upper + eps
        assert lower >= narrow[n][0] - eps  # as narrow as the leaves allow
        assert upper <= narrow[n][1] + eps
    root = search.lower[tree.root_id], search.upper[tree.root_id]
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        labels = [b.label for b in tree.root.branches]
        assert inquiry.best is not None
        mine = labels.index(inquiry.best)
        worth = [b.reward + values[b.child.id] for b in exact_root(tree).branches]
        best = max(worth) if tree.root.kind == Kind.MAX else min(worth)
        assert abs(best - worth[mine]) <= inquiry.loss + eps  # the true loss
        least = max(0, min(worst(tree, narrow, a) for a in range(len(labels))))
        if inquiry.algorithm.goal == "action":
            assert inquiry.is_done == (inquiry.loss == 0) == (least <= eps)
        assert inquiry.loss == least or abs(inquiry.loss - least) <= 5 * eps
    else:
        assert inquiry.best is None
        assert inquiry.loss == root[1] - root[0]
    if inquiry.algorithm.goal == "value":
        assert inquiry.is_done == (root[0] == root[1])
        assert inquiry.is_done == (narrow[-1][1] - narrow[-1][0] <= eps or root[0] == root[1])
    assert inquiry.is_done == (inquiry.leaf is None)
    visits = search.visits
    assert all(n in known for n in range(len(tree)) if visits[n] and not tree.columns.kind[n])
    for path in inquiry.answers:
        n = inquiry.tree.find(path).id
        is_possible = all(p > 0 for p in probabilities(tree, n))
        assert visits[n] in ((1,) if is_possible else (0, 1))
    assert inquiry.asked == len(inquiry.answers)
    assert inquiry.unknown_left == len(inquiry.tree_answered().unknown)


# ---- Answers.


def test_a_difference_within_rounding_is_a_tie_in_floats() -> None:
    text = '{bounds: [5, 9], max: {a: 5.000000000000001, b: {utility: "?"}}}'
    inquiry = et.inquire(tree_of(text))
    assert (inquiry.is_done, inquiry.best, inquiry.loss) == (True, "b", 0)
    inquiry = et.inquire(tree_of(text, exact=True), exact=True)
    assert (inquiry.is_done, inquiry.best) == (False, "b")
    assert inquiry.loss == Fraction(1, 10**15)
    inquiry = et.inquire(tree_of(text.replace("00001,", "1,")))
    assert not inquiry.is_done


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (math.nan, "NaN is not a number: write a decimal"),
        (math.inf, "'inf' is not finite"),
        (True, "true is not a number"),
        (None, "'None' is not a number"),
        ([1], "is not a number"),
        ("1e500", "exponent"),
    ],
)
def test_bad_answers_from_python_are_refused(bad: Any, message: str) -> None:
    inquiry = et.inquire(tree_of(SMALL))
    before = inquiry.leaf
    with pytest.raises(SearchError, match=message):
        inquiry.answer(bad)
    assert (inquiry.leaf, inquiry.asked) == (before, 0)


def test_no_question_is_left() -> None:
    inquiry = et.inquire(tree_of(SMALL), bounds=(3, 4))
    assert inquiry.leaf is inquiry.path is None
    assert inquiry.route == ()
    with pytest.raises(SearchError, match="no question is left"):
        inquiry.answer(1)


@pytest.mark.parametrize("bounds", [(5, 9), (9, 0), (math.nan, 1), (0,), ("0", "9"), "ab", 3])
def test_wrong_bounds_are_refused(bounds: Any) -> None:
    with pytest.raises(SearchError):
        et.inquire(tree_of(SMALL), bounds=bounds)


def test_a_wrong_goal_is_refused() -> None:
    with pytest.raises(SearchError, match="found 'both' as goal: write value or action"):
        et.inquire(tree_of(SMALL), goal="both")


def test_the_bounds_of_an_answer_in_floats_are_differences_on_paper() -> None:
    text = '{bounds: [0, 0.3], max: [{cost: 0.1, utility: "?"}, {utility: "?", reward: 0.1}]}'
    inquiry = et.inquire(tree_of(text))
    assert inquiry.allowed(inquiry.tree.find("#1")) == (0.1, 0.4)
    assert inquiry.allowed(inquiry.tree.find("#2")) == (-0.1, 0.2)


# ---- Display.


@pytest.mark.parametrize("exact", [False, True])
def test_an_inquiry_can_be_shown_at_any_time(exact: bool) -> None:
    inquiry = et.inquire(tree_of(SMALL, exact))
    for answer in (8, 3):
        search = inquiry.search
        assert search.stopped
        assert search.counts.leaves_visited == 1 + inquiry.asked
        text = et.to_text(search)
        assert "?" in text
        assert "nan" not in text
        assert "not known yet" in text
        found = et.to_json(search)
        assert '"utility": "?"' in found
        assert "NaN" not in found
        for kind in ("svg", "dot", "mmd"):
            assert "nan" not in str(drawn(kind, Evaluation("", search), Style()).data)
        inquiry.answer(answer)
    assert not inquiry.search.stopped
    assert et.to_text(inquiry.search).splitlines()[0].startswith("▲ MAX 4")


# ---- Sizes.


@pytest.mark.parametrize("exact", [False, True])
def test_numbers_of_any_size_are_accepted(exact: bool) -> None:
    """Estimates are floats, whose squares overflow beyond 1e308."""
    tree = tree_of(
        '{max: {a: {chance: [{utility: "?"}, {utility: "?"}]}, b: {min: [{utility: "?"}, {utility: '
        '"?"}]}}}',
        exact,
    )
    for scale in ("1", "1e-300", "1e150", "1e300", *(["1e390", "1e-390"] if exact else [])):
        for bounds in (None, (f"-9{scale[1:]}", f"9{scale[1:]}")):
            if bounds is None and scale == "1e390":
                continue  # Python adds no infinity to such a fraction
            number: Any = Fraction if exact else float
            ends = bounds and tuple(map(number, bounds))
            inquiry = et.inquire(tree, bounds=ends, goal="value")  # type: ignore[arg-type]
            for digit in "4271":
                if inquiry.leaf is not None:
                    inquiry.answer(f"{digit}{scale[1:]}")
            while inquiry.leaf is not None:
                inquiry.answer(f"1{scale[1:]}")
            if not inquiry.unknown_left:
                value = definition(exact_root(inquiry.tree_answered()))
                assert inquiry.search.value == (value if exact else pytest.approx(value))
    inquiry = et.inquire(tree, goal="value")
    for text in ("1", "1e200", "3e-200", "1e300"):
        if inquiry.leaf is not None:
            inquiry.answer(text)
    assert inquiry.is_done


@pytest.mark.slow
def test_a_chain_of_many_nodes_needs_no_recursion() -> None:
    t = et.TreeBuilder()
    node = t.terminal(None)
    for i in range(30_000):
        node = (t.max if i % 2 else t.min)([node])
    inquiry = et.inquire(t.build(node), bounds=(0, 1), goal="value")
    assert len(inquiry.route) == 30_000
    inquiry.answer(0.5)
    assert inquiry.search.value == 0.5
    assert len(repr(inquiry)) < 300
