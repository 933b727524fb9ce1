"""Files at URLs, of an object store for example: the package fsspec reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from expectitree.base.errors import ExpectitreeError, install_hint
from expectitree.base.numbers import escape
from expectitree.files.grammar.document import error_in


def is_url(path: str) -> bool:
    """Return whether a path is a URL, such as s3://bucket/tree.parquet."""
    return "://" in path


def refuse_url(url: str) -> NoReturn:
    """Raise `FileError`: of other files, parts cannot be read alone."""
    raise error_in(url, "only .parquet files are read at a URL: download this file")


@contextmanager
def naming_url(path: str, *kept: type[Exception]) -> Iterator[None]:
    """Raise `FileError` in place of an error of the file system at a URL, of whatever class.

    Errors of the classes that are `kept` remain, and so do all errors of other paths.
    """
    try:
        yield
    except FileNotFoundError:
        if not is_url(path):
            raise
        raise error_in(path, "there is no such file\ncheck the URL") from None
    except Exception as error:
        if not is_url(path) or isinstance(error, (ExpectitreeError, *kept)):
            raise
        reason = escape(str(error).splitlines()[0][:200]) if str(error) else type(error).__name__
        raise error_in(path, f"the file cannot be read: {reason}") from None


def open_url(url: str) -> Any:
    """Return the stream of bytes at a URL."""
    try:
        import fsspec
    except ImportError:
        raise error_in(
            url, f"fsspec is not installed, and URLs need it\n{install_hint('cluster')}"
        ) from None
    return fsspec.open(url, "rb").open()
