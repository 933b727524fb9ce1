"""One moment of a search as it is walked through: the tree as it is known by then, beside what was just done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from expectitree.analysis.evaluation import Evaluation
from expectitree.analysis.moment import Moment
from expectitree.analysis.outline import Row
from expectitree.analysis.trace import Event
from expectitree.render.look import Look
from expectitree.render.trace import Board
from expectitree.render.tree_text import tree_rows


class Scene(NamedTuple):
    """What there is to be seen of a moment, as lines."""

    tree: list[str]
    here: int  # the line of the tree where the search is
    steps: list[str]  # the last ones, the latest at the end
    latest: int  # how many of the last lines are the latest step's
    status: str


def scene(moment: Moment, look: Look, tree_size: tuple[int, int], steps_size: tuple[int, int]) -> Scene:
    """Return what is to be seen: the tree about so many (columns, lines) large, the steps so many at the most."""
    tree, here = _tree(moment, _narrowed(look, tree_size[0]), tree_size[1])
    steps, latest = _steps(moment, _narrowed(look, steps_size[0]), steps_size[1])
    return Scene(tree, here, steps, latest, _status(moment, look))


def _narrowed(look: Look, width: int) -> Look:
    return Look(width, look.unicode, look.paint)


def _tree(moment: Moment, look: Look, lines: int) -> tuple[list[str], int]:
    """Return the tree as it is known, as many lines around the search's place as there is room for."""
    way = [event.branch for event in moment.open if event.branch >= 0]
    last = moment.last
    if last is not None and last.branch >= 0:
        way.append(last.branch)
    evaluation = Evaluation(moment.trace.file, moment.search)
    drawn: list[str] = []
    here, found = 0, -1
    for row, text in tree_rows(evaluation, look, lines + len(way), False, set(way)):
        nearness = _nearness(row, last, moment)
        if nearness > found:
            here, found = len(drawn), nearness
        drawn += text
    start = max(0, min(here - lines // 2, len(drawn) - lines))
    return drawn[start : start + lines], here - start


def _nearness(row: Row, last: Event | None, moment: Moment) -> int:
    """Say how near a row is to where the search is: on the very branch, at the node, or above it."""
    if row.node < 0 or last is None:
        return -1
    if row.branch == last.branch and row.node == last.node:
        return len(moment.open) + 2
    if row.node == last.node:
        return len(moment.open) + 1
    return next((depth for depth, entry in enumerate(moment.open) if entry.node == row.node), -1)


def _steps(moment: Moment, look: Look, lines: int) -> tuple[list[str], int]:
    """Return the sentences of the last steps, and how many lines the latest one has."""
    board = Board(moment.trace, look)
    wide = len(f"{len(moment.events):,}")
    back = min(moment.done, lines)
    for _ in range(back):
        moment.back()
    told: list[str] = []
    latest = 0
    for _ in range(back):
        event = moment.forward()
        assert event is not None
        step = list(board.lines(event, moment, f"{moment.done:>{wide},}  "))
        told += step
        latest = len(step)
    return told[-lines:], min(latest, lines)


def _status(moment: Moment, look: Look) -> str:
    if moment.done == len(moment.events):
        return Board(moment.trace, look).conclusion()
    return ", ".join(_facts(moment))


def _facts(moment: Moment) -> Iterator[str]:
    nodes, leaves, cuts = moment.visited, moment.leaves_visited, moment.cuts
    yield f"{nodes:,} of {len(moment.tree):,} nodes visited"
    yield f"{leaves:,} of {moment.tree.leaves:,} lea{'ves' if moment.tree.leaves != 1 else 'f'}"
    if moment.trace.search.algorithm.player_cuts:
        yield f"{cuts:,} cut{'s' * (cuts != 1)}"
