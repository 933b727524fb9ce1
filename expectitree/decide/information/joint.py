"""Several events of which all outcomes are known: each given those before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from expectitree.decide.information.beliefs import Event, nodes_above
from expectitree.decide.information.conditioning import Conditioning, Given, given_outcome
from expectitree.decide.information.find import find_event, labels_of, never_meets, nodes_of
from expectitree.tree.model import Tree

_NONE = "-"  # the outcome of an event that play cannot meet, given the others


@dataclass(frozen=True)
class World:
    """The known outcomes of some events.

    Attributes:
        known: The outcome by event.
        probability: The probability of these outcomes.
        tree: The tree, given these outcomes.
    """

    known: Mapping[str, str]
    probability: Any
    tree: Tree


@dataclass(frozen=True)
class Joint:
    """Some events of a tree.

    Attributes:
        given: The tree in the numbers to compute in, and the node at which outcomes are known.
        tree: The tree as it was loaded.
        names: The events.
    """

    given: Conditioning
    tree: Tree
    names: Sequence[str]

    def findings(self) -> list[tuple[str, Any, Any, tuple[str, ...]]]:
        """Return the outcomes that can occur, in order, with probability, value and best actions.

        Events that the file defines come first: a definition does not describe a tree in which the
        outcome of another event is known. Raises `AnalysisError` if play never meets an event.
        """
        defined = self.tree.formulas.defined if self.tree.formulas is not None else {}
        *others, last = sorted(self.names, key=lambda name: name not in defined)
        worlds = [World({}, 1, self.given.tree)]
        for name in others:
            worlds = [one for world in worlds for one in self._split(world, name)]
        found = {}
        for world in worlds:
            given = replace(self.given, tree=world.tree) if world.known else self.given
            event = self.find(world, last)
            if event is None:
                found[self._key(world, last, _NONE)] = (
                    world.probability, given.values[given.at], given.best_now,
                )  # fmt: skip
                continue
            within = Given(given, event)
            for o, (label, p) in enumerate(zip(event.outcomes, event.prior.chances, strict=True)):
                if p:
                    key = self._key(world, last, label)
                    found[key] = (world.probability * p, *within.result(o))
        for at, name in enumerate(self.names):
            if all(key[at][1] == _NONE for key in found):
                raise never_meets(self.tree, name, self.given.at)
        return [(", ".join(label for _, label in key), *found[key]) for key in sorted(found)]

    def find(self, world: World, name: str, at: int | None = None) -> Event | None:
        """Return an event in a world."""
        at = self.given.at if at is None else at
        return find_event(world.tree, self.tree, name, at, world.known)

    def _split(self, world: World, name: str) -> Iterator[World]:
        """Yield a world for each outcome of an event."""
        event = self.find(world, name)
        if event is None:
            yield replace(world, known={**world.known, name: _NONE})
            return
        root = self.tree.root_id
        whole = event if event.at == root else self.find(world, name, root)
        assert whole is not None
        for o, (label, p) in enumerate(zip(event.outcomes, event.prior.chances, strict=True)):
            if p:
                known = {**world.known, name: label}
                yield World(known, world.probability * p, given_outcome(whole, o))

    def _key(self, world: World, last: str, label: str) -> tuple[tuple[int, str], ...]:
        """Return the labels of all outcomes in the order of the names, to sort by."""
        known = {**world.known, last: label}
        order = {name: [*labels_of(self.tree, name), _NONE] for name in self.names}
        return tuple((order[name].index(known[name]), known[name]) for name in self.names)

    def control(self) -> tuple[str, Any]:
        """Return the outcomes that MAX would choose, and the value of the tree then."""
        tree = self.tree
        nodes = {name: nodes_of(tree, name) for name in self.names}
        above = nodes_above(tree, frozenset[int]().union(*nodes.values()), self.given.at)
        steps = self.given.steps(above, self.given.values)
        values: dict[str, Any] = {}
        for choice in product(*(_branches(tree, nodes[name]) for name in self.names)):
            chosen = {n: b for _, branches in choice for n, b in branches.items()}
            name = ", ".join(label for label, _ in choice)
            values[name] = self.given.under_control(steps, chosen)
        best = max(values, key=lambda name: values[name])
        return best, self.given.with_value(values[best])


def _branches(tree: Tree, nodes: frozenset[int]) -> list[tuple[str, dict[int, int]]]:
    """Return the outcomes of an event, each with its branch by node."""
    found: dict[str, dict[int, int]] = {}
    for n in sorted(nodes, reverse=True):
        for b in tree.branches_of(n):
            found.setdefault(tree.branch_label(n, b), {})[n] = b
    return [*found.items()]
