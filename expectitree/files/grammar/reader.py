"""The grammar of tree files, once for all formats: from a `Document` to a `Tree`.

Nothing recurses: the nodes between the root and the current one are frames on a trail, so a tree
with shared nodes may have any depth. Errors are collected, each with its place and its path, up to
`MAX_PROBLEMS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice

from expectitree.base.errors import ExpectitreeError, NumberError, WarningText
from expectitree.base.expressions.syntax import NAME, RESERVED, names_in
from expectitree.base.numbers import escape, quote
from expectitree.base.reading import HOW
from expectitree.base.tree import paths
from expectitree.base.tree.bounds import outside_bounds, with_attitude_number
from expectitree.base.tree.builder import EXACT_NODES, NodeId, TreeBuilder
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.formulas import Amount, Definition, is_formula
from expectitree.base.tree.model import Kind, Tree
from expectitree.files.grammar.advice import (
    bare,
    report_pairs,
    subtree_hint,
    text_hint,
    unknown_keys,
)
from expectitree.files.grammar.branches import CHANCE, BranchReader
from expectitree.files.grammar.document import (
    MAX_NESTED,
    MAX_PROBLEMS,
    TOO_DEEP,
    Data,
    Document,
    Fields,
    GrammarError,
    Keys,
    Place,
    SharedText,
    TooManyProblemsError,
    keys_of,
    place_of,
    warn_of_each,
)
from expectitree.files.grammar.doubts import are_simple, is_doubtful
from expectitree.files.grammar.keys import (
    BODY_KEYS,
    BRANCH_VALUES,
    KINDS,
    NODE_KEYS,
    NODE_VALUES,
    PAYMENTS,
    READ_ORDER,
    ROOT_VALUES,
    SCHEMA_KEY,
    UTILITIES,
    WRITE_NODE,
    find_body,
)
from expectitree.files.grammar.trail import Frame, Names, Trail
from expectitree.files.grammar.traps import trap
from expectitree.files.grammar.values import ValueReader, are_probabilities, is_operation, offset_of
from expectitree.files.grammar.words import described, flow_text, in_braces, is_number, key_list
from expectitree.files.rows import Warn, ignore

# Compiled when it is first used: most files need none.
_NO_SPACE_AFTER_COLON = r"[A-Za-z]\w*:"
_MAX_PLACES = 50_000  # nodes whose places are kept, for errors that are found at the end
_CYCLE = (
    "leads back to itself: that is a cycle, and a tree has none\nto repeat a node, give it an end, "
    "such as `until: cycle = 20`"
)


def read_tree(
    document: Document,
    warn: Warn = ignore,
    parameters: Mapping[str, object] | None = None,
    exact_nodes: int = EXACT_NODES,
) -> Tree:
    """Return the tree of a document; raise `FileError` with every error in it.

    A tree of more than `exact_nodes` nodes has floats in place of fractions.

    `warn` is called with a message if probabilities were normalised, because they summed to 1 only
    within 1e-9, and for each parameter that is not used. `parameters` replaces values in the
    document.
    """
    reader = _TreeReader(document, exact_nodes, warn, parameters or {})
    tree = reader.read()
    if reader.faults:
        with suppress(TooManyProblemsError):
            for fault in reader.faults:
                reader.add_fault(tree, *fault)
        raise reader.trail.failure()
    if reader.branches.has_costs and tree.deciders == (Kind.MIN,):
        warn(WarningText(document.name, _COSTS_OF_MIN))
    for line, (doubt,) in document.doubts.items():
        warn(WarningText(document.name, doubt, line=line))
    return tree


_COSTS_OF_MIN = (
    "min: chooses the smallest total, and a cost makes a total smaller\nif the utilities are "
    "costs, too, write `reward` in place of `cost`; if they are gains, write max: in place of min:"
)


class _TreeReader:
    def __init__(
        self,
        document: Document,
        exact_nodes: int,
        warn: Warn,
        parameters: Mapping[str, object],
    ) -> None:
        self.document, self.warn, self.parameters = document, warn, parameters
        # The frames of inner nodes, by id, which tell where a node is in the text.
        self.frames: dict[int, Frame] = {}
        self.root = 0
        self.unused: dict[int, str] = {}  # the names of nodes to which no ref leads
        self.faults: list[
            tuple[ExpectitreeError | str, str, int, int]
        ] = []  # the arguments of a `Report`
        self.seen: set[tuple[object, ...]] = set()  # faults whose copies are not reported
        self.copies: tuple[Tree, list[int]] | None = None  # of an `Expansion`
        self.events: dict[str, list[str]] = {}  # the labels of an event's outcomes
        self.defined: dict[str, Definition] = {}  # the events under the root's `events`
        self.builder = TreeBuilder(exact_nodes=exact_nodes)
        self.shared = document.shared
        self.trail = Trail(document)
        self.report = self.trail.report
        self.values = ValueReader(self.report)
        self.builder.on_floats = self.values.use_floats
        if not self.builder.exact:
            self.values.use_floats()
        self.names = Names(self.trail)
        self.branches = BranchReader(self.trail, self.values, self.builder, warn)
        self.values.folder = os.path.dirname(document.name)
        self.values.normalizes, self.values.divided = document.normalize, self.branches.divided
        self.values.warn = partial(self.branches.warn_of, of_parent=False)
        self.done: dict[object, int] = {}  # identity of a shared node -> node
        self.utility_key = UTILITIES[0]
        self.open: set[object] = set()  # identities of the shared nodes on the trail
        self.links: dict[int, tuple[object, Place, str, str]] = {}  # refs to nodes that are open
        self.bodies: set[int] = set()  # ids of the children, met so far, that an alias repeats

    def read(self) -> Tree:
        """Read the whole document; raise `FileError` with every error."""
        with suppress(TooManyProblemsError):
            about = self.read_root_keys()
            self.root = root = self.read_node(self.document.root, ())
            self.builder.pay(NONE, self.trail.frames[0].branches.get("reward", {}).get(0, 0))
            self.read_unused()
        if self.trail.found:
            raise self.trail.failure()
        self.link(root)
        outside = self.builder.outside_bounds()
        about["utility_key"] = self.utility_key
        tree = self.builder.build(NodeId(root), check=False, **about)
        tree = self.expand(tree)
        if self.defined:
            from expectitree.base.tree.bayes import define_probabilities

            tree = define_probabilities(tree, self.defined, self.note_fault)
        if self.faults:
            return tree
        if tree.formulas or tree.parameters or self.parameters:
            tree = self.evaluate(tree)
            outside = outside_bounds(tree, None)
        faults = ((message, "node", n, NONE) for n, message in outside)
        self.faults = self.faults or [*islice(faults, MAX_PROBLEMS)]
        if tree.attitude is not None and not self.faults:

            def checked(*_: object) -> Tree:
                computed = with_attitude_number(tree)
                computed.check_attitude()
                return computed

            written = self.document.root, "attitude", "attitude: "
            tree = self.values.attempt(checked, None, *written) or tree
        if self.trail.found:
            raise self.trail.failure()
        return tree

    def read_unused(self) -> None:
        """Read the named nodes to which no ref leads, for errors in them."""
        for name in self.names.places:
            is_read = self.names.identity(name) in self.done or name in self.names.followed
            if not is_read:
                self.unused[self.read_node((("ref", name),), ("nodes", name))] = name
        lost = "no ref leads to this node, so it is left out"
        unused = [f"{quote(name)}: {lost}" for name in self.unused.values()]
        warn_of_each(self.warn, self.document.name, unused)

    def link(self, root: int) -> None:
        """Note where each ref to a node above it leads; raise `FileError` if that has no end."""
        formulas = self.builder.formulas
        links = {node: self.done[identity] for node, (identity, *_) in self.links.items()}
        if links:
            self.check_ends(links)
        # Not those below a node to which no ref leads.
        formulas.links.update(pair for pair in links.items() if pair[0] < root)
        for name in self.names.places:
            node = self.done.get(self.names.identity(name), root + 1)
            if formulas.endings and node <= root:
                formulas.named[node] = name

    def check_ends(self, links: Mapping[int, int]) -> None:
        """Raise `FileError` for refs that close a cycle without an `until`."""
        from expectitree.base.tree.replacing import endless_links

        builder = self.builder
        with suppress(TooManyProblemsError):
            for node in endless_links(links, builder.formulas.endings, builder.children_of):
                _, place, path, name = self.links[node]
                self.trail.add(place, path, f"{name} {_CYCLE}")
        if self.trail.found:
            raise self.trail.failure()

    def expand(self, tree: Tree) -> Tree:
        """Return the tree with copies of shared nodes, below a `with` and below signals."""
        formulas, child = self.builder.formulas, tree.columns.child
        is_copied = formulas.replaced or formulas.at_nodes or formulas.links or formulas.endings
        if not is_copied and not (self.defined and tree.is_sharing):
            return tree
        from expectitree.base.tree.replacing import Expansion

        named = {*self.done.values(), *formulas.links}
        refs = {b: formulas.replaced.get(b, {}) for b, c in enumerate(child) if c in named}
        formulas = replace(formulas, replaced=refs, defined=self.defined)
        written = replace(tree, formulas=formulas)
        if self.parameters and formulas.endings:  # which may depend on them
            from expectitree.base.tree.parameters import with_values

            written = replace(written, parameters=with_values(tree.parameters, self.parameters))
        expansion = Expansion(written, self.note_fault)
        self.check_certain(expansion.counters)
        expanded = expansion.run(self.builder.exact_nodes, self.document.max_nodes)
        if self.faults:
            self.sort_faults(tree)
            self.defined = {}  # the faults of probabilities may follow from these
            return tree
        if len(expanded) == len(tree) and not is_copied:
            return tree
        self.copies = written, expansion.origins
        return replace(expanded, formulas=replace(expanded.formulas, written=written))

    def check_certain(self, counters: Collection[str]) -> None:
        """Raise `FileError` for a distribution of a number on which the repetition depends."""
        written = dict(self.document.root).get("parameters", ())
        for index, (key, fields) in enumerate(written):
            if key in counters and isinstance(fields, tuple) and "distribution" in dict(fields):
                self.trail.add(
                    Place(written, index),
                    paths.ROOT,
                    f"parameter {key}: it sets how often nodes repeat, so it is certain\n"
                    "remove `distribution`",
                )
        if self.trail.found:
            raise self.trail.failure()

    def evaluate(self, tree: Tree) -> Tree:
        """Return the tree with the values of its formulas; add those without one to `faults`."""
        from expectitree.base.tree.parameters import evaluated, unused, with_values

        name = self.document.name
        if self.parameters:
            changed = with_values(tree.parameters, self.parameters)
            tree = tree.changed(parameters=changed, expect=None)
        idle = unused(tree.parameters, self.builder.formulas)
        if tree.attitude is not None and tree.attitude.formula is not None:
            of_attitude = names_in(tree.attitude.formula)
            idle = [name for name in idle if name not in of_attitude]
        if self.defined:
            idle = [name for name in idle if name not in tree.formulas.names]
        warnings = [f"the parameter {parameter} is not used" for parameter in idle]
        warnings += [f"the event {quote(event)} is not used" for event in self.unused_events()]
        if any(p.range or p.unit or p.distribution for p in tree.parameters.values()):
            from expectitree.files.grammar.inputs import input_warnings

            warnings += input_warnings(tree)
        warn_of_each(self.warn, name, warnings)
        tree, warning = evaluated(tree, self.note_fault)
        self.sort_faults(tree)
        if warning:
            self.warn(WarningText(name, warning))
        return tree

    def unused_events(self) -> list[str]:
        """Return the events with a prior that no node and no test is about."""
        tested = (event.test_of for event in self.defined.values())
        used = {*self.builder.formulas.events.values(), *tested}
        return [name for name, event in self.defined.items() if event.prior and name not in used]

    def sort_faults(self, tree: Tree) -> None:
        """Sort the faults by the first paths of their nodes, and keep the first of them."""
        if self.faults:
            first = tree.first_paths
            rank = {n: place for place, n in enumerate(first.order)}
            # Of copies, the one that is reached first has the plainest numbers.
            depth = first.depth if self.copies is not None else [0] * len(tree)
            self.faults.sort(key=lambda fault: (depth[fault[2]], rank[fault[2]], fault[3]))
            del self.faults[MAX_PROBLEMS:]

    def note_fault(self, error: ExpectitreeError | str, what: str, node: int, branch: int) -> None:
        self.faults.append((error, what, node, branch))

    def read_root_keys(self) -> Fields:
        """Return the values of the root's own keys, but remember the names under `nodes`."""
        root = self.document.root
        about = {}
        pairs = [*enumerate(root if isinstance(root, tuple) else ())]
        pairs.sort(key=lambda pair: READ_ORDER.get(pair[1][0], 0))
        for index, (key, value) in pairs:
            if key == "nodes":
                self.names.read(value, Place(root, index))
            elif key in ROOT_VALUES:
                about[key] = self.values.attempt(ROOT_VALUES[key], value, root, index)
                if key == "unit" and about[key]:
                    self.values.use_unit(about[key])
        self.defined = about.pop("events", None) or {}
        for name, event in self.defined.items():
            if event.labels:
                self.events[name] = sorted(event.labels)
        self.read_criteria(about)
        if self.names.places:
            self.values.use_names(names_in_with(root, self.document.text or "with"))
        for key in (SCHEMA_KEY, "normalize"):
            about.pop(key, None)
        return about

    def read_criteria(self, about: Fields) -> None:
        """Put the criteria and the objective among the root's values into the formulas."""
        missing = {
            "criteria": "criteria without an objective\nadd one, as in `objective: effect - cost`",
            "objective": "an objective without criteria\nadd some, as in `criteria: [cost, life]`",
        }
        keys = [key for key in missing if key in about]
        for key in keys:
            about.pop(key)
            if len(keys) == 1:
                self.report(place_of(self.document.root, key, True), missing[key])
        if self.values.criteria:
            self.builder.formulas = replace(self.builder.formulas, criteria=self.values.criteria)

    # ---- Nodes.

    def read_node(self, data: Data, base: tuple[str, ...]) -> int:
        bottom = Frame(Kind.TERMINAL, [data])
        frames = self.trail.frames = [bottom]
        self.trail.base = base
        while not bottom.ids:
            frame = frames[-1]
            node: int | None
            if len(frame.ids) == len(frame.items):
                node = self.close(frame)
                frame = frames[-1]
            else:
                item = frame.items[len(frame.ids)]
                node = self.terminal(item) if item.__class__ is str else self.enter(frame, item)
                if node is None:  # its own children come first
                    continue
            frame.ids.append(node)
        for note in bottom.branches.get("note", {}).values():  # of a root that is a ref
            self.builder.annotate(bottom.ids[0], note=note)
        return bottom.ids[0]

    def place_in(self, item: Data, here: Place, keys: Collection[str]) -> Place:
        """Return the place of one of some keys at a child, or of the child if it has none of them.

        A ref also has the keys of the node that it leads to.
        """
        if not isinstance(item, tuple):
            return here
        if name := dict(item).get("ref"):
            here = self.place_in(self.names.definition(name), self.names.places[name], keys)
        for index, (key, _) in enumerate(item):
            if key in keys:
                here = Place(item, index)
        return here

    def add_fault(
        self, tree: Tree, error: ExpectitreeError | str, what: str, node: int, branch: int
    ) -> None:
        """Report what `Report` tells about a node of a tree, once for all copies of the node."""
        is_unused = node >= len(tree)
        path = self.path_of_unused(node) if is_unused else tree.path_of(node, branch)
        if self.copies is not None and not is_unused:
            written, origins = self.copies
            error = _named_copy(tree, error, node)
            first = tree.columns.first[node]
            node = origins[node]
            branch += 0 if branch == NONE else written.columns.first[node] - first
        text = str(error) * (not tree.formulas.named)  # copies have other numbers
        fault = text, what, node, branch
        if fault not in self.seen:
            self.seen.add(fault)
            self.trail.add(self.place_of_fault(what, node, branch), path, error)

    def path_of_unused(self, node: int) -> str:
        """Return the path in messages to a node, or to one below it, to which no ref leads."""
        labels = []
        while node not in self.unused:
            node, index = self.parents[node]
            labels.append(self.frames[node].label(index))
        return paths.join(["nodes", self.unused[node], *reversed(labels)])

    @cached_property
    def parents(self) -> dict[int, tuple[int, int]]:
        """By node: its first parent in the text, and its place there."""
        parents: dict[int, tuple[int, int]] = {}
        for node, frame in self.frames.items():
            for index, child in enumerate(frame.ids):
                parents.setdefault(child, (node, index))
        return parents

    def place_of_fault(self, what: str, node: int, branch: int) -> Place | None:
        """Return the place of a fault in the text; None if there are too many nodes."""
        if what.startswith("event "):
            definition = dict(dict(self.document.root)["events"])[what.removeprefix("event ")]
            return self.place_in(definition, Place(), ("prior", "likelihood"))
        keys: Collection[str] = PAYMENTS if what == "reward" else (what,)
        if what == "node":
            keys = (*UTILITIES, "estimate")
        is_own = what in ("node", "until")
        if node == self.root and (is_own or (what == "reward" and branch == NONE)):
            return self.place_in(self.document.root, Place(), keys)
        if is_own and node in self.unused:
            name = self.unused[node]
            return self.place_in(self.names.definition(name), self.names.places[name], keys)
        if is_own:
            node, index = self.parents.get(node, (NONE, 0))
        if node not in self.frames:
            return None
        frame = self.frames[node]
        if what == "outcomes":
            return frame.place(0)
        if not is_own:
            index = branch - self.builder.first_branch(node)
        item = frame.items[index]
        if what.startswith("with "):
            return place_of(dict(item)["with"], what.removeprefix("with "), True)
        return self.place_in(item, frame.place(index), keys)

    def terminal(self, text: str, place: Place | None = None) -> int:
        """Add a terminal from its number's text; `place` is the current child's if it is None."""
        try:
            return self.builder.add_terminal(self.values.to_terminal(text))
        except NumberError as error:
            if self.values.criteria:
                return self.reject(place, error)
            is_formula_text = self.values.parameters is not None or is_operation(text)
            if is_formula_text and not re.match(_NO_SPACE_AFTER_COLON, text):
                return self.formula(text, place, error)
            if report_pairs(self.trail, text):
                return self.placeholder()
            hint = text_hint(text, self.trail, self.names.places, error.hint == HOW)
            return self.reject(place, error.with_hint(f"{error.hint}{hint}"))

    def formula(self, text: str, place: Place | None, error: NumberError) -> int:
        """Add a terminal from its formula; `error` is that of reading the text as a number."""
        try:
            utility = self.values.formula(text, error)
            return self.add_terminal(utility)
        except NumberError as wrong:
            place = (place or self.trail.here())._replace(offset=offset_of(wrong))
            return self.reject(place, wrong)

    def add_terminal(self, utility: Amount) -> int:
        if is_formula(utility):
            node = self.placeholder()
            self.builder.formulas.nodes[node] = utility
            return node
        return self.builder.add_terminal(utility)

    def enter(self, frame: Frame, item: Data) -> int | None:
        """Read the current child: return its id, or None if its own children come first."""
        keys = self.trail.keys_of(item)
        if len(keys) != 1 or next(iter(keys)) not in BODY_KEYS:  # most have only their kind
            for key in BRANCH_VALUES:
                if key in keys:
                    self.branches.read(frame, item, key, keys.pop(key))
        is_shared = id(item) in self.shared or isinstance(item, SharedText)
        identity: object = id(item) if is_shared else None
        where, name, place = None, "this node", None
        if "ref" in keys:
            name, where = f"the ref {quote(str(keys['ref']))}", place_of(item, "ref")
            named = self.names.follow(item, keys)
            if named is None:
                return self.placeholder()
            if "note" in keys:
                note = self.values.attempt(NODE_VALUES["note"], keys["note"], item, "note")
                frame.branches.setdefault("note", {})[len(frame.ids)] = note
            item, keys, place, identity = named
        if identity in self.done:
            return self.done[identity]
        if identity in self.open:  # the node repeats
            link = self.placeholder()
            self.links[link] = identity, where or self.trail.here(), self.trail.path(), name
            return link
        node: int | None
        if isinstance(item, str):
            node = self.terminal(str(item), place)
        elif isinstance(item, tuple) and not self.values.are_amounts(item):
            node = self.enter_mapping(item, keys, identity, place)
        else:
            node = self.reject_list(item, place)
        if identity is not None and node is not None:
            self.done[identity] = node
        return node

    def enter_mapping(
        self, item: Data, keys: Keys, identity: object, named: Place | None
    ) -> int | None:
        """Read a mapping as `enter` does; `named` is its place if a ref leads to it."""
        about = {}
        body = next(iter(keys), "")
        kind = BODY_KEYS.get(body)
        if len(keys) != 1 or kind is None:
            about = self.own_values(item, keys)
            unknown = [key for key in keys if key not in NODE_KEYS]
            if unknown and not self.report_unknown(item, unknown, named is not None):
                return self.placeholder()
            if "until" in keys:
                self.read_ending(item, keys, about, named is not None)
            try:
                kind, body = find_body(item, keys, self.pays_max)
            except GrammarError as error:
                if unknown:
                    return self.placeholder()
                return self.reject(error.place or named, error)
        children = keys[body]
        if "event" in about and kind != CHANCE:
            self.report(
                place_of(item, "event", True),
                f"an event is for CHANCE nodes, and this is a {kind.name} node\nremove it",
            )
        if not kind:
            return self.long_terminal(item, body, children, about)
        frame = self.trail.frames[-1]
        nested = frame.nested + 1 if identity is None else 1
        if nested >= MAX_NESTED and self.document.text:  # Python's data may be deeper
            return self.reject(None, TOO_DEEP)
        fault = self.fault_of_children(kind, children)
        if fault:
            return self.reject(place_of(item, body), fault)
        is_plain = not (about or identity or self.shared)
        node = self.add_plain(kind, children) if is_plain else None
        if node is None:
            self.open_frame(kind, children, nested, about, identity)
        return node

    def pays_max(self) -> bool:
        """Return whether a cost at the current child is a negative utility, as MAX has it."""
        kinds = {frame.kind for frame in self.trail.frames}
        return Kind.MIN not in kinds or "max" in self.document.text

    def own_values(self, item: Data, keys: Keys) -> Fields:
        """Return the values of a node's own keys; only a named node has a reward of its own."""
        about = {}
        for key, value in keys.items():
            if key in NODE_VALUES:
                about[key] = self.values.attempt(NODE_VALUES[key], value, item, key)
            elif key in PAYMENTS:
                about["reward"] = self.branches.payment(item, key, value)
        return about

    def report_unknown(self, item: Data, unknown: list[str], is_named: bool) -> bool:
        """Report unknown keys; return whether the current child was meant as a node."""
        if report_pairs(self.trail):
            return False
        for key, message in unknown_keys(item, unknown, self.trail, is_named):
            self.report(place_of(item, key, True), message)
        return True

    def read_ending(self, item: Data, keys: Keys, about: Fields, is_named: bool) -> None:
        """Move the utility of a node that may end from its keys to `about`."""
        place = place_of(item, "until", True)
        if not is_named:
            self.report(
                place,
                "`until` is for a node under the root's `nodes:`\nmove the node there, and "
                "write `ref: NAME` in its place",
            )
        if KINDS.keys().isdisjoint(keys):
            self.report(
                place, "found `until` without a kind\nadd max, min or chance, as it goes on"
            )
            return
        about["ending"] = self.values.to_number("0")
        for key in UTILITIES:
            if key in keys:
                data = keys.pop(key)
                about["ending"] = self.values.attempt(ValueReader.utility, data, item, key)

    def open_frame(
        self, kind: Kind, children: Data, nested: int, about: Fields, identity: object
    ) -> None:
        may_be_p = kind == CHANCE and children.__class__ is tuple
        by_p = may_be_p and not self.document.has_labels and are_probabilities(children)
        self.trail.frames.append(Frame(kind, children, nested, about, identity, by_p))
        if by_p:
            self.branches.read_keys(self.trail.frames[-1])
        if identity is not None:
            self.open.add(identity)

    def reject_list(self, item: Data, place: Place | None) -> int:
        """Report that the current child is a list or another value; return a node in its place."""
        if self.values.are_amounts(item):
            return self.reject(
                place,
                f"found amounts without a kind\nfor a terminal, write `utility: {flow_text(item)}`",
            )
        if not isinstance(item, list) or not item:
            return self.reject(place, f"found {described(item)} as a node\n{WRITE_NODE}")
        if report_pairs(self.trail):
            return self.placeholder()
        return self.reject(place, bare(item, kind="max" * (self.trail.frames[-1].kind != CHANCE)))

    def add_plain(self, kind: Kind, children: Data) -> int | None:
        """Add a node whose children are plain numbers; return its id, or None for others.

        They are a list, or the actions of a player with simple labels. Adding these children at
        once saves a third of the time of reading JSON.
        """
        labels, texts = None, children
        if isinstance(children, tuple):
            labels, texts = zip(*children, strict=True)
        if texts[-1].__class__ is not str or (labels and kind == CHANCE):
            return None
        try:
            utilities = [*map(self.values.to_terminal, texts)]
        except (NumberError, TypeError):
            return None
        # `close` checks the labels, and warns.
        if is_doubtful(kind, texts, utilities) if labels is None else not are_simple(labels):
            return None
        ids = self.builder.add_terminals(utilities)
        equal = self.builder.distribution(None, len(ids))[0] if kind == CHANCE else None
        node = self.builder.add_inner(kind, ids, equal, labels and [*map(str, labels)])
        if node < _MAX_PLACES:
            self.frames[node] = Frame(kind, children, ids=[*ids])
        return node

    def long_terminal(self, item: Data, key: str, data: Data, about: Fields) -> int:
        self.utility_key = max(self.utility_key, key, key=UTILITIES.index)
        if hint := subtree_hint(data):
            return self.reject(place_of(item, key, True), f"found a node as the {key}\n{hint}")
        utility = self.values.attempt(ValueReader.utility, data, item, key)
        if "estimate" in about:
            self.report(
                place_of(item, "estimate", True),
                "an estimate is for inner nodes: a terminal has its utility\nremove it",
            )
        if utility is None:
            return self.placeholder()
        node = self.add_terminal(utility)
        self.annotate(node, about)
        return node

    def annotate(self, node: int, about: Fields) -> None:
        """Write the values of a node's own keys at the node."""
        self.builder.annotate(node, bounds=about.get("bounds"), note=about.get("note"))
        if about.get("reward"):
            self.builder.formulas.at_nodes[node] = about["reward"]
        if about.get("until") and about.get("ending") is not None:
            self.builder.formulas.endings[node] = about["until"], about["ending"]

    def fault_of_children(self, kind: Kind, children: Data) -> str:
        """Return the message about something that cannot be the children of a node."""
        if not children or not isinstance(children, (list, tuple)) or in_braces(children):
            is_missing = not children and children is not False
            fault = "has no children" if is_missing else f"has {described(children)} for children"
            name = kind.name.lower()
            hint = (
                f"write a list, as in `{name}: [1, 2]`, or labels, as in `{name}: {{a: 1, b: 2}}`"
            )
            text = ", ".join(dict(children)) if isinstance(children, tuple) else children
            written = text[:60].strip("()[] ") if isinstance(text, str) else ""
            numbers = re.split(r"[\s,;]+", written)
            if advice := trap("children", written):
                hint = advice
            elif "," in written or all(map(is_number, numbers)):
                hint = f"write `{name}: [{escape(', '.join(numbers))}]`"
            return f"a {kind.name} node {fault}\n{hint}"
        if id(children) in self.shared:
            if id(children) in self.bodies:
                return (
                    "children by an alias\nrepeat them, or share a whole node by an alias or a ref"
                )
            self.bodies.add(id(children))
        return ""

    def close(self, frame: Frame) -> int:
        """Add the node of a frame whose children are all read; return its id."""
        about, branches = frame.about, frame.branches
        self.branches.check(frame)
        labels = self.branches.labels(frame) if branches else None
        probabilities = self.branches.distribution(frame) if frame.kind == CHANCE else None
        estimate, rewards = about.get("estimate"), branches.get("reward")
        if self.values.has_formulas:
            if is_formula(estimate):
                estimate = None
            rewards = {
                index: reward for index, reward in (rewards or {}).items() if not is_formula(reward)
            }
        node = self.builder.add_inner(
            frame.kind, frame.ids, probabilities, labels, estimate, rewards
        )
        if about:
            self.annotate(node, about)
        if self.values.has_formulas or (about and "event" in about):
            self.add_formulas(node, frame)
        if node < _MAX_PLACES:
            self.frames[node] = frame
        if "note" in branches:
            for place, note in branches["note"].items():
                if note:
                    self.builder.annotate_branch(node, place, note)
        if frame.identity is not None:
            self.open.discard(frame.identity)
            self.done[frame.identity] = node
        self.trail.frames.pop()
        return node

    def add_formulas(self, node: int, frame: Frame) -> None:
        builder, about, formulas = self.builder, frame.about, self.builder.formulas
        if is_formula(about.get("estimate")):
            formulas.nodes[node] = about["estimate"]
        if about.get("event") and frame.kind == CHANCE:
            self.check_event(frame, about["event"])
            formulas.events[node] = about["event"]
        rewards = frame.branches.get("reward", {})
        written = {index: reward for index, reward in rewards.items() if is_formula(reward)}
        builder.add_formulas(formulas.rewards, node, written)
        builder.add_formulas(formulas.probabilities, node, frame.formulas or {})
        first = builder.first_branch(node)
        replaced = frame.branches.get("with", {})
        formulas.replaced.update(
            (first + index, by_name) for index, by_name in replaced.items() if by_name
        )

    def check_event(self, frame: Frame, event: str) -> None:
        labels = sorted(map(frame.label, range(len(frame.ids))))
        if event in self.defined and frame.branches.get("p"):
            message = f"the root's `events` give {quote(event)} its probabilities\nremove the p"
            self.report(frame.place(0), message, of_parent=True)
        known = self.events.setdefault(event, labels)
        if known != labels:
            message = (
                f"the outcomes of the event {quote(event)} are {key_list(labels)} here, and "
                f"{key_list(known)} elsewhere\ngive them the same labels"
            )
            self.report(frame.place(0), message, of_parent=True)

    def reject(self, place: Place | None, message: ExpectitreeError | str) -> int:
        """Note that the current child is not a node; return one that takes its place."""
        self.report(place or self.trail.here(), message)
        return self.placeholder()

    def placeholder(self) -> int:
        """Add a terminal in place of a node with an error that is reported."""
        return self.builder.add_terminal(self.values.to_number("0"))


def _named_copy(tree: Tree, error: ExpectitreeError | str, node: int) -> ExpectitreeError | str:
    """Return an error with the name of the copy that a node is of, or below which it is."""
    named = tree.formulas.named
    while node not in named and node != tree.root_id:
        node = tree.first_paths.parent[node]
    if node not in named:
        return error
    about = f"in {named[node]}: "
    if isinstance(error, str):
        return f"{about}{error}"
    return error.about(about)


def names_in_with(root: Data, text: str) -> list[str]:
    """Return the names that a `with` below a value sets and that some text there may use.

    There are none unless the document's `text` has the word.
    """
    names = {}
    used, met, pending = set[str](), set[int](), [root] if "with" in text else []
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            used.update(re.findall(NAME, paths.composed(item)))
        elif isinstance(item, (list, tuple)) and id(item) not in met:
            met.add(id(item))
            keys = keys_of(item)
            pending += [value for _, value in item] if keys else item
            if "ref" in keys and isinstance(keys.get("with"), tuple):
                names.update(dict.fromkeys(paths.composed(name) for name, _ in keys["with"]))
    return [name for name in names if name in used and name not in RESERVED]
