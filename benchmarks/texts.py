"""Random trees from a seed, written in the styles that the benchmarks read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from expectitree import Tree, TreeBuilder

KINDS = ("max", "chance", "min")
LEVELS = 6  # of inner nodes; the root has as many children as the wanted size needs
FEWEST, MOST = 2, 6  # children of the other inner nodes


@dataclass
class Branch:
    """A branch and what it leads to: a number's text, or an inner node's kind and branches."""

    label: str
    p: str  # "" where no chance node is above
    number: str = ""
    kind: str = ""
    below: list[Branch] = field(default_factory=list)


def random_tree(seed: int, least: int) -> tuple[Branch, int]:
    """Return a tree of at least so many nodes, MAX over CHANCE over MIN …, and its size."""
    random = Random(seed)
    root, count = Branch("", "", kind=KINDS[0]), 1
    while count < least:
        root.below.append(Branch(f"move {len(root.below) + 1}", ""))
        count += _grow(root.below[-1], 1, random)
    return root, count


def _grow(node: Branch, level: int, random: Random) -> int:
    if level == LEVELS:
        node.number = random.choice(
            (str(random.randint(-100, 100)), f"{random.uniform(-100, 100):.1f}")
        )
        return 1
    node.kind = KINDS[level % len(KINDS)]
    fanout = random.randint(FEWEST, MOST)
    cuts = [0, *sorted(random.sample(range(1, 100), fanout - 1)), 100]
    word = "outcome" if node.kind == "chance" else "move"
    for place in range(fanout):
        p = f"{(cuts[place + 1] - cuts[place]) / 100:g}" if node.kind == "chance" else ""
        node.below.append(Branch(f"{word} {place + 1}", p))
    return 1 + sum(_grow(branch, level + 1, random) for branch in node.below)


def flow_lists(root: Branch) -> str:
    """Return YAML with lists of numbers and equal outcomes: `- {chance: [{min: [1, 2]}, …]}`."""
    return _children_by_line(root, with_p=False)


def flow_outcomes(root: Branch) -> str:
    """Return YAML with a `p` at every outcome: `- {chance: [{p: 0.5, min: [1, 2]}, …]}`."""
    return _children_by_line(root, with_p=True)


def _children_by_line(root: Branch, with_p: bool) -> str:
    return f"{root.kind}:\n" + "".join(f"- {_flow(branch, with_p)}\n" for branch in root.below)


def _flow(branch: Branch, with_p: bool) -> str:
    if branch.number:
        return branch.number
    p = f"p: {branch.p}, " if with_p and branch.p else ""
    return f"{{{p}{branch.kind}: [{', '.join(_flow(child, with_p) for child in branch.below)}]}}"


def labelled_mappings(root: Branch) -> str:
    """Return YAML in blocks: each branch has a label, each outcome its `p` on its own line."""
    return "".join(_block(root, 0))


def _block(node: Branch, depth: int) -> Iterator[str]:
    indent = "  " * depth
    yield f"{indent}{node.kind}:\n"
    for branch in node.below:
        if branch.number:
            yield f"{indent}  {branch.label}: {branch.number}\n"
            continue
        yield f"{indent}  {branch.label}:\n"
        if branch.p:
            yield f"{indent}    p: {branch.p}\n"
        yield from _block(branch, depth + 2)


def json_lists(root: Branch) -> str:
    """Return JSON with lists of numbers, outcomes equally likely."""
    if root.number:
        return root.number
    return f'{{"{root.kind}": [{", ".join(map(json_lists, root.below))}]}}'


def json_labelled(root: Branch) -> str:
    """Return JSON in which every branch is labelled and every outcome has its `p`."""
    if root.number:
        return root.number
    p = f'"p": {root.p}, ' if root.p else ""
    children = ", ".join(f'"{branch.label}": {json_labelled(branch)}' for branch in root.below)
    return f'{{{p}"{root.kind}": {{{children}}}}}'


def built(root: Branch) -> Tree:
    """Return the tree as the search takes it, made without any text."""
    builder = TreeBuilder()
    return builder.build(_built(root, builder))


def _built(node: Branch, builder: TreeBuilder) -> int:
    if node.number:
        return builder.terminal(node.number)
    children = [_built(branch, builder) for branch in node.below]
    if node.kind == "chance":
        return builder.chance(children, [branch.p for branch in node.below])
    return builder.max(children) if node.kind == "max" else builder.min(children)
