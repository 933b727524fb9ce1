"""The grammar of tree files, once, for all formats: from a `Document` to a `Tree`.

Nothing recurses: the nodes between the root and the one being read lie on a stack of frames, so that sharing may
make a tree as deep as it likes. Errors are collected, each with its place and its path, up to `MOST_PROBLEMS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from expectitree import path as paths
from expectitree.builder import NodeId, TreeBuilder, label_at
from expectitree.errors import FileError, NumberError, Problem, TreeError
from expectitree.files.document import MOST_NESTED, NESTED_TOO_DEEPLY, Data, Document, Place, SharedText
from expectitree.files.expect import read_expectation
from expectitree.files.keys import EXPECTED_NODE, KINDS, ROOT_KEYS, place_of, read_keys, read_number, read_text
from expectitree.files.words import described, nearest
from expectitree.number import HOW, Number, printable, quoted, shortest, to_number, to_probability
from expectitree.tree import Tree

MOST_PROBLEMS = 20
_LONGEST_PATH = 200  # characters of a path in a message

_MOST_KNOWN = 10_000  # utilities of runs remembered by their text; where these hardly repeat it gains nothing

# A run of plain decimals is checked at once; whatever else is written is read one by one.
_PLAIN_RUN = re.compile(r"[-+.0-9]{1,300}(?: [-+.0-9]{1,300})*")

Warn = Callable[[str], None]


def read_tree(document: Document, exact: bool = False, warn: Warn | None = None) -> Tree:
    """Return the tree of a document; raise `FileError` with everything that is wrong in it.

    `warn` is told of probabilities that missed 1 and were divided out.
    """
    reader = _Reader(document, exact, warn)
    tree = reader.read()
    if reader.out_of_bounds:  # read once more, to find where these nodes are written
        again = _Reader(document, exact, None, tracked=frozenset(reader.out_of_bounds))
        again.read()
        raise again.failure([(*again.places[n], message) for n, message in reader.out_of_bounds.items()])
    return tree


class _TooManyProblemsError(Exception):
    """Enough was found wrong."""


class _Frame:
    """A node whose children are being read (or, at the bottom of the stack, what holds the root)."""

    # What few nodes have is a class attribute until it is there: making a frame is a fifth of reading JSON.
    written: list[Number] | None = None  # probabilities, where given
    about: dict[str, Any] | None = None  # estimate, bounds, note
    notes: dict[int, str] | None = None  # beside a ref, by the child's place
    memo: object = None  # what this node is known by, where it is shared
    place = Place()
    differ = False  # the labels are known to

    def __init__(self, kind: int, items: list[Data], container: Data, nested: int) -> None:
        self.kind = kind  # 0 at the bottom of the stack
        self.items = items  # the children as written
        self.container = container  # what holds them in the document
        self.nested = nested  # nodes within nodes in the text
        self.ids: list[int] = []  # of the children that are in the table
        self.labels: list[str | None] | None = None


class _Named(NamedTuple):
    """What a name under `nodes` comes to, other names followed."""

    definition: Data
    place: Place
    memo: object  # what the node is known by
    note: str | None


class _Reader:
    def __init__(
        self, document: Document, exact: bool, warn: Warn | None, tracked: frozenset[int] = frozenset()
    ) -> None:
        self.document, self.exact, self.warn = document, exact, warn
        self.tracked = tracked  # nodes of which it is asked where they are written
        self.places: dict[int, tuple[Place, str]] = {}  # the answers: place and path
        self.reads_runs = not (exact or tracked or document.shares_text)
        self.out_of_bounds: dict[int, str] = {}  # node -> what is wrong with its utility or estimate
        self.warnings = 0
        self.builder = TreeBuilder(exact)
        self.stack: list[_Frame] = []
        self.base: tuple[str, ...] = ()  # where the bottom of the stack stands, in messages
        self.problems: list[tuple[Place, str, str]] = []
        self.names: dict[str, Place] = {}
        self.done: dict[object, int] = {}  # what a shared node is known by -> node
        self.open: set[object] = set()  # the same, of nodes on the stack
        self.followed: dict[str, _Named | None] = {}  # name -> what it comes to
        self.bodies: set[int] = set()  # lists and mappings of children that an alias repeats, once met
        self.numbers: dict[str, Number] = {}  # utilities by their text
        self.probabilities: dict[str, Number] = {}

    def read(self) -> Tree:
        about: dict[str, Any] = {}
        root = 0
        try:
            about = self.read_root_keys()
            root = self.read_node(self.document.root, ())
            for name in self.names:
                if self.memo_of_name(name) not in self.done and name not in self.followed:
                    self.read_node((("ref", name),), ("nodes", name))
        except _TooManyProblemsError:
            pass
        if self.problems:
            raise self.failure(self.problems)
        self.out_of_bounds = dict(islice(self.builder.outside_bounds(root), MOST_PROBLEMS))
        return self.builder.build(NodeId(root), check=False, **about)

    # ---- The root's own keys.

    def read_root_keys(self) -> dict[str, Any]:
        """Return title, source and expect, as far as they are there; remember the names under `nodes`."""
        root = self.document.root
        about: dict[str, Any] = {}
        if not isinstance(root, tuple):
            return about
        for index, (key, value) in enumerate(root):
            place = Place(root, index)
            if key in ("title", "source"):
                about[key] = read_text(value, f"the {key}", self.report, place)
            elif key == "expect":
                about[key] = read_expectation(value, place, self.exact, self.report)
            elif key == "nodes":
                self.read_names(value, place)
        return about

    def read_names(self, nodes: Data, place: Place) -> None:
        if not isinstance(nodes, tuple):
            self.report(place, f"found {described(nodes)} under nodes, expected a mapping from name to node")
            return
        for index, (name, _) in enumerate(nodes):
            if name in self.names:
                self.report(Place(nodes, index, True), f"duplicate name {quoted(name)} under nodes: keep one")
            self.names[name] = Place(nodes, index)

    def definition(self, name: str) -> Data:
        nodes, index, _ = self.names[name]
        return nodes[index][1]

    # ---- Nodes.

    def read_node(self, data: Data, base: tuple[str, ...]) -> int:
        """Read one node and all below it; return its id."""
        bottom = _Frame(0, [data], None, 0)
        self.stack, self.base = [bottom], base
        while not bottom.ids:
            self.read_children(self.stack[-1])
        return bottom.ids[0]

    def read_children(self, frame: _Frame) -> None:
        """Read on at a frame until a child with children of its own comes on the stack, or all are read."""
        ids, items = frame.ids, frame.items
        for place in range(len(ids), len(items)):
            item = items[place]
            node = self.terminal(item) if item.__class__ is str else self.enter(frame, place, item)
            if node is None:
                return
            ids.append(node)
        if frame.kind:
            node = self.close(frame)
            self.stack.pop()
            self.stack[-1].ids.append(node)

    def read_run(self, kind: int, items: list[Data], labels: list[str] | None) -> int | None:
        """Add a node whose children are all plain terminals, as most nodes are, at once; None where one is not."""
        utilities: list[Number] | None
        try:
            utilities = [*map(self.numbers.__getitem__, items)]
        except (KeyError, TypeError):  # one was not met before, or is no text
            utilities = self.read_plain(items)
            if utilities is None:
                return None
        probabilities = self.builder.distribution(None, len(items))[0] if kind == 3 else None
        return self.builder.add_run(kind, utilities, probabilities, labels)

    def read_plain(self, items: list[Data]) -> list[Number] | None:
        """Return the utilities of plain decimals, checked all at once; None where something else is among them."""
        try:
            if not _PLAIN_RUN.fullmatch(" ".join(items)):
                return None
            utilities: list[Number] = [*map(float, items)]
        except (TypeError, ValueError):  # something else is among them: one by one, then
            return None
        if len(self.numbers) < _MOST_KNOWN:
            self.numbers.update(zip(items, utilities, strict=True))
        return utilities

    def terminal(self, text: str, place: Place | None = None) -> int:
        """Add a terminal from its number's text; `place` is where the current child is, if nothing is said."""
        utility = self.numbers.get(text)
        if utility is None:
            try:
                utility = self.numbers[text] = to_number(text, self.exact)
            except NumberError as error:
                hint = ", or for an inner node a mapping with max, min or chance" if str(error).endswith(HOW) else ""
                return self.reject(place, f"{error}{hint}")
        node = self.builder.add_terminal(utility)
        if node in self.tracked:
            self.places[node] = place or self.here(), self.path()
        return node

    def enter(self, frame: _Frame, place: int, item: Data) -> int | None:
        """Read the child at `place`: return its id, or None where its own children come first."""
        target, where, memo = item, None, None
        keys: dict[str, Data] = {}
        ref: Data = None
        if isinstance(item, tuple):
            keys = dict(item)
            if len(keys) != len(item) or item is self.document.root:
                keys = self.keys_of(item)
            if "p" in keys:
                self.read_p(frame, item, keys.pop("p"))
            if "label" in keys:
                self.read_label(frame, place, item, keys.pop("label"))
            if "ref" in keys:
                ref = keys["ref"]
                found = self.follow(frame, place, item, keys)
                if found is None:
                    return self.placeholder()
                target, where, memo, _ = found
                keys = dict(target) if isinstance(target, tuple) else {}
                keys.pop("p", None)
                keys.pop("label", None)
            elif id(item) in self.document.shared:
                memo = id(item)
        elif item.__class__ is SharedText:
            memo = id(item)
        if memo is not None:
            if memo in self.done:
                return self.done[memo]
            if memo in self.open:
                what = "this node" if ref is None else f"the ref {quoted(ref)}"
                at = None if ref is None else place_of(item, "ref")
                return self.reject(at, f"{what} leads back to itself: that is a cycle, and a tree has none")
        if isinstance(target, tuple):
            node = self.enter_mapping(frame, target, keys, memo, where)
        elif isinstance(target, str):
            node = self.terminal(str(target), where)
        else:
            node = self.reject(where, f"found {described(target)}, {EXPECTED_NODE}")
        if memo is not None and node is not None:
            self.done[memo] = node
        return node

    def enter_mapping(
        self, frame: _Frame, item: Data, keys: dict[str, Data], memo: object, where: Place | None
    ) -> int | None:
        about = None
        if len(keys) == 1:
            ((kind_key, body),) = keys.items()
        if len(keys) != 1 or kind_key not in KINDS:
            kind_key, body, about = read_keys(item, keys, self.exact, self.report, where or self.here())
        kind = KINDS.get(kind_key)
        if kind is None:
            return self.placeholder() if not kind_key else self.long_terminal(item, body, about)
        nested = frame.nested + 1 if memo is None else 1
        if nested >= MOST_NESTED:
            return self.reject(None, NESTED_TOO_DEEPLY)
        if id(body) in self.document.shared:
            if id(body) in self.bodies:
                message = "children by an alias: repeat them, or share a whole node by an alias or a ref"
                return self.reject(place_of(item, "children" if "children" in keys else kind_key), message)
            self.bodies.add(id(body))
        labels = None
        if body.__class__ is list and body:
            items = body
        elif body.__class__ is tuple and body:
            labels, items = [key for key, _ in body], [value for _, value in body]
        else:
            key = "children" if "children" in keys else kind_key
            what = f"has {described(body)} for children" if body or body is False else "has no children"
            return self.reject(
                place_of(item, key),
                f"a {kind.name} node {what}: expected a list of nodes, or a mapping from label to node",
            )
        plain = labels is None or _are_plain(labels)
        if plain and not about and items[-1].__class__ is str and self.reads_runs:
            node = self.read_run(kind, items, labels)
            if node is not None:
                return node
        child = _Frame(kind, items, body, nested)
        if about:
            child.about = about
        if self.tracked and about and "estimate" in about:
            child.place = place_of(item, "estimate")
        self.stack.append(child)
        if memo is not None:
            child.memo = memo
            self.open.add(memo)
        if plain:
            child.labels, child.differ = labels, labels is not None
        else:
            self.read_labels(child, body)
        return None

    def long_terminal(self, item: Data, body: Data, about: dict[str, Any] | None) -> int:
        utility = read_number(body, self.exact, self.report, place_of(item, "utility"))
        node = self.builder.add_terminal(utility)
        if about:
            if "estimate" in about:
                self.report(
                    place_of(item, "estimate", True), "an estimate is for inner nodes: a terminal has its utility"
                )
            self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        if node in self.tracked:
            self.places[node] = place_of(item, "utility"), self.path()
        return node

    def close(self, frame: _Frame) -> int:
        """Add the node of a frame whose children are all read; return its id."""
        about, labels = frame.about, frame.labels
        if labels is not None and not frame.differ:
            labels.extend([None] * (len(frame.ids) - len(labels)))
            self.check_labels(frame, labels)
        probabilities = self.distribution(frame) if frame.kind == 3 else None
        node = self.builder.add_inner(
            frame.kind, frame.ids, probabilities, labels, about.get("estimate") if about else None
        )
        if about:
            self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        if frame.notes:
            for place, note in frame.notes.items():
                self.builder.annotate_branch(node, place, note)
        if frame.memo is not None:
            self.open.discard(frame.memo)
            self.done[frame.memo] = node
        if node in self.tracked:
            self.places[node] = frame.place, self.path(own=True)
        return node

    # ---- Keys, refs and names.

    def keys_of(self, item: Data) -> dict[str, Data]:
        keys = dict(item)
        if len(keys) != len(item):
            seen = set()
            for index, (key, _) in enumerate(item):
                if key in seen:
                    self.report(Place(item, index, True), f"duplicate key {quoted(key)}: keep one")
                seen.add(key)
        if item is self.document.root:
            for key in ROOT_KEYS:
                keys.pop(key, None)
        return keys

    def follow(self, frame: _Frame, place: int, item: Data, keys: dict[str, Data]) -> _Named | None:
        """Follow a ref to what it names; a note beside it, or else beside a ref on the way, is the branch's."""
        names: list[str] = []
        notes = [self.read_beside_ref(item, keys)]
        found: _Named | None = None
        while "ref" in keys:
            name = keys["ref"]
            if not isinstance(name, str) or name not in self.names:
                what = "nothing: quote a name that starts with #" if name == "" else described(name)
                self.report(place_of(item, "ref"), f"unknown ref {what}: {self.known_names(name)}")
                break
            if name in self.followed:
                found = self.followed[name]
                break
            if name in names:
                message = f"the ref {quoted(name)} leads back to itself: that is a cycle, and a tree has none"
                self.report(place_of(item, "ref"), message)
                break
            names.append(name)
            item = self.definition(name)
            keys = self.keys_of(item) if isinstance(item, tuple) else {}
            for key in ("p", "label"):
                if key in keys:
                    del keys[key]
                    message = f"the key {quoted(key)} belongs to a branch: write it beside the ref"
                    self.report(place_of(item, key, True), message)
            if "ref" in keys:
                notes.append(self.read_beside_ref(item, keys))
            else:
                notes.append(None)
                found = _Named(item, self.names[name], self.memo_of_name(name), None)
        for name, note in zip(reversed(names), reversed(notes), strict=False):
            if found is not None and note is not None:
                found = found._replace(note=note)
            self.followed[name] = found
        if found is not None and (notes[0] or found.note):
            frame.notes = frame.notes or {}
            frame.notes[place] = notes[0] or found.note or ""
        return found

    def read_beside_ref(self, item: Data, keys: dict[str, Data]) -> str | None:
        """Return the note beside a ref; nothing else may stand there."""
        note = None
        for key, value in keys.items():
            if key == "note":
                note = read_text(value, "a note", self.report, place_of(item, "note"))
            elif key != "ref":
                message = f"the key {quoted(key)} does not go with ref: only p, label and note do"
                self.report(place_of(item, key, True), message)
        return note

    def memo_of_name(self, name: str) -> object:
        """Return what a named node is known by: its object, or its name where that is a plain scalar."""
        definition = self.definition(name)
        by_object = isinstance(definition, SharedText) or (isinstance(definition, tuple) and definition)
        return id(definition) if by_object else name

    def known_names(self, name: Data) -> str:
        if not self.names:
            return "nothing is defined under the root's `nodes:`; define it there"
        hint = nearest(name, self.names) if isinstance(name, str) else ""
        some = ", ".join(quoted(known)[1:-1] for known in list(self.names)[:8])
        return f"the names under nodes are {some}{', …' if len(self.names) > 8 else ''}{hint}"

    # ---- Labels and probabilities.

    def read_labels(self, frame: _Frame, pairs: Data) -> None:
        """Take the keys of a mapping as the labels of its values, looking at each."""
        frame.labels = []
        for index, (key, _) in enumerate(pairs):
            frame.labels.append(self.checked_label(key, index + 1, Place(pairs, index, True), f"#{index + 1}"))

    def checked_label(self, label: str, place: int, where: Place, child: str | None = None) -> str | None:
        try:
            return label_at(str(label), place)
        except TreeError as error:
            self.report(where, str(error), child=child)
            return None

    def read_label(self, frame: _Frame, place: int, item: Data, value: Data) -> None:
        where = place_of(item, "label")
        if not frame.kind:
            self.report(place_of(item, "label", True), "the root has no branch that a label could name: use title")
        elif frame.container.__class__ is tuple:
            self.report(place_of(item, "label", True), "a label beside a label: here the mapping's key is the label")
        elif not isinstance(value, str):
            self.report(where, f"found {described(value)} as a label, expected text")
        else:
            frame.labels = frame.labels or []
            frame.labels.extend([None] * (place - len(frame.labels)))
            frame.labels.append(self.checked_label(value, place + 1, where))

    def check_labels(self, frame: _Frame, labels: list[str | None]) -> None:
        """Report each label that a sibling has already."""
        if len(set(labels)) + max(labels.count(None) - 1, 0) == len(labels):
            return
        seen: set[str] = set()
        for index, label in enumerate(labels):
            if label is not None and label in seen:
                where = Place(frame.container, index, frame.container.__class__ is tuple)
                item = frame.items[index]
                if frame.container.__class__ is list and isinstance(item, tuple):
                    where = place_of(item, "label")
                self.report(where, f"duplicate label {quoted(label)} among siblings: give each its own", own=True)
            seen.add(label or "")

    def read_p(self, frame: _Frame, item: Data, value: Data) -> None:
        if frame.written is None:
            frame.written = []
        known = self.probabilities.get(value) if value.__class__ is str else None
        if known is not None and frame.kind == 3:
            frame.written.append(known)
            return
        where = place_of(item, "p")
        if frame.kind != 3:
            above = (
                "the root has no branch"
                if not frame.kind
                else f"at a {('', 'MAX', 'MIN')[frame.kind]} node a player picks"
            )
            self.report(where._replace(of_key=True), f"a p is for the outcomes of CHANCE, and {above}: take it out")
            return
        if not isinstance(value, str):
            self.report(
                where, f"{described(value)} is no probability: write a number between 0 and 1, such as 1/3 or 10%"
            )
            known = _UNREAD
        else:
            try:
                known = self.probabilities[value] = to_probability(value, self.exact)
            except NumberError as error:
                self.report(where, str(error))
                known = _UNREAD
        frame.written.append(known)

    def distribution(self, frame: _Frame) -> list[Number]:
        """Return the probabilities of a chance node whose outcomes are all read."""
        count, written = len(frame.ids), frame.written
        if written and len(written) < count:
            for index, item in enumerate(frame.items):
                if not isinstance(item, tuple) or "p" not in dict(item):
                    label = frame.labels[index] if frame.labels else None
                    message = (
                        f"the outcome {printable(label or f'#{index + 1}')} has no p, and {len(written)} of its "
                        f"siblings {'has' if len(written) == 1 else 'have'} one: give every outcome a p, or none"
                    )
                    self.report(Place(frame.container, index), message, own=True)
                    break
            return []
        if written and _UNREAD in written:
            return []
        try:
            probabilities, divided = self.builder.distribution(written, count)
        except TreeError as error:
            self.report(Place(frame.container, 0), str(error), own=True)
            return []
        if divided is not None and self.warn is not None:
            self.warnings += 1
            if self.warnings <= MOST_PROBLEMS:
                self.warn(
                    f"{self.document.name}: {_shortened(self.path(own=True))}: the probabilities sum to "
                    f"{shortest(divided)}, not 1; each was divided by that sum"
                )
            elif self.warnings == MOST_PROBLEMS + 1:
                self.warn(f"{self.document.name}: there are more such sums, divided out alike")
        return probabilities

    # ---- What is wrong, and where.

    def report(self, place: Place, message: str, own: bool = False, child: str | None = None) -> None:
        """Note a problem of the current child (`own`: of the node whose children are read; `child`: of that one)."""
        path = paths.join([*paths.split(self.path(own=True)), child]) if child else self.path(own)
        self.problems.append((place, path, printable(message)))
        if len(self.problems) >= MOST_PROBLEMS:
            raise _TooManyProblemsError

    def reject(self, place: Place | None, message: str) -> int:
        """Note that the current child is no node, and return one to stand in its place."""
        self.report(place or self.here(), message)
        return self.placeholder()

    def placeholder(self) -> int:
        return self.builder.add_terminal(to_number("0", self.exact))

    def here(self) -> Place:
        frame = self.stack[-1]
        return Place(frame.container, len(frame.ids)) if frame.kind else Place()

    def path(self, own: bool = False) -> str:
        labels = list(self.base)
        for frame in self.stack[: -1 if own else None]:
            if frame.kind:
                at = len(frame.ids)
                label = frame.labels[at] if frame.labels and at < len(frame.labels) else None
                labels.append(label or f"#{at + 1}")
        return paths.join(labels)

    def failure(self, problems: list[tuple[Place, str, str]]) -> FileError:
        """Return the error that tells all problems, with line and column where the format knows them."""
        told = problems[:MOST_PROBLEMS]
        marks = self.document.locate([place for place, _, _ in told])
        return FileError(
            [
                Problem(self.document.name, message, _shortened(where), *(mark or (None, None)))
                for (_, where, message), mark in zip(told, marks, strict=True)
            ],
            stopped=len(problems) >= MOST_PROBLEMS,
        )


_UNREAD: Any = object()  # stands for a probability that could not be read


def _are_plain(labels: list[str]) -> bool:
    """Say whether labels need no closer look: they differ, none is empty, and none could be `#k`."""
    return len(set(labels)) == len(labels) and "" not in labels and "#" not in "".join(labels)


def _shortened(path: str) -> str:
    path = printable(path)
    return path if len(path) <= _LONGEST_PATH else f"{path[:90]}…{path[-90:]}"
