"""Priors and likelihoods under `events`: Bayes' rule by the reader, against written trees."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import ROOT, cases

import expectitree as et
from expectitree.base.tree.folding import fold_rewards, unshare
from expectitree.base.tree.transform import in_fractions
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


WELL = "nodes: {well: {event: oil, chance: {oil: 4, none: 0}}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    cases("nodes", "events"),
)  # fmt: skip
def test_errors(text: str, message: str) -> None:
    with pytest.raises(et.FileError) as error:
        et.loads(text)
    assert message in str(error.value)
    assert str(error.value).startswith("<text>:")
