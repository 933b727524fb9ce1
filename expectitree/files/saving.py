"""Write trees to files and texts, and report what a format cannot hold.

Without some parts of a tree, such as unknown utilities, its values would change: then writing is an
error. Others, such as notes, are left out with a warning. To add a loss, add its row in `LOSSES`;
the rows of `FORMATS` name the losses of each format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from expectitree.base.errors import TransformError, TreeError
from expectitree.base.numbers import quote
from expectitree.base.tree import paths
from expectitree.base.tree.folding import unshare
from expectitree.base.tree.model import Tree, check_tree
from expectitree.files.formats import (
    FORMATS,
    OUT_SUFFIXES,
    TEXT_FORMATS,
    format_by_name,
    formats_by_suffix,
)
from expectitree.files.grammar.document import error_in
from expectitree.files.rows import Format, Warn, ignore
from expectitree.files.writing import whole_file


def dumps(tree: Tree, format: str = "yaml", *, warn: Warn | None = None) -> str:
    """Return the text of a tree in YAML, JSON or a text format of another program.

        >>> import expectitree as et
        >>> t = et.TreeBuilder()
        >>> print(et.dumps(t.build(t.max({"left": 3, "right": t.chance([1, 6])}))), end="")
        max:
          left: 3
          right: {chance: [1, 6]}

    Args:
        tree: The tree.
        format: "yaml", "json" or "efg".
        warn: Called with a message about what the format cannot hold.

    Raises:
        TreeError: The format is not text, or values would change because it cannot hold a part of
            the tree.
        TransformError: Without sharing, which the format cannot hold, the tree is too large.
    """
    check_tree(tree)
    return "".join(pieces(tree, format, warn or ignore))


def pieces(tree: Tree, format: str, warn: Warn = ignore) -> Iterator[str]:
    """Return the text of a tree piece by piece."""
    row = text_format(format)
    tree = written_tree(tree, row, warn)
    arguments: list[Any] = [tree]
    if row.is_foreign:
        arguments.append(warn)
    text: Iterator[str] = row.module.write(*arguments)
    return text


def text_format(name: str) -> Format:
    """Return a format of texts by its name; raise `TreeError` if there is none to write."""
    row = format_by_name(name)
    if row is None:
        raise TreeError(f"unknown format {quote(name)}\nchoose one of {', '.join(TEXT_FORMATS)}")
    if not row.is_written:
        raise TreeError(_refusal(row))
    if not row.is_text:
        raise TreeError(f"the format {name} is not text\nsave to a file whose name ends in .{name}")
    return row


def _refusal(row: Format) -> str:
    """Return the message about a format that is only read."""
    return f"{row.title} cannot be written\nchoose one of {', '.join(TEXT_FORMATS)}"


def save(
    tree: Tree,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    drop_fractions: bool = False,
    warn: Warn | None = None,
) -> None:
    """Write a tree to a file, in the format of the file's ending or in the one named.

    The file is written whole, or stays as it was. A link stays a link; it must lead to a place in
    its own folder.

        >>> import expectitree as et
        >>> et.save(et.load("example:risk"), "risk.parquet")  # doctest: +SKIP

    Args:
        tree: The tree.
        path: The file. Its name ends in .yaml, .json, .arrow, .parquet or .efg, for example.
        format: The format, if several formats have the ending.
        drop_fractions: Write the nearest float of an exact number to Arrow and Parquet, which hold
            floats.
        warn: Called with a message about what the format cannot hold.

    Raises:
        FileError: The file cannot be written, or its ending is unknown.
        TreeError: A number of an exact tree is not a float, and `drop_fractions` is False; or
            values would change because the format cannot hold a part of the tree.
        TransformError: Without sharing, which the format cannot hold, the tree has more than 10
            million nodes, times the environment variable EXPECTITREE_BUDGET.
    """
    check_tree(tree)
    name = os.fspath(path)
    row = format_of(name, format)

    def tell(message: str) -> None:
        (warn or ignore)(f"{name}: {message}")

    with whole_file(name) as stream:
        if row.is_text:
            for text in pieces(tree, row.name, tell):
                stream.write(text.encode())
        else:
            written_tree(tree, row, tell)
            row.module.save(tree, stream, drop_fractions)


def format_of(name: str, format: str | None = None) -> Format:
    """Return the format in which a file is written: the one named, or that of its ending.

    Raises `FileError` if the ending is unknown, or is not one of the named format.
    """
    rows = [row for row in formats_by_suffix(name) if format in (None, row.name)]
    if rows and rows[0].is_written:
        return rows[0]
    return _refuse(name, rows, FORMATS.get(format or ""))


def _refuse(name: str, rows: list[Format], named: Format | None) -> NoReturn:
    """Raise `FileError` for a file in the format `named`, or in one of `rows`, by its ending."""
    ending, hint = os.path.splitext(name)[1].lower(), f"choose one of {', '.join(OUT_SUFFIXES)}"
    if named is not None and not named.is_written:
        message = _refusal(named)
    elif named is not None and not rows:
        suffixes = " or ".join(named.suffixes)
        message = f"{named.title} is for files that end in {suffixes}\nchoose another name"
    elif rows:
        message = f"{rows[0].title} cannot be written\n{hint}"
    elif ending:
        message = f"the ending {ending} is unknown\n{hint}; `draw` makes pictures"
    else:
        message = f"the name has no ending\n{hint}"
    raise error_in(name, message)


# ---- What a format cannot hold.

# By name, what a tree has of each: a list has nodes.
LOSSES: dict[str, Callable[[Tree], Any]] = {
    "source": lambda tree: tree.source,
    "unit": lambda tree: tree.unit,
    "notes": lambda tree: tree.notes or tree.branch_notes,
    "bounds": lambda tree: tree.local_bounds,
    "estimates": lambda tree: any(
        kind and u == u for kind, u in zip(tree.columns.kind, tree.columns.utility, strict=True)
    ),
    "expect": lambda tree: tree.expect,
    "parameters": lambda tree: tree.parameters,
    "distributions": lambda tree: any(one.distribution for one in tree.parameters.values()),
    "formulas": lambda tree: any(True for _ in tree.formulas.expressions()),
    "events": lambda tree: tree.formulas.events,
    "criteria": lambda tree: tree.criteria,
    "sharing": lambda tree: False,  # not lost: `written_tree` gives each path its own nodes
    "attitudes to risk": lambda tree: tree.attitude,
    "unknown utilities": lambda tree: [*tree.unknown],
    "cut nodes": lambda tree: sorted(tree.estimated),
}
# What to do about those that would change values, which are refused.
HINTS = {
    "attitudes to risk": "delete the key attitude if expected values are meant",
    "unknown utilities": "answer them first with expectitree ask",
    "cut nodes": "write the uncut tree, or a table (.arrow, .parquet)",
}


def written_tree(tree: Tree, format: Format, warn: Warn) -> Tree:
    """Return the tree that a format can hold, and warn of what is left out.

    Raises `TreeError` if the format cannot hold something without which values would change, and
    `TransformError` if the tree without sharing has too many nodes.
    """
    losses = {name: lost for name in format.loses if (lost := LOSSES[name](tree))}
    for name, lost in losses.items():
        if name in HINTS:
            path = ""
            if isinstance(lost, list):
                path = f"{paths.message_path(tree.path_of(lost[0]))}: "
            raise TreeError(f"{path}{format.title} cannot hold {name}: {HINTS[name]}")
    if losses:
        warn(f"left out what {format.title} cannot hold: {', '.join(losses)}")
    if "sharing" not in format.loses or not tree.is_sharing:
        return tree
    try:
        unfolded = unshare(tree)
    except TransformError as error:
        raise TransformError(f"{format.title} cannot share nodes, and {error}") from None
    warn(
        f"{format.title} cannot share nodes, so each path gets its own: "
        f"{len(tree):,} nodes become {len(unfolded):,}"
    )
    return unfolded
