"""Rules for decisions without probabilities, as textbooks apply them to payoff tables.

They need one decision whose actions meet the same event, with the same probabilities: the actions
are the rows of the table, and the outcomes of the event are its states. An action that is a
terminal pays the same in each state. With g the gain of an action in a state:

    maximin         the greatest of the least g of each action (Wald); minimax of costs
    maximax         the greatest of the greatest g; minimin of costs
    Hurwicz         the weight times the greatest g, and the rest times the least
    Laplace         the mean of g, as if all states were equally likely
    minimax regret  the least of the greatest regret of each action (Savage): in each state, the
                    greatest g of any action less g
    EOL             the least expected regret: the expected opportunity loss, by the probabilities
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import mul

from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number, message_text, to_exact
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree
from expectitree.base.tree.transform import in_decimals
from expectitree.decide.records import Amount, Labels
from expectitree.searches.result import PLAYERS

HURWICZ = Fraction(1, 2)
_OF_REGRETS = ("minimax regret", "EOL")
_OF_TOTALS = {1: ("maximin", "maximax"), -1: ("minimax", "minimin")}  # by the sign of a gain


@dataclass(frozen=True)
class Rule:
    """What a rule makes of each action."""

    name: str
    numbers: Mapping[str, Amount]  # by action: a total, or a regret
    best: Labels  # the actions that the rule chooses


@dataclass(frozen=True)
class Rules:
    """The rules for a payoff table."""

    states: Labels
    regrets: Mapping[str, tuple[Amount, ...]]  # by action, in the order of the states
    hurwicz: Amount  # the weight of the best total in the rule of Hurwicz
    rules: tuple[Rule, ...]


def rules_of(tree: Tree, hurwicz: Number | None, exact: bool) -> Rules | None:
    """Return the rules for a tree; None if it is no payoff table.

    `hurwicz` is the weight of the best total, by default 1/2. Raises `AnalysisError` if it is not
    between 0 and 1, or is given for another tree.
    """
    found = in_decimals(tree)
    shares = _shares(found)
    if hurwicz is not None and not shares:
        raise AnalysisError(
            "the rule of Hurwicz is for one decision whose actions meet the same event, and this "
            "is another tree\nremove the weight"
        )
    if not shares:
        return None
    weight = HURWICZ if hurwicz is None else to_exact(hurwicz)
    if not 0 <= weight <= 1:
        raise AnalysisError(
            f"found {message_text(weight)} as the weight of the rule of Hurwicz\nwrite a number "
            "from 0 to 1"
        )
    number, sign = partial(round_once, exact=exact and tree.exact), tree.gain_sign
    totals = _totals(found, shares)
    gains = [[sign * total for total in row] for row in totals.values()]
    most = [*map(max, zip(*gains, strict=True))]
    regrets = [[best - gain for best, gain in zip(most, row, strict=True)] for row in gains]
    worst, best = _OF_TOTALS[sign]
    scores = {
        worst: [min(row) for row in gains],
        best: [max(row) for row in gains],
        "Hurwicz": [weight * max(row) + (1 - weight) * min(row) for row in gains],
        "Laplace": [sum(row) / Fraction(len(row)) for row in gains],
        "minimax regret": [-max(row) for row in regrets],
    }
    if tree.has_probabilities:
        scores["EOL"] = [-sum(map(mul, shares.values(), row)) for row in regrets]
    rules = []
    for name, numbers in scores.items():
        factor = -1 if name in _OF_REGRETS else sign
        shown = {a: number(factor * score) for a, score in zip(totals, numbers, strict=True)}
        chosen = (a for a, score in zip(totals, numbers, strict=True) if score == max(numbers))
        rules.append(Rule(name, shown, tuple(chosen)))
    rows = {a: number(tuple(row)) for a, row in zip(totals, regrets, strict=True)}
    return Rules(tuple(shares), rows, number(weight), tuple(rules))


def _shares(tree: Tree) -> dict[str, Amount]:
    """Return the probability of each state that can occur; none if there is no payoff table."""
    columns, events = tree.columns, tree.formulas.events
    actions = {columns.child[b] for b in tree.branches_of(tree.root_id)}
    nodes = sorted(n for n in actions if columns.kind[n] == CHANCE)
    below = {columns.child[b] for n in nodes for b in tree.branches_of(n)}
    ends = actions.difference(nodes) | below
    rows = [
        {tree.branch_label(n, b): columns.probability[b] for b in tree.branches_of(n)}
        for n in nodes
    ]
    is_table = (
        tree.root.kind in PLAYERS
        and len({events.get(n, n) for n in nodes}) == 1
        and all(columns.kind[n] == TERMINAL for n in ends)
        and all(row == rows[0] for row in rows)
    )
    if not is_table:
        return {}
    return {state: p for state, p in rows[-1].items() if p}


def _totals(tree: Tree, states: Mapping[str, Amount]) -> dict[str, list[Amount]]:
    """Return the total of each action in each state."""
    columns, rows = tree.columns, {}
    for b in tree.branches_of(tree.root_id):
        paid, n = tree.root_reward + tree.reward_of(b), columns.child[b]
        after = {tree.branch_label(n, below): below for below in tree.branches_of(n)}
        row = [paid + columns.utility[n]] * len(states)
        if after:
            ends = [after[state] for state in states]
            row = [paid + tree.reward_of(end) + columns.utility[columns.child[end]] for end in ends]
        rows[tree.branch_label(tree.root_id, b)] = row
    return rows
