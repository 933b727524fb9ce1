"""Arrow and Parquet: trees too large for text, one row a node in table order, which is the tables as they are.

    kind      TERMINAL, MAX, MIN or CHANCE (dictionary)
    utility   double; null at an inner node without an estimate, and at a terminal that is not known yet
    branches  list<struct<child: uint32 (a row number), probability: double, label: string>>

Everything else is JSON text in the schema's metadata, under `expectitree`. An Arrow file that was
written here is mapped into memory and used as it lies on disk, without a copy; others are cast.
Needs the extra `arrow`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from expectitree import compiling
from expectitree.errors import FileError, NumberError, Problem, TreeError
from expectitree.files.grammar.document import Place
from expectitree.files.grammar.expect import read_expectation, written_expectation
from expectitree.files.grammar.flow import NumberText, flow, number_text
from expectitree.numbers import (
    GREATEST_FLOAT,
    INFINITY,
    Number,
    escape,
    exact_text,
    message_text,
    quote,
    to_bound,
    to_number,
)
from expectitree.tree.adopt import adopt, check_labels
from expectitree.tree.builder import outside_bounds
from expectitree.tree.model import UNKNOWN, Bounds, Column, Columns, Kind, Repeated, Tree
from expectitree.tree.transform import in_fractions

KINDS = [kind.name for kind in Kind]
_KEY = b"expectitree"
_VERSION = 1
_HOW = "a tree has the columns kind, utility and branches: list<struct<child, probability, label>>"


def load(path: str, format: str, exact: bool = False) -> Tree:
    """Return the tree of a file, `arrow` (IPC) or `parquet`; raise `FileError` where it is none, or damaged."""
    pa = _pyarrow()
    damaged = (
        pa.ArrowException,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        SystemError,
        RecursionError,
    )
    with open(path, "rb"):  # a file that is not there, or is a folder, is told as such
        pass
    try:
        return _tree(_read_parquet(path) if format == "parquet" else _read_ipc(path), exact)
    except (TreeError, NumberError) as error:
        raise FileError([Problem(path, f"this is no tree: {error}")]) from None
    except damaged as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise FileError(
            [Problem(path, f"the file is damaged, or holds no tree: {said}; {_HOW}")]
        ) from None


def save(tree: Tree, path: str, format: str, *, drop_fractions: bool = False) -> None:
    """Write a tree to a file, `arrow` (IPC) or `parquet`.

    The columns hold floats: raises `TreeError` where an exact tree has a number that none is,
    unless `drop_fractions`.
    """
    pa = _pyarrow()
    batch = _batch(tree, drop_fractions)
    if format == "parquet":
        from pyarrow import parquet

        with open(
            path, "wb"
        ) as stream:  # of a file that it opened itself, Arrow takes away what it could not finish
            parquet.write_table(pa.Table.from_batches([batch]), stream)
        return
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise FileError(
            [
                Problem(
                    "pyarrow",
                    "it is not installed, and Arrow and Parquet need it: pip install 'expectitree[arrow]'",
                )
            ]
        ) from None
    return pa


# ---- Reading.


def _read_ipc(path: str) -> Any:
    pa = _pyarrow()
    try:
        return pa.ipc.open_file(pa.memory_map(path)).read_all()
    except pa.ArrowInvalid:
        with pa.OSFile(path) as source:
            return pa.ipc.open_stream(source).read_all()


def _read_parquet(path: str) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path, memory_map=True)


def _tree(table: Any, exact: bool) -> Tree:
    pa = _pyarrow()
    missing = [name for name in ("kind", "utility", "branches") if name not in table.column_names]
    if missing:
        raise TreeError(f"there is no column {missing[0]}: {_HOW}")
    about = _metadata(table.schema.metadata)
    fields = {"child": pa.uint32(), "probability": pa.float64(), "label": pa.string()}
    wanted = pa.list_(pa.struct(list(fields.items())))
    # A table as it is written here is checked row by row below; what has to be put together or cast
    # before is checked by Arrow first, to the last offset: its own functions trust what they are
    # given.
    types = {
        "kind": pa.dictionary(pa.int8(), pa.string()),
        "utility": pa.float64(),
        "branches": wanted,
    }
    is_ours = all(
        table.column(name).type == type and table.column(name).num_chunks == 1
        for name, type in types.items()
    )
    table.validate(full=not is_ours)
    kind = _kind_column(_one_chunk(table.column("kind")))
    utility = _utility_column(_one_chunk(table.column("utility")))
    branches = _one_chunk(table.column("branches"))
    if branches.type != wanted or branches.null_count:  # null for no branches is an empty list
        branches = _cast_branches(branches, wanted)
    branches.validate()
    entries = branches.values
    entries.validate()
    if (
        entries.null_count
        or entries.field("child").null_count
        or entries.field("probability").null_count
    ):
        raise TreeError("some child or probability is null: every branch has both")
    columns = Columns(
        kind,
        utility,
        _first_column(branches),
        _view(entries.field("child"), "I"),
        _view(entries.field("probability"), "d"),
    )
    labels = entries.field("label")
    label: Sequence[str | None] | None = None
    if labels.null_count < len(labels):
        labels.validate(full=True)
        label = ArrowLabels(labels)
    bounds = about.pop("bounds", {})
    expect = None
    if "expect" in about:
        problems: list[str] = []
        written = about.pop("expect")
        expect = read_expectation(
            written, Place(), exact, lambda place, message: problems.append(message)
        )
        if problems:
            raise TreeError(problems[0])
    read = {n: _bounds(ends, False) for n, ends in bounds.items()} if not exact else None
    tree = adopt(columns, label, local_bounds=read, expect=expect, **about)
    if label is not None:
        wrong = next(check_labels(columns, label), None)
        if wrong:
            raise TreeError(wrong)
    if not exact:
        return tree
    tree = replace(
        in_fractions(tree), local_bounds={n: _bounds(ends, True) for n, ends in bounds.items()}
    )
    for n, message in outside_bounds(tree, None):
        raise TreeError(f"node {n}: {message}")
    return tree


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _view(values: Any, code: str) -> Column:
    """Return an Arrow array's values as they lie in memory."""
    return _part(values.buffers()[1], code, values.offset, len(values))


