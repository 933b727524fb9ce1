"""How messages describe what the grammar found."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable

from expectitree.base.algorithms import GONE
from expectitree.base.errors import NumberError
from expectitree.base.names import did_you_mean, nearest
from expectitree.base.numbers import escape, quote
from expectitree.base.reading import to_fraction
from expectitree.files.grammar.document import Data, GrammarError, Pairs, Place

SPLIT = "YAML splits text between braces at a comma:"
MAX_SHOWN = 4  # outcomes in a message

# Keys that people write for the one that they mean.
_WORDS = {
    "utility": "value reward score payout profit points result gain outcome leaf terminal"
    " payoffs utilities u v ev",
    "p": "prob probability chance weight odds likelihood pr probs probabilities weights",
    "label": "name action move id",
    "ref": "node goto link use then next tree subtree",
    "estimate": "heuristic eval evaluation guess h",
    "note": "comment description text remark",
    "bounds": "range interval limits",
    "type": "type kind player turn mover",
    "children": "children branches actions outcomes moves options choices child values leaves",
    "repetitions": "reps",
    "parameters": "params variables variable vars constants constant definitions",
    "cost": "costs fee fees expense expenses price",
}
_KIND_WORDS = {
    "max": "max maximum maximize maximise maximizer maximiser me you self",
    "min": "min minimum minimize minimise minimizer minimiser opponent adversary enemy",
    "max or min": "decision player choice choose decide agent or",
    "chance": "chance random nature prob probability lottery gamble risk luck average avg mean"
    " expected exp expectation expectimax event uncertainty uncertain dice die roll coin"
    " e ev stochastic chances rand rnd",
}
SYNONYMS, KIND_SYNONYMS = (
    {word: meant for meant, words in table.items() for word in words.split()}
    for table in (_WORDS, _KIND_WORDS)
)
_PLAIN = re.compile(r"-?[\w.+](?:[\w.+/%* -]*[\w.+/%*-])?")  # a text that needs no quotes in flow
_WHOLE = re.compile("[+-]?[0-9]{1,9}")
_MAX_ITEMS = 4  # of a list or a mapping in a message
MAX_DEPTH = 5  # lists and mappings within each other in a message
_NEARLY_SAME = 0.85  # a likeness, as `difflib` measures it, that beats a synonym


def described(data: Data) -> str:
    """Describe a part of a document in a few words."""
    if isinstance(data, str):
        if data:
            return quote(data)
        return "nothing"
    if data is None or isinstance(data, bool):
        return json.dumps(data)
    if not isinstance(data, (list, tuple)):
        return f"an object of Python's type {type(data).__name__}"
    article = "a" if data else "an empty"
    if isinstance(data, list):
        return f"{article} list"
    return f"{article} mapping"


def require(is_right: object, data: Data, about: str, place: Place | None = None) -> None:
    """Raise `GrammarError` about a part of a document unless it is right.

    The message is what was found, and `about`: where that was, and a line with what to write.
    """
    if not is_right:
        raise GrammarError(f"found {described(data)}{about}", place)


def filled_mapping(data: Data, about: str) -> Pairs:
    """Return a mapping that is not empty; raise `GrammarError` as `require` does."""
    require(isinstance(data, tuple) and data, data, about)
    mapping: Pairs = data
    return mapping


def filled_text(data: Data, about: str) -> str:
    """Return a text that is not empty; raise `GrammarError` as `require` does."""
    require(isinstance(data, str) and data, data, about)
    return str(data)


def flow_text(data: Data, longest: int = 80) -> str:
    """Return a part of a document in YAML's flow style, with `…` for long or deep parts."""
    for depth in range(MAX_DEPTH, -1, -1):
        text = _flow_text(data, longest, depth)
        if len(text) <= longest:
            return text
    return f"{text[: longest - 1]}…"


