"""`GameSearch`: what a search of a game found, in terms of the game's own moves and states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
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

        >>> import expectitree as et
        >>> et.search("game:pig(target=10)", depth=2).line[0]
        Step(label='roll', move='roll', probability=None)

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

        >>> import expectitree as et
        >>> et.search("game:pig(target=10)", depth=1, goal="moves").moves[0]
        Choice(label='roll', move='roll', lower=0.0, upper=0.0)

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
        >>> [(choice.label, choice.lower, round(choice.upper, 4)) for choice in found.moves]
        [('roll', 0.4888888888888889, 0.4889), ('hold', -1.0, 0.4861)]

    Attributes:
        state: The state at the root.
    """

    state: Any = None
    # After pickling, there are no rules, but what they would give.
    _rules: Rules | None = field(default=None, compare=False)
    _choices: tuple[Choice, ...] | None = None
    _line: tuple[Step, ...] | None = None

    @classmethod
    def of(cls, search: Search, rules: Rules, state: Any) -> GameSearch:
        """Return a search that knows the rules of its game and the state at the root."""
        own = {f.name: getattr(search, f.name) for f in fields(Search)}
        return cls(**own, state=state, _rules=rules)

    @property
    def rules(self) -> Rules:
        """The rules by which the game was searched."""
        assert self._rules is not None
        return self._rules

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What `moves` returns, not rounded."""
        if self._choices is not None:
            return self._choices
        tree, root = self.tree, self.tree.root_id
        moves = _moves_at(tree, root, self.rules, self.state)
        return tuple(
            Choice(tree.branch_label(root, b), move, *self.interval_of_branch(b))
            for b, move in zip(tree.branches_of(root), moves, strict=True)
        )

    @cached_property
    def line(self) -> tuple[Step, ...]:
        """The moves of best play, as far as they are proved, and the most probable outcomes."""
        return tuple(_best_line(self)) if self._line is None else self._line

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
        known = {"_choices": self.choices, "_line": self.line}
        return self.__dict__ | known | {"_rules": None}  # perhaps they cannot be copied


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


def _best_line(found: GameSearch) -> list[Step]:
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
        move = _moves_at(tree, node, found.rules, state)[branch - branches[0]]
        line.append(Step(tree.branch_label(node, branch), move, probability))
        node, state = child, found.rules.play(state, move)
    return line
