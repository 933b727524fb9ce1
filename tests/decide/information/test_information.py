"""Information where signals and rare events are hard, its work, and refusals."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import pytest

import expectitree as et

OIL = "max: {sell: 3, drill: {chance: {oil: {p: 1/4, utility: 10}, dry: {p: 3/4, utility: -2}}}}"


# ---- Large trees.


def test_large_trees_are_computed_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    from expectitree.decide.information import report

    monkeypatch.setattr(report, "EXACT_NODES", 0)
    test = {"plus": {"oil": "sens", "none": 0.3}, "minus": {"oil": "rest", "none": "rest"}}
    found = et.information(et.load("example:rockefeller"), "oil", likelihood=test)
    assert (found.evpi, found.with_test) == pytest.approx((425, 1275))


# ---- Signals that the event does not follow.

DEFINED = """
events:
  oil: {prior: {oil: 0.5, none: rest}}
  seismic: {test_of: oil, likelihood: {plus: {oil: 0.9, none: 0.3}, minus: {oil: rest, none: rest}}}
"""
INSTALL = "{cost: 250, event: oil, chance: {oil: 2500, none: 0}}"
PRUNED = f"""
max:
  sell: 750
  install: {INSTALL}
  test:
    cost: 100
    event: seismic
    chance: {{plus: {{max: {{install: {INSTALL}, sell: 1000}}}}, minus: 500}}
"""


def test_a_pruned_tree() -> None:
    for text in (PRUNED, PRUNED.replace("minus: 500", "minus: {max: {a: 500, b: -500}}")):
        tree = et.loads(DEFINED + text)
        assert et.information(tree, "oil").evpi == 425
        # The numbers of a tree without `events` show what oil has to be after minus.
        numbers = et.loads(in_full(tree))
        assert et.information(numbers, "oil").evpi == 425


def in_full(tree: et.Tree) -> str:
    """Return a tree as text with probabilities instead of `events`."""
    plain = replace(tree.formulas, probabilities={}, defined={})
    return et.dumps(replace(tree, formulas=plain, parameters={}))


def test_a_signal_that_the_event_does_not_follow_is_refused() -> None:
    full = PRUNED.replace("minus: 500", f"minus: {{max: {{install: {INSTALL}, sell: 500}}}}")
    both = full + "  public test: {event: seismic, chance: {plus: 3000, minus: 500}}\n"
    tree = et.loads(DEFINED + both)
    assert [one.value for one in et.information(tree, "oil").outcomes] == [2750, 1250]
    with pytest.raises(et.AnalysisError) as error:
        et.information(et.loads(in_full(tree)), "oil")
    assert str(error.value) == (
        "public test: seismic depends on oil, as test shows, and the tree does not show the "
        "probabilities of oil after seismic here: define seismic as a test of oil under `events`"
    )


@pytest.mark.parametrize(
    ("after", "other"), [("9e-12", "1e-30"), ("1e-9", "1e-12"), ("0.4", "1e-20")]
)
def test_rare_events_are_not_rounded_away(after: str, other: str) -> None:
    rings, quiet = (
        f"event: fire, chance: {{yes: {{p: {p}, utility: -1e12}}, no: {{p: rest, utility: 0}}}}"
        for p in (after, other)
    )
    tree = et.loads(
        f"chance: {{rings: {{p: 1e-9, max: {{leave: -1, stay: {{{rings}}}}}}}, "
        f"quiet: {{p: rest, {quiet}}}}}"
    )
    found = et.information(tree, "fire", exact=True)
    p, q, alarm = Fraction(after), Fraction(other), Fraction("1e-9")
    value = -alarm * p + (1 - alarm) * q * Fraction("-1e12")
    value /= alarm * p + (1 - alarm) * q
    assert [one.value for one in found.outcomes] == [value, 0]


# ---- Speed.


@pytest.mark.slow
def test_many_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = ", ".join(f"o{k}: {{p: 1/300, utility: {k}}}" for k in range(300))
    actions = (f"a{k}: {{event: e, chance: {{{outcomes}}}}}" for k in range(60))
    tree = et.loads(f"max: {{{', '.join(actions)}}}")
    start = time.process_time()
    assert et.information(tree, "e").evpi == 0
    assert time.process_time() - start < 8
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.024")
    assert et.information(tree, "e").evpi == 0
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.001")
    with pytest.raises(et.TreeError) as error:
        et.information(tree, "e")
    assert str(error.value) == (
        "to know e in advance takes 36,000 steps (300 outcomes, signals or combinations times 120 "
        "branches), and the limit is 1,500: merge outcomes, or set EXPECTITREE_BUDGET=0.01 for ten "
        "times as much"
    )


# ---- Refusals.


def test_a_test_from_python_is_checked_too() -> None:
    message = "the test has no signals: give the likelihoods of at least one"
    with pytest.raises(et.AnalysisError, match=f"^{message}$"):
        et.information(et.loads(OIL), "drill", likelihood={})
    with pytest.raises(et.AnalysisError, match=r"^good/oil: the likelihood is 2: write a"):
        et.information(et.loads(OIL), "drill", likelihood={"good": {"oil": 2, "dry": 1}})
