"""The strategies of a tree: what each is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from expectitree.base.budget import most as allowed
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number
from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.base.tree.model import Tree, check_tree
from expectitree.decide.records import Records
from expectitree.decide.sensitivity.parameters import SensitivityReport
from expectitree.searches.backward_induction import value_under

MAX_STRATEGIES = 10_000
MAX_STEPS = 20_000_000  # nodes of the trees in which one strategy each is evaluated


@dataclass(frozen=True)
class Strategy:
    """One way to play: an action at each of the player's nodes that it can reach."""

    # The label of the action by the path of the node; the root's path is `/`.
    choices: Mapping[str, str]
    # What the tree is worth if the player plays so and the other one replies best.
    value: Number


@dataclass(frozen=True)
class Strategies(SensitivityReport):
    """All strategies of a player; `sensitivity --strategies` shows them."""

    player: str  # the decision maker, "MAX" or "MIN"
    strategies: tuple[Strategy, ...]  # from the best for the player to the worst

    def to_records(self) -> Records:
        """Return a flat dict for each strategy: its value, and its choices by path."""
        return [{"file": self.file, "value": one.value, **one.choices} for one in self.strategies]


def strategies_of(tree: Tree, file: str = "", most: int = MAX_STRATEGIES) -> Strategies:
    """Return every strategy of the decision maker, from best to worst.

    A strategy has choices at the nodes that it can reach only. Raises `AnalysisError` above `most`.
    """
    check_tree(tree, "--strategies")
    player = tree.decision_maker
    position = {n: i for i, n in enumerate(tree.first_paths.order)}
    limit = min(most, allowed(MAX_STEPS) // len(tree))
    if (count := count_strategies(tree, player, limit)) > limit:
        raise AnalysisError(
            f"the tree has at least {count:,} strategies, and at most {limit:,} are listed: "
            "--parameter finds where the best one changes without listing them"
        )
    found: list[Strategy] = []
    for choices in _choices(tree, player):
        nodes = sorted(choices, key=position.__getitem__)
        labels = {tree.path_of(n): tree.branch_label(n, choices[n]) for n in nodes}
        found.append(Strategy(labels, value_under(tree, choices)))
    found.sort(key=lambda one: one.value, reverse=tree.gain_sign > 0)
    return Strategies(file, tree, player.name, tuple(found))


def count_strategies(tree: Tree, player: int, most: int = MAX_STRATEGIES) -> int:
    """Return the number of strategies of a player, or a smaller number above `most`.

    Parents come before children. At each node, the number of ways to get there is known for each
    set of nodes that are reached and not decided yet.
    """
    columns = tree.columns
    ways = {frozenset([tree.root_id]): 1}
    for n in range(tree.root_id, -1, -1):
        found = Counter[frozenset[int]]()
        for reached, count in ways.items():
            taken: list[list[int]] = [[]]
            if n in reached:
                taken = _options(tree, n, player)
            for branches in taken:
                below = {columns.child[b] for b in branches if columns.kind[columns.child[b]]}
                found[(reached | below) - {n}] += count
        ways = found
        if len(ways) > most:  # different sets are of different strategies
            break
    return sum(ways.values())


def _options(tree: Tree, n: int, player: int) -> list[list[int]]:
    """Return the branches that each choice of a player at a node leads to."""
    columns, branches = tree.columns, [*tree.branches_of(n)]
    if columns.kind[n] == player:
        return [[b] for b in branches]
    if columns.kind[n] == CHANCE:
        return [[b for b in branches if columns.probability[b] > 0]]
    return [branches]


def _choices(tree: Tree, player: int) -> Iterator[dict[int, int]]:
    """Yield each strategy: the branch taken at each of the player's nodes that it reaches.

    Parents have greater ids than their children, so nodes are decided from the root down.
    """
    columns = tree.columns
    waiting: list[tuple[int, frozenset[int], dict[int, int]]] = [
        (tree.root_id, frozenset([tree.root_id]), {})
    ]
    while waiting:
        n, reached, choices = waiting.pop()
        while n >= 0 and (n not in reached or columns.kind[n] == TERMINAL):
            n -= 1
        if n < 0:
            yield choices
            continue
        for taken in reversed(_options(tree, n, player)):
            chosen = choices
            if columns.kind[n] == player:
                chosen = {**choices, n: taken[0]}
            waiting.append((n - 1, reached.union(columns.child[b] for b in taken), chosen))
