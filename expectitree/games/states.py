"""The states of a game by number: what is known of each is asked, and checked, once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from expectitree.base.numbers import Number
from expectitree.base.tree.columns import NONE, UNSEEN, Bounds
from expectitree.games.rules import Rules

MAX_STATES = 20_000  # in memory; others are made again from the nearest ancestor in memory
FORGOTTEN: Any = object()  # in place of a state that is not in memory
UNASKED: Any = object()


class Replay(ABC):
    """The states of rows: some are in memory, others are made again by playing their moves.

    `parent` has the row above each row. The start and other rows without one stay in memory.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.parent: list[int] = []  # [N] the row that a row was made for
        self.objects: list[Any] = []  # [N] the states
        self.most_kept = MAX_STATES
        self._kept: deque[int] = deque()  # rows whose states may be forgotten, the oldest first

    def state(self, row: int) -> Any:
        """Return the state of a row; play its moves again if it is not in memory."""
        path = []
        while (state := self.objects[row]) is FORGOTTEN:
            path.append(row)
            row = self.parent[row]
        for row in reversed(path):
            move = self.moves_of(self.parent[row], state)[self.place_of(row)]
            state = self.rules.play(state, move)
            self._keep(row, state)
        return state

    def moves_of(self, row: int, state: Any) -> Sequence[Any]:
        """Return the moves, or the outcomes, of the state of a row."""
        return self.rules.moves(state, self.rules.kind(state))[0]

    @abstractmethod
    def place_of(self, row: int) -> int:
        """Return the place of the move from the row above that leads to a row."""

    def _keep(self, row: int, state: Any) -> None:
        """Keep a state in memory; forget the oldest one if there are too many."""
        if len(self._kept) >= self.most_kept:
            self.objects[self._kept.popleft()] = FORGOTTEN
        self.objects[row] = state
        self._kept.append(row)


class Known(NamedTuple):
    """The moves of a state."""

    children: list[int]  # the numbers of the states after the moves
    probabilities: Sequence[Number]  # 1 for moves of a player
    moves: Sequence[Any]  # or outcomes


