"""A small table that would take much memory once it is read is refused."""

from __future__ import annotations

import gc
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from base.test_budget import MIB, run

import expectitree as et
from tests.files.formats.tables import write

ENTRY = [("child", pa.uint32()), ("probability", pa.float64()), ("label", pa.string())]
DICTIONARY = pa.dictionary(pa.int32(), pa.string())


def zeros(count: int) -> Any:
    """Return terminals that are worth 0: they compress to nearly nothing."""

    def column(type: Any, width: int, **inside: Any) -> Any:
        buffers = [None, pa.py_buffer(bytes(width * (count + 1)))]
        return pa.Array.from_buffers(type, count, buffers, **inside)

    entries = pa.struct(ENTRY)
    kinds = pa.DictionaryArray.from_arrays(column(pa.int8(), 1), ["TERMINAL"])
    branches = column(pa.list_(entries), 4, children=[pa.array([], entries)])
    columns = [kinds, column(pa.float64(), 8), branches]
    return pa.table(columns, names=["kind", "utility", "branches"])


def one_label(count: int, label: str, type: Any) -> Any:
    """Return a MAX node whose branches have the same label, stored once."""
    if pa.types.is_dictionary(type):
        texts = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), [label])
    else:
        view = struct.pack("<i4sii", len(label), label[:4].encode(), 0, 0)
        buffers = [None, pa.py_buffer(view * count), pa.py_buffer(label.encode())]
        texts = pa.Array.from_buffers(type, count, buffers)
    entries = pa.StructArray.from_arrays(
        [pa.array(range(count), pa.uint32()), pa.array([1.0] * count), texts],
        names=[name for name, _ in ENTRY],
    )
    first = pa.array([0] * (count + 1) + [count], pa.int32())
    return pa.table(
        {
            "kind": ["TERMINAL"] * count + ["MAX"],
            "utility": pa.array([0.0] * count + [None], pa.float64()),
            "branches": pa.ListArray.from_arrays(first, entries),
        }
    )


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_an_arrow_file_is_refused_before_it_is_decompressed(
    compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "x.arrow", zeros(100_000), compression=compression)
    gc.collect()  # tables of earlier tests
    before = pa.total_allocated_bytes()
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.001")
    with pytest.raises(et.FileError, match=r"takes more than 30\d,\d+ bytes of memory"):
        et.load(str(path))
    assert pa.total_allocated_bytes() == before


@pytest.mark.slow
def test_a_hostile_arrow_file_takes_little_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "x.arrow", zeros(60_000_000), compression="zstd")
    assert path.stat().st_size < MIB
    done = run(tmp_path, "eval", "x.arrow", most=700)
    assert done.returncode == 3
    assert "bytes takes more than 307," in done.stderr
    assert "set EXPECTITREE_BUDGET=10" in done.stderr


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_the_texts_of_a_dictionary_are_counted(
    compression: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = one_label(2, "x" * 1_000_000, DICTIONARY)
    path = write(tmp_path / "x.arrow", rows, compression=compression)
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.001")
    with pytest.raises(et.FileError, match="takes more than"):
        et.load(str(path))


@pytest.mark.parametrize("type", [DICTIONARY, pa.string_view(), pa.binary_view()], ids=str)
@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_labels_that_share_a_text_are_counted(
    type: Any, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / f"x.{suffix}", one_label(2_000, "x" * 10_000, type))
    assert path.stat().st_size < 150_000
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.05")
    with pytest.raises(et.FileError, match=r"takes more than 1\d,\d+,\d+ bytes of memory"):
        et.load(str(path))
    monkeypatch.setenv("EXPECTITREE_BUDGET", "1")
    with pytest.raises(et.FileError, match="duplicate label"):
        et.load(str(path))


def write_texts(path: Path, count: int, label: str, encoding: str, version: str = "1.0") -> Path:
    """Write `one_label` as Parquet, its labels in an encoding without a dictionary."""
    rows = one_label(count, label, DICTIONARY)
    rows = rows.set_column(2, "branches", rows.column("branches").cast(pa.list_(pa.struct(ENTRY))))
    pa.parquet.write_table(
        rows,
        path,
        use_dictionary=["kind"],
        column_encoding={"branches.list.element.label": encoding},
        data_page_version=version,
        compression="zstd",
    )
    return path


TEXTS = ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", TEXTS)
def test_texts_that_take_much_memory_are_refused(
    encoding: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts that share prefixes take less in the file than all other encodings."""
    count, label = (2_000, "x" * 10_000) if encoding == TEXTS[-1] else (1, "x" * 20_000_000)
    path = write_texts(tmp_path / "x.parquet", count, label, encoding, version)
    assert path.stat().st_size < 20_000
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.05")
    with pytest.raises(et.FileError, match=r"takes more than 1\d,\d+,\d+ bytes of memory"):
        et.load(str(path))
