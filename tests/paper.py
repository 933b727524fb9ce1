"""What a tree file means, computed on paper: in fractions, by the definition, from its own text.

Nothing here uses the package: the file is a dict, as `json.load` returns it, with numbers as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

Written = Any  # a node as the file has it: a number as text, or a dict


@dataclass(eq=False)
class Node:
    """A node; a shared one is one object."""

    kind: str  # "max", "min", "chance" or "terminal"
    utility: Fraction = Fraction(0)
    branches: list[Branch] = field(default_factory=list)

    @cached_property
    def value(self) -> Fraction:
        return self.worth()

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The labels of all best actions, in order; none if no player decides here."""
        return tuple(branch.label for branch in self.best_branches)

    @property
    def best_branches(self) -> list[Branch]:
        if self.kind not in ("max", "min"):
            return []
        return [branch for branch in self.branches if branch.value == self.value]

    def worth(self, of_min: Callable[[list[Fraction]], Fraction] = min) -> Fraction:
        """Return the value if MIN's actions are worth what a function of their values returns."""
        if self.kind == "terminal":
            return self.utility
        values = [branch.reward + branch.child.worth(of_min) for branch in self.branches]
        if self.kind == "chance":
            return sum((b.p * v for b, v in zip(self.branches, values, strict=True)), Fraction(0))
        return max(values) if self.kind == "max" else of_min(values)


@dataclass(eq=False)
class Branch:
    """A branch: an action or an outcome."""

    label: str
    p: Fraction
    reward: Fraction
    child: Node

    @property
    def value(self) -> Fraction:
        return self.reward + self.child.value


def number(text: str) -> Fraction:
    """Return the number that a text writes."""
    return Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text)


def read(document: Mapping[str, Written]) -> Branch:
    """Return the way to the root of a file."""
    named: dict[str, tuple[Node, Fraction]] = {}

    def branch(label: str, written: Written, p: Fraction) -> Branch:
        node, reward = parts(written)
        return Branch(label, p, reward, node)

    def parts(written: Written) -> tuple[Node, Fraction]:
        """Return a node, and what every branch to it pays."""
        if isinstance(written, str):
            return Node("terminal", number(written)), Fraction(0)
        paid = number(written.get("reward", "0")) - number(written.get("cost", "0"))
        if "ref" in written:
            name = written["ref"]
            if name not in named:
                named[name] = parts(document["nodes"][name])
            node, reward = named[name]
            return node, reward + paid
        if "utility" in written:
            return Node("terminal", number(written["utility"])), paid
        (kind,) = {"max", "min", "chance"} & set(written)
        below = written[kind]
        labelled = (
            [*below.items()]
            if isinstance(below, dict)
            else [(f"#{place}", child) for place, child in enumerate(below, start=1)]
        )
        shares = probabilities([child for _, child in labelled])
        if kind != "chance":
            shares = [Fraction(1)] * len(labelled)
        branches = [branch(*pair, p) for pair, p in zip(labelled, shares, strict=True)]
        return Node(kind, branches=branches), paid

    return branch("/", document, Fraction(1))


def probabilities(children: list[Written]) -> list[Fraction]:
    """Return the probabilities of outcomes."""
    written = [child.get("p") if isinstance(child, dict) else None for child in children]
    if not any(written):
        return [Fraction(1, len(children))] * len(children)
    known = sum((number(p) for p in written if p != "rest"), Fraction(0))
    rest = (1 - known) / max(written.count("rest"), 1)
    return [rest if p == "rest" else number(p) for p in written]


def by_path(root: Branch) -> dict[str, Branch]:
    """Return the last branch of every path; that of `/` is the way to the root."""
    found = {"/": root}

    def walk(above: str, node: Node) -> None:
        for branch in node.branches:
            path = f"{above}{branch.label}"
            found[path] = branch
            walk(f"{path}/", branch.child)

    walk("", root.child)
    return found


# ---- Numbers for people.


def shown(value: Fraction, digits: int | None = None) -> str:
    """Return a number as the program prints it: the exact value, rounded once, half to even.

    It has six significant digits, or two decimals if its magnitude is from 10,000 to 10^15, then
    ten digits; no zeros at the end. Thousands are grouped.
    """
    size = abs(value)
    if digits is None and 10**4 <= size < 10**15:
        digits = len(str(int(size))) + 2
    digits = digits or (6 if size < 10_000 else 10)
    context = Context(digits, ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if not rounded:
        return "0"
    exponent, sign = rounded.adjusted(), "−" if value < 0 else ""
    figures = "".join(map(str, rounded.as_tuple().digits)).rstrip("0")
    if not -6 <= exponent < digits:
        mantissa = figures[0] + ("." + figures[1:] if figures[1:] else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{figures}"
    whole, rest = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{sign}{int(whole):,}{'.' + rest if rest else ''}"
