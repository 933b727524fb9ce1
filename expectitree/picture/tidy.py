"""A tidy layout of a tree of rows whose items differ in width: every parent stands in the middle above its children.

Kennedy, "Drawing trees", Journal of Functional Programming 6 (1996): subtrees are fitted together
from the left and from the right, and the mean of both is taken, which keeps all distances and is
symmetrical; the contours of subtrees are handed up as they are, so that the whole takes linear
time, as in Reingold and Tilford (1981). Unlike there, an item reaches as far to the left and to the
right of its place as it likes. Nothing recurses.

What was tried before this was written is told in docs/decisions/0012-pictures.md.
"""

from __future__ import annotations

from collections.abc import Sequence


class _Contour:
    """How far a subtree reaches in each row, from its deepest row up, beside its root; all moved by `offset`."""

    __slots__ = ("left", "offset", "right")

    def __init__(self) -> None:
        self.left: list[float] = []
        self.right: list[float] = []
        self.offset = 0.0


def tidy(
    children: Sequence[Sequence[int]], left: Sequence[float], right: Sequence[float]
) -> list[float]:
    """Return the place of every item across its row; the row of a child is the one below its parent's.

    Items come after their parents, the root first. An item at x takes the room from `x - left` to
    `x + right`, and no two of a row get the same room.
    """
    beside = [0.0] * len(children)  # by item: how far it is from its parent
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
    """Return where subtrees stand beside the middle above them."""
    deep = sorted((len(contour.left) for contour in below), reverse=True)[
        1
    ]  # no row below has two of them
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
    """Return the places of subtrees, each as far to the left as those before it allow."""
    places: list[float] = []
    reached: list[float] = []  # by row: the right end of all that stand already
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
    """Return the contour of subtrees side by side: that of the deepest one, with the ends of the others written in."""
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
