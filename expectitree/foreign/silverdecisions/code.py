"""The expressions of SilverDecisions, which are those of mathjs, as formulas of tree files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import FUNCTIONS
from expectitree.base.numbers import MAX_LENGTH, quote, to_fraction
from expectitree.files.grammar.document import Data
from expectitree.foreign.shared import free_name
from expectitree.foreign.silverdecisions.structure import DiagramReader, Item
from expectitree.tree.formulas import REST

_MIXED = re.compile(r"([+-]?)([0-9]+) +([0-9]+)/([0-9]+)")
_COMMENT = re.compile("#[^\n]*")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_ASSIGNMENT = re.compile(r"([^\W\d]\w*)\s*=(?!=)\s*(.+)", re.DOTALL)
_RESERVED = (*FUNCTIONS, REST, "inf")

# The names that expressions at a node may use, each with the name of its parameter.
Names: TypeAlias = Mapping[str, str]


def number_of(data: Data) -> str | None:
    """Return the text of a number as the grammar writes it, None if the data are not a number.

    SilverDecisions writes a fraction as `1165 891810/1849771`; mathjs writes an object.
    """
    if isinstance(data, tuple):
        keys = dict(data)
        if keys.get("mathjs") != "Fraction":
            return None
        data = f"{keys.get('n')}/{keys.get('d')}"
        if keys.get("s") == "-1":
            data = f"-{data}"
    if not isinstance(data, str) or len(data) > MAX_LENGTH:
        return None
    text = data.strip()
    if mixed := _MIXED.fullmatch(text):
        sign, whole, numerator, denominator = mixed.groups()
        text = f"{sign}{int(whole) * int(denominator) + int(numerator)}/{denominator}"
    try:
        to_fraction(text)
    except NumberError:
        return None
    return text


def formula_of(written: Data, names: Names) -> str | None:
    """Return a number or a formula as the grammar writes it; None if there is none."""
    if not isinstance(written, str):
        return number_of(written)
    text = _COMMENT.sub("", written).strip()
    found = _NAME.findall(text)
    if "%" in text or any(name not in names and name not in FUNCTIONS for name in found):
        return None  # in mathjs, % is the remainder of a division
    formula = number_of(text) or _NAME.sub(lambda name: names.get(name[0], name[0]), text)
    try:
        parse(formula, names.values())
    except NumberError:
        return None
    return formula


class Parameters:
    """The parameters of a tree, from the assignments in the code of the file and of its nodes."""

    def __init__(self, reader: DiagramReader) -> None:
        self.reader = reader
        self.found: dict[str, str] = {}  # by name, the number or the formula

    def run(self, code: str, above: Names, item: Item) -> Names:
        """Return the names after the code of an object, whose assignments become parameters."""
        names, values = dict(above), item.mapping("expressionScope")
        for statement in _statements(code):
            match = _ASSIGNMENT.fullmatch(statement)
            if match is None:
                message = f"left out {quote(statement)}, which is not an assignment such as x = 2"
                self.reader.note(item, message)
                continue
            name, text = match.groups()
            formula = formula_of(text, names)
            value = formula or number_of(values.get(name))
            if value is None:
                message = f"left out {quote(statement)}, which expectitree does not compute"
                self.reader.note(item, message)
                names.pop(name, None)
                continue
            if formula is None:
                found = f"{quote(statement)} is not one of expectitree's formulas"
                self.reader.note(item, f"{found}: took the value {value} from the file")
            names[name] = self.add(name, value)
        return names

    def add(self, name: str, value: str) -> str:
        """Add a parameter under a name that is new; return the name."""
        base = re.sub("[^A-Za-z0-9_]", "_", name)
        new = free_name(base, lambda text: text in self.found or text in _RESERVED)
        self.found[new] = value
        return new


def _statements(code: str) -> Iterator[str]:
    """Yield the statements in some code, without comments."""
    for statement in re.split(r"[\n;]", _COMMENT.sub("", code)):
        if statement.strip():
            yield statement.strip()
