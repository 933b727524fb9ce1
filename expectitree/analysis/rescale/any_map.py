"""Find an order-preserving map of a tree's utilities that changes the decision at the root.

1. Reduce the tree. MIN and MAX over utilities choose alike under every increasing map, so such a
   node becomes the utility that it is worth.
2. If only chance nodes are left below the root, every action is a distribution over utilities. An
   action stays best under every increasing map if and only if it is at least as likely as every
   other action to reach each threshold: first-order stochastic dominance (Hadar & Russell, Rules
   for Ordering Uncertain Prospects, 1969). Otherwise a step at one threshold changes the decision.
3. If decisions lie below chance, try a bounded number of maps.

A map that is found is verified in fractions on the whole tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from expectitree.analysis.rescale.report import Answer, Remark, Rescaling, rescale
from expectitree.analysis.rescale.scales import stepped
from expectitree.errors import TransformError
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.engine import evaluate
from expectitree.tree.builder import NodeId, TreeBuilder
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions

MOST_MAPS = 1_000  # that are tried where decisions lie below chance
_MOST_NODES = 50_000  # of a tree that is evaluated in fractions (two seconds)
_MOST_ROWS = 4_000_000  # that are evaluated in floats to try maps
_MOST_BITS = 10**12  # squared bits of all fractions: some seconds
_ROUNDING = Fraction(1, 10**12)  # a smaller difference of probabilities in floats is an error
_STEPS = 100  # thresholds at which a map with one step is tried

Steps: TypeAlias = Mapping[Fraction, Fraction]  # threshold -> how much it raises utilities


def find_order_preserving_map(
    tree: Tree, *, bounds: Bounds | None = None, engine: str = "auto", file: str = ""
) -> Rescaling:
    """Return whether an order-preserving map changes the decision at the root, with an example.

    The decision changes where the first best action is no longer among the best. The report's
    `answer` is `yes` with the rescaled tree, `no`, or `unknown`. The parameters are those of
    `rescale`.
    """
    check_tree(tree)
    before = evaluate(tree, bounds=bounds, engine=engine)

    def answered(answer: str, reason: str, tried: int = 0, action: str | None = None) -> Rescaling:
        return Rescaling(file, before, answer=Answer(answer, reason, tried, action))

    root = tree.root_id
    if tree.columns.kind[root] not in (Kind.MAX, Kind.MIN):
        return answered("no", "root")
    if len(tree) > _MOST_NODES:
        return answered("unknown", "large", action=before.best)
    exact = tree if tree.exact else in_fractions(tree)
    if _are_fractions_long(exact):
        return answered("unknown", "large", action=before.best)
    branch = next(evaluate(exact).best_branches(root))  # floats may take more actions for a tie
    label = tree.branch_label(root, branch)
    game = reduced(exact)
    best = game.root.children[branch - tree.columns.first[root]].id
    reason = _reason_against(game)
    if reason:
        return answered("no", reason, action=label)
    if set(game.columns.kind[:-1]) <= {Kind.TERMINAL, Kind.CHANCE}:
        step = smallest_step(game, best, Fraction(0) if tree.exact else _ROUNDING)
        if not step:
            return answered("no", "dominance", action=label)
        report = _verified(tree, exact, branch, step, bounds, engine, file)
        if report is None:
            return answered("unknown", "tried", 1, label)
        return replace(report, answer=Answer("yes", "map", 1, label))
    tried, probability = 0, list(map(float, game.columns.probability))
    with suppress(OverflowError):  # utilities beyond floats, in which maps are tried
        for tried, steps in enumerate(candidate_maps(game), 1):
            if not is_changed(game, probability, best, steps):
                continue
            report = _verified(tree, exact, branch, steps, bounds, engine, file)
            if report is not None:
                return replace(report, answer=Answer("yes", "map", tried, label))
    return answered("unknown", "tried", tried, label)


def _verified(
    tree: Tree,
    exact: Tree,
    branch: int,
    steps: Steps,
    bounds: Bounds | None,
    engine: str,
    file: str,
) -> Rescaling | None:
    """Return the report on a map that changes the decision, in the tree's numbers if possible."""

    def changes(report: Rescaling) -> bool:
        return report.after is not None and not report.after.is_best(tree.root_id, branch)

    scale = stepped(steps)
    in_exact = rescale(exact, scale, file=file)
    if not changes(in_exact):
        return None
    if not tree.exact:
        with suppress(TransformError):  # floats cannot hold an image
            report = rescale(tree, scale, bounds=bounds, engine=engine, file=file)
            if changes(report):
                return report
        return replace(in_exact, remarks=(*in_exact.remarks, Remark("fractions")))
    return in_exact


def _are_fractions_long(tree: Tree) -> bool:
    """Say whether the fractions of an exact tree grow too long to compute with."""
    columns = tree.columns
    bits, work = [0] * len(tree), 0
    for n in range(len(tree)):
        for b in tree.branches_of(n):
            p = columns.probability[b]
            bits[n] = max(bits[n], bits[columns.child[b]] + p.denominator.bit_length() - 1)
            work += bits[n] ** 2
    return work > _MOST_BITS


# ---- The reduced tree.


