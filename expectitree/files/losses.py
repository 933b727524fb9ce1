"""Report what a format cannot hold: as an error if values would change, else as a warning.

To add a loss, add its row in `LOSSES`; the rows of `FORMATS` name the losses of each format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from expectitree.base.errors import TransformError, TreeError
from expectitree.files.grammar.document import MAX_DEPTH
from expectitree.files.rows import Format, Warn
from expectitree.tree import paths
from expectitree.tree.columns import NONE, Kind
from expectitree.tree.folding import unshare
from expectitree.tree.model import Tree

_OTHERS = "write the tree as YAML, JSON or .efg"


class Loss(NamedTuple):
    """A row of `LOSSES`."""

    is_in: Callable[[Tree], object]  # whether a tree has it
    hint: str = ""  # what to do, if the loss is refused because it would change values
    nodes: Callable[[Tree], Sequence[int]] = lambda tree: ()  # the nodes that have it


def _has_estimates(tree: Tree) -> bool:
    return any(
        kind and u == u for kind, u in zip(tree.columns.kind, tree.columns.utility, strict=True)
    )


def _has_two_players(tree: Tree) -> bool:
    return {Kind.MAX, Kind.MIN} <= set(tree.columns.kind)


def _has_three_kinds(tree: Tree) -> bool:
    return {Kind.MAX, Kind.MIN, Kind.CHANCE} <= set(tree.columns.kind)


def _has_root_reward(tree: Tree) -> bool:
    return bool(tree.root_reward) or tree.formulas is not None and NONE in tree.formulas.rewards


LOSSES = {
    "source": Loss(lambda tree: tree.source),
    "notes": Loss(lambda tree: tree.notes or tree.branch_notes),
    "bounds": Loss(lambda tree: tree.local_bounds),
    "estimates": Loss(_has_estimates),
    "expect": Loss(lambda tree: tree.expect),
    "parameters": Loss(lambda tree: tree.parameters),
    "formulas": Loss(lambda tree: tree.formulas and any(True for _ in tree.formulas.expressions())),
    "events": Loss(lambda tree: tree.formulas and tree.formulas.events),
    "sharing": Loss(lambda tree: False),  # not lost: `written_tree` gives each path its own nodes
    "trees of one terminal": Loss(lambda tree: len(tree) == 1, _OTHERS),
    f"paths of more than {MAX_DEPTH} branches": Loss(
        lambda tree: tree.heights[tree.root_id] > MAX_DEPTH, _OTHERS
    ),
    "rewards of the root": Loss(
        _has_root_reward, "move them into the utilities with --fold rewards"
    ),
    "two players": Loss(_has_two_players, _OTHERS),
    "MAX, MIN and CHANCE nodes in one tree": Loss(_has_three_kinds, _OTHERS),
    "attitudes to risk": Loss(
        lambda tree: tree.attitude, "delete the key attitude if expected values are meant"
    ),
    "unknown utilities": Loss(
        lambda tree: tree.unknown, "answer them first with expectitree ask", lambda t: t.unknown
    ),
    "cut nodes": Loss(
        lambda tree: tree.estimated, "write the uncut tree", lambda tree: sorted(tree.estimated)
    ),
}


def written_tree(tree: Tree, format: Format, warn: Warn | None, most_nodes: int | None) -> Tree:
    """Return the tree that a format can hold, and warn of what is left out.

    Raises `TreeError` if the format cannot hold something without which values would change, and
    `TransformError` if the tree without sharing has more than `most_nodes` nodes.
    """
    found = [name for name in format.loses if LOSSES[name].is_in(tree)]
    for name in found:
        if LOSSES[name].hint:
            nodes = LOSSES[name].nodes(tree)
            path = f"{paths.message_path(tree.path_of(nodes[0]))}: " if nodes else ""
            raise TreeError(f"{path}{format.title} cannot hold {name}: {LOSSES[name].hint}")
    if found and warn is not None:
        warn(f"left out what {format.title} cannot hold: {', '.join(found)}")
    if "sharing" not in format.loses or not tree.is_sharing:
        return tree
    try:
        unfolded = unshare(tree, most_nodes)
    except TransformError as error:
        raise TransformError(f"{format.title} cannot share nodes, and {error}") from None
    if warn is not None:
        sizes = f"{len(tree):,} nodes become {len(unfolded):,}"
        warn(f"{format.title} cannot share nodes, so each path gets its own: {sizes}")
    return unfolded
