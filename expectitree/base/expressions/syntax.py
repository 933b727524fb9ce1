"""The syntax tree of an expression: three kinds of frozen nodes, and how to write them as text.

Nothing here recurses on the depth of an expression: sums of other expressions may be deep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from expectitree.base.numbers import number_text

if TYPE_CHECKING:
    from fractions import Fraction

T = TypeVar("T")
P = TypeVar("P")

MAX_LENGTH = 400  # characters of an expression
# A name, such as `pr`, `größe` and `λ₁`. Exponents and fractions (x², ½) are no part of it.
NAME = "[^\\W\\d²³¹⁰-ⁿ₀-₉¼-¾⅐-⅟][^\\W²³¹⁰-ⁿ¼-¾⅐-⅟]*"
NEGATION = "negation"  # the operation of a minus sign before a factor
COMPARISONS = ("<", "<=", ">", ">=", "=")
CONDITIONS = (*COMPARISONS, "and", "or")
FUNCTIONS = ("abs", "exp", "if", "log", "max", "min", "sqrt")
BELOW_TABLE = "table"  # the operation of a table below its first key, which has no value
RESERVED = (*FUNCTIONS, "and", "or", "rest", "inf")  # no names of parameters
# How tightly an operation binds; what is not in the table is an atom.
BINDING = {
    **{"or": -2, "and": -1, **dict.fromkeys(COMPARISONS, 0)},
    **{"+": 1, "-": 1, "*": 2, "/": 2, NEGATION: 3, "^": 4},
}
_ATOM = 5


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written: `0.5`, `2e3` or `5%`; or a value too long for the grammar."""

    text: str
    value: Fraction | None = None

    @property
    def written(self) -> str | Fraction:
        """The value if it is known, else the text."""
        return self.value or self.text


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or a function with its operands.

    A function `if` has three operands, and the first is a condition.
    """

    operation: str  # a key of `BINDING` or one of `FUNCTIONS`
    operands: tuple[Expression, ...]

    def __deepcopy__(self, _: dict[int, object]) -> Apply:
        """Return the node itself: it is frozen, and may be too deep for Python's recursion."""
        return self


@dataclass(frozen=True, slots=True)
class BelowTable(Apply):
    """The value of a parameter from a table below the first key, which is none."""

    parameter: str


Expression: TypeAlias = "Number | Name | Apply"


def is_condition(expression: Expression) -> bool:
    """Return whether an expression is true or false, and not a number."""
    return isinstance(expression, Apply) and expression.operation in CONDITIONS


def _operands(expression: Any, _: object) -> Sequence[Any]:
    if isinstance(expression, Apply):
        return expression.operands
    return ()


def fold(
    whole: P,
    combine: Callable[[P, list[T]], T],
    needed: Callable[[P, Mapping[Any, T]], Sequence[P]] = _operands,
    key: Callable[[P], Any] = id,
) -> T:
    """Return the result of `combine` for an expression, given the results for its operands.

    A part that occurs several times, as one object or with an equal `key`, is combined once.
    `needed` chooses the operands, by the results so far for the keys of parts. The parts may also
    be of another kind.
    """
    results: dict[Any, T] = {}
    stack = [whole]
    while stack:
        part = stack[-1]
        operands = needed(part, results)
        missing = [operand for operand in operands if key(operand) not in results]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if key(part) not in results:
            results[key(part)] = combine(part, [results[key(operand)] for operand in operands])
    return results[key(whole)]


def names_in(expression: Expression) -> tuple[str, ...]:
    """Return the names that an expression uses, each once, in the order of their first use."""
    names: dict[str, None] = {}

    def combine(node: Expression, _: list[None]) -> None:
        if isinstance(node, Name):
            names[node.name] = None

    fold(expression, combine)
    return tuple(names)


def text_of(expression: Expression) -> str:
    """Return the text of an expression, with only the parentheses that it needs.

    Parsing the text gives the same tree. A text that would be too long has no blanks. Raises
    `TreeError` for a number that is too long for the grammar.
    """
    text = fold(expression, _combine_texts)
    if len(text) <= MAX_LENGTH:
        return text
    return text.replace(" ", "")


def _combine_texts(node: Expression, texts: list[str]) -> str:
    if isinstance(node, Number):
        if node.value is None:
            return node.text
        return number_text(node.value)
    if isinstance(node, Name):
        return node.name
    if isinstance(node, BelowTable):
        return node.parameter
    operation, binding = node.operation, BINDING.get(node.operation)
    if binding is None:
        return f"{operation}({', '.join(texts)})"
    # The grammar's level of each operand: `a - (b - c)`, `(a^b)^c`, but `a^b^c` for `a^(b^c)`.
    if operation == "^":
        least = [_ATOM, BINDING[NEGATION]]
    elif operation == NEGATION:
        least = [BINDING["^"]]
    else:
        least = [binding, binding + 1]
    for place, level in enumerate(least):
        if _binding(node.operands[place]) < level:
            texts[place] = f"({texts[place]})"
    if operation == NEGATION:
        return f"-{texts[0]}"
    return (f" {operation} " if binding < BINDING["*"] else operation).join(texts)


def _binding(node: Expression) -> int:
    if isinstance(node, Apply):
        return BINDING.get(node.operation, _ATOM)
    return _ATOM