def reduced(tree: Tree) -> Tree:
    """Return an exact tree without the nodes that are worth a utility under every increasing map.

    The root keeps its branches. Every utility is one terminal.
    """
    columns, builder = tree.columns, TreeBuilder(exact=True)
    terminal_of: dict[Fraction, int] = {}
    utility_of: dict[int, Fraction] = {}  # by id in the builder
    same: list[int] = []  # by node: the id in the builder
    for n, kind in enumerate(map(Kind, columns.kind)):
        if kind == Kind.TERMINAL:
            u = columns.utility[n]
            if u not in terminal_of:
                terminal_of[u] = builder.add_terminal(u)
                utility_of[terminal_of[u]] = u
            same.append(terminal_of[u])
            continue
        weights: dict[int, Any] = {}
        for b in tree.branches_of(n):
            c = same[columns.child[b]]
            if kind != Kind.CHANCE or columns.probability[b]:
                weights[c] = weights.get(c, 0) + columns.probability[b]
        if kind != Kind.CHANCE:
            choose = max if kind == Kind.MAX else min
            known = [c for c in weights if c in utility_of]
            best = choose(known, key=utility_of.__getitem__, default=None)
            weights = {c: 1 for c in weights if c == best or c not in utility_of}
        if n == tree.root_id:
            children = [same[columns.child[b]] for b in tree.branches_of(n)]
            return builder.build(NodeId(builder.add_inner(kind, children, None, None)), check=False)
        if len(weights) == 1:
            same.append(*weights)
        else:
            shares = list(weights.values()) if kind == Kind.CHANCE else None
            same.append(builder.add_inner(kind, list(weights), shares, None))
    raise AssertionError("the root is a player's")


def _reason_against(game: Tree) -> str:
    """Return why no map changes the decision of a reduced tree, as far as that is obvious."""
    actions = game.root.children
    if len(actions) == 1:
        return "one action"
    if len({action.id for action in actions}) == 1:
        return "same"
    if Kind.CHANCE not in game.columns.kind:
        return "no chance"
    if len(_utilities(game)) <= 2:
        return "two utilities"
    return ""


def _utilities(game: Tree) -> list[Fraction]:
    """Return the different utilities of a reduced tree, the least first."""
    columns = game.columns
    return sorted(u for k, u in zip(columns.kind, columns.utility, strict=True) if not k)


# ---- Chance alone below the root.


def smallest_step(game: Tree, best: int, slack: Fraction) -> Steps:
    """Return the smallest step that makes another action better; empty if the best dominates."""
    utilities = _utilities(game)
    spread = utilities[-1] - utilities[0]
    sign = 1 if game.root.kind == Kind.MAX else -1
    own = distribution(game, best)
    found = []
    for other in {child.id: None for child in game.root.children if child.id != best}:
        theirs = distribution(game, other)
        gains = {u: sign * (theirs.get(u, 0) - own.get(u, 0)) for u in own.keys() | theirs.keys()}
        ahead = -sum(u * gain for u, gain in gains.items())
        gained = Fraction(0)  # how much likelier the other action reaches a utility
        for u in sorted(gains, reverse=True)[:-1]:
            gained += gains[u]
            if gained > slack:
                found.append((_round_number_above(max(ahead / gained, spread / 10)), u))
    if not found:
        return {}
    height, threshold = min(found, key=lambda pair: pair[0])
    return {threshold: height}


def distribution(game: Tree, node: int) -> dict[Fraction, Fraction]:
    """Return the probability of each utility below a node, where only chance nodes are."""
    columns = game.columns
    mass = {node: Fraction(1)}
    waiting = [-node]  # parents first: their ids are greater
    found: dict[Fraction, Fraction] = {}
    while waiting:
        n = -heappop(waiting)
        share = mass.pop(n)
        if columns.kind[n] == Kind.TERMINAL:
            found[columns.utility[n]] = share
            continue
        for b in game.branches_of(n):
            c = columns.child[b]
            if c not in mass:
                mass[c] = Fraction(0)
                heappush(waiting, -c)
            mass[c] += share * columns.probability[b]
    return found


# ---- Decisions below chance.


def candidate_maps(game: Tree) -> Iterator[Steps]:
    """Yield maps to try: one step at each of some thresholds, then several steps at random."""
    utilities = _utilities(game)
    thresholds = utilities[1 :: 1 + len(utilities) // _STEPS]
    unit = _power_of_ten(utilities[-1] - utilities[0])
    heights = [unit * Fraction(10) ** e for e in range(-2, 8)]
    random = Random(0)

    def candidates() -> Iterator[Steps]:
        for threshold in thresholds:
            for height in heights:
                yield {threshold: height}
        while True:
            count = random.randint(1, min(6, len(thresholds)))
            chosen = sorted(random.sample(thresholds, count))
            yield {threshold: random.choice(heights) for threshold in chosen}

    return islice(candidates(), min(MOST_MAPS, _MOST_ROWS // len(game)))


def is_changed(game: Tree, probability: list[float], best: int, steps: Steps) -> bool:
    """Say whether another action is better under a map, with probabilities as floats."""
    columns = game.columns
    images = [
        None if kind else float(u) + sum(float(h) for t, h in steps.items() if u >= t)
        for kind, u in zip(columns.kind, columns.utility, strict=True)
    ]
    value: list[Any] = [None] * len(game)
    backward_induction(columns._replace(utility=images, probability=probability), value, 0.0)
    sign = 1 if game.root.kind == Kind.MAX else -1
    size = max(abs(x) for x in images if x is not None)
    return bool(sign * (value[-1] - value[best]) > 1e-11 * size)


def _round_number_above(value: Fraction) -> Fraction:
    """Return the least of …, 0.5, 1, 2, 5, 10, … that is greater than a positive value."""
    unit = _power_of_ten(value)
    return next(m * unit for m in (1, 2, 5, 10) if m * unit > value)


def _power_of_ten(value: Fraction) -> Fraction:
    """Return the greatest power of ten that is at most a positive value."""
    unit = Fraction(1)
    while unit > value:
        unit /= 10
    while unit * 10 <= value:
        unit *= 10
    return unit
