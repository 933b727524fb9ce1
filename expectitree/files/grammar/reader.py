"""The grammar of tree files, once, for all formats: from a `Document` to a `Tree`.

Nothing recurses: the nodes between the root and the one being read lie on a stack of frames, so
that sharing may make a tree as deep as it likes. Errors are collected, each with its place and its
path, up to `MOST_PROBLEMS`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from expectitree.errors import NumberError
from expectitree.files.grammar.branches import Branches, Frame, Warn, are_plain
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
    NOT_KNOWN,
    ROOT_KEYS,
    SCHEMA_KEY,
    place_of,
    read_keys,
    read_text,
    read_utility,
)
from expectitree.files.grammar.names import Names
from expectitree.files.grammar.problems import MOST_PROBLEMS, Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.numbers import HOW, Number, quote, to_number
from expectitree.tree import paths
from expectitree.tree.builder import NodeId, TreeBuilder
from expectitree.tree.model import Tree

_MOST_KNOWN = 10_000  # utilities of runs by their text, and labels; where these hardly repeat it gains nothing
_MOST_LABELS_KNOWN = 50  # siblings

_KEYS = frozenset(NODE_KEYS)
_NO_SPACE = re.compile(r"[A-Za-z]\w*:")

# A run of plain decimals is checked at once; whatever else is written is read one by one.
_PLAIN_RUN = re.compile(r"[-+.0-9]{1,300}(?: [-+.0-9]{1,300})*")


def read_tree(document: Document, exact: bool = False, warn: Warn | None = None) -> Tree:
    """Return the tree of a document; raise `FileError` with everything that is wrong in it.

    `warn` is told of probabilities that missed 1 and were divided out.
    """
    reader = _Reader(document, exact, warn)
    try:
        tree = reader.read()
    finally:
        reader.release()
    if reader.out_of_bounds:  # read once more, to find where these nodes are written
        again = _Reader(document, exact, None, tracked=frozenset(reader.out_of_bounds))
        again.read()
        again.release()
        with suppress(TooManyProblemsError):
            for node, message in reader.out_of_bounds.items():
                again.problems.add(*again.places[node], message)
        raise again.problems.failure()
    return tree


class _Reader:
    """Reads one document; the nodes between the root and the current one lie on `stack`."""

    def __init__(
        self,
        document: Document,
        exact: bool,
        warn: Warn | None,
        tracked: frozenset[int] = frozenset(),
    ) -> None:
        self.document, self.exact = document, exact
        self.shared = document.shared
        self.tracked = tracked  # nodes of which it is asked where they are written
        self.places: dict[int, tuple[Place, str]] = {}  # the answers: place and path
        self.reads_runs = not (exact or tracked or document.shares_text)
        self.out_of_bounds: dict[
            int, str
        ] = {}  # node -> what is wrong with its utility or estimate
        self.builder = TreeBuilder(exact)
        self.stack: list[Frame] = []
        self.base: tuple[str, ...] = ()  # where the bottom of the stack stands, in messages
        self.problems = Problems(document)
        self.names = Names(self.keys_of, self.report)
        self.branches = Branches(document.name, self.builder, self.report, self.path, warn)
        self.done: dict[object, int] = {}  # what a shared node is known by -> node
        self.open: set[object] = set()  # the same, of nodes on the stack
        self.bodies: set[int] = (
            set()
        )  # lists and mappings of children that an alias repeats, once met
        self.numbers: dict[str, Number] = {}  # utilities by their text
        self.label_sets: dict[
            tuple[str, ...], tuple[bool, bool]
        ] = {}  # what `judge` said of labels

    def read(self) -> Tree:
        about: dict[str, Any] = {}
        root = 0
        try:
            about = self.read_root_keys()
            root = self.read_node(self.document.root, ())
            for name in self.names:
                if self.names.memo(name) not in self.done and name not in self.names.followed:
                    self.read_node((("ref", name),), ("nodes", name))
        except TooManyProblemsError:
            pass
        if self.problems.found:
            raise self.problems.failure()
        self.out_of_bounds = dict(islice(self.builder.outside_bounds(root), MOST_PROBLEMS))
        return self.builder.build(NodeId(root), check=False, **about)

    def release(self) -> None:
        """Let go of the parts that refer back here: else a large document would stay until the collector runs."""
        del self.names, self.branches

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
                self.names.read(value, place)
            elif key == SCHEMA_KEY:  # for editors: a tree has no use for it
                read_text(value, f"the {key}", self.report, place)
        return about

    # ---- Nodes.

    def read_node(self, data: Data, base: tuple[str, ...]) -> int:
        """Read one node and all below it; return its id."""
        bottom = Frame(0, [data], None, 0)
        self.stack, self.base = [bottom], base
        while not bottom.ids:
            self.read_children(self.stack[-1])
        return bottom.ids[0]

    def read_children(self, frame: Frame) -> None:
        """Read on at a frame until a child with children of its own comes on the stack, or all are read."""
        ids, items = frame.ids, frame.items
        reads_runs = self.reads_runs and not self.shared and frame.nested + 1 < MOST_NESTED
        for place in range(len(ids), len(items)):
            item = items[place]
            if item.__class__ is str:
                node = self.terminal(item)
            else:
                node = None
                if reads_runs and item.__class__ is tuple and len(item) == 1:
                    # What most inner nodes are: `enter` would come to the same, some calls later.
                    ((key, body),) = item
                    if (
                        key in KINDS
                        and body.__class__ is list
                        and body
                        and body[-1].__class__ is str
                    ):
                        node = self.read_run(KINDS[key], body, None)
                if node is None:
                    node = self.enter(frame, place, item)
            if node is None:
                return
            ids.append(node)
        if frame.kind:
            node = self.close(frame)
            self.stack.pop()
            self.stack[-1].ids.append(node)

    def read_run(
        self, kind: int, items: Sequence[Data], labels: Sequence[str] | None
    ) -> int | None:
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

    def read_plain(self, items: Sequence[Data]) -> list[Number] | None:
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
                hint = (
                    ", or for an inner node a mapping with max, min or chance"
                    if str(error).endswith(HOW)
                    else ""
                )
                if _NO_SPACE.match(text):
                    hint = "; or is a space missing after the colon?"
                elif text == NOT_KNOWN:
                    hint = '; a terminal that is not known yet is {utility: "?"}'
                return self.reject(place, f"{error}{hint}")
        node = self.builder.add_terminal(utility)
        if node in self.tracked:
            self.places[node] = place or self.here(), self.path()
        return node

    def enter(self, frame: Frame, place: int, item: Data) -> int | None:
        """Read the child at `place`: return its id, or None where its own children come first."""
        if (
            item.__class__ is tuple
            and item
            and item[-1][0] in KINDS
            and id(item) not in self.shared
        ):
            # As most inner nodes are written: nothing but a kind, or with a p that was read before.
            if len(item) == 1:
                return self.enter_inner(frame, item, *item[0])
            if len(item) == 2 and item[0][0] == "p" and self.branches.takes_p(frame, item[0][1]):
                return self.enter_inner(frame, item, *item[1])
        target, where, memo = item, None, None
        keys: dict[str, Data] = {}
        ref: Data = None
        if isinstance(item, tuple):
            keys = dict(item)
            if len(keys) != len(item) or item is self.document.root:
                keys = self.keys_of(item)
            if "p" in keys:
                self.branches.read_p(frame, item, keys.pop("p"))
            if "label" in keys:
                self.branches.read_label(frame, place, item, keys.pop("label"))
            if "ref" in keys:
                ref = keys["ref"]
                found = self.names.follow(frame, place, item, keys)
                if found is None:
                    return self.placeholder()
                target, where, memo, _ = found
                keys = dict(target) if isinstance(target, tuple) else {}
                keys.pop("p", None)
                keys.pop("label", None)
            elif id(item) in self.shared:
                memo = id(item)
        elif item.__class__ is SharedText:
            memo = id(item)
        if memo is not None:
            if memo in self.done:
                return self.done[memo]
            if memo in self.open:
                what = "this node" if ref is None else f"the ref {quote(ref)}"
                at = None if ref is None else place_of(item, "ref")
                return self.reject(
                    at, f"{what} leads back to itself: that is a cycle, and a tree has none"
                )
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
        self, frame: Frame, item: Data, keys: dict[str, Data], memo: object, where: Place | None
    ) -> int | None:
        about = None
        if len(keys) == 1:
            ((kind_key, body),) = keys.items()
        if len(keys) != 1 or kind_key not in KINDS:
            kind_key, body, about = read_keys(
                item, keys, self.exact, self.report, where or self.here()
            )
        if kind_key in KINDS:
            return self.enter_inner(frame, item, kind_key, body, about, memo)
        return self.placeholder() if not kind_key else self.long_terminal(item, body, about)

    def enter_inner(
        self,
        frame: Frame,
        item: Data,
        kind_key: str,
        body: Data,
        about: dict[str, Any] | None = None,
        memo: object = None,
    ) -> int | None:
        """Put an inner node on the stack, or add it at once where its children are plain terminals."""
        kind = KINDS[kind_key]
        nested = frame.nested + 1 if memo is None else 1
        if nested >= MOST_NESTED:
            return self.reject(None, NESTED_TOO_DEEPLY)
        if id(body) in self.shared:
            if id(body) in self.bodies:
                message = (
                    "children by an alias: repeat them, or share a whole node by an alias or a ref"
                )
                return self.reject(_place_of_children(item, kind_key), message)
            self.bodies.add(id(body))
        labels = None
        plain, doubtful = True, False
        if body.__class__ is list and body:
            items: Sequence[Data] = body
        elif body.__class__ is tuple and body:
            labels, items = zip(*body, strict=True)
            judged = self.label_sets.get(labels)
            plain, doubtful = self.judge(labels) if judged is None else judged
        else:
            what = (
                f"has {described(body)} for children"
                if body or body is False
                else "has no children"
            )
            return self.reject(
                _place_of_children(item, kind_key),
                f"a {kind.name} node {what}: expected a list of nodes, or a mapping from label to node",
            )
        if plain and not about and items[-1].__class__ is str and self.reads_runs and not doubtful:
            node = self.read_run(kind, items, labels)
            if node is not None:
                return node
        child = Frame(kind, items, body, nested)
        if about:
            child.about = about
        if self.tracked and about and "estimate" in about:
            child.place = place_of(item, "estimate")
        self.stack.append(child)
        if memo is not None:
            child.memo = memo
            self.open.add(memo)
        if doubtful and labels is not None:
            self.branches.doubt_labels(labels)
        if plain:
            child.labels, child.differ = labels, labels is not None
        else:
            self.branches.read_labels(child, body)
        return None

    def judge(self, labels: tuple[str, ...]) -> tuple[bool, bool]:
        """Say whether labels need no closer look, and whether some look like keys; siblings often have the same."""
        judged = are_plain(labels), not _KEYS.isdisjoint(labels)
        if len(self.label_sets) < _MOST_KNOWN and len(labels) < _MOST_LABELS_KNOWN:
            self.label_sets[labels] = judged
        return judged

    def long_terminal(self, item: Data, body: Data, about: dict[str, Any] | None) -> int:
        utility = read_utility(body, self.exact, self.report, place_of(item, "utility"))
        node = self.builder.add_terminal(utility)
        if about:
            if "estimate" in about:
                self.report(
                    place_of(item, "estimate", True),
                    "an estimate is for inner nodes: a terminal has its utility",
                )
            self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        if node in self.tracked:
            self.places[node] = place_of(item, "utility"), self.path()
        return node

    def close(self, frame: Frame) -> int:
        """Add the node of a frame whose children are all read; return its id."""
        about, labels = frame.about, frame.labels
        if labels is not None and not frame.differ:
            labels.extend([None] * (len(frame.ids) - len(labels)))
            self.branches.check_labels(frame, labels)
        probabilities = self.branches.distribution(frame) if frame.kind == 3 else None
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

    # ---- Keys.

    def keys_of(self, item: Data) -> dict[str, Data]:
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

    # ---- What is wrong, and where.

    def report(
        self, place: Place, message: str, own: bool = False, child: str | None = None
    ) -> None:
        """Note a problem of the current child (`own`: of the node whose children are read; `child`: of that one)."""
        path = paths.join([*paths.split(self.path(own=True)), child]) if child else self.path(own)
        self.problems.add(place, path, message)

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


def _place_of_children(item: Data, kind_key: str) -> Place:
    return place_of(item, "children" if any(key == "children" for key, _ in item) else kind_key)
