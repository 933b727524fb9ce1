"""Answers to `expectitree ask`, in a YAML file to which each answer adds one line.

A line is `path: utility`. Lines are only added, so whatever people write into the file stays.
"""

from __future__ import annotations

import os

from expectitree.base.errors import FileError
from expectitree.base.numbers import escape
from expectitree.files import ANSWERS, parse, read_text
from expectitree.files.formats import format_by_suffix
from expectitree.files.formats.yaml import MAX_KEY_LENGTH, NOTATION
from expectitree.files.grammar.document import Data, Document, Place, Problems, error_in
from expectitree.files.grammar.words import described
from expectitree.files.writing import append, named_errors, open_to_append

FORM = "write the path of a leaf and its utility on every line, such as `a2/#1: 4.5`"
_HEADER = """\
# Answers to `expectitree ask {}`: the path of a leaf, and its utility.
# Add lines, or correct them.
"""


class AnswersFile:
    """The file with the answers to one tree; without a name, there is none."""

    def __init__(self, name: str | None, tree_name: str, saves: bool = True) -> None:
        self.name, self.tree_name = name or "", tree_name
        self.saves = saves and name is not None

    def read(self) -> tuple[list[tuple[str, Data, Place]], Problems]:
        """Return the answers (path, what is written, where), and a collector for problems.

        Raises `FileError` if the file does not hold a mapping.
        """
        document = self._parsed()
        if not isinstance(document.root, tuple):
            problems = Problems(document)
            problems.add(Place(), "the answers", f"found {described(document.root)}\n{FORM}")
            raise problems.failure()
        answers = [
            (path, utility, Place(document.root, at))
            for at, (path, utility) in enumerate(document.root)
        ]
        return answers, Problems(document)

    def check_writable(self) -> None:
        """Raise `FileError` if answers cannot be added to the file."""
        if not self.saves:
            return
        is_new = not os.path.lexists(self.name)
        hint = "\nname another file with --answers, or keep no answers with --no-save"
        with named_errors(self.name, "answers cannot be kept here", hint):
            open_to_append(self.name).close()
            if is_new:
                os.unlink(self.name)
        try:
            self._parsed("\nx: 0\n")
        except FileError:
            message = (
                "no line can be added here\nwrite one `path: utility` a line, not indented and "
                "without braces, or name another file with --answers"
            )
            raise error_in(self.name, message) from None

    def add(self, path: str, utility: str) -> None:
        """Write an answer to the file, and wait until the disk has it.

        Raises `FileError` if that is impossible; then the file is as before.
        """
        if not self.saves:
            return
        key = NOTATION.text(path)
        line = f"{key}: {utility}\n"
        if len(key) > MAX_KEY_LENGTH:
            line = f"? {key}\n: {utility}\n"
        hint = "\ncorrect that, and run the same command again to go on"
        errors = named_errors(self.name, "the answer cannot be written", hint)
        with errors, open_to_append(self.name) as stream:
            if stream.seek(0, os.SEEK_END) == 0:
                line = _HEADER.format(escape(self.tree_name)) + line
            else:
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    line = f"\n{line}"
            append(stream, line.encode())

    def _parsed(self, more: str = "") -> Document:
        """Return the structure of the file and more text; an empty one if both have no lines."""
        exists = bool(self.name) and os.path.lexists(self.name)
        text = (read_text(self.name)[0] if exists else "") + more
        lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
        if all(not line or line.startswith("#") for line in lines):
            return Document(self.name, ())
        return parse(text, self.name)


def answers_name(file: str) -> str:
    """Return the name of the answers file that belongs to a tree file."""
    base = os.path.splitext(file)[0] if format_by_suffix(file) else file
    return base + ANSWERS
