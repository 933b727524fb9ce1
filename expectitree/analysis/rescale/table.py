"""Read a table of utilities and their images: a CSV file of two columns."""

from __future__ import annotations

import csv
from fractions import Fraction

from expectitree.errors import FileError, NumberError, Problem
from expectitree.files import read_text
from expectitree.numbers import escape, quote, to_fraction

_EXPECTED = "expected two columns, a utility and its image, such as 2,20"


def load_table(source: str) -> dict[Fraction, Fraction]:
    """Return the images of the utilities in a CSV file, exactly as written; `-` is standard input.

    The first row may hold headings, such as `from,to`. Raises `FileError` with every problem.
    """
    text, name = read_text(source)
    try:
        rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
    except csv.Error as error:
        raise FileError([Problem(name, f"this is not CSV: {error}")]) from None
    images: dict[Fraction, Fraction] = {}
    problems: list[Problem] = []
    for line, row in enumerate(rows, 1):
        if not row:
            continue
        try:
            if len(row) != 2:
                raise NumberError(f"found {len(row)} columns, {_EXPECTED}")
            if line == 1 and not any(character.isdigit() for character in "".join(row)):
                continue
            utility, image = (to_fraction(cell.strip()) for cell in row)
            if utility in images:
                raise NumberError(f"the utility {quote(row[0])} is there twice: keep one")
            images[utility] = image
        except NumberError as error:
            problems.append(Problem(name, escape(str(error)), line=line, column=1))
    if not images and not problems:
        problems.append(Problem(name, f"the table has no rows: {_EXPECTED}", line=1, column=1))
    if problems:
        raise FileError(problems)
    return images
