"""Arrow: trees too large for text, one row a node, in the order of the node table.

    kind      TERMINAL, MAX, MIN or CHANCE (dictionary)
    utility   double; null at an inner node without an estimate and at an unknown terminal
    branches  list<struct<child: uint32 (a row number), probability: double, label: string,
              reward: double>>, without `reward` if no branch pays

Everything else is in the schema's metadata, under `expectitree` (see the module `metadata`). `save`
writes batches of `ROWS` rows. The columns that it wrote are used as they are, those of others are
cast. All are copied, so that no other program can change what was checked. Needs the extra `arrow`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from expectitree.base.budget import TooMuchWorkError, check_memory, check_rows
from expectitree.base.errors import (
    NumberError,
    TreeError,
    install_hint,
)
from expectitree.base.numbers import MAX_FLOAT, escape, exact_text, is_finite, message_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree.adopt import adopt, check_labels
from expectitree.base.tree.columns import (
    NUMBER_WORDS,
    Column,
    Columns,
    Repeated,
    expect_rows,
)
from expectitree.base.tree.model import Kind, Tree
from expectitree.files.grammar.document import error_in
from expectitree.files.metadata import metadata_text, read_metadata

try:
    import pyarrow as pa
    from pyarrow import compute

    from expectitree.files.formats.arrow_size import VIEWS, check_file, text_bytes
except ImportError:
    missing = "it is not installed, and Arrow and Parquet need it"
    raise error_in("pyarrow", f"{missing}\n{install_hint('arrow')}") from None

# pyarrow has no types: a column or a part of it, and several columns.
Array: TypeAlias = Any
Table: TypeAlias = Any
Buffer: TypeAlias = Any
ArrowException: Any = pa.ArrowException
KINDS = [kind.name for kind in Kind]
KEY = b"expectitree"
_HOW = (
    "a tree has the columns kind, utility and branches: list<struct<child, probability, label, "
    "reward>>, the last two optional"
)
_NAMES = ("kind", "utility", "branches")
_KIND = pa.dictionary(pa.int8(), pa.string())
# The types of the columns of a branch.
_ENTRY = {
    "child": pa.uint32(),
    "probability": pa.float64(),
    "label": pa.string(),
    "reward": pa.float64(),
}
# The types of branches that are not cast.
_BRANCHES = [
    pa.list_(pa.struct([*fields.items()]))
    for fields in (_ENTRY, {name: _ENTRY[name] for name in ("child", "probability", "label")})
]
ROWS = 1 << 20  # of a batch: 30 MB
_LABELS_AT_ONCE = 1_000_000  # so that a lazy column is never a list of all labels
# The exceptions that pyarrow raises for a damaged file.
_DAMAGED = (
    pa.ArrowException,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    SystemError,
    RecursionError,
)


def load(path: str) -> Tree:
    """Return the tree of a file; raise `FileError` if it is damaged or not a tree."""
    return load_table(path, read_table)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream, as `batches_of` makes its rows."""
    write(batches_of(tree, drop_fractions), stream, pa.ipc.new_file)


def write(batches: Iterator[Table], stream: BinaryIO, open_writer: Callable[..., Any]) -> None:
    """Write batches of rows, at least one, to a stream."""
    first = next(batches)
    with open_writer(stream, first.schema) as writer:
        for batch in chain([first], batches):
            writer.write_batch(batch)


# ---- Reading.


def read_table(path: str) -> tuple[Table, int]:
    """Return the rows of an Arrow file, and its bytes."""
    size = os.path.getsize(path)
    mapped = pa.memory_map(path)
    check_file(mapped.read_buffer(), size)
    file = pa.ipc.open_file(mapped)
    if file.num_record_batches == 1:  # several are put together in a copy
        file = pa.ipc.open_file(pa.OSFile(path))
    return file.read_all(), size


