"""A tree in an Arrow or Parquet file that is read in parts, for trees that do not fit into memory.

Only backward induction can read a tree so (`searches.streaming`).
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from math import inf
from typing import Any

from expectitree.base.budget import check_rows
from expectitree.base.errors import TreeError
from expectitree.base.tree.columns import Columns, expect_rows
from expectitree.files.formats import arrow, parquet
from expectitree.files.metadata import read_metadata
from expectitree.files.urls import is_url

PART = 1 << 20  # rows: 25 MB, which the processor's cache holds


class TableParts:
    """The rows of an Arrow or Parquet file; a `streaming.Table`."""

    def __init__(self, path: str, size: int | None = None) -> None:
        expect_rows(inf)
        open_batches = parquet.Batches if path.endswith(".parquet") else arrow.Batches
        self._path, self._batches = path, open_batches(path)
        self._size: int = self._batches.size
        if size not in (None, self._size):  # on another machine
            raise TreeError(f"{path} has {self._size:,} bytes, expected {size:,}: use one file")
        self._starts = [*accumulate(self._batches.rows, initial=0)]
        self.count = self._starts[-1]
        check_rows(self.count, self._size)
        self.about = read_metadata((self._batches.schema.metadata or {}).get(arrow.KEY))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the path, so that a worker opens the file itself."""
        path = self._path
        if not is_url(path):
            path = os.path.abspath(path)
        return TableParts, (path, self._size)

    def parts(self, start: int, stop: int) -> Iterator[Columns]:
        """Yield some rows in parts, in order."""
        for at in range(bisect_right(self._starts, start) - 1, len(self._batches.rows)):
            if self._starts[at] >= stop:
                break
            batch = self._batches.read(at)
            end = min(batch.num_rows, stop - self._starts[at])
            for begin in range(start - self._starts[at], end, PART):
                rows = batch.slice(begin, min(PART, end - begin))
                columns, labels = arrow.columns_of(rows, self._size)
                arrow.check_texts(columns, labels, start)
                start += len(columns.kind)
                yield columns

    def row(self, node: int) -> tuple[Columns, list[str | None]]:
        """Return one row as such a part, and the labels of its branches."""
        at = bisect_right(self._starts, node) - 1
        row = self._batches.peek(at).slice(node - self._starts[at], 1)
        columns, labels = arrow.columns_of(row, self._size)
        codes = "BdIIdd"  # copied, since a view would keep the whole batch in memory
        columns = Columns.of(*map(array, codes, columns.stored))
        if labels is None:
            return columns, [None] * len(columns.child)
        return columns, labels[:]
