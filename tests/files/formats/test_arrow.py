"""Arrow and Parquet files that this package and other libraries write."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from files.formats.tables import (
    FORMATS,
    OTHERS,
    PAYING,
    ROWS,
    STRUCT,
    built_tree,
    columns_of,
    inner,
    leaf,
    table,
    to,
    write,
)
from files.samples import chain, content_of, random_full_tree
from helpers import ROOT
from hypothesis import given
from hypothesis import strategies as st
from oracle import ExactNode

import expectitree as et
from expectitree.base.errors import FileError, TreeError
from expectitree.files.formats import arrow

# ---- Our own files.


@given(
    format=st.sampled_from(FORMATS),
    seed=st.integers(0, 2**32),
    rows=st.sampled_from((1, 2, 3, arrow.ROWS)),  # of a batch
)
def test_a_written_tree_is_read_back_unchanged(
    format: str, seed: int, rows: int, tmp_path_factory: Any
) -> None:
    """The rows keep their order, since notes and bounds refer to row numbers."""
    path = tmp_path_factory.getbasetemp() / f"same.{format}"
    path.unlink(missing_ok=True)  # Use another file, since the old one may still be mapped.
    tree = random_full_tree(seed, exact=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "ROWS", rows)
        et.save(tree, path)
    (table, _) = import_module(f"expectitree.files.formats.{format}").read_table(str(path))
    assert table.num_rows == len(tree)
    again = et.load(path)
    assert columns_of(again) == columns_of(tree)
    assert content_of(again) == content_of(tree)


def refusal(tree: et.Tree, path: Path) -> str:
    """Save a tree; return the message if it is refused, or nothing."""
    try:
        et.save(tree, path)
    except TreeError as error:
        return str(error)
    return ""


@given(format=st.sampled_from(FORMATS), seed=st.integers(0, 2**32))
def test_an_exact_tree_is_read_back_or_refused_with_a_path(
    format: str, seed: int, tmp_path_factory: Any
) -> None:
    """A number that is not the decimal of a float is refused, except in equal probabilities."""
    path = tmp_path_factory.getbasetemp() / f"exact.{format}"
    path.unlink(missing_ok=True)
    tree = random_full_tree(seed, exact=True)
    in_columns, in_bounds = numbers_of(tree)
    found = refusal(tree, path)
    if found:
        assert "--drop fractions" in found
        assert not all(map(is_float_decimal, in_columns + in_bounds))
        assert not path.exists()
        et.save(tree, path, drop_fractions=True)
        rounded, columns = et.load(path).columns, tree.floats.columns
        assert [*rounded.utility] == pytest.approx([*columns.utility], nan_ok=True)
        assert [*rounded.probability] == pytest.approx([*columns.probability])
        assert [*rounded.reward] == pytest.approx([*columns.reward])
    else:
        assert all(map(is_float_decimal, in_columns))
        again = et.load(path)
        assert columns_of(again) == columns_of(tree.floats)
        assert content_of(again) == content_of(tree.floats)


def numbers_of(tree: et.Tree) -> tuple[list[Any], list[Any]]:
    """Return the numbers of an exact tree, except for equal probabilities, and its bounds."""
    found: list[Any] = [tree.root_reward]
    for n in range(len(tree)):
        node = ExactNode(tree, n)
        shares = [branch.p for branch in node.branches]
        found += [node.utility, node.estimate, *(shares if len(set(shares)) > 1 else ())]
        found += [branch.reward for branch in node.branches]
    return [number for number in found if number is not None], [
        end for ends in tree.local_bounds.values() for end in ends
    ]


def is_float_decimal(number: Any) -> bool:
    return math.isinf(number) or Fraction(repr(float(number))) == number


@pytest.mark.parametrize("format", FORMATS)
def test_estimates_of_a_depth_limit_are_kept(format: str, tmp_path: Path) -> None:
    tree = et.prepare(et.loads("max: {a: 1, b: {min: [2, 3], estimate: 2.5}}"), depth=1)
    et.save(tree, tmp_path / f"tree.{format}")
    again = et.load(tmp_path / f"tree.{format}")
    assert again.estimated == tree.estimated != frozenset()
    assert et.to_text(et.evaluate(again)) == et.to_text(et.evaluate(tree))


OVERWRITTEN = """
import sys
import expectitree as et
tree = et.load(sys.argv[1])
value = et.evaluate(tree).value
with open(sys.argv[1], "r+b") as stream:
    size = len(stream.read())
    stream.seek(0)
    stream.write(bytes(size))
    stream.truncate(int(sys.argv[2]))
