"""Tables of nodes, as Arrow makes them, for the tests of Arrow and Parquet."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.files.formats.arrow import KINDS

FORMATS = ("arrow", "parquet")
STRUCT = pa.struct([("child", pa.uint32()), ("probability", pa.float64()), ("label", pa.string())])
BRANCHES = pa.list_(STRUCT)
PAYING = pa.list_(pa.struct([*STRUCT, ("reward", pa.float64())]))
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
    rows: int | None = None,
    compression: str | None = None,
) -> Path:
    """Write a table by the ending of the path, `rows` at a time."""
    if path.suffix == ".parquet":
        pq.write_table(made, path, row_group_size=rows, compression=compression or "snappy")
        return path
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, made.schema, options=options) as writer,
    ):
        writer.write_table(made, max_chunksize=rows)
    return path


def built_tree() -> et.Tree:
    """Return the tree of `ROWS`."""
    t = et.TreeBuilder(exact=False)  # as tables are read
    zero, ten = t.terminal(0), t.terminal(10)
    toss = t.chance({"#1": zero, "é": ten}, [0.25, 0.75], estimate=7)
    four = t.terminal(4)
    return t.build(t.max({"pass": four, "toss": toss, "#3": t.min([ten, four])}))


def columns_of(tree: et.Tree) -> list[list[Any]]:
    return [
        ["nan" if x != x else x for x in column] for column in (*tree.columns.stored, tree.label)
    ]


def error_message(path: Path) -> str:
    """Return the one-line error of reading a file, without the file's name."""
    with pytest.raises(FileError) as found:
        et.load(path)
    message = str(found.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


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
    "uint8 codes": table(kind=pa.dictionary(pa.uint8(), pa.large_string())),
    "whole utilities": table(utility=pa.int64()),
    "decimal utilities": table(utility=pa.decimal128(10, 3)),
    "kind numbers": table([{**row, "kind": KINDS.index(row["kind"])} for row in ROWS],
        kind=pa.int64()),
    "lower case": table([{**row, "kind": row["kind"].lower()} for row in ROWS], kind=pa.string()),
    "with a column more": table().append_column("depth", pa.array(range(len(ROWS)))),
    "NaN for null": table([{**row,
        "utility": math.nan if row["utility"] is None else row["utility"]} for row in ROWS]),
    "combined and sliced": pa.concat_tables([table(ROWS[:3]), table()]).combine_chunks().slice(3),
}  # fmt: skip
