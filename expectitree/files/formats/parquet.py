"""Parquet: the tables of the module `arrow`, compressed."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

from expectitree.base.budget import check_memory, check_rows
from expectitree.base.tree.model import Tree
from expectitree.files.formats import arrow


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, _read)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream; raise `TreeError` as `arrow.save` does."""
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_batches([arrow.batch(tree, drop_fractions)]), stream)


def _read(path: str) -> Any:
    from pyarrow import ArrowException, parquet

    # As dictionaries where possible, since a file may store a long text once for many rows.
    schema = parquet.read_metadata(path).schema
    columns = [schema.column(at) for at in range(len(schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    try:
        return _read_groups(path, texts)
    except (ArrowException, OSError):  # in some encodings, texts cannot be read as dictionaries
        return _read_groups(path, [])


def _read_groups(path: str, dictionaries: list[str]) -> Any:
    """Return the table, read by row groups, while the budget allows it."""
    from pyarrow import concat_tables, parquet

    size, memory = os.path.getsize(path), 0
    with parquet.ParquetFile(path, read_dictionary=dictionaries) as file:
        about = file.metadata
        groups = range(about.num_row_groups)
        check_rows(about.num_rows, size)
        check_memory(sum(about.row_group(at).total_byte_size for at in groups), size)
        parts = [file.schema_arrow.empty_table()]
        for at in groups:
            parts.append(file.read_row_group(at))
            memory += parts[-1].nbytes
            check_memory(memory, size)
    return concat_tables(parts)
