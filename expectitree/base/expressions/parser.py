"""The parser of expressions.

    expression = term {("+"|"-") term};  term = factor {("*"|"/") factor}
    factor = {"-"|"+"} power;  power = atom ["^" factor]
    atom = number ["%"] | name | function "(" expression {"," expression} ")" | "(" expression ")"

The first argument of `if` is a condition: comparisons of two expressions, `and`, `or` and
parentheses. Limits on length and nesting bound the work and the depth of the recursion.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NoReturn
from unicodedata import normalize

from expectitree.base.errors import UNDEFINED, NumberError
from expectitree.base.expressions.syntax import (
    BINDING,
    COMPARISONS,
    CONDITIONS,
    FUNCTIONS,
    MAX_LENGTH,
    NAME,
    NEGATION,
    Apply,
    Expression,
    Name,
    Number,
    is_condition,
)
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.reading import to_fraction

MAX_NESTED = 100  # parentheses, functions and powers within each other

_TOKEN = re.compile(
    rf"\s*(?:((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*%?)|({NAME})"
    r"|(\*\*|//|[<>=!]=|\S))"
)
_OPERAND = "a number, a parameter, a function or '('"
_OPERATOR = "an operator such as + or *"
_HINTS = {
    "**": "write ^ for a power, as in x^2",
    "!=": "write = and exchange the last two arguments of if",
    **dict.fromkeys("−–—", "write - for minus"),
    **dict.fromkeys("×·⋅∙", "write * for times"),
    **dict.fromkeys("÷∕", "write / for a quotient"),
    **dict.fromkeys("²³¹⁰⁴⁵⁶⁷⁸⁹⁻", "write ^ for a power, as in x^2"),
    "≤": "write <=",
    "≥": "write >=",
    "&": "write and",
    "|": "write or",
    "%": "only a number is followed by %, as in 5%",
    **dict.fromkeys(COMPARISONS, "only the first argument of if compares, as in if(a < b, x, y)"),
    **dict.fromkeys("[]{}", "write ( and )"),
    **dict.fromkeys("$€£¥", "write the number without its unit"),
    "//": "write / for a quotient, or # before a comment",
    ";": "write , between the arguments of a function",
    "?": "write if(a < b, x, y)",
}
_OTHER_FUNCTIONS = {"ln": "write log", "pow": "write a^b", "iif": "write if", "power": "write a^b"}


class ExpressionError(NumberError):
    """A text that is not an expression, or an expression that has no value."""

    def __init__(
        self, reason: str, offset: int | None = None, hint: str = "", kind: str = ""
    ) -> None:
        super().__init__(reason, hint, kind)
        self.offset = offset  # of the error, in characters; None if the text is well formed


def parse(text: str, names: Collection[str]) -> Expression:
    """Return the syntax tree of a text that may use the parameters `names`.

    Raises `ExpressionError` with the place of the error.
    """
    text = normalize("NFC", text)
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"found an expression of {len(text):,} characters, expected at most {MAX_LENGTH}\n"
            f"{_NAME_A_PART}",
            MAX_LENGTH,
        )
    return _Parser(text, names).whole()


def parse_condition(text: str, names: Collection[str]) -> Expression:
    """Return the syntax tree of a condition such as `cycle = 20 or ill = 1`, as `parse` does."""
    reader = _Parser(normalize("NFC", text)[: MAX_LENGTH + 1], names)
    condition = reader.condition()
    if reader.token:
        reader.fail_expected(f"{_OPERATOR}, and, or")
    return condition


def parse_call(text: str) -> tuple[str, list[Expression]]:
    """Return the name and the arguments of a text such as `beta(2, 3)`, which has no parameters.

    The name is empty if the text has another form. Raises `ExpressionError` for an argument.
    """
    reader = _Parser(text, ())
    name = reader.name
    reader.advance()
    if not name or reader.token != "(":
        return "", []
    arguments = reader.arguments(name)
    if reader.token:
        return "", arguments
    return name, arguments


def listed(names: Collection[str]) -> str:
    """Return the first of some names as a list for a message."""
    shown = [*names][:8]
    if len(names) > 8:
        shown.append("…")
    return ", ".join(shown)


_NO_CONDITION = "a condition is not a number\nwrite if(a < b, 1, 0)"
_NAME_A_PART = "give a part of it a name under the root's `parameters:`"


class _Parser:
    """Reads one text from left to right; `token` is the next token, empty at the end."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.text, self.names, self.nested = text, names, 0
        self.compares = False  # whether parentheses may hold a condition
        self.end = 0  # of the token
        self.advance()

    def advance(self) -> None:
        self.number = self.name = self.sign = ""
        match, self.end = _TOKEN.match(self.text, self.end), len(self.text)
        if match:
            self.number, self.name, self.sign = match.groups("")
            self.end = match.end()
        self.token = self.number or self.name or self.sign.strip()
        self.start = self.end - len(self.number or self.name or self.sign)

    def fail(self, reason: str, offset: int | None = None, hint: str = "") -> NoReturn:
        raise ExpressionError(reason, self.start if offset is None else offset, hint)

    def fail_expected(self, expected: str) -> NoReturn:
        before = self.text[: self.start].strip()
        found, after = "nothing", ""
        if before:
            found, after = "the end", f" after {quote(before[-12:])}"
        if self.token:
            found = quote(self.token)
        hint = _HINTS.get(self.token, "")
        if expected.startswith(_OPERATOR):
            hint = self.hint(before) or hint
        elif self.token == "=" and not before:
            hint = "a formula starts without ="
        if not hint:
            self.fail(f"found {found}{after}\nwrite {expected}")
        self.fail(f"found {found}{after}, expected {expected}\n{hint}")

    def hint(self, before: str) -> str:
        """Return what to write where an operator was expected."""
        if self.name in FUNCTIONS:
            arguments = "a < b, x, y" if self.name == "if" else "…"
            return f"write {self.name}({arguments})"
        left = re.search(r"[\w.%]+$|\([^()]*\)$|\)$", before)
        if left and self.token == "(":
            return f"for a product, write {left[0]}*(…)"
        if left and self.name in self.names:
            return f"for a product, write {left[0]}*{self.name}"
        if left and self.name and before[-1].isdigit():
            if self.name[0] == "_":
                return "write the digits without _"
            return f"for a product, write {left[0]}*{self.name}; a number has no unit"
        if self.token == "," and not self.nested:
            return "only the arguments of a function have commas; a decimal has a point, as in 1.5"
        if self.token == ")":
            return "no '(' is open here"
        return ""

    def whole(self) -> Expression:
        expression = self.operations(1)
        if self.token:
            self.fail_expected(_OPERATOR)
        return expression

    def operations(self, least: int) -> Expression:
        """Read operands between operators that bind at least as tightly as `least`."""
        left = self.factor()
        while (operator := self.operator()) and BINDING[operator] >= least:
            if is_condition(left) is not (operator in ("and", "or")):
                break
            self.advance()
            start = self.start
            right = self.operations(BINDING[operator] + 1)
            if is_condition(right) is not (operator in ("and", "or")):
                self.fail(_NO_CONDITION, start)
            left = Apply(operator, (left, right))
        return left

    def operator(self) -> str:
        """Return the next token, if it is an operator between two operands."""
        operator = self.token.replace("==", "=")
        is_of_numbers = operator in ("+", "-", "*", "/")
        if is_of_numbers or (self.compares and operator in CONDITIONS):
            return operator
        return ""

    def factor(self) -> Expression:
        """Read an atom with the signs before it and the power after it."""
        is_negative = False
        while self.token in ("-", "+"):
            is_negative ^= self.token == "-"
            self.advance()
        start = self.start
        power = self.atom()
        if is_condition(power) and (is_negative or self.token == "^"):
            self.fail(_NO_CONDITION, start)
        if self.token == "^":
            self.enter()
            power = Apply("^", (power, self.factor()))
            self.nested -= 1
        if is_negative:
            return Apply(NEGATION, (power,))
        return power

    def enter(self) -> None:
        """Skip a token below which a part of the expression is nested."""
        self.nested += 1
        if self.nested > MAX_NESTED:
            self.fail(
                f"an expression nests more than {MAX_NESTED} parentheses, functions and "
                f"powers\n{_NAME_A_PART}"
            )
        self.advance()

    def atom(self) -> Expression:
        if self.number:
            return self.read_number()
        if self.name:
            return self.read_name()
        if self.token != "(":
            self.fail_expected(_OPERAND)
        opened = self.start
        self.enter()
        inner = self.operations(BINDING["or"] if self.compares else 1)
        self.close(opened)
        return inner

    def close(self, opened: int, function: str = "") -> None:
        """Read the parenthesis that closes the one at `opened`."""
        if not self.token:
            where, hint = f" before {quote(self.text[opened + 1 :])}", ""
            if function:
                where = f" of {function}"
                hint = "; YAML splits text between braces at a comma: put it in quotes"
            self.fail(f"the '('{where} is not closed\nadd ')'{hint}", opened)
        if self.token != ")":
            self.fail_expected(f"{_OPERATOR}, ',' or ')'" if function else f"{_OPERATOR} or ')'")
        self.nested -= 1
        self.advance()

    def read_number(self) -> Number:
        text = "".join(self.number.split())
        try:
            to_fraction(text.removesuffix("%"))
        except NumberError as error:
            self.fail(error.reason, hint=error.hint)
        self.advance()
        return Number(text)

    def read_name(self) -> Expression:
        name, start = self.name, self.start
        if name in ("and", "or"):
            self.fail_expected(_OPERAND)
        self.advance()
        if self.token == "(" and name in FUNCTIONS:
            return self.call(name, start)
        if name in FUNCTIONS:
            self.fail(f"{quote(name)} is a function\nwrite its arguments, as in {name}(…)", start)
        if name == "inf":
            self.fail("'inf' is not finite\ninfinities are for bounds only", start)
        if name == "rest":
            self.fail(
                "'rest' is a whole p, not a part of a formula\nwrite it alone, as `p: rest`", start
            )
        if name not in self.names:
            self.fail_unknown(name, start)
        return Name(name)

    def fail_unknown(self, name: str, start: int) -> NoReturn:
        if self.token == "(":
            meant = did_you_mean(name, FUNCTIONS)
            hint = _OTHER_FUNCTIONS.get(name, f"write one of {listed(FUNCTIONS)}")
            self.fail(f"unknown function {quote(name)}{meant}", start, hint)
        found = f"{quote(name)}{did_you_mean(name, self.names)}"
        hint, kind = "define it under the root's `parameters:`", UNDEFINED
        if self.names:
            hint, kind = f"the names here are {listed(self.names)}", ""
        error = ExpressionError(f"unknown parameter {found}", start, hint, kind)
        error.found = found
        raise error

    def arguments(self, function: str) -> list[Expression]:
        opened = self.start
        compares, self.compares = self.compares, False
        self.enter()
        arguments = []
        if self.token != ")":
            arguments.append(self.condition() if function == "if" else self.operations(1))
        while self.token == ",":
            self.advance()
            arguments.append(self.operations(1))
        self.close(opened, function)
        self.compares = compares
        return arguments

    def call(self, function: str, start: int) -> Expression:
        arguments = self.arguments(function)
        count, expected = len(arguments), {"if": 3, "max": 0, "min": 0}.get(function, 1)
        if (count != expected and expected) or not count:
            self.fail(
                f"{function} has {count} argument{'s' * (count != 1)}, expected "
                f"{expected or 'at least 1'}",
                start,
            )
        return Apply(function, tuple(arguments))

    def condition(self) -> Expression:
        self.compares = True
        condition = self.operations(BINDING["or"])
        self.compares = False
        if not is_condition(condition):
            self.fail_expected("a comparison such as <, as in if(a < b, x, y)")
        return condition
