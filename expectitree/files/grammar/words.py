"""How the grammar speaks of what it found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from expectitree.files.grammar.document import Data
from expectitree.numbers import quote


def described(data: Data) -> str:
    """Return what something in a document is, in a few words."""
    if isinstance(data, str):
        return quote(data) if data else "nothing"
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, list):
        return "a list" if data else "an empty list"
    return "a mapping" if data else "an empty mapping"


def key_list(keys: Iterable[str]) -> str:
    """Return keys as `a, b and c`."""
    *others, last = [quote(key) for key in keys]
    return f"{', '.join(others)} and {last}" if others else last


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'max'?)` where a known word is near, else nothing."""
    from difflib import get_close_matches

    close = get_close_matches(word[:60].lower(), list(known), n=1)
    return f" (did you mean {quote(close[0])}?)" if close else ""


def unknown_key(key: str, known: Sequence[str]) -> str:
    """Return the message for a key that the grammar does not know."""
    if key[:1].isdigit() or key[:1] in ("-", ".", "+"):
        return f"unknown key {quote(key)}: a number beside other keys is written as `utility: {quote(key)[1:-1]}`"
    hint = nearest(key, known) if key else ' (a ? without quotes is read so: write `utility: "?"`)'
    return f"unknown key {quote(key)}{hint}: expected one of {', '.join(known)}"
