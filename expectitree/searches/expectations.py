"""What is expected under the strategy that a search found: of the total, and of each criterion."""

from __future__ import annotations

from itertools import islice

from expectitree.base.numbers import Number
from expectitree.base.tree.criteria import tree_of
from expectitree.base.tree.model import Kind
from expectitree.searches.backward_induction import value_under, values_under
from expectitree.searches.result import PLAYERS, Search


def mean_of(search: Search) -> Number:
    """Return the expected total, if the search proved the value of each node."""
    players = (n for n, kind in enumerate(search.tree.columns.kind) if kind in PLAYERS)
    return value_under(search.tree, {n: next(search.best_branches(n)) for n in players})


class ExpectedCriteria:
    """The expected amounts at each node, with the first of the best actions from there."""

    def __init__(self, search: Search) -> None:
        tree, columns, choices = search.tree, search.tree.columns, dict[int, int]()
        self.known = bytearray(len(tree))  # [N] whether the search proved the best actions
        for n, kind in enumerate(columns.kind):
            played = [b for b in tree.branches_of(n) if columns.probability[b] > 0]
            if kind in PLAYERS:
                played = [*islice(search.best_branches(n), 1)]
                choices.update((n, b) for b in played)
            is_known = bool(played) or kind == Kind.TERMINAL
            self.known[n] = is_known and all(self.known[columns.child[b]] for b in played)
        self.trees = {name: tree_of(tree, name) for name in tree.criteria.by_name}
        self.values = {
            name: values_under(criterion_tree, choices)
            for name, criterion_tree in self.trees.items()
        }

    def at(self, node: int, branch: int | None = None) -> dict[str, Number] | None:
        """Return the amounts by criterion; None if the best actions are not known.

        With a branch that leads to the node, they include what it pays; -1 leads to the root.
        """
        if not self.known[node]:
            return None
        paid = {k: 0 if branch is None else t.reward_of(branch) for k, t in self.trees.items()}
        return {name: paid[name] + values[node] for name, values in self.values.items()}
