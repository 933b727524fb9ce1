"""Parquet: the tables of the module `arrow`, compressed."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

from expectitree.budget import check_memory, check_rows
from expectitree.files.formats import arrow
from expectitree.files.formats.parquet_size import column_sizes
from expectitree.tree.model import Tree


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, _read)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream; raise `TreeError` as `arrow.save` does."""
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_batches([arrow.batch(tree, drop_fractions)]), stream)


def _read(path: str) -> Any:
    from pyarrow import parquet

    about = parquet.read_metadata(path)
    sizes, size = column_sizes(path), os.path.getsize(path)
    check_rows(max((column.values for column in sizes), default=0), size)
    check_memory(sum(column.memory for column in sizes), size)
    # As dictionaries where possible, since a file may store a long text once for many rows.
    columns = [about.schema.column(at) for at in range(len(sizes))]
    texts = [
        column.path
        for column, own in zip(columns, sizes, strict=True)
        if column.physical_type == "BYTE_ARRAY" and own.has_dictionary
    ]
    return parquet.read_table(path, read_dictionary=texts)
