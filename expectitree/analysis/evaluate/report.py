"""The report of `eval`: a search of a tree or of its strategy, and the reasons for its cuts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.reasons import Reasons
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import Number
from expectitree.base.tree import scans
from expectitree.base.tree.builder import keep_branches
from expectitree.base.tree.columns import NONE, Column, Readable, Repeated, zeros
from expectitree.base.tree.model import Kind, Tree
from expectitree.searches.cuts import NOT_CUT
from expectitree.searches.result import PLAYERS, Outcome, Search


@dataclass
class Evaluation:
    """A search of one file's tree, with everything that a renderer shows.

    With `strategy_only`, `strategy` is the part of the tree that optimal play can reach. That
    raises `AnalysisError` where the search does not know the strategy.
    """

    question = "evaluate"
    file: str
    search: Search
    windows: bool = False  # show alpha and beta
    reasons: Reasons | None = None  # shown in sentences instead of the tree
    strategy_only: bool = False
    formulas: bool = False  # show the formulas and the parameters
    totals: bool = False  # show what each path pays in all, at its end
    is_detailed: bool = False  # describe the search, even if it only evaluated every node
    strategy: Evaluation | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Find the strategy."""
        if self.strategy_only:
            search = strategy_only(self.search)
            self.strategy = replace(self, search=search, reasons=None, strategy_only=False)
            self.strategy.strategy_only = True

    @cached_property
    def explanation(self) -> Explanation:
        """The cuts, and why nodes were not visited."""
        return Explanation(self.search)

    @cached_property
    def shared_number(self) -> Readable[int]:
        """[N] 1, 2, … of shared nodes as they are met; else 0."""
        tree = self.tree
        if not tree.is_sharing:
            return Repeated(0, len(tree))
        numbers: Column = zeros("i", len(tree))
        tree.columns.scan(scans.number_shared, tree.first_paths.order, numbers)
        return numbers

    def shared_name(self, n: int) -> str:
        """Return the name of a shared node: that of the file with its counters, or a number."""
        number = self.shared_number[n]
        if not number:
            return ""
        return self.tree.formulas.named.get(n, f"@{number}")

    @property
    def shown(self) -> Evaluation:
        """What is drawn. (A field would refer to itself, which delays freeing its columns.)"""
        return self.strategy or self

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    @cached_property
    def parameters(self) -> Mapping[str, Number | None]:
        """The values of the parameters by name; None for one that has no value."""
        if not self.tree.parameters:
            return {}
        from expectitree.base.tree.parameters import parameter_values

        return parameter_values(self.tree)

    @cached_property
    def criteria(self) -> Mapping[int, Mapping[str, Number]]:
        """What is expected of each criterion, where it is known: of the tree, and of each action.

        The tree is at -1, and the actions at the root are at their branches.
        """
        tree = self.tree
        root = tree.root_id
        if not tree.criteria:
            return {}
        nodes = {NONE: root}
        if tree.columns.kind[root] in PLAYERS:
            nodes |= {b: tree.columns.child[b] for b in tree.branches_of(root)}
        expected = {b: self.search.expected_criteria.at(n, b) for b, n in nodes.items()}
        return {b: amounts for b, amounts in expected.items() if amounts is not None}

    def formulas_at(self, node: int, branch: int) -> Mapping[str, str]:
        """Return the formulas of a node and of a branch, either of which may be -1, by key."""
        key = "utility"
        if node >= 0 and self.tree.columns.kind[node] != Kind.TERMINAL:
            key = "estimate"
        return self.tree.formulas.texts(node, branch, key)


def strategy_only(search: Search) -> Search:
    """Return the search of the part of its tree that optimal play can reach.

    A player's node keeps the first best action, a CHANCE node the outcomes of p > 0. Where a search
    did not have to know the best action, all are kept. Raises `AnalysisError` where it was stopped
    before it had its answer.
    """
    if search.outcome is Outcome.ESTIMATE:
        name = search.algorithm.full_name
        raise AnalysisError(f"no strategy is known: {name} only estimates the value")
    if search.outcome is Outcome.STOPPED:
        limit = "--max-visits"
        if search.grown is not None:
            limit = "--seconds, --max-rows or --max-visits"
        raise AnalysisError(f"no strategy is known: the search was stopped; give it more {limit}")
    tree = search.tree
    columns = tree.columns
    kept: dict[int, list[int]] = {}  # the branches of each node that is reached
    waiting = [tree.root_id]
    while waiting:
        n = waiting.pop()
        if n not in kept:
            possible = [b for b in tree.branches_of(n) if columns.probability[b] > 0]
            kept[n] = [*islice(search.best_branches(n), 1)] or possible
            waiting += [columns.child[b] for b in kept[n]]
    reached = sorted(kept)
    changed: dict[str, Any] = {
        name: [getattr(search, name)[n] for n in reached]
        for name in ("lower", "upper", "visits", "alpha", "beta")
    }
    changed |= {"cut": [NOT_CUT] * len(reached), "cut_after": [0] * len(reached), "cuts": 0}
    changed["window_parent"] = None  # its ids are those of the whole tree
    return replace(search, tree=keep_branches(tree, sorted(kept.items())), **changed)
