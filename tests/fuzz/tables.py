"""Hostile tables: damaged Arrow and Parquet files, and tables that are not trees."""

from __future__ import annotations

import copy
import math
from functools import cache
from itertools import count
from random import Random
from typing import Any

import pyarrow as pa
from files.formats import tables, test_damaged_tables
from fuzz.cases import Target, scratch
from fuzz.texts import Hostile, check_refusal, use

import expectitree as et
from expectitree.base.errors import FileError

NUMBERS = (2**31 - 1, -1, 2**30, -65536)
CELLS: dict[str, tuple[Any, ...]] = {
    "kind": ("MAX", "MIN", "CHANCE", "TERMINAL", "max", "", None, "LEAF"),
    "utility": (None, math.nan, math.inf, -math.inf, 0.0, -1.0, 1e302, 5e-324, 7.5),
    "child": (0, 1, 2, 3, 4, 5, 6, 2**32 - 1, None),
    "probability": (0.0, 1.0, 0.5, 0.25, -0.1, math.nan, math.inf, 1e-300, None),
    "label": (None, "", "a", "#1", "#2", "é", "\0", "a/b"),
}
ABOUT = ("title", "source", "root_reward", "bounds", "notes", "branch_notes", "estimated", "expect")
VALUES = (
    None, 5, -1, 1e302, "x", "", "inf", [], ["a"], [0, 10], {}, {"0": "x"}, {"2": [0, 9]},
    {"9" * 50: [0, 1]}, {"2": ["-inf", "inf"]}, {"value": 1}, {"star1": {"nodes": 1.5}}, [2], True,
)  # fmt: skip


@cache
def whole_files() -> dict[str, bytes]:
    """Return the valid files of the tests, by name."""
    folder = scratch()
    paths = [make(folder) for make in test_damaged_tables.DAMAGED.values()]
    return {path.name: path.read_bytes() for path in paths}


def damaged_file(random: Random) -> Hostile:
    """Return a file with some bytes changed or cut out."""
    name = random.choice([*whole_files()])
    data, kind = bytearray(whole_files()[name]), random.random()
    if kind < 0.4:
        at = random.randrange(0, len(data) - 3, 4)
        data[at : at + 4] = random.choice(NUMBERS).to_bytes(4, "little", signed=True)
    elif kind < 0.5:
        start = random.randrange(len(data))
        del data[start : random.choice((start + 1, start + 4, start + 64, len(data)))]
    else:
        for _ in range(random.choice((1, 1, 2, 8))):
            data[random.randrange(len(data))] = random.randrange(256)
    return Hostile(bytes(data), name)


def wrong_table(random: Random) -> Hostile:
    """Return a file that Arrow can read, with a few cells and metadata that may be wrong."""
    rows = copy.deepcopy(tables.ROWS)
    for _ in range(random.randint(0, 3)):
        row, column = random.choice(rows), random.choice([*CELLS])
        branches = row["branches"]
        if column in row:
            row[column] = random.choice(CELLS[column])
        elif not branches or random.random() < 0.1:
            branches.append(random.choice((None, tables.to(random.randrange(7)))))
        elif random.random() < 0.1:
            branches.pop()
        elif branches[0] is not None:
            branches[0][column] = random.choice(CELLS[column])
    about = {random.choice(ABOUT): random.choice(VALUES) for _ in range(random.randint(0, 2))}
    made = tables.table(rows, kind=random.choice((tables.DICTIONARY, pa.string())), **about)
    name = f"made.{random.choice(tables.FORMATS)}"
    content = tables.write(scratch() / name, made).read_bytes()
    return Hostile(content, name)


NEW = count()  # An old file may still be mapped, so each input has a path of its own.


def check_table(made: Hostile) -> bool:
    """Load a table and use its tree, or check its refusal."""
    path = scratch() / f"{next(NEW)}-{made.name}"
    assert isinstance(made.content, bytes)
    path.write_bytes(made.content)
    try:
        tree = et.load(path)
        use(tree)
        return True
    except FileError as error:
        (message,) = str(error).splitlines()
        assert message.startswith(f"{path}: "), message
        check_refusal(error, has_place=False)
        return False
    finally:
        path.unlink()


TARGETS = {
    "arrow-bytes": Target(damaged_file, check_table, is_hostile=True),
    "arrow-rows": Target(wrong_table, check_table, is_hostile=True),
}
