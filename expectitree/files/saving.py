"""Writing trees to files: a file is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR

from expectitree.errors import FileError, Problem, TreeError
from expectitree.files.formats import FORMATS, SUFFIXES, Format, format_by_suffix
from expectitree.tree.model import Tree, check_tree


def dumps(tree: Tree, format: str = "yaml") -> str:
    """Return the text of a tree in YAML or JSON.

        >>> import expectitree as et
        >>> t = et.TreeBuilder()
        >>> print(et.dumps(t.build(t.max({"left": 3, "right": t.chance([1, 6])}))), end="")
        max:
          left: 3
          right: {chance: [1, 6]}

    Args:
        tree: The tree.
        format: "yaml" or "json".

    Raises:
        TreeError: The tree cannot be written as text, or the format is not text.
    """
    check_tree(tree)
    return "".join(pieces(tree, format))


def pieces(tree: Tree, format: str) -> Iterator[str]:
    """Return the text of a tree piece by piece."""
    row = FORMATS.get(format)
    if row is None or not row.is_text:
        message = f"the format {format} is not text: save to a file whose name ends in .{format}"
        raise TreeError(message)
    text: Iterator[str] = row.module.write(tree)
    return text


def save(
    tree: Tree,
    path: str | os.PathLike[str],
    *,
    drop_fractions: bool = False,
    progress: Callable[[int], object] | None = None,
) -> None:
    """Write a tree to a file, in the format of the file's ending.

    The file is written whole, or stays as it was.

        >>> import expectitree as et
        >>> et.save(et.load("example:risk"), "risk.parquet")  # doctest: +SKIP

    Args:
        tree: The tree.
        path: The file. Its name ends in .yaml, .json, .arrow or .parquet, for example.
        drop_fractions: Write the nearest float of an exact number to Arrow and Parquet, which hold
            floats.
        progress: Called with the number of characters of each text written.

    Raises:
        FileError: The file cannot be written, or its ending is unknown.
        TreeError: A number of an exact tree is not a float, and `drop_fractions` is False.
    """
    check_tree(tree)
    name = os.fspath(path)
    format = format_of(name)
    with whole_file(name) as temporary:
        if format.is_text:
            with open(temporary, "w", encoding="utf-8", newline="\n") as stream:
                for text in pieces(tree, format.name):
                    written = stream.write(text)
                    if progress is not None:
                        progress(written)
        else:
            format.module.save(tree, temporary, drop_fractions)


def format_of(name: str) -> Format:
    """Return the format of a file's ending; raise `FileError` if it is unknown."""
    format = format_by_suffix(name)
    if format is None:
        ending = os.path.splitext(name)[1].lower()
        found = f"the ending {ending} is unknown" if ending else "the name has no ending"
        raise FileError([Problem(name, f"{found}: choose one of {', '.join(SUFFIXES)}")])
    return format


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """Yield a temporary name in the same folder; the file written there finally replaces `path`.

    So the old file survives if the disk is full or the machine stops. The new file has the old
    one's mode, and a link stays a link. Raises `FileError` if the file cannot be written.
    """
    try:
        with _replacing(path) as temporary:
            yield temporary
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise FileError([Problem(path, f"the file cannot be written: {reason}")]) from None


@contextmanager
def _replacing(path: str) -> Iterator[str]:
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        yield path  # a device or a pipe cannot be replaced
        return
    path = os.path.realpath(path)
    old_mode = None
    if os.path.exists(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), path)
        if os.path.isdir(path):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
