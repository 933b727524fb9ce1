"""Writes what is expected into a tree file's text, and leaves every other character of it as it is."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from errno import EACCES
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from expectitree.errors import FileError, Problem
from expectitree.number import shortest

Place: TypeAlias = tuple[str | int, ...]  # keys and indices from the root


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
        raise FileError([Problem("<text>", "a bare number has no place for expect: write it as `utility: NUMBER`")])
    line_start = text.rfind("\n", 0, spans.first_key) + 1
    indent = text[line_start : spans.first_key]
    own_line = not indent.strip()
    end = "\r\n" if "\r\n" in text else "\n"
    if is_json:
        entry = f'"expect": {_flow(expect, is_json)},' + (f"{end}{indent}" if own_line else " ")
    elif spans.is_block:
        entry = f"expect: {_flow(expect, is_json)}{end}{indent}"
    else:
        entry = f"expect: {_flow(expect, is_json)}, "
    return text[: spans.first_key] + entry + text[spans.first_key :]


def with_replacements(text: str, is_json: bool, replacements: Mapping[Place, object]) -> str:
    """Return the text with new values at the given places below `expect`."""
    values = (_json_spans if is_json else _yaml_spans)(text).values
    edits = []
    for place, new in replacements.items():
        span = values.get(("expect", *place))
        where = "/".join(map(str, place)) or "expect"
        if span is None:
            raise FileError([Problem("<text>", f"{where} is an alias or a block of text: change it by hand")])
        if _COMMENT.search(text[span.start : span.end]):
            raise FileError([Problem("<text>", f"comments stand within {where}: change it by hand")])
        edits.append((span, new))
    for span, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        space = " " if not is_json and text[: span.start].endswith(":") else ""
        text = text[: span.start] + space + _flow(new, is_json) + text[span.end :]
    return text


def write_text(path: str, text: str) -> None:
    """Replace a file's text at once, so that nothing is lost if the disk is full or the machine stops."""
    path = os.path.realpath(path)
    if not os.access(path, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), path)
    with open(path, "rb") as old:
        bom = old.read(3) == b"\xef\xbb\xbf"
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".expectitree-")
    try:
        with open(handle, "wb") as stream:
            stream.write((b"\xef\xbb\xbf" if bom else b"") + text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


_COMMENT = re.compile(r"(^|\s)#", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_. -]*(?<! )")


def _flow(value: object, is_json: bool) -> str:
    """Return a value in flow style, which YAML and JSON share but for quotes."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_text(str(k), is_json)}: {_flow(v, is_json)}" for k, v in value.items())
        return f"{{{inner}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_flow(item, is_json) for item in value)}]"
    if isinstance(value, Fraction):
        number = shortest(value)
        return json.dumps(number) if is_json and "/" in number else number
    if isinstance(value, int):
        return str(value)
    return _text(str(value), is_json)


def _text(text: str, is_json: bool) -> str:
    if is_json or not (_BARE.fullmatch(text) or re.fullmatch(r"[A-Za-z0-9_.]+(/#?[A-Za-z0-9_.]+)*", text)):
        return json.dumps(text, ensure_ascii=not text.isprintable()).replace("\x7f", "\\u007f")
    return text


# ---- Where things stand in YAML, from its events.


def _yaml_spans(text: str) -> Spans:
    import yaml

    from expectitree.files.yaml_format import events

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
                    if len(stack) == 1 and first_key is None and above[4] not in ("title", "source", "expect"):
                        first_key = start
                    continue
                place = (*above[0], above[4] if above[2] else above[3])
                above[3] += 1
                above[5] = end
            if isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                if not stack:
                    is_block = not event.flow_style
                if stack and not event.flow_style and not is_mapping:  # a block list starts at its key's colon
                    start = text.index(":", stack[-1][7]) + 1 if stack[-1][2] else start
                stack.append([place, start, is_mapping, 0, "", end, event.flow_style, 0])
            elif place[:1] == ("expect",) and isinstance(event, yaml.ScalarEvent) and event.style not in ("|", ">"):
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
        if key not in ("title", "source", "expect") and first_key is None:
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