def _part(buffer: Any, code: Any, start: int, count: int) -> Column:
    if not count:
        return array(code)
    size = array(code).itemsize
    return memoryview(buffer).cast("B")[start * size : (start + count) * size].cast(code)


def _kind_column(kind: Any) -> Column:
    pa = _pyarrow()
    if kind.null_count:
        raise TreeError("some kind is null: every node has one")
    if pa.types.is_integer(kind.type):
        return _view(kind.cast(pa.uint8()), "B")
    if not pa.types.is_dictionary(kind.type):
        kind = kind.dictionary_encode()
    kind.indices.validate(full=True)
    kind.dictionary.validate(full=True)
    names = [str(name).upper() for name in kind.dictionary.to_pylist()]
    if kind.type.index_type == pa.int8() and names == KINDS:
        return _view(kind.indices, "B")
    code_of = pa.array([KINDS.index(name) if name in KINDS else None for name in names], pa.uint8())
    codes = code_of.take(kind.indices)
    if codes.null_count:
        wrong = kind.filter(codes.is_null())[0].as_py()
        raise TreeError(f"the kind {wrong!r} is none: expected {', '.join(KINDS)}")
    return _view(codes, "B")


def _utility_column(utility: Any) -> Column:
    pa = _pyarrow()
    from pyarrow import compute

    if utility.type != pa.float64():
        utility = _cast(utility, pa.float64())
    if utility.null_count:
        # What lies under a null is anything, but NaN in an Arrow file that was written here: there
        # it stays in place.
        buffers = [None, utility.buffers()[1]]
        bare = pa.Array.from_buffers(pa.float64(), len(utility), buffers, offset=utility.offset)
        if not compute.all(compute.or_(utility.is_valid(), compute.is_nan(bare))).as_py():
            utility = utility.fill_null(float("nan"))
    return _view(utility, "d")


def _first_column(branches: Any) -> Column:
    """Return the offsets of a list array, from its buffer, as the column `first`."""
    return (
        _part(branches.buffers()[1], "I", branches.offset, len(branches) + 1)
        if len(branches)
        else array("I", [0])
    )


