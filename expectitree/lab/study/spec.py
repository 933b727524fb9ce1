"""What a study is: trees of families and games, made from seeds, algorithms and repetitions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from expectitree.base.algorithms import Algorithm, BuiltIn
from expectitree.base.tables import TREES, module_of
from expectitree.base.tree.model import Tree
from expectitree.lab.families import expected_nodes, generate

Parameters: TypeAlias = Mapping[str, str]  # as written in the file, with `family` or `game` itself

SOURCES = ("family", "game")
CHOICES = {  # keys of a game's trees that have a few values
    "order": ("given", "inner", "best", "worst"),
    "search": ("whole", "lazy"),
    "merge": ("true", "false"),
    "deepen": ("true", "false"),
}
ONLY = {"order": "whole", "deepen": "lazy", "seconds": "lazy"}  # keys of one kind of search
_POSITION = ("game", "random-moves")  # the parameters that decide the root of a game's tree
_GAME_NODES = 2_000  # a guess

# Not a search: the fewest leaves that are enough, as `expectitree limit` counts them. Of trees with
# shared nodes it knows bounds of their number only, so that no search could visit them.
LIMIT = Algorithm(
    "limit", "The fewest leaves that prove the value.", BuiltIn("lab.limit.report", "limit")
)


class Key(NamedTuple):
    """Identifies a tree: its parameters, and the seed that generated it."""

    tree: str  # the parameters as JSON text, in order of their names
    repetition: int
    seed: int


@dataclass(frozen=True, slots=True)
class Published:
    """A published figure, for certain trees and a certain search."""

    where: Mapping[str, int | str]  # parameters of the trees, and options of the algorithm
    algorithm: str
    figure: str  # a share in percent such as 84.1, or leaves of all such as 15/27

    def applies_to(self, tree: Parameters, chosen: Algorithm) -> bool:
        """Return whether the figure applies to a search of these trees."""
        known = {**tree, **chosen.options}
        return self.algorithm == chosen.name and self.where.items() <= known.items()


@dataclass(frozen=True)
class Study:
    file: str
    trees: tuple[Parameters, ...]
    algorithms: tuple[Algorithm, ...]
    repetitions: int = 1
    seed: int = 0
    title: str | None = None
    source: str | None = None
    published: tuple[Published, ...] = ()
    folder: str = ""  # where the paths of games and estimates start

    @cached_property
    def keys(self) -> list[tuple[Parameters, list[Key]]]:
        """Each kind of tree, with the keys of its trees; a single one where the seed is fixed."""
        return [(tree, self._keys_of(tree)) for tree in self.trees]

    def _keys_of(self, tree: Parameters) -> list[Key]:
        """Return the keys of the trees with these parameters.

        A seed is the SHA-256 of the study's seed, the parameters and the repetition, so no two
        seeds are related. Trees of a game that differ only in depth or order have the same roots.
        """
        name = tree_key(tree)
        if "seed" in tree or not has_seed(tree):
            return [Key(name, 0, int(tree.get("seed", "0")))]
        seeded = name
        if is_game(tree):
            seeded = tree_key({name: tree[name] for name in _POSITION})
        keys = []
        for repetition in range(self.repetitions):
            digest = sha256(f"{self.seed} {seeded} {repetition}".encode()).digest()
            keys.append(Key(name, repetition, int.from_bytes(digest[:8], "big") % 10**18))
        return keys


def tree_key(tree: Parameters) -> str:
    """Return the parameters of trees as JSON text, which identifies them in a results file."""
    return json.dumps(dict(tree), sort_keys=True, ensure_ascii=False)


# ---- The parameters of trees.


def games() -> Any:
    return module_of(TREES["game"])


def is_game(tree: Parameters) -> bool:
    return "game" in tree


def is_lazy(tree: Parameters) -> bool:
    """Return whether a search grows the trees from the rules of a game, instead of whole trees."""
    return tree.get("search") == "lazy"


def has_seed(tree: Parameters) -> bool:
    """Return whether trees with these parameters depend on a seed."""
    if is_game(tree):
        return tree.get("random-moves", "0") != "0"
    return tree.get("order", "random") == "random"


def nodes_of(tree: Parameters) -> float:
    """Estimate how many nodes a tree will have."""
    return _GAME_NODES if is_game(tree) else expected_nodes(**tree)


def make_tree(tree: Parameters, seed: int, folder: str) -> Tree:
    """Return the tree of a seed; the paths of games are relative to a folder."""
    if is_game(tree):
        made: Tree = games().tree_of(tree, seed, folder)
        return made
    parameters: dict[str, Any] = {**tree, "seed": seed}
    return generate(**parameters)


def describe(tree: Parameters) -> str:
    """Return the parameters of trees for people: `ballard, branching 4`."""
    named = [f"{name} {value}" for name, value in tree.items() if name not in SOURCES]
    return ", ".join([*(tree[source] for source in SOURCES if source in tree), *named])
