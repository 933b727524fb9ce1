"""JSON, from the standard library: numbers keep their text, and mappings their duplicate keys."""

from __future__ import annotations

import json
import re

from expectitree.errors import FileError, Problem
from expectitree.files.grammar.document import NESTED_TOO_DEEPLY, Document


def parse(text: str, name: str) -> Document:
    """Return the structure of a JSON text; raise `FileError` with line and column where it has none."""
    try:
        root = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=tuple
        )
    except json.JSONDecodeError as error:
        if not text.strip():
            message = "the document is empty: expected a JSON object, the root node"
            raise FileError([Problem(name, message, line=1, column=1)]) from None
        said = re.sub(" at$", " here", error.msg)
        message = f"this is not JSON: {said[:1].lower()}{said[1:]}"
        if text[: error.pos].rstrip().endswith(",") and text[error.pos : error.pos + 1] in (
            "]",
            "}",
        ):
            message += f"; take out the comma before {text[error.pos]}"
        elif text[error.pos : error.pos + 1] == "?":
            message += '; a ? must be quoted, as in "utility": "?"'
        raise FileError([Problem(name, message, line=error.lineno, column=error.colno)]) from None
    except RecursionError:
        raise FileError([Problem(name, NESTED_TOO_DEEPLY)]) from None
    return Document(name, root)
