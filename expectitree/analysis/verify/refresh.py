"""Write results into the `expect` of a tree file, for `verify --write`."""

from __future__ import annotations

import os
import sys

from expectitree.analysis.verify.edit import replace_text, rewritten
from expectitree.analysis.verify.report import Verification, verify, written
from expectitree.base.errors import FileError, Problem
from expectitree.base.tree.model import Tree
from expectitree.files import loads, read_text
from expectitree.files.formats import FORMATS, format_by_suffix, format_of_text
from expectitree.files.writing import OutputFile
from expectitree.searches.engine import search_tree


def refresh(path: str | os.PathLike[str]) -> Verification:
    """Write the results of a tree into the `expect` of its file, and return what then holds.

    Expectations that hold stay as written. A file without expectations gets some. All else stays
    as it is.

        >>> import expectitree as et
        >>> et.refresh("game.yaml").broken  # doctest: +SKIP
        []

    Args:
        path: A tree file in YAML or JSON.

    Raises:
        FileError: The file is not a tree, cannot be written, or cannot be changed without loss. It
            is then as it was, with any edit made while this function ran.
        SearchError: A utility is not known.
    """
    format = format_by_suffix(path) or FORMATS["yaml"]
    if not format.is_text:
        message = "expect cannot be written into a table: convert it to YAML or JSON first"
        raise FileError([Problem(os.fspath(path), message)])
    file = OutputFile(os.fspath(path))
    text, name = read_text(path)
    if (row := format_of_text(text, name)).is_foreign:
        message = f"expect cannot be written into {row.title}: convert it to YAML or JSON first"
        raise FileError([Problem(name, message)])
    tree = _read(text, name)
    before = verify(tree, file=name)
    # A path that is missing may have a typing error: what holds it is not replaced.
    kept = {check.place for check in before.broken if check.replacement is None}
    replacements = {c.place: c.replacement for c in before.broken if c.place not in kept}
    changed = rewritten(text, format, replacements if before.checks else {(): _answers(tree)})
    try:
        after = verify(_read(changed, name), file=name)
        holds = not any(check.place in replacements for check in after.broken)
    except FileError:
        holds = False
    if not holds:
        raise FileError([Problem(name, "the new `expect` would not hold: change it by hand")])
    if changed != text:
        replace_text(file, changed)
    return after


def _answers(tree: Tree) -> dict[str, object]:
    """Return an `expect` for a tree whose utilities are known, with counts of Star1 and Star2.

    A tree with an attitude to risk has no such counts, because pruning searches refuse it.
    """
    search = search_tree(tree)
    best = {} if search.best is None else {"best": search.best}
    names = ("star1", "star2") if tree.attitude is None else ()
    counts = {name: search_tree(tree, name).counts for name in names}
    runs = {name: {"nodes": c.visited, "leaves": c.leaves_visited} for name, c in counts.items()}
    return {"value": written(search.value), **best, **runs}


def _read(text: str, name: str) -> Tree:
    """Return the tree of a text, with exact numbers at any size."""
    return loads(text, name=name, exact_nodes=sys.maxsize)