print(et.evaluate(tree).value == value)
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 5_000_000])
@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_is_overwritten_in_place_changes_no_tree(
    format: str, size: int, tmp_path: Path
) -> None:
    """A mapped file would give other values, or end the program with a bus error."""
    path = tmp_path / f"tree.{format}"
    et.save(et.generate("uniform", plies=4, branching=10, seed=1), path)
    done = subprocess.run(
        [sys.executable, "-c", OVERWRITTEN, str(path), str(size)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout == "True\n"


def test_a_program_that_does_not_know_rewards_reads_only_tables_without_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tree.arrow"
    for text, version, fields in (
        ("max: [1]", b"1", 3),
        ("reward: 1\nmax: [1]", b"2", 3),
        ("max: [{cost: 1, utility: 1}]", b"2", 4),
    ):
        et.save(et.loads(text), path)
        schema = pa.ipc.open_file(pa.BufferReader(path.read_bytes())).schema
        assert b'"version": ' + version in schema.metadata[b"expectitree"]
        assert schema.field("branches").type.value_type.num_fields == fields


@pytest.mark.parametrize("type", [pa.float32(), pa.int64(), pa.decimal128(10, 3)], ids=str)
@pytest.mark.parametrize("format", FORMATS)
def test_rewards_of_other_types_are_cast(format: str, type: Any, tmp_path: Path) -> None:
    rows = [leaf(0), inner("MAX", {**to(0), "reward": 4}, {**to(0), "reward": -1})]
    entry = pa.struct([("reward", type), *STRUCT])
    path = write(tmp_path / f"tree.{format}", table(rows, branches=pa.list_(entry)))
    assert list(et.load(path).columns.reward) == [4, -1]


@pytest.mark.parametrize("format", FORMATS)
def test_rewards_that_are_all_0_take_no_memory(format: str, tmp_path: Path) -> None:
    rows = [leaf(0), inner("MAX", {**to(0), "reward": 0.0})]
    path = write(tmp_path / f"tree.{format}", table(rows, branches=PAYING))
    assert not et.load(path).columns.pays


@pytest.mark.parametrize("format", FORMATS)
def test_a_tree_outlives_its_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{format}"
    et.save(built_tree(), path)
    tree = et.load(path)
    et.save(chain(5), path)
    path.unlink()
    assert content_of(tree) == content_of(built_tree())


# ---- Numbers that the columns cannot hold.


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("max: {a: 1, b: {min: [1/3]}}", "b/#1: the utility 1/3"),
        ("max: {a: 1, b: {min: [1], estimate: 2/3}}", "b: the estimate 2/3"),
        ("max: {a: {chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 0}]}}",
         "a: the probability of an outcome 1/3"),
        ("max: {a: {max: [{reward: 1/3, utility: 1}]}}", "a: the reward of a branch 1/3"),
        ("max: {a: 0.12345678901234567890123}", "a: the utility"),
        ("max: {a: 1e-400, b: 1}", "a: the utility"),
        ("reward: 1/3\nmax: [1, 2]", "/: the reward 1/3"),
        ("max: {a: {max: [1], bounds: [-inf, 22/7]}}", "a: the bound 22/7"),
        ("max: {a: 1e302, b: 1}", "a: the utility"),
        ("max: {a: {min: [1], bounds: [1, 1e400]}, b: 1}", "a: the bound"),
    ],
)  # fmt: skip
def test_a_number_that_is_not_a_float_is_refused_with_its_path(
    text: str, path: str, format: str, tmp_path: Path
) -> None:
    """No number is lost silently, and no unreadable file is written."""
    out = tmp_path / f"tree.{format}"
    with pytest.raises(TreeError) as found:
        et.save(et.loads(text), out)
    assert str(found.value).startswith(path)
    if "beyond the limit of floats" in str(found.value):  # no float is near it
        with pytest.raises(TreeError):
            et.save(et.loads(text), out, drop_fractions=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "value", ["0.12345678901234567890", "1/3", "1e-400", "1e400", "-0.50", "12345678901234567"]
)
def test_an_expectation_keeps_every_digit(value: str, format: str, tmp_path: Path) -> None:
    tree = et.loads(f"expect: {{value: {value}, values: {{/: {value}}}}}\nmax: [1, 2]")
    et.save(tree, tmp_path / f"tree.{format}")
    again = et.load(tmp_path / f"tree.{format}")
    assert content_of(again) == content_of(tree.floats)


