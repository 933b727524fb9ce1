"""Arrow: trees too large for text, one row a node, in the order of the node table.

    kind      TERMINAL, MAX, MIN or CHANCE (dictionary)
    utility   double; null at an inner node without an estimate and at an unknown terminal
    branches  list<struct<child: uint32 (a row number), probability: double, label: string,
              reward: double>>, without `reward` if no branch pays

Everything else is in the schema's metadata, under `expectitree` (see the module `metadata`). `save`
writes batches of `ROWS` rows. The columns that it wrote are used as they are, those of others are
cast. A batch is copied, so that no other program can change what was checked; only a great one is
mapped into memory. Numbers may have 24 bits, if `float32` asked for that. Needs the extra `arrow`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from operator import mul
from typing import Any, BinaryIO

from expectitree.base import compiling
from expectitree.base.budget import TooMuchWorkError, check_memory, check_rows
from expectitree.base.errors import (
    FileError,
    NumberError,
    Problem,
    TreeError,
    install_hint,
)
from expectitree.base.numbers import (
    MAX_FLOAT,
    escape,
    exact_text,
    is_finite,
    message_text,
    quote,
    to_number,
)
from expectitree.base.tree.adopt import adopt, check_labels, widen
from expectitree.base.tree.columns import Column, Columns, Repeated
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.transform import in_floats
from expectitree.files.metadata import metadata_text, read_metadata
from expectitree.files.urls import is_url, refuse_url

try:
    import pyarrow as pa
    from pyarrow import compute

    from expectitree.files.formats.arrow_size import VIEWS, check_file, text_bytes
except ImportError:
    missing = "it is not installed, and Arrow and Parquet need it"
    raise FileError([Problem("pyarrow", f"{missing}: {install_hint('arrow')}")]) from None

ArrowException: Any = pa.ArrowException
KINDS = [kind.name for kind in Kind]
KEY = b"expectitree"
_HOW = (
    "a tree has the columns kind, utility and branches: list<struct<child, probability, label, "
    "reward>>, the last two optional"
)
_NAMES = ("kind", "utility", "branches")
_KIND = pa.dictionary(pa.int8(), pa.string())
_FLOATS = (pa.float64(), pa.float32())
# The types of branches that are not cast.
_BRANCHES = [
    pa.list_(pa.struct([("child", pa.uint32()), ("probability", number), *label, *reward]))
    for number in _FLOATS
    for label in ([("label", pa.string())], [])
    for reward in ([], [("reward", number)])
]
_CODES = "BdIIdd"  # of the stored columns
_ITEM_SIZES = [array(code).itemsize for code in _CODES]
ROWS = 1 << 20  # of a batch: 30 MB
MAX_COPIED = 1 << 28  # bytes of a batch; the copy takes less than a second
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
    return load_table(path, Batches)


def save(
    tree: Tree,
    stream: BinaryIO,
    drop_fractions: bool = False,
    float32: bool = False,
    parts: Iterable[Columns] | None = None,
    open_writer: Callable[..., Any] = pa.ipc.new_file,
) -> None:
    """Write a tree to a stream.

    The columns hold floats, of 24 bits with `float32`. An exact tree with a number that is not a
    float raises `TreeError`, unless `drop_fractions` or `float32`. With `parts`, the rows are
    theirs, and `tree` has everything else.
    """
    rows = _batches(tree, drop_fractions, float32, parts)
    first = next(rows)
    with open_writer(stream, first.schema) as writer:
        for batch in chain([first], rows):
            writer.write_batch(batch)


# ---- Reading.


class Batches:
    """The batches of rows in an Arrow file."""

    def __init__(self, path: str) -> None:
        if is_url(path):
            refuse_url(path)
        self.size, self._path = os.path.getsize(path), path
        content = pa.memory_map(path).read_buffer()
        file = pa.ipc.open_file(content)
        check_file(content, self.size)
        self.schema = file.schema
        self.rows = [file.get_batch(at).num_rows for at in range(file.num_record_batches)]
        self._copied: Any = pa.ipc.open_file(pa.OSFile(path))

    def read(self, at: int) -> Any:
        """Return a batch as a table."""
        if self.size > MAX_COPIED * len(self.rows):
            return self.peek(at)
        return pa.Table.from_batches([self._copied.get_batch(at)])

    def peek(self, at: int) -> Any:
        """Return a batch that is mapped into memory as long as the table exists."""
        return pa.Table.from_batches([pa.ipc.open_file(pa.memory_map(self._path)).get_batch(at)])


def load_table(path: str, open_batches: Callable[[str], Any]) -> Tree:
    """Return the tree of a file whose batches of rows `open_batches` returns."""
    with named_faults(path):
        found = open_batches(path)
        if compiling.pays(sum(found.rows)):
            compiling.assume_started()
        # What is put together from several batches need not be copied before.
        is_copied = len(found.rows) == 1 or found.size <= MAX_COPIED
        read = found.read if is_copied else found.peek
        tables = (read(at) for at in range(len(found.rows)))
        one = next(tables, found.schema.empty_table())
        parts = (columns_of(table, found.size) for table in chain([one], tables))
        columns, label = _joined(parts, sum(found.rows), found.size)
        tree = adopt(columns, label, **read_metadata((found.schema.metadata or {}).get(KEY)))
        for message in () if label is None else check_labels(columns, label):
            raise TreeError(message)
        return tree


@contextmanager
def named_faults(path: str) -> Iterator[None]:
    """Raise `FileError` in place of an error that means that a file is damaged or not a tree."""
    if not is_url(path):
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
        reason = reason if is_url(path) or os.path.getsize(path) else "it is empty"
        message = f"the file is damaged, or does not hold a tree: {reason}; {_HOW}"
        raise FileError([Problem(path, message)]) from None


def _joined(
    parts: Iterator[tuple[Columns, ArrowLabels | None]], rows: int, size: int
) -> tuple[Columns, ArrowLabels | None]:
    """Return the columns and labels of consecutive rows; those of one part are not copied.

    This takes a tenth of the time of Arrow's `combine_chunks`: NumPy's memory has large pages.
    """
    one, more = next(parts), next(parts, None)
    if more is None:
        return one
    check_rows(rows, size)
    # A tree without sharing has fewer branches than rows. Pages without numbers take no memory.
    whole = [compiling.zeros(code, rows + 1) for code in _CODES]
    node = branch = 0
    labels, pays = [], False
    for part, label in chain([one, more], parts):
        ends = compute.add(_arrow(part.last, pa.uint32()), pa.scalar(branch, pa.uint32()))
        own = part._replace(first=_view(ends, "I")).stored
        starts = node, node, node + 1, branch, branch, branch
        node, branch, pays = node + len(part.kind), branch + len(part.child), pays or part.pays
        counts = node, node, node + 1, branch, branch, branch * pays
        check_memory(sum(map(mul, counts, _ITEM_SIZES)), size)
        for at, (start, values) in enumerate(zip(starts, own, strict=True)):
            if counts[at] > len(whole[at]):
                longer = compiling.zeros(_CODES[at], counts[at] * 3 // 2)
                memoryview(longer)[:start] = memoryview(whole[at])[:start]
                whole[at] = longer
            memoryview(whole[at])[start : start + len(values)] = memoryview(values)
        labels.append(pa.nulls(len(part.child), pa.string()) if label is None else label.array)
    texts = pa.concat_arrays(labels)
    found = None if texts.null_count == len(texts) else ArrowLabels(texts)
    return Columns.of(*(column[:count] for column, count in zip(whole, counts, strict=True))), found


def columns_of(table: Any, size: int) -> tuple[Columns, ArrowLabels | None]:
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
    is_ours = kind.type == _KIND and utility.type in _FLOATS and branches.type in _BRANCHES
    (kind if is_ours else table).validate(full=True)
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
        raise TreeError("a reward is null: write 0 where a branch pays nothing")
    kinds = _kind_column(kind)
    columns = Columns.of(
        kind=kinds,
        utility=_utility_column(utility),
        first=first,
        child=_view(child, "I"),
        probability=_probabilities(probability, kinds, first),
        reward=None if reward is None else _view(_cast(reward, pa.float64()), "d"),
    )
    labels = fields.get("label")
    if labels is None or labels.null_count == len(labels):
        return columns, None
    labels.validate(full=True)
    return columns, ArrowLabels(labels)


def _own_branches(branches: Any) -> tuple[Column, Any]:
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


def _probabilities(probability: Any, kind: Column, first: Column) -> Column:
    if probability.type != pa.float32():
        return _view(probability, "d")
    wide: Column = compiling.zeros("d", len(probability))
    narrow = _view(probability, "f")
    compiling.run(widen, kind, first, narrow, wide, rows=len(kind))
    return wide


def _one_chunk(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _view(values: Any, code: str) -> Column:
    """Return an Arrow array's values as they are in memory."""
    return _part(values.buffers()[1], code, values.offset, len(values))


