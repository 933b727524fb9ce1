"""The trees of a study: of a family, or of a game, each made from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from expectitree.lab.families import expected_nodes, generate, is_random, parameters_of
from expectitree.lab.families.parameters import PARAMETERS
from expectitree.tables import TREES, module_of
from expectitree.tree.model import Tree

Parameters: TypeAlias = Mapping[str, str]  # as written in the file, with `family` or `game` itself

SOURCES = ("family", "game")
ORDERS = ("given", "inner", "best", "worst")  # of a game's trees
_POSITION = ("game", "random-moves")  # the parameters that decide the root of a game's tree
_GAME_NODES = 2_000  # a guess
_GAME_HELP = {"depth": "plies", "random-moves": "random moves before the root"}


def games() -> Any:
    """Return the module that makes trees of games."""
    return module_of(TREES["game"])


def is_game(tree: Parameters) -> bool:
    """Return whether trees come from the rules of a game."""
    return "game" in tree


def is_lazy(tree: Parameters) -> bool:
    """Return whether searches make only the nodes that they need, not the whole trees."""
    return tree.get("lazy") == "true"


def has_seed(tree: Parameters) -> bool:
    """Return whether trees with these parameters depend on a seed."""
    if is_game(tree):
        return tree.get("random-moves", "0") != "0"
    return is_random(**tree)


def seed_parameters(tree: Parameters) -> Parameters:
    """Return the parameters that seeds are derived from.

    Trees of a game that differ only in depth or order have the same roots, to be compared.
    """
    return {name: tree[name] for name in _POSITION if name in tree} if is_game(tree) else tree


def nodes_of(tree: Parameters) -> float:
    """Estimate how many nodes a tree will have."""
    return _GAME_NODES if is_game(tree) else expected_nodes(**tree)


def make_tree(tree: Parameters, seed: int, folder: str) -> Tree:
    """Return the tree of a seed; the paths of games are relative to a folder."""
    if is_game(tree):
        position = games().position_of(tree, seed, folder)
        found: Tree = position.write_out(tree.get("order", "given"))
        return found
    parameters: dict[str, Any] = dict(tree)
    if "seed" in parameters_of(tree["family"]):
        parameters["seed"] = seed
    return generate(**parameters)


def describe(tree: Parameters) -> str:
    """Return the parameters of trees for people: `ballard, branching 4`."""
    named = [f"{name} {value}" for name, value in tree.items() if name not in SOURCES]
    return ", ".join([*(tree[source] for source in SOURCES if source in tree), *named])


def help_of(parameter: str) -> str:
    """Return what a parameter of trees is."""
    if parameter in _GAME_HELP:
        return _GAME_HELP[parameter]
    return PARAMETERS[parameter].help if parameter in PARAMETERS else parameter
