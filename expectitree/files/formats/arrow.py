"""Arrow: trees too large for text, one row a node, in the order of the node table.

    kind      TERMINAL, MAX, MIN or CHANCE (dictionary)
    utility   double; null at an inner node without an estimate and at an unknown terminal
    branches  list<struct<child: uint32 (a row number), probability: double, label: string,
              reward: double>>, without `reward` if no branch pays

Everything else is in the schema's metadata, under `expectitree` (see the module `metadata`). The
columns of a file that `save` wrote are used as they are, those of others are cast. A large file is
mapped into memory; a smaller one is copied, so that no other program can change what was checked.
Needs the extra `arrow`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from expectitree.base.budget import TooMuchWorkError, check_memory, check_rows
from expectitree.base.errors import FileError, NumberError, Problem, TreeError, install_hint
from expectitree.base.numbers import (
    MAX_FLOAT,
    escape,
    exact_text,
    is_finite,
    message_text,
    quote,
    to_number,
)
from expectitree.base.tree.adopt import adopt, check_labels
from expectitree.base.tree.columns import Column, Columns, Repeated
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.transform import in_floats
from expectitree.files.metadata import metadata_text, read_metadata

try:
    import pyarrow as pa
    from pyarrow import compute

    from expectitree.files.formats.arrow_size import VIEWS, check_file, text_bytes
except ImportError:
    missing = "it is not installed, and Arrow and Parquet need it"
    raise FileError([Problem("pyarrow", f"{missing}: {install_hint('arrow')}")]) from None

KINDS = [kind.name for kind in Kind]
KEY = b"expectitree"
_HOW = (
    "a tree has the columns kind, utility and branches: list<struct<child, probability, label, "
    "reward>>, the last two optional"
)
_ENTRY = {"child": pa.uint32(), "probability": pa.float64(), "label": pa.string()}
_REWARD = {"reward": pa.float64()}  # after the other fields, if a branch pays
_TYPES = {
    "kind": pa.dictionary(pa.int8(), pa.string()),
    "utility": pa.float64(),
    "branches": pa.list_(pa.struct(list(_ENTRY.items()))),
}
_PAYING = pa.list_(pa.struct(list((_ENTRY | _REWARD).items())))  # branches with rewards
MAX_COPIED = 1 << 28  # bytes of a file; the copy takes less than a second
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
    return load_table(path, _read_ipc)


def save(tree: Tree, stream: BinaryIO, drop_fractions: bool = False) -> None:
    """Write a tree to a stream.

    The columns hold floats. An exact tree with a number that is not a float raises `TreeError`,
    unless `drop_fractions`.
    """
    rows = batch(tree, drop_fractions)
    with pa.ipc.new_file(stream, rows.schema) as writer:
        writer.write_batch(rows)


# ---- Reading.


def load_table(path: str, read: Callable[[str], Any]) -> Tree:
    """Return the tree of a file that `read` turns into a table."""
    with named_faults(path):
        return _tree(read(path), os.path.getsize(path))


@contextmanager
def named_faults(path: str) -> Iterator[None]:
    """Raise `FileError` in place of an error that means that a file is damaged or not a tree."""
    with open(path, "rb"):  # raises OSError with a number if the file cannot be read
        pass
    try:
        yield
    except TooMuchWorkError as error:
        raise FileError([Problem(path, str(error))]) from None
    except (TreeError, NumberError) as error:
        raise FileError([Problem(path, f"this is not a tree: {error}")]) from None
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = escape(str(error).splitlines()[0][:200]) if str(error) else type(error).__name__
        reason = reason if os.path.getsize(path) else "it is empty"
        message = f"the file is damaged, or does not hold a tree: {reason}; {_HOW}"
        raise FileError([Problem(path, message)]) from None


def _read_ipc(path: str) -> Any:
    size = os.path.getsize(path)
    with pa.memory_map(path) if size > MAX_COPIED else pa.OSFile(path) as source:
        content = source.read_buffer()
    reader = pa.ipc.open_file(content)
    check_file(content, size)
    return reader.read_all()


def _tree(table: Any, size: int) -> Tree:
    columns, label = columns_of(table, size)
    text = (table.schema.metadata or {}).get(KEY)
    tree = adopt(columns, label, **read_metadata(text))
    if label is not None:
        for message in check_labels(columns, label):
            raise TreeError(message)
    return tree


def columns_of(table: Any, size: int) -> tuple[Columns, ArrowLabels | None]:
    """Return the columns of a table in a file of some bytes, and its labels if there are any."""
    check_rows(table.num_rows, size)
    table.validate()  # `nbytes` trusts the ends of lists
    check_memory(table.nbytes, size)  # the footer of a file may list a batch many times
    for name in _TYPES:
        if name not in table.column_names:
            raise TreeError(f"there is no column {name}: {_HOW}")
    # `adopt` checks each row of a table as `save` writes it. Columns that have to be put together
    # or cast are validated fully before, since Arrow's functions trust their offsets.
    is_ours = all(
        table.column(name).type in (type, _PAYING) and table.column(name).num_chunks == 1
        for name, type in _TYPES.items()
    )
    if not is_ours:
        table.validate(full=True)
    kind, utility, branches = (_one_chunk(table.column(name)) for name in _TYPES)
    if branches.type not in (_TYPES["branches"], _PAYING) or branches.null_count:
        branches = _cast_branches(branches, size)
    branches.validate()
    entries = branches.values
    entries.validate()
    child, probability, labels = (entries.field(name) for name in _ENTRY)
    if entries.null_count or child.null_count or probability.null_count:
        raise TreeError("a child or a probability is null: every branch has both")
    reward = entries.field("reward") if branches.type == _PAYING else None
    if reward is not None and reward.null_count:
        raise TreeError("a reward is null: write 0 where a branch pays nothing")
    first: Column = array("I", [0])
    if len(branches):
        first = _part(branches.buffers()[1], "I", branches.offset, len(branches) + 1)
    columns = Columns.of(
        kind=_kind_column(kind),
        utility=_utility_column(utility),
        first=first,
        child=_view(child, "I"),
        probability=_view(probability, "d"),
        reward=None if reward is None else _view(reward, "d"),
    )
    if labels.null_count == len(labels):
        return columns, None
    labels.validate(full=True)
    return columns, ArrowLabels(labels)


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _view(values: Any, code: str) -> Column:
    """Return an Arrow array's values as they are in memory."""
    return _part(values.buffers()[1], code, values.offset, len(values))


