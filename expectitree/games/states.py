"""The states of a game by number: what is known of each is asked, and checked, once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
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
        self.parent: Any = array("q")  # [N] the row that a row was made for
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

    def labels(self, row: int, places: Sequence[int]) -> list[str | None]:
        """Return the labels of the moves at some places of a row."""
        state = self.state(row)
        moves = self.moves_of(row, state)
        return self.rules.labels(state, [moves[place] for place in places])

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
        self.same_turn: list[bool] = []  # if moves may cost no ply
        self.bounds: list[Bounds] = []  # if states have bounds
        self.values: list[Any] = []  # utilities and estimates
        self.repeated: set[int] = set()  # that come again below themselves, as far as it is known
        self._numbers: dict[Any, int] = {}  # by key
        self._is_plain = rules.is_key and not (rules.continues_turns or rules.has_bounds)
        self._certain: dict[int, Sequence[Number]] = {}  # by length: probabilities of moves

    def __len__(self) -> int:
        return len(self.kind)

    def number_of(self, state: Any) -> int | None:
        """Return the number of a state, None if it was not found."""
        return self._numbers.get(self.rules.key(state))

    def find(self, state: Any, parent: int = NONE) -> int:
        """Return the number of a state, which is found after its parent."""
        rules, count = self.rules, len(self.kind)
        if rules.merges:
            number = self._numbers.setdefault(rules.key(state), count)
            if number != count:
                self._meet(state, number, parent)
                return number
        return self._add(state, parent)

    def _add(self, state: Any, parent: int) -> int:
        """Add a state; return its number."""
        rules, count = self.rules, len(self.kind)
        self.objects.append(state)
        self._lengthen(parent)
        if rules.continues_turns:
            self.same_turn.append(rules.is_same_turn(state))
        if rules.has_bounds:
            self.bounds.append(rules.bounds_of(state, self.bounds_of(parent)))
        if parent != NONE and not rules.is_key:  # otherwise it stays in memory
            self._keep(count, state)
        return count

    def _find_all(self, states: Iterable[Any], parent: int) -> list[int]:
        """Do what `find` does for the states after one, if a state is its own key."""
        numbers, objects, children = self._numbers, self.objects, list[int]()
        count = len(objects)
        try:
            for state in states:
                number = numbers.setdefault(state, count)
                children.append(number)
                if number == count:
                    count += 1
                    objects.append(state)
                elif number <= parent:
                    self._meet(state, number, parent)
        except TypeError:
            self.rules.key(state)  # names the state that cannot be hashed
            raise
        finally:
            self._lengthen(parent)
        return children

    def _lengthen(self, parent: int) -> None:
        """Make the columns as long as that of the states."""
        more = len(self.objects) - len(self.kind)
        self.kind += [UNSEEN] * more
        self.known += [None] * more
        self.values += [UNASKED] * more
        self.parent.extend([parent] * more)

    def _meet(self, state: Any, number: int, parent: int) -> None:
        """Check a state that was found again; note whether it comes again below itself."""
        if self.rules.has_keys:
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
        if self._is_plain:
            children = self._find_all([play(state, move) for move in moves], number)
        else:
            children = []
            self.known[number] = Known(children, probabilities, moves)  # as states may be forgotten
            for move in moves:
                children.append(self.find(play(state, move), number))
        known = self.known[number] = Known(children, probabilities, moves)
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
        states, keys = States(self.rules), {number: key for key, number in self._numbers.items()}
        numbers = {start: states.find(self.state(start))}
        waiting = [start]
        for old in waiting:  # which grows
            known, number = self.known[old], numbers[old]
            states.kind[number], states.values[number] = self.kind[old], self.values[old]
            if known is None:
                continue
            for child in known.children:
                if child not in numbers:
                    waiting.append(child)
                    numbers[child] = states._add(self.state(child), number)
                    states._numbers[keys.get(child)] = numbers[child]
            children = [numbers[child] for child in known.children]
            states.known[number] = known._replace(children=children)
        return states, numbers

    def use_floats(self) -> None:
        """Convert all numbers from fractions to floats."""
        self.exact = False
        self._certain.clear()
        lists = {id(known.probabilities): known.probabilities for known in self.known if known}
        floats = {name: [*map(float, given)] for name, given in lists.items()}  # shared as before
        self.known = [
            known and known._replace(probabilities=floats[id(known.probabilities)])
            for known in self.known
        ]
        self.values = [x if x is UNASKED or x is None else float(x) for x in self.values]
        self.bounds = [(float(low), float(high)) for low, high in self.bounds]

    def _certainties(self, count: int) -> Sequence[Number]:
        if count not in self._certain:
            self._certain[count] = [self.rules.zero + 1] * count
        return self._certain[count]