def _arrow(column: Any, type: Any, bitmap: Any = None) -> Any:
    """Return a column as an Arrow array of the same memory; `bitmap` marks what is not null."""
    return pa.Array.from_buffers(type, len(column), [bitmap, pa.py_buffer(memoryview(column))])


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
    number = entry.field("probability").type
    types = {
        "child": pa.uint32(),
        "probability": number if number in _FLOATS else pa.float64(),
        "label": pa.string(),
        "reward": pa.float64(),
    }
    columns = {name: _cast(flat.field(name), types[name]) for name in types if name in names}
    lengths = compute.fill_null(compute.list_value_length(branches), 0).cast(pa.int64())
    ends = compute.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    entries = pa.StructArray.from_arrays([*columns.values()], names=[*columns])
    return pa.ListArray.from_arrays(offsets, entries)


def _cast(values: Any, to: Any) -> Any:
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

    def __getitem__(self, at: Any) -> Any:
        found = self.array[at]
        return found.to_pylist() if isinstance(at, slice) else found.as_py()


# ---- Writing.


def _batches(
    tree: Tree, drop_fractions: bool, float32: bool, parts: Iterable[Columns] | None
) -> Iterator[Any]:
    """Yield the rows of a tree in batches; the parameters are those of `save`."""
    if tree.exact:
        _check_floats(tree, drop_fractions or float32)
    if float32:
        if tree.local_bounds and tree.columns.pays:
            raise TreeError("bounds may not hold for rounded rewards: write 64 bits, or no bounds")
        bounds: Any = {n: array("f", map(float, e)).tolist() for n, e in tree.local_bounds.items()}
        tree = replace(tree, local_bounds=bounds)
    about = {KEY: metadata_text(tree, drop_fractions or float32).encode()}
    labels = _label_array(tree)
    if parts is None:
        whole = _batch(in_floats(tree).columns, labels)
        rows = (whole.slice(at, ROWS) for at in range(0, whole.num_rows, ROWS))
    else:
        rows = (_batch(part, pa.nulls(len(part.child), pa.string())) for part in parts)
    for batch in rows:
        found = _narrow(batch, labels.null_count == len(labels)) if float32 else batch
        yield found.replace_schema_metadata(about)


def _batch(columns: Columns, labels: Any) -> Any:
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


def _narrow(batch: Any, drop_labels: bool) -> Any:
    """Return a batch with numbers of 24 bits, without labels if no branch has one."""
    kind, utility, branches = batch.columns
    first, entries = _own_branches(branches)
    names = [field.name for field in entries.type if field.name != "label" or not drop_labels]
    entries = pa.StructArray.from_arrays([_rounded(entries.field(n)) for n in names], names=names)
    lists = pa.ListArray.from_arrays(_arrow(first, pa.int32()), entries)
    return pa.RecordBatch.from_arrays([kind, _rounded(utility), lists], names=[*_NAMES])


def _rounded(values: Any) -> Any:
    """Return an array with floats of 24 bits; raise `TreeError` for one that is too large."""
    if values.type != pa.float64():
        return values
    rounded = values.cast(pa.float32(), safe=False)
    for value in values.filter(compute.is_inf(rounded).fill_null(False))[:1]:
        found = f"the number {exact_text(value.as_py())} is beyond the limit of --float32"
        raise TreeError(f"{found} (10^38): write numbers of 64 bits")
    return rounded


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
