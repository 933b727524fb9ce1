"""The only module that opens files for writing: one way to replace a file, one to add to it.

docs/decisions/0022-writing.md has the reasons; a test asserts that no other module opens files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from functools import partial
from pathlib import Path
from struct import pack
from typing import IO, BinaryIO
from zlib import crc32

from expectitree.base import interrupts
from expectitree.files.grammar.document import error_in

_State = tuple[int, ...] | None  # of a file; None if there is none
_COMMENTS = {".pdf": "% {}", ".tex": "% {}", ".mmd": "%% {}", ".dot": "// {}"}
_COMMENT = "<!-- {} -->"  # in the other formats that are marked, except .png
_IEND = 12  # bytes of the last chunk of a .png, before which other chunks may be


class OutputFile(str):
    """The name of a file to write, with the state of the file when the name was made."""

    seen: _State

    def __new__(cls, name: str) -> OutputFile:
        file = super().__new__(cls, name)
        file.seen = _state(name)
        return file


@contextmanager
def named_errors(name: str, what: str, advice: str = "") -> Iterator[None]:
    """Turn an error of the system into a `FileError` with the name of the file."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise error_in(name, f"{what}: {reason}{advice}") from error


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Yield a stream to a temporary file, which finally replaces the file `path`.

    So the old file survives if the disk is full or the machine stops. The new file has the old
    one's mode. A link stays a link, and must lead to a place in its own folder. Raises `FileError`
    if the file cannot be written, or if `path` is an `OutputFile` and the file has changed since
    that was made. Of several threads that write to one plain path, the last one wins.
    """
    with named_errors(path, "the file cannot be written"):
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            with open(path, "wb") as special:  # a device or a pipe cannot be replaced
                yield special
            return
        target = _without_link(path)
        mode = _mode(target)
        folder = os.path.dirname(target)
        where = f"the file cannot be written: no file can be made in the folder {folder or '.'}"
        with interrupts.held():  # otherwise, Ctrl-C could leave the file
            with named_errors(path, where):
                temporary, handle = _temporary_file(folder, 0o666 if mode is None else mode)
            stream = os.fdopen(handle, "wb")
            remove = partial(Path.unlink, Path(temporary), missing_ok=True)
            interrupts.at_exit.append(remove)
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if mode is not None and stat.S_IMODE(os.stat(temporary).st_mode) != mode:
                os.chmod(temporary, mode)
            if isinstance(path, OutputFile) and path.seen != _state(path):
                raise error_in(
                    path, "another program changed the file in the meantime\nrun this again"
                )
            stream.close()  # Windows neither renames nor removes a file that is open
            os.replace(temporary, target)
        except BaseException:
            _close(stream)
            remove()  # nothing is there if Ctrl-C came after the file was replaced
            raise
        finally:
            interrupts.at_exit.remove(remove)


def _temporary_file(folder: str, mode: int) -> tuple[str, int]:
    """Make a file whose name no other file, process or thread has; return its name and handle."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        name = os.path.join(folder, f".expectitree-{os.urandom(8).hex()}")
        with suppress(FileExistsError):
            return name, os.open(name, flags, mode)


def write_marked(content: bytes, path: str) -> None:
    """Write a file with a mark: the hash of the rest, by which `is_as_written` knows it again."""
    before, mark, after = _marked(content, path)
    with whole_file(path) as stream:
        stream.write(before + mark + after)


def is_as_written(path: str) -> bool:
    """Return whether a file was made by `write_marked` and has not changed since."""
    if not os.path.isfile(path):
        return False
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    before, mark, after = _marked(content, path)  # a mark of the same length
    unmarked = before[: -len(mark)] + after
    return content == b"".join(_marked(unmarked, path))


def _marked(content: bytes, path: str) -> tuple[bytes, bytes, bytes]:
    """Return what is before the mark of a content, the mark, and what is after it."""
    from hashlib import sha256  # takes 6 ms

    text = f"written by expectitree, sha256 {sha256(content).hexdigest()}"
    ending = os.path.splitext(path)[1].lower()
    if ending != ".png":
        comment = _COMMENTS.get(ending, _COMMENT).format(text)
        return content, f"\n{comment}\n".encode(), b""
    data = f"tEXtComment\0{text}".encode()
    mark = pack(">I", len(data) - 4) + data + pack(">I", crc32(data))
    return content[:-_IEND], mark, content[-_IEND:]


def open_to_append(path: str) -> IO[bytes]:
    """Open a file that only grows, for `append`; raise OSError or `FileError` if that fails."""
    return open(_without_link(path), "ab+", buffering=0)


def append(stream: IO[bytes], content: bytes) -> None:
    """Add to a file and wait until the disk has it; after an OSError the file is as before."""
    size = stream.seek(0, os.SEEK_END)
    remaining = memoryview(content)
    try:
        while remaining:
            remaining = remaining[stream.write(remaining) :]
        os.fsync(stream.fileno())
    except OSError:
        with suppress(OSError):
            stream.truncate(size)
        raise


def lock(stream: IO[bytes]) -> bool | None:
    """Lock a file until it is closed; False: another program has locked it; None: no locks."""
    try:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # the system has no locks, or the file system has none
        return None
    return True


def _state(path: str) -> _State:
    """Return numbers that change if a file is edited or replaced."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _without_link(path: str) -> str:
    """Return the file to which a link leads; raise `FileError` unless it is in its folder."""
    if not os.path.islink(path):
        return path
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # such as /dev/stdout
        return path
    if not target.is_relative_to(os.path.realpath(os.path.dirname(path))):
        raise error_in(path, f"this link leads out of its folder: to write there, name {target}")
    return str(target)


def _mode(path: str) -> int | None:
    """Return the mode of a file, None if there is none; raise OSError if it may not be written."""
    if os.path.isdir(path):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), path)
    try:
        os.close(os.open(path, os.O_WRONLY))
    except FileNotFoundError:
        return None
    return stat.S_IMODE(os.stat(path).st_mode)


def _close(stream: BinaryIO) -> None:
    with suppress(OSError):  # the disk was full before
        stream.close()