def load_table(path: str, read: Callable[[str], tuple[Table, int]]) -> Tree:
    """Return the tree of a file whose rows and bytes `read` returns."""
    with named_faults(path):
        table, size = read(path)
        expect_rows(table.num_rows)
        columns, label = columns_of(table, size)
        tree = adopt(columns, label, **read_metadata((table.schema.metadata or {}).get(KEY)))
        if label is not None:
            for message in check_labels(columns, label):
                raise TreeError(message)
        return tree


@contextmanager
def named_faults(path: str) -> Iterator[None]:
    """Raise `FileError` in place of an error that means that a file is damaged or not a tree."""
    with open(path, "rb"):  # raises OSError with a number if the file cannot be read
        pass
    try:
        yield
    except TooMuchWorkError as error:
        raise error_in(path, error.lines) from None
    except (TreeError, NumberError) as error:
        raise error_in(path, f"this is not a tree: {error.lines}") from None
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = type(error).__name__
        if not os.path.getsize(path):
            reason = "it is empty"
        elif str(error):
            reason = escape(str(error).splitlines()[0][:200])
        raise error_in(
            path, f"the file is damaged, or does not hold a tree: {reason}; {_HOW}"
        ) from None


def _no_labels(columns: Columns) -> Array:
    return pa.nulls(len(columns.child), pa.string())


def columns_of(table: Table, size: int) -> tuple[Columns, ArrowLabels | None]:
    """Return the columns of rows in a file of some bytes, and their labels if there are any.

    `first` starts at 0.
    """
    check_rows(table.num_rows, size)
    table.validate()  # `nbytes` trusts the ends of lists
    check_memory(table.nbytes, size)  # the footer of a file may list a batch many times
    for name in _NAMES:
        if name not in table.column_names:
            raise TreeError(f"there is no column {name}: {_HOW}")
    kind, utility, branches = map(table.column, _NAMES)
    # `adopt` checks each row of a table as `save` writes it. Columns that have to be cast are
    # validated fully before, since Arrow's functions trust their offsets and their indices.
    is_ours = kind.type == _KIND and utility.type == pa.float64() and branches.type in _BRANCHES
    unchecked = kind if is_ours else table
    unchecked.validate(full=True)
    kind, utility, branches = map(_one_chunk, (kind, utility, branches))
    if branches.type not in _BRANCHES or branches.null_count:
        branches = _cast_branches(branches, size)
    branches.validate()
    first, entries = _own_branches(branches)
    entries.validate()
    fields = {field.name: entries.field(field.name) for field in entries.type}
    child, probability, reward = fields["child"], fields["probability"], fields.get("reward")
    if entries.null_count or child.null_count or probability.null_count:
        raise TreeError("a child or a probability is null: every branch has both")
    if reward is not None and reward.null_count:
        raise TreeError("a reward is null\nwrite 0 where a branch pays nothing")
    rewards = None
    if reward is not None:
        rewards = _view(reward, "d")
    node_columns = _kind_column(kind), _utility_column(utility), first, _view(child, "I")
    columns = Columns.of(*node_columns, _view(probability, "d"), rewards)
    labels = fields.get("label")
    if labels is None or labels.null_count == len(labels):
        return columns, None
    labels.validate(full=True)
    return columns, ArrowLabels(labels)


def _own_branches(branches: Array) -> tuple[Column, Array]:
    """Return the column `first` of some rows, from 0, and the entries of their branches."""
    if not len(branches):
        return array("I", [0]), branches.values[:0]
    first = _part(branches.buffers()[1], "I", branches.offset, len(branches) + 1)
    begin, end = first[0], first[-1]
    if not begin <= end <= len(branches.values):
        raise TreeError("the branches of a node end before they begin")
    if begin:
        first = _view(compute.subtract(branches.offsets, pa.scalar(begin, pa.int32())), "I")
    return first, branches.values.slice(begin, end - begin)


def _one_chunk(column: Array) -> Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return column.combine_chunks()