def _flow_text(data: Data, longest: int, depth: int) -> str:
    if isinstance(data, str):
        return text_or_quoted(data, longest)
    if not isinstance(data, (list, tuple)):
        return described(data)
    shown = data[:_MAX_ITEMS] if depth else ()
    if isinstance(data, list):
        opening, closing = "[]"
        items = [_flow_text(item, longest, depth - 1) for item in shown]
    else:
        opening, closing = "{}"
        items = [_flow_pair(key, value, longest, depth - 1) for key, value in shown]
    more = ["…"] * (len(data) > len(shown))
    return f"{opening}{', '.join(items + more)}{closing}"


def _flow_pair(key: str, value: Data, longest: int, depth: int) -> str:
    text = _flow_text(value, longest, depth)
    if key:
        return f"{text_or_quoted(key, longest)}: {text}"
    return text


def node_pairs(node: Data) -> tuple[tuple[str, Data], ...]:
    """Return the keys and values of a node; a number is a terminal with that utility."""
    if isinstance(node, tuple):
        return node
    return (("utility", node),)


def text_or_quoted(text: str, longest: int = 40) -> str:
    """Return a text in flow style, in quotes if it needs them."""
    if len(text) <= longest and _PLAIN.fullmatch(text):
        return text
    if "'" in text:
        return f'"{escape(text[:longest])}"'
    return quote(text, longest)


def is_number(data: Data) -> bool:
    """Return whether a part of a document is the text of a number."""
    try:
        return isinstance(data, str) and to_fraction(data) is not None
    except NumberError:
        return False


def in_braces(data: Data) -> bool:
    """Return whether a list of numbers is in braces, as in `{3, 12, 8}`."""
    return isinstance(data, tuple) and all(
        not value and "%" not in key and is_number(key) for key, value in data
    )


def whole_number(pairs: Pairs, index: int) -> str:
    """Return how `-40,000` is written, which YAML splits between braces; else nothing.

    `at` is the place of the second half: it is a key, without a value.
    """
    none = ("", None)
    (name, first), (half, value), (after, following) = [none, *pairs, none][index : index + 3]
    if value or not half.isdecimal():
        return ""
    if after.isdecimal() and following:  # the whole is a key, as in `0,7: 100`
        return f"{half}.{after}: {flow_text(following)}"
    if name in _KIND_WORDS:
        return f"{name}: [{first}, {half}]"
    if not isinstance(first, str) or not _WHOLE.fullmatch(first):
        return ""
    is_grouped = len(half) == 3 and first.strip("+-0")
    if name in ("cost", "reward") and not is_grouped and len(pairs) == 2:
        return f"utility: {half}"
    point = "" if is_grouped else "."
    return f"{text_or_quoted(name)}: {first}{point}{half}"


def key_list(keys: Iterable[str]) -> str:
    """Return keys as `a, b and c`."""
    *others, last = map(quote, keys)
    if others:
        return f"{', '.join(others)} and {last}"
    return last


def key_hint(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'max'?)` for a known key that is nearest or has the same meaning."""
    candidates, meant = list(known), SYNONYMS.get(word.lower())
    if meant in candidates and not nearest(word, candidates, _NEARLY_SAME):
        return f" (did you mean {quote(meant)}?)"
    return did_you_mean(word, candidates)


def unknown_key(key: str, known: Collection[str], hint: str = "") -> str:
    """Return the message for an unknown key where the `known` ones are allowed."""
    name, hint = quote(key), hint or GONE.get(key, "")
    if hint:
        return f"unknown key {name}\n{hint}"
    if key[:1].isdigit() or key[:1] in ("-", ".", "+"):
        return (
            f"unknown key {name}\na number next to other keys is written as `utility: {name[1:-1]}`"
        )
    if not key:
        return (
            "a ? without quotes is an empty key\nfor a utility that is not known yet, write "
            '`utility: "?"`'
        )
    hint = key_hint(key, known)
    return f"unknown key {name}{hint}\nwrite one of {', '.join(known)}"
