"""A table of utilities and their images: a mapping in YAML or JSON, or CSV with two columns."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

from expectitree.errors import FileError, NumberError, Problem
from expectitree.files import parse, read_text
from expectitree.files.formats import yaml as yaml_format
from expectitree.files.grammar.document import Document, Place
from expectitree.files.grammar.problems import MOST_PROBLEMS, Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.numbers import escape, quote, to_fraction

_EXPECTED = (
    "expected utilities and their images, such as 2: 20 on a line (YAML, JSON) or 2,20 (CSV)"
)


def load_table(source: str) -> dict[Fraction, Fraction]:
    """Return the images of the utilities in a file, exactly as written; `-` is standard input.

    `.csv` and `.tsv` have two columns, with a heading or without; `.yaml`, `.yml` and `.json` hold
    a mapping. Of another name, text with a colon is a mapping. Raises `FileError` with every
    problem found.
    """
    text, name = read_text(source)
    ending = os.path.splitext(name)[1].lower()
    if not text.strip():
        raise FileError([Problem(name, f"the table is empty: {_EXPECTED}", line=1, column=1)])
    is_csv = ending in (".csv", ".tsv") or (
        ending not in (".yaml", ".yml", ".json") and ":" not in text
    )
    return _from_csv(text, name) if is_csv else _from_mapping(_document(text, name))


def _document(text: str, name: str) -> Document:
    """Return the structure of YAML or JSON; of JSON as YAML has it, which knows the lines."""
    document = parse(text, name)
    if text.lstrip()[:1] == "{":
        with suppress(FileError):
            return yaml_format.parse(text, name)
    return document


def _from_mapping(document: Document) -> dict[Fraction, Fraction]:
    problems = Problems(document)
    root = document.root
    images: dict[Fraction, Fraction] = {}
    if not isinstance(root, tuple) or not root:
        problems.add(Place(), "the table", f"found {described(root)}, {_EXPECTED}")
        raise problems.failure()
    with suppress(TooManyProblemsError):
        for at, (key, value) in enumerate(root):

            def report(message: str, of_key: bool, at: int = at, key: str = key) -> None:
                problems.add(Place(root, at, of_key), key, message)

            if not isinstance(value, str):
                report(f"found {described(value)} as an image, expected a number", False)
            else:
                _add(images, key, value, report)
    if problems.found:
        raise problems.failure()
    return images


def _from_csv(text: str, name: str) -> dict[Fraction, Fraction]:
    found: list[Problem] = []
    images: dict[Fraction, Fraction] = {}
    heading = True  # may still come
    for line, row in _rows(text, name):

        def report(message: str, of_key: bool, line: int = line) -> None:
            found.append(Problem(name, escape(message), line=line, column=1))

        if len(row) != 2:
            report(f"found {len(row)} column{'s' * (len(row) != 1)}, {_EXPECTED}", True)
        elif not (heading and all(map(_is_word, row))):
            _add(images, row[0], row[1], report)
        heading = False
        if len(found) >= MOST_PROBLEMS:
            break
    if not images and not found:
        found.append(Problem(name, f"the table has no rows: {_EXPECTED}", line=1, column=1))
    if found:
        raise FileError(found, stopped=len(found) >= MOST_PROBLEMS)
    return images


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their lines; blank ones and those that begin with # are left out."""
    first = next(
        (line for line in text.splitlines() if line.strip() and not line.startswith("#")), ""
    )
    delimiter = next((mark for mark in "\t;" if mark in first), ",")
    reader = csv.reader(text.splitlines(), delimiter=delimiter)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not cells[0].startswith("#"):
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(
            [Problem(name, f"this is not CSV: {error}", line=reader.line_num, column=1)]
        ) from None


def _is_word(cell: str) -> bool:
    try:
        to_fraction(cell)
    except NumberError:
        return not cell[:1].isdigit()
    return False


def _add(
    images: dict[Fraction, Fraction], key: str, value: str, report: Callable[[str, bool], None]
) -> None:
    """Add the image of a utility as written, or report what is wrong with it."""
    of_key = True
    try:
        utility = to_fraction(key)
        of_key = False
        image = to_fraction(value)
    except NumberError as error:
        report(str(error), of_key)
        return
    if utility in images:
        report(f"the utility {quote(key)} is there twice: keep one", True)
    images[utility] = image
