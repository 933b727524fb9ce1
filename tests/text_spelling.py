"""Write data as YAML or JSON in random styles, as people write: block or flow, quoted or plain."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from random import Random
from typing import Any

# Plain in every context, also as a key.
_PLAIN = re.compile(r"[A-Za-z0-9_.(+][\w.+/%()*^ -]*(?<! )|-[A-Za-z0-9_.(][\w.+/%()*^ -]*(?<! )")
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Text:
    """A scalar; `is_quoted` says that it is text and not a number, so that JSON quotes it."""

    text: str
    is_quoted: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Shared:
    """Data that has an anchor where it is written first, and elsewhere is an alias."""

    name: str
    data: Any


def json_text(data: Any, random: Random) -> str:
    """Return data as JSON, with or without spaces."""
    indent, space = random.choice((("", ""), ("", " "), ("\n", " ")))

    def written(data: Any) -> str:
        if isinstance(data, dict):
            items = [f"{json.dumps(k)}:{space}{written(v)}" for k, v in data.items()]
            return "{" + f",{indent or space}".join(items) + indent + "}"
        if isinstance(data, list):
            return "[" + f",{space}".join(map(written, data)) + "]"
        if not data.is_quoted and _JSON_NUMBER.fullmatch(data.text) and random.random() < 0.8:
            return str(data.text)
        return json.dumps(data.text, ensure_ascii=random.random() < 0.5)

    return written(data) + "\n"


def yaml_text(data: Any, random: Random) -> str:
    """Return data as YAML in random styles."""
    writer = _Yaml(random)
    start = "---\n" if random.random() < 0.1 else ""
    if random.random() < 0.1:
        return start + writer.flow(data) + "\n"
    return start + writer.block(data, 0)


class _Yaml:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.written: set[str] = set()
        self.flow_share = random.choice((0.2, 0.6))

    def scalar(self, text: str) -> str:
        is_plain = _PLAIN.fullmatch(text) and not text.startswith(("- ", "..."))
        if is_plain and self.random.random() < 0.9:
            return text
        if text.isprintable() and self.random.random() < 0.6:
            return "'" + text.replace("'", "''") + "'"
        return json.dumps(text, ensure_ascii=self.random.random() < 0.5)

    def anchored(self, shared: Shared) -> str:
        """Return the anchor of data that is written first, or its alias."""
        if shared.name in self.written:
            return f"*{shared.name}"
        self.written.add(shared.name)
        return f"&{shared.name}"

    def flow(self, data: Any) -> str:
        if isinstance(data, Shared):
            mark = self.anchored(data)
            return mark if mark[0] == "*" else f"{mark} {self.flow(data.data)}"
        if isinstance(data, dict):
            items = [f"{self.scalar(k)}: {self.flow(v)}" for k, v in data.items()]
            return "{" + ", ".join(items) + "}"
        if isinstance(data, list):
            comma = ",\n          " if self.random.random() < 0.05 else ", "
            return "[" + comma.join(map(self.flow, data)) + "]"
        return self.scalar(str(data))

    def value(self, data: Any, indent: int) -> str:
        """Return what follows a key or a dash, with the end of the line."""
        if isinstance(data, Shared):
            mark = self.anchored(data)
            return f" {mark}\n" if mark[0] == "*" else f" {mark}{self.value(data.data, indent)}"
        if isinstance(data, Text):
            if data.text == "two\nlines\n":
                return " |\n" + "".join(f"{' ' * (indent + 2)}{x}\n" for x in ("two", "lines"))
            return f" {self.scalar(data.text)}{self.comment()}\n"
        if self.random.random() < self.flow_share:
            return f" {self.flow(data)}\n"
        return f"{self.comment()}\n{self.block(data, indent + 2)}"

    def comment(self) -> str:
        return "" if self.random.random() < 0.9 else "  # a comment: {[&*"

    def block(self, data: Any, indent: int) -> str:
        pad = " " * indent
        if isinstance(data, dict):
            items = [f"{pad}{self.scalar(k)}:{self.value(v, indent)}" for k, v in data.items()]
        else:
            items = [f"{pad}-{self.value(item, indent)}" for item in data]
        return "".join(items)
