"""Where the parts of an `expect` are in a text, and how to replace them and nothing else."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import yaml

from expectitree.files.formats.json import tokens
from expectitree.files.formats.yaml import events
from expectitree.files.grammar.document import error_in
from expectitree.files.grammar.keys import SCHEMA_KEY
from expectitree.files.rows import Format
from expectitree.files.writing import whole_file

Place: TypeAlias = tuple[str | int, ...]  # keys and indices from the root

_BEFORE_EXPECT = (SCHEMA_KEY, "title", "source")  # a new `expect` comes after them
_COMMENT = re.compile(r"(^|\s)#", re.MULTILINE)


class Part(NamedTuple):
    """A value in a text, or where a list or a mapping starts or ends."""

    start: int
    end: int
    text: str  # of a scalar; the bracket that opens a list or a mapping
    step: int = 0  # 1 where a list or a mapping starts, -1 where it ends
    is_plain: bool = True  # whether another value can replace it
    head: int = 0  # where its entry starts: the key, or the value itself in a list
    anchor: str = ""  # of a value that YAML's aliases repeat, or that an alias (`*`) repeats
    is_block: bool = False  # whether YAML marks a list or a mapping by its indentation


def find_entries(text: str, format: Format) -> dict[Place, Part]:
    """Return the values of the root's keys, up to `expect`, and of all entries of `expect`."""
    entries: dict[Place, Part] = {}
    parts = PARTS[format.name](text)

    def read(part: Part, place: Place, head: int) -> None:
        """Note a value and the values in it; read to its end."""
        last, depth, index = part, part.step, 0
        while depth:
            last = next(parts)
            if last.step < 0 or (place and place[0] != "expect"):  # skip, however deep it nests
                depth += last.step
            elif ("expect",) in entries:
                break
            else:
                key: str | int = index
                value = last
                start = last.start
                if part.text == "{":
                    key = last.text
                    value = next(parts)
                read(value, (*place, key), start)
                index += 1
        entries[place] = part._replace(end=last.end, head=head)

    with suppress(StopIteration, yaml.YAMLError):  # JSON under another name is not always YAML
        read(next(parts), (), 0)
    return entries


def rewritten(text: str, format: Format, replacements: Mapping[Place, object]) -> str:
    """Return the text with new values at some places below `expect`, or with a whole new one."""
    entries = find_entries(text, format)
    edits = []
    for place, new in replacements.items():
        entry = entries.get(("expect", *place))
        if entry is None and not place:
            edits.append(_insertion(text, format, entries, new))
            continue
        is_plain = entry is not None and entry.is_plain
        if entry is None or not is_plain or _COMMENT.search(text[entry.start : entry.end]):
            what = "is an alias or a block of text"
            if is_plain:
                what = "has comments in it"
            where = "/".join(map(str, place)) or "expect"
            raise error_in("<text>", f"{where} {what}\nchange it by hand")
        written = format.module.NOTATION.flow(new)
        if format.name == "yaml" and text[: entry.start].endswith(":"):
            written = f" {written}"
        edits.append((entry.start, entry.end, written))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _insertion(
    text: str, format: Format, entries: Mapping[Place, Part], expect: object
) -> tuple[int, int, str]:
    """Return the edit that writes an `expect` before the root's kind."""
    heads = [e.head for place, e in entries.items() if place and place[0] not in _BEFORE_EXPECT]
    if not heads:
        message = "a bare number has no place for expect\nwrite it as `utility: NUMBER`"
        raise error_in("<text>", message)
    at = min(heads)
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    written = format.module.NOTATION.flow({"expect": expect})[1:-1]
    if text[entries[()].start] == "{":
        written += ","
    if indent.strip():
        return at, at, f"{written} "
    new_line = "\n"
    if "\r\n" in text:
        new_line = "\r\n"
    return at, at, written + new_line + indent


def replace_text(path: str, text: str) -> None:
    """Replace a file's text, as a whole or not at all."""
    with open(path, "rb") as old:
        if old.read(3) == BOM_UTF8:
            text = f"\ufeff{text}"
    with whole_file(path) as stream:
        stream.write(text.encode())


def _yaml_parts(text: str) -> Iterator[Part]:
    end = 0  # of the part before; a block ends there, not where its end is noticed
    for event in events(text):
        start = event.start_mark.index
        own_end = event.end_mark.index
        if isinstance(event, yaml.CollectionStartEvent):
            is_list = isinstance(event, yaml.SequenceStartEvent)
            if is_list and not event.flow_style:
                start = text.find(":", end) + 1  # a list in brackets can start there
            is_block = not event.flow_style
            anchor = event.anchor or ""
            opening = "{"
            if is_list:
                opening = "["
            yield Part(start, own_end, opening, 1, anchor=anchor, is_block=is_block)
        elif isinstance(event, yaml.CollectionEndEvent):
            if own_end > start:
                end = own_end
            yield Part(start, end, "", -1)
        elif isinstance(event, yaml.NodeEvent):
            end = own_end
            is_plain = isinstance(event, yaml.ScalarEvent) and event.style not in ("|", ">")
            value = getattr(event, "value", "*")
            anchor = event.anchor or ""
            yield Part(start, end, value, is_plain=is_plain, anchor=anchor)


def _json_parts(text: str) -> Iterator[Part]:
    for match in tokens(text):
        part = match[0]
        step = (part in ("{", "[")) - (part in ("}", "]"))
        if part[0] == '"':
            part = json.loads(part)
        yield Part(match.start(), match.end(), part, step)


PARTS: dict[str, Callable[[str], Iterator[Part]]] = {"yaml": _yaml_parts, "json": _json_parts}
