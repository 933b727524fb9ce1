"""The values of options that need more than click: what can be read, and how shells complete it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from click import Argument, Choice, Context, Parameter, ParamType, Path

from expectitree.base.errors import ExpectitreeError, NumberError
from expectitree.base.reading import to_bound, to_fraction
from expectitree.base.tree.columns import Bounds, ChosenBounds
from expectitree.base.tree.model import Tree
from expectitree.files import load, loads
from expectitree.files.formats import TABLES, format_by_name

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Readable(Path):
    """A file or folder to read, or the name of an example or a game."""

    def shell_complete(
        self, ctx: Context, param: Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return files that can be read, and the names of examples and games."""
        from click.shell_completion import CompletionItem

        names = [name for name in _names(param) if name.startswith(incomplete)]
        if not incomplete:  # all names would hide the files
            names = sorted({f"{name.partition(':')[0]}:" for name in names})
        return [CompletionItem(name) for name in [*_files(incomplete), *names]]


def _names(param: Parameter) -> list[str]:
    from expectitree.files.sources import PREFIX, examples
    from expectitree.games.built_in import BUILT_IN

    usage, names = str(param.metavar), []
    if isinstance(param, Argument) and usage != "GAME":
        names += [f"{PREFIX}{name}" for name in examples()]
    if "GAME" in usage:
        names += [f"game:{name}" for name in BUILT_IN]
    return names


def _files(incomplete: str) -> list[str]:
    """Return the folders and the files that can be read; for a single folder, those in it."""
    from expectitree.files.formats import SUFFIXES

    folder = incomplete[: incomplete.rfind("/") + 1]
    hidden = "." if incomplete == folder else "/"  # how hidden files begin
    paths = []
    with suppress(OSError):
        for entry in os.scandir(os.path.expanduser(folder) or "."):
            path = f"{folder}{entry.name}{'/' * entry.is_dir()}"
            fits = path.startswith(incomplete) and not entry.name.startswith(hidden)
            if fits and path.endswith(("/", ".py", *SUFFIXES)):
                paths.append(path)
    if len(paths) == 1 and paths[0].endswith("/"):
        return _files(paths[0]) or paths
    return sorted(paths)


class Parsed(ParamType):  # type: ignore[type-arg]  # click 8.2 has no arguments
    """What a function reads from a text."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.read = read

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> Any:
        """Return the value; raise a usage error for a wrong one."""
        try:
            return self.read(value)
        except NumberError as error:
            self.fail(error.lines, param, ctx)


def _bounds(text: str) -> Bounds:
    """Return the bounds in a text such as 0,100."""
    ends = text.strip("[]").split(",")
    try:
        if len(ends) != 2:
            raise NumberError(f"found {text!r}, expected two")
        lower, upper = (to_bound(end.strip(), exact=True) for end in ends)
    except NumberError as error:
        how = "write LOWER,UPPER such as 0,100 or -inf,inf"
        raise NumberError(f"{error.reason}\n{how}") from None
    return lower, upper


def _chosen_bounds(text: str) -> ChosenBounds:
    if text in ("none", "leaves"):
        return cast("ChosenBounds", text)
    return _bounds(text)


BOUNDS = Parsed(_bounds)
CHOSEN_BOUNDS = Parsed(_chosen_bounds)
NUMBER = Parsed(to_fraction)


class FormatName(Choice[str]):
    """The name of a format: one of the choices, or a plugin's."""

    def convert(self, value: str, param: Parameter | None, ctx: Context | None) -> str:
        """Return the name if there is such a format."""
        if value not in TABLES and format_by_name(value):
            return value
        return super().convert(value, param, ctx)


def completing(names: Callable[[Context], Iterable[str]]) -> Callable[..., list[str]]:
    """Return a function that completes one of the names that fit what was typed before."""

    def complete(context: Context, param: Parameter, incomplete: str) -> list[str]:
        return [name for name in names(context) if name.startswith(incomplete)]

    return complete


def _names_of_tree(names: Callable[[Tree], Iterable[str]]) -> Callable[..., list[str]]:
    """Return a function that completes one of the names in the tree that was typed before."""

    def typed(context: Context) -> Iterable[str]:
        params: Any = context.params
        with suppress(ExpectitreeError, OSError):
            for text in params.get("texts") or ():
                return names(loads(text))
            for file in params.get("files") or context.args:  # an option waits for its value
                return names(load(file))
        return ()

    return completing(typed)


complete_parameters = _names_of_tree(lambda tree: tree.parameters)
complete_settings = _names_of_tree(lambda tree: [f"{name}=" for name in tree.parameters])
complete_paths = _names_of_tree(lambda tree: map(tree.path_of, tree.first_paths.order))
