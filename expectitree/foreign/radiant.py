"""Read decision trees of Radiant and pyrsm in YAML: `name`, `type`, `payoff`, `cost`, `variables`.

Their tree becomes a structure for the grammar of tree files. Radiant evaluates formulas and
fractions only in a file with variables. It replaces the name of a variable wherever it occurs, even
within another name, and some signs in labels.

A branch may be the tree of another file, by `tree: name`. It becomes a named node, and `with`
stays. The variables of all files are one list: of several values, the first one counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, Unpack

from expectitree.base.errors import UNDEFINED, WRONG_SUM, WRONG_SUM_OF_FORMULAS
from expectitree.base.expressions.syntax import RESERVED
from expectitree.base.numbers import escape, quote
from expectitree.base.reading import HOW
from expectitree.base.tree.model import Tree
from expectitree.files.formats import yaml
from expectitree.files.grammar.document import Data, Document, Place, TooManyProblemsError
from expectitree.files.grammar.values import NORMALIZE
from expectitree.files.grammar.words import described, key_list
from expectitree.files.rows import ReadOptions, Warn
from expectitree.foreign import shared
from expectitree.foreign.shared import Field, Fields, Path, Translation, walk

KEYS = ("name", "variables", "type", "p", "payoff", "cost")
_OF_ROOT = ("name", "variables")
_OF_TREES = ("tree", "with")
_UNREAD = "0"  # in place of the tree of another file while it is read
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# What to do about errors that the grammar finds, by their kinds.
_HINTS = {
    WRONG_SUM: f"correct them, or {NORMALIZE}",
    WRONG_SUM_OF_FORMULAS: "change a formula or a parameter",
    UNDEFINED: f"{HOW}, or define it under `variables:`",
}


def read(
    text: str, name: str, warn: Warn, exact_nodes: int, **options: Unpack[ReadOptions]
) -> Tree:
    """Return the tree of a text; `minimize` makes its decisions MIN. Raises `FileError`."""
    with shared.own_hints(_HINTS):
        document = replace(yaml.parse(text, name), normalize=options.get("normalize", False))
        decision = "min" if options.get("minimize") else "max"
        reader = _Reader(document, decision)
        return reader.tree(reader.root, warn, exact_nodes)


class _Node(NamedTuple):
    """A node that is not translated yet."""

    raw: Data
    place: Place  # of its label
    path: Path
    above: str  # the kind of the node above; empty at the root
    siblings: list[Data]  # the items before its own


class _Reader(Translation):
    """Translates one file; the `main` one keeps what all files share."""

    def __init__(self, source: Document, decision: str, main: _Reader | None = None) -> None:
        super().__init__(source)
        self.kinds = {"decision": decision, "chance": "chance"}
        self.main = main or self
        self.anchor = Place()  # of the first branch in the main file that leads to this one
        self.variables: Fields = {}
        self.defined: set[str] = set()  # the names of those of the main file
        self.names: dict[str, str] = {}  # of parameters, by the name of a variable
        self.pattern = re.compile("(?!)")  # of those names that change
        self.nodes: Fields = {}  # the trees of other files, by name

    def root(self) -> Data:
        item = self.item(())
        if item is None:
            return None
        pairs = zip(item, self.places[id(item)], strict=True)
        fields: Fields = {key: (value, place) for (key, value), place in pairs}
        if self.variables:
            fields["parameters"] = self.parameters()
        if self.nodes:
            fields["nodes"] = self.mapping(self.nodes), Place()
        return self.mapping(fields)

    def item(self, path: Path) -> Data:
        """Return the item of the first node; a path in another file starts with its name."""
        items: list[Data] = []
        walk(_Node(self.source.root, Place(), path, "", items), self.open)
        return next(iter(items), None)

    # ---- Other files.

    def use(self, keys: Fields, path: Path) -> Fields:
        """Return the fields of a branch that is the tree of a file next to the main one."""
        from expectitree.files import parse, read_text

        main, (name, place) = self.main, keys["tree"]
        if name not in main.nodes:
            file = os.path.join(os.path.dirname(main.source.name), f"{name}.yaml")
            if os.path.basename(name) != name or not os.path.isfile(file):
                self.report(
                    place,
                    path,
                    f"no file {escape(name)}.yaml is next to this one\nsave that tree there",
                )
                raise TooManyProblemsError
            reader = _Reader(parse(*read_text(file), "yaml"), self.kinds["decision"], main)
            reader.anchor = self.anchor
            if self is main:
                reader.anchor = place
            main.nodes[name] = _UNREAD, reader.anchor
            main.nodes[name] = reader.checked(lambda: reader.item((name,))), reader.anchor
            main.places |= {key: [reader.anchor] * len(all) for key, all in reader.places.items()}
            main.notes += reader.notes
        if main.nodes[name][0] == _UNREAD:
            self.report(
                place,
                path,
                f"the tree {quote(name)} uses itself, so it has no end\nwrite branches here, "
                "as far as they go",
            )
            raise TooManyProblemsError
        found: Fields = {"ref": (name, place)}
        if "with" in keys:
            written, at = keys["with"]
            replaced = written
            if isinstance(written, tuple):
                replaced = tuple((main.names.get(v, v), self.formula(f)) for v, f in written)
                self.places[id(replaced)] = [Place(written, at) for at in range(len(written))]
            found["with"] = replaced, at
        return found

    def open(self, node: _Node) -> Iterator[_Node]:
        """Add the item of a node to its siblings, and yield its children."""
        if not isinstance(node.raw, tuple):
            self.report(
                node.place,
                node.path,
                f"found {described(node.raw)} as a node\nwrite `type: decision` or `type: chance`, "
                "and a line for each branch",
            )
            return
        if id(node.raw) in self.source.shared:
            self.report(node.place, node.path, "an alias repeats this node\nrepeat its lines")
            return
        keys, branches = self.split(node)
        if not node.above:
            self.read_variables(node, keys)
        kind, place = keys.get("type", ("", node.place))
        if fault := _fault(node, kind, keys, bool(branches)):
            self.report(place, node.path, fault)
            return
        fields = self.fields(node, keys, bool(branches))
        children: list[Data] = []
        if branches:
            fields[self.kinds[kind]] = children, place
        node.siblings.append(self.mapping(fields))
        self.places[id(children)] = [Place(node.raw, index, True) for index in branches]
        for index in branches:
            label, raw = node.raw[index]
            yield _Node(raw, Place(node.raw, index, True), (*node.path, label), kind, children)

    def split(self, node: _Node) -> tuple[Fields, list[int]]:
        """Return the keys of a node, and where its branches are."""
        keys: Fields = {}
        branches = []
        known = [key for key in KEYS if not node.above or key not in _OF_ROOT]
        known += _OF_TREES if isinstance(dict(node.raw).get("tree"), str) else ()
        for index, (key, value) in enumerate(node.raw):
            word, place = key.lower(), Place(node.raw, index, True)
            if word in keys:
                self.report(place, node.path, f"duplicate key {quote(word)}\nkeep one")
            elif word in known:
                keys[word] = value, Place(node.raw, index)
            elif isinstance(value, tuple):
                branches.append(index)
            else:
                self.report(place, node.path, _fault_of_branch(key, value))
        return keys, branches

    def read_variables(self, root: _Node, keys: Fields) -> None:
        """Choose a name of a parameter for each variable."""
        main, (written, place) = self.main, keys.get("variables", ((), root.place))
        if isinstance(written, str) and self is not main:
            written = ()  # it names the file whose variables it uses, the main one
        if not isinstance(written, tuple):
            self.report(
                place,
                root.path,
                f"found {described(written)} as variables\nwrite a name with a number or a formula "
                "in each line, such as `fee: 5000`",
            )
            raise TooManyProblemsError  # without them, every formula has an error
        first: dict[str, int] = {}
        for index, (name, value) in enumerate(written):
            if first.setdefault(name, index) != index:
                self.report(
                    Place(written, index, True),
                    root.path,
                    f"duplicate variable {quote(name)}\nkeep one",
                )
                continue
            place = self.anchor
            if self is main:
                place = Place(written, index)
            differs = main.variables.setdefault(name, (value, place))[0] != value
            if differs and name in main.defined:
                self.note(
                    root.path, f"{quote(name)} is a variable of the main file: that value counts"
                )
            elif differs:
                main.report(
                    place,
                    (),
                    f"two files that this one uses give {quote(name)} different values\ndefine it "
                    "among the variables here",
                )
        main.defined = main.defined or {*first}
        main.names = _identifiers(main.variables, main.names)
        changed = [name for name, known in main.names.items() if name != known]
        # The longest first, since a name may begin with another.
        pattern = "|".join(map(_pattern, sorted(changed, key=len, reverse=True)))
        main.pattern = re.compile(pattern or "(?!)")

    def fields(self, node: _Node, keys: Fields, has_branches: bool) -> Fields:
        """Return the fields of a node's item without its branches."""
        fields: Fields = {}
        if node.above:
            fields["label"] = node.path[-1], node.place
        elif "name" in keys and self is self.main:
            fields["title"] = keys["name"]
        if node.above == "chance":
            fields["p"] = self.amount(keys["p"])
        elif "p" in keys:
            self.note(node.path, "the p of a node that is not an outcome is ignored")
        if "cost" in keys:
            fields["cost"] = self.amount(keys["cost"])
            if not node.above and self is not self.main:
                self.report(
                    keys["cost"][1],
                    node.path,
                    "the first node has a cost\nmove it to the branches that use this tree",
                )
            elif not has_branches and "tree" not in keys:
                self.note(node.path, "a cost at an end node is subtracted; Radiant ignores it")
        if "tree" in keys:
            fields |= self.use(keys, node.path)
        elif not has_branches:
            fields["utility"] = self.amount(keys["payoff"])
        elif "payoff" in keys:
            self.note(node.path, "the payoff of a node with branches is ignored, as in Radiant")
        return fields

    def parameters(self) -> Field:
        """Return the parameters, each with the name of its variable if that is another."""
        parameters: Fields = {}
        for name, (value, place) in self.variables.items():
            about: Fields = {"value": (self.formula(value), place)}
            if self.names[name] != name:
                about["description"] = name, place._replace(of_key=True)
            parameters[self.names[name]] = self.mapping(about), place
        return self.mapping(parameters), Place()

    def amount(self, written: Field) -> Field:
        """Return a number or a formula with the names of parameters, and its place."""
        return self.formula(written[0]), written[1]

    def formula(self, data: Data) -> Data:
        """Return a number or a formula with the names of parameters."""
        if isinstance(data, str):
            data = self.main.pattern.sub(lambda match: self.main.names[match[0]], data)
        return data


