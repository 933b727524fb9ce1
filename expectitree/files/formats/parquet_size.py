"""How many values the columns of a Parquet file have, read from its footer before its data.

The footer is written in Thrift's compact protocol. We read it ourselves because pyarrow ends the
process, without an exception, if a program asks for damaged metadata of a column. See
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md, and for the
numbers of the fields parquet.thrift in https://github.com/apache/parquet-format.
"""

from __future__ import annotations

import struct
from typing import Any

MOST_ITEMS = 5_000_000  # fields and items of lists; a column of a row group has about 30
_ROW_GROUPS, _COLUMNS, _META_DATA, _NUM_VALUES = 4, 1, 3, 5
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)
_MOST_BITS = 64


class ThriftError(ValueError):
    """The data are not of the protocol."""


def count_values(path: str) -> list[int]:
    """Return the number of values of each column of a Parquet file; raise `ThriftError`."""
    with open(path, "rb") as stream:
        stream.seek(-8, 2)
        (size,) = struct.unpack("<I4x", stream.read(8))
        stream.seek(-8 - size, 2)
        footer = stream.read(size)
    try:
        groups = _Reader(footer).struct()[_ROW_GROUPS]
        counts = [
            [column[_META_DATA][_NUM_VALUES] for column in group[_COLUMNS]] for group in groups
        ]
        return [sum(column) for column in zip(*counts, strict=True)]
    except (LookupError, TypeError, RecursionError):
        raise ThriftError("its footer is damaged") from None


class _Reader:
    """Reads values from some bytes; texts and numbers that are not whole are None."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.items = data, 0, 0

    def struct(self) -> dict[int, Any]:
        """Return the values of a structure by the numbers of their fields."""
        found: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            step, kind = divmod(head, 16)
            field = field + step if step else self._integer()
            found[field] = self._value(kind)
        return found

    def _value(self, kind: int) -> Any:
        self.items += 1
        if self.items > MOST_ITEMS:
            raise ThriftError(f"its footer has more than {MOST_ITEMS:,} items")
        if kind in _INTEGERS:
            return self._integer()
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _STRUCT:
            return self.struct()
        if kind == _BINARY:
            size = self._unsigned()
            self.at += size
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            raise ThriftError("its footer is damaged")
        return None

    def _list(self) -> list[Any]:
        size, kind = divmod(self._byte(), 16)
        size = self._unsigned() if size == 15 else size
        kind = _BYTE if kind in (_TRUE, _FALSE) else kind  # in a list they take a byte each
        return [self._value(kind) for _ in range(size)]

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _unsigned(self) -> int:
        found = shift = 0
        while shift < _MOST_BITS:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
        raise ThriftError("its footer is damaged")

    def _integer(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)
