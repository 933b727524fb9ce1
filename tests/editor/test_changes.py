"""A change of a node in a text means what it says, and leaves all else as it was."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from foreign.diagrams import decision, edge, file_of, terminal
from helpers import for_each

import expectitree as et
from expectitree.base.tree import paths
from expectitree.editor.changes import described, edited

NUMBERS = ("3", "-2.5", "1/3", "40", "0", "1e3")
SHARES = {2: ("0.3", "0.7"), 3: ("1/2", "0.3", "20%"), 4: ("0.1", "0.2", "0.3", "0.4")}


# ---- Texts as people write them, and the tree that they mean.


@dataclass(eq=False)
class Branch:
    """A child with what its branch has."""

    node: Node
    label: str | None = None
    p: str | None = None
    pay: tuple[str, str] | None = None  # cost or reward, and the number
    comments: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Node:
    """A node and how it is written: with its children in a list, by label, or by p."""

    kind: str  # or `utility`
    number: str = ""
    style: str = "list"
    branches: list[Branch] = field(default_factory=list)


def random_node(random: Random, depth: int) -> Node:
    if not depth or random.random() < 0.2:
        return Node("utility", random.choice(NUMBERS))
    kind = random.choice(("max", "min", "chance", "chance"))
    count = random.randint(1, 4)
    has_p = kind == "chance" and count > 1 and random.random() < 0.6
    style = random.choice(("list", "labels", "by p" if has_p else "list"))
    branches = []
    for at in range(count):
        label = {"labels": f"l {at}", "by p": None}.get(style, random.choice((None, f"k{at}")))
        pay = random.choice((None, None, ("cost", "2"), ("reward", "1/4")))
        p = SHARES[count][at] if has_p else None
        branches.append(Branch(random_node(random, depth - 1), label, p, pay))
    return Node(kind, "", style, branches)


class Writer:
    """Writes a tree in blocks, in brackets, and with comments, as a person might."""

    def __init__(self, random: Random, is_json: bool) -> None:
        self.random, self.is_json, self.comments = random, is_json, 0

    def document(self, root: Branch) -> str:
        if self.is_json:
            step = self.random.choice((None, 2))
            return json.dumps({"title": "T", **data(root.node)}, indent=step)
        pairs = self.block(self.pairs(root, "list"), 0, root)
        return f"# A tree\ntitle: T  # its title\n{pairs}"

    def comment(self, branch: Branch, share: float = 0.4) -> str:
        if self.random.random() > share:
            return ""
        self.comments += 1
        branch.comments.append(f"comment {self.comments}")
        return f"  # comment {self.comments}, of a branch"

    def pairs(self, branch: Branch, style: str) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = []
        if style == "list" and branch.label is not None:
            found.append(("label", branch.label))
        if style != "by p" and branch.p is not None:
            found.append(("p", branch.p))
        if branch.pay:
            found.append(branch.pay)
        node = branch.node
        found.append((node.kind, node.number if node.kind == "utility" else node))
        self.random.shuffle(found)
        return found

    def flow(self, branch: Branch, style: str, indent: int = -1) -> str:
        """Return a node in brackets, on several lines if there is an indent."""
        pairs = self.pairs(branch, style)
        if len(pairs) == 1 and branch.node.kind == "utility" and self.random.random() < 0.9:
            return branch.node.number
        items = [
            f"{key}: {self.children(value, indent) if isinstance(value, Node) else value}"
            for key, value in pairs
        ]
        return f"{{{', '.join(items)}}}"

    def key(self, branch: Branch, style: str) -> str:
        return {"list": "", "labels": f"{branch.label}: ", "by p": f"{branch.p}: "}[style]

    def children(self, node: Node, indent: int) -> str:
        opening, closing = "[]" if node.style == "list" else "{}"
        items = [
            self.key(branch, node.style)
            + self.flow(branch, node.style, indent + 2 if indent >= 0 else -1)
            for branch in node.branches
        ]
        if indent < 0:
            return opening + ", ".join(items) + closing
        margin, text = " " * (indent + 2), opening
        for at, (item, branch) in enumerate(zip(items, node.branches, strict=True)):
            comma = "," if at + 1 < len(items) or self.random.random() < 0.3 else ""
            text += f"\n{margin}{item}{comma}{self.comment(branch)}"
        return f"{text}\n{' ' * indent}{closing}"

    def block(self, pairs: list[tuple[str, Any]], indent: int, branch: Branch) -> str:
        """Return the pairs of a node on lines of their own, the first without its margin."""
        lines = []
        for key, value in pairs:
            if not isinstance(value, Node):
                lines.append(f"{key}: {value}{self.comment(branch)}\n")
            elif (chosen := self.random.random()) < 0.2:
                lines.append(f"{key}: {self.children(value, -1)}{self.comment(branch)}\n")
            elif chosen < 0.4:
                lines.append(f"{key}: {self.children(value, indent)}{self.comment(branch)}\n")
            else:
                lines.append(f"{key}:{self.comment(branch)}\n{self.lines(value, indent)}")
        return (" " * indent).join(lines)

    def lines(self, node: Node, indent: int) -> str:
        indent += self.random.choice((2, 2, 4, 0 if node.style == "list" else 2))
        margin, text = " " * indent, ""
        for branch in node.branches:
            if self.random.random() < 0.2:
                text += f"{margin}{self.comment(branch, 1).strip() or '#'}\n"
            head = margin + ("- " if node.style == "list" else self.key(branch, node.style))
            if self.random.random() < 0.5:
                text += f"{head}{self.flow(branch, node.style)}{self.comment(branch)}\n"
                continue
            pairs = self.pairs(branch, node.style)
            if node.style == "list":
                text += head + self.block(pairs, indent + 2, branch)
            else:
                text += f"{head.rstrip()}\n{margin}  {self.block(pairs, indent + 2, branch)}"
        return text


def data(node: Node) -> dict[str, Any]:
    """Return a node as JSON has it."""
    if node.kind == "utility":
        return {"utility": node.number}
    items = []
    for branch in node.branches:
        item: dict[str, Any] = {} if branch.pay is None else {branch.pay[0]: branch.pay[1]}
        if node.style != "labels" and branch.label is not None:
            item["label"] = branch.label
        if node.style != "by p" and branch.p is not None:
            item["p"] = branch.p
        items.append({**item, **data(branch.node)})
    if node.style == "list":
        return {node.kind: items}
    keys = [branch.label if node.style == "labels" else branch.p for branch in node.branches]
    return {node.kind: dict(zip(keys, items, strict=True))}


def nodes(root: Branch) -> list[tuple[str, Branch, Node | None]]:
    """Return path, branch and parent of every node, parents first."""
    found: list[tuple[list[str], Branch, Node | None]] = [([], root, None)]
    for labels, branch, _ in found:
        for at, child in enumerate(branch.node.branches):
            label = child.label or f"#{at + 1}"
            found.append(([*labels, label], child, branch.node))
    return [(paths.join(labels), branch, parent) for labels, branch, parent in found]


def meaning(text: str, name: str) -> list[Any]:
    """Return everything that a text says of each node."""
    tree = et.loads(text, name=name)
    found = []
    for node, path in tree.walk():
        branches = [(b.label, b.p, b.reward) for b in node.branches]
        found.append((path, node.kind, None if branches else node.utility, branches))
    return found


# ---- Changes, in the text and in the tree.


def below(branch: Branch) -> list[Branch]:
    return [branch, *(b for child in branch.node.branches for b in below(child))]


def change(random: Random, root: Branch) -> tuple[str, str, Any, list[Branch]] | None:
    """Change the tree; return path, name and value of the change, and the branches that go."""
    path, branch, parent = random.choice(nodes(root))
    node, gone = branch.node, []
    what = random.choice(("label", "number", "pay", "kind", "leaf", "p", "add", "remove"))
    value: Any = ""
    if what == "label" and parent:
        branch.label = value = "other: name"
        if parent.style == "by p":
            return None if branch.p is None else (path, what, value, [])
    elif what == "number" and node.kind == "utility":
        what = "utility"
        node.number = value = random.choice(("5", "-7/3", "2*3"))
    elif what == "pay" and parent:
        what = branch.pay[0] if branch.pay else "cost"
        value = random.choice(("4", ""))
        branch.pay = (what, value) if value else None
    elif what == "kind" and node.kind == "utility":
        value = random.choice(("max", "min", "chance"))
        branch.node = Node(value, branches=[Branch(Node("utility", node.number))])
    elif what == "kind" and node.style != "by p":
        node.kind = value = random.choice(("max", "min", "chance"))
        if value != "chance":
            for child in node.branches:
                child.p = None
    elif what == "leaf" and node.kind != "utility":
        what, gone = "kind", below(branch)
        value = "12"
        node.kind, node.number, node.branches = "utility", value, []
    elif what == "p" and node.kind == "chance" and len(node.branches) > 1:
        value = list(SHARES[len(node.branches)][::-1])
        for child, p in zip(node.branches, value, strict=True):
            child.p = p
    elif what == "add" and node.kind != "utility":
        label = "new" if node.style == "labels" else None
        p = "0" if any(child.p for child in node.branches) else None
        node.branches.append(Branch(Node("utility", "0"), label, p))
    elif what == "remove" and parent and len(parent.branches) > 1:
        gone = below(branch)
        parent.branches.remove(branch)
        if branch.p:
            number = et.base.reading.to_probability
            left = 1 - number(branch.p, exact=True)
            for child in parent.branches:
                child.p = str(Fraction(number(str(child.p), exact=True)) / left)
                child.p = "1.0" if child.p == "1" else child.p  # a key 1 is a label
    else:
        return None
    return path, what, value, gone


def check(seed: str) -> None:
    random = Random(seed)
    is_json = random.random() < 0.2
    name = "t.json" if is_json else "t.yaml"
    root = Branch(random_node(random, random.randint(1, 3)))
    text = Writer(random, is_json).document(root)
    done = change(random, root)
    if done is None:
        return
    path, what, value, gone = done
    found = edited(text, path, what, value, name=name)
    expected = json.dumps(data(root.node))
    assert meaning(found, name) == meaning(expected, "t.json")
    lost = {comment for branch in gone for comment in branch.comments}
    kept = set(re.findall(r"comment \d+", text)) - lost
    assert kept <= set(re.findall(r"comment \d+", found))
    was, new = text.splitlines(), found.splitlines()
    if not gone and what not in ("p", "kind"):  # one line changes, and one may be added or go
        assert len(set(was) - set(new)) <= 1 + (value == "")
        assert len(new) - len(was) in (-1, 0, 1)


@for_each("seed", range(100), range(100, 5_000))
def test_a_change_means_what_it_says_and_leaves_the_rest(seed: int) -> None:
    check(str(seed))


SHARED = """\
nodes:
  coin: &c  # a coin
    chance: {heads: 1, tails: &t 0}