def _cast_branches(branches: Any, wanted: Any) -> Any:
    """Return branches as this package writes them, from what other writers make of them."""
    pa = _pyarrow()
    if not (pa.types.is_list(branches.type) or pa.types.is_large_list(branches.type)):
        raise TreeError(f"the column branches is {branches.type}: {_HOW}")
    entry = branches.type.value_type
    if not pa.types.is_struct(entry):
        raise TreeError(f"the column branches is {branches.type}: {_HOW}")
    names = [entry.field(i).name for i in range(entry.num_fields)]
    lacking = [name for name in ("child", "probability") if name not in names]
    if lacking:
        raise TreeError(f"the branches have no {lacking[0]}: {_HOW}")
    branches.validate(full=True)
    flat = branches.flatten()
    if flat.null_count:
        raise TreeError("some branch is null: every branch has a child and a probability")
    columns = []
    for name in ("child", "probability", "label"):
        to = wanted.value_type.field(name).type
        columns.append(_cast(flat.field(name), to) if name in names else pa.nulls(len(flat), to))
    from pyarrow import compute

    lengths = compute.fill_null(compute.list_value_length(branches), 0).cast(pa.int64())
    ends = compute.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    entries = pa.StructArray.from_arrays(columns, fields=list(wanted.value_type))
    return pa.ListArray.from_arrays(offsets, entries, type=wanted)


def _cast(values: Any, to: Any) -> Any:
    pa = _pyarrow()
    if not pa.types.is_string_view(values.type):
        return values.cast(to)
    # pyarrow 26 looks at the views of null entries too when it casts, and crashes on what lies
    # there.
    encoded = values.dictionary_encode()
    return encoded.dictionary.cast(to).take(encoded.indices)


class ArrowLabels(Sequence["str | None"]):
    """A column of labels that lies in an Arrow array."""

    def __init__(self, labels: Any) -> None:
        self._labels = labels

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, at: Any) -> Any:
        found = self._labels[at]
        return found.to_pylist() if isinstance(at, slice) else found.as_py()


