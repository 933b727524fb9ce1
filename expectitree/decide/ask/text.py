"""An inquiry for a terminal: its questions, and the decision or the bounds so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from expectitree.base.numbers import (
    INFINITY,
    Number,
    display_text,
    exact_text,
    probability_text,
)
from expectitree.decide.ask.report import Inquiry
from expectitree.text.console import characters, clipped, indented, safe
from expectitree.text.phrases import interval_text, known_text, payment, plural
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Kind
from expectitree.tree.paths import ROOT

_MAX_STEPS = 12  # of a route, from its end
_MAX_ACTIONS = 20
_MAX_LABEL_LENGTH = 40  # terminal columns, in a sentence
_VERBS = {Kind.MAX: "plays", Kind.MIN: "plays", Kind.CHANCE: "draws"}


def render(inquiries: Sequence[Inquiry], options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield for each inquiry the decision and why it is certain, or the bounds so far."""
    for inquiry in inquiries:
        yield _verdict(inquiry, options)
        if inquiry.best is not None:
            yield from _actions(inquiry, options)
        if inquiry.tree.unknown:
            yield Text(_effort(inquiry))


def question(inquiry: Inquiry, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the question: the steps to the leaf, with who decides there, and its notes."""
    leaf, route, tree = inquiry.leaf, inquiry.route, inquiry.tree
    assert leaf is not None
    end = " when" if route else "?"
    yield Text(
        f"Question {inquiry.asked + 1:,}: what is it worth{end}",
        style="title",
    )
    marks = characters(options)
    left_out = max(0, len(route) - _MAX_STEPS)
    if left_out:
        yield Text(f"  {marks.ellipsis} {left_out:,} more steps", style="dim")
    grid = Table.grid(padding=(0, 2, 0, 0))
    paid = {step.id: tree.reward_of(step.id) for step in route}
    pays = any(paid.values())
    for step in route[left_out:]:
        kind = step.node.kind
        p = ""
        if kind == Kind.CHANCE:
            p = f"p {probability_text(tree.columns.probability[step.id])}"
        name = Text(f"{marks.kinds[kind.name]}{kind.name}", style=kind.name, no_wrap=True)
        label = Text(safe(step.branch.label, options), overflow="fold")
        reward = " ".join(payment(paid[step.id])) if paid[step.id] else ""
        cells = [Text(p, no_wrap=True), *([Text(reward, no_wrap=True)] if pays else [])]
        grid.add_row(name, Text(_VERBS[kind]), label, *cells)
    if route:
        yield Padding(grid, (0, 0, 0, 2))
    notes = [tree.branch_notes.get(route[-1].id) if route else None, leaf.note]
    if left_out:
        notes.insert(0, f"The path is {inquiry.path}")
    if pays:
        notes.append("Leave out the rewards and costs on the way: they are added to the answer.")
    branches = list(tree.columns.child).count(leaf.id) if tree.is_sharing else 1
    if branches > 1:
        notes.append(f"{branches:,} branches lead here: the answer counts for all of them.")
    for note in notes:
        if note:
            yield indented(Text(safe(note, options), style="dim"))


def bounds_text(bounds: Bounds) -> str:
    """Return the numbers that are allowed as an answer, in words."""
    lower, upper = bounds
    if lower == -INFINITY:
        return "a number" if upper == INFINITY else f"a number, at most {exact_text(upper)}"
    if upper == INFINITY:
        return f"a number, at least {exact_text(lower)}"
    return f"a number from {exact_text(lower)} to {exact_text(upper)}"


def state(inquiry: Inquiry, options: ConsoleOptions) -> Text:
    """Return the bounds of the value and the best action so far, before the inquiry is done."""
    text = Text()
    if inquiry.algorithm.goal == "value":
        text.append(f"the value is in {interval_text(*inquiry.interval(ROOT))}")
    if inquiry.best is not None:
        text.append("; the best so far is " if text else "the best so far is ")
        text.append(_label(inquiry.best, options), style="best")
        text.append(f", {_risk(inquiry.loss)}")
    return text


def _verdict(inquiry: Inquiry, options: ConsoleOptions) -> Text:
    """Return the decision and what proves it, or the state of an inquiry without a decision."""
    if not inquiry.is_done:
        return Text("Not decided: ", style="title").append_text(state(inquiry, options)).append(".")
    best = None if inquiry.best is None else _label(inquiry.best, options)
    if inquiry.algorithm.goal == "value":
        value = display_text(inquiry.interval(ROOT)[0])
        sentence = (
            f"The value is {value}." if best is None else f"The value is {value}, with {best}."
        )
    else:
        sentence = f"{best} is best: {_proof(inquiry)}."
    return Text(sentence, style="title")


def _proof(inquiry: Inquiry) -> str:
    """Return the bound of the best action that matters, and the one of its strongest rival."""
    played = next(action for action in inquiry.actions if action.is_best)
    others = [action.interval for action in inquiry.actions if action.child != played.child]
    is_max = inquiry.tree.root.kind == Kind.MAX
    if not others:
        pays = inquiry.tree.columns.pays
        same, more = "every action leads to the same node", "more" if is_max else "less"
        return f"{same}, and none pays {more}" if pays else same
    lower, upper = played.interval
    if is_max:
        own, least, more, rest = lower, "at least ", "more", max(end for _, end in others)
    else:
        own, least, more, rest = upper, "at most ", "less", min(end for end, _ in others)
    worth = display_text(own) if lower == upper else least + display_text(own)
    return f"it is worth {worth}, and nothing else is worth {more} than {display_text(rest)}"


def _effort(inquiry: Inquiry) -> str:
    """Return how many utilities were answered, and whether the others matter."""
    total = inquiry.asked + inquiry.unknown_left
    text = f"Answered: {inquiry.asked:,} of {plural(total, 'unknown utility')}."
    if inquiry.is_done and inquiry.unknown_left:
        goal = "value" if inquiry.algorithm.goal == "value" else "decision"
        others = "The others cannot" if inquiry.asked else "No answer can"
        text += f" {others} change the {goal}."
    return text


def _actions(inquiry: Inquiry, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield a table of the intervals of all actions, or of the most promising ones."""
    marks = characters(options)
    actions = list(inquiry.actions)
    left_out = len(actions) - _MAX_ACTIONS
    if left_out > 0:
        end, sign = (1, -1) if inquiry.tree.root.kind == Kind.MAX else (0, 1)
        actions.sort(key=lambda action: (not action.is_best, sign * action.interval[end]))
        del actions[_MAX_ACTIONS:]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for action in actions:
        mark, style = (marks.best, "best") if action.is_best else ("  ", "none")
        label = Text(mark + safe(action.label, options), style=style, overflow="fold")
        interval = Text(known_text(*action.interval, display_text), no_wrap=True)
        grid.add_row(label, interval)
    yield grid
    if left_out > 0:
        yield Text(f"  {marks.ellipsis} {left_out:,} more", style="dim")


def _label(label: str, options: ConsoleOptions) -> str:
    return clipped(safe(label, options), _MAX_LABEL_LENGTH, characters(options).ellipsis)


def _risk(loss: Number) -> str:
    if loss == INFINITY:
        return "and it may be wrong by any amount"
    return f"wrong by at most {display_text(loss)}" if loss else "for certain"
