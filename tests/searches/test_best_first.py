"""Best-first search: its intervals, its estimates and its counts.

Estimates are compared with the textbook: integrals of normal densities, and a joint normal
distribution, conditioned on the leaves visited so far. Which leaf is next has no other definition
than the program, so counts of many trees are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import count, islice
from random import Random
from statistics import NormalDist, mean
from typing import Any

import numpy as np
import pytest
from helpers import COMPILED
from oracle import ExactNode, definitions, exact_root, intervals
from random_trees import Case, build, in_numbers, random_rows, utility_ranges

import expectitree as et
from expectitree import Kind, Search, Tree, evaluate
from expectitree.base.algorithms import Algorithm, algorithm
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.folding import unshare
from expectitree.searches import beliefs as expecting
from expectitree.searches import best_first, estimates, levels
from expectitree.searches.best_first_search import begin_best_first, end_best_first
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.problem import Problem
from expectitree.searches.result import Outcome

PLAIN, PROVE = (algorithm("best-first", goal=goal) for goal in ("value", "action"))
CHOSEN = (PLAIN, PROVE)
STANDARD = NormalDist()


# ---- Trees.


def cases_without_sharing(most: int) -> Iterator[tuple[int, Case]]:
    """Yield seeds and random trees of several leaves."""
    cases = ((seed, Case(seed)) for seed in count())
    several = (one for one in cases if 2 <= one[1].tree().leaves <= 60)
    yield from islice((one for one in several if not one[1].tree().is_sharing), most)


def tree_with_estimates(seed: int) -> Tree:
    """Return a tree of floats without sharing, in which most inner nodes have estimates.

    An estimate is the middle of the utilities below, more or less exact, or has nothing to do with
    it.
    """
    random = Random(seed)
    known, factor = random.choice((0, 0.7, 1)), random.choice((1, 1, 0, -2))
    noise, step = random.choice((0, 500, 3000)), random.choice((0, 3000))
    rows = [replace(row, bounds=None) for row in random_rows(random)]
    places = {child: place for row in rows for place, child in enumerate(row.children)}
    for n, row in enumerate(rows):
        utility = Fraction(round(random.gauss(0, 1000)) + step * places.get(n, 0))
        rows[n] = replace(row, utility=utility)
    for n, (least, greatest) in enumerate(utility_ranges(rows)):
        if rows[n].children and random.random() < known:
            middle = factor * (least + greatest) / 2
            rows[n] = replace(rows[n], estimate=middle + round(random.gauss(0, noise)))
    tree = build(rows, exact=False)
    if len(tree) < 3 or not isinstance(tree.unfolded, int) or tree.unfolded > 200:
        return tree_with_estimates(seed + 100_000)
    return unshare(tree)


# ---- The loop, leaf by leaf.


class Steps:
    """A search run step by step with the functions of the package."""

    def __init__(self, tree: Tree, chosen: Algorithm, bounds: Bounds | None = None) -> None:
        self.tree = tree
        engine = "auto" if tree.exact else "interpreted"
        self.setup = Problem.of(tree, chosen, choose_bounds(tree, bounds), engine)
        self.columns = self.setup.columns
        self.beliefs = begin_best_first(self.setup)
        expecting.begin(self.columns, self.beliefs)
        self.seen: list[int] = []
        self.is_over = False

    def walk(self) -> list[int]:
        """Visit the next leaf and update its ancestors; return the nodes of the path."""
        depth = best_first.walk(self.columns, self.beliefs, 10**9)
        way = list(self.beliefs.route[: depth + 1])
        leaf = way[-1]
        if not self.columns.kind[leaf]:
            estimates.take_in(self.beliefs, leaf, self.columns.utility[leaf])
            self.seen.append(leaf)
        best_first.back_up(self.columns, self.beliefs, depth)
        self.is_over = best_first.is_reached(self.columns, self.beliefs)
        return way

    def all(self) -> Iterator[list[int]]:
        while not self.is_over:
            yield self.walk()

    @property
    def search(self) -> Search:
        return Search.from_found(self.setup, end_best_first(self.setup, self.beliefs, False))


# ---- Counts.

# By goal and family: the leaves and the nodes that searches of all its trees visit.
COUNTS = {
    ("value", "chance,max,chance,min"): (624, 3120),
    ("action", "max,chance,min"): (179, 716),
    ("value", "max,chance,min,chance"): (519, 2595),
    ("value", "estimates"): (222, 903),
    ("action", "estimates"): (202, 830),
    ("value", "rewards"): (154, 646),
    ("action", "rewards"): (128, 520),
}


@pytest.mark.parametrize(("goal", "family"), COUNTS)
def test_searches_have_the_same_counts_as_ever(goal: str, family: str) -> None:
    """Any other choice of the next leaf changes them."""
    leaves = visits = 0
    if family == "estimates":
        trees = [tree_with_estimates(seed) for seed in range(60)]
    elif family == "rewards":
        trees = [Case(seed, pays=True).tree() for seed in range(60)]
    else:
        options: Any = {"pattern": family, "branching": (2, 4), "real": goal == "value"}
        trees = [et.generate("uniform", seed=seed, **options) for seed in range(10)]
    for tree in trees:
        counts = evaluate(tree, algorithm("best-first", goal=goal)).counts
        leaves += counts.leaves_visited
        visits += counts.visits
    assert (leaves, visits) == COUNTS[goal, family]


# ---- Intervals.


@pytest.mark.parametrize("exact", [True, False])
def test_intervals_after_every_leaf_are_those_of_the_definition(exact: bool) -> None:
    for seed, case in cases_without_sharing(30):
        tree, bounds = case.tree(exact), case.bounds and in_numbers(case.bounds, exact)
        steps = Steps(tree, CHOSEN[seed % 2], bounds)
        slack = 0 if exact else 1e-9 * float(max(map(abs, tree.utility_range))) + steps.setup.eps
        for _ in steps.all():
            known = {n: tree.columns.utility[n] for n in steps.seen}
            expected = intervals(tree, steps.setup.bounds, known)
            for n, ends in enumerate(zip(steps.beliefs.lower, steps.beliefs.upper, strict=True)):
                assert ends == expected[n] or all(
                    abs(found - end) <= slack for found, end in zip(ends, expected[n], strict=True)
                )
        searched = evaluate(tree, steps.setup.algorithm, bounds=bounds)
        assert list(searched.lower) == list(steps.beliefs.lower)
        assert list(searched.upper) == list(steps.beliefs.upper)
        assert list(searched.visits) == list(steps.beliefs.visits)


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_intervals_of_shared_trees_contain_the_values(exact: bool) -> None:
    """After every step intervals only narrow; no leaf is visited twice; the search ends."""
    sharing = 0
    for seed in range(250):
        case = Case(seed)
        tree = case.tree(exact)
        if not tree.is_sharing:
            continue
        sharing += 1
        values, slack = definitions(tree), 0 if exact else 1e-8
        steps = Steps(tree, CHOSEN[seed % 2], case.bounds and in_numbers(case.bounds, exact))
        lower, upper = list(steps.beliefs.lower), list(steps.beliefs.upper)
        for way in steps.all():
            assert way[0] == len(tree) - 1
            known = steps.beliefs
            for n, value in enumerate(values):
                assert lower[n] - slack <= known.lower[n] <= value + slack
                assert value - slack <= known.upper[n] <= upper[n] + slack
            lower, upper = list(known.lower), list(known.upper)
        assert len(steps.seen) == len(set(steps.seen))
        assert len(steps.seen) == steps.search.counts.leaves_visited
        if steps.beliefs.goal == expecting.VALUE:
            assert abs(lower[-1] - values[-1]) <= slack >= upper[-1] - lower[-1]
    assert sharing > 80


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda chosen: chosen.full_name)
def test_a_stopped_search_equals_the_first_part_of_the_search(chosen: Algorithm) -> None:
    for seed, case in cases_without_sharing(12):
        tree, bounds = case.tree(), case.bounds
        steps, entries = Steps(tree, chosen, bounds), 0
        for way in steps.all():
            entries += len(way)
            for most in (entries, entries + 1):
                stopped = evaluate(tree, chosen, bounds=bounds, max_visits=most)
                if steps.is_over:
                    assert not stopped.stopped
                    continue
                assert stopped.stopped, seed
                assert list(stopped.lower) == list(steps.beliefs.lower)
                assert list(stopped.upper) == list(steps.beliefs.upper)
                assert stopped.counts.visits <= most


# ---- Gains, and the greater of two.


def beliefs_of(lower: float, upper: float, m: float, v: float) -> Any:
    """Return the columns of a tree with given values at one node."""
    steps = Steps(et.loads("max: [0, 1]"), algorithm("best-first"))
    known = steps.beliefs
    known.bound[expecting.RAISE][0], known.bound[expecting.LOWER][0] = lower, upper
    known.mean[0], known.variance[0] = m, v
    return known


def integral(f: Callable[[Any], Any], low: float, high: float) -> float:
    """Return an integral by Simpson's rule."""
    x = np.linspace(low, high, 20001)
    weights = np.where(np.arange(20001) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    return float((weights * f(x)).sum() * (x[1] - x[0]) / 3)


def density(m: float, v: float) -> Callable[[Any], Any]:
    return lambda x: np.exp(-((x - m) ** 2) / (2 * v)) / math.sqrt(2 * math.pi * v)


@pytest.mark.parametrize("aim", [expecting.LOWER, expecting.RAISE])
@pytest.mark.parametrize(("m", "v"), [(0.0, 1.0), (3.0, 0.04), (-70.0, 400.0), (1e6, 1.0)])
def test_the_gain_of_a_normal_value_matches_its_integral(m: float, v: float, aim: int) -> None:
    below, s = aim == expecting.LOWER, math.sqrt(v)
    known = beliefs_of(-1e9, 1e9, m, v)
    for z in (-3, -1, -0.25, 0, 0.5, 2, 4):
        x = m + z * s
        ends = (m - 12 * s, x) if below else (x, m + 12 * s)
        truth = integral(lambda y, x=x: abs(x - y) * density(m, v)(y), *ends)
        assert estimates.gain(known, 0, x, aim) == pytest.approx(truth, rel=1e-6, abs=1e-9 * s)
    known = beliefs_of(-1e9, 1e9, m, 0.0)
    assert estimates.gain(known, 0, m + s, aim) == pytest.approx(s if below else 0.0)
    assert estimates.gain(known, 0, m - s, aim) == pytest.approx(0.0 if below else s)


def test_a_search_that_closes_the_root_was_not_stopped() -> None:
    """A shared node makes a second parent exact after the last visit."""
    text = "{nodes: {n: 4}, max: [{ref: n}, {min: [{ref: n}, 9]}]}"
    search = evaluate(et.loads(text), "best-first", max_visits=2)
    assert (search.value, search.stopped) == (4, False)


@pytest.mark.slow
def test_the_maximum_of_two_normals_matches_its_integral() -> None:
    """Mean and variance of max(A, B), from P(max <= x) = P(A <= x) P(B <= x)."""
    random = Random(6)
    spans = [(0, 1, 9, 1), (5, 4, 5, 1e-2), (1e6, 1, 1e6 + 1, 2)]
    spans += [(random.gauss(0, 3), 1, random.gauss(0, 3), random.random() + 0.1) for _ in range(40)]
    cdf = np.vectorize(STANDARD.cdf)
    for m, v, m2, v2 in spans:
        s, s2, center = math.sqrt(v), math.sqrt(v2), max(m, m2)

        def greater(x: Any, m: float = m, s: float = s, m2: float = m2, s2: float = s2) -> Any:
            one, other = density(m, s * s)(x), density(m2, s2 * s2)(x)
            return one * cdf((x - m2) / s2) + other * cdf((x - m) / s)

        ends = min(m - 10 * s, m2 - 10 * s2), max(m + 10 * s, m2 + 10 * s2)
        first = integral(lambda x, c=center, f=greater: (x - c) * f(x), *ends)
        second = integral(lambda x, c=center, f=greater: (x - c) ** 2 * f(x), *ends)
        got, spread = estimates.greater_of(m, v, m2, v2)
        assert got == pytest.approx(center + first, rel=1e-9, abs=1e-6 * (s + s2))
        assert spread == pytest.approx(second - first**2, rel=1e-5)
        assert estimates.greater_of(m2, v2, m, v) == pytest.approx((got, spread))
    assert estimates.greater_of(2.0, 0.0, 3.0, 0.0) == (3.0, 0.0)
    assert estimates.greater_of(1e150, 1.0, -1e150, 1.0) == (1e150, pytest.approx(1.0))


# ---- Levels: a random effect for each node, by the joint normal distribution of leaves.


class Joint:
    """A tree of which a random part of the leaves is visited, and what the textbook says of it.

    The level of the root is distributed around the center. The level of a child, or a leaf, is
    distributed around that of its parent plus what its rank and its estimate add.
    """

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.tree = tree_with_estimates(seed)
        bounds = random.choice((None, (-1e6, 2e6), (-INFINITY, INFINITY)))
        self.steps = Steps(self.tree, PLAIN, bounds)
        self.nodes = [ExactNode(self.tree, n) for n in range(len(self.tree))]
        self.inner = [node for node in self.nodes if node.children]
        self.depth = self.tree.first_paths.depth
        self.deepest = max(self.depth[node.id] for node in self.inner)
        leaves = [node.id for node in self.nodes if not node.children]
        self.seen = random.sample(leaves, random.randint(0, len(leaves)))
        for n in self.seen:
            estimates.take_in(self.steps.beliefs, n, self.tree.columns.utility[n])
        low, high = map(float, self.steps.setup.bounds)
        self.weight, self.center, self.variance = 0.01, low if low > -INFINITY else 0.0, 1.0
        if 0 < high - low < INFINITY:
            self.weight, self.center, self.variance = 2.0, (low + high) / 2, (high - low) ** 2 / 12
        self.values = {n: self.tree.columns.utility[n] - self.center for n in self.seen}
        columns = self.steps.beliefs.spread
        self.columns = columns.leaf_variance, columns.slope, columns.trust  # by depth

    @cached_property
    def causes(self) -> list[tuple[ExactNode, list[tuple[ExactNode, float, float]]]]:
        """Each inner node with its children, their ranks and their advantages.

        A rank is from -1/2 to 1/2, and an advantage is by how much an estimate is above the mean
        of the siblings'.
        """
        found = []
        for node in self.inner:
            ranks = np.linspace(-0.5, 0.5, len(node.children)) if len(node.children) > 1 else [0]
            known = [child.estimate for child in node.children]
            written = [x for x in known if x is not None]
            leads = [0.0 if x is None else x - mean(written) for x in known]
            found.append((node, list(zip(node.children, map(float, ranks), leads, strict=True))))
        return found

    def values_below(self, node: ExactNode) -> list[float]:
        own = [self.values[node.id]] if node.id in self.values else []
        return sum(map(self.values_below, node.children), own)

    def fitted(self) -> tuple[list[float], list[float], list[float]]:
        """Return the variance, the slope and the trust of each depth by the visited leaves."""
        weights = len(self.values) + self.weight
        squares = sum(x * x for x in self.values.values()) + self.weight * self.variance
        variance = squares / weights - (sum(self.values.values()) / weights) ** 2
        widest, found = 0.0, []
        for d in range(self.deepest, -1, -1):
            degrees = weighed = 0.0
            rows = np.empty((0, 3))  # mean, rank and advantage, each minus its mean
            for node, children in self.causes:
                parts = [(self.values_below(child), r, a) for child, r, a in children]
                parts = [part for part in parts if part[0]]
                if self.depth[node.id] != d or len(parts) < 2:
                    continue
                pairs = [
                    (x - y) ** 2 / 2
                    for i, (one, *_) in enumerate(parts)
                    for other, *_ in parts[:i]
                    for x in one
                    for y in other
                ]
                degrees += len(parts) - 1
                weighed += (len(parts) - 1) * mean(pairs)
                table = np.array([(mean(below), r, a) for below, r, a in parts])
                rows = np.concatenate([rows, table - table.mean(axis=0)])
            widest = max(widest, (weighed + 2 * variance) / (degrees + 2))
            found.append((widest, *regressions(rows.T, degrees)))
        spread, slope, trust = zip(*reversed(found), strict=True)
        return [*spread], [*slope], [*trust]

    def posterior(self, nodes: list[ExactNode]) -> list[tuple[float, float]]:
        """Return mean (minus the center) and variance of some nodes, given the visited leaves."""
        spread, slope, trust = self.columns
        offset = {self.tree.root_id: 0.0}
        effects = {self.tree.root_id: {self.tree.root_id: spread[0] / self.weight}}
        for node, children in reversed(self.causes):
            d = self.depth[node.id]
            for child, r, a in children:
                rest = spread[d] - spread[d + 1] if child.children else spread[d]
                offset[child.id] = offset[node.id] + slope[d] * r + trust[d] * a
                effects[child.id] = effects[node.id] | {child.id: rest}

        def covariance(some: list[int], others: list[int]) -> Any:
            shared = [
                sum(v for e, v in effects[a].items() if e in effects[b])
                for a in some
                for b in others
            ]
            return np.array(shared).reshape(len(some), len(others))

        ids = [node.id for node in nodes]
        means, variances = np.array([offset[n] for n in ids]), np.diag(covariance(ids, ids)).copy()
        if self.seen and ids:
            across = covariance(ids, self.seen)
            weights = np.linalg.solve(covariance(self.seen, self.seen), across.T).T
            means = means + weights @ np.array([self.values[n] - offset[n] for n in self.seen])
            variances = variances - np.einsum("ij,ij->i", weights, across)
        return list(zip(means.tolist(), variances.tolist(), strict=True))


def regressions(columns: Any, degrees: float) -> tuple[float, float]:
    """Return the slope and the trust of a depth, from means, ranks and advantages of children."""
    x, r, a = columns
    slope, trust, errors = 0.0, 1.0, max(1.0, degrees - 1)
    if degrees > 2 and a @ a > 0:
        fitted = (x @ a) / (a @ a)
        error = np.square(x - fitted * a).sum() / errors / (a @ a)
        # The mean of two guesses, weighted by their precisions: 1, with variance 1/4, and this.
        trust = (1 * 4 + fitted / error) / (4 + 1 / error) if error > 0 else fitted
    x = x - trust * a
    if degrees > 2 and r @ r > 0:
        fitted = (x @ r) / (r @ r)
        error = np.square(x - fitted * r).sum() / errors / (r @ r)  # the squared standard error
        if fitted**2 > 16 * error:
            slope = fitted * (1 - 16 * error / fitted**2)
    return slope, trust


def test_fitted_levels_are_those_of_regressions() -> None:
    significant = 0
    for seed in range(250):
        joint = Joint(seed)
        levels.learn(joint.steps.columns, joint.steps.beliefs, range(len(joint.tree)))
        spread, slope, trust = joint.fitted()
        found = [column[: len(spread)] for column in joint.columns]
        near = 1e-7 * math.sqrt(max(spread))
        assert found[0] == pytest.approx(spread, rel=1e-9)
        assert found[1] == pytest.approx(slope, rel=1e-6, abs=near)
        assert found[2] == pytest.approx(trust, rel=1e-6, abs=1e-6)
        significant += any(slope)
    assert significant > 5


@pytest.mark.slow
def test_levels_match_the_joint_distribution() -> None:
    """Linear algebra conditions all nodes and unvisited leaves at once."""
    for seed in range(250):
        joint, random = Joint(seed), Random(seed)
        known, columns, depths = joint.steps.beliefs, joint.steps.columns, joint.deepest + 1
        spread = sorted((random.expovariate(1) + 0.01 for _ in range(depths)), reverse=True)
        joint.columns[0][:depths] = [1e6 * x for x in spread]
        joint.columns[1][:depths] = [random.gauss(0, 1000) for _ in range(depths)]
        joint.columns[2][:depths] = [random.gauss(0.5, 1) for _ in range(depths)]
        for node in joint.inner:
            levels.update_level_from_children(columns, known, node.id)
        levels.update_root_level(known)
        for node in reversed(joint.inner):
            levels.pass_level_to_children(columns, known, node.id)

        def check(n: int, means: Any, variances: Any, m: float, v: float) -> None:
            assert means[n] == pytest.approx(m, rel=1e-8, abs=1e-6)
            assert variances[n] == pytest.approx(v, rel=1e-8, abs=1e-6)

        for node, moments in zip(joint.inner, joint.posterior(joint.inner), strict=True):
            check(node.id, known.levels.level, known.levels.level_variance, *moments)
        leaves = [n for n in joint.nodes if not n.children and n.id not in joint.seen]
        for leaf, (m, v) in zip(leaves, joint.posterior(leaves), strict=True):
            low, high = (known.bound[aim][leaf.id] for aim in (expecting.RAISE, expecting.LOWER))
            inside = min(max(m + joint.center, low), high)
            check(leaf.id, known.mean, known.variance, inside, v if low < high else 0.0)


# ---- Estimates of inner nodes.


def test_estimates_that_no_square_can_hold_are_ignored() -> None:
    text = "max: [{estimate: 1e200, min: [1, 2]}, {estimate: 0, min: [3, 1e-3]}]"
    search = evaluate(et.loads(text), "best-first")
    assert search.value == 1


def test_the_guide_of_earlier_versions_is_refused_with_what_to_write() -> None:
    with pytest.raises(et.SearchError, match="remove guide"):
        algorithm("best-first", guide="bounds")
    for entry in ("{leaves: 1, guide: bounds}", "[{guide: learning}, {goal: action}]"):
        with pytest.raises(et.FileError, match="unknown key 'guide': best-first always learns"):
            et.loads(f"{{max: [1, 2], expect: {{best-first: {entry}}}}}")


# ---- The best action.


def proved(root: ExactNode, known: dict[int, Bounds], eps: Number) -> list[ExactNode]:
    """Return the actions of a player's root that are as good as any other can be."""
    found = []
    for one in root.children:
        others = [known[c.id] for c in root.children if c.id != one.id]
        lower, upper = known[one.id]
        if root.kind == Kind.MAX:
            is_proved = all(high <= lower + eps for _, high in others)
        else:
            is_proved = all(low >= upper - eps for low, _ in others)
        found += [one] if is_proved else []
    return found


@pytest.mark.parametrize("exact", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_search_for_the_action_stops_once_it_is_proved(exact: bool) -> None:
    fewer = 0
    for seed in range(100):
        case = Case(seed)
        tree = case.tree(exact)
        bounds = case.bounds and in_numbers(case.bounds, exact)
        steps, root = Steps(tree, PROVE, bounds), exact_root(tree)
        known, eps = steps.beliefs, steps.setup.eps
        best: list[ExactNode] = []
        while True:
            ends = dict(enumerate(zip(known.lower, known.upper, strict=True)))
            if root.kind in (Kind.MAX, Kind.MIN):
                best = proved(root, ends, eps)
            is_exact = known.lower[root.id] == known.upper[root.id]
            if steps.seen or steps.is_over:
                assert steps.is_over == (is_exact or bool(best))
            if steps.is_over:
                break
            steps.walk()
        if best:
            values, slack = definitions(tree), 0 if exact else 10 * eps
            assert all(abs(values[node.id] - values[-1]) <= slack for node in best)
            is_shown = steps.search.tree.find(str(steps.search.best)).id in {n.id for n in best}
            assert is_exact or is_shown
            fewer += not is_exact
    assert fewer > 20


def test_the_only_action_needs_no_leaf() -> None:
    for text in ("max: [{chance: [1, 2]}]", "min: [{max: [1, {chance: [3, 9]}]}]"):
        search = evaluate(et.loads(text), "best-first", goal="action")
        assert (search.counts.leaves_visited, search.best) == (0, "#1")
        assert evaluate(et.loads(text), "best-first", goal="value").outcome is Outcome.VALUE


@pytest.mark.parametrize(
    ("text", "best", "others"),
    [
        ("max: {a: {chance: [9, 8, 9, 7]}, b: 1, c: 2}", (Fraction(9, 4), Fraction(39, 4)), (0, 2)),
        (
            "min: {a: {chance: [1, 2, 1, 3]}, b: 9, c: 8}",
            (Fraction(1, 4), Fraction(31, 4)),
            (8, 10),
        ),
    ],
)
def test_the_best_action_only_has_to_beat_the_best_of_the_others(
    text: str, best: Bounds, others: Bounds
) -> None:
    """One outcome of four is enough to know that a is better than b and c."""
    search = evaluate(et.loads(text), PROVE, bounds=(0, 10))
    a = search.tree.find("a").id
    assert (search.lower[a], search.upper[a]) == best
    assert (search.alpha[a], search.beta[a]) == others


def test_bounds_that_prove_the_best_action_need_no_leaf() -> None:
    tree = et.loads("max: {a: {bounds: [0, 3], chance: [1, 2]}, b: {bounds: [3, 9], min: [4, 5]}}")
    search = evaluate(tree, "best-first", goal="action", bounds=(0, 10))
    assert (search.counts.leaves_visited, search.best) == (0, "b")


@pytest.mark.parametrize("engine", ["auto", "interpreted", COMPILED])
def test_rewards_may_be_far_greater_than_the_range_of_the_totals(engine: str) -> None:
    """Scaled by the rewards, the totals differ by so little that their variance rounds to 0."""
    text = "max: [0, -1, {reward: 1e300, chance: [{min: [{cost: 1e300, utility: 0}]}]}]"
    assert evaluate(et.loads(text), "best-first", engine=engine).value == 0
