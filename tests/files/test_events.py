"""Priors and likelihoods under `events`: Bayes' rule by the reader, against written trees."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from helpers import ROOT, for_each

import expectitree as et
from expectitree.base.tree.folding import fold_rewards, unshare
from expectitree.base.tree.transform import in_fractions, replace_opponent
from expectitree.decide.flip import flip
from expectitree.searches.engine import search_tree

EVENTS = """
parameters: {pr: 0.5, sens: 0.9, spec: 0.7}
events:
  seismic:
    test_of: oil
    likelihood: {plus: {oil: sens, none: 1 - spec}, minus: {oil: rest, none: rest}}
  oil: {prior: {oil: pr, none: rest}}
"""
SHORT = """
max:
  sell: 750
  install: {cost: 250, event: oil, chance: {oil: 2500, none: 0}}
  test:
    cost: 100
    event: seismic
    chance:
      plus: {max: {install: {cost: 250, event: oil, chance: {oil: 2500, none: 0}}, sell: 1000}}
      minus: {max: {install: {cost: 250, event: oil, chance: {none: 0, oil: 2500}}, sell: 500}}
"""


def test_rockefeller() -> None:
    tree = et.loads(EVENTS + SHORT)
    full = et.load(str(ROOT / "trees" / "rockefeller.yaml"))
    assert search_tree(tree).value == 1075
    for node, path in full.walk():
        if not node.branches and node.kind == et.Kind.TERMINAL:
            continue
        expected = {branch.label: branch.p for branch in node.branches}
        found = {branch.label: branch.p for branch in tree.find(path).branches}
        assert found == expected
    for values in ({"pr": "0.3"}, {"sens": "0.8"}, {"spec": "0.9", "pr": "0.7"}):
        assert (
            search_tree(tree.with_parameters(**values)).value
            == search_tree(full.with_parameters(**values)).value
            == search_tree(et.loads(EVENTS + SHORT, parameters=values)).value
        )


def test_what_is_written_has_the_definitions() -> None:
    tree = et.loads(EVENTS + SHORT)
    text = et.dumps(tree)
    assert "oil: {prior: {oil: pr, none: 1 - pr}}" in text
    assert "p_plus" not in text
    assert "p:" not in text
    again = et.loads(text)
    assert et.dumps(again) == text == et.dumps(et.loads(et.dumps(tree, "json")))
    assert (again.formulas, again.parameters) == (tree.formulas, tree.parameters)


def test_derived_parameters_that_a_file_uses_are_written() -> None:
    text = EVENTS.replace("spec: 0.7}", "spec: 0.7, p_plus: pr*sens + (1 - pr)*(1 - spec)}")
    tree = et.loads(text + SHORT.replace("sell: 750", "sell: 1250*p_plus"))
    assert "p_plus: pr*sens + (1 - pr)*(1 - spec)" in et.dumps(tree)
    assert et.loads(et.dumps(tree)).parameters == tree.parameters


def seismic_of(tree: et.Tree) -> Any:
    return tree.formulas.defined.get("seismic")


def test_transforms_keep_definitions() -> None:
    tree = et.loads(EVENTS + SHORT)
    assert seismic_of(tree).test_of == "oil"
    for other in (
        tree.with_parameters(pr=0.3),
        et.prepare(tree, order="best"),
        et.prepare(tree, order="random:1"),
        unshare(tree),
        in_fractions(tree),
    ):
        assert seismic_of(other).labels == ["plus", "minus"]
        assert et.evaluate(et.loads(et.dumps(other))).value == pytest.approx(
            et.evaluate(other).value
        )


def test_a_transform_that_changes_numbers_leaves_the_definitions_out() -> None:
    tree = et.loads(EVENTS + SHORT)
    assert seismic_of(replace_opponent(tree, 0)) is None
    assert seismic_of(fold_rewards(tree)) is None
    mixed = et.loads(EVENTS + LEVELS.replace("minus: {event: oil,", "minus: {"))
    for levels in (et.loads(EVENTS + LEVELS), mixed):
        flipped = et.loads(et.dumps(flip(levels, "/")))
        assert seismic_of(flipped) is None
        assert et.evaluate(flipped).value == pytest.approx(et.evaluate(levels).value)


LEVELS = """
event: seismic
chance:
  plus: {event: oil, chance: {oil: 5, none: 1}}
  minus: {event: oil, chance: {oil: 3, none: 0}}
