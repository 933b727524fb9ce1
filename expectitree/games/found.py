"""`GameSearch`: what a search of a game found, in terms of the game's own moves and states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import MIN, NONE, Bounds
from expectitree.base.tree.model import Node, Tree
from expectitree.base.tree.paths import ROOT
from expectitree.games.grown import Grown
from expectitree.games.loops import Labels
from expectitree.games.rules import Rules
from expectitree.searches.result import PLAYERS, Outcome, Search

NOTHING = Grown(depth=0, rows=0, evaluations=0, merged=0)  # until a search has ended
# Of the whole tree.
COLUMNS = "tree", "lower", "upper", "visits", "alpha", "beta", "cut", "cut_after", "cuts"


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
        top: The search as far as its root, its moves, and the line of best play. The columns by
            node, which the whole tree has, are made when one of them is first read.
    """

    grown: Grown = NOTHING
    state: Any = None
    # After pickling, there are no rules, but what they would give.
    _rules: Rules | None = field(default=None, compare=False)
    top: Search = field(kw_only=True, compare=False, repr=False)
    _record: Callable[[], Search] | None = field(default=None, compare=False)
    _name: tuple[str | None, str | None] = (None, None)  # the source of the tree, and its note

    @classmethod
    def of(
        cls,
        search: Search,
        rules: Rules,
        state: Any,
        record: Callable[[], Search] | None = None,
        exact: bool = True,
    ) -> GameSearch:
        """Return a search of a game.

        `record` makes its tree, if the search has only the part of it that is called `top`.
        """
        search = replace(search, exact=exact)
        attributes = dict(vars(search))
        if record is not None:
            attributes = {k: value for k, value in attributes.items() if k not in COLUMNS}
        return _made(attributes, state=state, top=search, _rules=rules, _record=record)

    def __getattr__(self, name: str) -> Any:
        """Make the whole tree when one of its columns is first read."""
        record = self.__dict__.get("_record")
        if record is None or name not in COLUMNS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        search = record()
        self.__dict__.update((column, getattr(search, column)) for column in COLUMNS)
        self.__dict__["tree"] = named(search.tree, *self._name)
        return self.__dict__[name]

    def changed(self, **changes: Any) -> GameSearch:
        """Return a search with other attributes, whose tree need not be made for that."""
        return _made(vars(self), **changes)

    def named(self, source: str, note: str | None = None) -> GameSearch:
        """Return a search whose tree has a source, and a note at its root."""
        top = replace(self.top, tree=named(self.top.tree, source, note))
        changes = {"top": top, "_name": (source, note)}
        if "tree" in self.__dict__:
            changes["tree"] = named(self.tree, source, note)
        return self.changed(**changes)

    @property
    def rules(self) -> Rules:
        """The rules by which the game was searched."""
        assert self._rules is not None
        return self._rules

    # What `top` knows needs no tree.

    @property
    def value(self) -> Number:
        """The value of the state. Raises `SearchError` if the search did not prove it."""
        return self.top.value

    @property
    def outcome(self) -> Outcome:
        """What the search proved about the root."""
        return self.top.outcome

    @property
    def best(self) -> str | None:
        """The label of the first best move; None if no player decides at the root."""
        return self.top.best

    @property
    def ties(self) -> tuple[str, ...]:
        """The labels of all moves that are proved to be best, in order."""
        return self.top.ties

    def interval(self, node: Node | str = ROOT) -> Bounds:
        """Return the interval that contains the value of a node, given as a node or as its path."""
        return self.top.interval() if node == ROOT else super().interval(node)

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
        return tuple(self._steps())

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What `moves` returns, not rounded."""
        top, root, labels = self.top, self.top.tree.root_id, self._labels
        return tuple(
            Choice(top.tree.branch_label(root, b), move, *top.interval_of_branch(b))
            for b, move in zip(top.tree.branches_of(root), labels.moves(root), strict=True)
        )

    @property
    def place(self) -> int | None:
        """The place of `move` among `moves`."""
        tree, root = self.top.tree, self.top.tree.root_id
        if tree.columns.kind[root] not in PLAYERS or not self.choices:
            return None
        best = next(self.top.best_branches(root), NONE)
        if best != NONE:
            return best - tree.branches_of(root)[0]
        return max(range(len(self.choices)), key=self.goodness)

    def goodness(self, place: int) -> Any:
        """Return a number of the interval of a move that is greatest for the best one."""
        choice = self.choices[place]
        if self.top.tree.columns.kind[self.top.tree.root_id] == MIN:
            return tuple(-end for end in (choice.upper, choice.lower))
        return choice.lower, choice.upper

    def with_positions(self) -> GameSearch:
        """Return the search with a note at each node that it entered: its state as a text."""
        tree, labels, rules = self.tree, self.tree.label, self._rules
        if rules is None or "text" not in rules.optional:
            return self
        assert isinstance(labels, Labels)
        inner = [n for n in range(len(tree)) if tree.columns.kind[n] and self.visits[n]]
        texts = {n: rules.text(labels.state(n)) for n in inner}
        return self.changed(tree=tree.changed(notes=texts))

    @property
    def _labels(self) -> Labels:
        """The labels of the top, which know the moves; only pickling replaces them."""
        labels = self.top.tree.label
        assert isinstance(labels, Labels)
        return labels

    def _steps(self) -> Iterator[Step]:
        """Yield the line of best play."""
        top, tree, node = self.top, self.top.tree, self.top.tree.root_id
        while branches := tree.branches_of(node):
            probability, branch = None, next(top.best_branches(node), NONE)
            if tree.columns.kind[node] not in PLAYERS:
                branch = max(branches, key=tree.columns.probability.__getitem__)
                probability = tree.columns.probability[branch]
            if branch == NONE or not top.visits[tree.columns.child[branch]]:
                return
            move = self._labels.moves(node)[branch - branches[0]]
            yield Step(tree.branch_label(node, branch), move, probability)
            node = tree.columns.child[branch]

    def __repr__(self) -> str:
        made = f"depth {self.grown.depth:,}, {self.counts.visited:,} nodes"
        value = f"{self.algorithm.full_name}: {self.value_text()}"
        return f"<Search {value}, {made}, {self.grown.evaluations:,} evaluations>"

    def __getstate__(self) -> dict[str, Any]:
        known = {name: getattr(self, name) for name in (*COLUMNS, "choices", "line")}
        return self.__dict__ | known | {"_rules": None, "_record": None}  # perhaps not copied


def named(tree: Tree, source: str | None, note: str | None) -> Tree:
    """Return a tree with a source, and a note at its root."""
    return tree.changed(source=source, notes={} if note is None else {tree.root_id: note})


def _made(attributes: dict[str, Any], **changes: Any) -> GameSearch:
    """Return a search with these attributes, of which the columns may be missing."""
    search = object.__new__(GameSearch)
    search.__dict__.update(attributes, **changes)
    return search
