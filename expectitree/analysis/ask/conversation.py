"""The conversation of `expectitree ask`: what a line that the user types does, and the reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from rich.console import ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from expectitree.analysis.ask.answers import TAKEN_BACK, AnswersFile
from expectitree.analysis.ask.report import Inquiry
from expectitree.analysis.ask.text import bounds_text, state
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.errors import FileError, Problem, SearchError, TreeError
from expectitree.files.grammar.problems import TooManyProblemsError
from expectitree.files.grammar.words import nearest
from expectitree.text.console import safe
from expectitree.text.headings import title_heading
from expectitree.text.phrases import plural

HELP = {
    "2, -4.5e3, 1/3": "the utility of the leaf, as in a tree file",
    "skip": "ask for another leaf; this one comes back when no other is left that could help",
    "undo": "take the last answer back",
    "show": "draw the tree with what is known so far",
    "quit": "leave; so do Ctrl-D and Ctrl-C",
}
_ALIASES = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}
_COMMANDS = ("skip", "undo", "show", "quit", "help")
_SHORT_HELP = "Type a number, or ? for help."


class Then(Enum):
    """What comes after a reply."""

    PROMPT = "prompt"  # for the same question
    QUESTION = "question"  # perhaps another one
    END = "end"


class Reply(NamedTuple):
    """The reply to one line."""

    shown: Sequence[RenderableType] = ()
    then: Then = Then.PROMPT


class Conversation:
    """The questions and answers about one tree. `given` holds the answers by path, as written."""

    def __init__(
        self, inquiry: Inquiry, file: AnswersFile, tree_name: str, options: ConsoleOptions
    ) -> None:
        self.inquiry, self.file, self.tree_name, self.options = inquiry, file, tree_name, options
        self.given: dict[str, str] = {}
        self._is_warned = False

    def take_kept(self) -> None:
        """Take the answers in the file; raise `FileError` if one does not fit the tree."""
        answers, problems = self.file.read()
        with suppress(TooManyProblemsError):
            for path, number, place in answers:
                try:
                    self.inquiry.answer(number, leaf=path)
                except TreeError as error:
                    problems.add(place._replace(of_key=True), path, str(error))
                except SearchError as error:
                    problems.add(place, path, str(error))
                else:
                    self.given[path] = number
        if problems.found:
            failure = problems.failure()
            hint = "correct these lines, or name the answers to this tree with --answers"
            summary = Problem(self.file.name or "", f"these answers do not fit the tree: {hint}")
            raise FileError([*failure.problems, summary], stopped=failure.stopped)

    def introduction(self) -> Iterator[RenderableType]:
        """Yield the title and the note of the tree, and how many utilities are unknown."""
        tree, left = self.inquiry.tree, self.inquiry.unknown_left
        yield from title_heading(tree, self.options)
        if tree.root.note:
            yield Text(safe(tree.root.note, self.options), style="dim")
            yield ""
        text = f"{plural(left, 'utility')} {'is' if left == 1 else 'are'} not known"
        text += "; perhaps not all of them are needed. " if left > 1 else ". "
        text += "Type ? for help."
        if self.file.saves:
            text += f" Answers are kept in {safe(self.file.name or '', self.options)}."
        yield Text(text)

    @property
    def prompt(self) -> str:
        """The prompt for the next line."""
        leaf = self.inquiry.leaf
        if leaf is None:
            return "Decided. Return ends, undo takes the last answer back: "
        return f"{bounds_text(self.inquiry.interval(leaf))}: "

    def respond(self, line: str) -> Reply:
        """Carry out a typed line and return the reply."""
        typed = line.strip()
        is_done = self.inquiry.is_done
        match _ALIASES.get(typed.lower(), typed.lower()):
            case "quit":
                return Reply(then=Then.END)
            case "" if is_done:
                return Reply(then=Then.END)
            case "help":
                return Reply(_help())
            case "show":
                return Reply(list(self.drawing(self.options)))
            case "undo":
                return self._undo()
            case "skip" if not is_done:
                return self._skip()
            case _ if is_done or not typed:
                return Reply([Text(_SHORT_HELP)])
            case _:
                return self._answer(typed)

    def _answer(self, typed: str) -> Reply:
        path = self.inquiry.path or ""
        try:
            self.inquiry.answer(typed)
        except SearchError as error:
            hint = nearest(typed, _COMMANDS) if typed.isalpha() else ""
            message = f"{error}{hint or '; ? for help'}"
            return Reply([Text(safe(message, self.options), style="bad")])
        self.given[path] = typed
        shown = self._save({path: typed})
        if not self.inquiry.is_done:
            shown.append(state(self.inquiry, self.options))
        return Reply(shown, Then.QUESTION)

    def _skip(self) -> Reply:
        before = self.inquiry.leaf
        self.inquiry.skip()
        same = [Text("There is no other leaf that matters now.")]
        return Reply(same if self.inquiry.leaf == before else (), Then.QUESTION)

    def _undo(self) -> Reply:
        if not self.inquiry.asked:
            return Reply([Text("There is no answer to take back.")])
        find = self.inquiry.tree.find
        leaf = find(self.inquiry.take_back())
        # The file may call the leaf by other paths, if several branches lead to it.
        taken = {path: number for path, number in self.given.items() if find(path) == leaf}
        for path in taken:
            del self.given[path]
        shown = self._save(dict.fromkeys(taken, TAKEN_BACK))
        for path, number in taken.items():
            shown.append(Text(safe(f"Taken back: {path}, {number}", self.options)))
        return Reply(shown, Then.QUESTION)

    def drawing(self, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield the tree with what is known so far."""
        return tree_lines(Evaluation(self.tree_name, self.inquiry.search), options)

    def _save(self, changes: dict[str, str]) -> list[RenderableType]:
        """Add answers to the file; return a warning the first time that this fails."""
        try:
            self.file.add(changes)
        except FileError as error:
            if self._is_warned:
                return []
            self._is_warned = True
            message = f"{error}\nGo on: the answers will be printed at the end."
            return [Text(message, style="bad")]
        return []


def _help() -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for typed, meaning in HELP.items():
        grid.add_row(Text(typed, no_wrap=True), Text(meaning))
    return [Padding(grid, (0, 0, 0, 2))]
