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


class _Contour:
    """How far a subtree reaches from its root in each row, the deepest first, less `offset`."""

    __slots__ = ("left", "offset", "right")

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.offset = 0.0


def tidy(
    children: Sequence[Sequence[int]], left: Sequence[float], right: Sequence[float]
) -> list[float]:
    """Return the place of each item within its row. A child is one row below its parent.

    Parents come before children. An item at x takes the room from `x - left` to `x + right`, and no
    two items of a row overlap.
    """
    beside = [0.0] * len(children)  # [item] its distance from its parent
    contours: list[_Contour | None] = [None] * len(children)
    for item in range(len(children) - 1, -1, -1):
        below = [_taken(contours, child) for child in children[item]]
        places = _fitted(below) if len(below) > 1 else [0.0] * len(below)
        for child, place in zip(children[item], places, strict=True):
            beside[child] = place
        whole = _joined(below, places)
        whole.left.append(-left[item] - whole.offset)
        whole.right.append(right[item] - whole.offset)
        contours[item] = whole
    places = [0.0] * len(children)
    for item, below_it in enumerate(children):
        for child in below_it:
            places[child] = places[item] + beside[child]
    return places


def _taken(contours: list[_Contour | None], item: int) -> _Contour:
    contour, contours[item] = contours[item], None
    assert contour is not None
    return contour


def _fitted(below: list[_Contour]) -> list[float]:
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


def _from_top(ends: list[float], contour: _Contour, deep: int) -> list[float]:
    return [end + contour.offset for end in reversed(ends[-deep:])]


def _pushed(sides: list[tuple[list[float], list[float]]]) -> list[float]:
    """Return the places of subtrees, each as far to the left as the ones before it allow."""
    places: list[float] = []
    reached: list[float] = []  # [row] the right end of the subtrees that have a place
    for left, right in sides:
        place = max((end - start for end, start in zip(reached, left, strict=False)), default=0.0)
        places.append(place)
        for row, end in enumerate(right):
            if row < len(reached):
                reached[row] = max(reached[row], end + place)
            else:
                reached.append(end + place)
    return places


def _joined(below: list[_Contour], places: list[float]) -> _Contour:
    """Return the contour of subtrees side by side: the deepest one's, widened by the others."""
    if not below:
        return _Contour()
    deepest = max(range(len(below)), key=lambda i: len(below[i].left))
    whole = below[deepest]
    whole.offset += places[deepest]
    for i, (contour, place) in enumerate(zip(below, places, strict=True)):
        if i == deepest:
            continue
        shift = contour.offset + place - whole.offset
        for row in range(1, len(contour.left) + 1):
            whole.left[-row] = min(whole.left[-row], contour.left[-row] + shift)
            whole.right[-row] = max(whole.right[-row], contour.right[-row] + shift)
    return whole
