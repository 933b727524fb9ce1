"""An inquiry in a terminal: the conversation, and the decision or the bounds so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from rich.console import ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.base.errors import FileError, Problem, SearchError, TreeError
from expectitree.base.interrupts import held
from expectitree.base.numbers import INFINITY, Number, display_text, exact_text, probability_text
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Kind
from expectitree.base.tree.paths import ROOT
from expectitree.decide.ask.answers import FORM, AnswersFile
from expectitree.decide.ask.report import Inquiry
from expectitree.files.grammar.document import TooManyProblemsError
from expectitree.files.grammar.words import described, key_hint
from expectitree.text.console import characters, decider_heading, indented, safe, title_heading
from expectitree.text.phrases import interval_text, known_text, payment, plural

_MAX_STEPS = 12  # of a route, from its end
_MAX_ACTIONS = 20
_VERBS = {Kind.MAX: "plays", Kind.MIN: "plays", Kind.CHANCE: "draws"}
_HELP = """\
  2, -4.5e3, 1/3  the utility of the leaf, as in a tree file
  show            draw the tree with the bounds and answers so far
  quit            leave; so do Ctrl-D and Ctrl-C"""
_GOALS = {"value": "value", "action": "decision"}
_COMMANDS = ("show", "quit", "help")


def render(inquiries: Sequence[Inquiry], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield for each inquiry the decision and why it is certain, or the bounds so far."""
    for inquiry in inquiries:
        yield _verdict(inquiry, options)
        if inquiry.best is not None:
            yield from _actions(inquiry, options)
        if inquiry.tree.unknown:
            yield Text(_effort(inquiry))


