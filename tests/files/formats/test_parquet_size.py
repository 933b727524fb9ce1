"""The footer of Parquet files: counts as Arrow has them, and damage that ends in an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from files.formats.tables import OTHERS, built_tree, error_message, table, write
from pyarrow import parquet

import expectitree as et
from expectitree.files.formats.parquet_size import ThriftError, count_values

TABLES = [name for name in OTHERS if name != "view"]  # pyarrow does not write it as Parquet


def by_arrow(path: Path) -> list[int]:
    about = parquet.read_metadata(path)
    groups = [about.row_group(at) for at in range(about.num_row_groups)]
    return [sum(g.column(at).num_values for g in groups) for at in range(about.num_columns)]


@pytest.mark.parametrize("rows", [None, 2])
@pytest.mark.parametrize("name", TABLES)
def test_values_are_counted_as_arrow_counts_them(
    name: str, rows: int | None, tmp_path: Path
) -> None:
    path = write(tmp_path / "tree.parquet", OTHERS[name], rows=rows)
    assert count_values(str(path)) == by_arrow(path)
    assert max(count_values(str(path))) >= 6


def test_a_table_without_rows_has_no_values(tmp_path: Path) -> None:
    path = write(tmp_path / "tree.parquet", table([]))
    assert max(count_values(str(path)), default=0) == 0


def test_any_byte_of_a_footer_may_be_damaged(tmp_path: Path) -> None:
    """Arrow's `column` of such metadata ends the process, which ends this test."""
    path, damaged = tmp_path / "tree.parquet", tmp_path / "damaged.parquet"
    et.save(built_tree(), path)
    whole = path.read_bytes()
    size = int.from_bytes(whole[-8:-4], "little")
    found = {"read": 0, "refused": 0}
    for at in range(len(whole) - 8 - size, len(whole) - 8, 3):
        for byte in (0, whole[at] ^ 1, 255):
            damaged.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            try:
                count_values(str(damaged))
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
