"""How SilverDecisions writes the objective of two criteria: a rule, and the weight of the first."""

from __future__ import annotations

from typing import Any

from expectitree.base.errors import TreeError
from expectitree.base.expressions.evaluation import domain_of, evaluate
from expectitree.base.expressions.syntax import Number, names_in, text_of
from expectitree.base.numbers import exact_text, to_exact
from expectitree.base.tree.criteria import objective_of, tree_of
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.parameters import ParameterValues

# By rule, the signs of two criteria; the weight multiplies the first. Decisions are MAX.
RULES = {"min-max": "-+", "max-min": "+-", "min-min": "--", "max-max": "++"}


def rule_of(tree: Tree) -> tuple[str, list[Tree], dict[str, Any]]:
    """Return the rule, a tree for each payoff, and the fields about the criteria.

    Raises `TreeError` if SilverDecisions cannot hold the objective or the kinds of nodes.
    """
    criteria = tree.criteria
    assert criteria
    used, objective = names_in(criteria.objective), text_of(criteria.objective)
    names = sorted(criteria.by_name, key=[*used, *criteria.by_name].index)
    if len(names) != 2 or Kind.MIN in tree.columns.kind:
        found = f"{len(names)} criteria"
        if len(names) == 2:
            found = "MIN nodes with criteria"
        raise TreeError(
            f"SilverDecisions' JSON cannot hold {found}, but two criteria where MAX decides\nwrite "
            "the tree as YAML or JSON"
        )
    domain = domain_of(tree.exact)
    values = ParameterValues(tree.parameters, domain)
    units = {name: objective_of(criteria, {name: Number("1")}) for name in names}
    weights = {name: to_exact(evaluate(one, domain, values)) for name, one in units.items()}
    first, second = names if abs(weights[names[1]]) == 1 else reversed(names)
    if abs(weights[second]) != 1:
        raise TreeError(
            f"SilverDecisions' JSON cannot hold the objective {objective}\nwrite it as a weight "
            "times one criterion, plus or minus the other one"
        )
    signs = "".join("-" if weights[name] < 0 else "+" for name in (first, second))
    weight = abs(weights[first])
    about = {
        "payoffNames": [first, second],
        "defaultCriterion1Weight": exact_text(weight),
    }
    rule = next(rule for rule, own in RULES.items() if own == signs)
    return rule, [tree_of(tree, first), tree_of(tree, second)], about
