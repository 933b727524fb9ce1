"""`expectitree ask`: the utilities that are not known yet, asked for one at a time until the decision is certain."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

from expectitree.analysis.ask.answers import AnswersFile, answers_name, answers_text
from expectitree.analysis.ask.json import inquiry_fields
from expectitree.analysis.ask.report import Inquiry, inquire
from expectitree.analysis.ask.text import (
    bounds_text,
    conclusion_lines,
    question_lines,
    state_text,
)
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.cli.options import (
    FILE,
    check_output,
    force_option,
    read_bounds,
    write_tree,
)
from expectitree.cli.status import DOES_NOT_HOLD, NO_TREE
from expectitree.cli.terminal import make_look, say, working, write
from expectitree.errors import ExpectitreeError, FileError, Problem, SearchError, TreeError
from expectitree.files import load, loads
from expectitree.files.formats import format_by_suffix
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import nearest
from expectitree.numbers import escape, to_fraction
from expectitree.text.headings import title_heading
from expectitree.text.json_values import dumps
from expectitree.text.look import Look, cell_width, look_lines, wrapped
from expectitree.tree.model import Tree

if TYPE_CHECKING:
    from expectitree.analysis.ask.answers import Answer

_HELP = (
    ("2, -4.5e3, 1/3", "what the leaf is worth, as in a tree file"),
    ("skip", "ask another one now, this one when no other is left that could help"),
    ("undo", "take the last answer back"),
    ("show", "draw the tree with what is known so far"),
    ("quit", "leave; so do Ctrl-D and Ctrl-C"),
)
_SHORT = {"?": "help", "h": "help", "q": "quit", "exit": "quit"}
_WORDS = ("skip", "undo", "show", "quit", "help")


@click.command("ask")
@click.argument("file", required=False, metavar="[FILE]", type=FILE)
@click.option("-e", "text", metavar="TEXT", help="A tree typed in place of a file.")
@click.option(
    "--goal",
    type=click.Choice(("action", "value")),
    default="action",
    show_default=True,
    help="What is to be certain: which action is best, or the value.",
)
@click.option(
    "--bounds", metavar="LOWER,UPPER", help="Bounds of every utility; inf where nothing is known."
)
@click.option("--exact", is_flag=True, help="Compute in fractions, not in floating point.")
@click.option(
    "--answers",
    metavar="FILE",
    type=FILE,
    help="Where answers are kept, and taken from.  [default: beside the tree, its name ending in .answers.yaml]",
)
@click.option("--no-save", is_flag=True, help="Keep no answers; those that are there count.")
@click.option("--show", is_flag=True, help="Ask nothing: show the tree with what is known so far.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=FILE,
    help="Write the tree with the answers in it.",
)
@force_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="The output at the end; questions go to standard error.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    file: str | None,
    text: str | None,
    goal: str,
    bounds: str | None,
    exact: bool,
    answers: str | None,
    no_save: bool,
    show: bool,
    output: str | None,
    force: bool,
    format_name: str,
) -> None:
    """Ask for the utilities that are not known yet, those that matter most first, until the decision is certain.

    In FILE such a terminal is written `utility: "?"`. Answers are kept as they come, so that the same command goes on
    where it was left: at any time, by Ctrl-C too. Exit status 1 says that it is not decided yet.

    \b
    Example:
      expectitree ask launch.yaml
      expectitree ask launch.yaml --show               what is known so far
      expectitree ask launch.yaml -o answered.yaml     the tree with the answers
    """
    source = _source(file, text, answers)
    if output is not None:
        if output == "-":
            raise click.UsageError(
                "-o - has no place to go, standard output has the decision: name a file."
            )
        check_output(output, None, force)
    root_bounds = None if bounds is None else read_bounds(bounds, exact)
    with working(f"reading {source}"):
        tree = (
            load(source, exact=exact, warn=say)
            if text is None
            else loads(text, name="-e", exact=exact, warn=say)
        )
    with working(f"preparing {source}"):
        inquiry = inquire(tree, bounds=root_bounds, goal=goal)
    kept = answers or (answers_name(source) if text is None else None)
    if (
        output is not None
        and kept is not None
        and os.path.realpath(output) == os.path.realpath(kept)
    ):
        raise click.UsageError(
            f"-o {output} is where the answers are kept: write the tree to another file."
        )
    again = _Again(source, goal, bounds, exact, answers, text)
    session = Session(inquiry, AnswersFile(kept, source) if kept else None, not no_save, again)
    with working(f"taking answers from {kept}"):
        session.take_kept()
    if session.given:
        say(f"{_count(len(session.given), 'answer')} from {kept}")
    if not tree.unknown:
        say(f"{source}: every utility is known, so there is nothing to ask: {again.evaluation}")
    elif not show and not inquiry.is_done:
        session.check_file()
        session.run()
    # What was answered is brought to safety before anything that can fail.
    status = 0 if inquiry.is_done else DOES_NOT_HOLD
    if output is not None:
        try:
            _write_output(session, source, text, output)
        except ExpectitreeError as error:
            say(str(error))
            session.unsaved = session.unsaved or session.file is None or not session.saves
            status = NO_TREE
    if session.unsaved and session.given:
        say("The answers are not saved. In a file for --answers they would be:")
        click.echo(answers_text(session.given), err=True, nl=False)
        status = NO_TREE
    _conclude(session, source, format_name, show)
    context.exit(status)


@dataclass(frozen=True)
class _Again:
    """How the command was given, to say how to go on."""

    file: str
    goal: str
    bounds: str | None
    exact: bool
    answers: str | None
    text: str | None

    def command(self, *more: str) -> str:
        words = [
            "expectitree",
            "ask",
            *(["-e", self.text] if self.text is not None else [self.file]),
        ]
        words += ["--goal", self.goal] if self.goal != "action" else []
        words += [f"--bounds={self.bounds}"] if self.bounds is not None else []
        words += ["--exact"] if self.exact else []
        words += ["--answers", self.answers] if self.answers is not None else []
        return shlex.join([*words, *more])

    @property
    def evaluation(self) -> str:
        return shlex.join(
            ["expectitree", "eval", *(["-e", self.text] if self.text is not None else [self.file])]
        )


@dataclass
class Session:
    """The conversation about one tree, which goes to standard error."""

    inquiry: Inquiry
    file: AnswersFile | None
    saves: bool
    again: _Again
    given: dict[str, str] = field(default_factory=dict)  # path -> number as written
    unsaved: bool = False  # the last attempt to save failed
    look: Look = field(default_factory=lambda: make_look(err=True))

    def take_kept(self) -> None:
        """Take the answers that are kept from earlier; raise `FileError` where they do not fit the tree."""
        if self.file is None:
            return
        answers, problems = self.file.read()
        with suppress(TooManyProblemsError):
            for answer in answers:
                self._take_kept(answer, problems)
        if problems.found:
            failure = problems.failure()
            hint = "correct these lines or take them out; where the tree is another one, name another file: --answers"
            told = Problem(self.file.name, f"these answers do not fit the tree: {hint}")
            raise FileError([*failure.problems, told], stopped=failure.stopped)

    def _take_kept(self, answer: Answer, problems: Problems) -> None:
        try:
            self.inquiry.answer(answer.number, leaf=answer.path)
        except TreeError as error:
            problems.add(answer.place._replace(of_key=True), answer.path, str(error))
        except SearchError as error:
            problems.add(answer.place, answer.path, str(error))
        else:
            self.given[answer.path] = answer.number

    def check_file(self) -> None:
        """Raise `FileError` where answers are to be kept and cannot be."""
        if self.saves and self.file is not None:
            self.file.check_writable()

    def run(self) -> None:
        """Ask until all is decided, or nobody answers any more."""
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="backslashreplace")
        self._introduce()
        try:
            while not self.inquiry.is_done:
                self._tell([""])
                self._tell(question_lines(self.inquiry, self.inquiry.asked + 1, self.look))
                if not self._converse():
                    break
                if self.inquiry.is_done and not self._is_meant():
                    continue
        except KeyboardInterrupt:
            self._tell([""])
        self._tell([""])

    def _is_meant(self) -> bool:
        """Ask whether what decided is to stand, where somebody sits there; return whether that is so."""
        if not _is_terminal(sys.stdin):
            return True
        while True:
            typed = (
                (_read("Decided. Return ends, undo takes the last answer back: ") or "")
                .strip()
                .lower()
            )
            if typed == "undo":
                return not self._undo()
            if typed == "show":
                self._show()
            elif _SHORT.get(typed, typed) in ("", "quit"):
                return True

    def _introduce(self) -> None:
        inquiry, tree = self.inquiry, self.inquiry.tree
        self._tell(look_lines(title_heading(tree, self.look.options), self.look))
        if tree.root.note:
            self._tell(wrapped(self.look.shown(tree.root.note), self.look.width), "dim")
            self._tell([""])
        left = inquiry.unknown_left
        few = "; perhaps not all of them are needed" if left > 1 else ""
        text = f"{left:,} {'utility is' if left == 1 else 'utilities are'} not known{few}. Type ? for help."
        if self.file is not None and self.saves:
            text += f" Answers are kept in {escape(self.file.name)}."
        self._tell(wrapped(text, self.look.width))

    def _converse(self) -> bool:
        """Take lines until one changes what is asked; return whether to go on."""
        leaf = self.inquiry.leaf
        assert leaf is not None
        prompt = f"{bounds_text(self.inquiry.interval(leaf))}: "
        while True:
            line = _read(prompt)
            if line is None:
                return False
            typed = line.strip()
            word = _SHORT.get(typed.lower(), typed.lower())
            if word == "quit":
                return False
            if word == "help" or not word:
                self._help(briefly=not word)
            elif word == "show":
                self._show()
            elif word == "skip":
                self._skip()
                return True
            elif word == "undo":
                if self._undo():
                    return True
            elif self._answer(typed):
                return True

    def _show(self) -> None:
        self._tell(
            look_lines(
                tree_lines(Evaluation(self.again.file, self.inquiry.search), self.look.options),
                self.look,
            )
        )

    def _answer(self, typed: str) -> bool:
        inquiry = self.inquiry
        path = inquiry.path
        assert path is not None
        try:
            with working("choosing what to ask next"), _uninterrupted():
                inquiry.answer(typed)
                self.given[path] = typed
                self._save()
        except SearchError as error:
            hint = nearest(typed, _WORDS) if typed.isalpha() else ""
            self._tell(
                wrapped(f"{self.look.shown(str(error))}{hint or '; ? for help'}", self.look.width),
                "bad",
            )
            return False
        if not inquiry.is_done:
            plain = state_text(inquiry, replace(self.look, paint=Look.paint))
            fits = cell_width(plain) <= self.look.width
            self._tell(
                [state_text(inquiry, self.look)] if fits else wrapped(plain, self.look.width)
            )
        return True

    def _skip(self) -> None:
        before = self.inquiry.leaf
        with _uninterrupted():
            self.inquiry.skip()
        if self.inquiry.leaf == before:
            self._tell(["There is no other that matters now."])

    def _undo(self) -> bool:
        if not self.inquiry.asked:
            self._tell(["There is no answer to take back."])
            return False
        tree = self.inquiry.tree
        with working("going back"), _uninterrupted():
            leaf = tree.find(self.inquiry.take_back()).id
            # Who edited the file may have called the leaf by another path, or by several.
            taken = {
                path: self.given.pop(path)
                for path in list(self.given)
                if tree.find(path).id == leaf
            }
            self._save()
        for path, number in taken.items():
            self._tell(wrapped(f"Taken back: {self.look.shown(path)}, {number}", self.look.width))
        return True

    def _help(self, briefly: bool) -> None:
        if briefly:
            self._tell(["Type a number, or ? for help."])
            return
        wide = max(len(what) for what, _ in _HELP)
        for what, does in _HELP:
            first, *rest = wrapped(does, max(20, self.look.width - wide - 4))
            self._tell(
                [f"  {what:<{wide}}  {first}", *(f"  {'':<{wide}}  {line}" for line in rest)]
            )

    def _save(self) -> None:
        if self.file is None or not self.saves:
            return
        try:
            self.file.save(self.given)
        except FileError as error:
            if not self.unsaved:
                self._tell([self.look.shown(str(error))], "bad")
                self._tell(["Go on: they will be printed at the end."], "bad")
            self.unsaved = True
        else:
            self.unsaved = False

    def _tell(self, lines: Iterable[str], style: str | None = None) -> None:
        for line in lines:
            text = line if style is None else self.look.paint(line, style)
            click.echo(text, err=True, color="\x1b" in text or None)


def _source(file: str | None, text: str | None, answers: str | None) -> str:
    """Return what the tree is called; raise a usage error where none was given, or answers have no place."""
    if (file is None) == (text is None):
        raise click.UsageError("One tree is asked about: name a FILE, or type one after -e.")
    if file == "-":
        raise click.UsageError(
            "Standard input brings the answers, not the tree: name a FILE, or type it after -e."
        )
    if answers is not None:
        format = format_by_suffix(answers)
        if answers == "-" or format is not None and format.name != "yaml":
            raise click.UsageError(
                f"Answers are kept in YAML: name a file that ends in .yaml, not {answers}."
            )
        if file is not None and os.path.realpath(answers) == os.path.realpath(file):
            raise click.UsageError(
                "--answers names the tree itself: answers go into a file of their own."
            )
    return "-e" if file is None else file


def _conclude(session: Session, source: str, format_name: str, show: bool) -> None:
    """Write how things stand to standard output."""
    inquiry = session.inquiry
    if format_name == "json":
        write([dumps(inquiry_fields(source, inquiry)), "\n"])
        return
    look = make_look()
    lines: list[str] = []
    if show:
        lines += look_lines(title_heading(inquiry.tree, look.options), look)
        lines += look_lines(tree_lines(Evaluation(source, inquiry.search), look.options), look)
        lines.append("")
    lines += conclusion_lines(inquiry, look)
    is_kept = (
        session.file is not None and (session.saves or not session.given) and not session.unsaved
    )
    if is_kept and inquiry.tree.unknown and not show:
        next_command = session.again.command(*(["--show"] if inquiry.is_done else []))
        lines.append(f"{'See it all' if inquiry.is_done else 'Go on'}: {look.shown(next_command)}")
        if inquiry.is_done and session.given and session.file is not None:
            lines += wrapped(
                f"A wrong answer? Correct it in {look.shown(session.file.name)}.", look.width
            )
    write(f"{line}\n" for line in lines)


def _write_output(session: Session, source: str, text: str | None, output: str) -> None:
    """Write the tree with the answers: exactly, as they were written, where the format can hold that."""
    format = format_by_suffix(output)
    if format is not None and not format.is_text:
        write_tree(session.inquiry.tree_answered(), output, None, drop_fractions=True)
        return
    tree = load(source, exact=True) if text is None else loads(text, name="-e", exact=True)
    write_tree(_filled(tree, session.given), output, None)


def _filled(tree: Tree, given: dict[str, str]) -> Tree:
    utility = list(tree.columns.utility)
    for path, number in given.items():
        utility[tree.find(path).id] = to_fraction(number)
    return replace(tree, columns=tree.columns._replace(utility=utility))


def _read(prompt: str) -> str | None:
    """Return the line that was typed, or None where there is none any more; one from a pipe is told again."""
    if _is_terminal(sys.stdin) and _is_terminal(sys.stdout):
        with suppress(ImportError):
            import readline  # noqa: F401  # arrow keys work
        try:
            return input(prompt)
        except EOFError:
            click.echo(err=True)
            return None
    click.echo(prompt, err=True, nl=False)
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line or not _is_terminal(sys.stdin):
        click.echo(escape(line.rstrip("\r\n")), err=True)
    return line or None


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until what is begun is done: an answer that was given is kept."""
    came: list[Any] = []
    try:
        before = signal.signal(signal.SIGINT, lambda *what: came.append(what))
    except ValueError:  # signals go to the main thread, and this is another
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _is_terminal(stream: object) -> bool:
    isatty: Callable[[], bool] | None = getattr(stream, "isatty", None)
    return isatty is not None and isatty()


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
