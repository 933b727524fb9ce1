"""Find all states of a game by its method `expand`, a frontier at a time. This needs NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from expectitree.base.tree.columns import CHANCE, TERMINAL
from expectitree.games.plies import buffer_of, expanded, packed_column, within
from expectitree.games.rules import Rules
from expectitree.games.solve.states import Limits, Reached

MOST_BITS = 62  # of the numbers of a state together


class BatchedStates(Reached):
    """States that `expand` makes; a state is a key of 64 bits, made of the numbers of `pack`."""

    def __init__(self, rules: Rules, start: Any, limits: Limits) -> None:
        super().__init__(rules, limits)
        self._start = start
        self._found: list[Any] = [np.zeros(1, np.int64)]  # the branch that found each state
        self._sizes = [1]  # of the frontiers
        self._least: Any = None  # of each number,
        self._bits: Any = None  # and the bits for what is above
        self._keys = np.zeros(1, np.int64)  # sorted,
        self._numbers = np.zeros(1, np.int64)  # and the state of each

    def find(self) -> bool:
        """Find all states; return False if one has too many digits for a key."""
        states = packed_column(self.rules, self._start)
        if states is None:
            return False
        self._least, self._bits = states[:, 0], np.zeros(len(states), np.int64)
        columns: list[Any] = []  # of each frontier
        count = branches = 0
        while states.shape[1]:
            kind, parent, children, probability, value, *_ = expanded(
                self.rules, states, partial(self._check, count)
            )
            utility = self._utilities(states, kind == TERMINAL, value)
            kept = probability > 0
            is_move = kind[parent] != CHANCE
            weight = np.where(is_move, float(self.rules.discount), probability)[kept]
            parent, children = parent[kept], children[:, kept]
            width = np.bincount(parent, minlength=len(kind))
            count += len(kind)
            if not self._make_room(children):
                return False
            states, child = self._numbered(children, count, branches)
            columns.append((kind, width, child, weight, utility))
            branches += len(child)
            self.limits.check(count + states.shape[1])
        kind, width, child, weight, low = map(np.concatenate, zip(*columns, strict=True))
        first = np.concatenate([[0], np.cumsum(width)]).astype("I")
        made = kind.astype("b"), first, child.astype("I"), weight, low, low.copy()
        self.kind, self.first, self.child, self.weight, self.low, self.high = map(buffer_of, made)
        return True

    def _check(self, before: int, done: int, _: int) -> None:
        self.limits.check(before + done)

    def _utilities(self, states: Any, is_over: Any, value: Any) -> Any:
        """Return the utilities of states where the game is over, and 0 of others."""
        utility, ends, given = np.zeros(len(value)), states[:, is_over], value[is_over]
        if np.isnan(given).any():
            self.rules.fail("expand", ends, given, "a utility where the game is over")
        low, high = map(float, self.rules.bounds)
        bounds = np.broadcast_to([[low], [high]], (2, len(given)))
        utility[is_over] = within(self.rules, ends, given, bounds)
        return utility

    def _make_room(self, states: Any) -> bool:
        """Give each number enough bits, in the known keys too; return False if there are not."""
        if not states.shape[1]:
            return True
        least = np.minimum(self._least, states.min(1))
        most = np.maximum(self._least + (1 << self._bits) - 1, states.max(1))
        bits = np.array([int(span).bit_length() for span in most - least])
        if (least < self._least).any() or (bits > self._bits).any():
            known = self._digits(self._keys)
            self._least, self._bits = least, bits
            self._keys = self._keys_of(known)  # in the same order
        return int(bits.sum()) <= MOST_BITS

    def _keys_of(self, states: Any) -> Any:
        keys = np.zeros(states.shape[1], np.int64)
        for numbers, least, bits in zip(states, self._least, self._bits, strict=True):
            keys = (keys << bits) | (numbers - least)
        return keys

    def _digits(self, keys: Any) -> Any:
        states = []
        for least, bits in zip(self._least[::-1], self._bits[::-1], strict=True):
            states.append((keys & ((1 << bits) - 1)) + least)
            keys = keys >> bits
        return np.array(states[::-1])

    def _numbered(self, children: Any, count: int, branches: int) -> tuple[Any, Any]:
        """Return the children that are new, and the number of each child."""
        keys = self._keys_of(children)
        unique, first, back = np.unique(keys, return_index=True, return_inverse=True)
        place, number, is_new = self._known(unique)
        number[is_new] = np.arange(count, count + is_new.sum())
        self._keys = np.insert(self._keys, place[is_new], unique[is_new])
        self._numbers = np.insert(self._numbers, place[is_new], number[is_new])
        self._found.append(first[is_new] + branches)
        self._sizes.append(int(is_new.sum()))
        return children[:, first[is_new]], number[back]

    def _known(self, keys: Any) -> tuple[Any, Any, Any]:
        """Return the places of keys among those known, their numbers, and which ones are new."""
        place = np.searchsorted(self._keys, keys)
        known = place.clip(max=len(self._keys) - 1)
        return place, self._numbers[known], self._keys[known] != keys

    def number_of(self, state: Any) -> int | None:
        """Return the number of a state, None if it is not reached."""
        states = packed_column(self.rules, state)
        if states is None:
            return None
        keys = self._keys_of(states)
        _, (number,), (is_new,) = self._known(keys)
        if is_new or (self._digits(keys) != states).any():  # which have no key
            return None
        return int(number)

    def objects(self) -> Iterator[Any]:
        """Play the moves again: a state is made from one of the frontier before it."""
        before, start = [self._start], 0
        yield self._start
        for found, size in zip(self._found[1:], self._sizes, strict=False):
            parents = np.searchsorted(self.first, found, side="right") - 1
            now = []
            for branch, parent in zip(found.tolist(), parents.tolist(), strict=True):
                state = before[parent - start]
                moves, _ = self.rules.moves(state, int(self.kind[parent]))
                now.append(self.rules.play(state, moves[branch - int(self.first[parent])]))
                yield now[-1]
            before, start = now, start + size
