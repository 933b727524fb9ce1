"""YAML, from PyYAML's event stream: scalars as written, and marks only where they are needed.

`parse` reads the events once, without marks. To find the line and column of an error, it reads them
again up to that place. PyYAML's own loader would read `1e-3` and `1/3` as text, `12:30` as 750 and
`NO` as false, and would drop duplicate keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeAlias
from unicodedata import is_normalized

import yaml

from expectitree.base.errors import EMPTY, FileError
from expectitree.base.numbers import escape, quote
from expectitree.base.tree.paths import composed
from expectitree.files.grammar.document import (
    MAX_CONTAINERS,
    TOO_DEEP,
    Data,
    Document,
    GrammarError,
    Keys,
    Mark,
    Place,
    SharedText,
    error_at,
    error_in,
)
from expectitree.files.grammar.words import is_number
from expectitree.files.grammar.writer import Notation, tree_text

_MAX_READ = 1_024  # characters of a key: readers do not look back further, unless it has a `? `
MAX_KEY_LENGTH = 500  # characters of a key that is written without a `? `

Event: TypeAlias = Any  # of PyYAML, which has no types
YamlMark: TypeAlias = Any
_OPEN = object()  # the value of an anchor whose node has not ended
# A comment without a space after its #, as in `Plan #1`.
_COMMENT = re.compile(r"[ \t]+(#[^\s#!](?:.{0,80}\S)?)")
_BEFORE_NOTHING = re.compile(r"[\s:,\[{-]*[:,\[{-]")  # from a scalar to the place of an empty one
_NO_SPACE = r"""[^'"#\n]*[\w)]:[^\s'"]"""
_KEY = r"""[^\s"'#:,\[\]{}-][^"'#:,\[\]{}\n]*|"[^"\n]*"|'[^'\n]*'"""
# Blanks before values, also those that are no spaces for YAML; between them may be a key.
_ODD_BLANKS = dict.fromkeys(map(ord, "\N{NO-BREAK SPACE}\u2002\u2003\u2007\u2009\u202f\u3000"), " ")
_BLANK = r"[^\S\n]"
_BLANKS = (
    rf"(?m)(^{_BLANK}*(?:-{_BLANK}+)*|[\[{{]{_BLANK}*|,{_BLANK}+(?=[-+.\d\[{{\"']|(?:{_KEY}):{_BLANK}))"
    rf"(?:((?:{_KEY}):)({_BLANK}+))?"
)
_START = r"(?:^\s*(?:-\s+)*|[\[{,]\s*|(?P<before>:)\s+)"  # of a text
# Texts that have to be quoted: those that start with a sign, or end after quotes or brackets.
_SIGNED = (
    rf"""{_START}(?P<text>(?:%(?!YAML|TAG)|[@`]|[&*!](?![\w!<])|[|>](?![-+0-9]*\s*(?:\#|$))"""
    r"""|(?:"(?:[^"\\]|\\.){0,80}"|'(?:[^']|''){0,80}'|\[[^][,]{0,80}\])\s*[^\s:,\]}#])"""
    r"[^:,{}\[\]#]{0,80}?)(?=\s*(?:[,}\]]|\s\#|$|(?(before)(?!)|:(?:\s|$))))"
)
_MISREAD = {  # texts that YAML reads otherwise than their authors, and what to write
    _SIGNED: "text that starts so must be quoted: write `{quoted}`",
    r"""(?:^|[\s{\[,])(?P<text>[^\s"'#,{}\[\]:]{1,80}:)[\[{]""": "write a space after `{0}`",
    (
        rf"""{_START}(?P<text>[^\W\d][^"'#{{}}\[\],:]{{0,80}}?\s\#[^\s#][^:,}}\]]{{0,80}}?(?=\s*[:,}}\]])"""
        r"|(?<=:\s)#[^\s#][^,}\]]{0,80})"
    ): "a comment starts at the #; text with a # must be quoted: write `{quoted}`",
}
_NOT_BELOW = r"\A.*\n( *)[^ ].*\n(?!\1 )"  # the last line is not indented more than the second
# A part of PyYAML's message, a pattern, and what to do. The pattern is searched for in three lines:
# the one above, the one where the context starts, and the one of the problem, with \0 before it.
_SYNTAX_HINTS = (
    ("", r"\n(?=[^\0\n]*\t)[^\0\n]*\0|\0\t", "a tab: indent with spaces"),
    ("", r"[:,[{-][ \0]*\?[? \0]*(?:[],}#][^\n]*)?\Z", 'a ? must be quoted, as in `utility: "?"`'),
    ("", r"\A//|[\n\s]\0?//[^\n]*\Z", "a comment starts with #"),
    ("flow sequence that starts", _NOT_BELOW, "close it with ]"),
    ("flow mapping that starts", _NOT_BELOW, "close it with }"),
    ("expected ',' or ']'", r"\0\s*\Z", "close it with ]"),
    ("expected ',' or '}'", r"\0\s*\Z", "close it with }"),
    ("expected ',' or", r"\0[]}]", "close what is open before it"),
    ("expected ',' or", "", "is a comma missing here? Text with a colon must be quoted"),
    ("", r"\0[]}]", "remove it: it closes nothing"),
    ("quoted scalar", r"\0\Z", "close the quotes"),
    ("flow node", "\0,", "remove one of two commas"),
    (
        "",
        r"\n(?=[^\0\n]*: )[^\0\n]*\0:",
        "put text with a colon in quotes, and a mapping on lines of its own",
    ),
    ("mapping values", rf"\A{_NO_SPACE}", "write a space after each colon"),
    ("expected ':'", rf"\A.*\n{_NO_SPACE}", "write a space after each colon"),
    ("expected ':'", r"\n[-+./%\d\s]+\n", "a number next to keys is written as `utility: …`"),
    ("mapping values", r"\A[^:\n]*\n", "end the line above with a colon"),
    ("expected '-'", "", "write - before each item of a list"),
    ("mapping values", "", "indent the keys of one mapping alike"),
    ("expected key", "", "indent the keys of one mapping alike"),
)


# ---- Reading.


def parse(text: str, name: str) -> Document:
    """Return the structure of a YAML text; raise `FileError` with line and column."""
    if not text.isascii() and re.search(f"[{''.join(map(chr, _ODD_BLANKS))}]", text):
        text = re.sub(_BLANKS, _with_spaces, text)
    try:
        return _Parser(text, name).parse()
    except yaml.reader.ReaderError as error:
        character = yaml.reader.Reader.NON_PRINTABLE.search(text)
        if character is None:
            raise error_in(name, f"this is not YAML: {error.reason}") from None
        raise error_at(
            text,
            character.start(),
            name,
            f"the character {quote(character[0])} is not allowed in YAML\nremove it",
        ) from None
    except (OverflowError, ValueError) as error:  # PyYAML without libyaml, for an invalid escape
        raise error_in(name, f"this is not YAML: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark: YamlMark = error.problem_mark or error.context_mark
        if "nesting depth" in str(error.problem):  # PyYAML has a limit of its own since 6.0.4
            raise _error(name, mark, TOO_DEEP) from None
        lines = [*re.split("\r\n?|[\n\x85\u2028\u2029]", text), ""]
        raise _syntax_error(name, lines, mark, error) from None


def events(text: str) -> Iterator[Event]:
    """Return PyYAML's events, from libyaml if it is installed (ten times as fast)."""
    if yaml.__with_libyaml__:
        from yaml._yaml import CParser

        return iter(CParser(text).get_event, None)
    return iter(yaml.SafeLoader(text).get_event, None)


def _composed_events(text: str) -> Iterator[Event]:
    """Return events whose texts are composed (NFC): `ö` is one character, however it is typed."""
    read = events(text)
    if is_normalized("NFC", text):
        return read
    return map(_composed, read)


def _composed(event: Event) -> Event:
    if event.__class__ is yaml.ScalarEvent:
        event.value = composed(event.value)
    return event


class _Parser:
    """Turns the events of one text into a `Document`."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.anchors: Keys = {}
        self.containers: list[Data] = []  # in the order in which they end
        self.shared: set[int] = set()

    def parse(self) -> Document:
        """Read the events once. This loop takes most of the time of reading YAML."""
        has_properties = "&" in self.text or "!" in self.text  # else no anchor and no tag
        roots: list[Data] = []
        items = roots
        value: Data
        above: list[tuple[list[Data], str | None]] = []  # of each open container: items, anchor
        for event in _composed_events(self.text):
            kind = event.__class__
            if kind is yaml.ScalarEvent:
                is_special = has_properties and self.check_properties(event)
                value = SharedText(event.value) if is_special else event.value
                items.append(value)
                if is_special:
                    self.anchors[event.anchor] = value
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if has_properties:
                    self.check_properties(event)
                if len(above) >= MAX_CONTAINERS:
                    raise self.error(event, TOO_DEEP)
                above.append((items, event.anchor))
                items = []
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                value = items if kind is yaml.SequenceEndEvent else self.pairs(items)
                self.containers.append(value)
                items, anchor = above.pop()
                items.append(value)
                if anchor is not None:
                    self.anchors[anchor] = value
            elif kind is yaml.AliasEvent:
                items.append(self.alias(event))
            elif kind is yaml.DocumentStartEvent and roots:
                raise self.error(
                    event,
                    "a second document starts here, and a tree file holds one\nsplit the file",
                )
        if not roots or roots[0] == "":
            raise error_in(
                self.name,
                GrammarError(
                    "the document is empty",
                    None,
                    "`expectitree new` prints a tree to start from",
                    EMPTY,
                ),
                1,
                1,
            )
        locate = partial(_locate, self.text, self.containers)
        doubts = dict(_comment_doubts(self.text))
        return Document(self.name, roots[0], frozenset(self.shared), locate, self.text, doubts)

    def pairs(self, items: list[Data]) -> Data:
        """Return a mapping from its keys and values, which alternate."""
        keys = items[::2]
        try:
            is_usual = "<<" not in "".join(keys)
        except TypeError:
            is_usual = False
        if not is_usual:
            self.check_keys(keys)
        return tuple(zip(keys, items[1::2]))  # noqa: B905  # the argument takes 40% more time

    def check_properties(self, event: Event) -> bool:
        """Refuse a tag and a repeated anchor; return whether there is an anchor."""
        if event.tag is not None:
            tag = quote(event.tag.replace("tag:yaml.org,2002:", "!!", 1))
            raise self.text_error(event, f"the tag {tag} is unknown: a tree file has no tags\n")
        if event.anchor is None:
            return False
        if event.__class__ is yaml.ScalarEvent and not event.value:  # `&Co` is meant as text
            raise self.text_error(event, f"the anchor &{_short(event.anchor)} has no value\n")
        if event.anchor in self.anchors:
            raise self.error(
                event,
                f"the anchor &{_short(event.anchor)} was defined before\ngive each its own name",
            )
        self.anchors[event.anchor] = _OPEN
        return True

    def alias(self, event: Event) -> Data:
        name, value = _short(event.anchor), self.anchors.get(event.anchor)
        if value is None:
            raise self.text_error(
                event, f"the alias *{name} comes before any anchor &{name}\ndefine it first; "
            )
        if value is _OPEN:
            raise self.error(
                event,
                f"the alias *{name} lies within its own anchor: that is a cycle, and a tree "
                "has none\nwrite the lines again in its place, as far as they go",
            )
        if value:  # all empty mappings are one object
            self.shared.add(id(value))
        return value

    def check_keys(self, keys: Sequence[Data]) -> None:
        """Refuse a key of the mapping that ends here that is not text, or is a plain `<<`."""
        events = next(islice(_containers(self.text), len(self.containers), None))[::2]
        for key, event in zip(keys, events, strict=True):
            if not isinstance(key, str):
                raise self.error(event, "a key is a list or a mapping here\nwrite text as the key")
            if key == "<<" and isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
                raise self.error(
                    event,
                    "the merge key << is unknown\nrepeat the keys, or share a whole node by "
                    "an alias or a ref",
                )

    def error(self, event: Event, message: str | GrammarError) -> FileError:
        return _error(self.name, event.start_mark, message)

    def text_error(self, event: Event, message: str) -> FileError:
        """Return an error at an event that may be meant as text, with how to write that."""
        written: Any = re.match(
            r"(?:[^:,{}\[\]#\s]|[ :#](?=[^][{},:\s#])){1,80}", self.text[event.start_mark.index :]
        )
        return self.error(
            event,
            f"{message}text that starts so must be quoted: write `{NOTATION.quoted(written[0])}`",
        )


def _containers(text: str) -> Iterator[list[Event]]:
    """Yield the events of the items of each list and mapping, in the order in which they end.

    In a mapping, keys and values alternate. The root's event is last, in a list of its own.
    """
    above: list[list[Event]] = []
    items: list[Event] = []
    for event in events(text):
        if isinstance(event, yaml.CollectionEndEvent):
            yield items
            items = above.pop()
        elif isinstance(event, yaml.NodeEvent):
            items.append(event)
            if isinstance(event, yaml.CollectionStartEvent):
                above.append(items)
                items = []
    yield items


def _locate(text: str, containers: Sequence[Data], places: Sequence[Place]) -> list[Mark | None]:
    """Return line and column of each place, from a second reading of the events."""
    numbers = {id(container): number for number, container in enumerate(containers)}
    read = [*_containers(text)]
    marks: list[Mark | None] = []
    for container, index, of_key, offset in places:
        items = read[numbers.get(id(container), -1)]
        if isinstance(container, tuple):
            index = 2 * index + (not of_key)
        mark, end = items[index].start_mark, items[index].end_mark
        if offset:  # known only in a text without escapes and line ends
            quotes = end.index - mark.index - len(items[index].value)
            is_plain = quotes in (0, 2) and end.line == mark.line
            offset = is_plain * (offset + quotes // 2)
        marks.append((mark.line + 1, mark.column + 1 + offset))
    return marks


def _short(name: str) -> str:
    return quote(name)[1:-1]


def _error(name: str, mark: YamlMark, message: str | GrammarError) -> FileError:
    return error_in(name, message, mark.line + 1, mark.column + 1)


def _syntax_error(
    name: str, lines: Sequence[str], mark: YamlMark, error: yaml.MarkedYAMLError
) -> FileError:
    """Return the error for what PyYAML cannot read; `mark` is where the problem is."""
    if (length := _key_length(lines[mark.line], mark)) > _MAX_READ:
        return _error(
            name,
            mark,
            f"found a key of {length:,} characters, expected at most {_MAX_READ:,}\nshorten "
            "it, or write `? ` before it",
        )
    message, context = f"this is not YAML: {error.problem or error}", error.context_mark or mark
    if error.context:
        message += f" {error.context}"
        if context.line != mark.line:
            message += f" that starts in line {context.line + 1}"
    place, hint = _misread_text(lines, context.line, mark)
    hint = hint or _syntax_hint(lines, mark, lines[context.line], message)
    if hint.startswith("close it"):
        place = context.line + 1, context.column + 1
    if hint:
        message += f"\n{hint}"
    return error_in(name, message, *place)


def _key_length(line: str, mark: YamlMark) -> int:
    """Return the length of the key before the colon at a mark; 0 where there is none."""
    before, after = line[: mark.column].rstrip(), line[mark.column :]
    if not before or not after.startswith(":"):
        return 0
    if before[-1] in "\"'":
        start = before.rfind(before[-1], 0, -1)
    else:
        start = max(map(before.rfind, "{[,")) + 1
    key = before[start:].strip()
    if ": " in key:
        return 0
    return len(key)


def _with_spaces(match: re.Match[str]) -> str:
    blanks, key, more = match.groups("")
    return blanks.translate(_ODD_BLANKS) + key + more.translate(_ODD_BLANKS)


def _comment_doubts(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of each comment that may be the end of a text, and what to write."""
    if not re.search(r" #[^\s#!]", text):
        return
    end, line, counted = 0, 1, 0  # of the last scalar; the line of the last comment, and its place
    for event in events(text):
        kind = event.__class__
        if kind is not yaml.ScalarEvent:
            continue
        before, end = end, event.end_mark.index
        if not event.value and (colon := _BEFORE_NOTHING.match(text, before)):
            end = colon.end()
        comment = _COMMENT.match(text, end)
        if comment and event.implicit[0] and not is_number(event.value):
            whole = NOTATION.quoted(f"{event.value} {comment[1]}".strip())
            hint = f"for text, write `{whole:.200}`; for a comment, write a space after the #"
            line, counted = line + text.count("\n", counted, comment.start()), comment.start()
            yield line, [f"{quote(comment[1])} is a comment in YAML: {hint}"]


def _misread_text(lines: Sequence[str], first: int, mark: YamlMark) -> tuple[Mark, str]:
    """Return the place of a text that YAML reads otherwise than its author, and what to write.

    If there is none, the place is the mark. `first` is the line where the problem's context starts.
    """
    for number in sorted({first, max(0, mark.line - 1), mark.line}):
        for pattern, hint in _MISREAD.items():
            if match := re.search(pattern, lines[number][:_MAX_READ]):
                text = match["text"]
                hint = hint.format(text, quoted=NOTATION.quoted(text))
                return (number + 1, match.start("text") + 1), hint
    return (mark.line + 1, mark.column + 1), ""


def _syntax_hint(lines: Sequence[str], mark: YamlMark, start: str, message: str) -> str:
    """Return what to do about an error of syntax; nothing if that is unclear.

    `start` is the line where the problem's context starts.
    """
    line, column = lines[mark.line], mark.column
    above = ["", *filter(str.strip, lines[: mark.line])][-1]
    text = "\n".join((above[:_MAX_READ], start[:_MAX_READ], f"{line[:column]}\0{line[column:]}"))
    for problem, pattern, hint in _SYNTAX_HINTS:
        if problem in message and re.search(pattern, text):
            return hint
    return ""


# ---- Writing.

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_. -]*(?<! )|[A-Za-z0-9_.]+(/#?[A-Za-z0-9_.]+)*")
# Texts that readers with YAML's types, such as an editor's, would take for another type.
_TAKEN = re.compile(r"y|n|yes|no|on|off|true|false|null|[-+.]?(?:[0-9].*|inf|nan)", re.IGNORECASE)


class _YamlNotation(Notation):
    """The notation of YAML: a text is unquoted if every reader takes it for text."""

    opening, closing, margin, separator, item_head = "", "\n", "", "\n", "- "

    def quoted(self, text: str) -> str:
        if _BARE.fullmatch(text) and not _TAKEN.fullmatch(text):
            return text
        if '"' in text and "'" not in text and "\\" not in text and text.isprintable():
            return f"'{text}'"
        return escape(json.dumps(text, ensure_ascii=False))

    def number(self, text: str) -> str:
        return text

    def formula(self, text: str) -> str:
        """Return a formula as it is, unless it has a comma, or YAML takes it for another type."""
        if "," in text or text.isidentifier():
            return self.quoted(text)
        return text

    def number_key(self, number: str) -> str:
        return f"{number}:"

    def brackets(self, is_mapping: bool, margin: str) -> tuple[str, str]:
        return "\n", ""

    def block(self, head: str, indent: int, fields: list[str]) -> tuple[str, int, str]:
        """Return a mapping's fields on lines of their own; in a list, the first is at the dash."""
        margin = f"\n{' ' * (indent + 2)}"
        start = head if head.endswith("- ") else head.rstrip() + margin
        return start + margin.join([*fields, ""]), indent + 2, ""

    def fits(self, fields: list[str]) -> bool:
        return all(len(field) <= MAX_KEY_LENGTH for field in fields)

    def flow_key(self, key: str) -> str:
        """Return a key with its colon, and `? ` before a long one."""
        name = self.key(key)
        if len(name) > MAX_KEY_LENGTH:
            return f"? {name}"
        return name


NOTATION = _YamlNotation()
write = partial(tree_text, notation=NOTATION)
