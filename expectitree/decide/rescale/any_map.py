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
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, TypeAlias

from expectitree.decide.rescale.report import Answer, Rescaling, fold, rescale, returned_report
from expectitree.decide.rescale.scales import Scale, stepped
from expectitree.errors import TransformError
from expectitree.numbers import to_exact
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions

_MOST_NODES = 50_000  # of a tree that is evaluated in fractions (two seconds)
_MOST_WORK = 10**12  # squared bits of all fractions (some seconds)
_SHORT = 10**6  # squared bits: the work for one short fraction
_MOST_ROWS = 400_000  # that are evaluated in fractions to try maps (two seconds)
_FACTORS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)  # by which a step is made higher
_ROUNDING = Fraction(1, 10**12)  # a smaller difference of probabilities in floats is an error
_IN_FRACTIONS = "These are fractions: floating point takes the actions for a tie."

Distribution: TypeAlias = dict[Fraction, Fraction]  # utility -> probability


def find_order_preserving_map(
    tree: Tree,
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    exact: bool = False,
    file: str = "",
) -> Rescaling:
    """Return whether an order-preserving map of utilities changes the decision, with an example.

        >>> import expectitree as et
        >>> found = et.find_order_preserving_map(et.load("example:aima-5.12-left"))
        >>> found.answer.answer, found.after.best
        ('yes', 'a2')

    Args:
        tree: The tree.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Returns:
        A report whose `answer` is "yes", with the rescaled tree; "no"; or "unknown". The decision
        changes where the first best action is no longer among the best.

    Raises:
        SearchError: As for `evaluate`.
        TransformError: Paths with different sums of rewards lead to one node.
    """
    return returned_report(_find_map(tree, bounds, engine, file), exact)


def _find_map(tree: Tree, bounds: Bounds | None, engine: str, file: str) -> Rescaling:
    check_tree(tree, "rescale")
    tree, bounds, remarks = fold(tree, bounds)
    before = search_tree(tree, bounds=bounds, engine=engine)
    unchanged, root = Rescaling(file, before, remarks=remarks), tree.root
    if root.kind not in (Kind.MAX, Kind.MIN):
        reason = f"the root is a {root.kind.name} node, where no player decides"
        return replace(unchanged, answer=Answer("no", reason))
    exact = _small_in_fractions(tree)
    if exact is None:
        reason = "the tree is too large to compute with it in fractions"
        return replace(unchanged, answer=Answer("unknown", reason, action=before.best))
    search = search_tree(exact)
    branch = next(search.best_branches(root.id))  # floats may take more actions for a tie
    action = tree.branch_label(root.id, branch)
    steps = promising_steps(search, branch, Fraction(0) if tree.exact else _ROUNDING)
    if not steps:
        return replace(unchanged, answer=Answer("no", _reason_against(tree, action), action=action))
    maps = (stepped(t, height * factor) for factor in _FACTORS for t, height in steps.items())
    tried = 0
    for tried, scale in enumerate(islice(maps, _MOST_ROWS // len(tree)), 1):
        if _is_changed(exact, branch, scale):
            reason = f"under the map {scale.text}, another action is better"
            report = rescale(exact, scale, exact=True, file=file)
            if not tree.exact:
                report = replace(report, remarks=(*report.remarks, _IN_FRACTIONS))
                with suppress(TransformError):  # floats cannot hold an image
                    in_floats = rescale(
                        tree, scale, bounds=bounds, engine=engine, exact=True, file=file
                    )
                    if in_floats.after and not in_floats.after.is_best(root.id, branch):
                        report = in_floats
            answer = Answer("yes", reason, tried, action)
            return replace(report, answer=answer, remarks=(*remarks, *report.remarks))
    reason = f"{tried:,} maps were tried, and none changes it"
    return replace(unchanged, answer=Answer("unknown", reason, tried, action))


def _small_in_fractions(tree: Tree) -> Tree | None:
    """Return an exact tree, or None if its distributions have too many or too long fractions."""
    if len(tree) > _MOST_NODES:
        return None
    tree = tree if tree.exact else in_fractions(tree)
    columns = tree.columns
    bits, sizes, work = [0] * len(tree), [1] * len(tree), 0
    utilities = len({u for kind, u in zip(columns.kind, columns.utility, strict=True) if not kind})
    for n in range(len(tree)):
        size = 0
        for b in tree.branches_of(n):
            c, p = columns.child[b], to_exact(columns.probability[b])
            length = p.denominator.bit_length() - 1
            bits[n] = max(bits[n], bits[c] + length)
            size += sizes[c]
            work += sizes[c] * (_SHORT + bits[n] ** 2)
        sizes[n] = max(1, min(utilities, size))
    return tree if work <= _MOST_WORK else None


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
    sign = 1 if is_max else -1
    at_worst = bounding_distributions(tree, is_lower=is_max)[child[best]]
    at_best = bounding_distributions(tree, is_lower=not is_max)
    least, greatest = tree.utility_ends
    found: dict[Fraction, tuple[Fraction, Fraction]] = {}  # threshold -> height, minus the gain
    for other in {child[b] for b in tree.branches_of(root)} - {child[best]}:
        theirs = at_best[other]
        ahead = abs(value[child[best]] - value[other])
        gained = Fraction(0)  # how much likelier the other action reaches a threshold
        for u in sorted(at_worst.keys() | theirs.keys(), reverse=True):
            gained += sign * (theirs.get(u, 0) - at_worst.get(u, 0))
            if gained > slack:
                needed = max(ahead / gained, (greatest - least) / 10)
                power = (Decimal(needed.numerator) / Decimal(needed.denominator)).adjusted() + 1
                step = Fraction(10) ** power, -gained
                found[u] = min(step, found.get(u, step))
    return {u: found[u][0] for u in sorted(found, key=lambda u: (found[u], u))}


def bounding_distributions(tree: Tree, is_lower: bool) -> list[Distribution]:
    """Return a bound of the distribution over utilities below each node of an exact tree.

    If `is_lower`, MAX follows one strategy, and MIN makes each threshold as unlikely to be reached
    as it can. Otherwise MIN follows one strategy, and MAX makes each threshold as likely as it can.
    """
    columns = tree.columns
    found: list[Distribution] = []
    for n, kind in enumerate(map(Kind, columns.kind)):
        below = [found[columns.child[b]] for b in tree.branches_of(n)]
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
            found.append((max if kind == Kind.MAX else min)(below, key=_expectation))
        else:
            found.append(_envelope(below, kind == Kind.MAX))
    return found


def _expectation(distribution: Distribution) -> Fraction:
    return sum((u * share for u, share in distribution.items()), Fraction(0))


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
    columns = tree.columns
    utility: list[Any] = [
        None if kind else scale.rule(u)
        for kind, u in zip(columns.kind, columns.utility, strict=True)
    ]
    value: list[Any] = [None] * len(tree)
    backward_induction(columns._replace(utility=utility), value, Fraction(0))
    return bool(value[tree.root_id] != value[columns.child[branch]])
