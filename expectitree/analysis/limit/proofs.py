"""What follows from having looked at some leaves of a tree, and with how few one can do."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from expectitree import compiling
from expectitree.analysis.limit.count import SLACK
from expectitree.analysis.limit.nodes import MAX, sift
from expectitree.analysis.limit.shape import Ground
from expectitree.tree.model import Column

_MOST_ROWS = 1_000_000  # of scans that are spent on narrowing a count where paths share leaves
_MOST_COMPILED_ROWS = 300_000_000  # the same where they run compiled


@dataclass(frozen=True)
class Enough:
    """How few leaves are enough for something: between `least` and `most`, which `leaves` show to be enough."""

    least: int
    leaves: Sequence[int]  # node ids, ascending

    @property
    def most(self) -> int:
        """As many as are known to be enough."""
        return len(self.leaves)

    @property
    def count(self) -> int | None:
        """The fewest leaves; None where they are known only to lie between `least` and `most`."""
        return self.most if self.least == self.most else None

    @property
    def text(self) -> str:
        """The count, or between which two it lies."""
        return between(self.least, self.most)


def between(least: int, most: int) -> str:
    """Return a count that is known to lie between two, as text."""
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


class Proofs:
    """What follows from having looked at some leaves of a tree: whether they force its value, or its best action."""

    def __init__(self, ground: Ground, compiled: bool | None, slack: int = SLACK) -> None:
        self.ground, self.slack = ground, slack * ground.eps
        self.compiled = compiled if ground.code else False
        self.count = len(ground.shape.kind)
        self.low, self.high = ground.numbers(self.count), ground.numbers(self.count)

    def are_enough(self, leaves: Iterable[int], for_value: bool) -> bool:
        """Say whether these leaves force the root's value, or else that some action is best at the root."""
        return not self._needed(leaves, [], for_value)

    def best_forced(self, leaves: Iterable[int]) -> int:
        """Return a child of the root that is best whatever other leaves are, where these force that some child is."""
        self._needed(leaves, [], False)
        shape, root = self.ground.shape, self.count - 1
        branches = list(range(shape.first[root], shape.first[root + 1]))
        sign = 1 if shape.kind[root] == MAX else -1
        given, most = (self.low, self.high)[::sign]

        def worth(b: int, column: Column) -> Any:
            return sign * shape.factor[b] * column[shape.child[b]]

        # It is worth as much as any for certain, and of those that are, as much as any in fact, and
        # may be worth most.
        for column in (given, self.ground.value):
            greatest = max(worth(b, column) for b in branches)
            branches = [b for b in branches if worth(b, column) >= greatest - self.slack]
        return int(shape.child[max(branches, key=lambda b: worth(b, most))])

    def narrowed(self, least: int, candidates: Sequence[Sequence[int]], for_value: bool) -> Enough:
        """Return how few leaves are enough: no fewer than `least`, no more than the smallest candidate has.

        Tried, as long as it takes no time to speak of: to do without each leaf of that candidate;
        which leaves nothing makes up for; and these with all sets of the others, the smallest
        first. Of a value that decides, since it rises with every leaf: the interval of the root is
        all that it can be. Two actions that share leaves may be in order although their intervals
        overlap, so of those the count is only lowered.
        """
        enough = [c for c in candidates if self.are_enough(c, for_value)] or candidates[:1]
        smallest = min(enough, key=len)
        is_decided = for_value or not self._do_actions_overlap()
        leaves, needed = sorted(smallest), list[int]()
        every = {n for n, k in enumerate(self.ground.shape.kind) if not k}
        if self._is_quick(2 * len(leaves)):
            leaves = self._needed(leaves, leaves, for_value, drop=True)
            needed = self._needed(every, leaves, for_value) if is_decided else []
        least = max(least, len(needed))
        others = sorted(every.difference(needed))
        tries = _MOST_ROWS // self.count
        size = least
        while (
            size < len(leaves)
            and (tries := tries - math.comb(len(others), size - len(needed))) >= 0
        ):
            for some in combinations(others, size - len(needed)):
                if self.are_enough([*needed, *some], for_value):
                    return Enough(size if is_decided else least, sorted([*needed, *some]))
            size += 1
        return Enough(size if is_decided else least, leaves)

    def _do_actions_overlap(self) -> bool:
        shape = self.ground.shape
        groups = shape.group[shape.first[self.count - 1] : shape.first[self.count]]
        return len(set(groups)) < len(groups)

    def _is_quick(self, tries: int) -> bool:
        rows = tries * self.count
        if self.compiled is None and compiling.pays(rows) or self.compiled:
            return rows <= _MOST_COMPILED_ROWS
        return rows <= _MOST_ROWS

    def _needed(
        self, chosen: Iterable[int], leaves: Sequence[int], for_value: bool, drop: bool = False
    ) -> list[int]:
        """Return those of some leaves without which the chosen ones are not enough.

        With `drop`, each leaf that is not needed is left out from then on. Without any leaves to do
        without, return a list that is empty where the chosen ones are enough.
        """
        ground = self.ground
        taken = compiling.zeros("B", self.count)
        for n in chosen:
            taken[n] = 1
        tried = array("i", leaves or [-1])
        enough = compiling.zeros("B", len(tried))
        compiling.run(
            sift, ground.shape, ground.value, ground.lower, ground.upper, ground.greatest, self.slack, for_value, tried,
            drop, taken, self.low, self.high, enough, rows=len(tried) * self.count, compiled=self.compiled,
        )  # fmt: skip
        return [n for n, without in zip(tried, enough, strict=True) if not without]
