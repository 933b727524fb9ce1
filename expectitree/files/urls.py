"""Files at URLs, of an object store for example: the package fsspec reads them."""

from __future__ import annotations

from typing import Any, NoReturn

from expectitree.base.errors import FileError, Problem, install_hint


def is_url(path: str) -> bool:
    """Return whether a path is a URL, such as s3://bucket/tree.parquet."""
    return "://" in path


def refuse_url(url: str) -> NoReturn:
    """Raise `FileError`: of other files, parts cannot be read alone."""
    raise FileError([Problem(url, "only .parquet files are read at a URL: download this file")])


def open_url(url: str) -> Any:
    """Return the stream of bytes at a URL; raise `FileError` if nothing is there."""
    try:
        import fsspec
    except ImportError:
        missing = f"fsspec is not installed, and URLs need it: {install_hint('cluster')}"
        raise FileError([Problem(url, missing)]) from None
    try:
        return fsspec.open(url, "rb").open()
    except FileNotFoundError:
        raise FileError([Problem(url, "there is no such file: check the URL")]) from None
