"""An inquiry as text and JSON: what is asked, what is known by now, and at the end why the decision is certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any

from expectitree.analysis.ask.report import Inquiry, Step
from expectitree.errors import NumberError
from expectitree.numbers import (
    INFINITY,
    Number,
    display_text,
    exact_text,
    probability_text,
    to_bound,
)
from expectitree.text.look import Look, cell_width, clipped, padded, wrapped
from expectitree.tree.model import Bounds, Kind, Node

_FIRST, _LAST = 3, 8  # steps of a long way that are shown
_MOST_ACTIONS = 20
_DOES = {Kind.MAX: "plays", Kind.MIN: "plays", Kind.CHANCE: "draws"}


def render(inquiries: Sequence[Inquiry], look: Look) -> Iterator[str]:
    """Yield for each inquiry how things stand: the decision and why it is certain, or what is known."""
    for inquiry in inquiries:
        yield from conclusion_lines(inquiry, look)


def question_lines(inquiry: Inquiry, number: int, look: Look) -> Iterator[str]:
    """Yield what is asked: the way to the leaf, with who decides there, and what is noted at it."""
    leaf, route = inquiry.leaf, inquiry.route
    assert leaf is not None
    yield look.paint(f"Question {number:,}: what is it worth{' when' if route else '?'}", "title")
    left_out = len(route) - _FIRST - _LAST
    steps: list[Step | None] = list(route)
    if left_out > 1:
        steps = [*route[:_FIRST], None, *route[-_LAST:]]
    labels = [look.shown(step.branch.label) for step in route]
    room = max(8, look.width - 32)
    label_width = min(room, max(map(cell_width, labels), default=0))
    symbols = look.characters.kinds
    name_width = max((len(symbols[s.node.kind.name] + s.node.kind.name) for s in route), default=0)
    for step in steps:
        if step is None:
            yield look.paint(f"  {look.characters.ellipsis} {left_out:,} more steps", "dim")
            continue
        kind = step.node.kind
        label = clipped(look.shown(step.branch.label), room, look.characters.ellipsis)
        text = f"  {look.paint(padded(symbols[kind.name] + kind.name, name_width), kind.name)} {_DOES[kind]}  "
        if kind == Kind.CHANCE:
            p = step.branch.probability
            share = probability_text(p)
            text += f"{padded(label, label_width)}  {look.paint('p', 'dim')} {share}"
        else:
            text += label
        yield text
    if left_out > 1 or any(cell_width(label) > room for label in labels):
        for line in wrapped(f"in full: {look.shown(inquiry.path or '')}", max(20, look.width - 2)):
            yield look.paint(f"  {line}", "dim")
    tree = inquiry.tree
    notes = [tree.branch_notes.get(route[-1].id) if route else None, leaf.note]
    ways = list(tree.columns.child).count(leaf.id) if tree.is_sharing else 1
    if ways > 1:
        notes.append(f"{ways:,} branches lead here: it is asked once, and counts for all.")
    for note in notes:
        for line in wrapped(look.shown(note or ""), max(20, look.width - 2)):
            yield look.paint(f"  {line}", "dim")


def bounds_text(bounds: Bounds) -> str:
    """Return in words which numbers lie within some bounds."""
    lower, upper = bounds
    least, most = _offered(lower, 1), _offered(upper, -1)
    if lower == -INFINITY:
        return "a number" if upper == INFINITY else f"a number, at most {most}"
    return (
        f"a number, at least {least}" if upper == INFINITY else f"a number from {least} to {most}"
    )


def _offered(end: Number, sign: int) -> str:
    """Return a bound, rounded for people where that lies within: what is offered must be taken."""
    text = display_text(end)
    try:
        rounded: Any = to_bound(text, exact=not isinstance(end, float))
    except NumberError:  # it is said about how great it is
        return text
    return exact_text(end) if sign * rounded < sign * end else text


def state_text(inquiry: Inquiry, look: Look) -> str:
    """Return in a line what is best so far, how wrong that can be, and what is left."""
    parts = []
    if inquiry.algorithm.goal == "value":
        parts.append(f"the value is {_interval(inquiry.interval(inquiry.tree.root))}")
    if inquiry.best is not None:
        best = look.paint(_label(inquiry.best, look, 30), "best")
        parts.append(f"best so far: {best}, {_risk(inquiry.loss)}")
    left = inquiry.unknown_left
    parts.append(f"{left:,} not known" if left else "all known")
    return "; ".join(parts)


def conclusion_lines(inquiry: Inquiry, look: Look) -> Iterator[str]:
    """Yield the decision and why it is certain, or what is known where it is not; then what was asked for that."""
    for line in wrapped(_verdict(inquiry, look), look.width):
        yield look.paint(line, "title")
    yield from _actions(inquiry, look)
    if inquiry.tree.unknown:
        yield from wrapped(_effort(inquiry), look.width)


def _verdict(inquiry: Inquiry, look: Look) -> str:
    best, root = inquiry.best, inquiry.interval(inquiry.tree.root)
    write = exact_text if inquiry.tree.exact else display_text
    if best is None or inquiry.algorithm.goal == "value":
        if inquiry.is_done:
            return f"The value is {write(root[0])}{'' if best is None else f', with {_label(best, look)}'}."
        return f"Not decided: the value is {_interval(root)}{'' if best is None else f'; {_so_far(inquiry, look)}'}."
    if not inquiry.is_done:
        return f"Not decided: {_so_far(inquiry, look)}."
    sure, hoped, words = _sides(inquiry)
    played = _best_child(inquiry)
    children = list(_children(inquiry))
    others = [inquiry.interval(child)[hoped] for _, child in children if child.id != played.id]
    verdict = f"{_label(best, look)} is best"
    if not others:
        return f"{verdict}: {'all actions lead to the same' if len(children) > 1 else 'there is nothing else to play'}."
    mine = inquiry.interval(played)
    is_max = sure == 0
    rival = max(others) if is_max else min(others)
    known = mine[0] == mine[1]
    return (
        f"{verdict}: it is worth {'' if known else f'at {words[0]} '}{display_text(mine[sure])}, "
        f"and nothing else is worth {words[1]} than {display_text(rival)}."
    )


def _effort(inquiry: Inquiry) -> str:
    """Return how many of the unknown utilities were answered, and what the others would change."""
    asked, left = inquiry.asked, inquiry.unknown_left
    total = asked + left
    all_of_them = "the one unknown utility" if total == 1 else f"{total:,} unknown utilities"
    what = "value" if inquiry.algorithm.goal == "value" else "decision"
    if inquiry.is_done and not asked:
        return f"Nothing had to be asked: {all_of_them} cannot change the {what}."
    if not left:
        return f"{'The' if total == 1 else 'All'} {all_of_them.removeprefix('the ')} {_were(total)} answered."
    answered = (
        f"{asked:,} of {all_of_them} {_were(asked)} answered"
        if asked
        else f"None of {all_of_them} was answered"
    )
    if total == 1:
        answered = "The one unknown utility was not answered"
    if inquiry.is_done:
        answered += f"; the other{'' if left == 1 else f' {left:,}'} cannot change the {what}"
    return f"{answered}."


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _so_far(inquiry: Inquiry, look: Look) -> str:
    return f"the best so far is {_label(inquiry.best or '', look)}, {_risk(inquiry.loss)}"


def _sides(inquiry: Inquiry) -> tuple[int, int, tuple[str, str]]:
    """Return which end of an action's interval the player is sure of, which one to hope for, and the words for them."""
    if inquiry.tree.root.kind == Kind.MAX:
        return 0, 1, ("least", "more")
    return 1, 0, ("most", "less")


