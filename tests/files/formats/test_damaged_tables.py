"""Files that are not trees, or are damaged: each is refused with one line."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from files.formats.tables import (
    FORMATS,
    OTHERS,
    PAYING,
    ROWS,
    STRUCT,
    Row,
    built_tree,
    error_message,
    inner,
    leaf,
    table,
    to,
    write,
)
from files.samples import content_of
from helpers import ROOT, cases

import expectitree as et
from expectitree.base.tree.formulas import Expectation

# ---- Tables that are not trees.


def rows_with(row: int, **changes: object) -> list[Row]:
    return [*ROWS[:row], {**ROWS[row], **changes}, *ROWS[row + 1 :]]


def paying(reward: object, type: Any = None, others: object = 1) -> Any:
    """Return a table in which the second branch of node 4 has this reward."""
    branches = [to(1), {**to(3), "reward": reward}]
    rows = [*ROWS[:4], inner("MIN", *branches), inner("MAX", *map(to, range(5)))]
    entry = pa.struct([*STRUCT, ("reward", type)]) if type else PAYING.value_type
    for n, row in enumerate(rows):
        paid = [{"reward": others, **branch} for branch in row["branches"]]
        rows[n] = {**row, "branches": paid}
    return table(rows, branches=pa.list_(entry))


ANY_KIND = pa.string()
WRONG: dict[str, tuple[Any, str]] = {
    "no kind": (table().drop_columns("kind"), "no column kind"),
    "no branches": (table().drop_columns("branches"), "no column branches"),
    "no rows": (table([]), "no nodes"),
    "kind null": (table(rows_with(0, kind=None)), "kind is null"),
    "kind unknown": (table(rows_with(0, kind="LEAF"), kind=ANY_KIND), "the kind 'LEAF' is unknown"),
    "kind number 4": (table([{**leaf(0), "kind": 4}], kind=pa.int8()), "kind is 4"),
    "utility text": (table([{**leaf(0), "utility": "x"}], utility=pa.string()), ""),
    "utility null": (table(rows_with(0, utility=None)), "node 0: the utility is missing"),
    "branch null": (table(rows_with(2, branches=[None, to(1)])), "null"),
    "branch null in a large list": (
        table(rows_with(2, branches=[None, to(1)]), branches=pa.large_list(pa.struct(STRUCT))),
        "a branch is null"),
    "probability null": (table(rows_with(2, branches=[{**to(0), "probability": None}])),
        "probability .* null"),
    "no probability": (table([leaf(0)], branches=pa.list_(pa.struct([("child", pa.int8())]))),
        "no probability"),
    "reward null": (paying(None),
        r"this is not a tree: a reward is null: write 0 where a branch pays nothing$"),
    "reward 1e302": (paying(1e302),
        r"node 4: the reward of branch #2 is 1e\+302, expected a number up to 10\^301$"),
    "label #2 first": (table(rows_with(5, branches=[to(2, label="#2"), to(4)])),
        "the label #2 is at place 1"),
}  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_table_that_is_not_a_tree_is_refused_in_one_line(
    wrong: str, format: str, tmp_path: Path
) -> None:
    made, message = WRONG[wrong]
    assert re.search(message, error_message(write(tmp_path / f"tree.{format}", made)))


ABOUT = [
    *cases("interfaces", "metadata"),
    (f'{{"bounds": {{"{"9" * 5_000}": [0, 10]}}}}', ""),
    (f'{{"expect": {{"value": {"1" * 4_000}}}}}', "too long"),
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("metadata", "message"), ABOUT, ids=lambda text: text[:40])
def test_metadata_of_the_wrong_type_are_refused_in_one_line(
    metadata: str, message: str, format: str, tmp_path: Path
) -> None:
    found = error_message(write(tmp_path / f"tree.{format}", table(**json.loads(metadata))))
    assert re.search(message, found)
    assert "object" not in found  # These are Python's names of the types.


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
def test_invalid_metadata_are_refused_in_one_line(text: bytes, format: str, tmp_path: Path) -> None:
    error_message(
        write(tmp_path / f"tree.{format}", table().replace_schema_metadata({b"expectitree": text}))
    )


def test_metadata_of_other_programs_are_ignored(tmp_path: Path) -> None:
    made = table().replace_schema_metadata({b"pandas": b"\xff{", b"other": b""})
    assert content_of(et.load(write(tmp_path / "tree.arrow", made))) == content_of(built_tree())


# ---- Damaged files.


@pytest.mark.parametrize("name", ["tree.arrow", "tree.parquet"])
def test_a_file_that_is_not_a_table_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    """An empty file, text, the other format, the beginning or the end of a file."""
    path = tmp_path / name
    other = tmp_path / ("other.parquet" if path.suffix == ".arrow" else "other.arrow")
    et.save(built_tree(), path)
    et.save(built_tree(), other)
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
        error_message(path)


@pytest.mark.parametrize("format", FORMATS)
def test_a_folder_is_not_reported_as_damaged(format: str, tmp_path: Path) -> None:
    (tmp_path / f"tree.{format}").mkdir()
    assert error_message(tmp_path / f"tree.{format}") == "this is a folder, expected a file"


# This program loads mutations of some files and uses every tree that it gets. In an
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
    numbers = range(0, len(whole) - 3, 8 if source.endswith("arrow") else 32)
    mutations += [(source, whole, at, at) for at in numbers]
    mutations += [(source, whole, None, seed) for seed in range(60)]
read = 0
for source, whole, at, seed in mutations:
    random, data = Random(seed), bytearray(whole)
    print(os.path.basename(source), at, seed, flush=True)
    if at is not None:
        number = random.choice((2**31 - 1, -1, 2**30, -65536))
        data[at : at + 4] = number.to_bytes(4, "little", signed=True)
    elif seed % 5 == 0:
        start = random.randrange(len(data))
        del data[start : random.choice((start + 1, start + 4, start + 64, len(data)))]
    else:
        for _ in range(random.choice((1, 1, 2, 8))):
            data[random.randrange(len(data))] = random.randrange(256)
    # Use another path each time, since an old file may still be mapped.
    path = f"-{seed}".join(os.path.splitext(source))
    with open(path, "wb") as stream:
        stream.write(data)
    try:
        tree = et.load(path)
    except et.FileError as error:
        assert "\\n" not in str(error) and str(error).startswith(path + ": "), error
    else:
        read += 1
        found = et.evaluate(tree, "star2")
        et.to_text(found), et.to_json(found), list(tree.walk()), tree.unfolded, repr(tree)
        seed % 7 == 0 and et.verify(tree)
        try:
            et.dumps(tree)
        except et.TreeError:
            pass
    os.unlink(path)
print("read", read)
"""


