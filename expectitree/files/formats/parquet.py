"""Parquet: the tables of the module `arrow`, compressed."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

from expectitree.budget import check_rows
from expectitree.files.formats import arrow
from expectitree.files.formats.parquet_size import count_values
from expectitree.tree.model import Tree


def load(path: str, exact: bool = False) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return arrow.load_table(path, _read, exact)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream; raise `TreeError` as `arrow.save` does."""
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_batches([arrow.batch(tree, drop_fractions)]), stream)


def _read(path: str) -> Any:
    from pyarrow import parquet

    about = parquet.read_metadata(path)
    check_rows(max(count_values(path), default=0), os.path.getsize(path))
    columns = [about.schema.column(at) for at in range(about.num_columns)]
    # As dictionaries, since a file may store a long text once for many rows.
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    try:
        return parquet.read_table(path, read_dictionary=texts)
    except OSError:  # "not yet implemented" for some encodings, such as DELTA_BYTE_ARRAY
        return parquet.read_table(path)
