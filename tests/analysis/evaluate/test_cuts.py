"""Explanations: every node is visited, or explanation of once; every reason's numbers hold."""

from __future__ import annotations

import pytest
from analysis.trace.test_best_first import check_accounting
from helpers import cuts_of, for_each
from random_trees import Case

import expectitree as et
from expectitree.analysis.evaluate.cuts import Explanation, cut_reason


def skipped_reasons(explanation: Explanation) -> list[str]:
    return [
        reason for n in range(len(explanation.search.tree)) if (reason := explanation.skipped(n))
    ]


@pytest.mark.parametrize("name", ["alphabeta", "star1", "star2", "star2.5"])
@for_each("seed", range(60), range(60, 150))
def test_every_node_is_accounted_for_once(seed: int, name: str) -> None:
    case = Case(seed)
    search = et.evaluate(case.tree(), name, bounds=case.bounds)
    check_accounting(search)
    for n, cut in cuts_of(Explanation(search)).items():
        end = search.upper[n] if cut.is_low else search.lower[n]
        assert cut.bound == end
        assert end <= cut.window[0] if cut.is_low else end >= cut.window[1]
        assert cut_reason(cut).startswith(f"{cut.kind} cut ")


def test_cut_reasons_have_the_documented_wording() -> None:
    tree = et.loads(
        """
        max:
          a: 5
          b: {min: [3, 8]}
          c: {chance: [{p: 0.5, min: [2]}, {p: 0.5, max: [1, 7]}]}
        """
    )
    explanation = Explanation(et.evaluate(tree, "star1", bounds=(0, 8)))
    assert [cut_reason(cut) for cut in cuts_of(explanation).values()] == [
        "alpha cut after 1 of 2: at most 3 ≤ alpha 5; 1 leaf not visited",
        "chance cut after 1 of 2: even if the rest were 8, at most 5 ≤ alpha 5; "
        "1 node, 2 leaves not visited",
    ]
    mirrored = et.loads("min: {a: 5, b: {max: [7, 9]}}")
    explanation = Explanation(et.evaluate(mirrored, "star1", bounds=(0, 9)))
    assert [cut_reason(cut) for cut in cuts_of(explanation).values()] == [
        "beta cut after 1 of 2: at least 7 ≥ beta 5; 1 leaf not visited"
    ]


def test_a_cut_by_local_bounds_comes_before_any_outcome() -> None:
    tree = et.loads(
        "max: [5, {chance: [{bounds: [0, 4], min: [1, 2]}, {bounds: [0, 5], max: [3, 4]}]}]"
    )
    explanation = Explanation(et.evaluate(tree, "star2", bounds=(0, 9)))
    (cut,) = cuts_of(explanation).values()
    assert (cut.after, cut.probing) == (0, False)
    assert cut_reason(cut) == (
        "chance cut before any outcome: even with the rest at best, at most 4.5 ≤ alpha 5; "
        "2 nodes, 4 leaves not visited"
    )


def test_probability_zero_and_passed_over_are_not_cuts() -> None:
    tree = et.loads(
        "max: [{chance: [{p: 0, utility: 3}, {p: 1, utility: 2}]}, {bounds: [0, 2], min: [1, 1]}]"
    )
    explanation = Explanation(et.evaluate(tree, "star1", bounds=(0, 9)))
    assert cuts_of(explanation) == {}
    assert sorted(skipped_reasons(explanation)) == ["passed over", "probability 0"]
