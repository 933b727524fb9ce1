"""Find an order-preserving map of a tree's utilities that changes the decision at the root.

An order-preserving map is a sum of steps: each adds a height to the utilities that reach a
threshold. So the expectation of an action depends on its probabilities of reaching thresholds.

1. Bound the distribution over utilities below each action. For the lower bound, MAX follows one
   strategy, and MIN makes each threshold as unlikely to be reached as it can, one by one. The upper
   bound is the mirror. Under every order-preserving map, the value of an action lies between the
   expectations of the two.
2. If the best action at its worst is at least as likely to reach each threshold as every other
   action at its best, no map changes the decision: first-order stochastic dominance (Hadar &
   Russell, Rules for Ordering Uncertain Prospects, 1969).
3. Otherwise try some maps with one step, at the thresholds where another action may be likelier. A
   map must change the decision on the whole tree, evaluated in fractions.

If only chance nodes lie below the root, both bounds are the distribution itself. Then the first map
succeeds, so the answer is never unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from expectitree.base.budget import TooMuchWorkError, limited_work, spend
from expectitree.base.numbers import to_exact
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.base.tree.transform import map_utilities
from expectitree.decide.algebra.polynomials import power_of_ten
from expectitree.decide.rescale.report import Answer, Rescaling, Scale, reported, rescaled, stepped
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search

_MAX_STEPS = 2_000_000  # utilities in the distributions of all nodes (seven seconds)
_MAX_ROWS = 400_000  # that are evaluated in fractions to try maps (two seconds)
_FACTORS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)  # by which a step is made higher
_ROUNDING = Fraction(1, 10**12)  # a smaller difference of probabilities in floats is an error

Distribution: TypeAlias = dict[Fraction, Fraction]  # utility -> probability


def find_order_preserving_map(tree: Tree, *, exact: bool = False, file: str = "") -> Rescaling:
    """Return whether an order-preserving map of utilities changes the decision, with an example.

        >>> import expectitree as et
        >>> found = et.find_order_preserving_map(et.load("example:aima-5.12-left"))
        >>> found.answer.answer, found.after.best
        ('yes', 'a2')

    Args:
        tree: The tree, of at most 50,000 nodes.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Returns:
        A report whose `answer` is "yes", with the rescaled tree; "no"; or "unknown". The decision
        changes where the first best action is no longer among the best.

    Raises:
        SearchError: As for `evaluate`.
        TransformError: Paths with different sums of rewards lead to one node.
        TooMuchWorkError: The tree has too many nodes.
    """
    check_tree(tree)
    slack = Fraction(0) if tree.exact else _ROUNDING
    return reported(tree, exact, lambda whole: _find_map(whole, slack, file))


def _find_map(tree: Tree, slack: Fraction, file: str) -> Rescaling:
    before, root = search_tree(tree), tree.root
    if root.kind not in PLAYERS:
        reason = f"the root is a {root.kind.name} node, where no player decides"
        return Rescaling(file, before, answer=Answer("no", reason))
    branch = next(before.best_branches(root.id))
    action = tree.branch_label(root.id, branch)

    def unchanged(answer: str, reason: str) -> Rescaling:
        return Rescaling(file, before, answer=Answer(answer, reason, action))

    try:
        with limited_work(_MAX_STEPS):
            steps = promising_steps(before, branch, slack)
    except TooMuchWorkError:
        return unchanged("unknown", "the tree is too large to compute with it in fractions")
    if not steps:
        return unchanged("no", _reason_against(tree, action))
    maps = [stepped(t, height * factor) for factor in _FACTORS for t, height in steps.items()]
    tried = maps[: _MAX_ROWS // len(tree)]
    for scale in tried:
        if _is_changed(tree, branch, scale):
            reason = f"under the map {scale.text}, another action is better"
            return replace(rescaled(tree, scale, file), answer=Answer("yes", reason, action))
    return unchanged("unknown", f"{len(tried):,} maps were tried, and none changes it")


def _reason_against(tree: Tree, action: str) -> str:
    """Return why an action is best under every order-preserving map."""
    if len(tree.root.children) == 1:
        return "there is one action"
    if Kind.CHANCE not in tree.columns.kind:
        return "there is no chance node, and MIN and MAX choose alike under every such map"
    end = "least" if tree.root.kind == Kind.MAX else "most"
    return (
        f"{action} is at {end} as likely as any other action to reach each utility (first-order "
        "stochastic dominance)"
    )


# ---- Dominance.


def promising_steps(search: Search, best: int, slack: Fraction) -> Mapping[Fraction, Fraction]:
    """Return the heights of steps by threshold, where another action may be likelier.

    The lowest step comes first, among equals the one that gains most. If only chance nodes lie
    below the root, each step makes another action better. No steps mean that the action at branch
    `best` dominates all others.
    """
    tree, value = search.tree, search.lower
    child, root = tree.columns.child, tree.root_id
    is_max = tree.root.kind == Kind.MAX
    at_worst = bounding_distributions(search, is_lower=is_max)[child[best]]
    at_best = bounding_distributions(search, is_lower=not is_max)
    least, greatest = tree.utility_ends
    found: dict[Fraction, tuple[Fraction, Fraction]] = {}  # threshold -> height, minus the gain
    for other in {child[b] for b in tree.branches_of(root)} - {child[best]}:
        theirs = at_best[other]
        ahead = abs(value[child[best]] - value[other])
        gained = Fraction(0)  # how much likelier the other action reaches a threshold
        for u in sorted(at_worst.keys() | theirs.keys(), reverse=True):
            gain = theirs.get(u, 0) - at_worst.get(u, 0)
            gained += gain if is_max else -gain
            if gained > slack:
                needed = max(ahead / gained, (greatest - least) / 10)
                step = 10 * power_of_ten(needed), -gained
                found[u] = min(step, found.get(u, step))
    return {u: found[u][0] for u in sorted(found, key=lambda u: (found[u], u))}


def bounding_distributions(search: Search, is_lower: bool) -> list[Distribution]:
    """Return a bound of the distribution over utilities below each node of an exact tree.

    If `is_lower`, MAX follows one strategy, and MIN makes each threshold as unlikely to be reached
    as it can. Otherwise MIN follows one strategy, and MAX makes each threshold as likely as it can.
    """
    tree, columns = search.tree, search.tree.columns
    found: list[Distribution] = []
    for n, kind in enumerate(columns.kind):
        below = [found[columns.child[b]] for b in tree.branches_of(n)]
        spend(sum(map(len, below), 1))
        if kind == Kind.TERMINAL:
            found.append({to_exact(columns.utility[n]): Fraction(1)})
        elif kind == Kind.CHANCE:
            mixed: Distribution = {}
            for b, distribution in zip(tree.branches_of(n), below, strict=True):
                if p := to_exact(columns.probability[b]):
                    for u, share in distribution.items():
                        mixed[u] = mixed.get(u, 0) + p * share
            found.append(mixed)
        elif (kind == Kind.MAX) == is_lower:
            found.append(found[columns.child[next(search.best_branches(n))]])
        else:
            found.append(_envelope(below, kind == Kind.MAX))
    return found


def _envelope(distributions: Iterable[Distribution], is_max: bool) -> Distribution:
    """Return the distribution that reaches each threshold as often as the likeliest of these.

    Unless `is_max`, as often as the unlikeliest. Utilities are added up from the greatest, or from
    the least: the least probability to reach a threshold is the greatest to stay below it.
    """
    shares = [(u, i, share) for i, each in enumerate(distributions) for u, share in each.items()]
    totals: dict[int, Fraction] = {}
    greatest = Fraction(0)
    envelope: Distribution = {}
    for u, i, share in sorted(shares, reverse=is_max):
        totals[i] = totals.get(i, 0) + share
        if totals[i] > greatest:
            envelope[u] = envelope.get(u, 0) + totals[i] - greatest
            greatest = totals[i]
    return envelope


def _is_changed(tree: Tree, branch: int, scale: Scale) -> bool:
    """Return whether a map makes an action of an exact tree worse than another one."""
    mapped = map_utilities(tree, lambda u: scale.image(u)[0])
    return not search_tree(mapped).is_best(tree.root_id, branch)
