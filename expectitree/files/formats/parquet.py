"""Parquet: the tables of the module `arrow`, compressed; a batch of rows is a row group."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from typing import Any, BinaryIO

from pyarrow import ArrowException

from expectitree.base.budget import check_memory, check_rows
from expectitree.base.tree.columns import Columns
from expectitree.base.tree.model import Tree
from expectitree.files.formats import arrow


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, Batches)


def save(
    tree: Tree,
    stream: BinaryIO,
    drop_fractions: bool = False,
    float32: bool = False,
    parts: Iterable[Columns] | None = None,
) -> None:
    """Write a tree to a stream as `arrow.save` does."""
    from pyarrow import parquet

    rows = arrow.batches(tree, drop_fractions, float32, parts)
    first = next(rows)
    with parquet.ParquetWriter(stream, first.schema) as writer:
        for batch in chain([first], rows):
            writer.write_batch(batch)


class Batches:
    """The row groups of a Parquet file."""

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        self.size, self._path = os.path.getsize(path), path
        about = parquet.read_metadata(path)
        groups = [about.row_group(at) for at in range(about.num_row_groups)]
        self.rows = [group.num_rows for group in groups]
        check_rows(about.num_rows, self.size)
        check_memory(sum(group.total_byte_size for group in groups), self.size)
        # As dictionaries where possible, since a file may store a long text once for many rows.
        columns = [about.schema.column(at) for at in range(len(about.schema))]
        self._open([column.path for column in columns if column.physical_type == "BYTE_ARRAY"])
        self.schema = self._file.schema_arrow
        self._last: tuple[int, Any] = -1, None

    def _open(self, dictionaries: list[str]) -> None:
        from pyarrow import parquet

        self._file: Any = parquet.ParquetFile(self._path, read_dictionary=dictionaries)

    def read(self, at: int) -> Any:
        """Return a row group as a table."""
        try:
            return self._file.read_row_group(at)
        except (ArrowException, OSError):  # in some encodings, texts are not read as dictionaries
            self._open([])
            return self._file.read_row_group(at)

    def peek(self, at: int) -> Any:
        """Return a row group of which only a few rows are needed."""
        if self._last[0] != at:
            self._last = at, self.read(at)
        return self._last[1]
