"""Families of trees for comparing searches, made from a seed and the same on every machine.

To add a family, write a module with a function that returns the tree, add it to `FAMILIES`, and add
the parameters to `PARAMETERS` in `parameters.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature

from expectitree.base.errors import TransformError
from expectitree.base.numbers import quote
from expectitree.base.tree.adopt import adopt
from expectitree.base.tree.columns import MAX_IDS
from expectitree.base.tree.model import Tree
from expectitree.lab.families.ballard import ballard
from expectitree.lab.families.growing import Growth
from expectitree.lab.families.parameters import PARAMETERS, TOO_LARGE, Written
from expectitree.lab.families.uniform import uniform

FAMILIES: dict[str, Callable[..., Growth]] = {"ballard": ballard, "uniform": uniform}


def generate(family: str, **parameters: Written) -> Tree:
    """Return a random tree of a family, the same from the same seed on every machine.

        >>> import expectitree as et
        >>> tree = et.generate("uniform", plies=4, branching="2-4", utilities=(0, 100), seed=7)
        >>> len(tree), tree.leaves, tree.root.bounds
        (72, 48, (0.0, 100.0))

    Args:
        family: "ballard" (terminals are sums of numbers on their branches) or "uniform"
            (independent utilities).
        parameters: Those of the family; text is read as on the command line, as in
            `branching="2-4"`. ballard: `pattern`, `plies`, `branching`, `order`, `dice`, `seed`.
            uniform: `pattern`, `plies`, `branching`, `utilities`, `real`, `end`, `skew`, `seed`.
            `expectitree generate --help` explains them.

    Raises:
        TransformError: The family or a parameter is unknown or wrong, or the tree would be too
            large.
    """
    growth = _planned(family, parameters)
    columns = growth.columns()
    return adopt(columns, **growth.about)


def parameters_of(family: str) -> dict[str, Written]:
    """Return the names of a family's parameters, with their defaults."""
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise TransformError(f"unknown family {quote(str(family))}\nchoose among {known}")
    return {name: p.default for name, p in signature(FAMILIES[family]).parameters.items()}


def read_parameters(family: str, parameters: Mapping[str, Written]) -> dict[str, Written]:
    """Return the values of a family's parameters; raise `TransformError` for a wrong one."""
    known = parameters_of(family)
    for name in parameters:
        if name not in known:
            raise TransformError(
                f"{family} has no parameter {quote(name)}: it has {', '.join(known)}"
            )
    return {name: PARAMETERS[name].value(name, written) for name, written in parameters.items()}


def expected_nodes(family: str, **parameters: Written) -> float:
    """Return about how many nodes a tree will have, without generating it.

    Raises `TransformError` if the parameters are wrong or do not fit together, or if the tree would
    be too large.
    """
    return _planned(family, parameters).expected_nodes


def _planned(family: str, parameters: Mapping[str, Written]) -> Growth:
    """Return a tree before its numbers are drawn; raise `TransformError` for wrong parameters."""
    values = read_parameters(family, parameters)
    growth = FAMILIES[family](**values)
    if growth.expected_nodes > MAX_IDS:
        raise TransformError(TOO_LARGE)
    return growth
