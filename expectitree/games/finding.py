"""Find a game by its reference: built in, a plugin's, one of OpenSpiel, or in a user's file."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, TypeAlias

from expectitree.base.errors import USER_ERRORS, FileError, GameError, Problem
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.tables import plugin, plugins
from expectitree.games.built_in import BUILT_IN, EXAMPLES
from expectitree.games.protocol import Game, State, check_parameters
from expectitree.games.rollouts import Rollouts, read_rollouts

Value: TypeAlias = Any  # of a parameter, or of a user's function
PARAMETERS = r"(?:\((?P<parameters>.*)\))?"
LIBRARY = re.compile(r"(?P<library>game|open_spiel):(?P<name>[^()]*)" + PARAMETERS, re.DOTALL)
FILE = re.compile(r"(?P<file>.+\.py)(?::(?P<name>[^():/\\]*)" + PARAMETERS + ")?", re.DOTALL)


def is_game(reference: str) -> bool:
    """Return whether a reference names a game, not a file with a tree."""
    return bool(re.match(r"(game|open_spiel):", reference) or FILE.fullmatch(reference))


def find_game(reference: str) -> Game:
    """Return the game of a reference such as `game:pig(target=20)`.

        >>> find_game("game:pig(target=20)").title
        'Pig to 20'

    Args:
        reference: `game:NAME`, `open_spiel:NAME` or `path/to/file.py:CLASS`, optionally with
            `(parameter=value, …)`. The file is run. If the name in it is not that of a class, it is
            that of a game.

    Raises:
        GameError: There is no such game, a parameter is wrong, or the user's file or class fails.
        FileError: The file cannot be read.
    """
    if match := LIBRARY.fullmatch(reference):
        parameters = _read_parameters(reference, match["parameters"])
        if match["library"] == "game":
            return _make(reference, _named(match["name"]), parameters)
        from expectitree.games.open_spiel import OpenSpielGame

        return OpenSpielGame(match["name"], **parameters)
    if not (match := FILE.fullmatch(reference)):
        raise GameError(
            f"{quote(reference)} is not a game\nwrite game:NAME, open_spiel:NAME or "
            "path/to/file.py:CLASS, optionally with (parameter=value); for a tree, use `eval`"
        )
    module = run_file(match["file"])
    game: Game = _member(module, match["file"], match["name"], "class", _classes(module))
    parameters = _read_parameters(reference, match["parameters"])
    if isinstance(game, type):
        game = _make(reference, game, parameters)
    elif parameters:
        raise GameError(f"{reference}: {match['name']} is not a class, so it has no parameters")
    return game


def game_of(game: Any) -> Game:
    """Return the game of a reference, or of a game or a state of OpenSpiel; others as they are."""
    if isinstance(game, str):
        return find_game(game)
    spiel: Any = sys.modules.get("pyspiel")
    if spiel is not None and isinstance(game, (spiel.Game, spiel.State)):
        from expectitree.games.open_spiel import OpenSpielGame

        return OpenSpielGame.of(game)
    class_or_game: Game = game
    return class_or_game


def find_estimate(reference: str) -> Callable[[State], Value] | Rollouts:
    """Return the estimate of a reference: `rollouts:N`, or `path/to/file.py:function`.

    The file is run. The function receives a state and returns an estimate of its value.
    """
    rollouts = read_rollouts(reference)
    if rollouts is not None:
        return rollouts
    match = FILE.fullmatch(reference)
    if not match or match["parameters"] is not None:
        raise GameError(
            f"{quote(reference)} is not a function\nwrite path/to/file.py:FUNCTION, or such as "
            "rollouts:100"
        )
    module = run_file(match["file"])
    known = _own_names(module, inspect.isfunction)
    estimate = _member(module, match["file"], match["name"], "function", known)
    if not callable(estimate):
        raise GameError(f"{reference} is {quote(repr(estimate))}, expected a function of a state")
    function: Callable[[State], Value] = estimate
    return function


def run_file(file: str) -> ModuleType:
    """Run a Python file and return its module.

    While it runs, it can import modules from its folder. A file that has not changed is not run
    again.
    """
    try:
        path = Path(file).resolve(strict=True)
        source = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(
            [Problem(file, f"the file cannot be read: {reason[:1].lower()}{reason[1:]}")]
        ) from None
    return _run(path, source)


@lru_cache(maxsize=8)
def _run(path: Path, source: bytes) -> ModuleType:
    name = f"expectitree_file_{path.stem}"
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # where dataclasses and pickle look for a class's module
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(source, path, "exec"), vars(module))
    except USER_ERRORS as error:
        del sys.modules[name]
        message = str(error)
        if isinstance(error, SyntaxError):
            message = error.msg  # without its place
        raised = f"running the file raises {type(error).__name__}{': ' * bool(message)}{message}"
        raise GameError(f"{_place(path, error)}: {raised}") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _place(path: Path, error: BaseException) -> str:
    """Return the line of a user's file at which an exception was raised."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == str(path)]
    return ":".join([str(path), *map(str, lines[-1:])])


