"""The grammar of `parameters`: the named numbers of a tree file."""

from __future__ import annotations

import re
from typing import Any

from expectitree.base.errors import ExpectitreeError
from expectitree.base.expressions.syntax import FUNCTIONS, Expression
from expectitree.base.numbers import HOW, Number, quote
from expectitree.base.tree.formulas import REST, Parameter
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import GrammarError
from expectitree.files.grammar.values import Read, ValueReader, offset_of, text
from expectitree.files.grammar.words import described, unknown_key

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_EXPECTED = "expected a mapping from name to a number, a formula or a mapping with `value`"


def read_parameters(values: ValueReader, data: Data) -> dict[str, Parameter]:
    """Return the parameters written at the root; report every error.

    Their names are stored in `values`, for the formulas that it reads later.
    """
    values.parameters = ()
    if not isinstance(data, tuple) or not data:
        raise GrammarError(f"found {described(data)} under parameters, {_EXPECTED}")
    values.parameters = {str(name): None for name, _ in data if not _fault(name)}
    found: dict[str, Parameter] = {}
    for at, (name, written) in enumerate(data):
        fault = _fault(name)
        if name in found:
            fault = f"duplicate parameter {quote(name)}: keep one"
        if fault:
            values.report(Place(data, at, True), f"parameters: {fault}")
            continue
        found[str(name)] = _read(values, str(name), written, Place(data, at))
    cycle = _cycle(found)
    if cycle:
        at = next(at for at, (name, _) in enumerate(data) if name == cycle[0])
        way = " from ".join(cycle if len(cycle) <= 8 else [*cycle[:7], "…", cycle[-1]])
        message = f"the parameter {cycle[0]} is derived from itself: {way}"
        values.report(Place(data, at), f"{message}; give one of them a number")
    return found


def _fault(name: str) -> str:
    """Return why a parameter cannot have a name, or nothing."""
    if name in FUNCTIONS or name in (REST, "inf"):
        what = "a function" if name in FUNCTIONS else "a word of the grammar"
        return f"{quote(name)} is {what}: choose another name"
    if not _NAME.fullmatch(name):
        return f"{quote(name)} is not a name: write letters, digits and _, but no digit first"
    return ""


def _read(values: ValueReader, name: str, written: Data, place: Place) -> Parameter:
    """Return one parameter; after a report, with the value 0 for a missing one."""
    fields: dict[str, Any] = {}

    def attempt(read: Read, data: Data, place: Place) -> Any:
        try:
            return read(values, data)
        except ExpectitreeError as error:
            place = getattr(error, "place", None) or place
            message = f"parameter {name}: {error}"
            values.report(place._replace(offset=offset_of(error)), message)
            return None

    pairs = written if isinstance(written, tuple) else (("value", written),)
    for at, (key, value) in enumerate(pairs):
        here = Place(written, at) if isinstance(written, tuple) else place
        if key not in _KEYS or key in fields:
            message = f"duplicate key {quote(key)}: keep one"
            message = message if key in fields else _unknown(key)
            values.report(here._replace(of_key=True), f"parameter {name}: {message}")
        else:
            fields[key] = attempt(_KEYS[key], value, here)
    if "value" not in fields:
        values.report(place, f"parameter {name}: the value is missing: add `value:`")
    fields["value"] = fields.get("value") or values.parse("0")
    return Parameter(name, **fields)


def _unknown(key: str) -> str:
    """Return the message for an unknown key of a parameter."""
    hint = next((f"write `{form}`" for form, words in _MEANT.items() if key.lower() in words), "")
    return f"unknown key {quote(key)}: {hint}" if hint else unknown_key(key, tuple(_KEYS))


def _value(values: ValueReader, data: Data) -> Expression:
    if not isinstance(data, str) or not data:
        raise GrammarError(f"{described(data)} is not a number: {HOW}, or a formula")
    return values.parse(data)


def _range(values: ValueReader, data: Data) -> tuple[Number, Number] | None:
    if not isinstance(data, list) or len(data) != 2:
        raise GrammarError(f"found {described(data)} as range, expected two numbers [low, high]")
    low, high = map(values.number, data)
    if low > high:
        raise GrammarError(f"the range starts at {data[0]} and ends at {data[1]}: swap them")
    return low, high


_KEYS: dict[str, Read] = {
    "value": _value,
    "range": _range,
    "unit": text("a unit"),
    "description": text("a description"),
}
_MEANT = {  # what people mean by other keys
    "value: …": ("default", "base", "number", "expression", "formula"),
    "range: [low, high]": ("min", "max", "low", "high", "lower", "upper", "bounds", "interval"),
    "unit: …": ("units", "currency"),
    "description: …": ("note", "comment", "text", "label", "title", "name"),
}


def _cycle(parameters: dict[str, Parameter]) -> list[str]:
    """Return a cycle of names, each derived from the next, that ends with its first; or none."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter({name: p.bases for name, p in parameters.items()}).prepare()
    except CycleError as error:
        return [*reversed(error.args[1])]
    return []
