"""Files of SilverDecisions: their values are those that it stores."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest
from foreign.diagrams import (
    RULES,
    STALL,
    Json,
    file_of,
    payoff,
    random_diagram,
    tree_of,
)
from helpers import for_each
from oracle import definitions

import expectitree as et
from expectitree.searches.engine import search_tree

# ---- Reading.


@pytest.mark.parametrize("depth", [305, 2_000, 100_000])
def test_a_very_deep_tree_is_an_error(depth: int) -> None:
    opening = '{"type": "decision", "childEdges": [{"payoff": 0, "childNode": '
    root = opening * depth + '{"type": "terminal"}' + "}]}" * depth
    with pytest.raises(et.FileError) as caught:
        et.loads(f'{{"SilverDecisions": "1.2.0", "data": {{"trees": [{root}]}}}}')
    (problem,) = caught.value.problems
    assert problem.message == "the text nests more than 300 nodes: cut the tree at a node above"


# ---- Values.


@for_each("seed", range(10), range(10, 20))
def test_values_are_those_of_every_rule(seed: int) -> None:
    root = random_diagram(random.Random(seed), 4)
    for rule in RULES:
        tree = tree_of(file_of(root, rule=rule))
        assert search_tree(tree).value == payoff(root, rule) == definitions(tree)[tree.root_id]


@pytest.mark.parametrize("rule", RULES)
def test_values_are_those_that_silverdecisions_stored(rule: str) -> None:
    """Its fractions have denominators of up to 10^7."""
    file = json.loads(STALL.read_text("utf-8"))
    for number, root in enumerate(file["data"]["trees"], 1):
        tree = tree_of(json.dumps({**file, "rule": rule}), tree=number)
        search = search_tree(tree)
        found = [search.value_of(tree.path_of(n)) for n in tree.first_paths.order]
        assert found == pytest.approx(stored_payoffs(root, rule), rel=1e-9, abs=1e-9)


def stored_payoffs(node: Json, rule: str) -> list[float]:
    """Return the payoffs stored for a node and all below, parents first; one may be `-1 1/2`."""
    text = node["computed"][rule]["payoff"][0]
    found = [float(sum(map(Fraction, text.strip("-").split()))) * (-1 if text[0] == "-" else 1)]
    for one in node["childEdges"]:
        found += stored_payoffs(one["childNode"], rule)
    return found