"""


@for_each("seed", range(30))
def test_two_tests_in_a_row(seed: int) -> None:
    """Compare all probabilities with those from the joint distribution."""
    random = Random(seed)

    def distribution(count: int) -> list[Fraction]:
        weights = [random.choice((0, 1, 2, 3)) for _ in range(count)]
        weights[random.randrange(count)] += 1
        return [Fraction(w, sum(weights)) for w in weights]

    outcomes = [f"o{i}" for i in range(random.randint(2, 3))]
    prior = dict(zip(outcomes, distribution(len(outcomes)), strict=True))
    signals: list[dict[str, dict[str, Fraction]]] = []  # of each test: signal, outcome
    for _ in range(2):
        columns = {o: distribution(2) for o in outcomes}
        signals.append({s: {o: columns[o][k] for o in outcomes} for k, s in enumerate("ab")})
    events: Any = {"e": {"prior": {o: str(p) for o, p in prior.items()}}}
    for k, test in enumerate(signals):
        rows = {s: {o: str(p) for o, p in row.items()} for s, row in test.items()}
        events[f"t{k}"] = {"test_of": "e", "likelihood": rows}

    def node(event: str, below: Any) -> Any:
        return {"event": event, "chance": below}

    first = {
        s: node("t1", {t: node("e", {o: str(i) for i, o in enumerate(outcomes)}) for t in "ab"})
        for s in "ab"
    }
    tree = et.from_dict({"events": events, "event": "t0", "chance": first})
    total: dict[str, Fraction] = {}
    for s, t, o in product("ab", "ab", outcomes):
        joint = prior[o] * signals[0][s][o] * signals[1][t][o]
        p = Fraction(1)
        for path, label in (("/", s), (s, t), (f"{s}/{t}", o)):
            n = tree.find(path).id
            at = [tree.branch_label(n, b) for b in tree.branches_of(n)].index(label)
            p *= tree.columns.probability[tree.columns.first[n] + at] if p else 0
        assert p == joint
        total[o] = total.get(o, Fraction(0)) + p
    assert total == prior


WELL = "nodes: {well: {event: oil, chance: {oil: 4, none: 0}}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EVENTS + WELL + "event: oil\nchance: {oil: {max: [{ref: well}, 0]}, none: {ref: well}}",
         "oil/#1: oil is oil on the way here: an event happens once"),
        (EVENTS + "event: oil\nchance: {oil: 1, nothing: 0}",
         "/: the outcomes of the event 'oil' are 'nothing' and 'oil' here, and 'none' and 'oil' "
         "elsewhere: give them the same labels"),
        (EVENTS + "event: oil\nchance: {oil: {p: 0.5, utility: 1}, none: {p: 0.5, utility: 0}}",
         "/: the root's `events` give 'oil' its probabilities: remove the p"),
        (EVENTS + "event: oil\nchance: {oil: {event: oil, chance: {oil: 1, none: 0}}, none: 0}",
         "oil: oil is oil on the way here: an event happens once"),
        ("events: {t: {test_of: oi, likelihood: {a: {x: 1}}}, oil: {prior: {x: 1}}}\nmax: [1]",
         "event t: no event 'oi' (did you mean 'oil'?): give it a prior under events"),
        ("events: {t: {test_of: oil, likelihood: {a: {y: 1}}}, oil: {prior: {x: 1}}}\nmax: [1]",
         "event t: the signal a has likelihoods of y, expected one of each outcome: x"),
        ("events: {oil: {}}\nmax: [1]", "event oil: found "),
        ("events: {oil: 3}\nmax: [1]", "event oil: found '3', expected an event such as {prior:"),
        ("events: [1]\nmax: [1]", "found a list under events, expected names of events"),
        ('events: {"": {prior: {x: 1}}}\nmax: [1]', "found nothing as the name of an event"),
        ("events: {oil: {prior: {x: 2}}}\nmax: [1]", "event oil/x: '2' is not"),
        ("events: {oil: {prior: {x: pz}}}\nmax: [1]", "event oil/x: "),
        ("events: {oil: {priors: {x: 1}}}\nmax: [1]", "event oil: unknown key 'priors'"),
        ("events: {oil: {test_of: b, likelihood: 3}}\nmax: [1]",
         "event oil: found '3' as likelihood"),
        (EVENTS.replace("rest}}\n", "0.2}}\n", 1) + "event: seismic\nchance: {plus: 1, minus: 0}",
         "/: event seismic: the probabilities sum to 0.5 at spec = 0.7, expected 1: change "
         "a formula or a parameter, or write `rest` for one"),
    ],
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    with pytest.raises(et.FileError) as error:
        et.loads(text)
    assert message in str(error.value)
    assert str(error.value).startswith("<text>:")
