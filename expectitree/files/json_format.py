"""JSON, from the standard library: numbers keep their text, and mappings their duplicate keys."""

from __future__ import annotations

import json

from expectitree.errors import FileError, Problem
from expectitree.files.document import NESTED_TOO_DEEPLY, Data, Document
from expectitree.number import quoted


def parse(text: str, name: str) -> Document:
    """Return the structure of a JSON text; raise `FileError` with line and column where it has none."""
    try:
        root = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=tuple)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise FileError([Problem(name, "the document is empty: expected a JSON object, the root node")]) from None
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise FileError([Problem(name, message, line=error.lineno, column=error.colno)]) from None
    except RecursionError:
        raise FileError([Problem(name, NESTED_TOO_DEEPLY)]) from None
    if "\\ud" in text or "\\uD" in text:
        _refuse_lone_surrogates(root, name)
    return Document(name, root)


def _refuse_lone_surrogates(root: Data, name: str) -> None:
    stack = [root]
    while stack:
        data = stack.pop()
        if isinstance(data, (list, tuple)):
            stack.extend(data)
        elif isinstance(data, str):
            try:
                data.encode()
            except UnicodeEncodeError:
                message = f"the text {quoted(data)} holds half of a surrogate pair: write the character itself"
                raise FileError([Problem(name, message)]) from None
