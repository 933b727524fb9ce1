"""The conversation of `expectitree ask`: what a line that the user types does, and the reply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from rich.console import ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.base.errors import FileError, Problem, SearchError, TreeError
from expectitree.base.interrupts import held
from expectitree.decide.ask.answers import EXPECTED, AnswersFile
from expectitree.decide.ask.report import Inquiry
from expectitree.decide.ask.text import bounds_text, question, render, state
from expectitree.files.grammar.problems import TooManyProblemsError
from expectitree.files.grammar.words import described, key_hint
from expectitree.text.console import safe
from expectitree.text.headings import title_heading
from expectitree.text.phrases import plural

HELP = {
    "2, -4.5e3, 1/3": "the utility of the leaf, as in a tree file",
    "show": "draw the tree with the bounds and answers so far",
    "quit": "leave; so do Ctrl-D and Ctrl-C",
}
_ALIASES = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}
_COMMANDS = ("show", "quit", "help")


class Conversation:
    """The questions and answers about one tree. `given` holds the answers by path, as written."""

    def __init__(self, inquiry: Inquiry, file: AnswersFile, options: ConsoleOptions) -> None:
        self.inquiry, self.file, self.options = inquiry, file, options
        self.given: dict[str, str] = {}
        self.is_over = False  # the user left
        self._is_warned = False

    def take_kept(self) -> None:
        """Take the answers in the file; raise `FileError` if one does not fit the tree."""
        answers, problems = self.file.read()
        with suppress(TooManyProblemsError):
            for path, utility, place in answers:
                try:
                    if not isinstance(utility, str):
                        raise SearchError(f"found {described(utility)}, {EXPECTED}")
                    self.inquiry.answer(utility, leaf=path)
                    self.given[path] = str(utility)
                except (TreeError, SearchError) as error:
                    is_of_path = isinstance(error, TreeError)
                    problems.add(place._replace(of_key=is_of_path), path, str(error))
        if problems.found:
            failure = problems.failure()
            hint = "correct these lines, or name the answers to this tree with --answers"
            summary = Problem(self.file.name, f"these answers do not fit the tree: {hint}")
            raise FileError([*failure.problems, summary], stopped=failure.stopped)

    def introduction(self) -> Iterator[RenderableType]:
        """Yield the title and the note of the tree, the unknown utilities, and a question."""
        tree, left = self.inquiry.tree, self.inquiry.unknown_left
        yield from title_heading(tree, self.options)
        if tree.root.note:
            yield Text(safe(tree.root.note, self.options), style="dim")
            yield ""
        verb = "is" if left == 1 else "are"
        text = f"{plural(left, 'utility')} {verb} not known"
        text += "; perhaps not all of them are needed. " if left > 1 else ". "
        text += "Type ? for help."
        if self.file.saves:
            text += f" Answers are kept in {safe(self.file.name, self.options)}."
        yield Text(text)
        yield from self._question()

    @property
    def prompt(self) -> str:
        """The prompt for the next line, while there is a question."""
        assert self.inquiry.leaf is not None
        return f"{bounds_text(self.inquiry.allowed(self.inquiry.leaf))}: "

    def respond(self, line: str) -> list[RenderableType]:
        """Carry out a typed line; return the reply, with the next question if it is another."""
        typed = line.strip()
        command = _ALIASES.get(typed.lower(), typed.lower())
        if command == "quit":
            self.is_over = True
            return []
        if command == "help":
            return _help()
        if command == "show":
            return list(self.drawing(self.options))
        if not typed:
            return [Text("Type a number, or ? for help.")]
        return self._answer(typed)

    def drawing(self, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Yield the tree with the bounds and answers so far."""
        return tree_lines(Evaluation(self.file.tree_name, self.inquiry.search), options)

    def conclusion(self, options: ConsoleOptions, shows: bool) -> Iterator[RenderableType]:
        """Yield the decision, or the bounds so far, and how to go on; the tree first if `shows`."""
        if shows:
            yield from title_heading(self.inquiry.tree, options)
            yield from self.drawing(options)
            yield ""
        yield from render([self.inquiry], options)
        if shows or not self.file.name or self.file.pending or not self.inquiry.tree.unknown:
            return
        if not self.inquiry.is_done:
            if not self.file.saves:
                return
            yield Text("To go on, run the same command again.")
            return
        text = "To see the whole tree, run the same command with --show."
        if self.given:
            text += f" To correct an answer, edit {safe(self.file.name, options)}."
        yield Text(text)

    def _question(self) -> list[RenderableType]:
        return [] if self.inquiry.is_done else ["", *question(self.inquiry, self.options)]

    def _answer(self, typed: str) -> list[RenderableType]:
        with held():  # save the answer first: choosing the next question may take long
            path = self.inquiry.path or ""
            try:
                self.inquiry.check(typed)
            except SearchError as error:
                hint = key_hint(typed, _COMMANDS) if typed.isalpha() else ""
                message = f"{error}{hint or '; ? for help'}"
                return [Text(safe(message, self.options), style="bad")]
            self.given[path] = typed
            shown = self._save(path, typed)
        self.inquiry.answer(typed)
        if not self.inquiry.is_done:
            left = f"; {self.inquiry.unknown_left:,} not known"
            shown.append(state(self.inquiry, self.options).append(left))
        return shown + self._question()

    def _save(self, path: str, typed: str) -> list[RenderableType]:
        """Add an answer to the file; return a warning the first time that this fails."""
        try:
            self.file.add(path, typed)
        except FileError as error:
            if not self._is_warned:
                self._is_warned = True
                message = f"{error}\nGo on: the answers will be printed at the end."
                return [Text(message, style="bad")]
        return []


def _help() -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for typed, meaning in HELP.items():
        grid.add_row(Text(typed, no_wrap=True), Text(meaning))
    return [Padding(grid, (0, 0, 0, 2))]
