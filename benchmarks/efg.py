"""Writes a tree in Gambit's format .efg, which OpenSpiel reads; MAX is player 1, MIN player 2."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree import Kind, Tree


def efg(tree: Tree) -> Iterator[str]:
    """Yield the lines of a tree; sharing is written out.

    Outcomes of probability zero are left out: the format has no use for them. Every node has an
    information set of its own: every player sees every move.
    """
    yield 'EFG 2 R "a tree" { "MAX" "MIN" }'
    yield '""'
    kind, utility, first, child, probability, _ = tree.columns.stored
    counts = [0, 0, 0, 0]
    pending = [len(tree) - 1]
    while pending:
        n = pending.pop()
        k = kind[n]
        counts[k] += 1
        branches = range(first[n], first[n + 1])
        if k == Kind.TERMINAL:
            yield f't "" {counts[0]} "" {{ {utility[n]!r} {-utility[n]!r} }}'
            continue
        if k == Kind.CHANCE:
            branches = [b for b in branches if probability[b] > 0]
            outcomes = " ".join(f'"{tree.branch_label(n, b)}" {probability[b]!r}' for b in branches)
            yield f'c "" {counts[k]} "" {{ {outcomes} }} 0'
        else:
            actions = " ".join(f'"{tree.branch_label(n, b)}"' for b in branches)
            yield f'p "" {k} {counts[k]} "" {{ {actions} }} 0'
        pending.extend(child[b] for b in reversed(branches))
