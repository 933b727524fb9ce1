"""The memory that an Arrow table takes once it is read, computed before it is read.

A batch is decompressed as a whole, so a small file could take all memory. Each compressed buffer
begins with its length before compression, or -1. The metadata of a message has the places of the
buffers, in tables of FlatBuffers:
https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, TypeAlias

import pyarrow as pa
from pyarrow import compute

from expectitree.base.budget import check_memory

# pyarrow has no types.
Array: TypeAlias = Any
Buffer: TypeAlias = Any
Message: TypeAlias = Any

# The place of a field in its table of FlatBuffers.
_HEADER = 2  # of a message
_DATA = 1  # of the header of a dictionary: a batch
_BUFFERS, _COMPRESSION = 2, 3  # of a batch
_BLOCKS = (2, 3)  # of a file's footer: dictionaries and batches
_BLOCK = 24  # bytes: the offset of a message, the length of its metadata, that of its body
_BUFFER = 16  # bytes: offset and length
_PADDED = 64  # bytes; no buffer takes less memory

# The types that store a text once however often an array holds it.
VIEWS = (pa.string_view(), pa.binary_view())


def check_file(content: Buffer, size: int) -> None:
    """Raise `TooMuchWorkError` if a file in a buffer would take too much memory."""
    total = 0
    try:
        for message in _messages(content):
            for length in _lengths(message):
                total += length
                check_memory(total, size)
    except (struct.error, IndexError, EOFError) as error:
        raise ValueError(f"wrong metadata: {error}") from None


def text_bytes(texts: Array) -> int:
    """Return the length of all texts of an array, also of those that are stored once."""
    if pa.types.is_dictionary(texts.type):
        lengths = compute.binary_length(texts.dictionary).take(texts.indices)
    elif texts.type in VIEWS:  # its second buffer has four integers for each text
        count = 4 * len(texts)
        buffers = [None, texts.buffers()[1]]
        views = pa.Array.from_buffers(pa.int32(), count, buffers, offset=4 * texts.offset)
        every = compute.list_element(pa.FixedSizeListArray.from_arrays(views, 4), 0)
        lengths = compute.if_else(texts.is_valid(), every, 0)
    else:
        return 0  # what is stored already takes memory
    return compute.sum(lengths).as_py() or 0


def _messages(content: Buffer) -> Iterator[Message]:
    """Yield the messages that the footer of a file lists."""
    end = len(content) - 10  # before the length of the footer and the last six letters
    start = end - unpack_from("<i", content, end)[0]
    footer = start + unpack_from("<I", content, start)[0]
    for blocks in _BLOCKS:
        for block in _items(content, _field(content, footer, blocks), _BLOCK):
            offset, metadata, body = unpack_from("<qixxxxq", content, block)
            yield pa.ipc.read_message(content.slice(offset, metadata + body))


def _lengths(message: Message) -> Iterator[int]:
    """Yield the length of each compressed buffer of a message before compression."""
    data, body = message.metadata, message.body
    if message.type not in ("dictionary", "record batch"):
        return
    batch = _table(data, _field(data, unpack_from("<I", data)[0], _HEADER))
    if message.type == "dictionary":
        batch = _table(data, _field(data, batch, _DATA))
    if not _field(data, batch, _COMPRESSION):
        return
    for buffer in _items(data, _field(data, batch, _BUFFERS), _BUFFER):
        offset, length = unpack_from("<qq", data, buffer)
        if length:
            yield max(_PADDED, *unpack_from("<q", body, offset))
        else:
            yield _PADDED


def _field(data: Buffer, table: int, number: int) -> int:
    """Return the place of a field of a table, 0 if it has none."""
    fields = table - unpack_from("<i", data, table)[0]
    entry = 4 + 2 * number
    if entry >= unpack_from("<H", data, fields)[0]:
        return 0
    offset: int = unpack_from("<H", data, fields + entry)[0]
    return offset and table + offset


def _table(data: Buffer, place: int) -> int:
    """Return the place of the table to which a field refers."""
    offset: int = unpack_from("<I", data, place)[0]
    return place + offset


def _items(data: Buffer, place: int, width: int) -> Iterator[int]:
    """Yield the place of each item of the list to which a field refers."""
    if place:
        start = _table(data, place)
        count = unpack_from("<I", data, start)[0]
        yield from range(start + 4, start + 4 + count * width, width)
