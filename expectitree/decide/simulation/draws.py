"""Draw the values of uncertain parameters, by NumPy (extra `fast`).

Each parameter, set of probabilities and file has a stream of random numbers of its own, so another
distribution in a tree file changes no draws but its own.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError, FileError, NumberError, Problem
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import escape, quote, to_float
from expectitree.base.tree.formulas import Parameter
from expectitree.files import read_text

MAX_SIZE = 1e100  # of a number, so that floats hold its square
MAX_NUMBERS = 50_000_000  # in arrays that are kept: 400 megabytes
_MAX_NAMES = 8  # in a message
_Rows = Sequence[tuple[int, list[str]]]  # the cells of each row of a file, with its line


def check_size(arrays: int, count: int) -> None:
    """Raise `AnalysisError` if arrays of so many draws do not fit in memory."""
    if arrays * count > most(MAX_NUMBERS):
        raise AnalysisError(
            f"{count:,} draws of {arrays:,} numbers are more than {most(MAX_NUMBERS):,} in all: "
            f"use fewer --draws, or {more()}"
        )


def draw(parameters: Mapping[str, Parameter], count: int, seed: int, folder: str) -> dict[str, Any]:
    """Return an array of draws for each uncertain parameter.

    A file of draws is looked up in `folder`. Its rows are shuffled, and used equally often. Raises
    `FileError` if it cannot be read.
    """
    uncertain = {name: one.distribution for name, one in parameters.items() if one.distribution}
    check_size(len(uncertain), count)
    found: dict[str, Any] = {}
    files: dict[str, tuple[_Rows, Any]] = {}  # with the places of the rows in the order of draws
    for name, one in uncertain.items():
        stream = np.random.default_rng([seed, *f"{one.kind} {one.source or name}".encode()])
        if one.kind == "dirichlet" and name not in found:
            same = (one.kind, one.source)
            own = [name for name, x in uncertain.items() if (x.kind, x.source) == same]
            drawn = stream.dirichlet([uncertain[name].numbers[0] for name in own], count)
            found |= zip(own, drawn.T.copy(), strict=True)
        elif one.kind == "csv":
            if one.source not in files:
                rows = _read(os.path.join(folder, one.source))
                turns = -(-count // (len(rows) - 1))
                order = [stream.permutation(len(rows) - 1) for _ in range(turns)]
                files[one.source] = rows, np.concatenate(order)[:count]
            rows, order = files[one.source]
            path = os.path.join(folder, one.source)
            found[name] = _column(rows, path, name, one.column or name)[order]
        elif one.kind == "discrete":
            weights = np.array(one.weights)
            found[name] = stream.choice(one.numbers, count, p=weights / weights.sum())
        elif one.kind != "dirichlet":
            found[name] = getattr(stream, one.kind)(*one.numbers, size=count)
    for name, drawn in found.items():
        if not (abs(drawn) <= MAX_SIZE).all():
            problem = f"a draw is beyond {MAX_SIZE:g}: change its distribution"
            raise AnalysisError(f"parameter {name}: {problem}")
    return {name: found[name] for name in uncertain}


def _read(path: str) -> _Rows:
    reader = csv.reader(read_text(path)[0].splitlines())
    rows = [(reader.line_num, row) for row in reader if row]
    if len(rows) < 3:
        message = "expected a line with the names of columns, and two or more lines with draws"
        raise FileError([Problem(path, message)])
    return rows


def _column(rows: _Rows, path: str, name: str, column: str) -> Any:
    """Return the numbers in a column of a file; raise `FileError` where there is none."""
    heading = [text.strip() for text in rows[0][1]]
    if column not in heading:
        found = f"parameter {name}: no column {quote(column)}{did_you_mean(column, heading)}"
        known = ", ".join(map(escape, heading[:_MAX_NAMES])) + ", …" * (len(heading) > _MAX_NAMES)
        raise FileError([Problem(path, f"{found}: the columns are {known}", None, rows[0][0], 1)])
    at, numbers = heading.index(column), []
    for line, row in rows[1:]:
        cell = row[at].strip() if at < len(row) else ""
        try:
            numbers.append(to_float(cell))
        except NumberError as error:
            message = f"column {escape(column)}: {error}"
            raise FileError([Problem(path, message, None, line, 1)]) from None
    return np.array(numbers)
