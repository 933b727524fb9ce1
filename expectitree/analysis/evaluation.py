"""One tree under one search: the report behind `eval`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from expectitree.analysis.explain import Explanation, explain
from expectitree.search.result import Search
from expectitree.tree import Tree


@dataclass(frozen=True)
class Evaluation:
    """What a search of one file's tree found, and why it left what it left."""

    file: str
    search: Search
    windows: bool = False  # the windows are of interest

    @property
    def tree(self) -> Tree:
        """The tree that was searched."""
        return self.search.tree

    @cached_property
    def explanation(self) -> Explanation:
        """The cuts, and why each skipped part was skipped."""
        return explain(self.search)

    @cached_property
    def shared(self) -> dict[int, int]:
        """A number for each node that several branches lead to, in the order in which they are first met."""
        kind, _, _, child, _ = self.tree.columns
        seen = bytearray(len(kind))
        several = bytearray(len(kind))
        for c in child:
            if seen[c]:
                several[c] = 1
            seen[c] = 1
        if not any(several):
            return {}
        return {n: k for k, n in enumerate((n for n in self.tree.first_paths.order if several[n]), start=1)}
