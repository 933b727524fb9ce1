"""Trees into files: the format is told by the ending, and a file is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from errno import EACCES
from typing import IO

from expectitree.errors import FileError, Problem, TreeError
from expectitree.files import BINARY, SUFFIXES
from expectitree.tree.model import Tree, check_tree

TEXT_FORMATS = ("yaml", "json")
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


def dumps(tree: Tree, format: str = "yaml") -> str:
    """Return the text of a tree in YAML or JSON; raise `TreeError` where the grammar cannot hold it."""
    check_tree(tree)
    return "".join(pieces(tree, format))


def pieces(tree: Tree, format: str) -> Iterable[str]:
    """Return the text of a tree piece by piece."""
    if format not in TEXT_FORMATS:
        raise TreeError(f"the format {format} is no text: name a file that ends in .{format}")
    from expectitree.files.grammar.writer import tree_text

    return tree_text(tree, format == "json")


def save(
    tree: Tree,
    path: str | os.PathLike[str],
    *,
    drop_fractions: bool = False,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write a tree to a file, in the format that its ending tells.

    Arrow and Parquet hold floats: an exact tree with a number that none is raises `TreeError`,
    unless `drop_fractions`. Raises `FileError` where the file cannot be written, or its ending
    tells no format. `progress` is told of the characters of text as they are written.
    """
    check_tree(tree)
    name = os.fspath(path)
    format = format_of(name)
    try:
        with whole_file(name) as temporary:
            if format in BINARY:
                from expectitree.files.formats import arrow as arrow_format

                arrow_format.save(tree, temporary, format, drop_fractions=drop_fractions)
            else:
                with open(temporary, "w", encoding="utf-8", newline="\n") as stream:
                    _write(stream, pieces(tree, format), progress)
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else str(error)
        raise FileError([Problem(name, f"the file cannot be written: {said}")]) from None


def format_of(name: str) -> str:
    """Return the format that a file's ending tells; raise `FileError` where it tells none."""
    ending = os.path.splitext(name)[1].lower()
    if ending not in SUFFIXES:
        found = f"the ending {ending}" if ending else "a name without an ending"
        raise FileError(
            [Problem(name, f"{found} tells no format: choose one of {', '.join(SUFFIXES)}")]
        )
    return SUFFIXES[ending]


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """Give a name to write to, in the same folder; what was written there takes the file's place when it is whole.

    So nothing is lost if the disk is full or the machine stops. An old file keeps its mode, and a
    link its place.
    """
    path = os.path.realpath(path)
    old_mode = None
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), path)
        if not os.path.isfile(path):  # a device or a pipe: there is no taking its place
            yield path
            return
        old_mode = os.stat(path).st_mode & 0o7777
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".expectitree-")
    os.close(handle)
    try:
        yield temporary
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask() if old_mode is None else old_mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _write(stream: IO[str], text: Iterable[str], progress: Callable[[int], None] | None) -> None:
    portion: list[str] = []
    size = 0
    for piece in text:
        portion.append(piece)
        size += len(piece)
        if size > 500_000:
            stream.write("".join(portion))
            if progress:
                progress(size)
            portion, size = [], 0
    stream.write("".join(portion))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