class States(Replay):
    """The states that were found so far. States with equal keys are one, if states merge.

    The columns are lists by number. A state is asked whose turn it is, for its moves with the
    states after them, and for its value, when somebody needs that for the first time.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.exact = rules.exact  # whether the numbers here are fractions
        self.kind: list[int] = []  # UNSEEN until it is asked for
        self.known: list[Known | None] = []  # None until it is asked for
        self.values: list[Any] = []  # utilities and estimates, UNASKED until they are asked for
        self.same_turn: list[bool] = []  # if moves may cost no ply
        self.bounds: list[Bounds] = []  # if states have bounds
        self.repeated: set[int] = set()  # that come again below themselves, as far as it is known
        self._numbers: dict[Any, int] = {}  # by key
        self._certain: dict[int, Sequence[Number]] = {}  # by length: probabilities of moves

    def __len__(self) -> int:
        return len(self.objects)

    def number_of(self, state: Any) -> int | None:
        """Return the number of a state, None if it was not found."""
        return self._numbers.get(self.rules.key(state))

    def find(self, state: Any, parent: int = NONE) -> int:
        """Return the number of a state, which is found after its parent."""
        (number,) = self._find_all([state], parent)
        return number

    def _find_all(self, states: Sequence[Any], parent: int) -> list[int]:
        """Return the numbers of the states after one."""
        rules, objects, count = self.rules, self.objects, len(self.objects)
        if not rules.merges:
            objects += states
            self._add(count, parent)
            return [*range(count, len(objects))]
        numbers, by_key = [], self._numbers
        keys = [rules.key(state) for state in states] if rules.has_keys else states
        try:
            for key, state in zip(keys, states, strict=True):
                number = by_key.setdefault(key, count)
                numbers.append(number)
                if number == count:
                    count += 1
                    objects.append(state)
                elif number <= parent or rules.has_keys:
                    self._meet(state, number, parent)
        except TypeError:
            rules.key(state)  # names the state that cannot be hashed
            raise
        finally:
            self._add(len(self.parent), parent)
        return numbers

    def _add(self, first: int, parent: int) -> None:
        """Fill in the columns of new states, which were found after one."""
        rules, count = self.rules, len(self.objects)
        self.parent += [parent] * (count - first)
        if count > len(self.kind):
            lengthen([(self.kind, UNSEEN), (self.known, None), (self.values, UNASKED)], count)
        if rules.continues_turns:
            self.same_turn += map(rules.is_same_turn, self.objects[first:])
        if rules.has_bounds:
            above = self.bounds_of(parent)
            self.bounds += [rules.bounds_of(state, above) for state in self.objects[first:]]

    def _meet(self, state: Any, number: int, parent: int) -> None:
        """Check a state that was found again; note whether it comes again below itself."""
        if self.rules.has_keys:
            self._add(len(self.parent), parent)
            is_other = self.kind_of(number) != self.rules.kind(state)
            self.rules.check_known(state, lambda: self.state(number), is_other)
        while parent > number:  # states above have smaller numbers
            parent = self.parent[parent]
        if parent == number:
            self.repeated.add(number)

    def kind_of(self, number: int) -> int:
        """Return who decides in a state."""
        kind = self.kind[number]
        if kind == UNSEEN:
            kind = self.kind[number] = self.rules.kind(self.state(number))
        return kind

    def ask(self, number: int) -> Known:
        """Return the moves of a state in which the game goes on, once `kind` has it."""
        known = self.known[number]
        if known is not None:
            return known
        rules, state, play = self.rules, self.state(number), self.rules.play
        moves, probabilities = rules.moves(state, self.kind[number])
        if probabilities is None:
            probabilities = self._certainties(len(moves))
        before = len(self)
        children = self._find_all([play(state, move) for move in moves], number)
        known = self.known[number] = Known(children, probabilities, moves)
        if not rules.is_key:  # a key stays in memory
            for child in range(before, len(self)):
                self._keep(child, self.objects[child])
        return known

    def estimate(self, number: int) -> Number | None:
        """Return the utility or the estimate of a state, once `kind` has it; None without one."""
        value: Number | None = self.values[number]
        if value is UNASKED:
            state, rules = self.state(number), self.rules
            bounds = self.bounds[number] if self.bounds else rules.bounds
            value = self.values[number] = rules.estimate(state, self.kind[number], bounds)
        return value

    def value(self, number: int) -> Number:
        """Return the utility or the estimate of a state, or else the middle of the bounds."""
        value = self.estimate(number)
        if value is None:
            return self.rules.middle(self.bounds_of(number), self.state(number))
        return value

    def bounds_of(self, number: int) -> Bounds:
        """Return the bounds of all values at a state and after it."""
        return self.bounds[number] if self.bounds and number != NONE else self.rules.bounds

    def moves_of(self, row: int, state: Any) -> Sequence[Any]:
        return self.ask(row).moves

    def place_of(self, row: int) -> int:
        return self.ask(self.parent[row]).children.index(row)

    def reached_from(self, start: int) -> tuple[States, dict[int, int]]:
        """Return the states that can be reached from one, and their new numbers by the old ones."""
        states, numbers, order = States(self.rules), {start: 0}, [start]
        states.parent.append(NONE)
        for old in order:  # which grows
            known = self.known[old]
            for child in known.children if known else ():
                if child not in numbers:
                    numbers[child] = len(order)
                    order.append(child)
                    states.parent.append(numbers[old])
        for name in ("kind", "values", "known", "same_turn", "bounds"):
            if column := getattr(self, name):
                setattr(states, name, [column[old] for old in order])
        states.known = [
            known and known._replace(children=[numbers[child] for child in known.children])
            for known in states.known
        ]
        states.objects = [*map(self.state, order)]
        pairs = self._numbers.items()
        states._numbers = {key: numbers[old] for key, old in pairs if old in numbers}
        return states, numbers

    def use_floats(self) -> None:
        """Convert all numbers from fractions to floats."""
        self.exact = False
        self._certain.clear()
        self.known = [
            known and known._replace(probabilities=[*map(float, known.probabilities)])
            for known in self.known
        ]
        self.values = [x if x is UNASKED or x is None else float(x) for x in self.values]
        self.bounds = [(float(low), float(high)) for low, high in self.bounds]

    def _certainties(self, count: int) -> Sequence[Number]:
        if count not in self._certain:
            self._certain[count] = [self.rules.zero + 1] * count
        return self._certain[count]


def lengthen(columns: list[tuple[Any, Any]], length: int) -> None:
    """Make columns at least so long, and a quarter longer than before, if they are too short."""
    before = len(columns[0][0])
    if before < length:
        for column, value in columns:
            values = [value] if isinstance(column, list) else array(column.typecode, [value])
            column.extend(values * max(length - before, before // 4, 16))
