"""Parquet: the tables of the module `arrow`, compressed; a batch of rows is a row group.

A file may be at a URL, of an object store for example: then fsspec reads its parts.
"""

from __future__ import annotations

import os
from functools import lru_cache, partial
from typing import Any, BinaryIO

from expectitree.base.budget import check_memory, check_rows
from expectitree.base.tree.model import Tree
from expectitree.files.formats import arrow  # the error without pyarrow
from expectitree.files.formats.arrow import ArrowException
from expectitree.files.urls import is_url, naming_url, open_url


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, Batches)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False, **options: Any) -> None:
    """Write a tree to a stream as `arrow.save` does."""
    from pyarrow.parquet import ParquetWriter

    arrow.write(arrow.batches_of(tree, drop_fractions, **options), stream, ParquetWriter)


class Batches:
    """The row groups of a Parquet file."""

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        self._path = path
        with naming_url(path, ArrowException):
            source: Any = open_url(path) if is_url(path) else path
            self.size = source.size if is_url(path) else os.path.getsize(path)
            about = parquet.read_metadata(source)
        groups = [about.row_group(at) for at in range(about.num_row_groups)]
        self.rows = [group.num_rows for group in groups]
        check_rows(about.num_rows, self.size)
        check_memory(sum(group.total_byte_size for group in groups), self.size)
        # As dictionaries where possible, since a file may store a long text once for many rows.
        columns = [about.schema.column(at) for at in range(len(about.schema))]
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        self._open = partial(parquet.ParquetFile, source, metadata=about)
        self._file: Any = self._open(read_dictionary=texts)
        self.schema = self._file.schema_arrow
        self.peek = lru_cache(1)(self.read)  # a row needs its whole group

    def read(self, at: int) -> arrow.Table:
        """Return a row group as a table."""
        with naming_url(self._path, ArrowException):
            try:
                return self._file.read_row_group(at)
            except (ArrowException, OSError):  # some encodings are not read as dictionaries
                self._file = self._open()
                return self._file.read_row_group(at)
