"""Arrow and Parquet: our own files, files that others write, and damaged ones, which are errors and never a crash."""

from __future__ import annotations

import json
import math
import re
import struct
import subprocess
import sys
from array import array
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from files.test_saving import NASTY, SHIPPED, chain, nasty_tree, told
from helpers import ROOT
from hypothesis import given
from hypothesis import strategies as st
from random_trees import Case

import expectitree as et
from expectitree.errors import FileError, TreeError
from expectitree.files.formats import arrow as arrow_format
from expectitree.files.formats.arrow import KINDS
from expectitree.numbers import exact_text
from expectitree.tree.adopt import adopt
from expectitree.tree.expectation import Expectation
from expectitree.tree.model import Columns

FORMATS = ("arrow", "parquet")
STRUCT = pa.struct([("child", pa.uint32()), ("probability", pa.float64()), ("label", pa.string())])
BRANCHES = pa.list_(STRUCT)
DICTIONARY = pa.dictionary(pa.int8(), pa.string())

Row = dict[str, Any]


def to(child: int, probability: float = 1.0, label: str | None = None) -> Row:
    return {"child": child, "probability": probability, "label": label}


def leaf(utility: float | None) -> Row:
    return {"kind": "TERMINAL", "utility": utility, "branches": []}


def inner(kind: str, *branches: Row, estimate: float | None = None) -> Row:
    return {"kind": kind, "utility": estimate, "branches": list(branches)}


ROWS = [
    leaf(0),
    leaf(10),
    inner("CHANCE", to(0, 0.25), to(1, 0.75, "é"), estimate=7),
    leaf(4),
    inner("MIN", to(1), to(3)),
    inner("MAX", to(3, label="pass"), to(2, label="toss"), to(4)),
]


def table(
    rows: list[Row] = ROWS,
    kind: Any = DICTIONARY,
    utility: Any = None,
    branches: Any = BRANCHES,
    **about: object,
) -> Any:
    """Return the table of some rows, with columns of the given types, and metadata if any."""
    types = {"kind": kind, "utility": utility or pa.float64(), "branches": branches}
    made = pa.table(
        {name: pa.array([row[name] for row in rows], type) for name, type in types.items()}
    )
    return (
        made.replace_schema_metadata({"expectitree": json.dumps({"version": 1, **about})})
        if about
        else made
    )


def write(
    path: Path,
    made: Any,
    *,
    stream: bool = False,
    rows: int | None = None,
    compression: str | None = None,
) -> Path:
    """Write a table by the ending of the path, `rows` at a time."""
    if path.suffix == ".parquet":
        pq.write_table(made, path, row_group_size=rows, compression=compression or "snappy")
        return path
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.OSFile(str(path), "wb") as sink, new(sink, made.schema, options=options) as writer:
        writer.write_table(made, max_chunksize=rows)
    return path


def built() -> et.Tree:
    """Return the tree of `ROWS`."""
    t = et.TreeBuilder()
    zero, ten = t.terminal(0), t.terminal(10)
    toss = t.chance({"#1": zero, "é": ten}, [0.25, 0.75], estimate=7)
    four = t.terminal(4)
    return t.build(t.max({"pass": four, "toss": toss, "#3": t.min([ten, four])}))


def columns_of(tree: et.Tree) -> list[list[Any]]:
    return [["nan" if x != x else x for x in column] for column in (*tree.columns, tree.label)]


def complaint(path: Path, exact: bool = False) -> str:
    """Return the one line in which reading a file fails, without the file's name."""
    with pytest.raises(FileError) as found:
        et.load(path, exact=exact)
    message = str(found.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


# ---- Our own files.


@given(format=st.sampled_from(FORMATS), seed=st.integers(0, 2**32))
def test_what_is_written_is_read_as_the_same_tree(
    format: str, seed: int, tmp_path_factory: Any
) -> None:
    """To the last row, so that notes and bounds by row number hold."""
    path = tmp_path_factory.getbasetemp() / f"same.{format}"
    path.unlink(missing_ok=True)  # another file: the old one may still be mapped
    tree = nasty_tree(seed, exact=False)
    et.save(tree, path)
    again = et.load(path)
    assert columns_of(again) == columns_of(tree)
    assert told(again) == told(tree)


@given(format=st.sampled_from(FORMATS), seed=st.integers(0, 2**32))
def test_an_exact_tree_comes_back_or_is_refused_by_name(
    format: str, seed: int, tmp_path_factory: Any
) -> None:
    """What is no decimal that a float holds is refused; equal probabilities, such as thirds, are held as they are."""
    path = tmp_path_factory.getbasetemp() / f"exact.{format}"
    path.unlink(missing_ok=True)
    tree = nasty_tree(seed, exact=True)
    in_columns, in_bounds = numbers_of(tree)
    try:
        et.save(tree, path)
    except TreeError as error:
        assert "--drop fractions" in str(error)  # noqa: PT017
        assert not all(map(is_held, in_columns + in_bounds))
        assert not path.exists()
        et.save(tree, path, drop_fractions=True)
        assert told_roughly(et.load(path)) == told_roughly(tree)
        et.load(path, exact=True)
    else:
        assert all(map(is_held, in_columns))
        again = et.load(path, exact=True)
        assert columns_of(again) == columns_of(tree)
        assert told(again) == told(tree)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "bounds", ["[1/3, 2]", "[-1, 22/7]", "[-1e305, 2]", "[-2, 1e400]", "[0.1234567890123456789, 1]"]
)
def test_bounds_of_an_exact_tree_come_back_or_are_refused(
    bounds: str, format: str, tmp_path: Path
) -> None:
    tree = et.loads(f"max: {{here: {{max: [1], bounds: {bounds}}}}}", exact=True)
    path = tmp_path / f"tree.{format}"
    try:
        et.save(tree, path)
    except TreeError as error:
        assert str(error).startswith("here: ")  # noqa: PT017
        assert not path.exists()
    else:
        assert told(et.load(path, exact=True)) == told(tree)


