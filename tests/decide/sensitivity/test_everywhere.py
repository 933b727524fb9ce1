"""Every decision that optimal play can reach, against evaluations in fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

from decide.sensitivity.parameterised import random_tree
from helpers import for_each
from oracle import best_actions, exact_root

from expectitree import Tree
from expectitree.decide.sensitivity.exact import everywhere

F = Fraction


def decisions_at(tree: Tree, place: Fraction) -> dict[str, tuple[str, ...]]:
    """Return the best actions at each decision that optimal play reaches, by definition."""
    moved = tree.with_parameters(a=place)
    found: dict[str, tuple[str, ...]] = {}
    waiting = [exact_root(moved)]
    while waiting:
        node = waiting.pop()
        best = best_actions(node)
        if best:
            found[moved.path_of(node.id)] = best
        waiting += [b.child for b in node.branches if (b.label in best if best else b.p > 0)]
    return found


@for_each("seed", range(15), range(80, 240), slow=range(15, 80))
def test_decisions_are_those_that_optimal_play_reaches(seed: int) -> None:
    tree = random_tree(seed)
    report = everywhere(tree, "a")
    ends = {end for own in report.decisions.values() for p in own for end in (p.start, p.end)}
    cuts = sorted({F(0), F(1), *ends})
    for left, right in itertools.pairwise(cuts):
        if right - left > F(1, 10**6):  # ends that are not rational are within 1e-9
            for place in (left + (right - left) * F(i, 7) for i in (1, 3, 6)):
                found = {
                    path: piece.best
                    for path, pieces in report.decisions.items()
                    for piece in pieces
                    if piece.start < place < piece.end
                }
                assert found == decisions_at(tree, place)