def _metadata(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """Return what is said beside the columns, as `adopt` takes it; `bounds` and `expect` as they are written."""
    text = (metadata or {}).get(_KEY)
    if text is None:
        return {}
    about = json.loads(
        text, parse_int=NumberText, parse_float=NumberText, parse_constant=NumberText
    )
    if not isinstance(about, dict) or about.get("version") != NumberText(_VERSION):
        raise TreeError(
            f"the metadata under {_KEY.decode()!r} are of another version: expected version {_VERSION}"
        )
    found: dict[str, Any] = {}
    for key in ("title", "source"):
        if key in about:
            if type(about[key]) is not str:
                raise TreeError(f"the {key} in the metadata is no text")
            found[key] = about[key]
    for key in ("bounds", "notes", "branch_notes"):
        if key in about:
            if not isinstance(about[key], dict):
                raise TreeError(f"the {key} in the metadata are no mapping from row number")
            found[key] = {_row(row, key): value for row, value in about[key].items()}
    if not all(
        isinstance(ends, list) and len(ends) == 2 for ends in found.get("bounds", {}).values()
    ):
        raise TreeError("some bounds in the metadata are no pair of a lower and an upper number")
    for key in ("notes", "branch_notes"):
        if not all(type(note) is str for note in found.get(key, {}).values()):
            raise TreeError(f"some note among the {key} in the metadata is no text")
    if "estimated" in about:
        if not isinstance(about["estimated"], list):
            raise TreeError("what is estimated, in the metadata, is no list of row numbers")
        found["estimated"] = frozenset(_row(row, "estimated") for row in about["estimated"])
    if "unknown" in about:
        if not isinstance(about["unknown"], list):
            raise TreeError("what is not known, in the metadata, is no list of row numbers")
        found["unknown"] = [_row(row, "unknown") for row in about["unknown"]]
    if "expect" in about:
        found["expect"] = _as_data(about["expect"])
    return found


def _row(written: Any, key: str) -> int:
    if not (
        isinstance(written, str)
        and written.isascii()
        and written.isdecimal()
        and len(written) <= 10
    ):
        raise TreeError(
            f"the metadata speak of {key} for row {quote(str(written))}, which is no row number"
        )
    return int(written)


def _as_data(value: Any) -> Any:
    """Return what JSON holds as the grammar takes it: mappings as pairs."""
    if isinstance(value, dict):
        return tuple((str(key), _as_data(item)) for key, item in value.items())
    return [_as_data(item) for item in value] if isinstance(value, list) else value


def _bounds(ends: Any, exact: bool) -> Bounds:
    lower, upper = (to_bound(str(end), exact) for end in ends)
    if lower > upper:
        raise TreeError(
            f"the bounds [{exact_text(lower)}, {exact_text(upper)}] are the wrong way round"
        )
    return lower, upper


# ---- Writing.


def _batch(tree: Tree, drop_fractions: bool) -> Any:
    pa = _pyarrow()
    from pyarrow import compute

    columns = _in_floats(tree, drop_fractions) if tree.exact else tree.columns
    kind, utility, first, child, probability = columns
    count, branches = len(kind), len(child)

    def as_arrow(column: Column, type: Any, length: int, bitmap: Any = None) -> Any:
        return pa.Array.from_buffers(type, length, [bitmap, pa.py_buffer(memoryview(column))])

    values = as_arrow(utility, pa.float64(), count)
    bitmap = compute.invert(compute.is_nan(values)).buffers()[1]
    try:
        labels = (
            pa.nulls(branches, pa.string())
            if isinstance(tree.label, Repeated)
            else _label_array(tree)
        )
    except UnicodeEncodeError as error:
        raise TreeError(
            f"half of a surrogate pair in a label, {quote(str(error.object))}: write the character"
        ) from None
    entries = pa.StructArray.from_arrays(
        [
            as_arrow(child, pa.uint32(), branches),
            as_arrow(probability, pa.float64(), branches),
            labels,
        ],
        names=["child", "probability", "label"],
    )
    offsets = as_arrow(first, pa.int32(), count + 1)
    kinds = pa.DictionaryArray.from_arrays(as_arrow(kind, pa.int8(), count), pa.array(KINDS))
    return pa.RecordBatch.from_arrays(
        [
            kinds,
            as_arrow(utility, pa.float64(), count, bitmap),
            pa.ListArray.from_arrays(offsets, entries),
        ],
        names=["kind", "utility", "branches"],
        metadata={_KEY: _about(tree, drop_fractions).encode()},
    )


def _label_array(tree: Tree) -> Any:
    pa = _pyarrow()
    step = 1_000_000  # at a time, so that a lazy column is never a list of all

    def parts() -> Iterator[Any]:
        for start in range(0, len(tree.label), step):
            yield pa.array(tree.label[start : start + step], pa.string())

    return pa.chunked_array(list(parts()), pa.string()).combine_chunks()


def _about(tree: Tree, drop_fractions: bool) -> str:
    """Return what is no column, as JSON text."""
    about: dict[str, Any] = {"version": _VERSION}
    for key in ("title", "source"):
        if getattr(tree, key) is not None:
            about[key] = getattr(tree, key)
    if tree.local_bounds:
        about["bounds"] = {
            str(n): [number_text(float(end) if drop_fractions else end) for end in ends]
            for n, ends in tree.local_bounds.items()
        }
    for key in ("notes", "branch_notes"):
        if getattr(tree, key):
            about[key] = {str(row): note for row, note in getattr(tree, key).items()}
    if tree.estimated:
        about["estimated"] = sorted(tree.estimated)
    if tree.unknown:  # else a utility that is missing would be taken for one that is not known yet
        about["unknown"] = tree.unknown
    text = flow(about, is_json=True)
    if tree.expect is not None:
        text = f'{text[:-1]}, "expect": {flow(written_expectation(tree.expect), is_json=True)}}}'
    return text


def _in_floats(tree: Tree, drop_fractions: bool) -> Columns:
    """Return the columns of an exact tree as floats; raise `TreeError` where one is another number."""
    kind, utility, first, child, probability = tree.columns

    def held(value: Number, n: int, what: str) -> float:
        try:
            rounded = float(value)
        except OverflowError:
            rounded = INFINITY
        if abs(rounded) > GREATEST_FLOAT:
            raise TreeError(
                f"{escape(tree.path_of(n))}: the {what} {message_text(value)} is beyond what floats can search (10^301): "
                "keep the tree as text"
            )
        if not drop_fractions and to_number(exact_text(rounded), True) != value:
            raise TreeError(
                f"{escape(tree.path_of(n))}: the {what} {message_text(value)} is no decimal that a column of floats can "
                "hold: keep the tree as text, or let it go (--drop fractions)"
            )
        return rounded

    values, shares = compiling.zeros("d", len(utility)), compiling.zeros("d", len(probability))
    for n in range(len(kind)):
        what = "estimate" if kind[n] else "utility"
        value = utility[n]
        values[n] = UNKNOWN if value is None or value != value else held(value, n, what)
        own = range(first[n], first[n + 1])
        # Equal probabilities come out equal again when the tree is read exactly: they are divided
        # out.
        equal = len({probability[b] for b in own}) == 1
        for b in own:
            shares[b] = (
                float(probability[b])
                if equal
                else held(probability[b], n, "probability of an outcome")
            )
    return Columns(kind, values, first, child, shares)
