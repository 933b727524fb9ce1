"""Call the methods of a game: every error names the call, and the first calls are repeated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import Any, NoReturn

from expectitree.base.errors import USER_ERRORS, GameError
from expectitree.base.names import nearest
from expectitree.base.numbers import escape
from expectitree.games.protocol import Game

METHODS = ("turn", "moves", "play", "value")
OPTIONAL = ("key", "bounds", "label", "same_turn", "parse", "expand", "reward", "text")
ONE_LETTER = 0.8  # the likeness of most names that differ by one letter
CHECKED = 100  # calls of each method that are checked by a second call

Warn = Callable[[str], None]

# Frames of a traceback in these folders are no user's code; other packages are.
_PACKAGE = str(Path(__file__).parent.parent)
_LIBRARY = re.compile(re.escape(str(Path(re.__file__).parent.parent)) + r"[/\\](?!\w+-packages)")
_LISTENERS = ("warn", "search_depths")  # functions that call what listens to a search


class Calls:
    """The methods of one game."""

    def __init__(self, game: Game, warn: Warn | None) -> None:
        if isinstance(game, type):
            name = game.__name__
            raise GameError(f"expected a game, got the class {name}\nwrite {name}()")
        needed = list(METHODS)
        if getattr(game, "expand", None) is not None:
            needed.append("pack")
        missing = [name for name in needed if not callable(getattr(game, name, None))]
        if missing:
            raise GameError(
                f"{type(game).__name__} has no method {missing[0]}: a game has "
                f"{', '.join(needed)} (docs/how-to/games.md)"
            )
        self.game, self._listener = game, warn
        methods = {name: getattr(game, name, None) for name in (*OPTIONAL, "pack")}
        self.optional = {name: method for name, method in methods.items() if method is not None}
        self.title = type(game).__name__  # in errors, until the game gives its own
        self.title = self.call("title", lambda: str(self.attribute("title")))
        self._calls: Counter[str] = Counter()  # that were repeated, by method
        self.checked: float = CHECKED  # of each method, the first calls that are repeated
        self._warn_of_names()

    def repeat(self, name: str, result: Any, again: Callable[[], Any], *arguments: Any) -> None:
        """Raise `GameError` if a method gives another result when it is called again.

        Only the first calls are repeated.
        """
        if self._calls[name] >= self.checked:
            return
        self._calls[name] += 1
        other = self.call(name, lambda *_: again(), *arguments)
        if not are_equal(result, other):
            raise GameError(
                f"{self.where(name, *arguments)} gives two results, {shown(result, 60)} and "
                f"{shown(other, 60)}: results must depend on the state alone, so draw random "
                "numbers as outcomes of chance"
            )

    def _warn_of_names(self) -> None:
        """Warn of public methods whose name is nearly that of an optional one."""
        for name in dir(type(self.game)):
            near = None if name.startswith("_") else nearest(name, OPTIONAL, ONE_LETTER)
            is_missing = near is not None and not hasattr(self.game, near)
            if is_missing and callable(getattr(type(self.game), name)):
                self.warn(
                    f"{self.title} has a method {name}, which is ignored: did you mean {near}?"
                )

    def warn(self, message: str) -> None:
        """Warn the user, if anybody listens."""
        if self._listener is not None:
            self._listener(message)

    def attribute(self, name: str, *default: Any) -> Any:
        """Return an attribute of the game, which may be a property that fails."""
        if hasattr(type(self.game), name):
            return self.call(name, lambda: getattr(self.game, name))
        if default or hasattr(self.game, name):
            return getattr(self.game, name, *default)
        raise GameError(f"{self.title} has no attribute {name}: a game needs it")

    def call(self, name: str, method: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a method gives; its errors name the call and the line."""
        try:
            return method(*arguments)
        except USER_ERRORS as error:
            self.name_error(error, name, *arguments)

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return what an optional method gives, which the game has."""
        return self.call(name, self.optional[name], *arguments)

    def name_error(self, error: BaseException, name: str, *arguments: Any) -> NoReturn:
        """Raise an error of a method that names the call and the line."""
        if isinstance(error, GameError):
            raise error
        raised = _description(error, extract_tb(error.__traceback__)[-1])
        raise GameError(f"{self.where(name, *arguments)} {raised}") from error

    def fail(self, name: str, state: Any, result: Any, expected: str) -> NoReturn:
        """Raise an error about a result of a method."""
        where = self.where(name, state)
        raise GameError(f"{where} gives {shown(result, 60)}, expected {expected}")

    def where(self, name: str, *arguments: Any) -> str:
        """Return the title, the position and the call of a method, for a message."""
        title = escape(self.title)
        if "text" in self.optional and arguments and name not in ("text", "expand"):
            with suppress(*USER_ERRORS):
                title += f", at {shown(str(self.optional['text'](arguments[0])))}"
        return f"{title}: {name}({', '.join(map(shown, arguments))})"


@contextmanager
def naming_errors() -> Iterator[None]:
    """Name the line of an error in a game's code that Python calls, such as a state's `__hash__`.

    An error of expectitree, or of a function that listens to a search, stays as it is.
    """
    try:
        yield
    except USER_ERRORS as error:
        frames = extract_tb(error.__traceback__)
        last = max(n for n, frame in enumerate(frames) if frame.filename.startswith(_PACKAGE))
        others = [f for f in frames[last + 1 :] if not _LIBRARY.match(f.filename)]
        if not others or frames[last].name in _LISTENERS:
            raise
        raise GameError(f"{others[-1].name} {_description(error, others[-1])}") from error


def _description(error: BaseException, place: FrameSummary) -> str:
    """Return what code raises and where; the text of an error may raise another."""
    text = type(error).__name__
    with suppress(*USER_ERRORS):
        text = f"{text}: {error}".removesuffix(": ")
    return f"raises {escape(text)} ({place.filename}:{place.lineno})"


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two results are equal, as far as one can see."""
    try:
        if bool(one == other):
            return True
    except USER_ERRORS:
        pass  # arrays, for example, have no single answer
    one, other = (re.sub(r" at 0x[0-9a-fA-F]+", "", _written(found)) for found in (one, other))
    return bool(one == other)


def shown(value: Any, longest: int = 120) -> str:
    """Return a value on one line, cut in its middle if it is long."""
    text = _written(value)
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    return escape(text)


def _written(value: Any) -> str:
    try:
        return repr(value)
    except USER_ERRORS:
        return f"a {type(value).__name__}"
