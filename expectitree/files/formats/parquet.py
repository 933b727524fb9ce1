"""Parquet: the tables of the module `arrow`, compressed; a batch of rows is a row group."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, BinaryIO

from expectitree.base.budget import check_memory, check_rows
from expectitree.base.tree.model import Tree
from expectitree.files.formats import arrow  # the error without pyarrow
from expectitree.files.formats.arrow import ArrowException


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, read_table)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream as `arrow.save` does."""
    from pyarrow.parquet import ParquetWriter

    arrow.write(arrow.batches_of(tree, drop_fractions), stream, ParquetWriter)


def read_table(path: str) -> tuple[arrow.Table, int]:
    """Return the rows of a Parquet file, and its bytes."""
    from pyarrow import parquet

    size = os.path.getsize(path)
    about = parquet.read_metadata(path)
    groups = [about.row_group(index) for index in range(about.num_row_groups)]
    check_rows(about.num_rows, size)
    check_memory(sum(group.total_byte_size for group in groups), size)
    # As dictionaries where possible, since a file may store a long text once for many rows.
    columns = [about.schema.column(index) for index in range(len(about.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    open_file = partial(parquet.ParquetFile, path, metadata=about)
    try:
        return _rows(open_file(read_dictionary=texts)), size
    except (ArrowException, OSError):  # some encodings are not read as dictionaries
        return _rows(open_file()), size


def _rows(file: Any) -> arrow.Table:
    """Return the rows of all groups; pyarrow's `read` knows fewer types than for one group."""
    import pyarrow as pa

    tables = [file.read_row_group(index) for index in range(file.num_row_groups)]
    return pa.concat_tables(tables or [file.schema_arrow.empty_table()])
