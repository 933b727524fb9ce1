"""A tree as text, piece by piece, so that the text may be larger than memory.

A node that several branches lead to is written once, under the root's `nodes`, and as a `ref`
elsewhere. The same goes for a part that would nest too deeply. A node whose children are all
terminals is on one line if it fits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator
from typing import Any, TypeAlias

from expectitree import compiling
from expectitree.errors import TreeError
from expectitree.files.grammar.expect import written_expectation
from expectitree.files.grammar.flow import Notation, number_text
from expectitree.files.grammar.keys import KINDS
from expectitree.files.grammar.values import NOT_KNOWN
from expectitree.numbers import Number, escape
from expectitree.tree import scans
from expectitree.tree.columns import Column, Repeated
from expectitree.tree.model import Kind, Tree

_NESTED = 100  # nodes within nodes; the grammar allows 300, but people like fewer
_WIDE = 110  # characters of a node on one line, unless its children are plain numbers
_MOST_ON_A_LINE = 1_000  # children
_LONGEST_LABEL = 100  # characters of a key: YAML allows 1,024 bytes, and an escape takes ten
_KEYS: dict[int, str] = {Kind.TERMINAL: "utility", **{kind: key for key, kind in KINDS.items()}}

# Text, or what takes its place in full.
Pieces: TypeAlias = "Generator[str | Pieces, None, None]"


def tree_text(tree: Tree, writer: TreeWriter) -> Iterator[str]:
    """Yield the text of a tree; raise `TreeError` if the grammar cannot express something in it."""
    if tree.estimated:
        path = escape(tree.path_of(min(tree.estimated)))
        message = "this terminal is an estimate, which cannot be written: write the uncut tree"
        raise TreeError(f"{path}: {message}")
    stack = [writer.document()]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, str):
            yield piece
        else:
            stack.append(piece)


def separated(items: Iterable[Pieces], separator: str) -> Pieces:
    """Yield items with a separator between them."""
    for place, item in enumerate(items):
        if place:
            yield separator
        yield item


class TreeWriter(ABC):
    """Writes one tree; a format says how a text begins and ends, and how lines are laid out."""

    notation: Notation
    opening: str
    closing: str
    margin: str  # before the root's keys
    separator: str  # between the root's keys
    item_head: str  # before an item of a list

    def __init__(self, tree: Tree) -> None:
        self.tree, self.columns = tree, tree.columns
        self.named = _named(tree)  # [N] the number in a node's name, 0 if it has no name
        self.equal: dict[int, Number] = {}  # count of outcomes -> probability if equally likely

    @abstractmethod
    def block(self, n: int, head: str, indent: int, fields: list[str]) -> Pieces:
        """Write a node over several lines, after `head`: a key, or the beginning of an item."""

    @abstractmethod
    def enclose(self, items: Iterable[Pieces], is_mapping: bool, margin: str) -> Pieces:
        """Write children over several lines, after the key of their parent."""

    def fits(self, fields: list[str]) -> bool:
        """Return whether the format allows these fields in a mapping on one line."""
        return True

    def field_lines(self, head: str, indent: int, fields: list[str]) -> Pieces:
        """Write fields on several lines, if they do not fit on one."""
        raise NotImplementedError

    # ---- The document: the root's keys, the named nodes, the tree.

    def document(self) -> Pieces:
        tree = self.tree
        root = tree.root_id
        about: dict[str, Any] = {"title": tree.title, "source": tree.source}
        if tree.expect is not None:
            about["expect"] = written_expectation(tree.expect)
        fields = [self.pair(key, value) for key, value in about.items() if value is not None]
        yield self.opening
        for field in fields + self.own_fields(root):
            yield f"{self.margin}{field}{self.separator}"
        if not isinstance(self.named, Repeated):
            indent = len(self.margin) + 2
            nodes = (n for n in tree.first_paths.order if self.named[n])
            items = (self.node(n, f"{' ' * indent}{self.name(n)}: ", indent, []) for n in nodes)
            yield f"{self.margin}{self.notation.key('nodes')}"
            yield from self.enclose(items, True, self.margin)
            yield self.separator
        yield self.body(root, len(self.margin))
        yield self.closing

    def name(self, n: int) -> str:
        return self.notation.text(f"n{self.named[n]}")

    def node(self, n: int, head: str, indent: int, branch_fields: list[str]) -> Pieces:
        """Write a node after `head`, on one line if it fits."""
        fields = branch_fields + self.own_fields(n)
        line = self.line(n, fields)
        yield self.block(n, head, indent, fields) if line is None else f"{head}{line}"

    def body(self, n: int, indent: int, opened: bool = False) -> Pieces:
        """Write the kind of a node as a key, and its children.

        `opened` says that something is before the key on its line.
        """
        margin = " " * indent
        yield ("" if opened else margin) + self.notation.key(_KEYS[self.columns.kind[n]])
        on_a_line = self.flow_children(n) if self.columns.kind[n] else self.utility(n)
        if on_a_line is not None:
            yield f" {on_a_line}"
            return
        labelled, equal = self.is_labelled(n), self.is_equally_likely(n)

        def item(b: int) -> Pieces:
            label = f"{self.notation.key(self.tree.branch_label(n, b))} " if labelled else ""
            head = f"{margin}  {label or self.item_head}"
            return self.child(b, head, indent + 2, self.branch_fields(n, b, labelled, equal))

        yield from self.enclose(map(item, self.branches(n)), labelled, margin)

    def branches(self, n: int) -> range:
        return self.tree.branches_of(n)

    def child(self, b: int, head: str, indent: int, fields: list[str]) -> Pieces:
        c = self.columns.child[b]
        if not self.named[c]:
            yield self.node(c, head, indent, fields)
            return
        fields = [*fields, f"{self.notation.key('ref')} {self.name(c)}"]
        if self.fits(fields):
            yield f"{head}{{{', '.join(fields)}}}"
        else:
            yield from self.field_lines(head, indent, fields)

    # ---- Parts that fit on one line.

    def line(self, n: int, fields: list[str]) -> str | None:
        """Return a node on one line, None if it does not fit."""
        if not self.fits(fields):
            return None
        kind = self.columns.kind[n]
        body = self.flow_children(n) if kind else self.utility(n)
        if body is None:
            return None
        if not kind and not fields and not self.is_unknown(n):
            return body
        return f"{{{', '.join([*fields, f'{self.notation.key(_KEYS[kind])} {body}'])}}}"

    def flow_children(self, n: int) -> str | None:
        """Return the children of a node on one line, None if they do not fit."""
        tree, kind, child = self.tree, self.columns.kind, self.columns.child
        branches = self.branches(n)
        if len(branches) > _MOST_ON_A_LINE:
            return None
        if any(kind[child[b]] or self.named[child[b]] for b in branches):
            return None
        equal, labelled = self.is_equally_likely(n), self.is_labelled(n)
        is_plain = not (tree.notes or tree.local_bounds or tree.unknown)
        if is_plain and equal and not self.labels(n):
            return f"[{', '.join([self.utility(child[b]) for b in branches])}]"
        items = []
        for b in branches:
            c = child[b]
            item = self.line(c, self.branch_fields(n, b, labelled, equal) + self.own_fields(c))
            if item is None:
                return None
            label = f"{self.notation.key(tree.branch_label(n, b))} " if labelled else ""
            items.append(f"{label}{item}")
        opening, closing = "{}" if labelled else "[]"
        whole = f"{opening}{', '.join(items)}{closing}"
        return whole if len(whole) <= _WIDE else None

    # ---- Keys and values.

    def pair(self, key: str, value: object) -> str:
        return f"{self.notation.key(key)} {self.notation.flow(value)}"

    def is_unknown(self, n: int) -> bool:
        utility = self.columns.utility[n]
        return bool(utility != utility)

    def utility(self, n: int) -> str:
        if self.is_unknown(n):
            return self.notation.text(NOT_KNOWN)
        return self.number(self.columns.utility[n], n)

    def number(self, value: Number, n: int) -> str:
        """Return the text of a number that belongs to a node."""
        try:
            return self.notation.number(number_text(value))
        except TreeError as error:
            raise TreeError(f"{escape(self.tree.path_of(n))}: {error}") from None

    def branch_fields(self, n: int, b: int, labelled: bool, equal: bool) -> list[str]:
        tree, fields = self.tree, []
        if not labelled and tree.label[b] is not None:
            fields.append(self.pair("label", tree.label[b]))
        if self.columns.kind[n] == Kind.CHANCE and not equal:
            probability = self.number(self.columns.probability[b], n)
            fields.append(f"{self.notation.key('p')} {probability}")
        if b in tree.branch_notes:
            fields.append(self.pair("note", tree.branch_notes[b]))
        return fields

    def own_fields(self, n: int) -> list[str]:
        tree, fields = self.tree, []
        estimate = self.columns.utility[n] if self.columns.kind[n] else None
        if estimate is not None and estimate == estimate:
            fields.append(f"{self.notation.key('estimate')} {self.number(estimate, n)}")
        if n in tree.local_bounds:
            ends = ", ".join(self.number(end, n) for end in tree.local_bounds[n])
            fields.append(f"{self.notation.key('bounds')} [{ends}]")
        if n in tree.notes:
            fields.append(self.pair("note", tree.notes[n]))
        return fields

    def labels(self, n: int) -> list[str]:
        """Return the labels that are written at the branches of a node."""
        label = self.tree.label
        if isinstance(label, Repeated):
            return []
        return [text for b in self.branches(n) if (text := label[b]) is not None]

    def is_labelled(self, n: int) -> bool:
        """Return whether the children are a mapping, in which `#k` labels those without a label.

        (A label too long for a key is next to its node, in a list.)
        """
        labels = self.labels(n)
        return bool(labels) and max(map(len, labels)) <= _LONGEST_LABEL

    def is_equally_likely(self, n: int) -> bool:
        """Return whether a reader finds the probabilities without any `p`."""
        if self.columns.kind[n] != Kind.CHANCE:
            return True
        branches, probability = self.branches(n), self.columns.probability
        count = len(branches)
        if count not in self.equal:
            self.equal[count] = (probability[branches[0]] * 0 + 1) / count
        return all(probability[b] == self.equal[count] for b in branches)


def _named(tree: Tree) -> Column:
    """Return [N] the number of each node under `nodes`, in the order of a walk; 0 of the others."""
    order, depth = tree.first_paths.order, tree.first_paths.depth
    if not tree.is_sharing and tree.heights[-1] < _NESTED and not tree.branch_notes:
        return Repeated(0, len(tree))
    numbers = compiling.zeros("i", len(tree))
    if tree.is_sharing:
        tree.scan(scans.number_shared, tree.columns, order, numbers)
    # The note of a branch is next to a `ref`.
    noted = {tree.columns.child[b] for b in tree.branch_notes}
    count = 0
    for n in order:
        if numbers[n] or n in noted or (depth[n] and depth[n] % _NESTED == 0):
            count += 1
            numbers[n] = count
    return numbers if count else Repeated(0, len(tree))
