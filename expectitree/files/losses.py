"""What a format cannot hold: a warning where the values stay, an error where they would change.

To add a loss, add its row in `LOSSES`; the rows of `FORMATS` name the losses of each format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from expectitree.errors import TreeError
from expectitree.files.formats import Format, Warn
from expectitree.tree import paths
from expectitree.tree.columns import Kind
from expectitree.tree.folding import unshare
from expectitree.tree.model import Tree


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


LOSSES = {
    "title": Loss(lambda tree: tree.title),
    "source": Loss(lambda tree: tree.source),
    "notes": Loss(lambda tree: tree.notes or tree.branch_notes),
    "bounds": Loss(lambda tree: tree.local_bounds),
    "estimates": Loss(_has_estimates),
    "expect": Loss(lambda tree: tree.expect),
    "parameters": Loss(lambda tree: tree.parameters),
    "formulas": Loss(lambda tree: tree.formulas and any(True for _ in tree.formulas.expressions())),
    "events": Loss(lambda tree: tree.formulas and tree.formulas.events),
    "sharing": Loss(lambda tree: False),  # not lost: `written_tree` gives each path its own nodes
    "rewards": Loss(
        lambda tree: tree.columns.pays or tree.root_reward,
        "move them into the utilities with --fold rewards",
    ),
    "two players": Loss(_has_two_players, "write the tree as YAML, JSON or .efg"),
    "attitude": Loss(
        lambda tree: tree.attitude,
        "delete the key attitude if expected values are meant",
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
            change = f"{format.title} cannot hold {name}, and values would change"
            raise TreeError(f"{path}{change}: {LOSSES[name].hint}")
    if found and warn is not None:
        warn(f"left out what {format.title} cannot hold: {', '.join(found)}")
    if "sharing" not in format.loses or not tree.is_sharing:
        return tree
    unfolded = unshare(tree, most_nodes)
    if warn is not None:
        sizes = f"{len(tree):,} nodes become {len(unfolded):,}"
        warn(f"{format.title} cannot share nodes, so each path gets its own: {sizes}")
    return unfolded
