"""The texts of files and streams: read, decoded and checked before any format reads them."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path
from typing import IO

from expectitree.base.budget import read_limited
from expectitree.base.errors import FileError, NumberError, Problem
from expectitree.base.names import nearest
from expectitree.base.numbers import escape
from expectitree.files.formats import FORMATS
from expectitree.files.grammar.document import error_at, error_in

# By the byte order mark that begins the text, the longer ones first.
_ENCODINGS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
PREFIX = "example:"  # of a file's name: `example:risk` is the example named risk
_TABLE = "write the tree as a table, such as .arrow"
_MAPPING = re.compile(r":\s|[{\[]")  # in YAML or JSON, and hardly ever in the name of a file
_ZIP = b"PK\x03\x04"  # begins the files of Excel and LibreOffice


def read_text(source: str | os.PathLike[str] | IO[str] | IO[bytes]) -> tuple[str, str]:
    """Return the text of a file or a stream, and its name in messages."""
    content: str | bytes
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        if name == "-" and sys.stdin is None:
            raise error_in(name, "standard input is closed\nname a file, or pipe a tree in")
    else:
        name = str(getattr(source, "name", "<stream>"))
    try:
        if not isinstance(source, (str, os.PathLike)):
            content = read_limited(source, name, _TABLE)
        elif name == "-":
            content = read_limited(sys.stdin.buffer, name, _TABLE)
        elif isinstance(source, str) and name.startswith(PREFIX):
            content = read_example(name.removeprefix(PREFIX))
        else:
            with open(name, "rb") as stream:
                content = read_limited(stream, name, _TABLE)
    except UnicodeDecodeError:
        raise error_in(name, "this is not UTF-8\nsave the file as UTF-8") from None
    except NumberError:  # the budget is not a number, which is not the fault of the file
        raise
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from None
    if isinstance(content, bytes):
        content = decode(content, name)
    return content, name


def decode(content: bytes, name: str) -> str:
    """Return the text of a file's bytes, which must be UTF-8."""
    for format in FORMATS.values():
        if format.magic and content.startswith(format.magic):
            raise error_in(
                name,
                f"found tables, expected text\ngive a file whose name ends in {format.suffixes[0]}",
            )
    if content.startswith(_ZIP):
        raise error_in(
            name, "found a ZIP archive, expected text\nsave a spreadsheet as CSV in UTF-8"
        )
    for mark, encoding in _ENCODINGS.items():
        if content.startswith(mark):
            raise error_in(name, f"found {encoding}, expected UTF-8\nsave the file as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        hint = "save the file as UTF-8" + ", if it is text" * (b"\0" in content)
        raise error_at(
            before, len(before), name, f"the byte 0x{content[error.start]:02x} is not UTF-8\n{hint}"
        ) from None


def check_characters(text: str, name: str) -> None:
    """Raise `FileError` for a character that no text of any format has."""
    if (place := text.find("\0")) >= 0:
        raise error_at(
            text,
            place,
            name,
            "found a NUL character, expected text\nthe file is not text, or it is damaged",
        )
    if (place := half_pair(text)) >= 0:
        raise error_at(
            text,
            place,
            name,
            "found half of a surrogate pair, expected a character\nwrite the character itself",
        )


# An escaped backslash, an escaped pair of surrogates, or half of such a pair (the group).
_SURROGATES = re.compile(
    r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def half_pair(text: str) -> int:
    """Return where a surrogate has no other half, as a character or an escape; -1 if nowhere."""
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        return error.start
    if "\\ud" not in text and "\\uD" not in text:
        return -1
    return next((match.start(1) for match in _SURROGATES.finditer(text) if match[1]), -1)


class UnreadableError(FileError):
    """A file that the system cannot read."""


def unreadable(name: str, error: OSError | ValueError) -> UnreadableError:
    """Return the error for a file that the system cannot read."""
    return UnreadableError([Problem(name, _why_unreadable(name, error))])


def _why_unreadable(name: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        path = Path(name)
        if "://" in name and not name.startswith("file:"):
            return "a URL is not read\ndownload the file, and name it"
        if _MAPPING.search(name):
            return (
                "there is no such file\na tree is typed after -e: expectitree eval -e "
                f"{shlex.quote(escape(name))}; in Python, use loads"
            )
        try:
            names = sorted(os.listdir(path.parent))[:10_000]
        except OSError:
            names = []
        if path.name in names:
            return "this link leads nowhere\ncheck its target"
        stems = {Path(other).stem: other for other in names}  # endings make all names alike
        near, example = nearest(path.stem, stems), nearest(path.stem, examples())
        hint = "check the path"
        if example == path.stem:
            hint = f"the example of this name is {PREFIX}{example}"
        elif near:
            hint = f"did you mean {path.parent / stems[near]}?"
        elif example:
            hint = f"did you mean {PREFIX}{example}?"
        return f"there is no such file\n{hint}"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, expected a file"
    reason = getattr(error, "strerror", None) or str(error)
    return f"the file cannot be read: {reason[:1].lower()}{reason[1:]}"


def examples() -> dict[str, Path]:
    """Return the file of each example tree by its name, which has no ending.

    They are in the folder `trees` of a checkout, in `expectitree/trees` when installed.
    """
    package = Path(__file__).parent.parent
    folders = (package / "trees", package.parent / "trees")
    folder = next((folder for folder in folders if folder.is_dir()), folders[0])
    return {file.stem: file for file in sorted(folder.glob("*")) if file.suffix != ".md"}


def read_example(name: str) -> bytes:
    """Return the content of the example with a name; raise `FileError` if there is none."""
    known = examples()
    if name not in known:
        hint = f"choose among {', '.join(known)}"
        if near := nearest(name, known):
            hint = f"did you mean {near}?"
        raise error_in(f"{PREFIX}{name}", f"there is no such example\n{hint}")
    return known[name].read_bytes()
