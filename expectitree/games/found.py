"""`GameSearch`: what a search of a game found, in terms of the game's own moves and states."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import MIN, NONE
from expectitree.games.grown import Grown
from expectitree.games.growth import Growth
from expectitree.games.loops import Labels
from expectitree.games.rules import Rules
from expectitree.searches.result import PLAYERS, Search

NOTHING = Grown(depth=0, rows=0, evaluations=0, merged=0)  # until a search has ended
MAX_LOOKED_AT = 2_000  # positions near the root, to find the one that a search goes on from


class Step(NamedTuple):
    """A step of the line of best play."""

    label: str
    move: Any  # or an outcome, as the game's method `moves` gave it
    probability: Number | None  # of an outcome


class Choice(NamedTuple):
    """A move at the root, or an outcome, and the interval that contains the value after it."""

    label: str
    move: Any
    lower: Number
    upper: Number


class Order:
    """The moves of the nodes of a search, and their intervals, by which the next one sorts them."""

    _rows: Mapping[Any, int] = {}  # no values are known for another depth

    def __init__(self, found: GameSearch) -> None:
        columns, labels = found.tree.columns, found.tree.label
        assert isinstance(labels, Labels)
        self.first = columns.first
        # 0 for leaves, as in a tree that grows: below another limit, they may have moves.
        self.last = [end * (end > start) for start, end in pairwise(columns.first)]
        self.child, self.probability = columns.child, columns.probability
        self.lower, self.upper = found.lower, found.upper
        self.moves = labels.moves(range(len(columns.child)))


@dataclass(frozen=True)
class GameSearch(Search):
    """The result of one search of a game; `search` makes it. It has everything that `Search` has.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.move, [step.label for step in found.line]
        ('roll', ['roll', '1', 'roll', '1', 'roll'])
        >>> [(choice.label, choice.lower, round(choice.upper, 4)) for choice in found.moves]
        [('roll', 0.4888888888888889, 0.4889), ('hold', -1.0, 0.4861)]

    Attributes:
        grown: What the search needed.
        state: The state at the root.
    """

    grown: Grown = NOTHING
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

    @property
    def moves(self) -> tuple[Choice, ...]:
        """The moves at the root, or the outcomes: `label`, `move`, `lower` and `upper`.

        The value after the move lies between `lower` and `upper`, which are equal if it is known.
        """
        number = self._number
        return tuple(c._replace(lower=number(c.lower), upper=number(c.upper)) for c in self.choices)

    @property
    def move(self) -> Any:
        """The best move at the root, as the game's method `moves` gave it.

        If the search was stopped before it proved one, it is the move that is best so far: for MAX
        with the greatest lower bound. It is None if no player decides at the root.
        """
        return None if self.place is None else self.choices[self.place].move

    @cached_property
    def line(self) -> tuple[Step, ...]:
        """The line of best play, as far as it is proved: `label`, `move` and `probability`.

        Of the outcomes of chance, it has the most probable ones. A move has no probability.
        """
        return tuple(self._steps()) if self._line is None else self._line

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What `moves` returns, not rounded."""
        if self._choices is not None:
            return self._choices
        tree, root = self.tree, self.tree.root_id
        return tuple(
            Choice(tree.branch_label(root, b), move, *self.interval_of_branch(b))
            for b, move in zip(
                tree.branches_of(root), self._moves_at(root, self.state), strict=True
            )
        )

    @property
    def place(self) -> int | None:
        """The place of `move` among `moves`."""
        tree, root = self.tree, self.tree.root_id
        if tree.columns.kind[root] not in PLAYERS or not self.choices:
            return None
        best = next(self.best_branches(root), NONE)
        if best != NONE:
            return best - tree.branches_of(root)[0]
        return max(range(len(self.choices)), key=self.goodness)

    def goodness(self, place: int) -> Any:
        """Return a number of the interval of a move that is greatest for the best one."""
        choice = self.choices[place]
        if self.tree.columns.kind[self.tree.root_id] == MIN:
            return tuple(-end for end in (choice.upper, choice.lower))
        return choice.lower, choice.upper

    @property
    def growth(self) -> Growth | None:
        """The tree that grew; None if the whole tree was made, or after pickling."""
        labels = self.tree.label
        return labels.growth if isinstance(labels, Labels) else None

    def order_at(self, state: Any, rules: Rules) -> tuple[Order | None, int, int]:
        """Return the order of moves, the node of a state, and the plies left there, if it is near.

        `rules` are those of the search that asks.
        """
        known, waiting = self._rules, deque([(self.tree.root_id, self.state, 0)])
        if self.growth is None or known is None or not known.merges or not known.is_like(rules):
            return None, NONE, 0
        key, columns = rules.key(state), self.tree.columns
        for _ in range(MAX_LOOKED_AT):
            if not waiting:
                break
            node, at, plies = waiting.popleft()
            if rules.key(at) == key:
                left = self.grown.depth - plies if self.grown.estimated else 0
                return Order(self), node, left
            for b, move in zip(self.tree.branches_of(node), self._moves_at(node, at), strict=True):
                if columns.kind[columns.child[b]]:
                    waiting.append((columns.child[b], rules.play(at, move), plies + 1))
        return None, NONE, 0

    def with_positions(self) -> GameSearch:
        """Return the search with a note at each node that it entered: its state as a text."""
        growth, tree, labels = self.growth, self.tree, self.tree.label
        if growth is None or not isinstance(labels, Labels) or not growth.rules.has_texts:
            return self
        inner = [n for n in range(len(tree)) if tree.columns.kind[n] and self.visits[n]]
        texts = {n: growth.rules.text(growth.state(labels.row(n))) for n in inner}
        return replace(self, tree=replace(tree, notes=texts))

    def _moves_at(self, node: int, state: Any) -> Sequence[Any]:
        """Return the moves of a node's branches."""
        labels, branches = self.tree.label, self.tree.branches_of(node)
        if not branches:
            return []
        if isinstance(labels, Labels) and labels.growth is not None:
            return labels.moves(branches)
        moves = self.rules.moves(state, self.rules.kind(state))[0]
        if len(moves) == len(branches):  # a whole tree has them in their order
            return moves
        named = dict(zip(self.rules.labels(state, moves), moves, strict=True))
        return [named.get(labels[b]) for b in branches]

    def _steps(self) -> Iterator[Step]:
        """Yield the line of best play."""
        tree, node, state = self.tree, self.tree.root_id, self.state
        while branches := tree.branches_of(node):
            probability, branch = None, next(self.best_branches(node), NONE)
            if tree.columns.kind[node] not in PLAYERS:
                branch = max(branches, key=tree.columns.probability.__getitem__)
                probability = tree.columns.probability[branch]
            if branch == NONE or not self.visits[tree.columns.child[branch]]:
                return
            move = self._moves_at(node, state)[branch - branches[0]]
            yield Step(tree.branch_label(node, branch), move, probability)
            node, state = tree.columns.child[branch], self.rules.play(state, move)

    def __repr__(self) -> str:
        made = f"depth {self.grown.depth:,}, {self.counts.visited:,} nodes"
        value = f"{self.algorithm.full_name}: {self.value_text()}"
        return f"<Search {value}, {made}, {self.grown.evaluations:,} evaluations>"

    def __getstate__(self) -> dict[str, Any]:
        known = {"_choices": self.choices, "_line": self.line}
        return self.__dict__ | known | {"_rules": None}  # perhaps they cannot be copied
