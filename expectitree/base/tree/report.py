"""What reports about one tree share."""

from __future__ import annotations

from dataclasses import dataclass

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.tree.model import Tree


@dataclass(frozen=True, eq=False)
class TreeReport(Shown):
    """A report about one tree."""

    file: str  # the name of the tree in outputs
    tree: Tree


def check_one_decider(tree: Tree, question: str) -> None:
    """Raise `AnalysisError` if both players have a node with several actions."""
    if len(tree.deciders) > 1:
        raise AnalysisError(
            f"{question} is about one decision maker, and MAX and MIN both decide in this tree\n"
            "leave one of them no node with several actions"
        )
