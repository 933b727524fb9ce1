"""The memory that a Parquet file takes once it is read, computed before it is read.

The footer says where the pages of each column are, and each page begins with its size before
compression. Both are written in Thrift's compact protocol. We read it ourselves because pyarrow
ends the process, without an exception, if a program asks for damaged metadata of a column. See
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md, and for the
numbers of the fields parquet.thrift in https://github.com/apache/parquet-format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from typing import Any, NamedTuple

MOST_ITEMS = 5_000_000  # fields and items of lists; a column and a page have about 30 each
_ROW_GROUPS, _COLUMNS, _META_DATA = 4, 1, 3
# Fields of the metadata of a column in a row group.
_NUM_VALUES, _COMPRESSED_SIZE, _DATA_OFFSET, _DICTIONARY_OFFSET = 5, 7, 9, 11
# Fields of the header of a page.
_PAGE_SIZE, _PAGE_COMPRESSED_SIZE = 2, 3
_DATA_PAGE, _ENCODING = 5, 2
_DATA_PAGE_V2, _ENCODING_V2 = 8, 4
_PAGE_VALUES = 1  # of data pages of both versions
# Encodings of texts that pyarrow does not read as dictionaries. In the second, a text begins with
# as many bytes of the one before as it likes: each may be as long as the page.
_DELTA_LENGTHS, _DELTA_TEXTS = 6, 7
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)
_MOST_BITS = 64


class ThriftError(ValueError):
    """The data are not of the protocol."""


class Size(NamedTuple):
    """The size of a column, or of a part of it."""

    values: int
    memory: int  # bytes, at most; a text that a dictionary holds counts once
    has_dictionary: bool  # whether pyarrow can read its texts as a dictionary


def column_sizes(path: str) -> list[Size]:
    """Return the sizes of the columns of a Parquet file; raise `ThriftError`."""
    with open(path, "rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        try:
            start = len(data) - 8 - struct.unpack_from("<I", data, len(data) - 8)[0]
            reader = _Reader(data)
            groups = reader.struct(start)[_ROW_GROUPS]
            parts = [
                [_size_of(reader, column[_META_DATA]) for column in group[_COLUMNS]]
                for group in groups
            ]
            return [_total(column) for column in zip(*parts, strict=True)]
        except (LookupError, TypeError, AttributeError, RecursionError, struct.error):
            raise ThriftError("its metadata are damaged") from None


def _total(parts: tuple[Size, ...]) -> Size:
    values, memory, has_dictionary = zip(*parts, strict=True)
    return Size(sum(values), sum(memory), all(has_dictionary))


def _size_of(reader: _Reader, column: dict[int, Any]) -> Size:
    """Return the size of a column in one row group."""
    memory, has_dictionary = 0, True
    for page in _pages(reader, column):
        own = page[_PAGE_SIZE]
        if _DATA_PAGE_V2 in page:
            about = page[_DATA_PAGE_V2]
            encoding = about[_ENCODING_V2]
        else:
            about = page.get(_DATA_PAGE, {})
            encoding = about.get(_ENCODING)  # none for the page of a dictionary
        if encoding in (_DELTA_LENGTHS, _DELTA_TEXTS):
            has_dictionary = False
        memory += own * max(1, about[_PAGE_VALUES]) if encoding == _DELTA_TEXTS else own
    return Size(column[_NUM_VALUES], memory, has_dictionary)


def _pages(reader: _Reader, column: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """Yield the headers of the pages of a column in one row group."""
    if not column[_NUM_VALUES]:
        return  # Then Arrow writes 0 as the place of the data.
    at = min(column[_DATA_OFFSET], column.get(_DICTIONARY_OFFSET) or column[_DATA_OFFSET])
    end = at + column[_COMPRESSED_SIZE]
    while at < end:
        page = reader.struct(at)
        if min(page[_PAGE_SIZE], page[_PAGE_COMPRESSED_SIZE]) < 0:
            raise ThriftError("a page has a negative size")
        yield page
        at = reader.at + page[_PAGE_COMPRESSED_SIZE]


class _Reader:
    """Reads values from some bytes; texts and numbers that are not whole are None."""

    def __init__(self, data: Any) -> None:
        self.data, self.at, self.items = data, 0, 0

    def struct(self, at: int) -> dict[int, Any]:
        """Return the values of the structure at a place by the numbers of their fields."""
        self.at = at
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
            raise ThriftError(f"its metadata have more than {MOST_ITEMS:,} items")
        if kind in _INTEGERS:
            return self._integer()
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _STRUCT:
            return self.struct(self.at)
        if kind == _BINARY:
            size = self._unsigned()
            self.at += size
        elif kind in (_BYTE, _DOUBLE):
            self.at += 1 if kind == _BYTE else 8
        elif kind not in (_TRUE, _FALSE):
            raise ThriftError("its metadata are damaged")
        return None

    def _list(self) -> list[Any]:
        size, kind = divmod(self._byte(), 16)
        size = self._unsigned() if size == 15 else size
        kind = _BYTE if kind in (_TRUE, _FALSE) else kind  # in a list they take a byte each
        return [self._value(kind) for _ in range(size)]

    def _byte(self) -> int:
        self.at += 1
        byte: int = self.data[self.at - 1]
        return byte

    def _unsigned(self) -> int:
        found = shift = 0
        while shift < _MOST_BITS:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
        raise ThriftError("its metadata are damaged")

    def _integer(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)
