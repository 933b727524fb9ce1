"""`GameSearch`: what a search of a game found, in terms of the game's own moves and states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import MAX, NONE
from expectitree.base.tree.model import Tree
from expectitree.games.growth import Growth
from expectitree.games.loops import Labels
from expectitree.games.rules import Rules
from expectitree.searches.result import PLAYERS, Search


class Step(NamedTuple):
    """A step of the line of best play.

    Attributes:
        label: The name of the move or outcome.
        move: The move or outcome, as the game's method `moves` gave it.
        probability: That of an outcome; None for a move.
    """

    label: str
    move: Any
    probability: Number | None


class Choice(NamedTuple):
    """A move at the root, or an outcome, and what a search knows of its value.

    Attributes:
        label: The name of the move.
        move: The move, as the game's method `moves` gave it.
        lower: The lower end of the interval that contains the value after the move.
        upper: The upper end; equal to `lower` if the value is known.
    """

    label: str
    move: Any
    lower: Number
    upper: Number


@dataclass(frozen=True)
class GameSearch(Search):
    """The result of one search of a game; `search` makes it. It has everything that `Search` has.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.move, [step.label for step in found.line]
        ('roll', ['roll', '1', 'roll', '2', 'roll'])
        >>> [(choice.label, choice.lower, choice.upper) for choice in found.moves]

    Attributes:
        state: The state at the root.
        line: The moves of best play, as far as the search proved them, with the most probable
            outcomes of chance.
    """

    state: Any = None
    line: tuple[Step, ...] = ()
    choices: tuple[Choice, ...] = ()  # not rounded
    rules: Rules | None = field(default=None, compare=False)

    @classmethod
    def of(cls, search: Search, rules: Rules, state: Any) -> GameSearch:
        """Return a search that knows the rules of its game and the state at the root."""
        own = {f.name: getattr(search, f.name) for f in fields(Search)}
        found = cls(**own, state=state, rules=rules)
        tree, root = found.tree, found.tree.root_id
        moves = _moves_at(tree, root, rules, state)
        choices = tuple(
            Choice(tree.branch_label(root, b), move, *found.interval_of_branch(b))
            for b, move in zip(tree.branches_of(root), moves, strict=True)
        )
        found = replace(found, choices=choices)
        return replace(found, line=tuple(_line(found, rules)))

    @property
    def moves(self) -> tuple[Choice, ...]:
        """The moves at the root, or the outcomes, with the intervals that contain their values."""
        number = self._number
        return tuple(c._replace(lower=number(c.lower), upper=number(c.upper)) for c in self.choices)

    @property
    def move(self) -> Any:
        """The best move at the root, as the game's method `moves` gave it.

        If the search was stopped before it proved one, it is the move that is best so far: for MAX
        with the greatest lower bound. It is None if no player decides at the root.
        """
        place = self.place
        return None if place is None else self.choices[place].move

    @property
    def place(self) -> int | None:
        """The place of `move` among `moves`."""
        tree = self.tree
        kind, branches = tree.columns.kind[tree.root_id], tree.branches_of(tree.root_id)
        if kind not in PLAYERS or not self.choices:
            return None
        proved = next(self.best_branches(tree.root_id), NONE)
        if proved != NONE:
            return proved - branches[0]
        sign: Any = 1 if kind == MAX else -1
        keys = [sorted((sign * c.lower, sign * c.upper)) for c in self.choices]
        return keys.index(max(keys))

    @property
    def growth(self) -> Growth | None:
        """The tree while it grew; None if the whole tree was made, or after pickling."""
        return _growth_of(self.tree)

    def with_positions(self) -> GameSearch:
        """Return the search with a note at each node that it entered: its state as a text."""
        growth, tree = self.growth, self.tree
        if growth is None or not growth.rules.has_texts:
            return self
        labels: Any = tree.label
        inner = [n for n in range(len(tree)) if tree.columns.kind[n] and self.visits[n]]
        texts = {n: growth.rules.text(growth.state(labels.row(n))) for n in inner}
        return replace(self, tree=replace(tree, notes=texts))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"rules": None}  # the game may not be copied


def _growth_of(tree: Tree) -> Growth | None:
    return tree.label.growth if isinstance(tree.label, Labels) else None


def _moves_at(tree: Tree, node: int, rules: Rules, state: Any) -> Sequence[Any]:
    """Return the moves of a node's branches."""
    branches = tree.branches_of(node)
    if not branches:
        return []
    if isinstance(tree.label, Labels) and _growth_of(tree) is not None:
        return tree.label.moves(branches)
    moves = rules.moves(state, rules.kind(state))[0]  # of a whole tree, they are in their order
    if len(moves) == len(branches):
        return moves
    named = dict(zip(rules.labels(state, moves), moves, strict=True))
    return [named.get(tree.label[b]) for b in branches]


def _line(found: GameSearch, rules: Rules) -> list[Step]:
    """Return the moves of best play from the root."""
    tree, node, state = found.tree, found.tree.root_id, found.state
    line: list[Step] = []
    while branches := tree.branches_of(node):
        probability = None
        if tree.columns.kind[node] in PLAYERS:
            branch = next(found.best_branches(node), NONE)
            if branch == NONE and not line and found.place is not None:
                branch = branches[found.place]
        else:
            branch = max(branches, key=tree.columns.probability.__getitem__)
            probability = tree.columns.probability[branch]
        child = NONE if branch == NONE else tree.columns.child[branch]
        if child == NONE or not found.visits[child]:
            break
        move = _moves_at(tree, node, rules, state)[branch - branches[0]]
        line.append(Step(tree.branch_label(node, branch), move, probability))
        node, state = child, rules.play(state, move)
    return line
