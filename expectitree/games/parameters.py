"""Read the parameters in the reference of a game, such as `game:pig(target=20)`, and check them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from expectitree.base.errors import GameError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote

NOUNS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}


def read_parameters(reference: str, written: str | None) -> dict[str, Any]:
    """Return the values of `name=value, …`: numbers, true or false, and texts."""
    values: dict[str, Any] = {}
    for part in (written or "").split(",") if written else []:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier() or name in values:
            raise GameError(
                f"{reference}: {quote(part.strip())} is not a parameter: write each once, as "
                "name=value, with commas between"
            )
        values[name] = _read_value(value)
    return values


def _read_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, (bool, int, float, str)) else text


def check_parameters(
    owner: str, given: Mapping[str, Any], known: Mapping[str, Any], takes_any: bool = False
) -> None:
    """Raise `GameError` if a parameter is not known, or not of the type of its default."""
    for name, value in given.items():
        if name in known:
            default = known[name]
            kind = type(default)
            if kind in NOUNS and type(value) is not kind and (kind, type(value)) != (float, int):
                raise GameError(
                    f"{owner}: the parameter {name} is {quote(str(value))}, expected "
                    f"{NOUNS[kind]}, such as {default}"
                )
        elif not takes_any:
            has = f"its parameters are {', '.join(known)}" if known else "it has none"
            raise GameError(
                f"{owner} has no parameter {quote(name)}{did_you_mean(name, known)}: {has}"
            )