def _actions(inquiry: Inquiry, look: Look) -> Iterator[str]:
    """Yield a table of what is known of each action."""
    if inquiry.best is None:
        return
    best, best_label = _best_child(inquiry).id, inquiry.best
    children = list(_children(inquiry))
    left_out = len(children) - _MOST_ACTIONS
    shown = children
    if left_out > 0:
        sure, hoped, _ = _sides(inquiry)
        sign = 1 if sure == 0 else -1
        shown = nsmallest(
            _MOST_ACTIONS,
            children,
            key=lambda pair: (
                pair[0] != best_label,
                pair[1].id != best,
                -sign * inquiry.interval(pair[1])[hoped],
            ),
        )
    room = max(12, look.width - 30)
    labels = [clipped(look.shown(label), room, look.characters.ellipsis) for label, _ in shown]
    width = max(map(cell_width, labels))
    for (full_label, child), label in zip(shown, labels, strict=True):
        is_best = full_label == best_label
        mark = look.characters.best if is_best else "  "
        style = "best" if is_best else "none"
        yield f"{look.paint(mark + padded(label, width), style)}  {_bare(inquiry.interval(child))}"
    if left_out > 0:
        yield look.paint(f"  {look.characters.ellipsis} {left_out:,} more", "dim")


def _children(inquiry: Inquiry) -> Iterator[tuple[str, Node]]:
    """Yield the label of every branch of the root, and the child."""
    tree = inquiry.tree
    root = len(tree) - 1
    _, _, first, child, _ = tree.columns
    for b in range(first[root], first[root + 1]):
        yield tree.branch_label(root, b), tree.node(child[b])


def _best_child(inquiry: Inquiry) -> Node:
    """Return the node that the best action leads to."""
    return inquiry.tree.node(inquiry.tree.columns.child[inquiry.best_branch or 0])


def _label(label: str, look: Look, most: int = 40) -> str:
    return clipped(look.shown(label), most, look.characters.ellipsis)


def _risk(loss: Number) -> str:
    if loss == INFINITY:
        return "and nothing limits yet how wrong that is"
    return f"wrong by at most {display_text(loss, 6)}" if loss else "for certain"


def _interval(interval: Bounds) -> str:
    return _bare(interval) if interval[0] == interval[1] else f"in {_bare(interval)}"


def _bare(interval: Bounds) -> str:
    lower, upper = (display_text(end, 6) for end in interval)
    return lower if interval[0] == interval[1] else f"[{lower}, {upper}]"
