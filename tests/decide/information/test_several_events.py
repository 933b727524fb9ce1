"""Several events at once: random trees against all combinations of outcomes.

In the random trees, events depend on each other in any way, and only the probabilities at the nodes
show how. A combination of outcomes has its probability in the joint distribution. The value of the
tree, if some of them are possible, chooses at each decision for all of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log, prod
from random import Random
from typing import Any

import pytest
from helpers import seed_ranges

import expectitree as et

World = Mapping[str, str]  # the outcome of each event
Worlds = Sequence[tuple[World, Fraction]]


class Case:
    """A random tree of two or three events, which may depend on each other; MIN decides in half."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.names = ["A", "B", "C"][: random.choice((2, 3))]
        self.labels = {
            name: [f"{name}{k}" for k in range(random.choice((2, 3)))] for name in self.names
        }
        self.is_full = random.random() < 0.7  # play meets all events in any case
        combinations = [*product(*self.labels.values())]
        if random.random() < 0.5:  # independent events
            rows = {x: random.randint(1, 4) for some in self.labels.values() for x in some}
            weights = [prod(rows[label] for label in labels) for labels in combinations]
        else:
            weights = [random.choice((0, 1, 2, 3)) for _ in combinations]
            weights[0] += 1
        self.worlds = [
            (dict(zip(self.names, labels, strict=True)), Fraction(weight, sum(weights)))
            for labels, weight in zip(combinations, weights, strict=True)
            if weight
        ]
        self.player = random.choice(("max", "min"))
        self.data = {
            self.player: {f"act{k}": self.node([*self.names], self.worlds) for k in range(3)}
        }

    def node(self, left: list[str], worlds: Worlds) -> Any:
        """Return a random node after which play can meet the events that are left."""
        random = self.random
        if not left or (not self.is_full and random.random() < 0.25):
            return {"utility": random.randint(-9, 9)}
        if random.random() < 0.2:
            return {self.player: {x: self.node(left, worlds) for x in ("go", "stay")}}
        name = random.choice(left)
        branches = {}
        for label in self.labels[name]:
            possible = [(world, p) for world, p in worlds if world[name] == label]
            p = mass(possible) / mass(worlds) if possible else Fraction(0)
            others = [other for other in left if other != name]
            below = self.node(others, possible) if possible else {"utility": 0}
            branches[label] = {"p": str(p), "cost": random.randint(0, 2), **below}
        return {"event": name, "chance": branches}


def mass(worlds: Worlds) -> Fraction:
    return sum((p for _, p in worlds), Fraction(0))


def value(node: Any, worlds: Worlds) -> Any:
    """Return the value of a node of a file if one of some worlds is true."""
    if "utility" in node:
        found = Fraction(node["utility"])
    elif "max" in node:
        found = max(value(child, worlds) for child in node["max"].values())
    elif "min" in node:
        found = min(value(child, worlds) for child in node["min"].values())
    else:
        found = Fraction(0)
        for label, child in node["chance"].items():
            possible = [(world, p) for world, p in worlds if world[node["event"]] == label]
            if possible:
                found += mass(possible) * value(child, possible) / mass(worlds)
    return found - node.get("cost", 0)


def known(worlds: Worlds, names: Sequence[str], labels: Sequence[str]) -> Worlds:
    """Return the worlds in which events have some outcomes, of which "-" may be any."""
    pairs = {pair for pair in zip(names, labels, strict=True) if pair[1] != "-"}
    return [(world, p) for world, p in worlds if pairs <= world.items()]


def check(seed: int) -> Counter[str]:
    """Check what several events of a random tree are worth; count what was checked.

    If play meets only some of them, those that it does not meet count as independent.
    """
    case = Case(seed)
    tree = et.from_dict(case.data)
    names = case.random.sample(case.names, case.random.choice((2, len(case.names))))
    is_shown = case.is_full and len(names) == len(case.names)
    try:
        found = et.information(tree, names, exact=True)
    except et.AnalysisError:
        if is_shown:
            raise
        return Counter({"refused": 1})
    parts = [known(case.worlds, names, labels) for labels in product(*map(case.labels.get, names))]
    expected = sum(mass(part) * value(case.data, part) for part in parts if part)
    assert found.value == value(case.data, case.worlds)
    assert found.with_information == expected
    assert found.evpi == abs(expected - found.value)
    for one in found.outcomes:
        part = known(case.worlds, found.events, one.labels)
        assert not is_shown or (one.p, one.value) == (mass(part), value(case.data, part))
    assert sum(one.p for one in found.outcomes) == 1
    floats = et.information(tree.floats, names)
    assert floats.evpi == pytest.approx(float(found.evpi), abs=1e-9)
    return Counter({f"{len(names)} of {len(case.names)}": 1})


@pytest.mark.parametrize("seeds", seed_ranges(40, 300, 2_000))
def test_random_trees(seeds: range) -> None:
    done = sum(map(check, seeds), Counter[str]())
    assert done.pop("refused") < 0.2 * len(seeds)
    assert min(done[kind] for kind in ("2 of 2", "2 of 3", "3 of 3")) > 0.05 * len(seeds)


# ---- Examples.

SITES = {
    "A": (2, {"0": "0.2", "5": "0.8"}),
    "B": (8, {"0": "0.2", "5": "0.5", "30": "0.3"}),
    "C": (6, {"0": "0.4", "5": "0.4", "30": "0.2"}),
}


def sites() -> dict[str, Any]:
    """Return the tree of three drilling sites."""
    actions: dict[str, Any] = {"none": 0}
    for name, (cost, chances) in SITES.items():
        outcomes = {x: {"p": p, "utility": int(x)} for x, p in chances.items()}
        actions[name] = {"cost": cost, "event": name, "chance": outcomes}
    return {"max": actions}


def test_the_price_of_several_events() -> None:
    """With an exponential attitude, a price is the difference of certainty equivalents."""
    tree = et.from_dict(sites())
    found = et.information(tree.with_attitude("exponential=20"), ["A", "C"])
    now = max(0, *(equivalent(name, 20) for name in SITES))
    known = sum(
        float(p) * float(q) * exp(-max(0, int(x) - 2, int(y) - 6, equivalent("B", 20)) / 20)
        for x, p in SITES["A"][1].items()
        for y, q in SITES["C"][1].items()
    )
    assert found.value == pytest.approx(now)
    assert found.evpi == pytest.approx(-20 * log(known) - now)
    # With a logarithmic one, the price leaves no gain.
    found = et.information(tree.with_attitude("logarithmic=50"), ["A", "C"])
    paid = sites()
    for action in ("A", "B", "C"):
        paid["max"][action]["cost"] += found.evpi
    paid["max"]["none"] = -found.evpi
    after = et.information(et.from_dict(paid).with_attitude("logarithmic=50"), ["A", "C"])
    assert after.with_information == pytest.approx(found.value)


def equivalent(name: str, tolerance: float) -> float:
    """Return the certainty equivalent of drilling at a site."""
    cost, chances = SITES[name]
    terms = (float(p) * exp((cost - int(x)) / tolerance) for x, p in chances.items())
    return -tolerance * log(sum(terms))


def test_no_event_is_named() -> None:
    with pytest.raises(et.AnalysisError, match=r"^0 events are named: name one, or several"):
        et.information(et.load("docs/examples/drilling-sites.yaml"), [])
