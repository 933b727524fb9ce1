"""The column `last`, which no caller passes by hand, and compiled loops over columns."""

from __future__ import annotations

import copy
import pickle
from array import array
from typing import Any

import pytest
from helpers import loads

from expectitree.base import compiling
from expectitree.base.tree import scans
from expectitree.base.tree.columns import Columns

TREE = "max: [{chance: [0, 10]}, 4]"


def test_last_is_a_part_of_the_memory_of_first() -> None:
    columns = loads(TREE).columns
    assert list(columns.last) == list(columns.first)[1:]
    assert memoryview(columns.last).obj is columns.first


@pytest.mark.parametrize("make", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_copy_of_columns_is_equal(make: Any) -> None:
    columns = loads(TREE).columns
    again = make(columns)
    assert [list(c) for c in again[2:]] == [list(c) for c in columns[2:]]
    assert type(again) is Columns


@pytest.mark.extra
def test_compiled_code_sees_last_read_only() -> None:
    columns = loads(TREE, exact=False).columns
    assert not compiling._as_numpy(columns).last.flags.writeable
    assert compiling.run(scans.measure, columns, array("H"), 0, rows=0, compiled=True)[2] == 2


def test_a_loop_reads_lists_as_well() -> None:
    lists = Columns.of([0, 0, 1], [3.0, 1.0, 0.0], [0, 0, 0, 2], [0, 1], [1.0, 1.0])
    assert lists.last == [0, 0, 2]
    assert scans.measure(lists, array("H"), 0)[2] == 2


@pytest.mark.extra
def test_loops_compile_if_numba_refuses_its_private_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    njit = numba.njit

    def refuse(loop: Any, **options: Any) -> Any:
        def fail(*arguments: Any) -> Any:
            raise KeyError("_nrt")

        fail.compile = fail  # type: ignore[attr-defined]
        return fail if "_nrt" in options else njit(loop, **options)

    monkeypatch.setattr(compiling, "PRIVATE_OPTIONS", {"_nrt": False})
    monkeypatch.setattr(numba, "njit", refuse)
    compiling._compiled.cache_clear()
    columns = loads("max: [{chance: [0, 10]}, 4, 5]", exact=False).columns
    assert compiling.run(scans.measure, columns, array("H"), 0, rows=0, compiled=True)[2] == 3
    assert compiling.PRIVATE_OPTIONS == {}
    compiling._compiled.cache_clear()  # the loops of other tests use the usual options
