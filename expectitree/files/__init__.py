"""Tree files: from text or tables to a `Tree`, and back.

A text format turns text into a `Document`; `grammar` reads documents of all formats.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Unpack

from expectitree.budget import (
    EXACT_STEPS,
    TooMuchWorkError,
    check_values,
    limited_work,
    read_limited,
    too_long,
)
from expectitree.errors import FileError, Problem, TransformError, TreeError
from expectitree.files.examples import PREFIX, read_example
from expectitree.files.formats import (
    FORMATS,
    ReadOptions,
    Warn,
    check_options,
    find_format,
    format_by_suffix,
    format_of_text,
    likely_format,
)
from expectitree.files.grammar.excerpts import error_at, with_excerpts
from expectitree.files.grammar.reader import read_tree
from expectitree.numbers import Number, quote
from expectitree.tree.model import Tree

if TYPE_CHECKING:
    from expectitree.files.grammar.document import Document

ANSWERS = ".answers.yaml"  # ends the name of a file of answers to `expectitree ask`
NO_TREES = (ANSWERS, ".csv")  # end the names of files that a folder may have next to its trees
# By the byte order mark that begins the text, the longer ones first.
_ENCODINGS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_ZIP = b"PK\x03\x04"  # begins the files of Excel and LibreOffice


def load(
    source: str | os.PathLike[str] | IO[str] | IO[bytes],
    *,
    exact: bool = False,
    warn: Warn | None = None,
    parameters: Mapping[str, Number | str] | None = None,
    format: str | None = None,
    **options: Unpack[ReadOptions],
) -> Tree:
    """Return the tree of a file.

        >>> import expectitree as et
        >>> et.load("example:risk")
        <Tree 'A risk worth taking', 7 nodes, 4 leaves>

    Args:
        source: A path, an open stream, `example:NAME` for a tree that comes with expectitree, or
            "-" for standard input. The name's ending sets the format, such as .yaml, .json, .arrow,
            .parquet, .efg or .csv; .yaml and .json files of other programs are recognised.
        exact: Keep every number as a `Fraction`; else they are floats.
        warn: Called with a message where probabilities sum to 1 only within 1e-9, and are
            normalised, and for a parameter that is not used.
        parameters: Other values of the tree's parameters, as `Tree.with_parameters` takes them.
        format: The format, such as "radiant", where ending and content do not show it.
        options: How to read a file of another program: `max_player` and `payoffs_of` (.efg), `tree`
            (SilverDecisions) and `minimize` (Radiant and .csv).

    Raises:
        FileError: The file cannot be read or is not a tree. It has every problem found.
    """
    if isinstance(source, (str, os.PathLike)):
        row = format_by_suffix(source) if format is None else find_format(format)
        if row is not None and not row.is_text:
            check_options(row, os.fspath(source), options)
            try:
                tree: Tree = row.module.load(os.fspath(source), exact)
            except OSError as error:
                raise _unreadable(os.fspath(source), error) from None
            return _with_parameters(tree, parameters)
    text, name = read_text(source)
    try:
        return loads(
            text, name=name, exact=exact, warn=warn, parameters=parameters, format=format, **options
        )
    except FileError as error:
        if not name.endswith(ANSWERS):
            raise
        hint = (
            "by its name these are answers to `expectitree ask`: "
            "name the tree, and this file after --answers"
        )
        raise FileError([Problem(name, hint), *error.problems], stopped=error.stopped) from None


def loads(
    text: str,
    *,
    name: str = "<text>",
    exact: bool = False,
    warn: Warn | None = None,
    parameters: Mapping[str, Number | str] | None = None,
    format: str | None = None,
    **options: Unpack[ReadOptions],
) -> Tree:
    """Return the tree of a text in YAML, JSON or a text format of another program.

        >>> import expectitree as et
        >>> et.loads('{"max": {"left": 3, "right": {"min": [4, "1/3"]}}}').root.children
        (<Node 0 TERMINAL>, <Node 3 MIN>)

    Args:
        text: The text.
        name: The text's name in messages. Its ending, such as .json, sets the format.
        exact: Keep every number as a `Fraction`; else they are floats.
        warn: Called with a message where probabilities sum to 1 only within 1e-9, and are
            normalised, and for a parameter that is not used.
        parameters: Other values of the tree's parameters, as `Tree.with_parameters` takes them.
        format: The format, such as "radiant", where the name and the text do not show it.
        options: How to read a text of another program: `max_player` and `payoffs_of` (.efg), `tree`
            (SilverDecisions) and `minimize` (Radiant and .csv).

    Raises:
        FileError: The text is not a tree. It has every problem found.
        TreeError: `text` is not text.
    """
    if not isinstance(text, str):
        found = f"{type(text).__name__} {quote(str(text))}"
        hint = ": from_dict reads nested data" if isinstance(text, dict) else ""
        raise TreeError(f"found {found}, expected text in YAML or JSON{hint}")
    text = text.removeprefix("\ufeff")
    row = format_of_text(text, name) if format is None else find_format(format)
    if not row.is_text:
        raise TransformError(f"{name}: {row.title} is not text: load reads it from a file")
    check_options(row, name, options)
    collects = gc.isenabled()
    gc.disable()  # it would visit the growing tree again and again, up to a third of the time
    try:
        with limited_work(EXACT_STEPS):
            if row.is_foreign:
                check_characters(text, name)
                read = row.module.read(text, name, exact, warn, **options)
                tree = _with_parameters(read, parameters)
            else:
                tree = read_tree(parse(text, name, format), exact, warn, parameters)
            if exact:
                check_values(tree.columns)
        return tree
    except TooMuchWorkError as error:
        raise _error(name, str(error)) from None
    except FileError as error:
        error = with_excerpts(error, text)
        likely = None if row.is_foreign or format is not None else likely_format(text)
        if likely is None:
            raise error from None
        hint = f"to read this as {likely.title}, add --from {likely.name}"
        raise FileError([Problem(name, hint), *error.problems], stopped=error.stopped) from None
    finally:
        if collects:
            gc.enable()


def _with_parameters(tree: Tree, parameters: Mapping[str, Number | str] | None) -> Tree:
    if not parameters:
        return tree
    from expectitree.tree.parameters import set_parameters

    return set_parameters(tree, parameters)


def parse(text: str, name: str, format: str | None = None) -> Document:
    """Return the structure of a text, in the format of the name's ending, or else of the text."""
    text = text.removeprefix("\ufeff")
    try:
        check_characters(text, name)
        return _parse(text, name, format)
    except FileError as error:
        raise with_excerpts(error, text) from None