@pytest.mark.parametrize("format", ["yaml", "json", *FORMATS])
def test_half_a_surrogate_pair_is_an_error_when_it_is_written(format: str, tmp_path: Path) -> None:
    for where in ("label", "title", "note"):
        texts = {**dict.fromkeys(("label", "title", "note"), "x"), where: "\ud800"}
        builder = et.TreeBuilder(exact=False)
        root = builder.max({texts["label"]: 1}, note=texts["note"])
        tree, path = builder.build(root, title=texts["title"]), tmp_path / f"{where}.{format}"
        if refusal(tree, path):
            assert not path.exists()
        else:  # JSON, such as that of the metadata, has escapes
            assert content_of(et.load(path)) == content_of(tree)


# ---- Other ways to write the same table.

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "arrow": ("arrow", {}),
    "batches": ("arrow", {"rows": 2}),
    "rows": ("arrow", {"rows": 1}),
    "lz4": ("arrow", {"compression": "lz4"}),
    "zstd": ("arrow", {"compression": "zstd"}),
    "parquet": ("parquet", {}),
    "groups": ("parquet", {"rows": 2}),
    "gzip": ("parquet", {"compression": "gzip"}),
}


@pytest.mark.parametrize(
    ("made", "way"),
    # (pyarrow itself does not write views into Parquet.)
    [(made, way) for made in OTHERS for way in WAYS if made != "view" or WAYS[way][0] == "arrow"],
)
def test_equivalent_tables_give_the_same_tree(made: str, way: str, tmp_path: Path) -> None:
    suffix, options = WAYS[way]
    path = write(tmp_path / f"tree.{suffix}", OTHERS[made], **options)
    assert content_of(et.load(path)) == content_of(built_tree())


@pytest.mark.parametrize("format", FORMATS)
def test_labels_are_optional(format: str, tmp_path: Path) -> None:
    bare = pa.list_(pa.struct([("child", pa.int64()), ("probability", pa.float64())]))
    rows = [
        {**row, "branches": [{k: b[k] for k in ("child", "probability")} for b in row["branches"]]}
        for row in ROWS
    ]
    tree = et.load(write(tmp_path / f"tree.{format}", table(rows, branches=bare)))
    assert [branch.label for branch in tree.root.branches] == ["#1", "#2", "#3"]
    assert et.evaluate(tree).value == 7.5


def test_a_batch_without_rows_is_allowed(tmp_path: Path) -> None:
    (whole,) = table().to_batches()
    empty = whole.slice(0, 0)
    path = tmp_path / "tree.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        for batch in (empty, whole.slice(0, 2), empty, whole.slice(2), empty):
            writer.write_batch(batch)
    assert content_of(et.load(path)) == content_of(built_tree())


def tree_or_none(path: Path) -> et.Tree | None:
    try:
        return et.load(path)
    except FileError:
        return None


