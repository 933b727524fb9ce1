"""Find the risk tolerances at which another action becomes best.

Certainty equivalents of the exponential attitude are not rational in the tolerance. So the tree is
evaluated at many tolerances, and each change between two of them is bisected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from expectitree.display import Shown
from expectitree.errors import AnalysisError
from expectitree.numbers import INFINITY
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS
from expectitree.tree import paths
from expectitree.tree.attitude import Attitude
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.transform import in_floats

WIDEST = 1000.0  # tolerances from the spread of totals times this, down to the spread over this
STEPS = 120  # tolerances between
_MOST_CHANGES = 100
_NEAR = 1e-4  # relative: where the actions of a change are compared by their values alone
_BISECTIONS = 60


@dataclass(frozen=True)
class TolerancePiece:
    """A range of risk tolerances with one best action.

    Attributes:
        low: The least risk tolerance; that of the last piece is the least that was tried.
        high: The greatest; infinity if the action is best for expected values too.
        best: The label of the best action.
        value_low: The certainty equivalent of the tree at `low`.
        value_high: That at `high`.
    """

    low: float
    high: float
    best: str
    value_low: float
    value_high: float


@dataclass(frozen=True)
class Tolerances(Shown):
    """The best action for each risk tolerance; `tolerances` makes it.

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        pieces: The ranges, from the greatest tolerance down.
    """

    question = "sensitivity"
    has_plot = True

    file: str
    tree: Tree
    pieces: tuple[TolerancePiece, ...]

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The risk tolerances at which the best action changes, from the greatest down."""
        return tuple(piece.low for piece in self.pieces[:-1])

    def to_records(self) -> list[dict[str, Any]]:
        """Return the pieces as flat dicts, rows for pandas or polars."""
        return [
            {
                "file": self.file,
                "from": piece.low,
                "to": piece.high,
                "best": piece.best,
                "value_from": piece.value_low,
                "value_to": piece.value_high,
            }
            for piece in self.pieces
        ]


def tolerances(tree: Tree, file: str = "") -> Tolerances:
    """Return the best action for each risk tolerance of the exponential attitude.

    Raises `AnalysisError` if no player decides at the root.
    """
    check_tree(tree)
    tree = in_floats(replace(tree, attitude=None))
    if tree.root.kind not in PLAYERS:
        raise AnalysisError("no player decides at the root: no risk tolerance changes a decision")
    low, high = map(float, tree.total_ends)
    spread = high - low or 1.0
    ratio = WIDEST ** (-2 / STEPS)
    places = [0.0, *(1 / (spread * WIDEST * ratio**i) for i in range(STEPS + 1))]
    bests = [_best(tree, s) for s in places]
    found = [(0.0, bests[0])]
    for i in range(STEPS + 1):
        found += _changes(tree, (places[i], bests[i]), (places[i + 1], bests[i + 1]))
    ends = [*(s for s, _ in found[1:]), places[-1]]
    values = {s: float(search_tree(_averse(tree, s)).value) for s in (0.0, *ends)}
    pieces = [
        TolerancePiece(1 / end, 1 / s if s else INFINITY, best, values[end], values[s])
        for (s, best), end in zip(found, ends, strict=True)
    ]
    return Tolerances(file, tree, tuple(pieces))


def _averse(tree: Tree, s: float) -> Tree:
    """Return the tree at the risk tolerance 1/s; without attitude if s is 0."""
    return replace(tree, attitude=Attitude("exponential", 1 / s) if s else None)


def _best(tree: Tree, s: float) -> str:
    return str(search_tree(_averse(tree, s)).best)


def _changes(
    tree: Tree, left: tuple[float, str], right: tuple[float, str]
) -> Iterator[tuple[float, str]]:
    """Yield where the best action changes between two places, with the action from there on."""
    for _ in range(_MOST_CHANGES):
        if left[1] == right[1]:
            return
        low, high = left, right
        for _ in range(_BISECTIONS):
            s = (low[0] + high[0]) / 2
            if not low[0] < s < high[0]:
                break
            middle = s, _best(tree, s)
            if middle[1] == left[1]:
                low = middle
            else:
                high = middle
        yield _refined(tree, high[0], left[1], high[1]), high[1]
        left = high


def _refined(tree: Tree, s: float, before: str, after: str) -> float:
    """Return where two actions are worth the same, near s, by their values alone."""

    def difference(place: float) -> float:
        search = search_tree(_averse(tree, place))
        return float(search.value_of(paths.join([before]))) - float(
            search.value_of(paths.join([after]))
        )

    low, high = s * (1 - _NEAR), s * (1 + _NEAR)
    sign = difference(low) > 0
    if sign == (difference(high) > 0):
        return s
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if (difference(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return high
