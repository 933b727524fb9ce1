"""Tree files: text in, a `Tree` out.

A format turns text into a `Document`; `data` holds the grammar for all.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from expectitree.errors import FileError, Problem, TreeError
from expectitree.files.grammar.reader import read_tree
from expectitree.numbers import quote
from expectitree.tree.model import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from expectitree.files.grammar.document import Document

SUFFIXES = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".arrow": "arrow",
    ".parquet": "parquet",
}
BINARY = ("arrow", "parquet")
ANSWERS = (
    ".answers.yaml"  # ends the name of a file with answers to `expectitree ask`, which is no tree
)
MOST_BYTES = 2**30  # of one text; larger trees want a binary format
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Warn = Callable[[str], None]


def load(
    source: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    exact: bool = False,
    warn: Warn | None = None,
) -> Tree:
    """Return the tree of a file, given by its path, as an open stream, or as `-` for standard input.

    `exact` keeps every number as a `Fraction`. `warn` is told of probabilities that were divided
    out (by default nobody is). Raises `FileError` with every problem found.
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        format = SUFFIXES.get(os.path.splitext(name)[1].lower())
        if format in BINARY:
            from expectitree.files.formats import arrow as arrow_format

            try:
                return arrow_format.load(name, format, exact)
            except OSError as error:
                raise FileError([Problem(name, _unreadable(name, error))]) from None
    text, name = read_text(source)
    try:
        return loads(text, name=name, exact=exact, warn=warn)
    except FileError as error:
        if not name.endswith(ANSWERS):
            raise
        hint = "by its name these are answers to `expectitree ask`: name the tree, and this file after --answers"
        raise FileError([Problem(name, hint), *error.problems], stopped=error.stopped) from None


def loads(
    text: str, *, name: str = "<text>", exact: bool = False, warn: Warn | None = None
) -> Tree:
    """Return the tree of a text in YAML or JSON; messages call it `name`, whose ending tells the format."""
    if not isinstance(text, str):
        raise TreeError(
            f"found {type(text).__name__} {quote(str(text))}, expected text in YAML or JSON"
        )
    with _collector_paused():
        return read_tree(parse(text, name), exact, warn)


def parse(text: str, name: str) -> Document:
    """Return the structure of a text, in the format that the name's ending tells, else in whichever it is."""
    text = text.removeprefix("\ufeff")
    found = text.find("\0")
    if found >= 0:
        raise _wrong_at(
            text,
            found,
            name,
            "found a NUL character, expected text: this is no text file, or a damaged one",
        )
    found = _half_pair(text)
    if found >= 0:
        raise _wrong_at(
            text,
            found,
            name,
            "found half of a surrogate pair, expected a character: write it itself",
        )
    chosen = SUFFIXES.get(os.path.splitext(name)[1].lower())
    if chosen not in ("yaml", "json"):
        if text.lstrip()[:1] == "{":
            from expectitree.files.formats import json as json_format

            try:
                return json_format.parse(text, name)
            except FileError:
                pass
        chosen = "yaml"
    if chosen == "json":
        from expectitree.files.formats import json as json_format

        return json_format.parse(text, name)
    from expectitree.files.formats import yaml as yaml_format

    return yaml_format.parse(text, name)


def read_text(source: str | os.PathLike[str] | IO[str] | IO[bytes]) -> tuple[str, str]:
    """Return the text of a file or a stream, and what messages call it."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        try:
            if name == "-":
                if sys.stdin is None:
                    raise FileError(
                        [Problem(name, "standard input is closed: name a file, or pipe a tree in")]
                    )
                content: str | bytes = sys.stdin.buffer.read(MOST_BYTES + 1)
            else:
                with open(name, "rb") as stream:
                    content = stream.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            raise FileError([Problem(name, _unreadable(name, error))]) from None
    else:
        name = str(getattr(source, "name", "<stream>"))
        try:
            content = source.read(MOST_BYTES + 1)
        except UnicodeDecodeError:
            raise FileError([Problem(name, "this is not UTF-8: save the file as UTF-8")]) from None
        except (OSError, ValueError) as error:
            raise FileError([Problem(name, _unreadable(name, error))]) from None
    if len(content) > MOST_BYTES:
        raise FileError(
            [Problem(name, f"more than {MOST_BYTES >> 20:,} MiB of text: split the tree")]
        )
    return (content if isinstance(content, str) else decode(content, name)), name


def decode(content: bytes, name: str) -> str:
    """Return the text of a file's bytes, which must be UTF-8."""
    if content.startswith((b"ARROW1", b"PAR1")):
        ending = ".arrow" if content.startswith(b"ARROW1") else ".parquet"
        raise FileError(
            [Problem(name, f"these are tables, not text: give a file whose name ends in {ending}")]
        )
    if content.startswith(_UTF16):
        raise FileError([Problem(name, "found UTF-16, expected UTF-8: save the file as UTF-8")])
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        message = f"the byte 0x{content[error.start]:02x} is not UTF-8: save the file as UTF-8"
        line, column = (
            before.count(b"\n") + 1,
            len(before[before.rfind(b"\n") + 1 :].decode("utf-8-sig")) + 1,
        )
        raise FileError([Problem(name, message, line=line, column=column)]) from None


_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


def _half_pair(text: str) -> int:
    """Return where a surrogate stands without its other half, itself or as an escape; -1 where none does."""
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        return error.start
    if "\\ud" not in text and "\\uD" not in text:
        return -1
    high = -1  # where an escaped first half ends
    start = -1
    for match in _ESCAPE.finditer(text):
        code = int(match[1] or "0", 16)
        if 0xDC00 <= code <= 0xDFFF and high == match.start():
            high = -1
            continue
        if high >= 0:
            return start
        if 0xDC00 <= code <= 0xDFFF:
            return match.start()
        if 0xD800 <= code <= 0xDBFF:
            start, high = match.start(), match.end()
    return start if high >= 0 else -1


def _wrong_at(text: str, at: int, name: str, message: str) -> FileError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return FileError([Problem(name, message, line=line, column=column)])


def tree_files(folder: str) -> Iterable[str]:
    """Return the tree files in a folder and below it, sorted; without hidden ones, and answers to `expectitree ask`."""
    found = []
    for here, folders, names in os.walk(folder, onerror=_unreadable_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = os.path.join(here, name)
            is_tree = os.path.splitext(name)[1].lower() in SUFFIXES and not name.endswith(ANSWERS)
            if is_tree and not name.startswith(".") and not _is_special(path):
                found.append(path)
    return sorted(found)


def _unreadable_folder(error: OSError) -> None:
    raise FileError([Problem(str(error.filename), f"the folder cannot be read: {error.strerror}")])


def _is_special(path: str) -> bool:
    """Say whether a path is a pipe or a device, which would not end; a link that leads nowhere is none."""
    return os.path.exists(path) and not os.path.isfile(path)


def _unreadable(name: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        folder = Path(name).parent
        if not folder.is_dir():
            return "there is no such file: check the path"
        from difflib import get_close_matches

        try:
            names = sorted(os.listdir(folder))[:10_000]
        except OSError:
            names = []
        if Path(name).name in names:
            return "this link leads nowhere: check what it points to"
        near = get_close_matches(Path(name).name, names, n=1)
        return f"there is no such file{f' (did you mean {folder / near[0]}?)' if near else ': check the path'}"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, expected a file"
    reason = getattr(error, "strerror", None) or str(error)
    return f"the file cannot be read: {reason[:1].lower()}{reason[1:]}"


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking again and again at a tree that only grows (a third of the time)."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