def _view(values: Array, code: str) -> Column:
    """Return an Arrow array's values as they are in memory."""
    return _part(values.buffers()[1], code, values.offset, len(values))


def _arrow(column: Any, type: object, bitmap: object = None) -> Array:
    """Return a column as an Arrow array of the same memory; `bitmap` marks what is not null."""
    return pa.Array.from_buffers(type, len(column), [bitmap, pa.py_buffer(memoryview(column))])


def _part(buffer: Buffer, code: Any, start: int, count: int) -> Column:
    if not count:
        return array(code)
    size = array(code).itemsize
    return memoryview(buffer).cast("B")[start * size : (start + count) * size].cast(code)


def _kind_column(kind: Array) -> Column:
    if kind.null_count:
        raise TreeError("a kind is null: every node has one")
    if pa.types.is_integer(kind.type):
        return _view(kind.cast(pa.uint8()), "B")
    if not pa.types.is_dictionary(kind.type):
        kind = kind.dictionary_encode()
    kind.indices.validate(full=True)
    kind.dictionary.validate(full=True)
    names = [str(name).upper() for name in kind.dictionary.to_pylist()]
    if kind.type.index_type == pa.int8() and names == KINDS:
        return _view(kind.indices, "B")
    code_of = {name: code for code, name in enumerate(KINDS)}
    codes = pa.array(map(code_of.get, names), pa.uint8()).take(kind.indices)
    if codes.null_count:
        wrong = kind.filter(codes.is_null())[0].as_py()
        raise TreeError(f"the kind {wrong!r} is unknown\nwrite one of {', '.join(KINDS)}")
    return _view(codes, "B")


def _utility_column(utility: Array) -> Column:
    utility = _cast(utility, pa.float64())
    if utility.null_count:
        # `save` writes NaN under a null, which is used in place; other writers leave anything.
        buffers = [None, utility.buffers()[1]]
        bare = pa.Array.from_buffers(pa.float64(), len(utility), buffers, offset=utility.offset)
        if not compute.all(compute.or_(utility.is_valid(), compute.is_nan(bare))).as_py():
            utility = utility.fill_null(float("nan"))
    return _view(utility, "d")


def _cast_branches(branches: Array, size: int) -> Array:
    """Return the branches of another writer as `save` writes them; null is an empty list."""
    is_list = pa.types.is_list(branches.type) or pa.types.is_large_list(branches.type)
    if not is_list or not pa.types.is_struct(branches.type.value_type):
        type = branches.type
        if pa.types.is_dictionary(type):  # as Parquet's texts are read
            type = type.value_type
        raise TreeError(f"the column branches is {type}: {_HOW}")
    entry = branches.type.value_type
    names = [entry.field(i).name for i in range(entry.num_fields)]
    for name in ("child", "probability"):
        if name not in names:
            raise TreeError(f"the branches have no {name}: {_HOW}")
    branches.validate(full=True)
    flat = branches.flatten()
    if flat.null_count:
        raise TreeError("a branch is null: every branch has a child and a probability")
    if "label" in names:
        check_memory(text_bytes(flat.field("label")), size)
    columns = {name: _cast(flat.field(name), _ENTRY[name]) for name in _ENTRY if name in names}
    lengths = compute.fill_null(compute.list_value_length(branches), 0).cast(pa.int64())
    ends = compute.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    entries = pa.StructArray.from_arrays([*columns.values()], names=[*columns])
    return pa.ListArray.from_arrays(offsets, entries)


def _cast(values: Array, to: object) -> Array:
    if values.type not in VIEWS:
        return values.cast(to)  # itself if it has the type
    # A cast in pyarrow 26 reads the views of null entries too, and crashes on their contents.
    encoded = values.dictionary_encode()
    return encoded.dictionary.cast(to).take(encoded.indices)


class ArrowLabels(Sequence["str | None"]):
    """A column of labels in an Arrow array."""

    def __init__(self, labels: Any) -> None:
        self.array = labels

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.array[index].to_pylist()
        return self.array[index].as_py()


