"""Tree files: from text or tables to a `Tree`, and back.

A text format turns text into a `Document`; `grammar` reads documents of all formats.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import IO, Any, TypeAlias, Unpack

from expectitree.base.errors import NEEDS_EXACT, FileError, Problem, TransformError, TreeError
from expectitree.base.numbers import Number, quote
from expectitree.base.reading import USE_EXACT, BeyondFloatsError
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.model import Tree, check_tree
from expectitree.files.formats import (
    FORMATS,
    check_options,
    find_format,
    format_by_suffix,
    format_of_text,
    likely_format,
)
from expectitree.files.grammar.document import Document, error_in, with_excerpts
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import ReadOptions, Warn, Warnings
from expectitree.files.sources import check_characters, unreadable
from expectitree.files.sources import read_text as read_text

ANSWERS = ".answers.yaml"  # ends the name of a file of answers to `expectitree ask`
TreeSource: TypeAlias = Tree | str | os.PathLike[str] | dict[str, Any]  # of `tree_of`
NO_TREES = (ANSWERS, ".csv")  # end the names of files that a folder may have next to its trees


def load(
    source: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    warn: Warn | None = None,
    parameters: Mapping[str, Number | str] | None = None,
    format: str | None = None,
    exact_nodes: int = EXACT_NODES,
    **options: Unpack[ReadOptions],
) -> Tree:
    """Return the tree of a file.

    The numbers of a text are exact if the tree has at most `exact_nodes` nodes. A larger tree and a
    table hold floats.

        >>> import expectitree as et
        >>> et.load("example:risk")
        <Tree 'A risk worth taking', 7 nodes, 4 leaves>

    Args:
        source: A path, an open stream, `example:NAME` for a tree that comes with expectitree, or
            "-" for standard input. The name's ending sets the format, such as .yaml, .json, .arrow,
            .parquet, .efg or .csv; .yaml and .json files of other programs are recognized.
        warn: Called with each warning, such as that labels seem to be probabilities, or that a
            parameter is not used. They are also in `Tree.warnings`.
        parameters: Other values of the tree's parameters, as `Tree.with_parameters` takes them.
        format: The format, such as "radiant", if neither ending nor content shows it.
        exact_nodes: The maximum number of nodes of a tree whose numbers are fractions.
        options: `normalize` divides probabilities that are rounded for print by their sum, if that
            is 0.98 to 1.02. `max_nodes` limits the nodes that nodes which lead to themselves make,
            by default to 200,000. How to read a file of another program: `max_player` (.efg),
            `tree` (SilverDecisions), `minimize` (Radiant and .csv), `probabilities` and
            `transpose` (.csv).

    Raises:
        FileError: The file cannot be read or is not a tree. The error lists every problem found.
        TreeError: `source` is something else, such as a dict.
    """
    if isinstance(source, (str, os.PathLike)):
        row = format_by_suffix(source) if format is None else find_format(format)
        if row is not None and not row.is_text:
            check_options(row, os.fspath(source), options)
            try:
                tree: Tree = row.module.load(os.fspath(source))
            except OSError as error:
                raise unreadable(os.fspath(source), error) from None
            return _with_parameters(tree, parameters)
    elif not hasattr(source, "read"):
        raise _not_text(source, "a path or a stream")
    text, name = read_text(source)
    about: Any = {"name": name, "warn": warn, "parameters": parameters, "format": format}
    return loads(text, exact_nodes=exact_nodes, **about, **options)


def loads(
    text: str,
    *,
    name: str = "<text>",
    warn: Warn | None = None,
    parameters: Mapping[str, Number | str] | None = None,
    format: str | None = None,
    exact_nodes: int = EXACT_NODES,
    **options: Unpack[ReadOptions],
) -> Tree:
    """Return the tree of a text in YAML, JSON or a text format of another program.

        >>> import expectitree as et
        >>> et.loads('{"max": {"left": 3, "right": {"min": [4, "1/3"]}}}').root.children
        (<Node 0 TERMINAL>, <Node 3 MIN>)

    Args:
        text: The text.
        name: The text's name in messages. Its ending, such as .json, sets the format.
        warn: As for `load`, like the following arguments.
        parameters: Other values of the tree's parameters.
        format: The format, if neither the name nor the text shows it.
        exact_nodes: The maximum number of nodes of a tree whose numbers are fractions.
        options: How to read the text, as for `load`.

    Raises:
        FileError: The text is not a tree. The error lists every problem found.
        TreeError: `text` is not text.
    """
    if not isinstance(text, str):
        raise _not_text(text, "text in YAML or JSON")
    text = text.removeprefix("\ufeff")
    row = format_of_text(text, name) if format is None else find_format(format)
    if not row.is_text:
        raise TransformError(f"{row.title} is not text: load reads it from a file").at(name)
    check_options(row, name, options)
    warnings = Warnings(warn)
    try:
        with _uncollected():
            if row.is_foreign:
                check_characters(text, name)
                read = row.module.read(text, name, warnings, exact_nodes, **options)
                tree = _with_parameters(read, parameters)
            else:
                known: Any = options  # those in `row.options`
                document = replace(parse(text, name, format), **known)
                tree = read_tree(document, warnings, parameters, exact_nodes)
        return warnings.on(tree)
    except BeyondFloatsError as error:
        raise error_in(name, error.with_hint(USE_EXACT, NEEDS_EXACT)) from None
    except FileError as error:
        error = with_excerpts(error, text)
        if not row.is_foreign and format is None and (likely := likely_format(text)):
            hint = Problem(name, f"to read this as {likely.title}, add --from {likely.name}")
            error = FileError([hint, *error.problems], stopped=error.stopped)
        raise error from None


@contextmanager
def _uncollected() -> Iterator[None]:
    """Stop the garbage collector, which would visit a growing tree again and again.

    That takes up to a third of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _not_text(source: Any, expected: str) -> TreeError:
    hint = "\nfrom_dict reads nested data" if isinstance(source, dict) else ""
    return TreeError(
        f"found {type(source).__name__} {quote(str(source))}, expected {expected}{hint}"
    )


