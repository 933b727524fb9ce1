"""How messages describe what the grammar found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from expectitree.files.grammar.document import Data
from expectitree.numbers import quote

# Keys that people write for the one that they mean.
_SYNONYMS = {
    "node": "ref",
    "name": "label",
    "value": "utility",
    "payoff": "utility",
    "probability": "p",
    "prob": "p",
    "reps": "repetitions",
}
_PLAIN = re.compile(r"[\w.+-](?:[\w.+/%* -]*[\w.+/%*-])?")  # a text that needs no quotes in flow
_MOST_ITEMS = 4  # of a list or a mapping in a message
_NEARLY_SAME = 0.85  # a likeness, as `difflib` measures it, that beats a synonym


def described(data: Data) -> str:
    """Describe a part of a document in a few words."""
    if isinstance(data, str):
        return quote(data) if data else "nothing"
    if data is None:
        return "null"
    if isinstance(data, bool):
        return "true" if data else "false"
    if not isinstance(data, (list, tuple)):
        return f"an object of Python's type {type(data).__name__}"
    kind = "list" if isinstance(data, list) else "mapping"
    return f"a {kind}" if data else f"an empty {kind}"


def flow_text(data: Data, longest: int = 80) -> str:
    """Return a part of a document in YAML's flow style, with `…` for what is long or deep."""
    text = _flow_text(data, longest, 2)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _flow_text(data: Data, longest: int, depth: int) -> str:
    if not isinstance(data, (list, tuple)):
        return text_or_quoted(data, longest) if isinstance(data, str) else described(data)
    opening, closing = "[]" if isinstance(data, list) else "{}"
    if data and not depth:
        return f"{opening}…{closing}"
    items = []
    for item in data[:_MOST_ITEMS]:
        key, value = item if isinstance(data, tuple) else ("", item)
        text = _flow_text(value, longest, depth - 1)
        items.append(f"{text_or_quoted(key, longest)}: {text}" if key else text)
    more = ["…"] if len(data) > _MOST_ITEMS else []
    return f"{opening}{', '.join(items + more)}{closing}"


def text_or_quoted(text: str, longest: int = 40) -> str:
    """Return a text as a file has it in flow style, in quotes if it needs them."""
    return text if _PLAIN.fullmatch(text) and len(text) <= longest else quote(text, longest)


def key_list(keys: Iterable[str]) -> str:
    """Return keys as `a, b and c`."""
    *others, last = [quote(key) for key in keys]
    return f"{', '.join(others)} and {last}" if others else last


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'max'?)` for the known word that is nearest, if one is near."""
    from difflib import get_close_matches

    candidates, word = list(known), word[:60].lower()
    meant = _SYNONYMS.get(word)
    close = get_close_matches(word, candidates, n=1, cutoff=_NEARLY_SAME)
    if not close:
        close = [meant] if meant in candidates else get_close_matches(word, candidates, n=1)
    return f" (did you mean {quote(close[0])}?)" if close else ""


def unknown_key(key: str, known: Sequence[str]) -> str:
    """Return the message for an unknown key where the `known` ones are allowed."""
    name = quote(key)
    if key[:1].isdigit() or key[:1] in ("-", ".", "+"):
        number = f"a number next to other keys is written as `utility: {name[1:-1]}`"
        return f"unknown key {name}: {number}"
    hint = nearest(key, known) if key else ' (a ? without quotes is read so: write `utility: "?"`)'
    return f"unknown key {name}{hint}: expected one of {', '.join(known)}"
