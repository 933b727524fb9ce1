"""Families of trees for comparing searches, made from a seed and the same on every machine.

To add a family, write a module with a function that returns the tree, add the function to
`FAMILIES`, and add its parameters to `parameters.PARAMETERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from expectitree.errors import TransformError
from expectitree.families.ballard import ballard
from expectitree.families.lattice import lattice
from expectitree.families.parameters import read_parameters, repeat_pattern
from expectitree.families.uniform import uniform
from expectitree.numbers import quote
from expectitree.tree.model import Kind, Tree

FAMILIES: dict[str, Callable[..., Tree]] = {
    "ballard": ballard,
    "uniform": uniform,
    "lattice": lattice,
}


def generate(family: str, **parameters: Any) -> Tree:
    """Return a tree of a family: `ballard`, `uniform` or `lattice`.

    The docstrings of the functions with these names explain the parameters. A parameter may be
    text, as on the command line: `branching="2-4"`, `utilities="0,100"`.
    """
    known = parameters_of(family)
    return FAMILIES[family](**read_parameters(family, known, parameters))


def parameters_of(family: str) -> list[str]:
    """Return the names of a family's parameters."""
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise TransformError(f"unknown family {quote(str(family))}: choose among {known}")
    return list(signature(FAMILIES[family]).parameters)


def is_random(family: str, parameters: Mapping[str, Any]) -> bool:
    """Say whether the tree depends on its seed."""
    is_in_random_order = parameters.get("order", "random") == "random"
    return family == "uniform" or family == "ballard" and is_in_random_order


def expected_nodes(family: str, parameters: Mapping[str, Any]) -> float:
    """Return about how many nodes a tree will have."""
    known = parameters_of(family)
    defaults = {name: p.default for name, p in signature(FAMILIES[family]).parameters.items()}
    given = {name: value for name, value in parameters.items() if name != "family"}
    values = defaults | read_parameters(family, known, given)
    if family == "lattice":
        return 1.5 * float(values["steps"]) ** 2
    branching = values["branching"]
    width = sum(branching) / 2 if isinstance(branching, tuple) else branching
    dice, end = values.get("dice", 0), values.get("end", 0.0)
    nodes = total = 1.0
    for ply, kind in enumerate(repeat_pattern(values["pattern"], values["plies"])):
        nodes *= 2 * dice - 1 if dice and kind == Kind.CHANCE else width
        nodes *= 1 - end if ply else 1.0  # the root never ends early
        total += nodes
    return total
