"""Information on random trees, compared with all worlds of the joint distribution.

An event r has up to two tests, which are independent given r, and there is another event i. A world
says what happens at each of them; a test that is repeated on a path has another result each time. A
value given what is known is a mean over the worlds in which that is so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from helpers import LONG, for_each
from oracle import gain_sign

import expectitree as et
from expectitree.searches.engine import search_tree

World = tuple[dict[str, str], Fraction]  # what happens, and the probability
REPEATS = 2  # of a test on one path


@dataclass
class Node:
    """A node of a random tree: its kind or its event, and branches with rewards."""

    kind: str
    branches: dict[str, tuple[Fraction, Node]]
    utility: int = 0


class Case:
    """A random tree, and the joint distribution of its events.

    `is_shown` adds plays that show how each test depends on r, which no player chooses.
    """

    def __init__(self, seed: int, is_shown: bool = False) -> None:
        self.random = random = Random(seed)
        self.outcomes = [f"r{k}" for k in range(random.randint(2, 3))]
        self.prior = self.distribution(self.outcomes)
        self.tests = [f"t{k}" for k in range(random.randint(0, 2))]
        self.likely = {
            t: {o: self.distribution(["plus", "minus", "?"][: random.choice((2, 2, 3))])
                for o in self.outcomes}
            for t in self.tests
        }  # fmt: skip
        for rows in self.likely.values():
            labels = sorted(set().union(*rows.values()))
            for row in rows.values():
                row.update({label: row.get(label, Fraction(0)) for label in labels})
        self.other = self.distribution(["works", "fails"])
        self.root = self.node({}, random.randint(2, 4))
        if is_shown:
            shown = {t: (Fraction(-1000), self.show(t)) for t in self.tests}
            self.root = Node("max", {"play": (Fraction(0), self.root), **shown})

    def distribution(self, labels: list[str]) -> dict[str, Fraction]:
        weights = [self.random.choice((0, 1, 1, 2, 3)) for _ in labels]
        weights[self.random.randrange(len(labels))] += 1
        return {x: Fraction(w, sum(weights)) for x, w in zip(labels, weights, strict=True)}

    def labels(self, event: str) -> list[str]:
        if event == "r":
            return self.outcomes
        return [*self.other] if event == "i" else [*self.likely[event][self.outcomes[0]]]

    def show(self, test: str) -> Node:
        after = Node("r", {o: (Fraction(0), Node("", {})) for o in self.outcomes})
        return Node(test, {label: (Fraction(0), after) for label in self.labels(test)})

    def node(self, seen: dict[str, int], depth: int) -> Node:
        """Return a random node; `seen` counts the events on the way."""
        random = self.random
        kinds = ["max", "max", "min", "gamble", "", "r", "i", *self.tests, *self.tests]
        repeats = REPEATS if random.random() < 0.1 else 1
        most = {"r": 1, "i": 1, **dict.fromkeys(self.tests, repeats)}
        kind = random.choice([k for k in kinds if seen.get(k, 0) < most.get(k, 99)])
        if not depth or not kind:
            return Node("", {}, random.randint(-9, 9))
        labels = ["a", "b"] if kind in ("max", "min", "gamble") else self.labels(kind)
        after = {**seen, kind: seen.get(kind, 0) + 1}
        rewards = (0, 0, 1, -2)
        below = {x: (Fraction(random.choice(rewards)), self.node(after, depth - 1)) for x in labels}
        return Node(kind, below)

    # ---- The joint distribution.

    def worlds(self) -> list[World]:
        names = ["r", "i", *(f"{t}{k}" for t in self.tests for k in range(REPEATS))]
        ranges = [self.outcomes, [*self.other]]
        ranges += [self.labels(t) for t in self.tests for _ in range(REPEATS)]
        found = []
        for labels in product(*ranges):
            world = dict(zip(names, labels, strict=True))
            p = self.prior[world["r"]] * self.other[world["i"]]
            for t in self.tests:
                for k in range(REPEATS):
                    p *= self.likely[t][world["r"]][world[f"{t}{k}"]]
            if p:
                found.append((world, p))
        return found

    def after(
        self, node: Node, worlds: list[World], seen: dict[str, int]
    ) -> tuple[dict[str, list[World]], dict[str, int]]:
        """Return the worlds in which each branch of a chance node happens."""
        if node.kind == "gamble":
            return {x: [(w, p / 2) for w, p in worlds] for x in node.branches}, seen
        count = seen.get(node.kind, 0)
        name = node.kind if node.kind in "ri" else f"{node.kind}{count}"
        found = {x: [(w, p) for w, p in worlds if w[name] == x] for x in node.branches}
        return found, {**seen, node.kind: count + 1}

    def value(self, node: Node, worlds: list[World], seen: dict[str, int] | None = None) -> Any:
        """Return the value of a node in some worlds."""
        seen = seen or {}
        if not node.kind:
            return Fraction(node.utility)
        if node.kind in ("max", "min"):
            choose = max if node.kind == "max" else min
            return choose(r + self.value(n, worlds, seen) for r, n in node.branches.values())
        after, seen = self.after(node, worlds, seen)
        pairs = [
            (mass(some), reward + self.value(child, some, seen))
            for (reward, child), some in zip(node.branches.values(), after.values(), strict=True)
            if some
        ]
        return mean(pairs)

    def chances(self, worlds: list[World], event: str) -> dict[str, list[World]]:
        """Return the worlds of each outcome of an event, or of the first result of a test."""
        name = event if event in "ri" else f"{event}0"
        return {
            x: some for x in self.labels(event) if (some := [w for w in worlds if w[0][name] == x])
        }

    def worlds_of(self, events: Sequence[str], labels: Sequence[str]) -> list[World]:
        """Return the worlds in which events have some outcomes, of which "-" may be any."""
        names = [event if event in "ri" else f"{event}0" for event in events]
        known = {(x, label) for x, label in zip(names, labels, strict=True) if label != "-"}
        return [(world, p) for world, p in self.worlds() if known <= world.items()]

    def met(self, node: Node, worlds: list[World], seen: dict[str, int]) -> Counter[str]:
        """Return how often a play can meet each event, at most."""
        if node.kind in ("", "max", "min", "gamble"):
            after = dict.fromkeys(node.branches, worlds)
        else:
            after, seen = self.after(node, worlds, seen)
        found: Counter[str] = Counter(seen)
        for (_, child), some in zip(node.branches.values(), after.values(), strict=True):
            if some:
                found |= self.met(child, some, seen)
        return found

    # ---- The tree.

    def data(self, node: Node, worlds: list[World], seen: dict[str, int], short: bool) -> Any:
        """Return a node as in a file, with numbers unless the file is `short`."""
        if not node.kind:
            return node.utility
        if node.kind in ("max", "min"):
            return {node.kind: {
                x: self.branch(reward, self.data(child, worlds, seen, short))
                for x, (reward, child) in node.branches.items()
            }}  # fmt: skip
        after, later = self.after(node, worlds, seen)
        found = {}
        for x, (reward, child) in node.branches.items():
            found[x] = self.branch(reward, self.data(child, after[x], later, short))
            if not short or node.kind in ("i", "gamble"):
                own = Fraction(1, len(after)) if node.kind == "gamble" else self.other.get(x)
                if own is None:
                    total = mass(worlds)
                    own = mass(after[x]) / total if total else Fraction(1, len(after))
                found[x]["p"] = str(own)
        return {"chance": found, **({} if node.kind == "gamble" else {"event": node.kind})}

    def branch(self, reward: Fraction, data: Any) -> dict[str, Any]:
        return {"reward": str(reward), **(data if isinstance(data, dict) else {"utility": data})}

    def tree(self, short: bool) -> et.Tree:
        data = self.data(self.root, self.worlds(), {}, short)
        data = data if isinstance(data, dict) else {"utility": data}
        if short:
            data["events"] = {"r": {"prior": {o: str(p) for o, p in self.prior.items()}}}
            for t, rows in self.likely.items():
                signals = {x: {o: str(rows[o][x]) for o in rows} for x in self.labels(t)}
                data["events"][t] = {"test_of": "r", "likelihood": signals}
        return et.from_dict(data)


def mass(worlds: list[World]) -> Fraction:
    return sum((p for _, p in worlds), Fraction(0))


def mean(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((p * x for p, x in pairs), Fraction(0)) / sum(p for p, _ in pairs)


def check(seed: int, is_shown: bool) -> Counter[str]:
    """Check what information is worth in a random tree; count what was checked.

    Trees that show how tests depend on the event are without `events`.
    """
    case, done = Case(seed, is_shown), Counter[str]()
    tree, worlds = case.tree(short=not is_shown), case.worlds()
    now = case.value(case.root, worlds)
    assert search_tree(tree).value == now
    met = case.met(case.root, worlds, {})
    tests = case.tests if not is_shown or len(case.tests) == 1 else ()
    answered = []
    for event in ("r", "i", *tests):
        try:
            found = et.information(tree, event, exact=True)
        except et.AnalysisError as error:
            done[refusal(case, event, met, str(error), is_shown)] += 1
            continue
        parts = case.chances(worlds, event)
        values = {x: case.value(case.root, some) for x, some in parts.items()}
        assert {one.name: one.value for one in found.outcomes} == values
        expected = mean([(mass(parts[x]), values[x]) for x in parts])
        assert (found.with_information, found.value) == (expected, now)
        assert found.evpi == gain_sign(tree) * (expected - now)
        done["EVPI of numbers" if is_shown else "EVPI"] += 1
        check_test(case, tree, event, done)
        if is_shown:
            floats = et.information(tree.floats, event)
            assert floats.with_information == pytest.approx(float(expected))
        answered.append(event)
    for count in (2, 3):
        if count <= len(answered):
            check_several(case, tree, case.random.sample(answered, count), done)
    return done


def check_several(case: Case, tree: et.Tree, names: list[str], done: Counter[str]) -> None:
    """Check what it is worth to know several events, of which each has an answer."""
    try:
        found = et.information(tree, events=names, exact=True)
    except et.AnalysisError as error:
        if not str(error).startswith("if "):  # what is known hides what the tree shows of another
            raise
        done["several refused"] += 1
        return
    assert sorted(found.events) == sorted(names)
    expected = []
    for labels in product(*(case.labels(name) for name in found.events)):
        known = case.worlds_of(found.events, labels)
        if known:
            expected.append((mass(known), case.value(case.root, known)))
    assert found.with_information == mean(expected)
    for one in found.outcomes:
        known = case.worlds_of(found.events, one.labels)
        assert (one.p, one.value) == (mass(known), case.value(case.root, known))
    assert sum(one.p for one in found.outcomes) == 1
    done[f"{len(names)} events"] += 1
    done["left out"] += any("-" in one.labels for one in found.outcomes)


def refusal(case: Case, event: str, met: Counter[str], message: str, is_shown: bool) -> str:
    """Return the kind of a refusal that is right."""
    if "again below it" in message:
        assert met[event] > 1
        return "repeated"
    if message.endswith("under `events`"):
        assert is_shown
        return "not shown"
    assert "never meets" in message or "no event" in message
    family = {"i"} if event == "i" else {"r", *case.tests}
    assert not any(met[one] for one in family) or "no event" in message
    return "never met"


def check_test(case: Case, tree: et.Tree, event: str, done: Counter[str]) -> None:
    """Check a random test of an event."""
    rows = {x: case.distribution(["good", "bad"]) for x in case.labels(event)}
    test = {s: {x: str(rows[x][s]) for x in rows} for s in ("good", "bad")}
    name = event if event in "ri" else f"{event}0"
    pairs = []
    for s in ("good", "bad"):
        some = [(w, p * q) for w, p in case.worlds() if (q := rows[w[name]][s])]
        if some:
            pairs.append((mass(some), case.value(case.root, some)))
    found = et.information(tree, event, likelihood=test, exact=True)
    expected = mean(pairs)
    assert found.with_test == expected
    done["EVSI"] += 1


@for_each("seed", range(40), range(40, 100))
def test_random_trees(seed: int) -> None:
    check(seed, is_shown=seed % 2 == 1)


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=LONG) for part in range(1, 20))])
def test_ten_thousand_random_trees(part: int) -> None:
    done: Counter[str] = Counter()
    for seed in range(1_000 + 500 * part, 1_500 + 500 * part):
        done += check(seed, is_shown=seed % 2 == 1)
    assert done["EVPI"] > 350
    assert done["EVPI of numbers"] > 80
    assert done["2 events"] > 150
    assert done["3 events"] > 40
    assert done["several refused"] < 30
