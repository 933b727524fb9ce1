"""The sizes in Parquet files: as Arrow has them; and damage ends in an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from files.formats.tables import OTHERS, built_tree, error_message, table, write
from pyarrow import parquet

import expectitree as et
from expectitree.files.formats.parquet_size import ThriftError, column_sizes

TABLES = [name for name in OTHERS if name != "view"]  # pyarrow does not write it as Parquet


def by_arrow(path: Path) -> list[list[Any]]:
    """Return what Arrow knows of the parts of each column."""
    about = parquet.read_metadata(path)
    groups = [about.row_group(at) for at in range(about.num_row_groups)]
    return [[group.column(at) for group in groups] for at in range(about.num_columns)]


def most_values(path: Path) -> int:
    return max((column.values for column in column_sizes(str(path))), default=0)


@pytest.mark.parametrize("rows", [None, 2])
@pytest.mark.parametrize("name", TABLES)
def test_values_are_counted_as_arrow_counts_them(
    name: str, rows: int | None, tmp_path: Path
) -> None:
    path = write(tmp_path / "tree.parquet", OTHERS[name], rows=rows)
    for own, parts in zip(column_sizes(str(path)), by_arrow(path), strict=True):
        assert own.values == sum(part.num_values for part in parts)
        # Arrow adds the sizes of the headers, which are below 100 bytes: two pages a part.
        headers = sum(part.total_uncompressed_size for part in parts) - own.memory
        assert 0 < headers < 200 * len(parts)
        assert own.has_dictionary
    assert most_values(path) >= 6


def test_a_table_without_rows_has_no_values(tmp_path: Path) -> None:
    path = write(tmp_path / "tree.parquet", table([]))
    assert most_values(path) == 0


def test_any_byte_may_be_damaged(tmp_path: Path) -> None:
    """Arrow's `column` of such metadata ends the process, which ends this test."""
    path, damaged = tmp_path / "tree.parquet", tmp_path / "damaged.parquet"
    et.save(built_tree(), path)
    whole = path.read_bytes()
    found = {"read": 0, "refused": 0}
    for at in range(0, len(whole) - 8, 3):
        for byte in (0, whole[at] ^ 1, 255):
            damaged.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            try:
                column_sizes(str(damaged))
                found["read"] += 1
            except ThriftError:
                found["refused"] += 1
    assert min(found.values()) > 100


def test_damaged_statistics_of_sizes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tree.parquet"
    et.save(built_tree(), path)
    whole = path.read_bytes()
    refused = 0
    for at in range(whole.rindex(b"branches"), len(whole) - 8):
        path.unlink()
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        try:
            et.load(path)
        except et.FileError:
            refused += 1
    assert refused > 50
    assert "damaged" in error_message(path)
