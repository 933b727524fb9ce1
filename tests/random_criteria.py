"""Random trees with criteria, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any


def random_node(
    random: Random, depth: int, names: Sequence[str], kinds: Sequence[str]
) -> dict[str, Any]:
    """Return a random node that pays amounts of the named criteria; inner nodes have `kinds`."""
    if not depth or random.random() < 0.1:
        return {"utility": {name: random.randint(-4, 9) for name in names if random.random() < 0.7}}
    count = random.choice((1, 2, 2, 3))
    children = [random_node(random, depth - 1, names, kinds) for _ in range(count)]
    for child in children:
        if random.random() < 0.4:
            child["reward"] = {random.choice(names): random.randint(-3, 5)}
    kind = random.choice(kinds)
    if kind == "chance":
        shares = [random.randint(0, 3) for _ in children]
        shares[0] += not any(shares)
        for share, child in zip(shares, children, strict=True):
            child["p"] = f"{share}/{sum(shares)}"
    return {kind: children}
