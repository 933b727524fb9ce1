"""A tree in an Arrow or Parquet file that is read in parts, for trees that do not fit into memory.

Only backward induction can read a tree so (`searches.streaming`).
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import pyarrow as pa
from pyarrow import compute

from expectitree.base.budget import check_rows
from expectitree.base.errors import TreeError
from expectitree.base.tree.adopt import check_labels
from expectitree.base.tree.columns import Columns
from expectitree.files.formats import arrow
from expectitree.files.formats.arrow_size import check_file
from expectitree.files.metadata import read_metadata

PART = 1 << 20  # rows: 25 MB, which the processor's cache holds


class ArrowParts:
    """The rows of an Arrow file; a `streaming.Table`."""

    def __init__(self, path: str, size: int | None = None) -> None:
        self.path, self.size = path, os.path.getsize(path)
        if size not in (None, self.size):  # on another machine
            raise TreeError(f"{path} has {self.size:,} bytes, expected {size:,}: use one file")
        content = pa.memory_map(path).read_buffer()
        self._file: Any = pa.ipc.open_file(content)
        check_file(content, self.size)
        # Reading copies, so that what was read does not count as used memory. A great batch is
        # mapped instead, since it could only be copied as a whole.
        batches = range(self._file.num_record_batches)
        counts = [self._file.get_batch(at).num_rows for at in batches]
        self._starts = [*accumulate(counts, initial=0)]
        self.count = self._starts[-1]
        copied: Any = pa.ipc.open_file(pa.OSFile(path))
        self._read = copied if max(counts, default=0) <= 16 * PART else self._file
        check_rows(self.count, self.size)
        self.about = read_metadata((self._file.schema.metadata or {}).get(arrow.KEY))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the path, so that a worker opens the file itself."""
        return ArrowParts, (os.path.abspath(self.path), self.size)

    def parts(self, start: int, stop: int) -> Iterator[Columns]:
        """Yield some rows in parts, in order."""
        for at in range(bisect_right(self._starts, start) - 1, self._read.num_record_batches):
            if self._starts[at] >= stop:
                break
            batch = self._read.get_batch(at)
            end = min(batch.num_rows, stop - self._starts[at])
            for begin in range(start - self._starts[at], end, PART):
                rows = batch.slice(begin, min(PART, end - begin))
                columns, labels = _part(rows, self.size)
                for message in () if labels is None else check_labels(columns, labels, start):
                    raise TreeError(message)
                start += len(columns.kind)
                yield columns

    def row(self, node: int) -> tuple[Columns, list[str | None]]:
        """Return one row as such a part, and the labels of its branches."""
        at = bisect_right(self._starts, node) - 1
        batch = self._file.get_batch(at).slice(node - self._starts[at], 1)
        columns, labels = _part(batch, self.size)
        return columns, [None] * len(columns.child) if labels is None else labels[:]


def _part(batch: Any, size: int) -> tuple[Columns, Any]:
    """Return the columns of some rows, and the labels of their branches if there are any."""
    branches = batch.column("branches")
    if pa.types.is_list(branches.type) and not branches.null_count:
        offsets = branches.offsets
        begin, end = offsets[0].as_py(), offsets[-1].as_py()
        own = pa.ListArray.from_arrays(
            compute.subtract(offsets, begin), branches.values.slice(begin, end - begin)
        )
        batch = batch.set_column(batch.schema.get_field_index("branches"), "branches", own)
    return arrow.columns_of(pa.Table.from_batches([batch]), size)