def _part(buffer: Any, code: Any, start: int, count: int) -> Column:
    if not count:
        return array(code)
    size = array(code).itemsize
    return memoryview(buffer).cast("B")[start * size : (start + count) * size].cast(code)


def _kind_column(kind: Any) -> Column:
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
    code_of = pa.array([KINDS.index(name) if name in KINDS else None for name in names], pa.uint8())
    codes = code_of.take(kind.indices)
    if codes.null_count:
        wrong = kind.filter(codes.is_null())[0].as_py()
        raise TreeError(f"the kind {wrong!r} is unknown: expected {', '.join(KINDS)}")
    return _view(codes, "B")


def _utility_column(utility: Any) -> Column:
    if utility.type != pa.float64():
        utility = _cast(utility, pa.float64())
    if utility.null_count:
        # `save` writes NaN under a null, which is used in place; other writers leave anything.
        buffers = [None, utility.buffers()[1]]
        bare = pa.Array.from_buffers(pa.float64(), len(utility), buffers, offset=utility.offset)
        if not compute.all(compute.or_(utility.is_valid(), compute.is_nan(bare))).as_py():
            utility = utility.fill_null(float("nan"))
    return _view(utility, "d")


def _cast_branches(branches: Any, size: int) -> Any:
    """Return the branches of another writer as `save` writes them; null is an empty list."""
    is_list = pa.types.is_list(branches.type) or pa.types.is_large_list(branches.type)
    if not is_list or not pa.types.is_struct(branches.type.value_type):
        is_text = pa.types.is_dictionary(branches.type)  # as Parquet's texts are read
        found = branches.type.value_type if is_text else branches.type
        raise TreeError(f"the column branches is {found}: {_HOW}")
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
    wanted = _PAYING if "reward" in names else _TYPES["branches"]
    columns = [
        _cast(flat.field(field.name), field.type)
        if field.name in names
        else pa.nulls(len(flat), field.type)
        for field in wanted.value_type
    ]
    lengths = compute.fill_null(compute.list_value_length(branches), 0).cast(pa.int64())
    ends = compute.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    entries = pa.StructArray.from_arrays(columns, fields=list(wanted.value_type))
    return pa.ListArray.from_arrays(offsets, entries, type=wanted)


