"""Sessions of the command line: Markdown files with commands and all that they print.

A section of a file is a session in a folder of its own, which has `trees`, `docs`, `studies` and
`tests` of the repository. A block whose first line names a file writes it; those before the first
section are written in every session. Blocks of `console` have commands: `$` is followed by the
program, `printf`, `cat` or `ls`, and `|` leads to `cut`, `grep`, `head`, or `jq` with paths
into JSON. Lines of standard error begin with `!`; a status other than 0 has a line `exit`.

    python tests/sessions/shell.py [NAME ...]

writes all that the commands print anew. Review the changes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from helpers import Done, run_main  # noqa: E402, needs the path

_FILE = re.compile(r"^```\w+ (\S+)\n((?:.*\n)*?)```$", re.MULTILINE)
_CONSOLE = re.compile(r"^```console\n((?:.*\n)*?)```$", re.MULTILINE)
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def sections(path: Path) -> tuple[str, list[str]]:
    """Return the text of a file before its first section, and its sections."""
    head, *found = _SECTION.split(path.read_text("utf-8"))
    return head, found


def sessions() -> Iterator[tuple[str, str]]:
    """Yield the name of each session, and its section after the head of its file."""
    for path in sorted(FOLDER.glob("*.md")):
        head, found = sections(path)
        for section in found:
            yield f"{path.stem}: {section[3:].partition(chr(10))[0]}", head + section


def rerun(session: str, folder: Path) -> str:
    """Return a session with what its commands print now, in an empty folder."""
    for name in ("trees", "docs", "studies", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for name, text in _FILE.findall(session):
        (folder / name).write_text(text, "utf-8")
    with chdir(folder):
        return _CONSOLE.sub(_rerun_block, session)


def _rerun_block(block: re.Match[str]) -> str:
    commands = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
    return "\n".join(["```console", *(line for each in commands for line in run(each)), "```"])


def run(command: str) -> list[str]:
    """Run a command of a session; return its lines there."""
    *first, last = _parts(command)
    stdin, done, filters = None, Done(0, "", ""), [*first, last]
    if filters[0][0] == "printf":
        text = filters.pop(0)[1].replace("%%", "%").encode("latin-1", "backslashreplace")
        stdin = text.decode("unicode_escape")
    if filters and filters[0][0] == ">":
        Path(filters.pop(0)[1]).write_text(stdin or "", "utf-8")
    elif filters:
        done = _program(filters.pop(0), stdin)
    out = done.out
    for name, *words in filters:
        out = FILTERS[name](out, *words)
    lines = [*out.splitlines(), *(f"! {line}".rstrip() for line in done.err.splitlines())]
    lines += [f"exit {done.status}"] * (done.status != 0)
    here = f"{os.getcwd()}/"
    return [f"$ {command}", *("".join(map(_visible, x.replace(here, "FOLDER/"))) for x in lines)]


def _parts(command: str) -> list[list[str]]:
    """Return the words between pipes; a redirection is a part that begins with `>`."""
    words = shlex.shlex(command, posix=True, punctuation_chars="|>")
    words.whitespace_split, words.commenters = True, ""
    found: list[list[str]] = [[]]
    for word in words:
        if word in ("|", ">"):
            found.append([])
        if word != "|":
            found[-1].append(word)
    return found


def _program(words: list[str], stdin: str | None) -> Done:
    """Run a program in this folder, in this process."""
    settings = {}
    while "=" in words[0]:
        name, _, settings[name] = words.pop(0).partition("=")
    if words[0] == "cat":
        return Done(0, Path(words[1]).read_text("utf-8"), "")
    if words[0] == "ls":
        names = [name for name in os.listdir() if not Path(name).is_symlink()]
        return Done(0, "\n".join(sorted(names)), "")
    assert words[0] == "expectitree", words
    return run_main(*words[1:], stdin=stdin, **settings)


def _grep(text: str, *words: str) -> str:
    """Return the lines that match a pattern, or with -v the others."""
    lines, pattern = text.splitlines(), re.compile(words[-1])
    return "\n".join(x for x in lines if bool(pattern.search(x)) == (words[0] != "-v"))


def _head(text: str, option: str) -> str:
    return "\n".join(text.splitlines()[: int(option[1:])])


def _jq(text: str, *paths: str) -> str:
    """Return parts of the JSON of each line, such as `.actions[1].mean`, each on a line."""
    found = []
    for line in text.splitlines():
        for path in paths:
            part: Any = json.loads(line)
            for key, place in re.findall(r"\.([\w-]+)|\[(-?\d+)\]", path):
                part = part.get(key) if key else part[int(place)]
            found.append(json.dumps(part, ensure_ascii=False))
    return "\n".join(found)


def _cut(text: str, option: str) -> str:
    return "\n".join(
        line[: int(option.removeprefix("-c1-"))].rstrip() for line in text.splitlines()
    )


FILTERS: dict[str, Any] = {"cut": _cut, "grep": _grep, "head": _head, "jq": _jq}


def _visible(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def _refresh() -> None:
    chosen = sys.argv[1:] or [path.stem for path in sorted(FOLDER.glob("*.md"))]
    for path in (FOLDER / f"{name}.md" for name in chosen):
        head, found = sections(path)
        texts = []
        for section in found:
            with tempfile.TemporaryDirectory() as folder:
                texts.append(rerun(head + section, Path(folder))[len(head) :])
        path.write_text(head + "".join(texts), "utf-8")


if __name__ == "__main__":
    _refresh()