def test_list_offsets_need_not_start_at_zero(tmp_path: Path) -> None:
    """Arrow allows such offsets; the branches before the first one belong to no node."""
    rows = [*ROWS[:-1], inner("MAX", to(9), to(9), *ROWS[-1]["branches"])]
    path = write(tmp_path / "tree.arrow", table(rows))
    plain, moved = (
        struct.pack("<7i", *offsets) for offsets in ((0, 0, 0, 2, 2, 4, 9), (2, 2, 2, 4, 4, 6, 9))
    )
    data = path.read_bytes()
    assert data.count(plain) == 1
    path.write_bytes(data.replace(plain, moved))
    tree = tree_or_none(path)
    assert tree is None or [branch.child.id for branch in tree.root.branches] == [3, 2, 4]


# ---- Other libraries read and write the tables.


@pytest.mark.parametrize("format", FORMATS)
def test_the_table_schema_matches_the_documentation(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{format}"
    et.save(built_tree(), path)
    made = pq.read_table(path) if format == "parquet" else pa.ipc.open_file(str(path)).read_all()
    assert made.column_names == ["kind", "utility", "branches"]
    assert pa.types.is_dictionary(made.schema.field("kind").type)
    assert made.to_pylist() == ROWS
    assert made.column("utility").null_count == 2  # inner nodes without an estimate
    made.validate(full=True)


@pytest.mark.extra
@pytest.mark.parametrize("format", FORMATS)
def test_polars_reads_and_writes_tables(format: str, tmp_path: Path) -> None:
    import polars as pl

    et.save(built_tree(), tmp_path / f"ours.{format}")
    frame = (pl.read_ipc if format == "arrow" else pl.read_parquet)(tmp_path / f"ours.{format}")
    assert frame.select("utility", "branches").rows(named=True) == [
        {key: row[key] for key in ("utility", "branches")} for row in ROWS
    ]
    assert frame["kind"].cast(pl.String).to_list() == [row["kind"] for row in ROWS]
    codes = pl.col("kind").cast(pl.String).cast(pl.Enum(["MAX", "CHANCE", "TERMINAL", "MIN"]))
    parts = pl.concat([frame[:3], frame], rechunk=False)[3:]
    for n, ours in enumerate((frame, frame.with_columns(codes), parts)):
        ours.write_ipc(tmp_path / f"{n}.arrow", compression="zstd")
        ours.write_ipc(tmp_path / f"{n}-oldest.arrow", compat_level=pl.CompatLevel.oldest())
        ours.write_parquet(tmp_path / f"{n}.parquet")
    for path in tmp_path.iterdir():
        assert content_of(et.load(path)) == content_of(built_tree()), path


@pytest.mark.extra
def test_duckdb_reads_and_writes_tables(tmp_path: Path) -> None:
    import duckdb

    et.save(built_tree(), tmp_path / "ours.parquet")
    ours, path = f"'{tmp_path / 'ours.parquet'}'", tmp_path / "duckdb.parquet"
    with duckdb.connect() as connection:
        found = connection.sql(f"select kind, utility, branches from {ours}").fetchall()
        assert found == [(row["kind"], row["utility"], row["branches"]) for row in ROWS]
        for columns in (
            "kind, utility, branches",
            "lower(kind) as kind, utility, branches",
            "kind::enum('MIN', 'MAX', 'CHANCE', 'TERMINAL') as kind, utility, branches",
            "kind, utility::decimal(10, 3) as utility, branches",
        ):
            connection.sql(f"copy (select {columns} from {ours}) to '{path}' (format parquet)")
            assert content_of(et.load(path)) == content_of(built_tree()), columns


@pytest.mark.parametrize("name", ["tree.arrow", "tree.parquet"])
def test_tables_without_pyarrow(name: str) -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from expectitree.cli import main\n"
        f"sys.argv = ['expectitree', 'eval', {name!r}]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", cwd=ROOT
    )
    message = "pyarrow: error: it is not installed, and Arrow and Parquet need it\nhelp: pip in"
    assert done.returncode == 3
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 2