def _named(name: str) -> type[Game]:
    if name in BUILT_IN:
        module, cls = BUILT_IN[name]
        built_in: type[Game] = getattr(import_module(f"expectitree.games.built_in.{module}"), cls)
        return built_in
    others = plugins("expectitree.games")
    if name in others:
        game_class: type[Game] = plugin(others[name], type)
        return game_class
    if name in EXAMPLES:
        file = EXAMPLES[name].partition(":")[0]
        raise GameError(
            f"{quote(name)} is an example, not a built-in game: copy {file} from expectitree's "
            f"repository, and write its path and class, such as {EXAMPLES[name]}"
        )
    known = [*BUILT_IN, *others]
    raise GameError(
        f"unknown game {quote(name)}{did_you_mean(name, known)}\nchoose among "
        f"{', '.join(known)}, or write open_spiel:NAME or path/to/file.py:CLASS"
    )


def _member(module: ModuleType, file: str, name: str | None, noun: str, known: list[str]) -> Value:
    """Return the object with a name in a user's file."""
    if name and hasattr(module, name):
        return getattr(module, name)
    has = f"the file has {', '.join(known) or f'no {noun}'}"
    if name:
        raise GameError(f"{file} has no {noun} {quote(name)}{did_you_mean(name, known)}: {has}")
    example = [*known, noun.upper()][0]
    raise GameError(f"{file} is a Python file\nadd the {noun}, as in {file}:{example} ({has})")


def _classes(module: ModuleType) -> list[str]:
    """Return the names of the classes in a user's file; those with moves, if any has them."""
    classes = _own_names(module, inspect.isclass)
    return [name for name in classes if hasattr(vars(module)[name], "moves")] or classes


def _own_names(module: ModuleType, is_kind: Callable[[object], bool]) -> list[str]:
    """Return the names of what a module defines of a kind."""
    return [
        name
        for name, member in vars(module).items()
        if is_kind(member) and member.__module__ == module.__name__
    ]


def _make(reference: str, cls: Callable[..., Game], parameters: Mapping[str, Value]) -> Game:
    _check_signature(reference.partition("(")[0], cls, parameters)
    try:
        return cls(**parameters)
    except USER_ERRORS as error:
        kind = f"{type(error).__name__}: "
        if isinstance(error, ValueError):
            kind = ""
        raise GameError(f"{reference}: {kind}{error}") from error


def _check_signature(owner: str, cls: Callable[..., Game], parameters: Mapping[str, Value]) -> None:
    """Raise `GameError` if a class, which the owner names, does not have these parameters."""
    try:
        signature = inspect.signature(cls).parameters
    except ValueError:
        return  # a class that derives from one of C may have no signature
    takes_any = any(p.kind == p.VAR_KEYWORD for p in signature.values())
    known = {
        name: p.default
        for name, p in signature.items()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
    check_parameters(owner, parameters, known, takes_any)
    for name, default in known.items():
        if default is inspect.Parameter.empty and name not in parameters:
            raise GameError(f"{owner} needs the parameter {name}\nwrite {owner}({name}=…)")


# ---- Parameters in a reference.


def _read_parameters(reference: str, written: str | None) -> dict[str, Value]:
    """Return the values of `name=value, …`: numbers, true or false, and texts."""
    values: dict[str, Value] = {}
    if not written:
        return values
    for part in written.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier() or name in values:
            raise GameError(
                f"{reference}: {quote(part.strip())} is not a parameter\nwrite each once, as "
                "name=value, with commas between"
            )
        values[name] = _read_value(value)
    return values


def _read_value(text: str) -> Value:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    if isinstance(value, (bool, int, float, str)):
        return value
    return text