def check_characters(text: str, name: str) -> None:
    """Raise `FileError` for a character that no text of any format has."""
    at, what = text.find("\0"), "found a NUL character, expected text"
    hint = "the file is not text, or it is damaged"
    if at < 0:
        at, what = _half_pair(text), "found half of a surrogate pair, expected a character"
        hint = "write the character itself"
    if at >= 0:
        raise error_at(text, at, name, f"{what}: {hint}")


def _parse(text: str, name: str, format: str | None) -> Document:
    found = format_by_suffix(name) if format is None else FORMATS[format]
    row = found if found is not None and found.is_text else FORMATS["yaml"]
    document: Document
    if row is not found and text.lstrip()[:1] == "{":
        with suppress(FileError):
            document = FORMATS["json"].module.parse(text, name)
            return document
    document = row.module.parse(text, name)
    return document


def read_text(source: str | os.PathLike[str] | IO[str] | IO[bytes]) -> tuple[str, str]:
    """Return the text of a file or a stream, and its name in messages."""
    content: str | bytes | None
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if name == "-" and sys.stdin is None:
            raise _error(name, "standard input is closed: name a file, or pipe a tree in")
    else:
        name = str(getattr(source, "name", "<stream>"))
    try:
        if not isinstance(source, (str, os.PathLike)):
            content = read_limited(source)
        elif name == "-":
            content = read_limited(sys.stdin.buffer)
        elif isinstance(source, str) and name.startswith(PREFIX):
            content = read_example(name.removeprefix(PREFIX))
        else:
            with open(name, "rb") as stream:
                content = read_limited(stream)
    except UnicodeDecodeError:
        raise _error(name, "this is not UTF-8: save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    if content is None:
        raise _error(name, f"{too_long()}split the tree")
    return (content if isinstance(content, str) else decode(content, name)), name


def decode(content: bytes, name: str) -> str:
    """Return the text of a file's bytes, which must be UTF-8."""
    for format in FORMATS.values():
        if format.magic and content.startswith(format.magic):
            expected = f"give a file whose name ends in {format.suffixes[0]}"
            raise _error(name, f"found tables, expected text: {expected}")
    if content.startswith(_ZIP):
        raise _error(name, "found a ZIP archive, expected text: save a spreadsheet as CSV in UTF-8")
    for mark, encoding in _ENCODINGS.items():
        if content.startswith(mark):
            raise _error(name, f"found {encoding}, expected UTF-8: save the file as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        hint = "save the file as UTF-8" + ", if it is text" * (b"\0" in content)
        message = f"the byte 0x{content[error.start]:02x} is not UTF-8: {hint}"
        raise error_at(before, len(before), name, message) from None


# An escaped backslash, an escaped pair of surrogates, or half of such a pair (the group).
_SURROGATES = re.compile(
    r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def _half_pair(text: str) -> int:
    """Return where a surrogate has no other half, as a character or an escape; -1 if nowhere."""
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        return error.start
    if "\\ud" not in text and "\\uD" not in text:
        return -1
    return next((match.start(1) for match in _SURROGATES.finditer(text) if match[1]), -1)


def _error(name: str, message: str) -> FileError:
    return FileError([Problem(name, message)])


def tree_files(folder: str) -> Iterable[str]:
    """Return the tree files in a folder and below it, sorted, without hidden files and NO_TREES."""
    found = []
    for here, folders, names in os.walk(folder, onerror=_unreadable_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = os.path.join(here, name)
            is_tree = format_by_suffix(name) is not None and not name.endswith(NO_TREES)
            is_special = os.path.exists(path) and not os.path.isfile(path)  # might not end
            if is_tree and not name.startswith(".") and not is_special:
                found.append(path)
    return sorted(found)


def _unreadable_folder(error: OSError) -> None:
    raise _error(str(error.filename), f"the folder cannot be read: {error.strerror}")


def _unreadable(name: str, error: OSError | ValueError) -> FileError:
    if isinstance(error, FileNotFoundError):
        return _error(name, _why_missing(Path(name)))
    if isinstance(error, IsADirectoryError):
        return _error(name, "this is a folder, expected a file")
    reason = getattr(error, "strerror", None) or str(error)
    return _error(name, f"the file cannot be read: {reason[:1].lower()}{reason[1:]}")


def _why_missing(path: Path) -> str:
    from difflib import get_close_matches

    try:
        names = sorted(os.listdir(path.parent))[:10_000]
    except OSError:
        names = []
    if path.name in names:
        return "this link leads nowhere: check its target"
    near = get_close_matches(path.name, names, n=1)
    hint = f" (did you mean {path.parent / near[0]}?)" if near else ": check the path"
    return f"there is no such file{hint}"
