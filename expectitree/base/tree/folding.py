"""Fold the rewards of a tree into its terminals, and unfold its sharing."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from expectitree.base import budget
from expectitree.base.errors import TransformError
from expectitree.base.expressions.syntax import MAX_LENGTH, text_of
from expectitree.base.numbers import Number, is_finite, message_text, to_exact
from expectitree.base.tree import paths
from expectitree.base.tree.builder import Copy
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.formulas import Amount, Expectation, is_formula, sum_of
from expectitree.base.tree.model import Tree
from expectitree.base.tree.replacing import counters_of
from expectitree.base.tree.transform import without_formulas

MAX_NODES = 10_000_000  # of a tree without sharing
_NEAR = 1e-12  # by which sums of rewards in floats may differ, as a part of the greatest total


def fold_rewards(tree: Tree) -> Tree:
    """Return the tree with every reward moved into the terminals below it.

    A terminal is then worth its total: its utility plus the rewards on the path to it, the root's
    reward included. Estimates and bounds move too. Of the expected results, only the tree's value
    and best action stay. Sums of floats are sums of the decimals that Python prints, rounded once.
    Raises `TransformError` if paths with different sums of rewards lead to one node, because each
    of them would need its own copy of the node, and if a utility is not known.
    """
    columns = tree.columns
    if not columns.pays and not tree.root_reward:
        return without_formulas(tree) if tree.formulas.rewards else tree  # each is 0
    paid: list[Any] = [None] * len(tree)  # [N] the sum of the rewards on the way to a node
    via = [NONE] * len(tree)  # [N] the branch from which that sum is known
    paid[tree.root_id] = to_exact(tree.root_reward)
    near = 0 if tree.exact else _NEAR * float(tree.greatest_magnitude)
    for n in range(tree.root_id, -1, -1):
        for b in tree.branches_of(n):
            child, total = columns.child[b], paid[n]
            if columns.pays and columns.reward[b]:
                total += to_exact(columns.reward[b])
            if paid[child] is None:
                paid[child], via[child] = total, b
            elif abs(paid[child] - total) > near:
                ways = (via[child], paid[child]), (b, total)
                raise TransformError(_different_sums(tree, *ways))

    for n in tree.unknown:
        if paid[n]:
            raise TransformError(
                f"{paths.message_path(tree.path_of(n))}: the utility is not known yet, and "
                f"{message_text(paid[n])} is paid on the way to it: fold the rewards when it is "
                "known"
            )

    def plus(value: Number, n: int) -> Number:
        if not paid[n] or not is_finite(value):  # NaN: there is no estimate
            return value
        total = to_exact(value) + paid[n]
        return total if tree.exact else float(total)

    utility: Any = [plus(u, n) for n, u in enumerate(columns.utility)]
    reward: Any = []
    if not tree.exact:
        utility, reward = array("d", utility), array("d")
    bounds = {n: (plus(low, n), plus(high, n)) for n, (low, high) in tree.local_bounds.items()}
    columns = columns._replace(utility=utility, reward=reward)
    expect = tree.expect and _of_root(tree.expect)
    folded = tree.changed(columns=columns, local_bounds=bounds, root_reward=0, expect=expect)
    return without_formulas(folded)


def fold_with_formulas(tree: Tree, warn: Callable[[str], object]) -> Tree:
    """Return the tree of `fold_rewards` with formulas, or without them if one cannot be written.

    `warn` is called with what is left out, and where.
    """
    folded, written, columns = fold_rewards(tree), tree.formulas, tree.columns
    if folded is tree or not written:
        return folded
    paid: list[Any] = [None] * len(tree)  # [N] the rewards on the way: a number or a formula
    paid[tree.root_id] = written.rewards.get(NONE, to_exact(tree.root_reward))
    nodes = {}
    fault = ""
    for n in range(tree.root_id, -1, -1):
        utility: Amount = written.nodes.get(n, columns.utility[n])
        if is_formula(utility) or (is_formula(paid[n]) and utility == utility):
            if not is_formula(utility):
                utility = to_exact(utility)
            nodes[n] = sum_of(utility, paid[n])
            if len(text_of(nodes[n])) > MAX_LENGTH:
                fault = f"the formula of {tree.path_of(n)} would be too long"
        for b in tree.branches_of(n):
            total = sum_of(paid[n], written.rewards.get(b, to_exact(tree.reward_of(b))))
            child = columns.child[b]
            if paid[child] is not None and _text(paid[child]) != _text(total):
                fault = f"the paths to {tree.path_of(child)} have different formulas: add --unshare"
            paid[child] = total
        if fault:
            warn(f"parameters and formulas: left out, because {fault}")
            return folded
    bounds = {n: ends for n, ends in folded.local_bounds.items() if not is_formula(paid[n])}
    for n in folded.local_bounds.keys() - bounds:
        warn(f"bounds of {tree.path_of(n)}: left out, because they depend on parameters")
    expect = folded.expect
    if expect and tree.expect:
        points = (replace(p, expect=_of_root(p.expect)) for p in tree.expect.at)
        expect = replace(expect, at=tuple(points))
    formulas = replace(written, nodes=nodes, rewards={}, written=None)
    about = {"parameters": tree.parameters, "formulas": formulas, "expect": expect}
    return folded.changed(local_bounds=bounds, **about)


def _text(paid: Amount) -> str:
    if is_formula(paid):
        return text_of(paid)
    return str(paid)


def _of_root(expect: Expectation) -> Expectation:
    return Expectation(expect.value, expect.best)


def _of_paths(tree: Tree, expect: Expectation) -> Expectation:
    values = {p: value for p, value in expect.values.items() if tree.find_copy(p) == NONE}
    counters = counters_of(tree)  # which would unroll the tree again
    kept = (point for point in expect.at if counters.isdisjoint(point.settings))
    points = (replace(point, expect=_of_paths(tree, point.expect)) for point in kept)
    return replace(expect, values=values, runs=(), at=tuple(points))


def _different_sums(tree: Tree, *ways: tuple[int, Number]) -> str:
    """Return the message about two paths to one node, each given by its last branch and its sum."""
    sums = []
    for branch, total in ways:
        path = tree.path_of(tree.parent_of(branch), branch)
        sums.append(f"{message_text(total)} on {paths.message_path(path)}")
    return (
        f"the rewards on the paths to one node sum to {' and to '.join(sums)}, and a terminal has "
        "one utility\nconvert the tree with --unshare first, so that each path has its own copy"
    )


def unshare(tree: Tree, default: int = MAX_NODES) -> Tree:
    """Return the tree in which every path leads to a node of its own.

    Expected counts of searches are left out, because they count shared nodes once, and so are
    expected values of copies by name or at other counters. Raises `TransformError` if that takes
    more nodes than a default times the factor of the budget.
    """
    if not tree.is_sharing and tree.formulas.written is None:
        return tree
    count, most = tree.unfolded, budget.most(default)
    shown = f"{count:,}" if isinstance(count, int) else count
    if isinstance(count, str) or count > most:
        raise TransformError(
            f"without sharing the tree has {shown} nodes, and the limit is {most:,}\nkeep "
            f"it shared, or {budget.more()}"
        )
    copy, child = Copy(tree), tree.columns.child
    stack: list[tuple[int, list[int]]] = [(tree.root_id, [])]  # a node, the copies of its children
    while True:
        node, copies = stack[-1]
        branches = tree.branches_of(node)
        if len(copies) < len(branches):
            stack.append((child[branches[len(copies)]], []))
            continue
        added = copy.add(node, branches, copies)
        stack.pop()
        if not stack:
            built = copy.finish(check=False)
            return built.changed(expect=tree.expect and _of_paths(tree, tree.expect))
        stack[-1][1].append(added)