def saved_table(path: Path) -> Path:
    expect = Expectation(best="toss", values={"toss": 7.5})
    et.save(
        built_tree().changed(
            title="t", notes={2: "n"}, local_bounds={5: (0.0, 10.0)}, expect=expect
        ),
        path,
    )
    return path


def null_views(type: Any) -> Any:
    """Return a table with labels as views and invalid data under nulls, as Arrow allows."""
    nonsense, word = (
        struct.pack("<i4sii", -65_536, b"junk", 32_767, 0),
        struct.pack("<i12s", 4, b"pass"),
    )
    buffers = [pa.py_buffer(b"\x02"), pa.py_buffer(nonsense + word + nonsense)]
    labels = pa.Array.from_buffers(type, 3, buffers)
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
    "ours": lambda to: saved_table(to / "ours.arrow"),
    "parquet": lambda to: saved_table(to / "ours.parquet"),
    "groups": lambda to: write(to / "groups.parquet", OTHERS["plain"], rows=2),
    "texts": lambda to: write(
        to / "texts.arrow", table(TEXTS, kind=pa.string_view(), utility=pa.string())
    ),
    "views": lambda to: write(to / "views.arrow", OTHERS["view"]),
    "null views": lambda to: write(to / "null.arrow", null_views(pa.string_view())),
    "null bytes": lambda to: write(to / "bytes.arrow", null_views(pa.binary_view())),
    "compressed": lambda to: write(to / "compressed.arrow", OTHERS["reordered"], compression="lz4"),
}


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view()], ids=str)
def test_what_lies_under_a_null_view_is_not_read(type: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "null.arrow", null_views(type))
    assert list(et.load(path).label) == [None, "pass", None]


def loaded_damaged(*names: str, folder: Path) -> tuple[int, str]:
    """Load damaged files in another process; return its status and its last line."""
    paths = [str(DAMAGED[name](folder)) for name in names]
    done = subprocess.run(
        [sys.executable, "-c", FUZZ, *paths], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return done.returncode, f"{done.stdout.splitlines()[-1]} {done.stderr[-2_000:]}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("ours", "parquet"),
        ("groups", "texts"),
        ("views", "null views", "null bytes"),
        ("compressed",),
    ],
    ids=" and ".join,
)
def test_a_damaged_file_is_an_error_or_a_tree_and_never_a_crash(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    status, last = loaded_damaged(*names, folder=tmp_path)
    assert (status, last.split()[0]) == (0, "read"), last
    assert int(last.split()[1]) > 50  # Some of the damage has no effect.


@pytest.mark.parametrize("format", ["arrow", "parquet"])
@pytest.mark.parametrize(
    "about",
    [
        r'"title": "\ud800"',
        r'"title": "a\udc00b"',
        r'"notes": {"0": "\uD83D x"}',
        r'"source": "\ude00\ud83d"',
        r'"branch_notes": {"0": "\udfff"}',
    ],
)
def test_half_a_surrogate_pair_is_refused_with_the_name_of_the_file(
    about: str, format: str, tmp_path: Path
) -> None:
    """No format could write it again."""
    text = f'{{"version": 1, {about}}}'.encode()
    file = tmp_path / f"tree.{format}"
    write(file, table().replace_schema_metadata({b"expectitree": text}))
    with pytest.raises(et.FileError) as caught:
        et.load(file)
    message = "the metadata have half of a surrogate pair: write the character itself"
    assert str(caught.value) == f"{file}: this is not a tree: {message}"
    whole = text.replace(about.encode(), rb'"title": "\ud83d\ude00"')
    write(file, table().replace_schema_metadata({b"expectitree": whole}))
    assert et.load(file).title == "\N{GRINNING FACE}"
