"""The report of `eval`: a search of a tree, and the reasons for its cuts."""

from __future__ import annotations

from dataclasses import dataclass, field

from expectitree import compiling
from expectitree.analysis.evaluate.cuts import Explanation
from expectitree.analysis.evaluate.reasons import Reasons, reasons
from expectitree.analysis.evaluate.strategy import strategy_only
from expectitree.searches.result import Search
from expectitree.tree import scans
from expectitree.tree.columns import Column, Repeated
from expectitree.tree.model import Tree


@dataclass
class Evaluation:
    """A search of one file's tree, with everything that a renderer shows.

    With `strategy_only`, `shown` is the part of the tree that optimal play can reach. That raises
    `AnalysisError` where the search does not know the strategy.
    """

    file: str
    search: Search
    windows: bool = False  # show alpha and beta
    explained: int | None = None  # the node to explain in sentences
    strategy_only: bool = False
    explanation: Explanation = field(init=False)
    shown: Evaluation = field(init=False)  # what is drawn
    reasons: Reasons | None = field(init=False, default=None)
    shared_number: Column = field(init=False)  # [N] 1, 2, … of shared nodes as they are met; else 0

    def __post_init__(self) -> None:
        """Compute the explanation and what else was asked."""
        self.explanation = Explanation(self.search)
        self.shared_number = _number_shared(self.tree)
        self.shown = self
        if self.strategy_only:
            self.shown = Evaluation(self.file, strategy_only(self.search), self.windows)
            self.shown.strategy_only = True
        if self.explained is not None:
            self.reasons = reasons(self.search, self.explained, self.explanation)

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree


def _number_shared(tree: Tree) -> Column:
    if not tree.is_sharing:
        return Repeated(0, len(tree))
    numbers: Column = compiling.zeros("i", len(tree))
    tree.scan(scans.number_shared, tree.columns, tree.first_paths.order, numbers)
    return numbers
