"""JSON, from the standard library: numbers keep their text, and mappings their duplicate keys.

To find the line and column of an error, a slower reading finds where each value starts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial

from expectitree.base.tree.paths import composed
from expectitree.files.grammar.document import (
    TOO_DEEP,
    Data,
    Document,
    Mark,
    Place,
    error_at,
    error_in,
    mark_of,
)
from expectitree.files.grammar.writer import Notation, tree_text

NOTATION = Notation()
_COMMENT = "JSON has no comments\nremove this one, or write YAML"
_HINTS = {  # what to do, by the character where JSON ends
    "/": _COMMENT,
    "#": _COMMENT,
    "'": "write \" for '",
    "": "close what is open with ] or }",
    "?": 'a ? must be quoted, as in "utility": "?"',
}
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*"|[][{}]|[^][{}",:\s]+')


def parse(text: str, name: str) -> Document:
    """Return the structure of a JSON text; raise `FileError` with line and column."""
    try:
        root = json.loads(
            composed(text),
            parse_int=str,
            parse_float=str,
            parse_constant=str,
            object_pairs_hook=tuple,
        )
    except json.JSONDecodeError as error:
        if not text.strip():
            raise error_in(
                name, 'the document is empty\nwrite the root node, such as {"max": [1, 2]}', 1, 1
            ) from None
        raise error_at(text, error.pos, name, _syntax_message(text, error)) from None
    except RecursionError:
        raise error_in(name, TOO_DEEP) from None
    return Document(name, root, locate=partial(_locate, text, root), text=text)


def tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the brackets and the scalars of a JSON text, keys among them."""
    return _TOKEN.finditer(text)


def _locate(text: str, root: Data, places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of each place, from a second reading of the text."""
    wanted = {id(place.container) for place in places}
    starts = {}
    for container, items in zip(_containers(root), _starts(text), strict=True):
        if id(container) in wanted:
            starts[id(container)] = items
    marks: list[Mark | None] = []
    for container, index, of_key, offset in places:
        if isinstance(container, tuple):
            index = 2 * index + (not of_key)
        start = starts[id(container)][index]
        if offset and "\\" not in text[start : start + offset]:  # after the opening quote
            start += offset + 1
        marks.append(mark_of(text, start))
    return marks


def _starts(text: str) -> Iterator[list[int]]:
    """Yield where the items of each list and object start, in the order in which they end.

    In an object, keys and values alternate. The root's start is last, in a list of its own.
    """
    above: list[list[int]] = []
    starts: list[int] = []
    for token in tokens(text):
        bracket = text[token.start()]
        if bracket in "]}":
            yield starts
            starts = above.pop()
            continue
        starts.append(token.start())
        if bracket in "[{":
            above.append(starts)
            starts = []
    yield starts


def _containers(root: Data) -> Iterator[Data]:
    """Yield all lists and mappings in the order in which they end, then None, which holds all."""
    stack: list[tuple[Data, Iterator[Data]]] = [(None, iter([root]))]
    while stack:
        container, rest = stack[-1]
        for item in rest:
            value = item[1] if isinstance(container, tuple) else item
            if isinstance(value, (list, tuple)):
                stack.append((value, iter(value)))
                break
        else:
            yield container
            stack.pop()


def _syntax_message(text: str, error: json.JSONDecodeError) -> str:
    message = re.sub(" at$", " here", error.msg)
    message = f"this is not JSON: {message[:1].lower()}{message[1:]}"
    before, after = text[: error.pos].rstrip(), text[error.pos : error.pos + 1]
    if before.endswith(",") and after in ("]", "}"):
        message += f"\ntake out the comma before {after}"
    elif error.msg == "Extra data" and after not in ("/", "#"):
        message += "\ntake out what follows the first object"
    elif after in _HINTS:
        message += f"\n{_HINTS[after]}"
    elif "property name" in error.msg:
        message += "\nput each key in double quotes"
    return message


write = partial(tree_text, notation=NOTATION)
