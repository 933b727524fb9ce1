"""Criteria: several numbers at a terminal or a reward, and the objective that weighs them.

Each utility and reward of such a tree is 0, or a formula: the objective of some amounts. So every
search sees the objective alone, and the amounts stay where the formula is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import cast

from expectitree.base.expressions.parser import ExpressionError
from expectitree.base.expressions.syntax import NEGATION, Apply, Expression, Name, fold, text_of
from expectitree.base.numbers import quote
from expectitree.base.tree.formulas import NO_CRITERIA, ZERO, Amounts, ByName, Criteria
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import evaluated


def objective_of(criteria: Criteria, amounts: ByName) -> Amounts:
    """Return the objective with amounts in place of its criteria."""

    def combine(node: Expression, operands: list[Expression]) -> Expression:
        if isinstance(node, Name) and node.name in criteria.by_name:
            return amounts.get(node.name, ZERO)
        if isinstance(node, Apply):
            return Apply(node.operation, tuple(operands))
        return node

    objective = fold(criteria.objective, combine)
    if not isinstance(objective, Apply):  # the objective is one criterion
        objective = Apply("+", (objective, ZERO))
    return Amounts(objective.operation, objective.operands, tuple(amounts.items()))


def check_objective(objective: Expression, criteria: Collection[str]) -> None:
    """Raise `ExpressionError` if an objective is not linear in the criteria, with the part."""

    def degree(node: Expression, degrees: list[int]) -> int:
        if not isinstance(node, Apply):
            return int(isinstance(node, Name) and node.name in criteria)
        if not any(degrees):
            return 0
        operation, is_mixed = node.operation, not all(degrees)
        is_linear = {"+": not is_mixed, "-": not is_mixed, "*": is_mixed, NEGATION: True}
        if is_linear.get(operation, operation == "/" and not degrees[-1]):
            return 1
        hint = f"write one such as `{' + '.join(criteria)}`, without a constant"
        raise ExpressionError(f"{quote(text_of(node), 60)} is not {expected}\n{hint}")

    expected = "a sum of criteria, each times a number or a formula of parameters"
    if not fold(objective, degree):
        names = ", ".join(criteria)
        raise ExpressionError(f"{quote(text_of(objective), 60)} is not {expected}\nuse {names}")


def tree_of(tree: Tree, criterion: str) -> Tree:
    """Return the tree in which utilities and rewards are the amounts of one criterion."""
    nodes, rewards = (
        {row: cast("Amounts", amounts).of(criterion) for row, amounts in column.items()}
        for column in (tree.formulas.nodes, tree.formulas.rewards)
    )
    formulas = replace(tree.formulas, nodes=nodes, rewards=rewards, criteria=NO_CRITERIA)
    changed = replace(tree, formulas=formulas, local_bounds={}, attitude=None, is_rounded=False)
    return evaluated(changed)[0].computed
