"""Why no search takes a tree of which some terminal is not known yet, and what to do about it."""

from __future__ import annotations

from expectitree.errors import SearchError
from expectitree.numbers import escape
from expectitree.tree.model import Tree

_LONGEST_PATH = 200  # characters of a path in a message


def check_known(tree: Tree) -> None:
    """Raise `SearchError` where the utility of a terminal is not known yet."""
    if tree.unknown:
        raise SearchError(why_unknown(tree))


def why_unknown(tree: Tree) -> str:
    """Return which utility of a tree with `unknown` terminals is not known, the first one met, and what to do."""
    unknown = set(tree.unknown)
    path = escape(tree.path_of(next(n for n in tree.first_paths.order if n in unknown)))
    if len(path) > _LONGEST_PATH:
        path = f"{path[:90]}…{path[-90:]}"
    others = len(unknown) - 1
    more = (
        f", nor {'is that of 1 other' if others == 1 else f'are those of {others:,} others'}"
        if others
        else ""
    )
    instead = "numbers in their place" if others else "a number in its place"
    return (
        f'the utility of {path} is not known yet ("?"){more}: `expectitree ask` asks for what matters (`inquire` from '
        "Python), and with --show it shows the tree; "
        f"or write {instead}"
    )
