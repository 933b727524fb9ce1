"""The broken files of `tests/bad/`: each with the reason why it is refused, and its message.

A case is a section of a Markdown file. Its heading is the name of the file, a sentence gives the
reason, and two blocks have the input and the lines that the command line prints at 80 columns. The
first line of the input's block is followed by `escaped` if the input has backslash escapes, as in
strings of Python; it then has no line end after its last line.

    python tests/files/bad_cases.py

writes all messages anew. Review the changes.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import NamedTuple

from expectitree.base.errors import FileError
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.model import Tree
from expectitree.files import load
from expectitree.text.console import problem_lines, text_console

FOLDER = Path(__file__).resolve().parent.parent / "bad"
_CASE = re.compile(
    r"^## (?P<name>\S+)\n\n(?P<reason>.+)\n\n"
    r"```(?P<format>\w+)(?P<escaped> escaped)?\n(?P<input>(?:.*\n)*?)```\n\n"
    r"```text\n(?P<message>(?:.*\n)+?)```$",
    re.MULTILINE,
)


class Case(NamedTuple):
    """A broken file."""

    name: str
    reason: str
    content: bytes
    message: str  # the lines that the command line prints, without the last line end

    @property
    def text(self) -> str:
        """The content of the file as text."""
        return self.content.decode("utf-8")

    def load(self, exact_nodes: int = EXACT_NODES) -> Tree:
        """Read the file; the name of one of Radiant's begins with `radiant-`."""
        stream = io.BytesIO(self.content)
        stream.name = self.name
        format = "radiant" if self.name.startswith("radiant-") else None
        return load(stream, exact_nodes=exact_nodes, format=format)


def _case_of(match: re.Match[str]) -> Case:
    text = match["input"]
    if match["escaped"]:
        latin = text.removesuffix("\n").encode("latin-1", "backslashreplace")
        text = latin.decode("unicode_escape")
    message = match["message"].removesuffix("\n")
    return Case(match["name"], match["reason"], text.encode(), message)


def shown_lines(error: FileError, width: int = 80) -> list[str]:
    """Return the lines of an error as the command line prints them into a pipe."""
    return [line.plain for line in problem_lines(error.as_problems(), text_console(width).options)]


def _refreshed(match: re.Match[str]) -> str:
    """Return a section with the message as it is now."""
    start = match.start("message") - match.start()
    try:
        _case_of(match).load()
    except FileError as error:
        return match[0][:start] + "\n".join([*shown_lines(error), "```"])
    raise AssertionError(f"{match['name']} is read without an error")


CASES = {
    case.name: case
    for path in sorted(FOLDER.glob("*.md"))
    for case in map(_case_of, _CASE.finditer(path.read_text("utf-8")))
}

if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(_CASE.sub(_refreshed, path.read_text("utf-8")), "utf-8")
