"""Every decision that optimal play can reach, against evaluations in fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

from decide.sensitivity.parameterised import random_tree
from helpers import ROOT, for_each, invoke, object_of
from oracle import best_actions, exact_root

from expectitree import Tree
from expectitree.decide.sensitivity.exact import everywhere

F = Fraction
OIL = str(ROOT / "trees" / "rockefeller.yaml")


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


def test_everywhere_in_rockefeller() -> None:
    text = invoke("sensitivity", OIL, "-p", "pr=0..1", "--everywhere").stdout
    assert text[text.index("decision ") :] == (
        "decision    pr              best\n"
        "/           0 to 23/72      sell\n"
        "            23/72 to 17/28  test\n"
        "            17/28 to 1      install\n"
        "test/plus   23/72 to 17/28  install\n"
        "test/minus  23/72 to 17/28  sell\n"
    )
    found = object_of("sensitivity", OIL, "-p", "sens=0..1", "--everywhere")["decisions"]
    assert [one["node"] for one in found] == ["/", "test/plus", "test/minus"]
    pieces = [(p["from"], p["to"], p["best"]) for p in found[1]["pieces"]]
    assert pieces == [(0, 0.14, ["sell"]), (57 / 70, 1, ["install"])]
