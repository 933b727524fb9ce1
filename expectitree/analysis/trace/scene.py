"""One moment of a search as it is walked through: the tree as it is known by then, beside what was just done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from expectitree.analysis.evaluate.outline import Row
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_rows
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.text import Board
from expectitree.text.look import Look


class Scene(NamedTuple):
    """What there is to be seen of a moment, as lines."""

    tree: list[str]
    here: int  # the line of the tree where the search is
    steps: list[str]  # the last ones, the latest at the end
    latest: int  # how many of the last lines are the latest step's
    status: str


def scene(
    moment: Moment, look: Look, tree_size: tuple[int, int], steps_size: tuple[int, int]
) -> Scene:
    """Return what is to be seen: the tree about so many (columns, lines) large, the steps so many at the most."""
    tree, here = _tree(moment, _narrowed(look, tree_size[0]), tree_size[1])
    steps, latest = _steps(moment, _narrowed(look, steps_size[0]), steps_size[1])
    return Scene(tree, here, steps, latest, _status(moment, look))


def _narrowed(look: Look, width: int) -> Look:
    return Look(width, look.unicode, look.paint)


def _tree(moment: Moment, look: Look, lines: int) -> tuple[list[str], int]:
    """Return the tree as it is known, as many lines around the search's place as there is room for."""
    way = _way(moment)
    evaluation = Evaluation(moment.trace.file, moment.search)
    drawn: list[str] = []
    here, found = 0, -1
    for row, text in tree_rows(
        evaluation, look, lines + len(way), False, {branch for _, branch in way}
    ):
        nearness = _nearness(row, way)
        if nearness > found:
            here, found = len(drawn), nearness
        drawn += text
    start = max(0, min(here - lines // 2, len(drawn) - lines))
    return drawn[start : start + lines], here - start


def _way(moment: Moment) -> list[tuple[int, int]]:
    """Return the nodes from the root to where the search is, each with the branch that it was come to by."""
    last = moment.last
    if last is None:
        return []
    way = [(entry.node, entry.branch) for entry in moment.open]
    if not way:  # expectiminimax enters no node: it comes to each on its first path
        parent, branch = moment.tree.first_paths.parent, moment.tree.first_paths.branch
        above = parent[last.node]
        while above >= 0:
            way.append((above, branch[above]))
            above = parent[above]
        way.reverse()
    here = (last.node, last.branch)
    return way if way[-1:] == [here] else [*way, here]


def _nearness(row: Row, way: list[tuple[int, int]]) -> int:
    """Say how far down the way a row stands; one that shows the same node elsewhere is a little less near."""
    for depth in range(len(way) - 1, -1, -1):
        if row.node == way[depth][0]:
            return 2 * depth + (row.branch == way[depth][1])
    return -1


def _steps(moment: Moment, look: Look, lines: int) -> tuple[list[str], int]:
    """Return the sentences of the last steps, and how many lines the latest one has."""
    board = Board(moment.trace, look)
    wide = len(f"{moment.events[-1].step:,}")
    back = min(moment.done, lines)
    for _ in range(back):
        moment.back()
    told: list[str] = []
    latest = 0
    for _ in range(back):
        event = moment.forward()
        assert event is not None
        step = list(board.lines(event, moment, f"{event.step:>{wide},}  "))
        told += step
        latest = len(step)
    return told[-lines:], min(latest, lines)


def _status(moment: Moment, look: Look) -> str:
    more = moment.trace.total - len(moment.events)
    if moment.done == len(moment.events) and not more:
        return Board(moment.trace, look).conclusion()
    if moment.done == len(moment.events):
        return (
            f"{', '.join(_facts(moment))}; {more:,} more step{'s' * (more != 1)} left out (--limit)"
        )
    return ", ".join(_facts(moment))


def _facts(moment: Moment) -> Iterator[str]:
    nodes, leaves, cuts = moment.visited, moment.leaves_visited, moment.cuts
    yield f"{nodes:,} of {len(moment.tree):,} nodes visited"
    yield f"{leaves:,} of {moment.tree.leaves:,} lea{'ves' if moment.tree.leaves != 1 else 'f'}"
    if moment.trace.search.algorithm.player_cuts:
        yield f"{cuts:,} cut{'s' * (cuts != 1)}"
