"""Draw the values of uncertain parameters, by NumPy (extra `fast`).

Each parameter, set of probabilities and file has a stream of random numbers of its own, so another
distribution in a tree file changes no draws but its own.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from expectitree.base.budget import more, most
from expectitree.base.errors import AnalysisError, NumberError
from expectitree.base.expressions.parser import listed
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import escape, quote
from expectitree.base.reading import to_float
from expectitree.base.tree.formulas import Parameter
from expectitree.base.tree.parameters import dirichlet_sets
from expectitree.files import read_text
from expectitree.files.grammar.document import error_in

Array: TypeAlias = Any  # a number for each draw, or one for all; or several rows of them
_ROUNDING = 1e-9  # of eigenvalues
_MAX_NUMBERS = 100_000_000  # in arrays: 800 megabytes


def check_size(arrays: int, count: int) -> None:
    """Raise `AnalysisError` if arrays of so many draws do not fit in memory."""
    if arrays * count > most(_MAX_NUMBERS):
        raise AnalysisError(
            f"{count:,} draws of {arrays:,} numbers are more than {most(_MAX_NUMBERS):,} in all\n"
            f"use fewer --draws, or fewer uncertain probabilities above decisions, or {more()}"
        )


def draw(
    parameters: Mapping[str, Parameter], count: int, seed: int, folder: str
) -> dict[str, Array]:
    """Return an array of draws for each uncertain parameter.

    A file of draws is looked up in `folder`. Its rows are shuffled, and used equally often. Raises
    `FileError` if it cannot be read.
    """
    uncertain = {name: one.distribution for name, one in parameters.items() if one.distribution}
    check_size(len(uncertain), count)
    found: dict[str, Array] = {}
    for name, one in uncertain.items():
        # Parameters of a set or of a file repeat its stream, so that they are drawn jointly.
        stream = np.random.default_rng([seed, *f"{one.kind} {one.source or name}".encode()])
        if one.kind == "dirichlet":
            members = dirichlet_sets(parameters)[one.source]
            counts = [other.numbers[0] for other in members.values()]
            drawn = stream.dirichlet(counts, count) * float(one.total)
            found[name] = drawn[:, [*members].index(name)].copy()
        elif one.kind == "csv":
            rows = _read(os.path.join(folder, one.source), name, one.column or name)
            turns = [stream.permutation(rows) for _ in range(-(-count // len(rows)))]
            found[name] = np.concatenate(turns)[:count]
        elif one.kind == "discrete":
            weights = np.array(one.weights)
            found[name] = stream.choice(one.numbers, count, p=weights / weights.sum())
        else:
            found[name] = family(one.kind)(stream, *one.numbers, size=count)
    return found | _correlated(parameters, found, seed)


def _correlated(
    parameters: Mapping[str, Parameter], drawn: Mapping[str, Array], seed: int
) -> dict[str, Array]:
    """Return the draws of correlated parameters, in the order of correlated normal numbers.

    This is a normal copula (Iman and Conover, Communications in Statistics B 11, 1982): the order
    changes, and the distribution of each parameter does not.
    """
    pairs = {
        (name, other): float(number)
        for name in drawn
        for other, number in parameters[name].correlation.items()
        if other in drawn
    }
    if not pairs:
        return {}

    names = [*dict.fromkeys(name for pair in pairs for name in pair)]
    matrix = np.eye(len(names))
    for (name, other), number in pairs.items():
        i, j = names.index(name), names.index(other)
        matrix[i, j] = matrix[j, i] = number

    sizes, axes = np.linalg.eigh(matrix)
    if sizes.min() < -_ROUNDING:
        raise AnalysisError(
            f"the correlations of {listed(names)} contradict each other: the matrix has the "
            f"eigenvalue {sizes.min():.3g}, expected none below 0\nmove them toward 0"
        )

    normal = [
        np.random.default_rng([seed, *f"order {name}".encode()]).normal(size=drawn[name].size)
        for name in names
    ]
    root = axes * np.sqrt(np.maximum(sizes, 0))
    ranks = np.einsum("ij,jn->in", root @ axes.T, normal).argsort(axis=1).argsort(axis=1)
    return {name: np.sort(drawn[name])[row] for name, row in zip(names, ranks, strict=True)}


def _pert(stream: np.random.Generator, low: float, mode: float, high: float, size: int) -> Array:
    a, b = 1 + 4 * (mode - low) / (high - low), 1 + 4 * (high - mode) / (high - low)
    return low + (high - low) * stream.beta(a, b, size)


# Distributions that are no methods of NumPy's generator, or have other arguments there.
_OTHERS: dict[str, Callable[..., Array]] = {
    "pert": _pert,
    "weibull": lambda stream, shape, scale, size: scale * stream.weibull(shape, size),
}


def family(kind: str) -> Callable[..., Array]:
    """Return what draws from a distribution: a method of NumPy's generator, or one of ours."""
    return _OTHERS.get(kind) or getattr(np.random.Generator, kind)


def _read(path: str, name: str, column: str) -> Array:
    """Return the numbers in a column of a file; raise `FileError` where there is none."""
    reader = csv.DictReader(read_text(path)[0].splitlines())
    reader.fieldnames = heading = [text.strip() for text in reader.fieldnames or ()]
    if column not in heading:
        found = f"parameter {name}: no column {quote(column)}{did_you_mean(column, heading)}"
        known = listed([*map(escape, heading)]) or "none"
        raise error_in(path, f"{found}\nthe columns are {known}", 1, 1)
    numbers = []
    for row in reader:
        try:
            numbers.append(to_float((row[column] or "").strip()))
        except NumberError as error:
            message = f"column {escape(column)}: {error.lines}"
            raise error_in(path, message, reader.line_num, 1) from None
    if len(numbers) < 2:
        message = (
            "found fewer than two draws\nwrite a line with the names of columns, then the draws"
        )
        raise error_in(path, message)
    return np.array(numbers)