# ---- Writing.


def batches_of(tree: Tree, drop_fractions: bool) -> Iterator[Table]:
    """Yield the rows of a tree in batches, at least one.

    An exact tree with a number that is not a float raises `TreeError`, unless `drop_fractions`.
    """
    if tree.exact:
        _check_floats(tree, drop_fractions)
    about = {KEY: metadata_text(tree, drop_fractions).encode()}
    rows = _batch(tree.floats.columns, _label_array(tree))
    for start in range(0, rows.num_rows, ROWS):
        yield rows.slice(start, ROWS).replace_schema_metadata(about)


def _batch(columns: Columns, labels: Array) -> Table:
    """Return rows as a batch that has the same memory."""
    utility = _arrow(columns.utility, pa.float64())
    bitmap = compute.invert(compute.is_nan(utility)).buffers()[1]
    fields = {
        "child": _arrow(columns.child, pa.uint32()),
        "probability": _arrow(columns.probability, pa.float64()),
        "label": labels,
    }
    if columns.pays:
        fields["reward"] = _arrow(columns.reward, pa.float64())
    entries = pa.StructArray.from_arrays([*fields.values()], names=[*fields])
    kinds = pa.DictionaryArray.from_arrays(_arrow(columns.kind, pa.int8()), pa.array(KINDS))
    utility = _arrow(columns.utility, pa.float64(), bitmap)
    offsets = _arrow(columns.first, pa.int32())
    rows = [kinds, utility, pa.ListArray.from_arrays(offsets, entries)]
    return pa.RecordBatch.from_arrays(rows, names=[*_NAMES])


def _label_array(tree: Tree) -> Array:
    if isinstance(tree.label, Repeated):
        return _no_labels(tree.columns)
    starts = range(0, len(tree.label), _LABELS_AT_ONCE)
    try:
        parts = [
            pa.array(tree.label[start : start + _LABELS_AT_ONCE], pa.string()) for start in starts
        ]
        return pa.chunked_array(parts, pa.string()).combine_chunks()
    except UnicodeEncodeError as error:
        raise TreeError(
            f"half of a surrogate pair in a label, {quote(str(error.object))}\nwrite the "
            "character itself"
        ) from None


def _check_floats(tree: Tree, drop_fractions: bool) -> None:
    """Raise `TreeError` for a number of an exact tree that a column of floats cannot hold."""
    for n, what, value in _numbers(tree):
        if not is_finite(value):  # an end of bounds
            continue
        if abs(value) > MAX_FLOAT:
            problem = "is beyond the limit of floats (10^301)\nkeep the tree as text"
        elif drop_fractions or to_fraction(exact_text(float(value))) == value:
            continue
        else:
            problem = "is not a decimal that a column of floats can hold\nkeep the tree as text, "
            problem += "or round its fractions (--drop fractions)"
        raise TreeError(f"{escape(tree.path_of(n))}: the {what} {message_text(value)} {problem}")


def _numbers(tree: Tree) -> Iterator[tuple[int, str, Any]]:
    """Yield a node, the name of a number there, and the number.

    Leave out equal probabilities: they become equal again when the tree is read, since their sum is
    divided out.
    """
    columns = tree.columns
    for n, kind in enumerate(columns.kind):
        utility, branches = columns.utility[n], tree.branches_of(n)
        if utility == utility:
            yield n, NUMBER_WORDS[kind], utility
        if len({columns.probability[b] for b in branches}) > 1:
            yield from ((n, "probability of an outcome", columns.probability[b]) for b in branches)
        if columns.pays:
            yield from ((n, "reward of a branch", columns.reward[b]) for b in branches)
    for n, ends in tree.local_bounds.items():  # the metadata have them
        yield from ((n, "bound", end) for end in ends)
    yield tree.root_id, "reward", tree.root_reward
