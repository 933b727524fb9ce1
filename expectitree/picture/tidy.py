"""A tidy layout of rows of items: each parent is above the middle of its children.

Kennedy, "Drawing trees", Journal of Functional Programming 6 (1996): subtrees are fitted together
from the left and from the right, and the mean of both keeps all distances and is symmetrical. The
contours of subtrees are passed up without copying, so the whole takes linear time, as in Reingold
and Tilford (1981). Unlike there, an item may reach to the left and to the right by different
amounts. Nothing recurses.

docs/decisions/0012-pictures.md lists the libraries that we tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

_Ends: TypeAlias = list[float]  # of a row of subtrees, or of a subtree in each row


@dataclass(eq=False)
class _Contour:
    """A subtree's reach from its root in each row, the deepest first, less `offset`."""

    left: _Ends = field(default_factory=list)
    right: _Ends = field(default_factory=list)
    offset: float = 0


_NONE = _Contour()


@dataclass(eq=False)
class Item:
    """Something in a row: an item at `place` reaches from `place - left` to `place + right`.

    Its children are one row below it.
    """

    left: float = 0
    right: float = 0
    children: list[Item] = field(default_factory=list)
    place: float = 0  # first from the place of the parent, finally within the row
    contour: _Contour = _NONE  # of the subtree, while it has no parent


def tidy(items: Sequence[Item]) -> None:
    """Write the place of each item, parents first, so that no two items of a row overlap."""
    for item in reversed(items):
        below = [child.contour for child in item.children]
        places = _fitted(below) if len(below) > 1 else [0.0] * len(below)
        whole = item.contour = _joined(below, places)
        whole.left.append(-item.left - whole.offset)
        whole.right.append(item.right - whole.offset)
        for child, place in zip(item.children, places, strict=True):
            child.place = place
            child.contour = _NONE
    for item in items:
        for child in item.children:
            child.place += item.place


def _fitted(below: list[_Contour]) -> _Ends:
    """Return the places of subtrees, from the middle above them."""
    deep = sorted(len(contour.left) for contour in below)[-2]  # no row below has two subtrees
    sides = [
        (_from_top(contour.left, contour, deep), _from_top(contour.right, contour, deep))
        for contour in below
    ]
    from_left = _pushed(sides)
    mirrored = [
        ([-end for end in right], [-end for end in left]) for left, right in reversed(sides)
    ]
    from_right = [-place for place in reversed(_pushed(mirrored))]
    means = [(a + b) / 2 for a, b in zip(from_left, from_right, strict=True)]
    middle = (means[0] + means[-1]) / 2
    return [place - middle for place in means]


def _from_top(ends: _Ends, contour: _Contour, deep: int) -> _Ends:
    return [end + contour.offset for end in reversed(ends[-deep:])]


def _pushed(sides: list[tuple[_Ends, _Ends]]) -> _Ends:
    """Return the places of subtrees, each as far to the left as the ones before it allow."""
    places = []
    reached: _Ends = []  # [row] the right end of the subtrees that have a place
    for left, right in sides:
        place = max((end - start for end, start in zip(reached, left, strict=False)), default=0.0)
        places.append(place)
        ends = [end + place for end in right]
        reached[: len(ends)] = [*map(max, reached, ends), *ends[len(reached) :]]
    return places


def _joined(below: list[_Contour], places: _Ends) -> _Contour:
    """Return the contour of subtrees side by side: the deepest one's, widened by the others."""
    if not below:
        return _Contour()
    deepest = max(range(len(below)), key=lambda i: len(below[i].left))
    whole = below[deepest]
    whole.offset += places[deepest]
    for contour, place in zip(below, places, strict=True):
        if contour is not whole:
            shift = contour.offset + place - whole.offset
            for row in range(-len(contour.left), 0):
                whole.left[row] = min(whole.left[row], contour.left[row] + shift)
                whole.right[row] = max(whole.right[row], contour.right[row] + shift)
    return whole
