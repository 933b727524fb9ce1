"""YAML, from PyYAML's event stream: the text of every scalar as written, and marks where they are needed.

The stream is read once without marks; an error's line and column come from reading it again, up to
the place. PyYAML's own loader would read `1e-3` and `1/3` as text, `12:30` as 750 and `NO` as
false, and drop duplicate keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from expectitree.errors import FileError, Problem
from expectitree.files.grammar.document import (
    MOST_NESTED,
    NESTED_TOO_DEEPLY,
    Data,
    Document,
    EmptyMapping,
    Mark,
    Place,
    SharedText,
)
from expectitree.numbers import escape, quote

_OPEN = object()  # the value of an anchor whose node has not ended
_QUESTION = re.compile(r"[:,\[{-]\s*\?+\s*(?:[,\]}#]|$)")  # begins a key where it stands alone
_MOST_CONTAINERS = 2 * MOST_NESTED + 100  # lists and mappings; the grammar counts nodes


def parse(text: str, name: str) -> Document:
    """Return the structure of a YAML text; raise `FileError` with line and column where it has none."""
    try:
        return _Parser(text, name).parse()
    except yaml.reader.ReaderError as error:
        raise FileError([_unreadable(text, name, error)]) from None
    except (
        OverflowError,
        ValueError,
    ) as error:  # PyYAML without libyaml, of an escape that is no character
        raise FileError([Problem(name, f"this is not YAML: {escape(str(error))}")]) from None
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        message = f"this is not YAML: {error.problem or error}"
        if error.context:
            message += f" {error.context}"
            if error.context_mark is not None and error.context_mark.line != mark.line:
                message += f" that starts in line {error.context_mark.line + 1}"
        raise FileError([_problem(name, mark, message + _syntax_hint(text, mark))]) from None


def events(text: str) -> Iterator[Any]:
    """Yield PyYAML's events, from libyaml where it is there (ten times as fast)."""
    get_event = _loader(text)
    event = get_event()
    while event is not None:
        yield event
        event = get_event()


def _loader(text: str) -> Any:
    if yaml.__with_libyaml__:
        from yaml._yaml import CParser

        return CParser(text).get_event
    return yaml.SafeLoader(text).get_event


class _Parser:
    """Turns events into a `Document`; one object for one text."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.anchors: dict[str, Data] = {}
        self.shared: set[int] = set()
        self.shares_text = False

    def parse(self) -> Document:
        """Read the events once; the loop is the time of reading YAML, so it looks at nothing that cannot be there."""
        get_event = _loader(self.text)
        scalar, mapping, sequence = (
            yaml.ScalarEvent,
            yaml.MappingStartEvent,
            yaml.SequenceStartEvent,
        )
        mapping_end, sequence_end = yaml.MappingEndEvent, yaml.SequenceEndEvent
        plain = "&" not in self.text and "!" not in self.text  # then nothing has an anchor or a tag
        roots: list[Data] = []
        items = roots
        above: list[list[Data]] = []
        anchors: list[str | None] = []
        event = get_event()
        while event is not None:
            kind = event.__class__
            if kind is scalar:
                if plain or event.anchor is None and event.tag is None:
                    items.append(event.value)
                else:
                    items.append(self.special_scalar(event))
            elif kind is mapping or kind is sequence:
                if not plain:
                    anchors.append(event.anchor)
                    if event.anchor is not None or event.tag is not None:
                        self.check_special(event)
                if len(above) >= _MOST_CONTAINERS:
                    raise self.error(event, NESTED_TOO_DEEPLY)
                above.append(items)
                items = []
            elif kind is sequence_end or kind is mapping_end:
                value: Data = items
                if kind is mapping_end:
                    one = len(items) == 2 and items[0].__class__ is str and items[0] != "<<"
                    value = ((items[0], items[1]),) if one else self.pairs(items)
                items = above.pop()
                items.append(value)
                if not plain:
                    anchor = anchors.pop()
                    if anchor is not None:
                        self.anchors[anchor] = value
            elif kind is yaml.AliasEvent:
                items.append(self.alias(event))
            elif kind is yaml.DocumentStartEvent and roots:
                raise self.error(
                    event, "a second document starts here: a tree file holds one, so split the file"
                )
            event = get_event()
        root = roots[0] if roots else ""
        if root == "":
            message = "the document is empty: `expectitree new` prints a tree to start from"
            raise FileError([Problem(self.name, message, line=1, column=1)])
        return Document(
            self.name,
            root,
            frozenset(self.shared),
            self.shares_text,
            lambda places: _locate(self.text, root, places),
        )

    def pairs(self, items: list[Data]) -> Data:
        """Return a mapping's keys and values, which the events give in turn, as pairs."""
        if len(items) == 4:  # as outcomes have, a p and a kind: half the time of the general way
            one, first, two, second = items
            if one.__class__ is str and two.__class__ is str and "<<" not in (one, two):
                return ((one, first), (two, second))
        keys = items[::2]
        try:
            if "<<" in "".join(keys):
                self.check_merge_keys()
        except TypeError:
            self.check_keys()
        return tuple(zip(keys, items[1::2])) or EmptyMapping()  # noqa: B905  # strict costs a quarter of this line

    def special_scalar(self, event: Any) -> str:
        self.check_special(event)
        value = SharedText(event.value)
        self.anchors[event.anchor] = value
        return value

    def check_special(self, event: Any) -> None:
        """Refuse a tag, and an anchor that was used before."""
        if event.tag is not None:
            tag = quote(_tag_as_written(event.tag))
            raise self.error(
                event, f"the tag {tag} is unknown: a tree file has none, text is read as it stands"
            )
        if event.anchor in self.anchors:
            raise self.error(
                event,
                f"the anchor &{_short(event.anchor)} was defined before: give each its own name",
            )
        self.anchors[event.anchor] = _OPEN

    def alias(self, event: Any) -> Data:
        if event.anchor not in self.anchors:
            raise self.error(
                event,
                f"the alias *{_short(event.anchor)} comes before any anchor &{_short(event.anchor)}: define it first",
            )
        value = self.anchors[event.anchor]
        if value is _OPEN:
            raise self.error(
                event,
                f"the alias *{_short(event.anchor)} lies within its own anchor: that is a cycle, and a tree has none",
            )
        if isinstance(value, str):
            self.shares_text = True
        else:
            self.shared.add(id(value))
        return value

    def check_merge_keys(self) -> None:
        for event, is_key in _with_roles(self.text):
            if (
                is_key
                and isinstance(event, yaml.ScalarEvent)
                and event.value == "<<"
                and event.implicit[0]
            ):
                raise self.error(
                    event,
                    "the merge key << is unknown: repeat the keys, or share a whole node by an alias or a ref",
                )

    def check_keys(self) -> None:
        for event, is_key in _with_roles(self.text):
            is_text = isinstance(event, yaml.ScalarEvent) or (
                isinstance(event, yaml.AliasEvent)
                and isinstance(self.anchors.get(event.anchor or ""), str)
            )
            if is_key and not is_text:
                raise self.error(event, "a key is a list or a mapping here: expected plain text")

    def error(self, event: Any, message: str) -> FileError:
        return FileError([_problem(self.name, event.start_mark, message)])


