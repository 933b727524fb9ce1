"""One tree under one search: the report behind `eval`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from expectitree import compiling
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.searches.result import Search
from expectitree.tree import scans
from expectitree.tree.model import Column, Repeated, Tree

if TYPE_CHECKING:
    from expectitree.analysis.evaluate.reasons import Reasons


@dataclass(frozen=True)
class Evaluation:
    """What a search of one file's tree found, and why it left what it left."""

    file: str
    search: Search
    windows: bool = False  # the windows are of interest
    explained: int | None = None  # the node that sentences are asked for
    strategy_only: bool = False  # only what optimal play can reach is of interest

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    @cached_property
    def shown(self) -> Evaluation:
        """What is to be drawn of the tree: all, or what optimal play can reach."""
        if not self.strategy_only:
            return self
        from expectitree.analysis.evaluate.strategy import strategy_only

        return Evaluation(self.file, strategy_only(self.search), self.windows, None, True)

    @cached_property
    def reasons(self) -> Reasons | None:
        """Why a node is worth what it is, if that was asked."""
        if self.explained is None:
            return None
        from expectitree.analysis.evaluate.reasons import reasons

        return reasons(self.search, self.explained, self.explanation)

    @cached_property
    def explanation(self) -> Explanation:
        """The cuts, and why each skipped part was skipped."""
        return Explanation(self.search)

    @cached_property
    def shared_number(self) -> Column:
        """A number for each node that several branches lead to, in the order in which they are first met; else 0."""
        tree = self.tree
        if not tree.is_sharing:
            return Repeated(0, len(tree))
        numbers: Column = compiling.zeros("i", len(tree))
        tree.scan(scans.number_shared, tree.columns, tree.first_paths.order, numbers)
        return numbers
