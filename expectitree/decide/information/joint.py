"""Several events of which all outcomes are known: each given those before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from expectitree.decide.information.beliefs import Event, nodes_above
from expectitree.decide.information.conditioning import Conditioning, given_outcome
from expectitree.decide.information.find import find_event, labels_of, never_meets, nodes_of
from expectitree.tree.model import Tree

_NONE = "-"  # the outcome of an event that play cannot meet, given the others


class World(NamedTuple):
    """The known outcomes of some events, their probability, and the tree given them."""

    known: Mapping[str, str]
    probability: Any
    given: Conditioning


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
        worlds = [World({}, 1, self.given)]
        for name in others:
            worlds = [one for world in worlds for one in self._split(world, name)]
        found = {}
        for known, chance, given in worlds:
            event = self._find(given, known, last)
            if event is None:
                found[self._key({**known, last: _NONE})] = chance, *given.now
                continue
            results = given.given(event, [o for o, _, _ in event.possible])
            for (_, label, p), result in zip(event.possible, results, strict=True):
                found[self._key({**known, last: label})] = chance * p, *result
        for at, name in enumerate(self.names):
            if all(key[at][1] == _NONE for key in found):
                raise never_meets(self.tree, name, self.given.at)
        return [(", ".join(label for _, label in key), *found[key]) for key in sorted(found)]

    def control(self) -> tuple[str, Any]:
        """Return the outcomes that MAX would choose, and the value of the tree then."""
        given, nodes = self.given, [nodes_of(self.tree, name) for name in self.names]
        steps = given.steps(
            nodes_above(self.tree, frozenset[int]().union(*nodes), given.at), given.values
        )
        values: dict[str, Any] = {}
        for choice in product(*(_branches(self.tree, own) for own in nodes)):
            chosen = {n: {b: 1} for _, branches in choice for n, b in branches.items()}
            name = ", ".join(label for label, _ in choice)
            values[name] = given.values_of(steps, given.values, chosen.get)[given.at]
        best = max(values, key=values.__getitem__)
        return best, given.with_value(values[best])

    def _find(
        self, given: Conditioning, known: Mapping[str, str], name: str, at: int | None = None
    ) -> Event | None:
        return find_event(given.tree, self.tree, name, given.at if at is None else at, known)

    def _split(self, world: World, name: str) -> Iterator[World]:
        """Yield a world for each outcome of an event."""
        known, chance, given = world
        event, root = self._find(given, known, name), self.tree.root_id
        if event is None:
            yield World({**known, name: _NONE}, chance, given)
            return
        whole = event if event.at == root else self._find(given, known, name, root)
        assert whole is not None
        for o, label, p in event.possible:
            tree = given_outcome(whole, o)
            yield World({**known, name: label}, chance * p, replace(given, tree=tree))

    def _key(self, known: Mapping[str, str]) -> tuple[tuple[int, str], ...]:
        """Return the labels of all outcomes in the order of the names, to sort by."""
        return tuple((self._places[name][known[name]], known[name]) for name in self.names)

    @cached_property
    def _places(self) -> Mapping[str, Mapping[str, int]]:
        """The place of each outcome by event; the last is that of an event that is not met."""
        labels = {name: [*labels_of(self.tree, name), _NONE] for name in self.names}
        return {name: {x: own.index(x) for x in own} for name, own in labels.items()}


def _branches(tree: Tree, nodes: frozenset[int]) -> list[tuple[str, dict[int, int]]]:
    """Return the outcomes of an event, each with its branch by node."""
    found: dict[str, dict[int, int]] = {}
    for n in sorted(nodes, reverse=True):
        for b in tree.branches_of(n):
            found.setdefault(tree.branch_label(n, b), {})[n] = b
    return [*found.items()]
