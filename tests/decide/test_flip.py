"""`flip`: the joint distribution stays, and twice is as before."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

import pytest
from helpers import for_each, loads
from oracle import ExactNode

import expectitree as et
from expectitree.base.tree.bayes import Definitions, free_name
from expectitree.decide.flip import flip
from expectitree.searches.engine import search_tree


def joint(tree: et.Tree, path: str = "/") -> dict[tuple[frozenset[str], Any], Any]:
    """Return the probability of each pair of labels, in any order, and its total."""
    found: dict[tuple[frozenset[str], Any], Any] = defaultdict(int)
    for upper in ExactNode(tree, tree.find(path).id).branches:
        for lower in upper.child.branches:
            total = upper.reward + lower.reward + (lower.child.utility or 0)
            pair = frozenset({f"{upper.label}", f"{lower.label}"})
            found[pair, total] += upper.p * lower.p
    return {key: p for key, p in found.items() if p}


def random_tree(seed: int) -> str:
    """Return two levels of chance nodes below a decision, some with formulas and impossible."""
    random = Random(seed)
    uppers, lowers = random.randint(1, 4), random.randint(1, 4)

    def distribution(count: int) -> list[str]:
        weights = [random.choice((0, 1, 1, 2, 3)) for _ in range(count)]
        weights[random.randrange(count)] += 1
        texts = [f"{w}/{sum(weights)}" for w in weights]
        if count == 2 and random.random() < 0.5 and weights[0]:
            return [random.choice((texts[0], "q")), "rest"]
        if random.random() < 0.3:
            texts[random.randrange(count)] = "rest"
        return texts

    def cost() -> str:
        return random.choice(("", "cost: 2, ", "reward: q*3, ", "cost: 1/3, "))

    nodes = []
    for a, p in enumerate(distribution(uppers)):
        own = distribution(lowers)
        order = random.sample(range(lowers), lowers)
        ends = [f"b{b}: {{p: {own[b]}, {cost()}utility: {random.randint(-5, 5)}}}" for b in order]
        nodes.append(f"a{a}: {{p: {p}, {cost()}chance: {{{', '.join(ends)}}}}}")
    return f"{{parameters: {{q: 1/3}}, max: {{x: 0, y: {{chance: {{{', '.join(nodes)}}}}}}}}}"


@pytest.mark.slow
@for_each("seed", range(40), range(40, 80))
def test_the_joint_distribution_stays(seed: int) -> None:
    text = random_tree(seed)
    tree = et.loads(text)
    found = flip(tree, "y")
    assert search_tree(found).value == search_tree(tree).value
    for one in (found, et.loads(et.dumps(found)), flip(found, "y")):
        assert joint(one, "y") == joint(tree, "y")
    floats = flip(loads(text, exact=False), "y")
    assert search_tree(floats).value == pytest.approx(float(search_tree(tree).value))
    for q in ("1/4", "1"):  # formulas, not numbers
        moved, expected = (one.with_parameters(q=q) for one in (found, tree))
        assert joint(moved, "y") == joint(expected, "y")


def test_names() -> None:
    assert free_name("p_no hat!", ()) == ("p_no_hat", 1)
    assert free_name("p_hat", ("p_hat", "p_hat_2")) == ("p_hat_3", 3)
    assert free_name("max", ()) == ("max_2", 2)
    assert free_name("42", ()) == ("p_42", 1)
    assert free_name("…", ()) == ("p", 1)


def test_long_sums_are_defined_in_parts() -> None:
    outcomes = ", ".join(
        f"outcome {k}: {{p: 1/60, chance: {{x: {{p: 1/{k + 61}, utility: {k}}}, y: {{p: rest, "
        "utility: 0}}}" for k in range(60)
    )  # fmt: skip
    tree = et.loads(f"chance: {{{outcomes}}}")
    found = et.loads(et.dumps(flip(tree, "/")))
    assert joint(found) == joint(tree)
    assert Definitions({}).parameters == {}