def _cast(values: Any, to: Any) -> Any:
    if values.type not in VIEWS:
        return values.cast(to)
    # A cast in pyarrow 26 reads the views of null entries too, and crashes on their contents.
    encoded = values.dictionary_encode()
    return encoded.dictionary.cast(to).take(encoded.indices)


class ArrowLabels(Sequence["str | None"]):
    """A column of labels in an Arrow array."""

    def __init__(self, labels: Any) -> None:
        self._labels = labels

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, at: Any) -> Any:
        found = self._labels[at]
        return found.to_pylist() if isinstance(at, slice) else found.as_py()


# ---- Writing.


def batch(tree: Tree, drop_fractions: bool) -> Any:
    """Return the rows of a tree."""
    if tree.exact:
        _check_floats(tree, drop_fractions)
    columns = in_floats(tree).columns
    count, branches = len(columns.kind), len(columns.child)

    def as_arrow(column: Any, type: Any, length: int, bitmap: Any = None) -> Any:
        return pa.Array.from_buffers(type, length, [bitmap, pa.py_buffer(memoryview(column))])

    utility = as_arrow(columns.utility, pa.float64(), count)
    bitmap = compute.invert(compute.is_nan(utility)).buffers()[1]
    child = as_arrow(columns.child, pa.uint32(), branches)
    probability = as_arrow(columns.probability, pa.float64(), branches)
    fields = _ENTRY | _REWARD if columns.pays else _ENTRY
    rewards = [as_arrow(columns.reward, pa.float64(), branches)] if columns.pays else []
    entries = pa.StructArray.from_arrays(
        [child, probability, _label_array(tree), *rewards], names=[*fields]
    )
    offsets = as_arrow(columns.first, pa.int32(), count + 1)
    kinds = as_arrow(columns.kind, pa.int8(), count)
    return pa.RecordBatch.from_arrays(
        [
            pa.DictionaryArray.from_arrays(kinds, pa.array(KINDS)),
            as_arrow(columns.utility, pa.float64(), count, bitmap),
            pa.ListArray.from_arrays(offsets, entries),
        ],
        names=[*_TYPES],
        metadata={KEY: metadata_text(tree, drop_fractions).encode()},
    )


def _label_array(tree: Tree) -> Any:
    if isinstance(tree.label, Repeated):
        return pa.nulls(len(tree.label), pa.string())

    starts = range(0, len(tree.label), _LABELS_AT_ONCE)
    try:
        parts = [pa.array(tree.label[at : at + _LABELS_AT_ONCE], pa.string()) for at in starts]
        return pa.chunked_array(parts, pa.string()).combine_chunks()
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair in a label, {quote(str(error.object))}"
        raise TreeError(f"{found}: write the character itself") from None


def _check_floats(tree: Tree, drop_fractions: bool) -> None:
    """Raise `TreeError` for a number of an exact tree that a column of floats cannot hold."""
    for n, what, value in _numbers(tree):
        if not is_finite(value):  # an end of bounds
            continue
        if abs(value) > MAX_FLOAT:
            problem = "is beyond the limit of floats (10^301): keep the tree as text"
        elif drop_fractions or to_number(exact_text(float(value)), True) == value:
            continue
        else:
            problem = "is not a decimal that a column of floats can hold: keep the tree as text, "
            problem += "or round its fractions (--drop fractions)"
        found = f"{escape(tree.path_of(n))}: the {what} {message_text(value)}"
        raise TreeError(f"{found} {problem}")


def _numbers(tree: Tree) -> Iterator[tuple[int, str, Any]]:
    """Yield a node, the name of a number there, and the number.

    Leave out equal probabilities: they become equal again when the tree is read, since their sum is
    divided out.
    """
    columns = tree.columns
    for n, kind in enumerate(columns.kind):
        utility, own = columns.utility[n], tree.branches_of(n)
        if utility is not None and utility == utility:
            yield n, "estimate" if kind else "utility", utility
        if len({columns.probability[b] for b in own}) > 1:
            yield from ((n, "probability of an outcome", columns.probability[b]) for b in own)
        if columns.pays:
            yield from ((n, "reward of a branch", columns.reward[b]) for b in own)
    for n, ends in tree.local_bounds.items():  # the metadata have them
        yield from ((n, "bound", end) for end in ends)
    yield tree.root_id, "reward", tree.root_reward