def numbers_of(tree: et.Tree) -> tuple[list[Any], list[Any]]:
    """Return the numbers in the columns of an exact tree, but for equal probabilities, and those in its bounds."""
    found: list[Any] = []
    for node, _ in tree.walk():
        shares = [branch.probability for branch in node.branches]
        found += [node.utility, node.estimate, *(shares if len(set(shares)) > 1 else ())]
    return [number for number in found if number is not None], [
        end for ends in tree.local_bounds.values() for end in ends
    ]


def is_held(number: Any) -> bool:
    return math.isinf(number) or Fraction(repr(float(number))) == number


def told_roughly(tree: et.Tree) -> list[Any]:
    """Return every node with its numbers as floats."""
    found: list[Any] = []
    for node, path in tree.walk():
        numbers = [
            node.utility,
            node.estimate,
            *(node.bounds or ()),
            *(branch.probability for branch in node.branches),
        ]
        found.append(
            (
                path,
                node.kind,
                node.note,
                [n if n is None else pytest.approx(float(n)) for n in numbers],
            )
        )
    return found


@given(case=st.integers(0, 2**32).map(Case))
def test_random_trees_evaluate_as_they_did(case: Case, tmp_path_factory: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "value.arrow"
    path.unlink(missing_ok=True)
    tree = case.tree(exact=False)
    et.save(tree, path)
    again = et.load(path)
    for algorithm in ("expectiminimax", "star2"):
        one, other = et.evaluate(tree, algorithm), et.evaluate(again, algorithm)
        assert (list(one.lower), list(one.visits)) == (list(other.lower), list(other.visits))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_tree_is_read_as_it_was(path: Path, format: str, tmp_path: Path) -> None:
    out = tmp_path / f"tree.{format}"
    tree = et.load(path)
    et.save(tree, out)
    assert columns_of(et.load(out)) == columns_of(tree)
    assert told(et.load(out)) == told(tree)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("number", [-0.0, 1e300, -1e300, 5e-324, 0.1, 2.0**1000])
def test_a_number_is_read_to_the_last_bit(number: float, format: str, tmp_path: Path) -> None:
    columns = Columns(
        array("B", [0, 2]),
        array("d", [number] * 2),
        array("I", [0, 0, 1]),
        array("I", [0]),
        array("d", [1]),
    )
    bounds = {0: (number, math.inf), 1: (-math.inf, number)}
    et.save(adopt(columns, local_bounds=bounds), tmp_path / f"tree.{format}")
    again = et.load(tmp_path / f"tree.{format}")
    assert bytes(array("d", again.columns.utility)) == bytes(columns.utility)
    assert again.local_bounds == bounds


@pytest.mark.parametrize("format", FORMATS)
def test_a_terminal_alone_and_a_deep_tree(format: str, tmp_path: Path) -> None:
    builder = et.TreeBuilder()
    for name, tree in (("one", builder.build(3)), ("deep", chain(3_000))):
        et.save(tree, tmp_path / f"{name}.{format}")
        assert columns_of(et.load(tmp_path / f"{name}.{format}")) == columns_of(tree)


@pytest.mark.parametrize("format", FORMATS)
def test_any_text_is_a_label_a_title_or_a_note(format: str, tmp_path: Path) -> None:
    builder = et.TreeBuilder()
    leaves = {text: builder.terminal(1, note=text) for text in NASTY}
    root = builder.max(leaves, note="")
    for place, text in enumerate(NASTY):
        builder.annotate_branch(root, place, text)
    tree = builder.build(root, title="".join(NASTY), source="")
    et.save(tree, tmp_path / f"tree.{format}")
    assert told(et.load(tmp_path / f"tree.{format}")) == told(tree)


@pytest.mark.parametrize("format", FORMATS)
def test_estimates_of_a_depth_limit_stay_what_they_are(format: str, tmp_path: Path) -> None:
    tree = et.prepare(et.loads("max: {a: 1, b: {min: [2, 3], estimate: 2.5}}"), depth=1)
    et.save(tree, tmp_path / f"tree.{format}")
    again = et.load(tmp_path / f"tree.{format}")
    assert again.estimated == tree.estimated != frozenset()
    assert et.to_text(et.evaluate(again)) == et.to_text(et.evaluate(tree))


def test_an_arrow_file_is_used_as_it_lies_on_disk(tmp_path: Path) -> None:
    et.save(built(), tmp_path / "tree.arrow")
    tree = et.load(tmp_path / "tree.arrow")
    for column in tree.columns:
        assert isinstance(column, memoryview)
        assert column.readonly
    before = pa.total_allocated_bytes()
    again = et.load(tmp_path / "tree.arrow")
    assert pa.total_allocated_bytes() - before < 64 * len(again)


@pytest.mark.parametrize("format", FORMATS)
def test_a_tree_outlives_its_file(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{format}"
    et.save(built(), path)
    tree = et.load(path)
    et.save(chain(5), path)
    path.unlink()
    assert told(tree) == told(built())


@pytest.mark.parametrize("format", FORMATS)
def test_the_schema_is_what_the_documentation_says(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{format}"
    et.save(built(), path)
    made = pq.read_table(path) if format == "parquet" else pa.ipc.open_file(str(path)).read_all()
    assert made.column_names == ["kind", "utility", "branches"]
    assert pa.types.is_dictionary(made.schema.field("kind").type)
    assert made.to_pylist() == ROWS
    assert (
        made.column("utility").null_count == 2
    )  # an inner node has none, unless it has an estimate
    made.validate(full=True)


# ---- What the columns cannot hold.


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("max: {a: 1, b: {min: [1/3]}}", "b/#1: the utility 1/3"),
        ("max: {a: 1, b: {min: [1], estimate: 2/3}}", "b: the estimate 2/3"),
        (
            "max: {a: {chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 0}]}}",
            "a: the probability of an outcome 1/3",
        ),
        ("max: {a: 0.12345678901234567890123}", "a: the utility"),
        ("max: {a: 1e-400, b: 1}", "a: the utility"),
        (
            "max: {a: 1e302, b: 1}",
            "a: the utility",
        ),  # which no search in floats takes, so no file is read with it
        ("max: {a: -1e400, b: 1}", "a: the utility"),
    ],
)
def test_a_number_that_no_float_holds_is_told_by_its_path(
    text: str, path: str, format: str, tmp_path: Path
) -> None:
    """Nothing is lost in silence, and no file is written that cannot be read."""
    out = tmp_path / f"tree.{format}"
    with pytest.raises(TreeError) as found:
        et.save(et.loads(text, exact=True), out)
    assert str(found.value).startswith(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("number", ["1e302", "1e400", "-1e400"])
def test_what_is_too_great_for_floats_is_not_let_go(
    number: str, format: str, tmp_path: Path
) -> None:
    """There is no float near it, so it is an error also where fractions may go."""
    tree = et.loads(f"max: {{a: {number}, b: 1}}", exact=True)
    with pytest.raises(TreeError, match=r"^a: "):
        et.save(tree, tmp_path / f"tree.{format}", drop_fractions=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
def test_dropped_fractions_are_the_nearest_floats(format: str, tmp_path: Path) -> None:
    text = (
        "bounds: [1/3, 2]\n"
        "max: {a: 1/3, c: {chance: [1, 1, 1]},\n"
        "      b: {chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 2}], estimate: 4/3}}"
    )
    et.save(et.loads(text, exact=True), tmp_path / f"tree.{format}", drop_fractions=True)
    tree = et.load(tmp_path / f"tree.{format}")
    assert tree.find("a").utility == 1 / 3
    assert [branch.probability for branch in tree.find("b").branches] == [1 / 3, 2 / 3]
    assert tree.find("b").estimate == 4 / 3
    exactly = et.load(tmp_path / f"tree.{format}", exact=True)
    assert exactly.find("a").utility == Fraction(exact_text(1 / 3))
    assert [branch.probability for branch in exactly.find("c").branches] == [Fraction(1, 3)] * 3
    assert sum(branch.probability for branch in exactly.find("b").branches) == 1


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "value", ["0.12345678901234567890", "1/3", "1e-400", "1e400", "-0.50", "12345678901234567"]
)
def test_an_expectation_is_kept_to_the_last_digit(value: str, format: str, tmp_path: Path) -> None:
    tree = et.loads(f"expect: {{value: {value}, values: {{/: {value}}}}}\nmax: [1, 2]", exact=True)
    et.save(tree, tmp_path / f"tree.{format}")
    again = et.load(tmp_path / f"tree.{format}", exact=True)
    assert told(again) == told(tree)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("where", ["label", "title", "note"])
def test_half_a_surrogate_pair_comes_back_or_is_refused(
    where: str, format: str, tmp_path: Path
) -> None:
    builder = et.TreeBuilder()
    texts = {**dict.fromkeys(("label", "title", "note"), "x"), where: "\ud800"}
    tree = builder.build(builder.max({texts["label"]: 1}, note=texts["note"]), title=texts["title"])
    path = tmp_path / f"tree.{format}"
    try:
        et.save(tree, path)
    except TreeError:
        assert not path.exists()
    else:
        assert told(et.load(path)) == told(tree)


# ---- Other ways to write the same table.

VIEWS = pa.struct(
    [("child", pa.uint64()), ("probability", pa.float64()), ("label", pa.string_view())]
)
LARGE = pa.struct(
    [("child", pa.int64()), ("probability", pa.float32()), ("label", pa.large_string())]
)
REORDERED = pa.struct(
    [
        ("label", pa.dictionary(pa.int32(), pa.string())),
        ("probability", pa.float64()),
        ("child", pa.int8()),
    ]
)
OTHERS: dict[str, Any] = {
    "ours": table(),
    "plain": table(kind=pa.string()),
    "view": table(kind=pa.string_view(), branches=pa.large_list(VIEWS)),
    "large": table(kind=pa.large_string(), branches=pa.large_list(LARGE)),
    "reordered": table(branches=pa.list_(REORDERED)).select(["branches", "kind", "utility"]),
    "int32 codes": table(kind=pa.dictionary(pa.int32(), pa.string())),
    "uint8 codes": table(kind=pa.dictionary(pa.uint8(), pa.large_string())),
    "whole utilities": table(utility=pa.int64()),
    "small utilities": table(utility=pa.float32()),
    "decimal utilities": table(utility=pa.decimal128(10, 3)),
    "kind numbers": table([{**row, "kind": KINDS.index(row["kind"])} for row in ROWS], kind=pa.int64()),
    "lower case": table([{**row, "kind": row["kind"].lower()} for row in ROWS], kind=pa.string()),
    "mixed case codes": table([{**row, "kind": row["kind"].title()} for row in ROWS]),
    "with a column more": table().append_column("depth", pa.array(range(len(ROWS)))),
    "NaN for null": table([{**row, "utility": math.nan if row["utility"] is None else row["utility"]} for row in ROWS]),
    "sliced": pa.concat_tables([table(ROWS[:3]), table()]).slice(3),
    "combined and sliced": pa.concat_tables([table(ROWS[:3]), table()]).combine_chunks().slice(3),
}  # fmt: skip
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "arrow": ("arrow", {}),
    "batches": ("arrow", {"rows": 2}),
    "rows": ("arrow", {"rows": 1}),
    "lz4": ("arrow", {"compression": "lz4"}),
    "zstd": ("arrow", {"compression": "zstd"}),
    "stream": ("arrow", {"stream": True, "rows": 4}),
    "parquet": ("parquet", {}),
    "groups": ("parquet", {"rows": 2}),
    "gzip": ("parquet", {"compression": "gzip"}),
}


@pytest.mark.parametrize(
    ("made", "way"),
    # (pyarrow itself does not write views into Parquet.)
    [(made, way) for made in OTHERS for way in WAYS if made != "view" or WAYS[way][0] == "arrow"],
)
def test_the_same_table_written_otherwise_is_the_same_tree(
    made: str, way: str, tmp_path: Path
) -> None:
    suffix, options = WAYS[way]
    path = write(tmp_path / f"tree.{suffix}", OTHERS[made], **options)
    assert told(et.load(path)) == told(built())
    assert [node.utility for node, _ in et.load(path, exact=True).walk()] == [
        node.utility for node, _ in built().walk()
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_labels_are_not_needed(format: str, tmp_path: Path) -> None:
    bare = pa.list_(pa.struct([("child", pa.int64()), ("probability", pa.float64())]))
    rows = [
        {**row, "branches": [{k: b[k] for k in ("child", "probability")} for b in row["branches"]]}
        for row in ROWS
    ]
    tree = et.load(write(tmp_path / f"tree.{format}", table(rows, branches=bare)))
    assert [branch.label for branch in tree.root.branches] == ["#1", "#2", "#3"]
    assert et.evaluate(tree).value == 7.5


@pytest.mark.parametrize("stream", [True, False])
def test_a_batch_without_rows_stands_beside_others(stream: bool, tmp_path: Path) -> None:
    (whole,) = table().to_batches()
    empty = whole.slice(0, 0)
    path = tmp_path / "tree.arrow"
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, new(sink, whole.schema) as writer:
        for batch in (empty, whole.slice(0, 2), empty, whole.slice(2), empty):
            writer.write_batch(batch)
    assert told(et.load(path)) == told(built())


def test_each_batch_of_a_stream_may_have_codes_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "tree.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table().schema) as writer:
        for row in ROWS:
            writer.write_table(table([row]))
    assert told(et.load(path)) == told(built())


@pytest.mark.parametrize("rows", [None, 2])
def test_what_lies_under_a_null_is_no_estimate(rows: int | None, tmp_path: Path) -> None:
    """Other writers keep our metadata, and put anything there: only the null counts."""
    et.save(built(), tmp_path / "tree.parquet")
    path = write(tmp_path / "tree.arrow", pq.read_table(tmp_path / "tree.parquet"), rows=rows)
    assert told(et.load(path)) == told(built())


@pytest.mark.parametrize("before", [2, 3], ids=["leaves", "branches"])
def test_arrays_that_start_within_their_buffers_are_read_from_there(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers move what they slice; a reader may hand on a slice as it is."""
    path = tmp_path / "tree.arrow"
    et.save(built(), path)
    whole = pa.ipc.open_file(str(path)).read_all()
    sliced = pa.concat_tables([whole.slice(0, before), whole]).combine_chunks().slice(before)
    assert sliced.column("kind").chunk(0).offset == before
    monkeypatch.setattr(arrow_format, "_read_ipc", lambda path: sliced)
    tree = tree_or_none(path)
    if (
        before == 2 or tree is not None
    ):  # with branches before them, offsets do not start at nought: see below
        assert tree is not None
        assert told(tree) == told(built())


def tree_or_none(path: Path) -> et.Tree | None:
    try:
        return et.load(path)
    except FileError:
        return None


def test_offsets_need_not_start_at_nought(tmp_path: Path) -> None:
    """Arrow allows it, and not every writer moves them; then the branches before belong to no node."""
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


# ---- Others write our tables, and read them.


def variations(frame: Any) -> Any:
    """Return a Polars frame with kinds as plain text in lower case, wide children and no labels."""
    import polars as pl

    fields = pl.element().struct
    entry = pl.struct(fields.field("child").cast(pl.Int64), fields.field("probability"))
    return frame.with_columns(
        pl.col("kind").cast(pl.String).str.to_lowercase(), pl.col("branches").list.eval(entry)
    )


@pytest.mark.parametrize("format", FORMATS)
def test_polars(format: str, tmp_path: Path) -> None:
    import polars as pl

    et.save(built(), tmp_path / f"ours.{format}")
    frame = (pl.read_ipc if format == "arrow" else pl.read_parquet)(tmp_path / f"ours.{format}")
    assert frame.select("utility", "branches").rows(named=True) == [
        {key: row[key] for key in ("utility", "branches")} for row in ROWS
    ]
    assert frame["kind"].cast(pl.String).to_list() == [row["kind"] for row in ROWS]
    codes = pl.col("kind").cast(pl.String).cast(pl.Enum(["MAX", "CHANCE", "TERMINAL", "MIN"]))
    for ours in (
        frame,
        frame.with_columns(codes),
        pl.concat([frame[:3], frame], rechunk=False)[3:],
    ):
        ours.write_ipc(tmp_path / "polars.arrow", compression="zstd")
        ours.write_ipc(tmp_path / "oldest.arrow", compat_level=pl.CompatLevel.oldest())
        ours.write_ipc_stream(tmp_path / "stream.arrow")
        ours.write_parquet(tmp_path / "polars.parquet")
        for name in ("polars.arrow", "oldest.arrow", "stream.arrow", "polars.parquet"):
            assert told(et.load(tmp_path / name)) == told(built())
            (tmp_path / name).unlink()
    variations(frame).write_ipc(tmp_path / "other.arrow")
    variations(frame).write_parquet(tmp_path / "other.parquet")
    for name in ("other.arrow", "other.parquet"):
        assert et.evaluate(et.load(tmp_path / name)).value == 7.5


def test_duckdb(tmp_path: Path) -> None:
    import duckdb

    et.save(built(), tmp_path / "ours.parquet")
    ours = f"'{tmp_path / 'ours.parquet'}'"
    with duckdb.connect() as connection:
        found = connection.sql(f"select kind, utility, branches from {ours}").fetchall()
        assert found == [(row["kind"], row["utility"], row["branches"]) for row in ROWS]
        asked = "select kind, count(*) from unnested group by all order by all"
        counts = connection.sql(
            f"with unnested as (select kind, unnest(branches) from {ours}) {asked}"
        ).fetchall()
        assert counts == [("CHANCE", 2), ("MAX", 3), ("MIN", 2)]
        same = {
            "plain": "kind, utility, branches",
            "lower": "lower(kind) as kind, utility, branches",
            "enum": "kind::enum('MIN', 'MAX', 'CHANCE', 'TERMINAL') as kind, utility, branches",
            "decimal": "kind, utility::decimal(10, 3) as utility, branches",
        }
        for name, columns in same.items():
            connection.sql(
                f"copy (select {columns} from {ours}) to '{tmp_path / name}.parquet' (format parquet)"
            )
            assert told(et.load(tmp_path / f"{name}.parquet")) == told(built()), name
        entry = "lambda b: {child: b.child::bigint, probability: b.probability}"
        other = f"select kind, utility, list_transform(branches, {entry}) as branches from {ours}"
        connection.sql(f"copy ({other}) to '{tmp_path / 'other.parquet'}' (format parquet)")
    assert et.evaluate(et.load(tmp_path / "other.parquet")).value == 7.5


@pytest.mark.parametrize("format", FORMATS)
def test_pandas(format: str, tmp_path: Path) -> None:
    import pandas as pd

    et.save(built(), tmp_path / f"ours.{format}")
    frame = (pd.read_feather if format == "arrow" else pd.read_parquet)(tmp_path / f"ours.{format}")
    assert frame["kind"].astype(str).tolist() == [row["kind"] for row in ROWS]
    assert frame["utility"].isna().tolist() == [row["utility"] is None for row in ROWS]
    for kind in (frame["kind"], frame["kind"].astype(str).str.lower()):
        frame["kind"] = kind
        frame.to_feather(tmp_path / "pandas.arrow")
        frame.to_parquet(tmp_path / "pandas.parquet")
        for name in ("pandas.arrow", "pandas.parquet"):
            assert told(et.load(tmp_path / name)) == told(built())
            (tmp_path / name).unlink()


# ---- What is no tree.


def without(row: int, **changes: object) -> list[Row]:
    return [*ROWS[:row], {**ROWS[row], **changes}, *ROWS[row + 1 :]]


ANY_KIND = pa.string()
WRONG: dict[str, tuple[Any, str]] = {
    "no kind": (table().drop_columns("kind"), "no column kind"),
    "no utility": (table().drop_columns("utility"), "no column utility"),
    "no branches": (table().drop_columns("branches"), "no column branches"),
    "no columns": (pa.table({"x": [1]}), "no column kind"),
    "no rows": (table([]), "no nodes"),
    "kind null": (table(without(0, kind=None)), "kind is null"),
    "kind unknown": (table(without(0, kind="LEAF"), kind=ANY_KIND), "the kind 'LEAF' is unknown"),
    "kind empty": (table(without(0, kind=""), kind=ANY_KIND), "the kind '' is unknown"),
    "kind number 4": (table([{**leaf(0), "kind": 4}], kind=pa.int8()), "kind is 4"),
    "kind number -1": (table([{**leaf(0), "kind": -1}], kind=pa.int8()), "-1"),
    "kind number 257": (table([{**leaf(0), "kind": 257}], kind=pa.int64()), "257"),
    "kind half": (table([{**leaf(0), "kind": 0.5}], kind=pa.float64()), "kind"),
    "kind a list": (table([{**leaf(0), "kind": [1]}], kind=pa.list_(pa.int8())), ""),
    "utility text": (table([{**leaf(0), "utility": "x"}], utility=pa.string()), ""),
    "utility a list": (table([{**leaf(0), "utility": [1]}], utility=pa.list_(pa.int8())), ""),
    "utility null": (table(without(0, utility=None)), "node 0: the utility is missing"),
    "utility NaN": (table(without(0, utility=math.nan)), "node 0: the utility is missing"),
    "utility inf": (table(without(0, utility=math.inf)), "node 0: the utility is inf"),
    "utility -inf": (table(without(0, utility=-math.inf)), "node 0: the utility is -inf"),
    "utility 1e302": (table(without(0, utility=1e302)), r"node 0: the utility is 1e\+302"),
    "estimate inf": (table(without(2, utility=math.inf)), "node 2: the estimate is inf"),
    "branches text": (table([{**leaf(0), "branches": "x"}], branches=pa.string()), "the column branches is string"),
    "branches numbers": (table([leaf(0)], branches=pa.list_(pa.int64())), "the column branches is list"),
    "branches fixed": (table([{**leaf(0), "branches": [to(0)]}], branches=pa.list_(STRUCT, 1)), "branches"),
    "branch null": (table(without(2, branches=[None, to(1)])), "null"),
    "child null": (table(without(2, branches=[{**to(0, 0.5), "child": None}, to(1, 0.5)])), "child .* null"),
    "probability null": (table(without(2, branches=[{**to(0), "probability": None}])), "probability .* null"),
    "no child": (table([leaf(0)], branches=pa.list_(pa.struct([("probability", pa.float64())]))), "no child"),
    "no probability": (table([leaf(0)], branches=pa.list_(pa.struct([("child", pa.int8())]))), "no probability"),
    "child itself": (table(without(4, branches=[to(4)])), "node 4: its child is node 4"),
    "child later": (table(without(4, branches=[to(1), to(5)])), "node 4: its child is node 5"),
    "child not there": (table(without(5, branches=[to(4294967295)])), "node 5: its child is node 4294967295"),
    "child -1": (table(without(5, branches=[to(-1)]), branches=pa.list_(LARGE)), "-1"),
    "child 2^32": (table(without(5, branches=[to(2**32)]), branches=pa.list_(LARGE)), "4294967296"),
    "child 1.5": (
        table([leaf(0), inner("MAX", {"child": 1.5, "probability": 1})],
              branches=pa.list_(pa.struct([("child", pa.float64()), ("probability", pa.float64())]))),
        "",
    ),
    "terminal with a child": (table(without(3, branches=[to(0)])), "node 3: it is a terminal, and has 1 child"),
    "inner without": (table(without(4, branches=[])), "node 4: it has no children"),
    "probability NaN": (table(without(2, branches=[to(0, math.nan), to(1)])), "node 2: a probability is nan"),
    "probability inf": (table(without(2, branches=[to(0, math.inf), to(1)])), "node 2: a probability is inf"),
    "probability -0.1": (table(without(2, branches=[to(0, -0.1), to(1, 1.1)])), "node 2: a probability is -0.1"),
    "probability 1.1": (table(without(2, branches=[to(0, 1.1), to(1, 0)])), "node 2: a probability is 1.1"),
    "sum 1.001": (table(without(2, branches=[to(0, 0.5), to(1, 0.501)])), "node 2: the probabilities sum to 1.001"),
    "sum 0.999": (table(without(2, branches=[to(0, 0.5), to(1, 0.499)])), "node 2: the probabilities sum to 0.999"),
    "sum 0": (table(without(2, branches=[to(0, 0), to(1, 0)])), "node 2: the probabilities sum to 0"),
    "action with a p": (table(without(4, branches=[to(1, 0.5), to(3, 0.5)])), "4: the probability of an action is 0.5"),
    "action with NaN": (table(without(4, branches=[to(1, math.nan), to(3)])), "4: the probability of an action is nan"),
    "two roots": (table([*ROWS, leaf(0)]), "node 5: no branch leads to it"),
    "unreached": (table([leaf(0), leaf(0), inner("MAX", to(1))]), "node 0: no branch leads to it"),
    "same label": (table(without(5, branches=[to(2, label="a"), to(4, label="a")])), "duplicate label 'a'"),
    "label empty": (table(without(5, branches=[to(2, label=""), to(4)])), "label is empty"),
    "label #2 first": (table(without(5, branches=[to(2, label="#2"), to(4)])), "the label #2 is at place 1"),
    "label bytes": (
        table(
            without(5, branches=[{**to(2), "label": b"\xff"}, to(4)]),
            branches=pa.list_(pa.struct([*list(STRUCT)[:2], ("label", pa.binary())])),
        ),
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "float"])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_tree_is_told_in_a_line(
    wrong: str, exact: bool, format: str, tmp_path: Path
) -> None:
    made, message = WRONG[wrong]
    assert re.search(message, complaint(write(tmp_path / f"tree.{format}", made), exact))


def test_a_sound_file_that_holds_no_tree_is_not_called_damaged(tmp_path: Path) -> None:
    path = write(tmp_path / "tree.arrow", WRONG["child itself"][0])
    assert (
        complaint(path)
        == "this is not a tree: node 4: its child is node 4: children come before their parents"
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("miss", [1e-10, -1e-10, 9e-10, 1e-12, 1e-14])
def test_a_sum_that_misses_one_by_little_is_divided_out(
    miss: float, format: str, tmp_path: Path
) -> None:
    rows = without(2, branches=[to(0, 0.25), to(1, 0.75 + miss)])
    path = write(tmp_path / f"tree.{format}", table(rows))
    for exact in (True, False):
        shares = [branch.probability for branch in et.load(path, exact=exact).node(2).branches]
        assert abs(float(sum(shares)) - 1) < 3e-16
        assert float(shares[0]) == pytest.approx(0.25 / (1 + miss), abs=1e-15)


@pytest.mark.parametrize("format", FORMATS)
def test_text_and_tables_agree_on_which_sums_are_near_enough(format: str, tmp_path: Path) -> None:
    """Three nines times three: what a YAML file may say, a table may."""
    third = 0.333333333
    assert et.loads(
        "chance: [{p: 0.333333333, utility: 1}, {p: 0.333333333, utility: 2}, {p: 0.333333333, utility: 3}]"
    )
    rows = [leaf(1), inner("CHANCE", to(0, third), to(0, third), to(0, third))]
    tree = et.load(write(tmp_path / f"tree.{format}", table(rows)))
    assert [branch.probability for branch in tree.root.branches] == [1 / 3] * 3


ABOUT: dict[str, tuple[object, str]] = {
    "another version": ({"version": 2}, "version"),
    "no version": ({"version": None}, "version"),
    "title a number": ({"title": 5}, "title"),
    "title a list": ({"title": ["a"]}, "title"),
    "source true": ({"source": True}, "source"),
    "source a mapping": ({"source": {"a": "b"}}, "source"),
    "bounds a list": ({"bounds": [[0, 1]]}, "bounds"),
    "bounds null": ({"bounds": None}, "bounds"),
    "bounds a text": ({"bounds": "x"}, "bounds"),
    "bounds of no row": ({"bounds": {"6": [0, 10]}}, "row 6"),
    "bounds of a row before the first": ({"bounds": {"-1": [0, 10]}}, "row '?-1"),
    "bounds of no number": ({"bounds": {"x": [0, 10]}}, "x"),
    "bounds of a huge row": ({"bounds": {"9" * 5_000: [0, 10]}}, ""),
    "bounds that are one": ({"bounds": {"5": 3}}, "bounds"),
    "bounds that are text": ({"bounds": {"0": "01"}}, "bounds"),
    "bounds that are three": ({"bounds": {"5": [0, 5, 10]}}, "bounds"),
    "bounds reversed": ({"bounds": {"5": [10, 0]}}, "wrong way round|greater"),
    "bounds NaN": ({"bounds": {"5": ["nan", "nan"]}}, "NaN"),
    "bounds null in a pair": ({"bounds": {"5": [None, 10]}}, ""),
    "bounds that do not hold": ({"bounds": {"2": [0, 9]}}, "node 1: the utility 10 lies outside the bounds"),
    "notes a list": ({"notes": ["x"]}, "notes"),
    "notes a number": ({"notes": 5}, "notes"),
    "a note of no row": ({"notes": {"6": "x"}}, "row 6"),
    "a note that is a number": ({"notes": {"0": 5}}, "note"),
    "a note that is null": ({"notes": {"0": None}}, "note"),
    "branch notes a list": ({"branch_notes": []}, "branch_notes"),
    "a note of no branch": ({"branch_notes": {"7": "x"}}, "row 7"),
    "a branch note that is a list": ({"branch_notes": {"0": ["x"]}}, "note"),
    "estimated a number": ({"estimated": 5}, "estimated"),
    "estimated a text": ({"estimated": "01"}, "estimated"),
    "estimated of no row": ({"estimated": [6]}, "row 6"),
    "estimated half a row": ({"estimated": [0.5]}, "estimated"),
    "estimated an inner node": ({"estimated": [5]}, "5"),
    "expect a number": ({"expect": 5}, "expect"),
    "expect a list": ({"expect": [1]}, "expect"),
    "expect null": ({"expect": None}, "expect"),
    "expect unknown": ({"expect": {"worth": 1}}, "unknown key 'worth'"),
    "expect no value": ({"expect": {"value": None}}, "null is not a number"),
    "expect true": ({"expect": {"value": True}}, "true is not a number"),
    "expect no counts": ({"expect": {"star1": {"nodes": 1.5}}}, "count"),
    "expect a huge number": ({"expect": {"value": 10**4_000}}, "too long"),
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("wrong", ABOUT)
def test_metadata_of_the_wrong_type_are_told_in_a_line(
    wrong: str, format: str, tmp_path: Path
) -> None:
    about, message = ABOUT[wrong]
    assert isinstance(about, dict)
    said = complaint(write(tmp_path / f"tree.{format}", table(**about)))
    assert re.search(message, said)
    assert "object" not in said  # as in Python's own words of its types


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"\xff\xfe", b"[]", b"null", b"1", b'{"version": 1', b"[" * 100_000,
        b'{"version": 1, "title": ' + b"[" * 100_000,
        b'{"version": 1, "expect": ' + b'{"a": ' * 5_000 + b"1" + b"}" * 5_001,
        b'{"version": 1, "expect": {"value": ' + b"1" * 5_000 + b"}}",
    ],
    ids=lambda text: repr(text[:24]),
)  # fmt: skip
def test_metadata_that_are_not_ours_are_told_in_a_line(
    text: bytes, format: str, tmp_path: Path
) -> None:
    complaint(
        write(tmp_path / f"tree.{format}", table().replace_schema_metadata({b"expectitree": text}))
    )


def test_metadata_of_others_are_nobodys_business(tmp_path: Path) -> None:
    made = table().replace_schema_metadata({b"pandas": b"\xff{", b"other": b""})
    assert told(et.load(write(tmp_path / "tree.arrow", made))) == told(built())


def null_branches(list_of: Callable[[Any], Any], child: Any, under: list[int]) -> Any:
    """Return the table of a leaf and a MAX with two branches, the first one null over a child `under` it."""
    fields = pa.struct([("child", child), ("probability", pa.float64())])
    arrays = [pa.array(under, child), pa.array([1.0, 1.0])]
    entries = pa.StructArray.from_arrays(arrays, fields=list(fields), mask=pa.array([True, False]))
    lists = list_of(fields)
    made = (pa.LargeListArray if pa.types.is_large_list(lists) else pa.ListArray).from_arrays(
        [0, 0, 2], entries
    )
    return pa.table({"kind": ["TERMINAL", "MAX"], "utility": [1.0, None], "branches": made})


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("list_of", [pa.list_, pa.large_list])
@pytest.mark.parametrize("child", [pa.uint32(), pa.int64()])
def test_a_null_branch_is_an_error_whatever_lies_under_it(
    list_of: Callable[[Any], Any], child: Any, format: str, tmp_path: Path
) -> None:
    assert "null" in complaint(
        write(tmp_path / f"tree.{format}", null_branches(list_of, child, [0, 0]))
    )


def test_null_for_no_branches_means_the_same_in_every_layout(tmp_path: Path) -> None:
    """Read as none or refused, but not one here and the other there."""
    rows = [{**row, "branches": row["branches"] or None} for row in ROWS]
    said = set()
    for branches in (BRANCHES, pa.list_(LARGE), pa.large_list(STRUCT)):
        path = write(tmp_path / "tree.arrow", table(rows, branches=branches))
        try:
            said.add(told(et.load(path)) == told(built()))
        except FileError:
            said.add(False)
        path.unlink()
    assert len(said) == 1


# ---- Damaged files.


@pytest.mark.parametrize("name", ["tree.arrow", "tree.parquet"])
def test_what_is_no_table_is_told_in_a_line(name: str, tmp_path: Path) -> None:
    """An empty file, text, the other format, the beginning or the end of a file."""
    path = tmp_path / name
    other = tmp_path / ("other.parquet" if path.suffix == ".arrow" else "other.arrow")
    et.save(built(), path)
    et.save(built(), other)
    whole = path.read_bytes()
    contents = [
        b"",
        b"max: [1, 2]\n",
        b"\0" * 1_000,
        b"ARROW1",
        b"PAR1",
        b"\xff" * 100,
        other.read_bytes(),
        whole[8:],
    ]
    for content in [*contents, *(whole[:size] for size in range(0, len(whole), 97))]:
        path.unlink()
        path.write_bytes(content)
        complaint(path)


@pytest.mark.parametrize("format", FORMATS)
def test_a_folder_is_no_damaged_file(format: str, tmp_path: Path) -> None:
    (tmp_path / f"tree.{format}").mkdir()
    assert complaint(tmp_path / f"tree.{format}") == "this is a folder, expected a file"


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_is_not_there_is_told_as_such(format: str, tmp_path: Path) -> None:
    assert complaint(tmp_path / f"tree.{format}").startswith("there is no such file")


def test_the_folder_of_a_file_says_nothing_about_it(tmp_path: Path) -> None:
    """Names such as kind=MAX are how data sets of many files are laid out; this is one file."""
    folder = tmp_path / "kind=MAX" / "utility=3"
    folder.mkdir(parents=True)
    et.save(built(), folder / "tree.parquet")
    assert told(et.load(folder / "tree.parquet")) == told(built())


# Loads mutations of some files, and does with what loads whatever may be done with a tree. In an
# Arrow file every other number of four bytes becomes a great or a negative one, one at a time,
# which finds offsets and lengths wherever they are; the other mutations are random. It prints a
# line a mutation: the last one is that at which a crash was.
FUZZ = """
import faulthandler, os, resource, sys
from random import Random
import expectitree as et

faulthandler.dump_traceback_later(100, exit=True)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
mutations = []
for source in sys.argv[1:]:
    whole = open(source, "rb").read()
    numbers = range(0, len(whole) - 3, 8) if source.endswith("arrow") else range(0, len(whole) - 3, 32)
    mutations += [(source, whole, at, at) for at in numbers] + [(source, whole, None, seed) for seed in range(60)]
read = 0
for source, whole, at, seed in mutations:
    random, data = Random(seed), bytearray(whole)
    print(os.path.basename(source), at, seed, flush=True)
    if at is not None:
        data[at : at + 4] = random.choice((2**31 - 1, -1, 2**30, -65536)).to_bytes(4, "little", signed=True)
    elif seed % 5 == 0:
        start = random.randrange(len(data))
        del data[start : random.choice((start + 1, start + 4, start + 64, len(data)))]
    else:
        for _ in range(random.choice((1, 1, 2, 8))):
            data[random.randrange(len(data))] = random.randrange(256)
    path = f"-{seed}".join(os.path.splitext(source))  # another each time: an old one may still be mapped
    with open(path, "wb") as stream:
        stream.write(data)
    try:
        tree = et.load(path, exact=seed % 7 == 0)
    except et.FileError as error:
        assert "\\n" not in str(error) and str(error).startswith(path + ": "), error
    else:
        read += 1
        found = et.evaluate(tree, "star2")
        et.to_text(found), et.to_json(found), list(tree.walk()), tree.unfolded, repr(tree)
        tree.exact and et.verify(tree)
        try:
            et.dumps(tree)
        except et.TreeError:
            pass
    os.unlink(path)
print("read", read)
"""


def saved(path: Path) -> Path:
    expect = Expectation(best="toss", values={"toss": 7.5})
    et.save(
        replace(built(), title="t", notes={2: "n"}, local_bounds={5: (0.0, 10.0)}, expect=expect),
        path,
    )
    return path


def null_views() -> Any:
    """Return a table with labels as views, of which null ones lie over nonsense: Arrow allows it."""
    nonsense, word = (
        struct.pack("<i4sii", -65_536, b"junk", 32_767, 0),
        struct.pack("<i12s", 4, b"pass"),
    )
    buffers = [pa.py_buffer(b"\x02"), pa.py_buffer(nonsense + word + nonsense)]
    labels = pa.Array.from_buffers(pa.string_view(), 3, buffers)
    arrays = [pa.array([0, 0, 1], pa.uint32()), pa.array([1.0] * 3), labels]
    entries = pa.StructArray.from_arrays(arrays, names=["child", "probability", "label"])
    branches = pa.LargeListArray.from_arrays([0, 0, 1, 3], entries)
    return pa.table(
        {"kind": ["TERMINAL", "MAX", "MIN"], "utility": [1.0, None, None], "branches": branches}
    )


TEXTS = [
    {**row, "utility": None if row["utility"] is None else str(row["utility"])} for row in ROWS
]
DAMAGED: dict[str, Callable[[Path], Path]] = {
    "ours": lambda to: saved(to / "ours.arrow"),
    "parquet": lambda to: saved(to / "ours.parquet"),
    "stream": lambda to: write(to / "stream.arrow", OTHERS["ours"], stream=True, rows=4),
    "groups": lambda to: write(to / "groups.parquet", OTHERS["plain"], rows=2),
    "kinds": lambda to: write(to / "kinds.arrow", OTHERS["plain"]),
    "texts": lambda to: write(
        to / "texts.arrow", table(TEXTS, kind=pa.string_view(), utility=pa.string())
    ),
    "views": lambda to: write(to / "views.arrow", OTHERS["view"]),
    "null views": lambda to: write(to / "null.arrow", null_views()),
    "large": lambda to: write(to / "large.arrow", OTHERS["large"]),
    "batches": lambda to: write(to / "batches.arrow", OTHERS["int32 codes"], rows=2),
    "compressed": lambda to: write(to / "compressed.arrow", OTHERS["reordered"], compression="lz4"),
}


def loaded_damaged(*names: str, folder: Path) -> tuple[int, str]:
    """Load what comes of damaging some files, in a process of its own; return its status and where it got to."""
    paths = [str(DAMAGED[name](folder)) for name in names]
    done = subprocess.run(
        [sys.executable, "-c", FUZZ, *paths], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return done.returncode, f"{done.stdout.splitlines()[-1]} {done.stderr[-2_000:]}"


@pytest.mark.parametrize(
    "names",
    [
        ("ours", "parquet"),
        ("stream", "groups"),
        ("kinds", "texts"),
        ("views", "null views"),
        ("large", "compressed", "batches"),
    ],
    ids=" and ".join,
)
def test_a_damaged_file_is_an_error_or_a_tree_and_never_a_crash(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    status, last = loaded_damaged(*names, folder=tmp_path)
    assert (status, last.split()[0]) == (0, "read"), last
    assert int(last.split()[1]) > 50  # what was damaged did not always matter