def tree_of(source: TreeSource) -> Tree:
    """Return a tree, or the tree of a file's path or of a dict; raise `TreeError` for others."""
    if isinstance(source, (str, os.PathLike)):
        return load(source)
    if isinstance(source, dict):
        from expectitree.files.nested import from_dict

        return from_dict({**source})
    check_tree(source)
    return source


def _with_parameters(tree: Tree, parameters: Mapping[str, Number | str] | None) -> Tree:
    if not parameters:
        return tree
    from expectitree.base.tree.replacing import set_parameters

    return set_parameters(tree, parameters)


def parse(text: str, name: str, format: str | None = None) -> Document:
    """Return the structure of a text, in the format of the name's ending, or else of the text."""
    text = text.removeprefix("\ufeff")
    row = format_by_suffix(name) if format is None else FORMATS[format]
    document: Document
    if row is not None and row.is_foreign:
        raise error_in(name, f"this is {row.title}, expected YAML or JSON\nwrite it in YAML")
    try:
        check_characters(text, name)
        if row is None or not row.is_text:
            row = FORMATS["yaml"]
            if text.lstrip()[:1] == "{":
                with suppress(FileError):
                    document = FORMATS["json"].module.parse(text, name)
                    return document
        document = row.module.parse(text, name)
        return document
    except FileError as error:
        raise with_excerpts(error, text) from None


def tree_files(folder: str) -> Iterable[str]:
    """Return the tree files in a folder and below it, sorted, without hidden files and NO_TREES."""
    paths = []
    for here, folders, names in os.walk(folder, onerror=_unreadable_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = os.path.join(here, name)
            is_special = os.path.exists(path) and not os.path.isfile(path)  # might not end
            if is_special or name.startswith(".") or name.endswith(NO_TREES):
                continue
            with suppress(FileError):  # a broken plugin may have the ending of any other file
                paths += [path] * (format_by_suffix(name) is not None)
    return sorted(paths)


def _unreadable_folder(error: OSError) -> None:
    raise error_in(str(error.filename), f"the folder cannot be read: {error.strerror}")
