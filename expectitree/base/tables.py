"""Tables of what lower layers use and do not import, such as the formats of other programs.

`expectitree/__init__.py`, which knows every folder, fills them. A module is imported when it is
needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from expectitree.base.errors import USER_ERRORS, FileError, Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Command(NamedTuple):
    """A command, and the question that it answers if it is an analysis: all that registers it."""

    group: str  # its heading in `--help`
    name: str  # of the command, and of its module in `cli`; empty if there is none
    about: str
    is_listed: bool = False  # whether `--help` lists it; `--help-all` lists all
    folder: str = ""  # that shows the report; its last part is the question
    public: Sequence[str] = ()  # the names in the folder's `report` that the package has


COMMANDS: dict[str, Command] = {}  # by name, in the order of `--help`
QUESTIONS: dict[str, str] = {}  # the question of a report -> the folder that shows the report
FORMATS: list[str] = []  # the modules whose `FORMATS` are formats of files
PICTURES: dict[str, str] = {}  # the ending of a picture's file -> the module that draws it
TREES: dict[str, str] = {}  # a source of the trees of a study -> the module that makes them


def register(row: Command) -> None:
    """Add a command, and the folder of its question."""
    if row.name:
        COMMANDS[row.name] = row
    if row.folder:
        QUESTIONS[row.folder.rpartition(".")[2]] = row.folder


def module_of(name: str) -> Any:
    """Return the module with a name in a table."""
    return import_module(f"expectitree.{name}")


@cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """Return what other packages add to a group, such as `expectitree.games`, by name."""
    from importlib.metadata import entry_points  # takes time

    return {point.name: point for point in entry_points(group=group)}


def plugin(point: EntryPoint, kind: type) -> Any:
    """Import a plugin; raise `FileError` if that fails, or if it is of another kind."""
    where = f"the plugin {point.name} ({point.value} in {point.group})"
    try:
        loaded = point.load()
    except USER_ERRORS as error:
        fault = (
            f"importing it raises {type(error).__name__}: {error}\nupdate its package, or "
            "uninstall it"
        )
        raise FileError([Problem(where, fault)]) from error
    if not isinstance(loaded, kind):
        fault = (
            f"found an object of type {type(loaded).__name__}, expected {kind.__name__}\n"
            "correct its entry point, or uninstall it"
        )
        raise FileError([Problem(where, fault)])
    return loaded
