"""Best-first search compared with a reference implementation.

`ReferenceSearch` is recursive and computes everything again at every step. It estimates values by
the textbook: a joint normal distribution, conditioned on the leaves visited so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from statistics import NormalDist, mean
from typing import Any

import numpy as np
import pytest
from helpers import COMPILED
from oracle import ExactNode, definitions, exact_root
from random_trees import Case, Row, build, in_numbers

import expectitree as et
from expectitree import Kind, Search, Tree, evaluate
from expectitree.base.algorithms import Algorithm, algorithm
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds
from expectitree.searches import beliefs as expecting
from expectitree.searches import best_first, estimates, levels
from expectitree.searches.best_first_search import begin_best_first, end_best_first
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.problem import Problem
from expectitree.searches.result import Outcome

CHOSEN = [algorithm("best-first", goal=goal) for goal in ("value", "action")]
PROVE = algorithm("best-first", goal="action")
STANDARD = NormalDist()


# ---- Trees.


def rows_without_sharing(
    random: Random, utility: Callable[[], float], widest: int, height: int
) -> list[Row]:
    """Return the rows of a tree with leaves at random depths and utilities from `utility`.

    In most trees, most inner nodes have estimates: the level that their leaves are around, more or
    less exact, or a number that has nothing to do with it.
    """
    rows: list[Row] = []
    known = random.choice((0.0, 0.7, 1.0))  # The share of inner nodes with estimates.
    noise, factor = random.choice((0.0, 0.5, 3.0)), random.choice((1, 1, 0, -2))

    def estimate(level: float) -> Fraction | None:
        if random.random() >= known:
            return None
        return Fraction(round(1000 * (factor * level + noise * random.gauss(0, 1))))

    def grow(depth: int, base: float) -> int:
        if depth == 0 or depth < height and random.random() < 0.2:
            rows.append(Row(Kind.TERMINAL, Fraction(round(1000 * (base + utility())))))
        else:
            kind = random.choice((Kind.MAX, Kind.MIN, Kind.CHANCE))
            children = tuple(
                grow(depth - 1, base + step * utility()) for _ in range(random.randint(1, widest))
            )
            drawn = [random.choice((0, 1, 2, 3, 5)) for _ in children]
            drawn[-1] = max(drawn[-1], 1)
            shares = tuple(Fraction(w, sum(drawn)) for w in drawn) if kind == Kind.CHANCE else ()
            rows.append(Row(kind, children=children, probabilities=shares, estimate=estimate(base)))
        return len(rows) - 1

    step = random.choice((0.0, 0.5, 2.0))  # The scale of what each branch adds to a utility.
    grow(height, 0.0)
    return rows


def trees_without_sharing(
    count: int, exact: bool = False
) -> Iterator[tuple[int, Tree, Bounds | None]]:
    """Yield seeds, trees of two leaves or more, and root bounds (None for those of the leaves)."""
    seed = found = 0
    while found < count:
        seed += 1
        random = Random(seed)
        if seed % 2:
            case = Case(seed)
            tree, bounds = case.tree(exact), case.bounds and in_numbers(case.bounds, exact)
        else:
            rows = rows_without_sharing(
                random, lambda random=random: random.gauss(0, 1), random.choice((2, 3, 5)), 4
            )
            tree = build(rows, exact)
            bounds = random.choice(
                (None, None, (-INFINITY, INFINITY), in_numbers((-20000, 20000), exact))
            )
        if not tree.is_sharing and 2 <= tree.leaves <= 60:
            found += 1
            yield seed, tree, bounds


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


# ---- The definition.


class ReferenceSearch:
    """Best-first search as documented, for trees without shared nodes."""

    def __init__(self, tree: Tree, chosen: Algorithm, bounds: Bounds | None) -> None:
        self.tree, self.goal = tree, chosen.goal
        self.root, self.bounds = exact_root(tree), bounds
        root_bounds, _ = choose_bounds(tree, bounds)
        self.own = list(zip(*tree.inherited_bounds(root_bounds), strict=True))
        self.eps = evaluate(tree, bounds=bounds).eps
        # Expected gains are equal within this, in floats too: they are computed by linear algebra.
        self.near = 1e-9 * float(
            max(abs(x) for x in (*tree.utility_range, *root_bounds) if abs(x) < INFINITY)
        )
        self.nodes = list(below(self.root))
        self.depth = depths(self.root)
        low, high = map(float, root_bounds)
        if math.isfinite(high - low) and low < high:
            self.prior_weight, self.center, self.prior_variance = (
                2.0,
                (low + high) / 2,
                (high - low) ** 2 / 12,
            )
        else:
            self.prior_weight, self.center, self.prior_variance = (
                0.01,
                low if math.isfinite(low) else high if math.isfinite(high) else 0.0,
                1.0,
            )
        self.seen: list[int] = []
        self.known: dict[int, Bounds] = {}
        self.ends: dict[int, tuple[float, float]] = {}
        self.guess: dict[int, tuple[float, float]] = {}  # Mean and variance at the last update.
        self.costs: dict[int, tuple[float, float]] = {
            node.id: (1.0, 1.0) for node in self.nodes
        }  # to lower, to raise
        self.rates = dict.fromkeys((node.id for node in self.nodes), 0.0)
        self.spread: list[float] = []
        self.slope: list[float] = []
        self.trust: list[float] = []
        self.next_update = 0.0
        self.update_intervals()

    # Intervals.

    def update_intervals(self) -> None:
        """Compute every interval."""
        self.known.clear()
        self.interval(self.root)
        self.ends = {n: (float(lower), float(upper)) for n, (lower, upper) in self.known.items()}

    def interval(self, node: ExactNode) -> Bounds:
        """Return the interval of a node from the visited leaves and the bounds."""
        lower, upper = self.own[node.id]
        if node.kind == Kind.TERMINAL:
            if node.id in self.seen:
                lower = upper = node.utility
        else:
            found = [self.interval(child) for child in node.children]
            if node.kind == Kind.CHANCE:
                shares = [
                    (branch.p, ends) for branch, ends in zip(node.branches, found, strict=True)
                ]
                least, most = (
                    sum(p * ends[side] for p, ends in shares if p > 0) for side in (0, 1)
                )
            else:
                pick = max if node.kind == Kind.MAX else min
                least, most = (pick(ends[side] for ends in found) for side in (0, 1))
            if most > least + self.eps:
                least, most = max(least, lower), min(most, upper)
            if most <= least + self.eps and most != least:
                least, most = {
                    Kind.MAX: (least, least),
                    Kind.MIN: (most, most),
                    Kind.CHANCE: (mean((least, most)),) * 2,
                }[node.kind]
            lower, upper = least, most
        self.known[node.id] = lower, upper
        return lower, upper

    def is_open(self, node: ExactNode) -> bool:
        lower, upper = self.known[node.id]
        return bool(lower < upper)

    def is_over(self) -> bool:
        """Return whether the root is exact or, for the goal action, an action is proved best."""
        if not self.is_open(self.root):
            return True
        return (
            self.goal == "action"
            and self.root.kind in (Kind.MAX, Kind.MIN)
            and bool(proved(self.root, self.known, self.eps))
        )

    # Estimates.

    def observe(self, leaf: ExactNode, way: list[ExactNode]) -> None:
        """Observe a leaf, and update the estimates along the path to it."""
        if leaf.kind != Kind.TERMINAL:  # The bounds alone make the root exact.
            return
        self.seen.append(leaf.id)
        self.update_intervals()
        self.guess[leaf.id] = float(leaf.utility), 0.0
        self.estimate_leaves(way[:-1])
        for node in reversed(way[:-1]):
            self.estimate(node)

    def update_estimates(self) -> None:
        """Update every estimate."""
        self.spread, self.slope, self.trust = fit_levels(self)
        self.estimate_leaves(self.nodes)
        for node in self.nodes:  # Children come first.
            self.estimate(node)
        self.next_update = len(self.seen) + max(1.0, len(self.seen) / 4)

    def estimate_leaves(self, parents: list[ExactNode]) -> None:
        """Estimate the unvisited leaves below some nodes by the joint distribution."""
        leaves = [
            c
            for node in parents
            for c in node.children
            if c.kind == Kind.TERMINAL and c.id not in self.seen
        ]
        for leaf, (m, v) in zip(leaves, posterior(self, leaves), strict=True):
            low, high = self.ends[leaf.id]
            self.guess[leaf.id] = min(max(m + self.center, low), high), v if low < high else 0.0

    def estimate(self, node: ExactNode) -> None:
        """Estimate the value of an inner node and the cost of moving each of its bounds."""
        if node.kind == Kind.TERMINAL:
            return
        low, high = self.ends[node.id]
        children = [self.guess[c.id] for c in node.children]
        if node.kind == Kind.CHANCE:
            shares = [float(branch.p) for branch in node.branches]
            m = sum(p * one for p, (one, _) in zip(shares, children, strict=True))
            v = sum(p**2 * one for p, (_, one) in zip(shares, children, strict=True))
        else:
            sign = 1 if node.kind == Kind.MAX else -1
            m, v = sign * children[0][0], children[0][1]
            for other, w in children[1:]:
                m, v = clark(m, v, sign * other, w)
            m *= sign
        m = min(max(m, low), high)
        self.guess[node.id] = m, min(v, ((high - low) / 2) ** 2)
        waiting = [c for c in node.children if self.is_open(c)]
        to_lower, to_raise = ([self.costs[c.id][side] for c in waiting] for side in (0, 1))
        if node.kind == Kind.CHANCE:
            possible = [b.child for b in node.branches if b.p > 0 and self.is_open(b.child)]
            to_lower, to_raise = ([self.costs[c.id][side] for c in possible] for side in (0, 1))
        elif node.kind == Kind.MAX:
            to_lower = [self.costs[c.id][0] for c in waiting if self.ends[c.id][1] > m + self.near]
            able = [c for c in waiting if self.ends[c.id][1] > low + self.near]
            best, self.rates[node.id] = first_best(able, lambda c: self.gain_at(node, c, "raise"))
            to_raise = [self.costs[best.id][1]] if best else []
        else:
            to_raise = [self.costs[c.id][1] for c in waiting if self.ends[c.id][0] < m - self.near]
            able = [c for c in waiting if self.ends[c.id][0] < high - self.near]
            best, self.rates[node.id] = first_best(able, lambda c: self.gain_at(node, c, "lower"))
            to_lower = [self.costs[best.id][0]] if best else []
        self.costs[node.id] = max(1.0, sum(to_lower)), max(1.0, sum(to_raise))

    def finite_interval(self, node: ExactNode) -> tuple[float, float]:
        """Return the interval of a node; infinite ends become six standard deviations."""
        low, high = self.ends[node.id]
        m, v = self.guess[node.id]
        six = 6 * math.sqrt(v)
        return (m - six if math.isinf(low) else low), (m + six if math.isinf(high) else high)

    def gain(self, node: ExactNode, x: float, aim: str) -> float:
        """Return the expected distance by which v* is below x, or above x."""
        low, high = self.finite_interval(node)
        x = high if x == INFINITY else low if x == -INFINITY else x
        m, v = self.guess[node.id]
        if aim == "raise":  # the mirror
            m, x = -m, -x
        return expected_drop(m, v, x)

    def gain_at(self, node: ExactNode, child: ExactNode, aim: str) -> float:
        """Return the gain per leaf of a child that can move a bound of a player alone."""
        (low, high), (child_low, child_high) = self.ends[node.id], self.ends[child.id]
        if aim == "lower":
            return self.gain(child, min(high, child_high), aim) / self.costs[child.id][0]
        return self.gain(child, max(low, child_low), aim) / self.costs[child.id][1]

    def gain_rate(self, node: ExactNode, aim: str) -> float:
        """Return the gain per leaf, that of the best child if one child can move the bound."""
        if (node.kind, aim) in ((Kind.MIN, "lower"), (Kind.MAX, "raise")):
            return self.rates[node.id]
        low, high = self.ends[node.id]
        if aim == "lower":
            return self.gain(node, high, aim) / self.costs[node.id][0]
        return self.gain(node, low, aim) / self.costs[node.id][1]

    # Choices.

    def next_path(self) -> list[ExactNode]:
        """Return the path to the next leaf, or to a node that its bounds make exact."""
        if len(self.seen) >= self.next_update:
            self.update_estimates()
        way, aim = [self.root], "exact"
        while (
            self.is_open(way[-1])
            and way[-1].kind != Kind.TERMINAL
            and not (len(way) == 1 and self.is_over())
        ):
            if len(way) == 1 and self.goal == "action" and self.root.kind != Kind.CHANCE:
                node, aim = self.choose_rival()
            else:
                node, aim = self.choose(way[-1], aim)
            way.append(node)
        return way

    def choose(self, node: ExactNode, aim: str) -> tuple[ExactNode, str]:
        if node.kind == Kind.CHANCE:
            return self.choose_outcome(node, aim), aim
        is_max = node.kind == Kind.MAX
        every = "lower" if is_max else "raise"
        if aim in ("exact", every):
            best = self.greatest_bound([c for c in node.children if self.is_open(c)], is_max)
            greatest = max(self.mean(c, is_max) for c in node.children)
            if aim == "exact" and (
                self.mean(best, is_max) < greatest - self.near
                or self.depth[node.id] <= (self.root.kind == Kind.CHANCE)
                and self.gain_rate(best, every)
                > 0.7 * self.gain_rate(best, "raise" if is_max else "lower") * (1 + 1e-6)
            ):
                aim = every
            return best, aim
        lower, upper = self.known[node.id]
        able = [
            c
            for c in node.children
            if self.is_open(c)
            and (
                self.known[c.id][1] > lower + self.eps
                if is_max
                else self.known[c.id][0] < upper - self.eps
            )
        ]
        best, _ = first_best(able, lambda c: self.gain_at(node, c, aim))
        return best, aim

    def choose_outcome(self, node: ExactNode, aim: str) -> ExactNode:
        def score(child: ExactNode) -> float:
            low, high = self.finite_interval(child)
            return (
                (high - low) / sum(self.costs[child.id])
                if aim == "exact"
                else self.gain_rate(child, aim)
            )

        shares = {b.child.id: b.p for b in node.branches}
        able = [b.child for b in node.branches if b.p > 0 and self.is_open(b.child)]
        best, _ = first_best(able, lambda c: shares[c.id] * score(c))
        return best

    def mean(self, node: ExactNode, is_max: bool) -> float:
        return self.guess[node.id][0] if is_max else -self.guess[node.id][0]

    def best_end(self, node: ExactNode, is_max: bool) -> float:
        low, high = self.ends[node.id]
        return high if is_max else -low

    def greatest_bound(self, nodes: list[ExactNode], is_max: bool) -> ExactNode:
        """Return the node with the greatest bound for its player; the estimate decides ties."""
        best = nodes[0]
        for node in nodes[1:]:
            one, most = (
                self.best_end(node, is_max),
                self.best_end(best, is_max),
            )  # They may be infinite.
            is_close = (
                one >= most - self.near
                and self.mean(node, is_max) > self.mean(best, is_max) + self.near
            )
            if one > most + self.near or is_close:
                best = node
        return best

    def choose_rival(self) -> tuple[ExactNode, str]:
        children, is_max = self.root.children, self.root.kind == Kind.MAX
        to_raise, to_lower = ("raise", "lower") if is_max else ("lower", "raise")
        best = children[0]  # The best action by its estimate.
        for node in children[1:]:
            more = self.mean(node, is_max) - self.mean(best, is_max)
            if (
                more > self.near
                or more >= -self.near
                and self.best_end(node, is_max) > self.best_end(best, is_max) + self.near
            ):
                best = node
        rivals = [c for c in children if c.id != best.id and self.is_open(c)]
        low, high = self.ends[self.root.id]
        held = low if is_max else -high  # The value that an action guarantees.
        if (
            not rivals
            or self.is_open(best)
            and max(self.best_end(c, is_max) for c in rivals) <= held + self.near
        ):
            return best, to_raise
        rival = rivals[0]
        for node in rivals[1:]:
            if self.best_end(node, is_max) > self.best_end(rival, is_max) + self.near:
                rival = node
        if (
            not self.is_open(best)
            or self.best_end(best, is_max) < self.best_end(rival, is_max) - self.near
        ):
            return rival, to_lower
        sure = self.ends[best.id][0] if is_max else -self.ends[best.id][1]
        side = 0 if is_max else 1
        cost = sum(
            self.costs[c.id][side] for c in rivals if self.best_end(c, is_max) > sure + self.near
        )
        up, down = self.gain_rate(best, to_raise), self.gain_rate(rival, to_lower)
        if rival.kind == Kind.CHANCE:
            shares = [(b.p, b.child) for b in rival.branches]
            down = max(
                p * self.gain_rate(c, to_lower) for p, c in shares if p > 0 and self.is_open(c)
            )
        down *= self.costs[rival.id][side] / max(1.0, cost)
        return (rival, to_lower) if down > 2 * (1 + 1e-6) * up else (best, to_raise)


def below(node: ExactNode) -> Iterator[ExactNode]:
    """Yield the nodes at and below a node, children first, by every branch."""
    for child in node.children:
        yield from below(child)
    yield node


def depths(node: ExactNode, depth: int = 0) -> dict[int, int]:
    found = {node.id: depth}
    for child in node.children:
        found |= depths(child, depth + 1)
    return found


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


def first_best(nodes: list[ExactNode], score: Callable[[ExactNode], float]) -> tuple[Any, float]:
    """Return the first node whose score is the greatest within a tolerance, and the score."""
    best, most = None, 0.0
    for node in nodes:
        one = float(score(node))
        if best is None or one > most * (1 + 1e-6):
            best, most = node, one
    return best, most


def expected_drop(m: float, v: float, x: float) -> float:
    """Return E[max(0, x - V)] for a normal V."""
    if v <= 0:
        return max(0.0, x - m)
    s = math.sqrt(v)
    return (x - m) * STANDARD.cdf((x - m) / s) + s * STANDARD.pdf((x - m) / s)


def clark(m: float, v: float, m2: float, v2: float) -> tuple[float, float]:
    """Return mean and variance of the greater of two independent normal variables."""
    a = math.sqrt(v + v2)
    if a <= 0:
        return max(m, m2), 0.0
    z = (m - m2) / a
    first = m * STANDARD.cdf(z) + m2 * STANDARD.cdf(-z) + a * STANDARD.pdf(z)
    # E[M^2] - E[M]^2, about the mean of the greater of the two.
    c = max(m, m2)
    d, d2, f = m - c, m2 - c, first - c
    second = (
        (d * d + v) * STANDARD.cdf(z)
        + (d2 * d2 + v2) * STANDARD.cdf(-z)
        + (d + d2) * a * STANDARD.pdf(z)
    )
    return first, max(0.0, second - f * f)


# ---- The joint distribution of leaves: a random effect for each node.


def ranks(node: ExactNode) -> list[float]:
    """Return the position of each child, from -1/2 to 1/2."""
    count = len(node.children)
    return [i / (count - 1) - 0.5 if count > 1 else 0.0 for i in range(count)]


def advantages(node: ExactNode) -> list[float]:
    """Return by how much the estimate of each inner child is above the mean of those known."""
    known = [c.estimate if c.kind != Kind.TERMINAL else None for c in node.children]
    middle = sum(float(x) for x in known if x is not None) / max(1, len(known) - known.count(None))
    return [0.0 if x is None else float(x) - middle for x in known]


def effects(reference: ReferenceSearch) -> tuple[dict[int, float], dict[int, dict[int, float]]]:
    """Return the mean of every node and the variances of its independent effects.

    The level of the root is distributed around the center. The level of a child, or a leaf, is
    distributed around that of its parent plus what its rank and its estimate add.
    """
    spread, slope, trust = reference.spread, reference.slope, reference.trust
    offset: dict[int, float] = {}
    made_of: dict[int, dict[int, float]] = {}

    def enter(node: ExactNode, mean: float, above: dict[int, float], own: float) -> None:
        offset[node.id], made_of[node.id] = mean, above | {node.id: own}
        d = reference.depth[node.id]
        for r, a, child in zip(ranks(node), advantages(node), node.children, strict=True):
            is_leaf = child.kind == Kind.TERMINAL
            rest = spread[d] if is_leaf else spread[d] - spread[d + 1]
            enter(child, mean + slope[d] * r + trust[d] * a, made_of[node.id], rest)

    enter(reference.root, 0.0, {}, spread[0] / reference.prior_weight)
    return offset, made_of


def posterior(reference: ReferenceSearch, nodes: list[ExactNode]) -> list[tuple[float, float]]:
    """Return mean (minus the center) and variance of some nodes, given the visited leaves."""
    offset, made_of = effects(reference)

    def covariance(one: list[int], other: list[int]) -> Any:
        return np.array(
            [[sum(v for e, v in made_of[a].items() if e in made_of[b]) for b in other] for a in one]
        ).reshape(len(one), len(other))

    ids, seen = [node.id for node in nodes], reference.seen
    means, variances = np.array([offset[n] for n in ids]), np.diag(covariance(ids, ids)).copy()
    if seen and ids:
        leaves = reference.tree.columns.utility
        gap = np.array([float(leaves[n]) - reference.center - offset[n] for n in seen])
        across = covariance(ids, seen)
        weights = np.linalg.solve(covariance(seen, seen), across.T).T
        means = means + weights @ gap
        variances = variances - np.einsum("ij,ij->i", weights, across)
    return list(zip(means.tolist(), variances.tolist(), strict=True))


def fit_levels(reference: ReferenceSearch) -> tuple[list[float], list[float], list[float]]:
    """Estimate the variance, the slope and the trust of each depth from the visited leaves."""
    seen = set(reference.seen)
    value = {
        node.id: float(node.utility) - reference.center
        for node in reference.nodes
        if node.id in seen
    }
    inner = [node for node in reference.nodes if node.kind != Kind.TERMINAL]
    deepest = max(reference.depth[node.id] for node in inner)

    def leaves(node: ExactNode) -> list[float]:
        return [value[n.id] for n in below(node) if n.id in value]

    count = len(value) + reference.prior_weight
    average = sum(value.values()) / count
    variance = (
        sum(x * x for x in value.values()) + reference.prior_weight * reference.prior_variance
    ) / count - average**2
    variance = max(variance, 1e-12 * reference.prior_variance)
    spread, slope, trust = ([0.0] * (deepest + 2) for _ in range(3))
    widest = 0.0
    for d in range(deepest, -1, -1):
        degrees = weighed = 0.0
        rows: list[tuple[float, float, float]] = []  # mean, rank, advantage, each minus its mean
        for node in (node for node in inner if reference.depth[node.id] == d):
            of_children = zip(
                ranks(node), advantages(node), map(leaves, node.children), strict=True
            )
            parts = [(r, a, found) for r, a, found in of_children if found]
            if len(parts) < 2:
                continue
            pairs = [
                (x - y) ** 2 / 2
                for i, (_, _, one) in enumerate(parts)
                for _, _, other in parts[:i]
                for x in one
                for y in other
            ]
            degrees += len(parts) - 1
            weighed += (len(parts) - 1) * mean(pairs)
            table = np.array([(mean(found), r, a) for r, a, found in parts])
            rows += [tuple(row) for row in table - table.mean(axis=0)]
        widest = max(widest, (weighed + 2 * variance) / (degrees + 2))
        spread[d] = widest
        x, r, a = np.array(rows).reshape(-1, 3).T
        trust[d], errors = 1.0, max(1.0, degrees - 1)
        if degrees > 2 and a @ a > 0:
            fitted = (x @ a) / (a @ a)
            error = np.square(x - fitted * a).sum() / errors / (a @ a)
            # The mean of two guesses, weighted by their precisions: 1, with variance 1/4, and this.
            trust[d] = (1 * 4 + fitted / error) / (4 + 1 / error) if error > 0 else fitted
        x = x - trust[d] * a
        if degrees > 2 and r @ r > 0:
            fitted = (x @ r) / (r @ r)
            # The squared standard error of the fitted slope.
            error = np.square(x - fitted * r).sum() / errors / (r @ r)
            if fitted**2 > 16 * error:
                slope[d] = fitted * (1 - 16 * error / fitted**2)
    return spread, slope, trust


# ---- Walks.


@pytest.mark.slow
def test_each_walk_equals_that_of_the_reference() -> None:
    """Both goals are compared node by node on trees without sharing."""
    for seed, tree, bounds in trees_without_sharing(120):
        for chosen in CHOSEN:
            reference, steps = ReferenceSearch(tree, chosen, bounds), Steps(tree, chosen, bounds)
            for way in steps.all():
                expected = reference.next_path()
                assert [node.id for node in expected] == way, (
                    seed,
                    chosen.full_name,
                    reference.seen,
                )
                reference.observe(expected[-1], expected)
            assert reference.is_over()


# ---- Intervals.


def check_known(steps: Steps, reference: ReferenceSearch) -> None:
    reference.seen = steps.seen
    reference.update_intervals()
    slack = 0 if steps.tree.exact else 1e-9 * float(max(map(abs, steps.tree.utility_range)))
    for node in reference.nodes:
        lower, upper = steps.beliefs.lower[node.id], steps.beliefs.upper[node.id]
        least, most = reference.known[node.id]
        assert (
            (lower, upper) == (least, most)
            or abs(lower - least) <= slack
            and abs(upper - most) <= slack
        ), node


@pytest.mark.parametrize("exact", [True, False])
def test_intervals_after_every_leaf_equal_those_of_the_reference(exact: bool) -> None:
    """The reference computes intervals by recursion from the leaves."""
    for seed, tree, bounds in trees_without_sharing(30, exact):
        steps = Steps(tree, CHOSEN[seed % 2], bounds)
        reference = ReferenceSearch(tree, steps.setup.algorithm, bounds)
        for _ in steps.all():
            check_known(steps, reference)
        searched = evaluate(tree, steps.setup.algorithm, bounds=bounds)
        assert list(searched.lower) == list(steps.beliefs.lower)
        assert list(searched.upper) == list(steps.beliefs.upper)
        assert sum(map(bool, searched.visits[:])) == len(
            {n for n in range(len(tree)) if steps.beliefs.visits[n]}
        )


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
    for seed, tree, bounds in trees_without_sharing(12):
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


# ---- Fitted levels.


def partly_searched(seed: int) -> ReferenceSearch:
    """Return a search of a random tree after visiting a random part of its leaves."""
    random = Random(seed)
    rows = rows_without_sharing(
        random, lambda: random.gauss(0, 3), random.choice((2, 3, 4)), random.choice((1, 2, 3, 4))
    )
    tree = build(rows, exact=False)
    bounds = random.choice((None, (-1e5, 2e5), (-INFINITY, INFINITY)))
    reference = ReferenceSearch(tree, algorithm("best-first"), bounds)
    leaves = [node.id for node in reference.nodes if node.kind == Kind.TERMINAL]
    reference.seen = random.sample(leaves, random.randint(0, len(leaves)))
    reference.update_intervals()
    return reference


def steps_of(reference: ReferenceSearch) -> Steps:
    """Return a search by the package that has visited the same leaves as a reference."""
    steps = Steps(reference.tree, algorithm("best-first"), reference.bounds)
    for n in reference.seen:
        estimates.take_in(steps.beliefs, n, reference.tree.columns.utility[n])
    return steps


def test_fitted_levels_match_the_reference() -> None:
    for seed in range(250):
        reference = partly_searched(seed)
        steps = steps_of(reference)
        levels.learn(steps.columns, steps.beliefs, range(len(reference.tree)))
        if len(reference.nodes) == 1:
            continue
        spread, slope, trust = fit_levels(reference)
        scale = max(spread)
        assert list(steps.beliefs.spread.leaf_variance[: len(spread)]) == pytest.approx(
            spread, rel=1e-9
        )
        assert list(steps.beliefs.spread.slope[: len(slope)]) == pytest.approx(
            slope, rel=1e-6, abs=1e-7 * math.sqrt(scale)
        )
        assert list(steps.beliefs.spread.trust[: len(trust)]) == pytest.approx(
            trust, rel=1e-6, abs=1e-6
        )


@pytest.mark.slow
def test_levels_match_the_joint_distribution() -> None:
    """Linear algebra conditions all nodes and unvisited leaves at once."""
    for seed in range(250):
        reference = partly_searched(seed)
        if len(reference.nodes) == 1:
            continue
        steps, random = steps_of(reference), Random(seed)
        known, columns = steps.beliefs, steps.columns
        inner = [node for node in reference.nodes if node.kind != Kind.TERMINAL]
        deepest = max(reference.depth[node.id] for node in inner)
        spread = sorted(
            (random.choice((1.0, 2.0, random.expovariate(1) + 0.01)) for _ in range(deepest + 1)),
            reverse=True,
        )
        reference.spread = [1e6 * x for x in spread] + [0.0]
        reference.slope = [random.gauss(0, 1000) for _ in range(deepest + 1)] + [0.0]
        reference.trust = [random.gauss(0.5, 1) for _ in range(deepest + 1)] + [0.0]
        known.spread.leaf_variance[: deepest + 2] = reference.spread
        known.spread.slope[: deepest + 2] = reference.slope
        known.spread.trust[: deepest + 2] = reference.trust
        for node in inner:
            levels.update_level_from_children(columns, known, node.id)
        levels.update_root_level(known)
        for node in reversed(inner):
            levels.pass_level_to_children(columns, known, node.id)
        for node, (m, v) in zip(inner, posterior(reference, inner), strict=True):
            assert known.levels.level[node.id] == pytest.approx(m, rel=1e-8, abs=1e-6)
            assert known.levels.level_variance[node.id] == pytest.approx(v, rel=1e-8, abs=1e-6)
        leaves = [
            node
            for node in reference.nodes
            if node.kind == Kind.TERMINAL and node.id not in reference.seen
        ]
        for leaf, (m, v) in zip(leaves, posterior(reference, leaves), strict=True):
            low, high = reference.ends[leaf.id]
            assert known.mean[leaf.id] == pytest.approx(
                min(max(m + reference.center, low), high), rel=1e-8, abs=1e-6
            )
            assert known.variance[leaf.id] == pytest.approx(
                v if low < high else 0.0, rel=1e-8, abs=1e-6
            )


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


@pytest.mark.parametrize("exact", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_search_for_the_action_stops_once_it_is_proved(exact: bool) -> None:
    fewer = 0
    for seed in range(200):
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
