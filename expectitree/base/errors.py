"""One exception tree, a class for each layer; the command line catches `ExpectitreeError`.

Every message says what was found, what was expected, where, and what to do.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Self

# The kinds of errors for which the hint depends on who asks: a file of another program, the editor.
EMPTY = "an empty document"
NO_EXACT_VALUE = "no exact value"
NEEDS_EXACT = "beyond floats"
NESTED = "nested too deeply"
NOT_A_NUMBER = "not a number"
NOT_A_PROBABILITY = "not a probability"
UNDEFINED = "a name, in a tree without parameters"
WRONG_SUM = "a wrong sum of probabilities"
WRONG_SUM_OF_FORMULAS = "a wrong sum of formulas"

USER_ERRORS = (Exception, SystemExit)  # that the user's own code may raise


# The commands that install into an environment, by the end of its path; pip in any other.
_INSTALLERS = {
    "pipx/venvs/expectitree": "pipx install --force",
    "uv/tools/expectitree": "uv tool install",
}


def install_hint(extra: str) -> str:
    """Return how to install an extra, such as `fast`, until the package is on an index."""
    command = _INSTALLERS.get("/".join(Path(sys.prefix).parts[-3:]), "pip install")
    return f"{command} '.[{extra}]' in a clone of the repository"


class ExpectitreeError(Exception):
    """The base of all errors that expectitree raises; the text says what to do.

    Attributes:
        reason: What was found, and what was expected.
        hint: What to do; empty if the reason says it.
        kind: What kind of error it is: a constant of `expectitree.base.errors`; most have none.
        found: The name that nothing defines, if the error is about one.
        file: The file that an option does not fit, with which the text then begins; mostly empty.
        message: The text without the file.

    >>> import expectitree as et
    >>> try:
    ...     et.loads("max: [1, two]")
    ... except et.ExpectitreeError as error:
    ...     print(str(error).split(":")[:4])
    ['<text>', '1', '10', ' #2']
    """

    found = ""
    file = ""

    def __init__(self, reason: str = "", hint: str = "", kind: str = "") -> None:
        """Keep the fields; a second line of the reason is the hint."""
        reason, hint = split(reason, hint)
        super().__init__(_text(reason, hint))
        self.reason, self.hint, self.kind = reason, hint, kind

    def __str__(self) -> str:
        if self.file:
            return f"{self.file}: {self.message}"
        return self.message

    @property
    def message(self) -> str:
        """The text without the file."""
        return super().__str__()

    @property
    def lines(self) -> str:
        """The reason and the hint, each a line, to make another error of them."""
        return f"{self.reason}\n{self.hint}".rstrip()

    def as_problems(self) -> list[Problem]:
        """Return the error as problems, to print: one, or each of a file."""
        return [Problem(self.file or "expectitree", self.message, hint=self.hint)]

    def at(self, file: str) -> Self:
        """Return the same error about an option for a file."""
        changed = copy(self)
        changed.file = file
        return changed

    def with_hint(self, hint: str, kind: str | None = None) -> Self:
        """Return the same error with another hint, and perhaps of another kind."""
        changed = copy(self)
        changed.hint, changed.args = hint, (_text(self.reason, hint),)
        if kind is not None:
            changed.kind = kind
        return changed

    def about(self, subject: str) -> Self:
        """Return the same error, whose text begins with a subject."""
        changed = copy(self)
        changed.reason = f"{subject}{self.reason}"
        changed.args = (_text(changed.reason, self.hint),)
        return changed


def split(message: str, hint: str = "") -> tuple[str, str]:
    """Return the reason and the hint of a message: its first line, and what follows."""
    reason, _, advice = message.partition("\n")
    return reason, (hint or advice).replace("\n", ": ")


def lines_of(fault: ExpectitreeError | str) -> str:
    """Return the lines of an error, or a message as it is, to make another error of it."""
    if isinstance(fault, ExpectitreeError):
        return fault.lines
    return fault


def _text(reason: str, hint: str) -> str:
    separator = "" if hint[:1] in ("", ",", ";") else ": "
    return f"{reason}{separator}{hint}"


class NumberError(ExpectitreeError, ValueError):
    """A text that is not a number of the grammar, or that the number system in use cannot hold.

    >>> import expectitree as et
    >>> et.TreeBuilder().terminal("1/0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    expectitree.NumberError: '1/0' divides by zero: write a decimal such as 2, ...
    """


class TreeError(ExpectitreeError, ValueError):
    """A tree that cannot be built, or a path that names no node of a tree.

    >>> import expectitree as et
    >>> et.loads("max: {left: 1, right: 2}").find("middle")
    Traceback (most recent call last):
    expectitree.TreeError: no node middle: the branches of / are left, right
    """


class TransformError(ExpectitreeError, ValueError):
    """A tree that cannot be generated or transformed as asked.

    >>> import expectitree as et
    >>> et.generate("chess")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    expectitree.TransformError: unknown family 'chess': choose among ballard, ...
    """


class SearchError(ExpectitreeError, ValueError):
    """A search that cannot be run as asked, or a result that a search did not prove.

    >>> import expectitree as et
    >>> et.evaluate(et.loads("max: [1, 2]"), "star1", bounds=(0, 1))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    expectitree.SearchError: #2: the utility 2 lies outside the bounds [0, 1]: widen ...
    """


class GameError(ExpectitreeError, ValueError):
    """A game that cannot be found or searched, or whose methods break the rules of the protocol.

    >>> import expectitree as et
    >>> et.search("game:chess", depth=3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    expectitree.GameError: unknown game 'chess': choose among ...
    """


class AnalysisError(ExpectitreeError, ValueError):
    """A question about a tree that has no answer as asked.

    >>> import expectitree as et
    >>> et.tornado(et.loads("max: {left: 1, right: 2}"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    expectitree.AnalysisError: the tree has no parameters: ...
    """


class Excerpt(NamedTuple):
    """The part of a source line around a column."""

    text: str
    at: int  # the place in `text` of the column's character


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a tree file, with its place and its remedy.

        >>> import expectitree as et
        >>> try:
        ...     et.loads("max: {a: 1, b: two}", name="game.yaml")
        ... except et.FileError as error:
        ...     problem, = error.problems
        >>> problem.source, problem.line, problem.column, problem.path
        ('game.yaml', 1, 16, 'b')

    Attributes:
        source: The file's path, or another name for the text.
        message: What was found, what was expected, and what to do; a second line is the hint.
        path: The path of the node, if the problem is in one.
        line: The line in the text, from 1, if it is known.
        column: The column in the line, from 1.
        excerpt: The line around the column, if it is known.
        hint: The part of the message that says what to do, if it is known.
        kind: The kind of the error, as in `ExpectitreeError.kind`.
    """

    source: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    excerpt: Excerpt | None = field(default=None, compare=False, repr=False)
    hint: str = field(default="", compare=False, repr=False)
    kind: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        reason, hint = split(self.message, self.hint)
        if hint != self.hint:
            object.__setattr__(self, "message", _text(reason, hint))
            object.__setattr__(self, "hint", hint)

    def with_hint(self, hint: str) -> Problem:
        """Return the same problem with another hint."""
        return replace(self, message=_text(self.reason, hint), hint=hint)

    @property
    def reason(self) -> str:
        """The message without the hint."""
        if not self.hint:
            return self.message
        return self.message.removesuffix(self.hint).rstrip(": ")

    @property
    def place(self) -> str:
        """The source with the line and the column, as far as they are known."""
        place = self.source
        if not place.isprintable():
            place = ascii(place)[1:-1]
        numbers = [place, self.line, self.column]
        return ":".join(str(number) for number in numbers if number is not None)

    @property
    def subject(self) -> str:
        """The path of the node and a colon, if the problem is in one."""
        if self.path is None:
            return ""
        return f"{self.path}: "

    def __str__(self) -> str:
        return f"{self.place}: {self.subject}{self.message}"


class WarningText(str):
    """The text of a warning, with its parts as a problem."""

    problem: Problem

    def __new__(
        cls, source: str, message: str, path: str | None = None, line: int | None = None
    ) -> WarningText:
        """Make the text from the parts of a problem."""
        problem = Problem(source, message, path, line)
        warned = super().__new__(cls, problem)
        warned.problem = problem
        return warned


class FileError(ExpectitreeError):
    """A file that cannot be read or written, or that is not a tree, with every problem found.

    The text of the exception has a line for each problem.

        >>> import expectitree as et
        >>> try:
        ...     et.loads("max: [one, two]")
        ... except et.FileError as error:
        ...     print(len(error.problems))
        2

    Attributes:
        problems: At least one `Problem`.
        stopped: Whether reading stopped after 20 problems; there may be more.
    """

    def __init__(self, problems: Sequence[Problem], stopped: bool = False) -> None:
        self.problems = tuple(problems)
        self.stopped = stopped  # reading stopped here: there may be more
        super().__init__()
        self.args = ("\n".join(map(str, self.as_problems())),)
        first = self.problems[0]
        self.reason, self.hint = f"{first.place}: {first.subject}{first.reason}", first.hint

    def as_problems(self) -> list[Problem]:
        """Return the problems, each once, and that there may be more."""
        problems = [*dict.fromkeys(self.problems)]
        if self.stopped:
            message = f"reading stopped after {len(self.problems)} errors; there may be more"
            problems.append(Problem(problems[0].source, message))
        return problems

    def __reduce__(self) -> tuple[type[FileError], tuple[Sequence[Problem], bool]]:
        """Go from one process to another as what it was made of."""
        return FileError, (self.problems, self.stopped)


# A traceback shows where users find an error: `expectitree.TreeError`.
for _error in (
    ExpectitreeError, NumberError, TreeError, TransformError, SearchError, GameError, AnalysisError,
    FileError,
):  # fmt: skip
    _error.__module__ = "expectitree"
