"""Parts of sentences: counts, intervals, payments, windows, times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from expectitree.base.numbers import (
    MINUS,
    Number,
    cell_text,
    display_text,
    escape,
    is_finite,
    probability_text,
)
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.scans import shifted

Write: TypeAlias = Callable[[Number], str]
TIED = "\N{NO-BREAK SPACE}"  # where a line must not break; `untied` makes it a blank
_MOST_WRITTEN = 10_000  # the greatest denominator of a probability in a file that is shown as it is
_MAX_NAMES = 3  # of actions that tie
_MAX_TIED_LENGTH = 40  # columns of a text that is kept on one line
BOUNDS_FROM = {
    "option": "from --bounds",
    "file": "given in the tree",
    "game": "of the game",
    "leaves": "from the leaves",
}


def names_text(actions: Sequence[str]) -> str:
    """Return the names of actions, of many the first ones: `a, b and c`."""
    names = [escape(action) for action in actions[:_MAX_NAMES]]
    if len(actions) > _MAX_NAMES:
        names.append(f"{len(actions) - _MAX_NAMES:,} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "-"


def plural(count: int, noun: str) -> str:
    """Return a count and its noun: `1 leaf`, `2,000 leaves`, `2 utilities`."""
    return f"{count:,} {nouns(count, noun)}"


def nouns(count: int, noun: str) -> str:
    """Return a noun in the singular or the plural: `leaf`, `leaves`."""
    if count == 1:
        return noun
    if noun.endswith("leaf"):
        return f"{noun[:-1]}ves"
    if noun.endswith("y") and noun[-2] not in "aeou":
        return f"{noun[:-1]}ies"
    if noun.endswith(("s", "ch")):
        return f"{noun}es"
    return f"{noun}s"


def left_out_text(nodes: int, branches: int, verb: str) -> str:
    """Return what is left out: `3 more nodes`; without any, branches `to nodes shown elsewhere`."""
    if nodes:
        return plural(nodes, "more node")
    return f"{plural(branches, 'more branch')} to nodes {verb} elsewhere"


def interval_text(lower: Number, upper: Number, write: Write = display_text) -> str:
    """Return an interval: `[1, 2]`."""
    return f"[{write(lower)}, {write(upper)}]"


def bounds_text(bounds: Bounds, source: str) -> str:
    """Return the bounds that a search used and where they come from; `none` without any."""
    if not any(map(is_finite, bounds)):
        return "none"
    return f"{interval_text(*bounds)} {BOUNDS_FROM[source]}"


def root_payment_text(tree: Tree) -> str:
    """Return what a search's bounds leave out: `, without the root's cost of 3`, or nothing."""
    if not tree.root_reward:
        return ""
    return f", without the root's {' of '.join(payment(tree.root_reward))}"


def known_text(lower: Number, upper: Number, write: Write = cell_text) -> str:
    """Return a known value, such as `4`, or the interval that contains it, such as `[2, 5]`."""
    if lower == upper:
        return write(lower)
    return interval_text(lower, upper, write)


def with_unit(text: str, unit: str | None) -> str:
    """Return an amount with its unit: `$` before it, any other after it."""
    if not unit:
        return text
    if unit not in "$€£¥":
        return f"{text} {unit}"
    digits = text.removeprefix(MINUS)
    return f"{MINUS * (digits != text)}{unit}{digits}"


def amount_heading(tree: Tree, name: str = "value") -> str:
    """Return the heading of amounts of a tree: `value ($)`."""
    if tree.unit is None:
        return name
    return f"{name} ({tree.unit})"


def worth_text(tree: Tree, value: Number, write: Write = display_text) -> str:
    """Return what a tree is worth, with its unit."""
    return with_unit(write(value), tree.unit)


def payment(reward: Number) -> tuple[str, str]:
    """Return what a branch pays as a noun and an amount: `cost`, `100`, or `reward`, `3`."""
    if reward < 0:
        return "cost", cell_text(-reward)
    return "reward", cell_text(reward)


def plus_text(number: Number) -> str:
    """Return a number as what follows a sum: ` + 3`, ` − 100`, or nothing if it is 0."""
    if not number:
        return ""
    noun, amount = payment(number)
    sign = {"cost": "−"}.get(noun, "+")
    return f" {sign} {amount}"


def chance_text(tree: Tree, branch: int) -> str:
    """Return the probability of an outcome: a short decimal or fraction, if it is one."""
    return probability_text(tree.columns.probability[branch], most=_MOST_WRITTEN)


def shared_chance(tree: Tree, node: int) -> str:
    """Return the probability that all outcomes of a node have; nothing if they differ."""
    branches = tree.branches_of(node)
    if tree.columns.kind[node] != Kind.CHANCE or len(branches) < 2:
        return ""
    if len({tree.columns.probability[b] for b in branches}) > 1:
        return ""
    return chance_text(tree, branches[0])


def window_text(window: Bounds, reward: Number, write: Write) -> str:
    """Return the window of a branch, then that of its node if a reward makes a difference."""
    alpha, beta = (write(shifted(end, reward)) for end in window)
    text = f"alpha{TIED}{alpha}, beta{TIED}{beta}"
    if reward and any(map(is_finite, window)):
        text += f" ({' and '.join(map(write, window))} without the {payment(reward)[0]})"
    return text


def seconds_text(seconds: float) -> str:
    """Return a time with its unit: `1.5 s`, `20 ms`, `35 µs`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.0f} µs"


def tied(text: str) -> str:
    """Return a text that does not break at its blanks; a long one does, but not next to `=`."""
    blanks = " "
    if len(text) > _MAX_TIED_LENGTH:
        blanks = " = "
    return text.replace(blanks, blanks.replace(" ", TIED))


def untied(line: str) -> str:
    """Return a line with blanks in place of `TIED`."""
    return line.replace(TIED, " ")
