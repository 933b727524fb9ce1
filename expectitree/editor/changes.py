"""Change one node in the text of a tree, and leave all else as it is, comments included.

A person may have written the text, so a change is made where the text has the node: nothing is
written anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, count
from typing import TypeAlias

from expectitree.analysis.verify.edit import PARTS, Part
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.numbers import number_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree import paths
from expectitree.base.tree.columns import NONE, Kind
from expectitree.files import loads
from expectitree.files.formats import format_of_text
from expectitree.files.grammar.document import mark_of
from expectitree.files.grammar.keys import KINDS, PAYMENTS, UTILITIES
from expectitree.files.grammar.values import are_probabilities
from expectitree.searches.engine import evaluate

Value: TypeAlias = str | Sequence[str]
_COMMA = re.compile(r"(?:\s|#[^\n]*+)*+,")  # after an item in brackets
_PLAIN_FORMULA = re.compile(r"-?[\w(.+][\w.+*/() -]*")  # that YAML needs no quotes for
_ANCHOR = re.compile(r"&\S+\s+")
_COMMENT = re.compile(r"\s+#")
_REST_OF_LINE = re.compile(r"\s*(#.*)?")


@dataclass(eq=False, slots=True)
class _Item:
    """A value in the text."""

    start: int  # after an anchor
    end: int
    text: str = ""  # of a scalar; the bracket of a list or a mapping
    is_plain: bool = True  # whether another value can replace it
    is_block: bool = False  # whether it is a list or a mapping without brackets
    alias: str = ""  # the anchor that an alias repeats
    items: list[_Item] = field(default_factory=list)  # in a mapping, keys and values alternate

    @property
    def is_mapping(self) -> bool:
        return self.text == "{" and bool(self.items)

    @property
    def pairs(self) -> list[tuple[_Item, _Item]]:
        """The entries: key and value, or in a list the value twice."""
        if self.is_mapping:
            return [*zip(self.items[::2], self.items[1::2], strict=True)]
        return [*zip(self.items, self.items, strict=True)]

    def text_of(self, key: str) -> str:
        """Return the text under a key of a mapping; empty if it has no such key."""
        value = self.value(key)
        return value.text if value else ""

    def find(self, key: str) -> int | None:
        """Return the place of an entry of a mapping."""
        keys = [head.text for head, _ in self.pairs * self.is_mapping]
        return keys.index(key) if key in keys else None

    def value(self, key: str) -> _Item | None:
        """Return the value under a key of a mapping."""
        at = self.find(key)
        return None if at is None else self.pairs[at][1]


def edited(text: str, path: str, what: str, value: Value = "", *, name: str = "tree.yaml") -> str:
    r"""Return the text of a tree with one node changed.

        >>> text = "max:\n  a: 3  # sure\n  b: {chance: [1, 2]}\n"
        >>> print(edited(edited(text, "a", "utility", "4"), "b", "add"), end="")
        max:
          a: 4  # sure
          b: {chance: [1, 2, 0]}

    Args:
        text: A tree in YAML or JSON.
        path: The path of the node.
        what: What to change: `label`, `utility`, `cost` or `reward`, with the new one as `value`;
            `kind`, with `max`, `min` or `chance` as `value`, or with a number: the utility of a
            leaf in place of the node and all below it; `p`, with the probabilities of all outcomes,
            which are empty if they are equally likely; `add` a child after the others; `remove` the
            node. The outcomes that stay keep their odds.
        value: The new text.
        name: The name of the file; its ending sets the format.

    Raises:
        ExpectitreeError: The text cannot be changed in this way.
    """
    if what not in _CHANGES:
        raise TreeError(f"unknown change {quote(what)}\nchoose one of {', '.join(_CHANGES)}")
    change = _Change(text, path, name)
    value = value.strip() if isinstance(value, str) else [p.strip() for p in value]
    _CHANGES[what](change, value)
    for start, end, written in sorted(change.edits, reverse=True):
        text = text[:start] + written + text[end:]
    changed = loads(text, name=name)
    if what == "label" and changed.branch_label(change.parent, change.branch) != value:
        raise TreeError(f"{quote(str(value))} is read as a probability here\nchoose another label")
    return text


def described(text: str, path: str, *, name: str = "tree.yaml") -> dict[str, object]:
    r"""Return what a form shows of a node: its fields as the text has them.

    >>> described("chance: {a: {p: 1/3, utility: 5}, b: {p: rest, utility: 1}}", "")["outcomes"]
    [('a', '1/3'), ('b', 'rest')]
    """
    change = _Change(text, path, name)
    tree, node, item = change.tree, change.node, change.item
    pays = next((key for key in PAYMENTS if item.value(key)), "cost")
    line, column = mark_of(text, item.start)
    found: dict[str, object] = {
        "line": line,
        "column": column,
        "kind": Kind(tree.columns.kind[node]).name,
        "pays": [pays, item.text_of(pays)],
        "label": None,
        "place": path,
        "value": "0",
    }
    if change.branch != NONE:
        found["label"] = tree.label[change.branch] or ""
    if not tree.unknown:
        found["value"] = number_text(evaluate(tree).lower[node])
    if change.is_leaf:
        value = change.value()
        found["utility"] = value.text
        if value.is_mapping:
            found["utility"] = change.raw(value)
        return found
    kind, children = change.body
    if kind.text == "chance":
        texts = [child.text_of("p") for _, child in children.pairs]
        if change.keys_are_p:
            texts = [key.text for key, _ in children.pairs]
        labels = [tree.branch_label(node, b) for b in tree.branches_of(node)]
        found["outcomes"] = [*zip(labels, texts, strict=True)]
    return found


def _is_number(text: str) -> bool:
    try:
        to_fraction(text)
    except NumberError:
        return False
    return True


class _Change:
    """One node in the text, and the edits of its change: where, and what replaces that."""

    def __init__(self, text: str, path: str, name: str) -> None:
        self.text, self.tree = text, loads(text, name=name)
        format = format_of_text(text, name)
        if format.is_foreign:
            raise TreeError(f"this is {format.title}\nconvert the file to YAML or JSON first")
        self.notation = format.module.NOTATION
        self.edits: list[tuple[int, int, str]] = []
        self.anchors: dict[str, _Item] = {}
        self.root = self.read(PARTS[format.name](text))
        self.node, self.branch, self.is_by_p = self.tree.root_id, NONE, False
        self.holder = self.item = self.root  # the list or mapping with the node; the node in it
        self.target = self.root  # the node to which an alias or a ref leads
        self.follow()
        labels = paths.split(path)
        for depth in range(len(labels)):
            branch = self.tree.find_branch(paths.join(labels[: depth + 1]))
            self.at = branch - self.tree.columns.first[self.node]
            self.holder, self.is_by_p = self.body[1], self.keys_are_p
            self.parent, self.node = self.node, self.tree.columns.child[branch]
            self.branch = branch
            self.item = self.target = self.holder.pairs[self.at][1]
            self.follow()

    def read(self, parts: Iterator[Part]) -> _Item:
        """Return the root of the text."""
        holder = _Item(0, 0)
        above = [holder]
        for part in parts:
            if part.step < 0:
                above.pop().end = part.end
                continue
            item = _Item(part.start, part.end, part.text, part.is_plain, part.is_block)
            if not part.is_plain:
                item.end = len(self.text[: part.end].rstrip())
            if part.text == "*" and not part.is_plain:
                item.alias = part.anchor
            elif part.anchor:
                self.anchors[part.anchor] = item
                if anchor := _ANCHOR.match(self.text, item.start):
                    item.start = anchor.end()
            above[-1].items.append(item)
            if part.step:
                above.append(item)
        return holder.items[0]

    def follow(self) -> None:
        """Go to the node that an alias or a ref leads to."""
        while self.target.alias or self.target.value("ref"):
            if self.target.alias:
                self.target = self.anchors[self.target.alias]
                continue
            nodes = self.root.value("nodes")
            target = nodes and nodes.value(self.target.text_of("ref"))
            assert target is not None
            self.target = target

    # ---- What the text has.

    @property
    def body(self) -> tuple[_Item, _Item]:
        """The entry of the node's kind, with its children; of a leaf, that of its utility."""
        entries = {key.text: (key, value) for key, value in self.target.pairs}
        wanted = UTILITIES if self.is_leaf else KINDS
        for key in wanted:
            if key in entries:
                return entries[key]
        raise TreeError("the node ends here by its `until`, without a `utility`\nchange the text")

    @property
    def keys_are_p(self) -> bool:
        """Whether the keys of the node's children are their probabilities."""
        kind, children = self.body
        keys = [(key.text, "") for key, _ in children.pairs]
        return kind.text == "chance" and children.is_mapping and are_probabilities(keys)

    @property
    def is_leaf(self) -> bool:
        return not self.tree.columns.kind[self.node]

    def value(self) -> _Item:
        """Return the number of a leaf, or the children of another node."""
        if self.target.is_mapping:
            return self.body[1]
        return self.target

    def own(self) -> _Item:
        """Return the branch to the node as it is written."""
        if self.item.alias:
            raise TreeError("this branch is an alias of another\nchange it in the text")
        return self.item

    def written(self, value: Value) -> str:
        """Return a number or a formula as the format writes it."""
        text = str(value)
        if not text:
            raise TreeError("nothing is written here: expected a number")
        if text[0] == "{" and self.tree.criteria:  # amounts by criterion
            return text
        write = self.notation.number
        if not _is_number(text):
            write = self.notation.text
            if _PLAIN_FORMULA.fullmatch(text):
                write = self.notation.formula
        return str(write(text))

    def raw(self, item: _Item) -> str:
        if not item.is_plain:
            raise TreeError("this is a block of text or an alias\nchange it in the text")
        return self.text[item.start : item.end]

    def number_key(self, number: str) -> str:
        """Return a number as a key without its colon."""
        return str(self.notation.number_key(number)).removesuffix(":")

    def pair(self, key: str, value: str) -> str:
        return f"{self.notation.key(key)} {value}"

    def head(self, holder: _Item, at: int) -> int:
        """Return where an entry starts: its key, its dash, or itself in brackets."""
        start = holder.pairs[at][0].start
        if holder.is_block and not holder.is_mapping:
            return self.text.rfind("-", 0, start)
        return start

    def line(self, place: int) -> int:
        """Return where the line of a place starts."""
        return self.text.rfind("\n", 0, place) + 1

    # ---- Edits.

    def replace(self, item: _Item, written: str) -> None:
        self.raw(item)
        self.edits.append((item.start, item.end, written))

    def put(self, item: _Item, key: str, written: str) -> None:
        """Set the value of a key of a node, which may have been a number until now."""
        if (value := item.value(key)) is not None:
            self.replace(value, written)
        elif not item.is_mapping:
            utility = self.pair(self.tree.utility_key, self.raw(item))
            self.replace(item, f"{{{self.pair(key, written)}, {utility}}}")
        else:
            start = item.pairs[0][0].start
            separator = ", "
            if item.is_block:
                separator = f"\n{' ' * (start - self.line(start))}"
            self.edits.append((start, start, f"{self.pair(key, written)}{separator}"))

    def drop_keys(self, item: _Item, *keys: str) -> None:
        """Remove entries of a mapping that it may have."""
        self.drop(item, [at for at in map(item.find, keys) if at is not None])

    def drop(self, holder: _Item, gone: Collection[int], keeps: bool = True) -> None:
        """Remove entries of a list or a mapping, but not all; it `keeps` comments after them."""
        pairs, text = holder.pairs, self.text
        kept = [at for at in range(len(pairs)) if at not in gone]
        done = 0
        for at in sorted(gone):
            start, end = self.head(holder, at), pairs[at][1].end
            if start < done:
                continue
            following = next((k for k in kept if k > at), None)
            if holder.is_block and keeps and _COMMENT.match(text, end):
                self.edits.append((start, end, ""))
            elif holder.is_block:
                line = self.line(start)
                if following is not None and text[line:start].strip():  # after a dash
                    done = self.head(holder, following)
                    self.edits.append((start, done, ""))
                else:
                    self.edits.append((line, end + len(text[end:].partition("\n")[0]) + 1, ""))
            elif following is not None:
                done = pairs[following][0].start
                comma = _COMMA.match(text, end)
                has_comment = comma and _COMMENT.search(text, comma.end(), pairs[at + 1][0].start)
                self.edits.append((start, comma.end() if comma and has_comment else done, ""))
            else:
                before, done = pairs[kept[-1]][1].end, pairs[-1][1].end
                comma = _COMMA.match(text, before)
                if comma and _COMMENT.search(text, before, start):
                    self.edits += [(comma.end() - 1, comma.end(), ""), (start, done, "")]
                else:
                    self.edits.append((before, done, ""))

    def append(self, holder: _Item, entry: str) -> None:
        """Write an entry after those of a list or a mapping."""
        text, after = self.text, holder.pairs[-1][1].end
        start = self.head(holder, len(holder.pairs) - 1)
        line, between = self.line(start), ","
        if holder.is_block:
            between = ""
        elif comma := _COMMA.match(text, after):
            after, between = comma.end(), ""
        end = text.find("\n", after) % (len(text) + 1)
        is_alone = not text[line:start].strip() and _REST_OF_LINE.fullmatch(text, after, end)
        if holder.is_block or (is_alone and line):
            self.edits.append(
                (after, end, f"{between}{text[after:end]}\n{' ' * (start - line)}{entry}")
            )
        else:
            self.edits.append((after, after, f"{between} {entry}"))

    # ---- Changes.

    def set_label(self, value: Value) -> None:
        """Write another label."""
        label = self.notation.text(str(value))
        if self.branch == NONE:
            raise TreeError("the root has no label\nchange the title in the text")
        if not value:
            raise TreeError("nothing is written here: expected a label")
        if self.holder.is_mapping and not self.is_by_p:
            self.replace(self.holder.pairs[self.at][0], label)
        else:
            self.put(self.own(), "label", label)

    def set_utility(self, value: Value) -> None:
        """Write another utility of a leaf."""
        if not self.is_leaf:
            raise TreeError("this node has children: a utility is for a leaf")
        self.replace(self.value(), self.written(value))

    def set_amount(self, key: str, value: Value) -> None:
        """Write what the branch costs or pays; nothing removes it."""
        if value:
            self.put(self.own(), key, self.written(value))
        else:
            self.drop_keys(self.own(), key)

    def set_kind(self, value: Value) -> None:
        """Make a leaf the only child of a node, or an inner node one of another kind or a leaf."""
        target, kind = self.target, str(value)
        if target.find("until") is not None and (self.is_leaf or kind not in KINDS):
            raise TreeError("the node repeats until a condition holds\nchange it in the text")
        if self.is_leaf and kind not in KINDS:
            self.set_utility(value)
            return
        if self.is_leaf:
            number = self.value()
            raw = self.raw(number)
            if not _is_number(number.text):
                raw = f"{{{self.pair(self.tree.utility_key, raw)}}}"
            node = self.pair(kind, f"[{raw}]")
            if target.is_mapping:
                self.edits.append((self.body[0].start, number.end, node))
            else:
                self.replace(target, f"{{{node}}}")
            return
        key, children = self.body
        leaving = ["event"]
        if kind in KINDS:
            self.replace(key, self.notation.text(kind))
            if key.text != "chance" or kind == "chance":
                return
            self.clear_probabilities()
        else:
            leaf = self.pair(self.tree.utility_key, self.written(value))
            self.edits.append((key.start, children.end, leaf))
            leaving.append("estimate")
        self.drop_keys(target, *leaving)

    def clear_probabilities(self) -> None:
        if self.keys_are_p:
            raise TreeError("the outcomes have their probabilities as keys\nchange it in the text")
        for _, child in self.body[1].pairs:
            self.drop_keys(child, "p")

    def set_probabilities(self, value: Value) -> None:
        """Write the probabilities of all outcomes; if all are empty, they are equally likely."""
        if self.is_leaf:
            raise TreeError("a leaf has no outcomes\nchoose its kind first")
        pairs, by_p = self.body[1].pairs, self.keys_are_p
        if isinstance(value, str) or len(value) != len(pairs):
            raise TreeError(f"expected {len(pairs)} probabilities, one for each outcome")
        if not any(value) and not by_p:
            self.clear_probabilities()
            return
        for (key, child), p in zip(pairs, value, strict=True):
            if by_p:
                if key.text != p:
                    self.replace(key, self.number_key(self.written(p)))
            elif (was := child.value("p")) is None or was.text != p:
                if child.alias:
                    raise TreeError("an outcome is an alias of another\nchange it in the text")
                self.put(child, "p", self.written(p))

    def add(self, value: Value) -> None:
        """Write a leaf after the children: its utility is 0, and its probability too."""
        if self.is_leaf:
            raise TreeError("a leaf has no children\nchoose its kind first")
        key, children = self.body
        has_p = key.text == "chance" and any(child.value("p") for _, child in children.pairs)
        zero = self.notation.number("0")
        leaf = zero
        if has_p:
            leaf = f"{{{self.pair('p', zero)}, {self.pair(self.tree.utility_key, zero)}}}"
        if self.keys_are_p:
            leaf = f"{self.notation.number_key(zero)} {leaf}"
        elif children.is_mapping:
            taken = {head.text for head, _ in children.pairs}
            names = chain(["new"], (f"new {n}" for n in count(2)))
            leaf = self.pair(next(name for name in names if name not in taken), leaf)
        elif children.is_block:
            leaf = f"- {leaf}"
        self.append(children, leaf)

    def remove(self, value: Value) -> None:
        """Remove the node; the outcomes that stay keep their odds."""
        if self.branch == NONE:
            raise TreeError("the root cannot be removed")
        pairs = self.holder.pairs
        if len(pairs) == 1:
            raise TreeError("a node needs a child\nmake it a leaf instead")
        columns, formulas = self.tree.columns, self.tree.formulas
        first = self.branch - self.at
        branches = range(first, first + len(pairs))
        is_written = not formulas or not any(b in formulas.probabilities for b in branches)
        gone = Fraction(columns.probability[self.branch])
        has_p = self.is_by_p or any(child.value("p") for _, child in pairs)
        if is_written and has_p and 0 < gone < 1:
            for b, (key, child) in zip(branches, pairs, strict=True):
                if b == self.branch:
                    continue
                p = number_text(Fraction(columns.probability[b]) / (1 - gone))
                if self.is_by_p:
                    p = {"1": "1.0"}.get(p, p)  # a key 1 is a label
                    self.replace(key, self.number_key(self.notation.number(p)))
                elif was := child.value("p"):
                    self.replace(was, self.notation.number(p))
        self.drop(self.holder, [self.at], keeps=False)


_CHANGES: dict[str, Callable[[_Change, Value], None]] = {
    "label": _Change.set_label,
    "utility": _Change.set_utility,
    "cost": lambda change, value: change.set_amount("cost", value),
    "reward": lambda change, value: change.set_amount("reward", value),
    "kind": _Change.set_kind,
    "p": _Change.set_probabilities,
    "add": _Change.add,
    "remove": _Change.remove,
}
