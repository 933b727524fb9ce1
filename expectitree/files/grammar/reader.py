"""The grammar of tree files, once for all formats: from a `Document` to a `Tree`.

Nothing recurses: the nodes between the root and the current one are frames on a stack, so sharing
may make a tree as deep as it likes. Errors are collected, each with its place and its path, up to
`MOST_PROBLEMS`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from itertools import islice
from typing import Any

from expectitree.errors import NumberError
from expectitree.files.grammar.branches import CHANCE, BranchReader, Frame, Warn
from expectitree.files.grammar.document import (
    MOST_NESTED,
    NESTED_TOO_DEEPLY,
    Data,
    Document,
    Place,
    SharedText,
)
from expectitree.files.grammar.expect import read_expectation
from expectitree.files.grammar.keys import (
    EXPECTED_NODE,
    KINDS,
    NODE_KEYS,
    ROOT_KEYS,
    SCHEMA_KEY,
    Header,
    KeyReader,
    place_of,
)
from expectitree.files.grammar.names import Names
from expectitree.files.grammar.problems import MOST_PROBLEMS, Problems, TooManyProblemsError
from expectitree.files.grammar.values import NOT_KNOWN, ValueReader
from expectitree.files.grammar.words import described
from expectitree.numbers import HOW, quote, to_number
from expectitree.tree import paths
from expectitree.tree.builder import NodeId, TreeBuilder
from expectitree.tree.model import Kind, Tree

_NO_SPACE_AFTER_COLON = re.compile(r"[A-Za-z]\w*:")
_CYCLE = "leads back to itself: that is a cycle, and a tree has none"


def read_tree(document: Document, exact: bool = False, warn: Warn | None = None) -> Tree:
    """Return the tree of a document; raise `FileError` with every error in it.

    `warn` is called for probabilities whose sum missed 1 a little and was divided out.
    """
    reader = TreeReader(document, exact, warn)
    try:
        tree = reader.read()
    finally:
        reader.release()
    if reader.out_of_bounds:  # read once more, to find the places of these nodes
        again = TreeReader(document, exact, None, tracked=frozenset(reader.out_of_bounds))
        again.read()
        again.release()
        with suppress(TooManyProblemsError):
            for node, message in reader.out_of_bounds.items():
                again.problems.add(*again.places[node], message)
        raise again.problems.failure()
    return tree


class TreeReader:
    """Reads one document; `stack` holds the nodes between the root and the current one."""

    def __init__(
        self,
        document: Document,
        exact: bool,
        warn: Warn | None,
        tracked: frozenset[int] = frozenset(),
    ) -> None:
        self.document, self.exact = document, exact
        self.tracked = tracked  # the nodes whose source position is wanted
        self.places: dict[int, tuple[Place, str]] = {}  # place and path of each tracked node
        self.out_of_bounds: dict[int, str] = {}  # node -> a message about its utility or estimate
        # Adding all the terminals below a node at once saves a third of the time of reading JSON.
        self.adds_at_once = not (tracked or document.shares_text)
        self.builder = TreeBuilder(exact)
        self.stack: list[Frame] = []
        self.base: tuple[str, ...] = ()  # the path of the bottom of the stack, in messages
        self.problems = Problems(document)
        self.values = ValueReader(exact, self.report)
        self.keys = KeyReader(self.values, self.allowed_keys, self.here)
        self.names = Names(self.keys_of, self.values)
        self.branches = BranchReader(document.name, self.builder, self.report, self.path, warn)
        self.done: dict[object, int] = {}  # identity of a shared node -> node
        self.open: set[object] = set()  # identities of the shared nodes on the stack
        self.bodies: set[int] = set()  # ids of the children, met so far, that an alias repeats
        self.utility = cache(lambda text: to_number(text, exact))

    def read(self) -> Tree:
        """Read the whole document; raise `FileError` with every error."""
        about: dict[str, Any] = {}
        root = 0
        with suppress(TooManyProblemsError):
            about = self.read_root_keys()
            root = self.read_node(self.document.root, ())
            for name in self.names:
                is_read = self.names.identity(name) in self.done or name in self.names.followed
                if not is_read:
                    self.read_node((("ref", name),), ("nodes", name))
        if self.problems.found:
            raise self.problems.failure()
        self.out_of_bounds = dict(islice(self.builder.outside_bounds(root), MOST_PROBLEMS))
        return self.builder.build(NodeId(root), check=False, **about)

    def release(self) -> None:
        """Break the reference cycles, which would keep a large document in memory for a while."""
        del self.values, self.keys, self.names, self.branches

    # ---- The root's own keys.

    def read_root_keys(self) -> dict[str, Any]:
        """Return title, source and expect, if they are there; remember the names under `nodes`."""
        root = self.document.root
        about: dict[str, Any] = {}
        if not isinstance(root, tuple):
            return about
        for index, (key, value) in enumerate(root):
            place = Place(root, index)
            if key in ("title", "source", SCHEMA_KEY):
                about[key] = self.values.text(value, place, f"the {key}")
            elif key == "expect":
                about[key] = read_expectation(value, place, self.exact, self.report)
            elif key == "nodes":
                self.names.read(value, place)
        about.pop(SCHEMA_KEY, None)
        return about

    # ---- Nodes.

    def read_node(self, data: Data, base: tuple[str, ...]) -> int:
        """Read one node and all below it; return its id."""
        bottom = Frame(Kind.TERMINAL, [data], None, 0)
        self.stack, self.base = [bottom], base
        while not bottom.ids:
            frame = self.stack[-1]
            if self.read_children(frame) and frame is not bottom:
                node = self.close(frame)
                self.stack.pop()
                self.stack[-1].ids.append(node)
        return bottom.ids[0]

    def read_children(self, frame: Frame) -> bool:
        """Read children until one has children of its own; return whether all are read."""
        ids, items = frame.ids, frame.items
        for at in range(len(ids), len(items)):
            item = items[at]
            node = self.terminal(item) if item.__class__ is str else self.enter(frame, item)
            if node is None:
                return False
            ids.append(node)
        return True

    def terminal(self, text: str, place: Place | None = None) -> int:
        """Add a terminal from its number's text; `place` is the current child's if it is None."""
        try:
            node = self.builder.add_terminal(self.utility(text))
        except NumberError as error:
            is_form = str(error).endswith(HOW)
            hint = ", or for an inner node a mapping with max, min or chance" if is_form else ""
            if _NO_SPACE_AFTER_COLON.match(text):
                hint = "; or is a space missing after the colon?"
            elif text == NOT_KNOWN:
                hint = '; a terminal that is not known yet is {utility: "?"}'
            return self.reject(place, f"{error}{hint}")
        if node in self.tracked:
            self.places[node] = place or self.here(), self.path()
        return node

    def enter(self, frame: Frame, item: Data) -> int | None:
        """Read the current child: return its id, or None if its own children come first."""
        keys = self.keys_of(item) if isinstance(item, tuple) else {}
        if "p" in keys:
            self.branches.read_p(frame, item, keys.pop("p"))
        if "label" in keys:
            self.branches.read_label(frame, item, keys.pop("label"))
        if "ref" in keys:
            named = self.names.follow(item, keys)
            if named is None:
                return self.placeholder()
            if named.note:
                frame.notes = frame.notes or {}
                frame.notes[len(frame.ids)] = named.note
            if named.identity in self.open:
                return self.reject(place_of(item, "ref"), f"the ref {quote(keys['ref'])} {_CYCLE}")
            return self.enter_target(
                frame, named.definition, named.keys, named.identity, named.place
            )
        is_shared = id(item) in self.document.shared or isinstance(item, SharedText)
        identity = id(item) if is_shared else None
        if identity in self.open:
            return self.reject(None, f"this node {_CYCLE}")
        return self.enter_target(frame, item, keys, identity)

    def enter_target(
        self,
        frame: Frame,
        item: Data,
        keys: dict[str, Data],
        identity: object,
        where: Place | None = None,
    ) -> int | None:
        """Read a node, given by its definition at `where`, as `enter` does."""
        if identity in self.done:
            return self.done[identity]
        node: int | None
        if isinstance(item, str):
            node = self.terminal(str(item), where)
        elif not isinstance(item, tuple):
            node = self.reject(where, f"found {described(item)}, {EXPECTED_NODE}")
        else:
            header = self.keys.read(item, keys, where)
            if header is None:
                node = self.placeholder()
            elif header[0]:
                node = self.enter_inner(frame, item, header, identity)
            else:
                node = self.long_terminal(item, header)
        if identity is not None and node is not None:
            self.done[identity] = node
        return node

    def enter_inner(self, frame: Frame, item: Data, header: Header, identity: object) -> int | None:
        """Put an inner node on the stack; return a placeholder's id if it has no valid children."""
        kind, body, about = header
        nested = frame.nested + 1 if identity is None else 1
        if nested >= MOST_NESTED:
            return self.reject(None, NESTED_TOO_DEEPLY)
        if not body or not isinstance(body, (list, tuple)):
            is_missing = not body and body is not False
            found = "has no children" if is_missing else f"has {described(body)} for children"
            expected = "expected a list of nodes, or a mapping from label to node"
            message = f"a {kind.name} node {found}: {expected}"
            return self.reject(_place_of_children(item), message)
        if id(body) in self.document.shared:
            if id(body) in self.bodies:
                share = "repeat them, or share a whole node by an alias or a ref"
                message = f"children by an alias: {share}"
                return self.reject(_place_of_children(item), message)
            self.bodies.add(id(body))
        is_list = isinstance(body, list)
        items = body if is_list else [child for _, child in body]
        child = Frame(kind, items, body, nested, about, identity)
        if self.tracked and about and "estimate" in about:
            child.place = place_of(item, "estimate")
        self.stack.append(child)
        if identity is not None:
            self.open.add(identity)
        if not is_list:
            self.branches.read_keys_as_labels(child)
        if not (self.adds_at_once and self.add_terminals(child)):
            return None
        node = self.close(child)
        self.stack.pop()
        return node

    def add_terminals(self, frame: Frame) -> bool:
        """Add the children of a node at once if all are plain numbers; return whether they are."""
        if frame.items[-1].__class__ is not str:
            return False
        try:
            utilities = [*map(self.utility, frame.items)]
        except (NumberError, TypeError):
            return False
        frame.ids += self.builder.add_terminals(utilities)
        return True

    def long_terminal(self, item: Data, header: Header) -> int:
        """Add a terminal that is written as a mapping."""
        _, body, noted = header
        about, place = noted or {}, place_of(item, "utility")
        utility = self.values.utility(body, place)
        if "estimate" in about:
            message = "an estimate is for inner nodes: a terminal has its utility"
            self.report(place_of(item, "estimate", True), message)
        if utility is None:
            return self.placeholder()
        node = self.builder.add_terminal(utility)
        self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        if node in self.tracked:
            self.places[node] = place, self.path()
        return node

    def close(self, frame: Frame) -> int:
        """Add the node of a frame whose children are all read; return its id."""
        about = frame.about or {}
        if frame.labels:
            self.branches.finish_labels(frame)
        node = self.builder.add_inner(
            frame.kind,
            frame.ids,
            self.branches.distribution(frame) if frame.kind == CHANCE else None,
            frame.labels,
            about.get("estimate"),
        )
        if about:
            self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        for place, note in (frame.notes or {}).items():
            self.builder.annotate_branch(node, place, note)
        if frame.identity is not None:
            self.open.discard(frame.identity)
            self.done[frame.identity] = node
        if node in self.tracked:
            assert frame.place is not None
            self.places[node] = frame.place, self.path(own=True)
        return node

    # ---- Keys.

    def keys_of(self, item: Data) -> dict[str, Data]:
        """Return the keys of a mapping, without the root's own; report duplicates."""
        keys = dict(item)
        if len(keys) != len(item):
            seen = set()
            for index, (key, _) in enumerate(item):
                if key in seen:
                    self.report(Place(item, index, True), f"duplicate key {quote(key)}: keep one")
                seen.add(key)
        if item is self.document.root:
            for key in (*ROOT_KEYS, SCHEMA_KEY):
                keys.pop(key, None)
        return keys

    def allowed_keys(self, is_named: bool) -> list[str]:
        """Return the keys that the current child may have."""
        frame = self.stack[-1]
        keys = [*NODE_KEYS]
        if is_named or not frame.kind or isinstance(frame.container, tuple):
            keys.remove("label")
        if is_named or frame.kind != CHANCE:
            keys.remove("p")
        return keys if is_named or frame.kind else [*keys, *ROOT_KEYS]

    # ---- Errors and their places.

    def report(self, place: Place, message: str, own: bool = False, at: int | None = None) -> None:
        """Note an error of the current child, of the child `at`, or with `own` of their parent."""
        self.problems.add(place, self.path(own, at), message)

    def reject(self, place: Place | None, message: str) -> int:
        """Note that the current child is not a node; return one that takes its place."""
        self.report(place or self.here(), message)
        return self.placeholder()

    def placeholder(self) -> int:
        return self.builder.add_terminal(to_number("0", self.exact))

    def here(self) -> Place:
        frame = self.stack[-1]
        return Place(frame.container, len(frame.ids)) if frame.kind else Place()

    def path(self, own: bool = False, at: int | None = None) -> str:
        frames = [frame for frame in self.stack[: -1 if own else None] if frame.kind]
        labels = [frame.label(len(frame.ids)) for frame in frames]
        if at is not None:
            labels[-1] = frames[-1].label(at)
        return paths.join([*self.base, *labels])


def _place_of_children(item: Data) -> Place:
    keys = [key for key, _ in item]
    return place_of(item, next(key for key in (*KINDS, "children") if key in keys))
