"""Report utilities that are not known yet."""

from __future__ import annotations

from expectitree.base.errors import SearchError
from expectitree.base.tree.model import Tree
from expectitree.base.tree.paths import message_path


def check_known(tree: Tree) -> None:
    """Raise `SearchError` if the utility of a terminal is not known."""
    if tree.unknown:
        raise SearchError(why_unknown(tree))


def why_unknown(tree: Tree, needed: int | None = None) -> str:
    """Return a message that names an unknown utility of a tree and says what to do.

    The message names the one that is needed, by default the first.
    """
    unknown = set(tree.unknown)
    if needed is None:
        needed = next(n for n in tree.first_paths.order if n in unknown)
    path = message_path(tree.path_of(needed))
    others = len(unknown) - 1
    more, instead = f", nor are those of {others:,} others", "numbers in their place"
    if others == 1:
        more = ", nor is that of 1 other"
    elif not others:
        more, instead = "", "a number in its place"
    return (
        f'the utility of {path} is not known yet ("?"){more}\n`expectitree ask` '
        "asks for what matters (`inquire` from Python), and with --show it shows the tree; "
        f"or write {instead}"
    )
