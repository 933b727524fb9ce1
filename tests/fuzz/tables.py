"""Hostile tables: Arrow and Parquet files that are not trees."""

from __future__ import annotations

import copy
import math
from itertools import count
from random import Random
from typing import Any

import pyarrow as pa
from files.formats import tables
from fuzz.cases import Target, scratch
from fuzz.texts import Hostile, check_refusal, use

import expectitree as et
from expectitree.base.errors import FileError

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
    "arrow-rows": Target(wrong_table, check_table, is_hostile=True),
}
