"""Several events at once: published and random trees, against all combinations of outcomes.

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
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import object_of, seed_ranges

import expectitree as et
from expectitree.base.tree.transform import in_floats

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
        if not left or not self.is_full and random.random() < 0.25:
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
    floats = et.information(in_floats(tree), names)
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


def sites(has_events: bool) -> dict[str, Any]:
    """Return the tree of three drilling sites, whose events have names, or the paths of nodes."""
    actions: dict[str, Any] = {"none": 0}
    for name, (cost, chances) in SITES.items():
        outcomes = {x: {"p": p, "utility": int(x)} for x, p in chances.items()}
        actions[name] = {"cost": cost, "chance": outcomes}
        if has_events:
            actions[name]["event"] = name
    return {"max": actions}


def worth_of_sites(names: Sequence[str]) -> Fraction:
    """Return the value of the sites if some of them are known, by its definition."""
    means = {
        name: sum(Fraction(p) * int(x) for x, p in chances.items()) - cost
        for name, (cost, chances) in SITES.items()
    }
    found = Fraction(0)
    for labels in product(*(SITES[name][1] for name in names)):
        pairs = [*zip(names, labels, strict=True)]
        p = prod(Fraction(SITES[name][1][label]) for name, label in pairs)
        after = means | {name: Fraction(int(label) - SITES[name][0]) for name, label in pairs}
        found += p * max(0, *after.values())
    return found


@pytest.mark.parametrize("has_events", [True, False])
@pytest.mark.parametrize(
    ("names", "evpi"),
    [("A", "0"), ("B", "4.5"), ("C", "4.1"), ("ABC", "7.924"), ("CBA", "7.924"),
     ("AB", None), ("CA", None), ("BC", None)],
)  # fmt: skip
def test_sites(names: str, evpi: str | None, has_events: bool) -> None:
    tree = et.from_dict(sites(has_events))
    found = et.information(tree, [*names], exact=True)
    assert found.with_information == worth_of_sites(names)
    assert evpi is None or found.evpi == Fraction(evpi)
    assert (found.events, found.event) == (tuple(names), ", ".join(names))


NESTED = """
max:
  drill:
    event: oil
    chance:
      big: {p: 0.2, event: price, chance: {high: {p: 0.7, utility: 50}, low: {p: 0.3, utility: 20}}}
      small:
        p: 0.3
        max:
          sell: {event: price, chance: {high: {p: 0.4, utility: 9}, low: {p: 0.6, utility: -9}}}
      dry: {p: rest, utility: -20}
  stop: 0
"""
DEFINED = """
events:
  oil: {prior: {oil: 0.5, none: rest}}
  seismic: {test_of: oil, likelihood: {plus: {oil: 0.9, none: 0.3}, minus: {oil: rest, none: rest}}}
  gravity: {test_of: oil, likelihood: {yes: {oil: 0.8, none: 0.1}, no: {oil: rest, none: rest}}}
  price: {prior: {high: 0.4, low: rest}}
max:
  sell: 750
  install:
    cost: 250
    event: oil
    chance: {oil: {event: price, chance: {high: 4000, low: 1500}}, none: 0}
  test:
    cost: 100
    event: seismic
    chance:
      plus: {max: {install: {cost: 250, event: oil, chance: {oil: 2500, none: 0}}, sell: 1000}}
      minus: 500
  both: {event: gravity, chance: {yes: 1000, no: 400}}
"""
SHOWN = """
max:
  drill:
    event: oil
    chance:
      oil: {p: 0.5, event: cost, chance: {low: {p: 0.2, utility: 9}, high: {p: 0.8, utility: 1}}}
      none: {p: 0.5, event: cost, chance: {low: {p: 0.6, utility: -1}, high: {p: 0.4, utility: -9}}}
  ask first:
    cost: 1
    event: cost
    chance:
      low: {p: 0.4, event: oil, chance: {oil: {p: 0.25, utility: 9}, none: {p: 0.75, utility: -1}}}
      high: {p: 0.6, max: {drill: {event: oil, chance: {oil: {p: 2/3, utility: 1},
        none: {p: 1/3, utility: -9}}}, stop: 0}}
  stop: 0
