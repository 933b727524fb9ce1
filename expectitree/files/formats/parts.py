"""A tree in an Arrow or Parquet file that is read in parts, for trees that do not fit into memory.

Only backward induction can read a tree so (`searches.streaming`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from expectitree.base import compiling
from expectitree.base.budget import check_rows
from expectitree.base.errors import TreeError
from expectitree.base.tree.adopt import check_labels
from expectitree.base.tree.columns import Columns
from expectitree.files.formats import arrow, parquet
from expectitree.files.metadata import read_metadata

PART = 1 << 20  # rows: 25 MB, which the processor's cache holds


class TableParts:
    """The rows of an Arrow or Parquet file; a `streaming.Table`."""

    def __init__(self, path: str) -> None:
        compiling.assume_started()
        format = parquet if path.endswith(".parquet") else arrow
        self._batches = format.Batches(path)
        self._starts = [*accumulate(self._batches.rows, initial=0)]
        self.count = self._starts[-1]
        check_rows(self.count, self._batches.size)
        self.about = read_metadata((self._batches.schema.metadata or {}).get(arrow.KEY))

    def parts(self) -> Iterator[Columns]:
        """Yield the rows in parts, in order."""
        start = 0
        for at, rows in enumerate(self._batches.rows):
            batch = self._batches.read(at)
            for begin in range(0, rows, PART):
                columns, labels = arrow.columns_of(batch.slice(begin, PART), self._batches.size)
                for message in () if labels is None else check_labels(columns, labels, start):
                    raise TreeError(message)
                start += len(columns.kind)
                yield columns

    def row(self, node: int) -> tuple[Columns, list[str | None]]:
        """Return one row as such a part, and the labels of its branches."""
        at = bisect_right(self._starts, node) - 1
        row = self._batches.peek(at).slice(node - self._starts[at], 1)
        columns, labels = arrow.columns_of(row, self._batches.size)
        codes = "BdIIdd"  # copied, since a view would keep the whole batch in memory
        columns = Columns.of(*map(array, codes, columns.stored))
        return columns, [None] * len(columns.child) if labels is None else labels[:]
