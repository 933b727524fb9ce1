"""What a command can read: files, examples and games, which shells complete."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Readable(click.Path):
    """A file or folder to read, or the name of an example or a game."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return files that can be read, and the names of examples and games."""
        from click.shell_completion import CompletionItem

        names = [name for name in _names(param) if name.startswith(incomplete)]
        if not incomplete:  # all names would hide the files
            names = sorted({f"{name.partition(':')[0]}:" for name in names})
        return [CompletionItem(name) for name in [*_files(incomplete), *names]]


def _names(param: click.Parameter) -> list[str]:
    from expectitree.files.sources import PREFIX, examples
    from expectitree.games.built_in import BUILT_IN

    usage, names = str(param.metavar), []
    if isinstance(param, click.Argument) and usage != "GAME":
        names += [f"{PREFIX}{name}" for name in examples()]
    if "GAME" in usage:
        names += [f"game:{name}" for name in BUILT_IN]
    return names


def _files(incomplete: str) -> list[str]:
    """Return the folders and the files that can be read; for a single folder, those in it."""
    from expectitree.files.formats import SUFFIXES

    folder = incomplete[: incomplete.rfind("/") + 1]
    hidden = "." if incomplete == folder else "/"  # how hidden files begin
    found = []
    with suppress(OSError):
        for entry in os.scandir(os.path.expanduser(folder) or "."):
            path = f"{folder}{entry.name}{'/' * entry.is_dir()}"
            fits = path.startswith(incomplete) and not entry.name.startswith(hidden)
            if fits and path.endswith(("/", ".py", *SUFFIXES)):
                found.append(path)
    if len(found) == 1 and found[0].endswith("/"):
        return _files(found[0]) or found
    return sorted(found)