def _question(inquiry: Inquiry, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the question: the steps to the leaf, with who decides there, and its notes."""
    leaf, route, tree = inquiry.leaf, inquiry.route, inquiry.tree
    assert leaf is not None
    end = " when" if route else "?"
    yield Text(f"Question {inquiry.asked + 1:,}: what is it worth{end}", style="title")
    marks = characters(options)
    left_out = max(0, len(route) - _MAX_STEPS)
    if left_out:
        yield Text(f"  {marks.ellipsis} {left_out:,} more steps", style="dim")
    grid = Table.grid(padding=(0, 2, 0, 0))
    pays = any(tree.reward_of(step.id) for step in route)
    for step in route[left_out:]:
        kind, p = step.node.kind, ""
        if kind == Kind.CHANCE:
            p = f"p {probability_text(tree.columns.probability[step.id])}"
        name = Text(f"{marks.kinds[kind.name]}{kind.name}", style=kind.name, no_wrap=True)
        label = Text(safe(step.branch.label, options), overflow="fold")
        reward = tree.reward_of(step.id)
        paid = " ".join(payment(reward) * bool(reward))
        cells = [Text(text, no_wrap=True) for text in (p, paid)]
        grid.add_row(name, _VERBS[kind], label, *cells[: 1 + pays])
    notes = [leaf.note]
    if route:
        yield Padding(grid, (0, 0, 0, 2))
        notes.insert(0, tree.branch_notes.get(route[-1].id))
    if left_out:
        notes.insert(0, f"The path is {inquiry.path}")
    if pays:
        notes.append("Leave out the rewards and costs on the way: they are added to the answer.")
    branches = [*tree.columns.child].count(leaf.id)
    if branches > 1:
        notes.append(f"{branches:,} branches lead here: the answer counts for all of them.")
    for note in filter(None, notes):
        yield indented(Text(safe(note, options), style="dim"))


def _bounds_text(bounds: Bounds) -> str:
    """Return the numbers that are allowed as an answer, in words."""
    lower, upper = bounds
    if lower == -INFINITY and upper == INFINITY:
        return "a number"
    if lower == -INFINITY:
        return f"a number, at most {exact_text(upper)}"
    if upper == INFINITY:
        return f"a number, at least {exact_text(lower)}"
    return f"a number from {exact_text(lower)} to {exact_text(upper)}"


def _state(inquiry: Inquiry, options: ConsoleOptions) -> Text:
    """Return the bounds of the value and the best action so far, before the inquiry is done."""
    text = Text()
    if inquiry.algorithm.goal == "value":
        text.append(f"the value is in {interval_text(*inquiry.interval(ROOT))}")
    if inquiry.best is not None:
        text.append("; " * bool(text) + "the best so far is ")
        text.append(safe(inquiry.best, options), style="best")
        text.append(f", {_risk(inquiry.loss)}")
    return text


def _verdict(inquiry: Inquiry, options: ConsoleOptions) -> Text:
    """Return the decision and what proves it, or the state of an inquiry without a decision."""
    if not inquiry.is_done:
        title = Text("Not decided: ", style="title")
        return title.append_text(_state(inquiry, options)).append(".")
    best = safe(inquiry.best or "", options)
    if inquiry.algorithm.goal == "value":
        choice = f", with {best}" * (inquiry.best is not None)
        sentence = f"The value is {display_text(inquiry.interval(ROOT)[0])}{choice}."
    else:
        sentence = f"{best} is best: {_proof(inquiry)}."
    return Text(sentence, style="title")


def _proof(inquiry: Inquiry) -> str:
    """Return the bound of the best action that matters, and the one of its strongest rival."""
    played = next(action for action in inquiry.actions if action.is_best)
    others = [action.interval for action in inquiry.actions if action.child != played.child]
    side, least, more, farthest = 1, "at most ", "less", min
    if inquiry.tree.root.kind == Kind.MAX:
        side, least, more, farthest = 0, "at least ", "more", max
    if not others:
        paid = f", and none pays {more}" * bool(inquiry.tree.columns.pays)
        return f"every action leads to the same node{paid}"
    rest = display_text(farthest(interval[1 - side] for interval in others))
    lower, upper = played.interval
    worth = least * (lower < upper) + display_text(played.interval[side])
    return f"it is worth {worth}, and nothing else is worth {more} than {rest}"


def _effort(inquiry: Inquiry) -> str:
    """Return how many utilities were answered, and whether the others matter."""
    total = inquiry.asked + inquiry.unknown_left
    text = f"Answered: {inquiry.asked:,} of {plural(total, 'unknown utility')}."
    if inquiry.is_done and inquiry.unknown_left:
        others = "No answer can"
        if inquiry.asked:
            others = "The others cannot"
        text += f" {others} change the {_GOALS[inquiry.algorithm.goal]}."
    return text


def _actions(inquiry: Inquiry, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the intervals of all actions, or of the most promising ones."""
    marks, actions = characters(options), list(inquiry.actions)
    left_out = len(actions) - _MAX_ACTIONS
    if left_out > 0:
        is_max = inquiry.tree.root.kind == Kind.MAX
        end, sign = int(is_max), 1 - 2 * is_max
        actions.sort(key=lambda action: (not action.is_best, sign * action.interval[end]))
    grid = Table.grid(padding=(0, 2, 0, 0))
    for label, _, interval, is_best in actions[:_MAX_ACTIONS]:
        mark, style = "  ", "none"
        if is_best:
            mark, style = marks.best, "best"
        name = Text(mark + safe(label, options), style=style, overflow="fold")
        grid.add_row(name, Text(known_text(*interval, display_text), no_wrap=True))
    yield grid
    if left_out > 0:
        yield Text(f"  {marks.ellipsis} {left_out:,} more", style="dim")


def _risk(loss: Number) -> str:
    if loss == INFINITY:
        return "and it may be wrong by any amount"
    if loss:
        return f"wrong by at most {display_text(loss)}"
    return "for certain"


# ---- The conversation.


class Conversation:
    """The questions and answers about one tree. `given` holds the answers by path, as written."""

    def __init__(self, inquiry: Inquiry, file: AnswersFile, options: ConsoleOptions) -> None:
        self.inquiry, self.file, self.options = inquiry, file, options
        self.given: dict[str, str] = {}
        self.is_over = False  # the user left

    def take_kept(self) -> None:
        """Take the answers in the file; raise `FileError` if one does not fit the tree."""
        answers, problems = self.file.read()
        with suppress(TooManyProblemsError):
            for path, utility, place in answers:
                try:
                    if not isinstance(utility, str):
                        raise SearchError(f"found {described(utility)}\n{FORM}")
                    self.inquiry.answer(utility, path)
                    self.given[path] = utility
                except (TreeError, SearchError) as error:
                    is_of_path = isinstance(error, TreeError)
                    problems.add(place._replace(of_key=is_of_path), path, error.lines)
        if problems.found:
            failure = problems.failure()
            hint = "correct these lines, or name the answers to this tree with --answers"
            summary = Problem(self.file.name, f"these answers do not fit the tree\n{hint}")
            raise FileError([*failure.problems, summary], stopped=failure.stopped)

    def introduction(self) -> Iterator[RenderableType]:
        """Yield the title and the note of the tree, the unknown utilities, and a question."""
        tree, left = self.inquiry.tree, self.inquiry.unknown_left
        yield from title_heading(tree, self.options)
        if tree.root.note:
            yield Text(safe(tree.root.note, self.options), style="dim")
            yield ""
        yield from decider_heading(tree)
        text = f"{plural(left, 'utility')} is not known. "
        if left > 1:
            text = f"{plural(left, 'utility')} are not known; perhaps not all of them are needed. "
        text += "Type ? for help."
        if self.file.saves:
            text += f" Answers are kept in {safe(self.file.name, self.options)}."
        yield Text(text)
        yield from self._question()

    @property
    def prompt(self) -> str:
        """The prompt for the next line, while there is a question."""
        assert self.inquiry.leaf is not None
        return f"{_bounds_text(self.inquiry.allowed(self.inquiry.leaf))}: "

    def respond(self, line: str) -> list[RenderableType]:
        """Carry out a typed line; return the reply, with the next question if it is another."""
        typed = line.strip()
        if typed.lower() in ("quit", "q"):
            self.is_over = True
            return []
        if typed.lower() in ("help", "?"):
            return [Text(_HELP)]
        if typed.lower() == "show":
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
        if shows or not self.file.name or not self.inquiry.tree.unknown:
            return
        if self.inquiry.is_done:
            text = "To see the whole tree, run the same command with --show."
            if self.given:
                text += f" To correct an answer, edit {safe(self.file.name, options)}."
            yield Text(text)
        elif self.file.saves:
            yield Text("To go on, run the same command again.")

    def _question(self) -> list[RenderableType]:
        return [] if self.inquiry.is_done else ["", *_question(self.inquiry, self.options)]

    def _answer(self, typed: str) -> list[RenderableType]:
        with held():  # save the answer first: choosing the next question may take long
            path = self.inquiry.path or ""
            try:
                self.inquiry.check(typed)
            except SearchError as error:
                hint = key_hint(typed, _COMMANDS) if typed.isalpha() else ""
                message = f"{error}{hint or '; ? for help'}"
                return [Text(safe(message, self.options), style="bad")]
            self.file.add(path, typed)
            self.given[path] = typed
        self.inquiry.answer(typed)
        if self.inquiry.is_done:
            return []
        left = f"; {self.inquiry.unknown_left:,} not known"
        return [_state(self.inquiry, self.options).append(left), *self._question()]