def _locate(text: str, root: Data, places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of each place, by reading the events again and counting lists and mappings."""
    ordinals = {id(container): ordinal for ordinal, container in enumerate(_containers(root))}
    where = [
        (-1, 0, False)
        if place.container is None
        else (ordinals[id(place.container)], place.at, place.of_key)
        for place in places
    ]
    wanted = set(where)
    found: dict[tuple[int, int, bool], Mark] = {}
    above: list[
        tuple[int, bool, int]
    ] = []  # of each open container: its ordinal, whether a mapping, items so far
    started = 0
    for event in events(text):
        if isinstance(event, yaml.CollectionEndEvent):
            above.pop()
        elif isinstance(event, yaml.NodeEvent):
            key = (-1, 0, False)
            if above:
                ordinal, is_mapping, count = above[-1]
                above[-1] = ordinal, is_mapping, count + 1
                key = (
                    (ordinal, count // 2, count % 2 == 0) if is_mapping else (ordinal, count, False)
                )
            if key in wanted:
                wanted.discard(key)
                found[key] = _line_and_column(event)
                if not wanted:
                    break
            if isinstance(event, yaml.CollectionStartEvent):
                above.append((started, isinstance(event, yaml.MappingStartEvent), 0))
                started += 1
    return [found.get(n) for n in where]


def _line_and_column(event: Any) -> Mark:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _containers(root: Data) -> Iterator[Data]:
    """Yield every list and mapping in the order of the text, one that aliases repeat where it was written."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        data = stack.pop()
        if isinstance(data, (list, tuple)) and id(data) not in seen:
            seen.add(id(data))
            yield data
            stack.extend(
                reversed(data)
                if isinstance(data, list)
                else [x for pair in reversed(data) for x in pair[::-1]]
            )


def _short(name: str) -> str:
    return quote(name)[1:-1]


def _tag_as_written(tag: str) -> str:
    standard = "tag:yaml.org,2002:"
    return f"!!{tag.removeprefix(standard)}" if tag.startswith(standard) else tag


def _with_roles(text: str) -> Iterator[tuple[Any, bool]]:
    """Yield every event that is or starts a value, and whether it stands where a mapping's key does."""
    above: list[int] = []  # of each open container: items so far, or -1 in a list
    for event in events(text):
        if isinstance(event, yaml.CollectionEndEvent):
            above.pop()
        elif isinstance(event, yaml.NodeEvent):
            is_key = False
            if above and above[-1] >= 0:
                is_key = above[-1] % 2 == 0
                above[-1] += 1
            yield event, is_key
            if isinstance(event, yaml.CollectionStartEvent):
                above.append(0 if isinstance(event, yaml.MappingStartEvent) else -1)


def _problem(name: str, mark: Any, message: str) -> Problem:
    if mark is None:
        return Problem(name, escape(message))
    return Problem(name, escape(message), line=mark.line + 1, column=mark.column + 1)


def _unreadable(text: str, name: str, error: Any) -> Problem:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if found is None:
        return Problem(name, f"this is not YAML: {escape(error.reason)}")
    before = text[: found.start()]
    line, column = before.count("\n") + 1, found.start() - before.rfind("\n")
    return Problem(
        name,
        f"the character {quote(found[0])} may not stand in YAML: remove it",
        line=line,
        column=column,
    )


def _syntax_hint(text: str, mark: Any) -> str:
    if mark is None:
        return ""
    line = text.split("\n", mark.line + 1)[mark.line] if text.count("\n") >= mark.line else ""
    if "\t" in line[: mark.column + 1]:
        return " (a tab: indent with spaces)"
    if line[mark.column : mark.column + 1] in ("%", "@", "`") and mark.column:
        return " (text that starts so must be quoted)"
    if _QUESTION.search(line):
        return ' (a ? must be quoted, as in `utility: "?"`)'
    return ""