def _fault(node: _Node, kind: Data, keys: Fields, has_branches: bool) -> str:
    """Return what is missing at a node, or unfit for its branches; empty if nothing is."""
    unfit: list[str] = [word for word in ("type", "payoff") if word in keys]
    if has_branches:
        unfit.append("branches")
    if "tree" in keys and unfit:
        return f"found {unfit[0]} next to `tree`, which has its own\nremove one of them"
    if has_branches and kind not in ("decision", "chance"):
        if kind:
            return f"found {described(kind)} as type\nwrite `type: decision` or `type: chance`"
        return "a node with branches has no type\nwrite `type: decision` or `type: chance`"
    if not has_branches and (kind in ("decision", "chance") or not node.above):
        return "this node has no branches\nwrite each as a label with a colon, and indent its lines"
    if not has_branches and "payoff" not in keys and "tree" not in keys:
        return "this end node has no payoff\nadd it, as in `payoff: 100`"
    if node.above == "chance" and "p" not in keys:
        return "this outcome has no probability\nadd it, as in `p: 0.5`"
    return ""


def _fault_of_branch(key: str, value: Data) -> str:
    """Return the message about a key that is neither known nor the label of a node."""
    if not value:
        return f"nothing belongs to {quote(key)}\nindent its lines, such as `payoff: 100`"
    return (
        f"found {described(value)} at {quote(key)}\nif this is a branch, write `payoff:` and the "
        f"number on the next line, indented; the keys of a node are {key_list(KEYS)}"
    )


def _pattern(name: str) -> str:
    """Return the pattern of a name that is not a part of a longer word."""
    pattern = re.escape(name)
    if re.match(r"\w", name):
        pattern = rf"(?<!\w){pattern}"
    if re.search(r"\w$", name):
        pattern = rf"{pattern}(?!\w)"
    return pattern


def _identifiers(names: Collection[str], known: Mapping[str, str] = {}) -> dict[str, str]:
    """Return a name of letters, digits and _ for each variable: `P_flop` for `P(flop)`.

    Those that are `known` stay.
    """
    chosen, taken = dict(known), {*RESERVED, *known.values()}
    for name in sorted(names, key=lambda name: not _IDENTIFIER.fullmatch(name)):
        if name not in chosen:
            base = name
            if not _IDENTIFIER.fullmatch(name):
                base = shared.identifier(shared.identifier(name).strip("_") or "variable")
            chosen[name] = shared.free_name(base, taken)
            taken.add(chosen[name])
    return chosen
