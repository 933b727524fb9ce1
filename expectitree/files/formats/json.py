"""JSON, from the standard library: numbers keep their text, and mappings their duplicate keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from expectitree.errors import FileError, Problem
from expectitree.files.grammar.document import NESTED_TOO_DEEPLY, Document
from expectitree.files.grammar.flow import Notation
from expectitree.files.grammar.writer import tree_text
from expectitree.tree.model import Tree

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def parse(text: str, name: str) -> Document:
    """Return the structure of a JSON text; raise `FileError` with line and column."""
    try:
        root = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=tuple
        )
    except json.JSONDecodeError as error:
        if not text.strip():
            message = "the document is empty: expected a JSON object, the root node"
            raise FileError([Problem(name, message, line=1, column=1)]) from None
        message = _syntax_message(text, error)
        raise FileError([Problem(name, message, line=error.lineno, column=error.colno)]) from None
    except RecursionError:
        raise FileError([Problem(name, NESTED_TOO_DEEPLY)]) from None
    return Document(name, root)


def _syntax_message(text: str, error: json.JSONDecodeError) -> str:
    message = re.sub(" at$", " here", error.msg)
    message = f"this is not JSON: {message[:1].lower()}{message[1:]}"
    before, at = text[: error.pos].rstrip(), text[error.pos : error.pos + 1]
    if before.endswith(",") and at in ("]", "}"):
        message += f"; take out the comma before {at}"
    elif at == "?":
        message += '; a ? must be quoted, as in "utility": "?"'
    return message


def write(tree: Tree) -> Iterator[str]:
    """Yield the text of a tree piece by piece."""
    return tree_text(tree, NOTATION)


class JsonNotation(Notation):
    """Every text is quoted, and so is a number that is not one in JSON, such as a fraction."""

    opening, closing, margin, separator = "{\n", "\n}\n", "  ", ",\n"

    def quoted(self, text: str) -> str:
        """Return a text in quotes."""
        return json.dumps(text, ensure_ascii=not text.isprintable()).replace("\x7f", "\\u007f")

    def number(self, text: str) -> str:
        """Return a number, in quotes if JSON does not have it."""
        return text if _NUMBER.fullmatch(text) else json.dumps(text)

    def number_key(self, number: str) -> str:
        """Return a number, as `number` returns it, as a key with its colon."""
        return f"{number}:" if number[0] == '"' else f'"{number}":'

    def brackets(self, is_mapping: bool, margin: str) -> tuple[str, str]:
        """Return the brackets of a list or a mapping over several lines."""
        opening, closing = "{}" if is_mapping else "[]"
        return f" {opening}\n", f"\n{margin}{closing}"

    def block(self, head: str, indent: int, fields: list[str]) -> tuple[str, int, str]:
        """Return a mapping's fields, which are on the line where it starts."""
        return f"{head}{{{''.join(f'{field}, ' for field in fields)}", indent, "}"


NOTATION = JsonNotation()
