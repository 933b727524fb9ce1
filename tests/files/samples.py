"""Trees and texts that several tests of `files` read and write."""

from __future__ import annotations

from typing import Any

from helpers import ROOT
from oracle import ExactNode
from random_texts import RandomText

import expectitree as et
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.files import loads

SHIPPED = sorted((ROOT / "trees").iterdir())


ODD_TEXTS = (
    "no", "on", "y", "NULL", "~", "null", "true", "=", "<<", "?", "-", "1.0", "0x1F", "1_000",
    "12:30", "2001-01-01",
    ".5", ".inf", ".nan", "+1", "#", "# 1", "#x", "a #b", "a: b", "a:", ":", "- x", "-1", "...",
    "---", "%x", "@x",
    "`x", "!x", "&x", "*x", "|", ">", "[", "]", "{", "}", ",", "a,b", "'", '"', "it's", 'a "b"',
    "'\"", "\\", "\\n",
    "\\u0041", "a/b", "/", "\\/", " a", "a ", "  ", "a  b", "\t", "\n", "\r\n", "a\n\nb", "\0",
    "\x07", "\x1b", "\x7f",
    "\x80", "\x85", "\xa0", "\xad", "\u200b", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ufffd", "é",
    "e\u0301", "日本",
    "\U0001f600", "\U000e0001", "\U0010ffff", "max", "p", "ref", "label", "utility", "nodes", "n1",
    "x" * 200, "0.5", "1/2", "rest", "1", "0",
)  # fmt: skip


SEEDS = (
    "title: A risk\nsource: 'x'\nexpect: {value: 54.5, best: right, star1: {skipped: [a/#2], "
    "bounds: [0, inf]}}\n"
    "max:\n  left:  {chance: [10, 10]}\n  right: {chance: [100, 9]}\n",
    "max:\n  a1:\n    chance:\n      - {p: 0.9, min: [2, 2]}\n      - {p: 1/10, min: &a [3, 3]}\n"
    "  a2:\n    chance:\n      - &n {p: 90%, min: [1, 1]}\n      - {p: 10%, ref: n}\n"
    "nodes: {n: {max: [1e-3, -.5], estimate: 1, bounds: [-inf, 9], note: "
    '"q\\x41"}}\n',
    '{"max": [{"label": "a", "utility": 1}, {"chance": {"x": {"p": 0.5, "utility": 1}, '
    '"y": {"p": "1/2", "min": [1, 2]}}}], "bounds": [0, 5]}',
    "parameters: {t: 0, k: 1, m: {by: t, table: {0: 0.1, 2: 5%}, between: linear}}\nnodes:\n"
    "  a:\n    until: t >= 4 or k > 9\n    utility: k*t\n    max:\n"
    "      up: {reward: m, ref: a, with: {t: t + 1, k: 2*k}}\n"
    "      down: {ref: a, with: {t: t + 2}}\nref: a\n",
)


def content_of(tree: et.Tree) -> list[object]:
    """Return the content of a tree in a form that does not depend on the order of its rows.

    Numbers are those of the columns. A branch to a shared node names the first path of that node.
    """
    paths = {node.id: path for node, path in tree.walk()}
    content: list[object] = [tree.title, tree.source, (tree.exact, tree.root_reward)]
    content.append(tree.expect and (tree.expect, dict(tree.expect.written)))
    for node, path in tree.walk():
        own = ExactNode(tree, node.id)
        branches = [
            (*branch[:2], branch.reward, tree.branch_notes.get(b), paths[branch.child.id])
            for b, branch in zip(tree.branches_of(node.id), own.branches, strict=True)
        ]
        numbers = (own.utility, own.estimate, tree.local_bounds.get(node.id))
        content.append((path, node.kind, *numbers, node.note, node.id in tree.estimated, branches))
    return content


def read(text: str, exact: bool = True, **about: Any) -> et.Tree:
    """Return the tree of a text, in floats if it is read like one of more than 20,000 nodes."""
    return loads(text, exact_nodes=EXACT_NODES if exact else 0, **about)


def exact_at(tree: et.Tree, path: str) -> ExactNode:
    """Return the node at a path with the numbers of the columns."""
    return ExactNode(tree, tree.find(path).id)


def random_full_tree(seed: int, exact: bool) -> et.Tree:
    """Return a random tree with odd labels and notes, bounds and estimates at many nodes."""
    return RandomText(seed, seed % 3 == 0, ODD_TEXTS).tree(exact)


def chain(plies: int, exact: bool = False) -> et.Tree:
    """Return a tree of a given depth, with a leaf next to every inner node."""
    builder = et.TreeBuilder(exact)
    node: Any = builder.terminal(0)
    for ply in range(plies):
        node = (builder.max, builder.min)[ply % 2]({"down": node, "out": ply})
    return builder.build(node)


def max_over(exact: bool = True, title: str | None = None, **children: Any) -> et.Tree:
    """Return a MAX node over maybe terminals."""
    builder = et.TreeBuilder(exact)
    return builder.build(builder.max(children or {"a": 1, "b": 2}), title=title)


def numbers(tree: et.Tree) -> list[object]:
    """Return all numbers of a tree by path, those of a shared node for each path to it."""
    columns, found, stack = tree.columns, list[object](), [(tree.root_id, "")]
    while stack:
        n, path = stack.pop()
        found.append((path, columns.kind[n], str(columns.utility[n])))
        for b in tree.branches_of(n):
            below = f"{path}/{tree.branch_label(n, b)}"
            found.append((below, columns.probability[b], tree.reward_of(b)))
            stack.append((columns.child[b], below))
    return found