max:
  a: {ref: coin}
  b: {cost: 1, ref: coin}
  c: {chance: {0.5: *t, rest: *t}}
  d: {chance: {x: {p: 1/4, utility: "?"}, y: {p: rest, utility: 2}}}
"""
CHANGES = [
    ("a/heads", "utility", "3", "    chance: {heads: 1,", "    chance: {heads: 3,"),
    ("b/heads", "label", "up", "{heads: 1,", "{up: 1,"),
    ("a", "cost", "1/2", "  a: {ref", "  a: {cost: 1/2, ref"),
    ("b", "cost", "", "{cost: 1, ref", "{ref"),
    ("a", "kind", "min", "    chance: {heads", "    min: {heads"),
    ("c/#1", "utility", "7", "&t 0", "&t 7"),
    ("a", "remove", "", "  a: {ref: coin}\n", ""),
    ("d", "p", ["1/2", "rest"], "{p: 1/4,", "{p: 1/2,"),
    ("d/x", "kind", "max", 'utility: "?"', 'max: [{utility: "?"}]'),
    ("d/x", "utility", "a: b", '"?"', '"a: b"'),
    ("d/x", "utility", "1, 2", '"?"', '"1, 2"'),
]


@pytest.mark.parametrize(("path", "what", "value", "old", "new"), CHANGES)
def test_a_change_goes_where_an_alias_or_a_ref_leads(
    path: str, what: str, value: Any, old: str, new: str
) -> None:
    expected = SHARED.replace(old, new)
    try:
        assert edited(SHARED, path, what, value) == expected
    except et.FileError:  # the new value is not a number, and nothing else has changed
        with pytest.raises(et.FileError, match=re.escape(str(value))):
            et.loads(expected)


REFUSED = [
    ("", "remove", "", "the root cannot be removed"),
    ("", "label", "x", "the root has no label"),
    ("a", "label", " ", "expected a label"),
    ("a", "utility", "1", "a utility is for a leaf"),
    ("a/heads", "utility", "", "expected a number"),
    ("a/heads", "add", "", "a leaf has no children"),
    ("c", "kind", "max", "probabilities as keys"),
    ("c", "p", ["1"], "expected 2 probabilities"),
    ("d", "p", ["1/2", "1/3"], "sum to 5/6"),
    ("c/#1", "cost", "1", "this branch is an alias"),
    ("z", "add", "", "no node z"),
    ("a", "turn", "", "unknown change 'turn'"),
]


@pytest.mark.parametrize(("path", "what", "value", "message"), REFUSED)
def test_a_change_that_the_text_cannot_have_is_refused(
    path: str, what: str, value: Any, message: str
) -> None:
    with pytest.raises(et.ExpectitreeError, match=re.escape(message)):
        edited(SHARED, path, what, value)


def test_keys_that_are_places_and_outcomes_with_labels_are_told_apart() -> None:
    assert edited("max: {'#1': 3, b: 4}", "#1", "label", " a ") == "max: {a: 3, b: 4}"
    assert edited("max: {'#1': 3, b: 4}", "", "add") == "max: {'#1': 3, b: 4, new: 0}"
    text = "chance: {0.4: {label: x, utility: 3}, 0.6: 1}"
    assert edited(text, "x", "label", "z") == text.replace("x", "z")
    assert edited(text, "#2", "label", "z") == text.replace("6: 1", "6: {label: z, utility: 1}")
    assert edited(text, "x", "remove") == "chance: {1.0: 1}"


def test_a_label_that_would_become_a_probability_is_refused() -> None:
    with pytest.raises(et.TreeError, match="is read as a probability"):
        edited("chance: {0.4: 1, b: 2}", "b", "label", "0.6")


def test_a_file_of_another_program_and_a_tree_of_one_child_are_refused() -> None:
    with pytest.raises(et.TreeError, match="a node needs a child"):
        edited("max: [1]", "#1", "remove")
    text = file_of(decision(edge("a", 1, terminal())))
    with pytest.raises(et.TreeError, match="convert the file to YAML or JSON"):
        edited(text, "", "add", name="t.json")


def test_amounts_by_criterion_are_edited_as_a_mapping() -> None:
    text = "{criteria: [x, y], objective: x - y, max: {a: {utility: {x: 3}}, b: 0}}"
    assert described(text, "a")["utility"] == "{x: 3}"
    changed = text.replace("{x: 3}", "{x: 3, y: 1}")
    assert edited(text, "a", "utility", "{x: 3, y: 1}") == changed
    with pytest.raises(et.FileError, match="write amounts by criterion"):
        edited(text, "a", "utility", "4")
