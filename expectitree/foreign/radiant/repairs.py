"""Repair a text as Radiant does before it reads YAML, and find places in the original text.

No repair moves text to another line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from expectitree.base.errors import FileError
from expectitree.files.formats import yaml
from expectitree.files.grammar.document import NESTED_TOO_DEEPLY, Document, Mark, Place
from expectitree.foreign.radiant.nodes import TOO_DEEP

_COMMENT = re.compile(r"\s*+#")
_BLANK_OR_SIGN = re.compile("[\t\xa0#]")
_REPAIRED = {"\t": "    ", "\xa0": " ", "#": "//"}
_SIGNS_BEFORE_LABEL = re.compile(r"\s*([!`@%&*+]+\s*)")
_NO_BLANK_AFTER_COLON = re.compile(r"""\s*+(?!["'{\[])[^:]*+:(?=[^\s$])""")
_BRACKETED_LABEL = re.compile(r"\s*[\[\]{}>].*:\s*$")
_BRACKET = re.compile(r"[](){}<>@;~[]")
_LINES = "a line is `label:` or `key: value`, and the lines of a label are indented below it"


class Edit(NamedTuple):
    """The replacement of a part of a text."""

    start: int
    end: int
    text: str


def apply(edits: Iterable[Edit], text: str) -> str:
    """Return a text with edits, which are in order and do not overlap."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def place_before(edits: Iterable[Edit], place: int) -> int:
    """Return the place in the original text of a place in the edited text."""
    added = 0
    for start, end, text in edits:
        if place < start + added:
            break
        if place < start + added + len(text):
            return start
        added += len(text) - (end - start)
    return place - added


def parse(text: str, name: str) -> Document:
    """Return the structure of a text in Radiant's YAML, with places in the text as written.

    Raises `FileError` if the repaired text is not YAML.
    """
    lines = text.split("\n")
    repaired = "\n".join([apply(_edits(line), line) for line in lines])
    try:
        document = yaml.parse(repaired, name)
    except FileError as error:
        problems = []
        for problem in error.problems:
            line, column = _mark_before(lines, (problem.line or 1, problem.column or 1))
            message = problem.message
            if message.startswith("this is not YAML"):
                message = f"{message}; {_LINES}"
            message = TOO_DEEP if message == NESTED_TOO_DEEPLY else message
            problems.append(replace(problem, message=message, line=line, column=column))
        raise FileError(problems, error.stopped) from None
    return replace(document, locate=partial(_locate, document, lines), text=text)


def _edits(line: str) -> list[Edit]:
    """Return the repairs of one line."""
    if _COMMENT.match(line):
        return []
    found = [Edit(*m.span(), _REPAIRED[m[0]]) for m in _BLANK_OR_SIGN.finditer(line)]
    found += _edits_of_label(line)
    colon = _NO_BLANK_AFTER_COLON.match(line)
    if colon:
        found.append(Edit(colon.end(), colon.end(), " "))
    return [*_apart(sorted(found))]


def _edits_of_label(line: str) -> Iterator[Edit]:
    """Yield the repairs of signs that YAML would not take for a part of a label."""
    signs = _SIGNS_BEFORE_LABEL.match(line)
    if signs:
        yield Edit(*signs.span(1), "")
    if _BRACKETED_LABEL.match(line):
        for bracket in _BRACKET.finditer(line):
            yield Edit(*bracket.span(), "/")


def _apart(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield edits without those that start within the one before."""
    end = 0
    for edit in edits:
        if edit.start >= end:
            yield edit
            end = edit.end


def _locate(document: Document, lines: Sequence[str], places: Sequence[Place]) -> list[Mark | None]:
    return [mark and _mark_before(lines, mark) for mark in document.locate(places)]


def _mark_before(lines: Sequence[str], mark: Mark) -> Mark:
    """Return a line and a column of the text before the repairs."""
    line, column = mark
    if line > len(lines):  # YAML has more kinds of line ends
        return mark
    return line, place_before(_edits(lines[line - 1]), column - 1) + 1
