"""Families of trees for comparing searches, made from a seed and the same on every machine.

To add a family, write a module with a function that returns the tree and one that checks whether
parameters fit together, add them to `FAMILIES` and `_CHECKS`, and add the parameters to
`parameters.PARAMETERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from expectitree.errors import TransformError
from expectitree.families.ballard import ballard, check_branching
from expectitree.families.growing import TOO_LARGE
from expectitree.families.lattice import check_prices, lattice
from expectitree.families.parameters import MOST_NODES, PARAMETERS, repeat_pattern
from expectitree.families.uniform import check_utilities, uniform
from expectitree.numbers import quote
from expectitree.tree.model import Kind, Tree

FAMILIES: dict[str, Callable[..., Tree]] = {
    "ballard": ballard,
    "uniform": uniform,
    "lattice": lattice,
}
_CHECKS: dict[str, Callable[..., None]] = {
    "ballard": check_branching,
    "uniform": check_utilities,
    "lattice": check_prices,
}


def generate(family: str, **parameters: Any) -> Tree:
    """Return a tree of a family: `ballard`, `uniform` or `lattice`.

    The docstrings of the functions with these names explain the parameters. A parameter may be
    text, as on the command line: `branching="2-4"`, `utilities="0,100"`.
    """
    read = read_parameters(family, parameters)
    return FAMILIES[family](**read)


def parameters_of(family: str) -> dict[str, Any]:
    """Return the names of a family's parameters, with their defaults."""
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise TransformError(f"unknown family {quote(str(family))}: choose among {known}")
    return {name: p.default for name, p in signature(FAMILIES[family]).parameters.items()}


def read_parameters(family: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a family's parameters; raise `TransformError` for a wrong one."""
    known = parameters_of(family)
    for name in parameters:
        if name not in known:
            raise TransformError(
                f"{family} has no parameter {quote(name)}: it has {', '.join(known)}"
            )
    return {name: PARAMETERS[name].value(name, written) for name, written in parameters.items()}


def is_random(family: str, **parameters: Any) -> bool:
    """Say whether the tree depends on its seed."""
    return "seed" in parameters_of(family) and parameters.get("order", "random") == "random"


def expected_nodes(family: str, **parameters: Any) -> float:
    """Return about how many nodes a tree will have, without generating it.

    Raises `TransformError` if the parameters are wrong or do not fit together, or if the tree would
    be too large.
    """
    values = parameters_of(family) | read_parameters(family, parameters)
    _CHECKS[family](**values)
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
    if total > MOST_NODES:
        raise TransformError(TOO_LARGE)
    return total
