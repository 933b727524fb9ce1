"""Find an event by its name or by the path of a chance node, with the beliefs about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from expectitree.decide.information.beliefs import Event
from expectitree.decide.information.defined import defined_event
from expectitree.decide.information.shown import shown_event
from expectitree.errors import AnalysisError, TreeError
from expectitree.names import did_you_mean
from expectitree.numbers import escape, quote
from expectitree.tree.columns import CHANCE
from expectitree.tree.formulas import Formulas
from expectitree.tree.model import Tree


def name_of(tree: Tree, name: str) -> str:
    """Return the name of an event, or the path of a chance node without one.

    Raises `AnalysisError` if there is no such event.
    """
    events = (tree.formulas or Formulas()).events
    names = list(dict.fromkeys(events.values()))
    return name if name in names else events.get(_node_at(tree, name, names), name)


def nodes_of(tree: Tree, name: str) -> frozenset[int]:
    """Return the chance nodes that represent an event, by what `name_of` returns."""
    events = (tree.formulas or Formulas()).events
    return frozenset(n for n, event in events.items() if event == name) or frozenset(
        [tree.find(name).id]
    )


def labels_of(tree: Tree, name: str) -> list[str]:
    """Return the outcomes of an event, in order."""
    first = max(nodes_of(tree, name))
    return [tree.branch_label(first, b) for b in tree.branches_of(first)]


def find_event(
    numbers: Tree,
    tree: Tree,
    name: str,
    at: int,
    known: Mapping[str, str] = MappingProxyType({}),
) -> Event | None:
    """Return an event by what `name_of` returns; None if play does not meet it from a node on.

    Args:
        numbers: The tree, in the numbers to compute in.
        tree: The tree as it was loaded.
        name: The name of the event.
        at: The node at which something is known.
        known: The outcomes of other events that are known, by name.

    Raises:
        AnalysisError: A play can meet the event twice, or the tree does not give the joint
            distribution of the event and its signals.
    """
    formulas = tree.formulas or Formulas()
    if name not in formulas.defined:
        return shown_event(numbers, name, nodes_of(tree, name), at)
    known = {one: label for one, label in known.items() if one in formulas.defined}
    return defined_event(numbers, tree, name, at, known)


def never_meets(tree: Tree, name: str, at: int) -> AnalysisError:
    """Return the error about an event that play does not meet from a node on."""
    where = "play" if at == tree.root_id else f"{escape(tree.path_of(at))}: play after this node"
    return AnalysisError(f"{where} never meets {escape(name)}")


def _node_at(tree: Tree, path: str, names: list[str]) -> int:
    """Return the chance node at a path."""
    known = "the tree has no `event:`"
    if names:
        known = f"the events are {', '.join(map(escape, names))}"
    try:
        node = tree.find(path).id
    except TreeError:
        found = f"no event {quote(path)}{did_you_mean(path, names)}: {known}"
        inner = (
            path for node, path in tree.walk() if node.kind == CHANCE and node.id != tree.root_id
        )
        example = next(inner, "")
        such_as = f", such as {quote(example)}" if example else ""
        also = f"the path of a chance node is an event, too{such_as}"
        raise AnalysisError(f"{found}; {also}") from None
    if tree.columns.kind[node] != CHANCE:
        raise AnalysisError(f"{escape(path)} is not a chance node: {known}")
    return node
