"""Write expectations into the text of a tree file, and keep every other character."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from expectitree.errors import FileError, Problem
from expectitree.files.formats import Format
from expectitree.files.grammar.keys import SCHEMA_KEY
from expectitree.files.saving import whole_file

Place: TypeAlias = tuple[str | int, ...]  # keys and indices from the root

_BEFORE_EXPECT = (SCHEMA_KEY, "title", "source", "expect")  # a new `expect` comes after them
_COMMENT = re.compile(r"(^|\s)#", re.MULTILINE)


class Span(NamedTuple):
    """The part of a text that a value takes."""

    start: int
    end: int


class Spans:
    """Where the parts of a text are, as far as an edit needs them."""

    def __init__(self) -> None:
        self.values: dict[Place, Span] = {}  # of `expect` and everything below it
        self.first_key: int | None = None  # the root's first key after `_BEFORE_EXPECT`
        self.is_block = False  # whether the root is YAML without braces

    def add_key(self, place: Place, key: str, start: int) -> None:
        """Note where a key of the mapping at a place starts, if a new `expect` can precede it."""
        if not place and self.first_key is None and key not in _BEFORE_EXPECT:
            self.first_key = start


def with_expectation(text: str, format: Format, expect: Mapping[str, object]) -> str:
    """Return the text with an `expect` that it did not have, before its root's kind."""
    spans = _SPANS[format.name](text)
    if ("expect",) in spans.values:  # it is there, and empty
        return with_replacements(text, format, {(): expect})
    at = spans.first_key
    if at is None:
        message = "a bare number has no place for expect: write it as `utility: NUMBER`"
        raise FileError([Problem("<text>", message)])
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    new_line = ("\r\n" if "\r\n" in text else "\n") + indent
    starts_line = spans.is_block or (format.name == "json" and not indent.strip())
    entry = format.module.NOTATION.flow({"expect": expect})[1:-1]
    comma, gap = "" if spans.is_block else ",", new_line if starts_line else " "
    return f"{text[:at]}{entry}{comma}{gap}{text[at:]}"


def with_replacements(text: str, format: Format, replacements: Mapping[Place, object]) -> str:
    """Return the text with new values at the given places below `expect`."""
    values = _SPANS[format.name](text).values
    edits = []
    for place, new in replacements.items():
        span = values.get(("expect", *place))
        if span is None or _COMMENT.search(text[span.start : span.end]):
            what = "is an alias or a block of text" if span is None else "has comments in it"
            where = "/".join(map(str, place)) or "expect"
            raise FileError([Problem("<text>", f"{where} {what}: change it by hand")])
        edits.append((span, format.module.NOTATION.flow(new)))
    for span, written in sorted(edits, reverse=True):
        space = " " if format.name == "yaml" and text[: span.start].endswith(":") else ""
        text = text[: span.start] + space + written + text[span.end :]
    return text


def write_text(path: str, text: str) -> None:
    """Replace a file's text, as a whole or not at all."""
    with open(path, "rb") as old:
        bom = old.read(3) == b"\xef\xbb\xbf"
    with whole_file(path) as temporary, open(temporary, "wb") as stream:
        stream.write((b"\xef\xbb\xbf" if bom else b"") + text.encode())


def _yaml_spans(text: str) -> Spans:
    """Return where the parts of a YAML text are, from its events."""
    import yaml

    from expectitree.files.formats.yaml import events

    spans = Spans()
    wanted = (yaml.NodeEvent, yaml.CollectionEndEvent)
    parts: Iterator[Any] = (event for event in events(text) if isinstance(event, wanted))

    def end_of(event: Any) -> int:
        return int(event.end_mark.index)

    def skip(event: Any) -> int:
        """Read to the end of a value, however deep it nests; return where it ends."""
        depth = int(isinstance(event, yaml.CollectionStartEvent))
        while depth:
            event = next(parts)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
        return end_of(event)

    def read(event: Any, place: Place, key_end: int) -> int:
        """Note where a value and all in it are, after its key; return where it ends."""
        start, end = event.start_mark.index, end_of(event)
        if isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            if not is_mapping and not event.flow_style and key_end:
                start = text.index(":", key_end) + 1
            for index, part in enumerate(parts):
                if isinstance(part, yaml.CollectionEndEvent):
                    end = end_of(part) if event.flow_style else end
                    break
                if not is_mapping:
                    end = read(part, (*place, index), 0)
                    continue
                key = getattr(part, "value", "")
                spans.add_key(place, key, part.start_mark.index)
                value, key_end = next(parts), end_of(part)
                is_wanted = place or key == "expect"
                end = read(value, (*place, key), key_end) if is_wanted else skip(value)
        elif isinstance(event, yaml.AliasEvent) or event.style in ("|", ">"):
            return end
        spans.values[place] = Span(start, end)
        return end

    root = next(parts)
    spans.is_block = not getattr(root, "flow_style", True)
    read(root, (), 0)
    return spans


_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def _json_spans(text: str) -> Spans:
    """Return where the parts of a JSON text are."""
    spans = Spans()

    def after_space(at: int) -> int:
        match = _SPACE.match(text, at)
        assert match is not None
        return match.end()

    def skip(start: int) -> int:
        """Return where a value ends."""
        return _DECODER.raw_decode(text, start)[1]

    def read(place: Place, start: int) -> int:
        """Note where a value and all in it are; return where it ends."""
        end = skip(start)
        spans.values[place] = Span(start, end)
        if text[start] not in "{[":
            return end
        at, index = after_space(start + 1), 0
        while text[at] not in "}]":
            key: Any = index
            if text[start] == "{":
                key, key_end = _DECODER.raw_decode(text, at)
                spans.add_key(place, key, at)
                at = after_space(after_space(key_end) + 1)
            is_wanted = place or key == "expect"
            end_of_item = read((*place, key), at) if is_wanted else skip(at)
            at = after_space(end_of_item)
            at = after_space(at + 1) if text[at] == "," else at
            index += 1
        return end

    read((), after_space(0))
    return spans


_SPANS = {"yaml": _yaml_spans, "json": _json_spans}
