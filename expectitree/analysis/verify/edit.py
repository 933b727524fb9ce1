"""Write expectations into the text of a tree file, and keep every other character."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from expectitree.errors import FileError, Problem
from expectitree.files.formats import FORMATS
from expectitree.files.grammar.keys import SCHEMA_KEY
from expectitree.files.saving import whole_file

Place: TypeAlias = tuple[str | int, ...]  # keys and indices from the root

_BEFORE_EXPECT = (
    SCHEMA_KEY,
    "title",
    "source",
    "expect",
)  # root keys that a new `expect` comes after


class Span(NamedTuple):
    """Where something stands in a text."""

    start: int
    end: int


class Spans(NamedTuple):
    """Where the parts of a text stand, as far as an edit needs them."""

    values: dict[Place, Span]  # of everything at `expect` and below
    first_key: int | None  # where the root's first key starts; None if the root is no mapping
    is_block: bool  # the root's keys stand on lines of their own


def with_expectation(text: str, is_json: bool, expect: Mapping[str, object]) -> str:
    """Return the text with an `expect` that it did not have, before its root's kind."""
    spans = (_json_spans if is_json else _yaml_spans)(text)
    if ("expect",) in spans.values:  # it is there, and empty
        return with_replacements(text, is_json, {(): expect})
    if spans.first_key is None:
        raise FileError(
            [
                Problem(
                    "<text>", "a bare number has no place for expect: write it as `utility: NUMBER`"
                )
            ]
        )
    line_start = text.rfind("\n", 0, spans.first_key) + 1
    indent = text[line_start : spans.first_key]
    own_line = not indent.strip()
    end = "\r\n" if "\r\n" in text else "\n"
    if is_json:
        entry = f'"expect": {flow(expect, is_json)},' + (f"{end}{indent}" if own_line else " ")
    elif spans.is_block:
        entry = f"expect: {flow(expect, is_json)}{end}{indent}"
    else:
        entry = f"expect: {flow(expect, is_json)}, "
    return text[: spans.first_key] + entry + text[spans.first_key :]


def with_replacements(text: str, is_json: bool, replacements: Mapping[Place, object]) -> str:
    """Return the text with new values at the given places below `expect`."""
    values = (_json_spans if is_json else _yaml_spans)(text).values
    edits = []
    for place, new in replacements.items():
        span = values.get(("expect", *place))
        where = "/".join(map(str, place)) or "expect"
        if span is None:
            raise FileError(
                [Problem("<text>", f"{where} is an alias or a block of text: change it by hand")]
            )
        if _COMMENT.search(text[span.start : span.end]):
            raise FileError(
                [Problem("<text>", f"comments stand within {where}: change it by hand")]
            )
        edits.append((span, new))
    for span, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        space = " " if not is_json and text[: span.start].endswith(":") else ""
        text = text[: span.start] + space + flow(new, is_json) + text[span.end :]
    return text


def flow(value: object, is_json: bool) -> str:
    """Return a value on one line, as the format writes it."""
    text: str = FORMATS["json" if is_json else "yaml"].module.NOTATION.flow(value)
    return text


_COMMENT = re.compile(r"(^|\s)#", re.MULTILINE)


def write_text(path: str, text: str) -> None:
    """Replace a file's text, as a whole or not at all."""
    with open(path, "rb") as old:
        bom = old.read(3) == b"\xef\xbb\xbf"
    with whole_file(path) as temporary, open(temporary, "wb") as stream:
        stream.write((b"\xef\xbb\xbf" if bom else b"") + text.encode())


# ---- Where things stand in YAML, from its events.


def _yaml_spans(text: str) -> Spans:
    import yaml

    from expectitree.files.formats.yaml import events

    values: dict[Place, Span] = {}
    first_key: int | None = None
    is_block = False
    stack: list[
        list[Any]
    ] = []  # of each open container: its place, start, whether a mapping, items, last key, last end
    for event in events(text):
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, yaml.NodeEvent):
            place: Place = ()
            if stack:
                above = stack[-1]
                if above[2] and above[3] % 2 == 0:
                    above[4] = getattr(event, "value", None)
                    above[7] = end
                    above[3] += 1
                    if len(stack) == 1 and first_key is None and above[4] not in _BEFORE_EXPECT:
                        first_key = start
                    continue
                place = (*above[0], above[4] if above[2] else above[3])
                above[3] += 1
                above[5] = end
            if isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                if not stack:
                    is_block = not event.flow_style
                if (
                    stack and not event.flow_style and not is_mapping
                ):  # a block list starts at its key's colon
                    start = text.index(":", stack[-1][7]) + 1 if stack[-1][2] else start
                stack.append([place, start, is_mapping, 0, "", end, event.flow_style, 0])
            elif (
                place[:1] == ("expect",)
                and isinstance(event, yaml.ScalarEvent)
                and event.style not in ("|", ">")
            ):
                values[place] = Span(start, end)
        elif isinstance(event, yaml.CollectionEndEvent):
            place, start, _, _, _, last_end, flow, _ = stack.pop()
            end = end if flow else last_end
            if place[:1] == ("expect",):
                values[place] = Span(start, end)
            if stack:
                stack[-1][5] = end
    return Spans(values, first_key, is_block)


# ---- Where things stand in JSON.

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def _json_spans(text: str) -> Spans:
    values: dict[Place, Span] = {}
    start = _after_space(text, 0)
    if text[start : start + 1] != "{":
        return Spans(values, None, False)
    first_key: int | None = None
    for key, key_start, span in _members(text, start):
        if key not in _BEFORE_EXPECT and first_key is None:
            first_key = key_start
        if key == "expect":
            _collect(text, ("expect",), span, values)
    return Spans(values, first_key, False)


def _collect(text: str, place: Place, span: Span, values: dict[Place, Span]) -> None:
    """Note where a value and all in it stand; `expect` nests four deep at most."""
    values[place] = span
    if text[span.start] == "{":
        for key, _, inner in _members(text, span.start):
            _collect(text, (*place, key), inner, values)
    elif text[span.start] == "[":
        for index, inner in enumerate(_items(text, span.start)):
            _collect(text, (*place, index), inner, values)


def _members(text: str, start: int) -> Sequence[tuple[str, int, Span]]:
    found = []
    at = _after_space(text, start + 1)
    while text[at] != "}":
        key, after = _DECODER.raw_decode(text, at)
        value = _after_space(text, _after_space(text, after) + 1)
        end = _end_of_value(text, value)
        found.append((key, at, Span(value, end)))
        at = _next_item(text, end)
    return found


def _items(text: str, start: int) -> Sequence[Span]:
    found = []
    at = _after_space(text, start + 1)
    while text[at] != "]":
        end = _end_of_value(text, at)
        found.append(Span(at, end))
        at = _next_item(text, end)
    return found


def _end_of_value(text: str, start: int) -> int:
    return _DECODER.raw_decode(text, start)[1]


def _next_item(text: str, end: int) -> int:
    at = _after_space(text, end)
    return _after_space(text, at + 1) if text[at] == "," else at


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
