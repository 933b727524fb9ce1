"""A tree as text: YAML or JSON, piece by piece, so that it may be larger than memory.

What several branches lead to stands once, under the root's `nodes`, and a `ref` elsewhere; so does,
every so many plies, a part that would nest too deeply. A node whose children are all terminals
stands on one line where it fits.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any, TypeAlias

from expectitree import compiling
from expectitree.errors import TreeError
from expectitree.files.grammar.expect import written_expectation
from expectitree.files.grammar.flow import flow, number, number_text, text
from expectitree.files.grammar.keys import NOT_KNOWN
from expectitree.numbers import Number, escape
from expectitree.tree import scans
from expectitree.tree.model import Column, Kind, Repeated, Tree

_NESTED = 100  # nodes in one another; the grammar allows 300, and people like fewer
_WIDE = 110  # characters of a node on one line, unless its children are plain numbers
_MOST_ON_A_LINE = 1_000  # children
_LONGEST_FIELD = (
    500  # of a mapping on one line, in YAML, whose readers look back 1,024 characters for a key
)
_LONGEST_KEY = 100  # characters: YAML allows 1,024 bytes, which escapes may fill
_KEYS = ("utility", "max", "min", "chance")

Pieces: TypeAlias = (
    "Generator[str | Pieces, None, None]"  # text, and in between what comes next in full
)


def tree_text(tree: Tree, is_json: bool) -> Iterator[str]:
    """Yield the text of a tree, piece by piece.

    Raises `TreeError` where the grammar cannot hold a number.
    """
    if tree.estimated:
        path = escape(tree.path_of(min(tree.estimated)))
        raise TreeError(
            f"{path}: that this terminal is an estimate cannot be written: write the tree before its cut"
        )
    stack = [_Writer(tree, is_json).document()]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, str):
            yield piece
        else:
            stack.append(piece)


class _Writer:
    def __init__(self, tree: Tree, is_json: bool) -> None:
        self.tree, self.is_json = tree, is_json
        self.named = _named(tree)  # [N] the number in a node's name, 0 where it has none
        self.equal: dict[
            int, Number
        ] = {}  # number of outcomes -> the probability of each, if equally likely

    # ---- The document: the root's keys, the named nodes, the tree.

    def document(self) -> Pieces:
        tree = self.tree
        root = len(tree) - 1
        about: dict[str, Any] = {"title": tree.title, "source": tree.source}
        if tree.expect is not None:
            about["expect"] = written_expectation(tree.expect)
        fields = [self.pair(key, value) for key, value in about.items() if value is not None]
        fields += self.own_fields(root)
        nodes = (n for n in tree.first_paths.order if self.named[n]) if len(self.named) else ()
        if self.is_json:
            yield "{\n"
            yield from (f"  {field},\n" for field in fields)
            if self.has_names():
                yield '  "nodes": {\n'
                yield self.separated(
                    (self.node(n, f'    "{self.name(n)}":', 4, []) for n in nodes), "\n  },\n"
                )
            yield self.body(root, 2)
            yield "\n}\n"
        else:
            yield from (f"{field}\n" for field in fields)
            if self.has_names():
                yield "nodes:\n"
                yield self.separated((self.node(n, f"  {self.name(n)}:", 2, []) for n in nodes), "")
            yield self.body(root, 0)
            yield "\n"

    def has_names(self) -> bool:
        return not isinstance(self.named, Repeated)

    def name(self, node: int) -> str:
        return f"n{self.named[node]}"

    def separated(self, items: Iterable[Pieces], end: str) -> Pieces:
        """The items, each on lines of its own."""
        comma = ",\n" if self.is_json else "\n"
        first = True
        for item in items:
            if not first:
                yield comma
            first = False
            yield item
        yield end or "\n"

    # ---- A node, after the head of its line: a key, or the dash of a list.

    def node(self, n: int, head: str, indent: int, branch_fields: list[str]) -> Pieces:
        fields = branch_fields + self.own_fields(n)
        line = self.line(n, fields)
        if line is not None:
            yield f"{head}{' ' if head.strip() else ''}{line}"
        elif self.is_json:
            yield f"{head}{' ' if head.strip() else ''}{{"
            yield "".join(f"{field}, " for field in fields)
            yield self.body(n, indent, opened=True)
            yield "}"
        else:
            is_item = head.endswith("-")
            yield from self.field_lines(head, indent, fields)
            yield " " if is_item and not fields else "\n"
            yield self.body(n, indent + 2, opened=is_item and not fields)

    def field_lines(self, head: str, indent: int, fields: list[str]) -> Iterator[str]:
        """Fields on lines of their own; the first stands beside the dash of a list."""
        yield head
        for place, field in enumerate(fields):
            yield (
                f" {field}"
                if head.endswith("-") and not place
                else f"\n{' ' * (indent + 2)}{field}"
            )

    def body(self, n: int, indent: int, opened: bool = False) -> Pieces:
        """The kind of a node, as a key, and its children; `opened` if something stands before it on its line."""
        tree, margin = self.tree, " " * indent
        kind, _, first, _, _ = tree.columns
        yield ("" if opened else margin) + self.key(_KEYS[kind[n]])
        if not kind[n]:
            yield f" {self.utility(n)}"
            return
        flow_children = self.flow_children(n)
        if flow_children is not None:
            yield f" {flow_children}"
            return
        begin, end = first[n], first[n + 1]
        labelled = self.is_labelled(n)
        equal = self.is_equally_likely(n)

        def items() -> Iterator[Pieces]:
            for b in range(begin, end):
                if labelled:
                    head = f"{margin}  {self.key(tree.branch_label(n, b))}"
                else:
                    head = f"{margin}  " if self.is_json else f"{margin}  -"
                yield self.child(b, head, indent + 2, self.branch_fields(n, b, labelled, equal))

        if self.is_json:
            yield " {\n" if labelled else " [\n"
            yield self.separated(items(), f"\n{margin}{'}' if labelled else ']'}")
        else:
            yield "\n"
            yield self.separated_lines(items())

    def separated_lines(self, items: Iterable[Pieces]) -> Pieces:
        for place, item in enumerate(items):
            if place:
                yield "\n"
            yield item

    def child(self, b: int, head: str, indent: int, fields: list[str]) -> Pieces:
        c = self.tree.columns.child[b]
        if self.named[c]:
            fields.append(self.pair("ref", self.name(c)))
            if self.is_json or all(len(field) <= _LONGEST_FIELD for field in fields):
                yield f"{head}{' ' if head.strip() else ''}{{{', '.join(fields)}}}"
            else:
                yield from self.field_lines(head, indent, fields)
        else:
            yield self.node(c, head, indent, fields)

    # ---- What stands on one line.

    def line(self, n: int, fields: list[str]) -> str | None:
        """A node on one line, None where it has no room there."""
        if not self.is_json and any(len(field) > _LONGEST_FIELD for field in fields):
            return None
        kind, utility, _, _, _ = self.tree.columns
        if not kind[n]:
            value = self.utility(n)
            is_bare = not fields and utility[n] == utility[n]
            return (
                value
                if is_bare
                else f"{{{', '.join([*fields, self.key('utility') + ' ' + value])}}}"
            )
        children = self.flow_children(n)
        if children is None:
            return None
        return f"{{{', '.join([*fields, self.key(_KEYS[kind[n]]) + ' ' + children])}}}"

    def flow_children(self, n: int) -> str | None:
        """The children of a node as a list or a mapping on one line, None where they have no room there."""
        tree = self.tree
        kind, utility, first, child, _ = tree.columns
        begin, end = first[n], first[n + 1]
        children = child[begin:end] if end - begin <= _MOST_ON_A_LINE else ()
        if not len(children) or any(kind[c] or self.named[c] for c in children):
            return None
        equal = self.is_equally_likely(n)
        if (
            equal
            and not self.has_labels(n)
            and not tree.notes
            and not tree.local_bounds
            and not tree.unknown
        ):
            return f"[{', '.join([self.number(utility[c], c) for c in children])}]"
        labelled = self.is_labelled(n)
        items = []
        for b, c in zip(range(begin, end), children, strict=True):
            item = self.line(c, self.branch_fields(n, b, labelled, equal) + self.own_fields(c))
            if item is None:
                return None
            items.append(f"{self.key(tree.branch_label(n, b))} {item}" if labelled else item)
        opening, closing = "{}" if labelled else "[]"
        whole = f"{opening}{', '.join(items)}{closing}"
        return whole if len(whole) <= _WIDE else None

    # ---- Keys and values.

    def key(self, key: str) -> str:
        return f"{text(key, self.is_json)}:"

    def pair(self, key: str, value: object) -> str:
        return f"{self.key(key)} {flow(value, self.is_json)}"

    def utility(self, n: int) -> str:
        value = self.tree.columns.utility[n]
        return self.number(value, n) if value == value else text(NOT_KNOWN, self.is_json)

    def number(self, value: Number, n: int) -> str:
        """The text of a number that is said of a node."""
        try:
            return number(number_text(value), self.is_json)
        except TreeError as error:
            raise TreeError(f"{escape(self.tree.path_of(n))}: {error}") from None

    def branch_fields(self, n: int, b: int, labelled: bool, equal: bool) -> list[str]:
        tree = self.tree
        fields = []
        if not labelled and tree.label[b] is not None:
            fields.append(self.pair("label", tree.label[b]))
        if tree.columns.kind[n] == Kind.CHANCE and not equal:
            fields.append(f"{self.key('p')} {self.number(tree.columns.probability[b], n)}")
        if b in tree.branch_notes:
            fields.append(self.pair("note", tree.branch_notes[b]))
        return fields

    def own_fields(self, n: int) -> list[str]:
        tree = self.tree
        fields = []
        estimate = tree.columns.utility[n] if tree.columns.kind[n] else None
        if estimate is not None and estimate == estimate:
            fields.append(f"{self.key('estimate')} {self.number(estimate, n)}")
        if n in tree.local_bounds:
            ends = ", ".join(self.number(end, n) for end in tree.local_bounds[n])
            fields.append(f"{self.key('bounds')} [{ends}]")
        if n in tree.notes:
            fields.append(self.pair("note", tree.notes[n]))
        return fields

    def is_labelled(self, n: int) -> bool:
        """Say whether some branch has a label: then the children are a mapping, where `#k` labels the others.

        (A label too long for a key of YAML stands beside its node, in a list.)
        """
        label, first = self.tree.label, self.tree.columns.first
        if isinstance(label, Repeated):
            return False
        own = [text for b in range(first[n], first[n + 1]) if (text := label[b]) is not None]
        return bool(own) and max(map(len, own)) <= _LONGEST_KEY

    def has_labels(self, n: int) -> bool:
        label, first = self.tree.label, self.tree.columns.first
        return not isinstance(label, Repeated) and any(
            label[b] is not None for b in range(first[n], first[n + 1])
        )

    def is_equally_likely(self, n: int) -> bool:
        """Say whether nothing needs to be written of the probabilities: that is how they are read then."""
        kind, _, first, _, probability = self.tree.columns
        if kind[n] != Kind.CHANCE:
            return True
        begin, end = first[n], first[n + 1]
        count = end - begin
        if count not in self.equal:
            self.equal[count] = (probability[begin] * 0 + 1) / count
        equal = self.equal[count]
        return all(probability[b] == equal for b in range(begin, end))


def _named(tree: Tree) -> Column:
    """Return a number for each node that stands under `nodes`, in the order in which they are first met; else 0."""
    order, _, _, depth = tree.first_paths
    if not tree.is_sharing and tree.heights[-1] < _NESTED and not tree.branch_notes:
        return Repeated(0, len(tree))
    numbers = compiling.zeros("i", len(tree))
    if tree.is_sharing:
        tree.scan(scans.number_shared, tree.columns, order, numbers)
    noted = {
        tree.columns.child[b] for b in tree.branch_notes
    }  # a note of a branch stands beside a `ref`
    count = 0
    for n in order:
        if numbers[n] or n in noted or (depth[n] and depth[n] % _NESTED == 0):
            count += 1
            numbers[n] = count
    return numbers if count else Repeated(0, len(tree))