"""
# Each with the events, the combinations, and the value of the tree if they are known.
EXAMPLES = {
    # If it is dry, the price does not matter, and the tree does not show its probabilities.
    "nested": (NESTED, "oil price", "big, high; big, low; small, high; small, low; dry, -",
               0.2 * 0.7 * 50 + 0.2 * 0.3 * 20 + 0.3 * 0.4 * 9),
    "defined": (DEFINED, "price oil", "high, oil; high, none; low, oil; low, none",
                0.2 * 3750 + 0.3 * 1975 + 0.5 * 750),
    # The oil has the probabilities 0.96, 0.4, 0.533 and 0.031.
    "two tests": (DEFINED, "seismic gravity", "plus, yes; plus, no; minus, yes; minus, no",
                  0.375 * 2150 + 0.225 * 900 + 0.04 * 2500 - 0.075 * 250 + 0.325 * 750),
    "an event and its test": (DEFINED, "oil seismic",
                              "oil, plus; oil, minus; none, plus; none, minus",
                              0.5 * 2250 + 0.15 * 900 + 0.35 * 750),
    "the other way round": (DEFINED, "seismic oil",
                            "plus, oil; plus, none; minus, oil; minus, none",
                            0.5 * 2250 + 0.15 * 900 + 0.35 * 750),
    "shown in two orders": (SHOWN, "cost oil", "low, oil; low, none; high, oil; high, none",
                            0.1 * 9 + 0.4 * 1),
    # By the lowest bid that wins, if it pays: 300, 500 or 700, less costs of 200, 400 or 600.
    "a published tree": (Path("trees/sealed-bid.yaml").read_text("utf-8"), "competitor cost",
                         "400, low; 400, middle; 400, high; 600, low; 600, middle; 600, high; "
                         "800, low; 800, middle; 800, high",
                         0.35 * 0.25 * 100 + 0.5 * (0.25 * 300 + 0.5 * 100)
                         + 0.15 * (0.25 * 500 + 0.5 * 300 + 0.25 * 100)),
    "an event twice, by its name and a path": (DEFINED, "oil install", "oil; none", None),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_combinations(name: str) -> None:
    text, names, combinations, expected = EXAMPLES[name]
    found = et.information(et.loads(text), names.split())
    assert "; ".join(one.name for one in found.outcomes) == combinations
    assert expected is None or found.with_information == pytest.approx(expected)


def test_the_price_of_several_events() -> None:
    """With an exponential attitude, a price is the difference of certainty equivalents."""
    tree = et.from_dict(sites(has_events=True))
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
    paid = sites(has_events=True)
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


# ---- The command line.

FILE = "docs/examples/drilling-sites.yaml"


def test_json_and_records() -> None:
    found = object_of("information", FILE, "--event", "A", "--event", "C")
    assert (found["event"], found["events"], found["evpi"]) == ("A, C", ["A", "C"], 4.1)
    assert found["outcomes"][2] == {
        "name": "0, 30", "labels": ["0", "30"], "p": 0.04, "value": 24, "best": ["C"],
    }  # fmt: skip
    records = et.information(et.load(FILE), ["A", "C"]).to_records()
    assert records[2] == {
        "file": "", "event": "A, C", "name": "0, 30", "p": 0.04, "value": 24.0, "best": "C",
    }  # fmt: skip


def test_an_event_that_may_depend_on_another_where_play_does_not_meet_it() -> None:
    text = """
    max:
      a:
        event: A
        chance:
          x:
            event: S
            chance:
              1: {event: B, chance: {u: {p: 0.3, utility: 1}, v: {p: 0.7, utility: 0}}}
              2: {event: B, chance: {u: {p: 0.6, utility: 1}, v: {p: 0.4, utility: 0}}}
          y: {event: S, chance: {1: 5, 2: 0}}
    """
    with pytest.raises(et.AnalysisError, match=r"^if A is y: play never meets B$"):
        et.information(et.loads(text), ["A", "B"])
    # If S is known, B does not matter.
    found = et.information(et.loads(text), ["A", "B", "S"])
    assert [one.labels for one in found.outcomes][-2:] == [("y", "-", "1"), ("y", "-", "2")]


def test_no_event_is_named() -> None:
    with pytest.raises(et.AnalysisError, match=r"^0 events are named: name one, or several"):
        et.information(et.load(FILE), [])
