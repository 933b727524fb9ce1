"""Answers to `expectitree ask`, kept in a small YAML file: a mapping from the path of a leaf to its utility.

People may edit the file, so that all they wrote stays as it is: a line is added at its end, or
taken away.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from textwrap import indent
from typing import NamedTuple

from expectitree.errors import FileError, Problem
from expectitree.files import ANSWERS, parse, read_text
from expectitree.files.formats import format_by_suffix
from expectitree.files.formats.yaml import LONGEST_KEY, NOTATION
from expectitree.files.grammar.document import Document, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.files.saving import whole_file

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*$", re.MULTILINE)
_HEADER = """\
# Answers to `expectitree ask {}`: the path of a leaf, and its utility.
# Correct them, add some, or take some out: what stands here is not asked again.
"""


class Answer(NamedTuple):
    """One answer of a file, as written, and where it stands."""

    path: str
    number: str
    place: Place


class AnswersFile:
    """The answers to one tree in a file: read once, then written after every change, as a whole or not at all."""

    def __init__(self, name: str, of: str) -> None:
        self.name, self.of = name, of
        self.text: str | None = (
            None  # as the file was read or written last; None where it is not there
        )

    def read(self) -> tuple[list[Answer], Problems]:
        """Return the answers that are there, and where to tell what is wrong with them; raise `FileError`."""
        if os.path.lexists(self.name):
            self.text, _ = read_text(self.name)
        document = _document(self.text or "", self.name)
        return _answers(document), Problems(document)

    def check_writable(self) -> None:
        """Raise `FileError` where answers cannot be kept, before anybody is asked."""
        folder = os.path.dirname(self.name) or "."
        if not os.path.isdir(folder):
            raise FileError(
                [Problem(self.name, f"there is no folder {folder}: check the path, or make it")]
            )
        if not os.access(self.name if os.path.exists(self.name) else folder, os.W_OK):
            hint = "name another place with --answers, or keep none with --no-save"
            raise FileError(
                [Problem(self.name, f"answers cannot be kept here, it is read-only: {hint}")]
            )

    def save(self, answers: Mapping[str, str]) -> None:
        """Make the file hold these answers; raise `FileError` where that cannot be, and leave it as it was."""
        text = edited(self.text, answers, self.of)
        try:
            if self._on_disk() != self.text:
                raise FileError(
                    [
                        Problem(
                            self.name,
                            "somebody else has changed this file meanwhile: it is left so",
                        )
                    ]
                )
            with (
                whole_file(self.name) as temporary,
                open(temporary, "w", encoding="utf-8", newline="") as stream,
            ):
                stream.write(text)
        except OSError as error:
            said = os.strerror(error.errno) if error.errno else str(error)
            raise FileError(
                [Problem(self.name, f"the answers cannot be written: {said}")]
            ) from None
        self.text = text

    def _on_disk(self) -> str | None:
        return read_text(self.name)[0] if os.path.lexists(self.name) else None


def answers_name(file: str) -> str:
    """Return the name of the file beside a tree's where its answers are kept."""
    base = os.path.splitext(file)[0] if format_by_suffix(file) else file
    return base + ANSWERS


def edited(text: str | None, answers: Mapping[str, str], of: str) -> str:
    """Return a file's text changed so that it holds these answers and no others, with as little change as can be."""
    if text is not None:
        before = _pairs(text)
        if before == answers:
            return text
        changed = text
        for path in [path for path, number in before.items() if answers.get(path) != number]:
            changed = _without(changed, path)
        kept = _pairs(changed)
        if changed and not changed.endswith("\n"):
            changed += "\n"
        changed += indent(
            answers_text({path: number for path, number in answers.items() if path not in kept}),
            _indentation(text),
        )
        with suppress(FileError):
            if _pairs(changed) == answers:
                return changed
    # Lines cannot be added, in a flow mapping say: it is written anew, below its comments.
    comments = "".join(f"{comment}\n" for comment in _COMMENT.findall(text or ""))
    header = _HEADER.format("".join(c if c.isprintable() else "?" for c in of))
    return (comments or header) + (answers_text(answers) or "{}\n")


def answers_text(answers: Mapping[str, str]) -> str:
    """Return answers as lines of YAML."""
    lines = []
    for path, number in answers.items():
        key = NOTATION.text(path)
        lines.append(f"? {key}\n: {number}\n" if len(key) > LONGEST_KEY else f"{key}: {number}\n")
    return "".join(lines)


def _indentation(text: str) -> str:
    """Return what stands before every path, where that is blank."""
    document = _document(text, "")
    found = _answers(document)
    mark = document.locate([found[0].place._replace(of_key=True)])[0] if found else None
    before = "" if mark is None else text.splitlines()[mark[0] - 1][: mark[1] - 1]
    return before if before.isspace() else ""


def _without(text: str, path: str) -> str:
    """Return a text without the line that an answer stands on; as it is where there is no such line."""
    document = _document(text, "")
    at = next(answer.place for answer in _answers(document) if answer.path == path)
    mark = document.locate([at._replace(of_key=True)])[0]
    if mark is None:
        return text
    lines = text.splitlines(keepends=True)
    rest = "".join(lines[: mark[0] - 1] + lines[mark[0] :])
    with suppress(FileError):
        expected = _pairs(text)
        del expected[path]
        if _pairs(rest) == expected:
            return rest
    return text


def _pairs(text: str) -> dict[str, str]:
    return {answer.path: answer.number for answer in _answers(_document(text, ""))}


def _document(text: str, name: str) -> Document:
    """Return the structure of a text; of one without any answer, an empty one."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    if all(not line or line.startswith("#") for line in lines):
        return Document(name, ())
    return parse(text, name)


def _answers(document: Document) -> list[Answer]:
    """Return the answers of a document; raise `FileError` with everything in it that is none."""
    problems = Problems(document)
    root = document.root
    expected = "expected the path of a leaf and its utility on every line, such as `a2/#1: 4.5`"
    if not isinstance(root, tuple):
        problems.add(Place(), "the answers", f"found {described(root)}, {expected}")
        raise problems.failure()
    answers: dict[str, Answer] = {}
    with suppress(TooManyProblemsError):
        for at, (path, number) in enumerate(root):
            place = Place(root, at)
            if not isinstance(number, str):
                problems.add(place, path, f"found {described(number)}, {expected}")
            elif path in answers:
                problems.add(
                    place._replace(of_key=True), path, "this path is there twice: keep one"
                )
            else:
                answers[path] = Answer(path, str(number), place)
    if problems.found:
        raise problems.failure()
    return list(answers.values())
