"""The grammar of `attitude`: the attitude to risk of a tree file."""

from __future__ import annotations

from typing import Any

from expectitree.base.errors import ExpectitreeError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import text_of
from expectitree.base.numbers import Number, exact_text
from expectitree.base.tree.attitude import KINDS, TOTAL, Attitude
from expectitree.files.grammar.document import Data, NumberText, Place
from expectitree.files.grammar.problems import GrammarError
from expectitree.files.grammar.values import ValueReader, offset_of
from expectitree.files.grammar.words import described, unknown_key

_EXPECTED = "expected a mapping such as {exponential: 1000}, with one of " + ", ".join(KINDS)


def read_attitude(values: ValueReader, data: Data) -> Attitude | None:
    """Return the attitude written at the root; None after a report."""
    if not isinstance(data, tuple) or len(data) != 1:
        found = f"{len(data)} keys" if isinstance(data, tuple) and data else described(data)
        raise GrammarError(f"found {found} as attitude, {_EXPECTED}")
    [(kind, written)] = data
    if kind not in KINDS:
        raise GrammarError(f"attitude: {unknown_key(kind, KINDS)}", Place(data, 0, True))
    try:
        if kind == "points":
            return Attitude(kind, points=tuple(_points(values, written)))
        if kind == "utility":
            return Attitude(kind, expression=_expression(written))
        return Attitude(kind, values.number(written))
    except ExpectitreeError as error:
        place = getattr(error, "place", None) or Place(data, 0)
        message = str(error).replace("unknown parameter", "unknown name")
        values.report(place._replace(offset=offset_of(error)), f"attitude: {message}")
        return None


def _expression(data: Data) -> Any:
    if not isinstance(data, str) or not data:
        found = f"found {described(data)} as utility"
        raise GrammarError(f"{found}, expected an expression in {TOTAL} such as x^(1/2)")
    return parse(data, (TOTAL,))


def _points(values: ValueReader, data: Data) -> list[tuple[Number, Number]]:
    expected = "expected a list of pairs [total, utility], such as [[0, 0], [50, 0.7], [100, 1]]"
    if not isinstance(data, list):
        raise GrammarError(f"found {described(data)} as points, {expected}")
    pairs = []
    for at, pair in enumerate(data):
        if not isinstance(pair, list) or len(pair) != 2:
            raise GrammarError(f"found {described(pair)} as a point, {expected}", Place(data, at))
        pairs.append((values.number(pair[0]), values.number(pair[1])))
    return pairs


def written_attitude(attitude: Attitude) -> dict[str, object]:
    """Return an attitude as plain data."""

    def number(value: Number) -> NumberText:
        return NumberText(exact_text(value))

    if attitude.expression is not None:
        return {attitude.kind: text_of(attitude.expression)}
    if attitude.points:
        return {attitude.kind: [[number(x), number(u)] for x, u in attitude.points]}
    assert attitude.number is not None
    return {attitude.kind: number(attitude.number)}
