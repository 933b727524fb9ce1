"""Read utilities and their images: from pairs of texts, or from a CSV file of two columns."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from fractions import Fraction

from expectitree.errors import FileError, NumberError, Problem
from expectitree.files import read_text
from expectitree.numbers import escape, quote, to_fraction


def read_images(pairs: Iterable[Sequence[str]]) -> dict[Fraction, Fraction]:
    """Return the images of utilities, exactly as written; raise `NumberError` for a bad pair."""
    images: dict[Fraction, Fraction] = {}
    for pair in pairs:
        if len(pair) != 2:
            found = quote(", ".join(pair))
            raise NumberError(f"found {found}, expected two numbers: a utility and its image")
        utility, image = (to_fraction(text.strip()) for text in pair)
        if utility in images:
            raise NumberError(f"the utility {quote(pair[0].strip())} occurs twice: keep one")
        images[utility] = image
    return images


def load_table(source: str) -> dict[Fraction, Fraction]:
    """Return the images of the utilities in a CSV file, exactly as written; `-` is standard input.

    The first row may hold headings, such as `from,to`. Raises `FileError` with the first problem.
    """
    text, name = read_text(source)
    reader = csv.reader(text.splitlines(), skipinitialspace=True)
    rows = (row for row in reader if row and not (reader.line_num == 1 and _is_heading(row)))
    try:
        images = read_images(rows)
    except csv.Error as error:
        raise FileError([Problem(name, f"this is not CSV: {error}")]) from None
    except NumberError as error:
        problem = Problem(name, escape(str(error)), line=reader.line_num, column=1)
        raise FileError([problem]) from None
    if not images:
        raise FileError([Problem(name, "the table has no rows", line=1, column=1)])
    return images


def _is_heading(row: Sequence[str]) -> bool:
    return not any(character.isdigit() for cell in row for character in cell)
