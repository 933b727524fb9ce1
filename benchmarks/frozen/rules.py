"""The rules of a game: every result of its methods is checked, and what it lacks has a default."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from numbers import Rational
from operator import index
from typing import Any, NamedTuple

from benchmarks.frozen.calls import Calls, Warn, are_equal, shown
from expectitree.base.budget import most
from expectitree.base.errors import USER_ERRORS, GameError, NumberError, TreeError
from expectitree.base.numbers import INFINITY, Number, escape, is_finite, message_text
from expectitree.base.reading import to_fraction, to_number
from expectitree.base.tree.builder import TreeBuilder, label_at
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL, Bounds
from expectitree.games import MAX_ROWS
from expectitree.games.protocol import Game

KINDS = {"max": MAX, "min": MIN, "chance": CHANCE, None: TERMINAL}
TURNS = {kind: f"it is the turn of {turn}" for turn, kind in KINDS.items() if turn}
TURNS[TERMINAL] = "the game is over"
EXACT_TYPES = (int, Fraction)
# Of a search in fractions, before it begins again in floats. With 20,000 here, eleven searches of
# pig, einstein, dice and 2048 with 2,000 to 50,000 rows took 1.1 to 2.5 times as long.
EXACT_ROWS = 1_000
MAX_KNOWN = 10_000  # numbers that were checked and stay in memory
ROUNDING = 1e-9  # by how much of the finite bounds' magnitude a value may miss them

Estimate = Callable[[Any], Any]


class InexactError(Exception):
    """A game is not to be computed in fractions: it gives a float, or has too many states."""


class RowsError(GameError):
    """A tree needs more rows than it may have."""


class Options(NamedTuple):
    """The options by which the rules of a game become a tree, apart from its depth."""

    # In fractions, in floats, or (None) in fractions unless `InexactError` is raised. In fractions
    # a float counts as the decimal that Python prints.
    exact: bool | None = None
    merge: bool = True  # states with equal keys are one node
    bounds: Bounds | None = None  # in place of the game's
    estimate: Estimate | None = None  # in place of `value` at the depth limit
    warn: Warn | None = None
    max_rows: int | None = None  # of the tree, and so the most moves of a state; `MAX_ROWS`


class Rules(Calls):
    """The rules of one game; every result is checked.

    `bounds` hold for all values. `merges` is true if states have keys. `evaluations` counts how
    often the value of a state was computed.
    """

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game, options.warn)
        self._expand: Callable[[Any], Iterable[Any]] | None = getattr(game, "expand", None)
        self._pack: Any = getattr(game, "pack", None)
        self.options = options
        self.exact = options.exact is not False
        self.start: Any = self.attribute("start")
        self.max_rows = most(MAX_ROWS) if options.max_rows is None else options.max_rows
        self.evaluations = 0
        self.most_exact = EXACT_ROWS  # rows made, in a tree that is computed in fractions
        self._is_warned = False
        self.zero: Any = Fraction(0) if self.exact else 0.0
        self._numbers = TreeBuilder(self.exact)
        self._play, self._turn, self._moves = game.play, game.turn, game.moves
        self._value: Callable[[Any], Any] = game.value
        # Numbers that were checked, by their ratios: many states have the same.
        self._values: dict[tuple[int, int], Number] = {}
        self._distributions: dict[tuple[tuple[int, int], ...], Sequence[Number]] = {}
        self._bounds: Callable[[Any], Any] | None = getattr(game, "bounds", None)
        self._label: Callable[[Any, Any], Any] | None = getattr(game, "label", None)
        self._same_turn: Callable[[Any], Any] | None = getattr(game, "same_turn", None)
        self._key: Callable[[Any], Hashable] | None = getattr(game, "key", None)
        self._reward: Callable[[Any, Any], Any] | None = getattr(game, "reward", None)
        self.pays = self._reward is not None  # whether moves and outcomes pay, for `solve`
        self.has_bounds = self._bounds is not None  # whether states have bounds of their own
        self.has_labels = self._label is not None  # which depend on the state
        self.continues_turns = self._same_turn is not None  # whether a move may cost no ply
        self.bounds = self._read_bounds()
        self.endless = self._setting("endless", None, -INFINITY)
        self.discount: Any = self._setting("discount", self.zero + 1, 0, 1)
        self._is_value = self._is_hashed()
        self.merges = options.merge and (self._key is not None or self._is_value)
        self._plays = self._meetings = 0

    def forget(self) -> None:
        """Free the memory of the numbers that were checked."""
        self._values.clear()
        self._distributions.clear()

    # ---- Questions about a state.

    def check_made(self, rows: int, depth: int) -> None:
        """Raise `RowsError` if so many rows were made, before equal states became one."""
        if rows > self.max_rows:
            raise RowsError(
                f"{self.title}: more than {self.max_rows:,} rows at depth {depth}: choose a "
                "smaller --depth, or allow more with --max-rows"
            )

    def check_exact(self, rows: int) -> None:
        """Raise `InexactError` if so many rows are not to be computed in fractions."""
        if self.options.exact is None and rows > self.most_exact:
            raise InexactError

    def kind(self, state: Any) -> int:
        """Return who decides in a state: TERMINAL, MAX, MIN or CHANCE."""
        try:
            turn = self._turn(state)
        except USER_ERRORS as error:
            self._raised(error, "turn", state)
        try:
            return KINDS[turn]
        except (KeyError, TypeError):
            expected = '"max", "min", "chance", or None if the game is over'
            self.fail("turn", state, turn, expected)

    def moves(self, state: Any, kind: int) -> tuple[Sequence[Any], Sequence[Number] | None]:
        """Return the moves, or the outcomes with their probabilities."""
        moves = found = self.call("moves", self._moves, state)
        if type(found) is not list:
            if not isinstance(found, Iterable):
                self.fail("moves", state, found, "a list of moves")
            moves = self.call("moves", lambda _: [*islice(found, self.max_rows + 1)], state)
        if len(moves) > self.max_rows:
            raise RowsError(
                f"{self.where('moves', state)} gives more than {self.max_rows:,} moves: correct "
                "moves if they never end, or allow more with --max-rows"
            )
        if self._calls["moves"] < self.checked:
            self.repeat("moves", moves, lambda: [*islice(self._moves(state), self.max_rows)], state)
        if not moves:
            self.fail("moves", state, moves, "at least one move, as the game is not over")
        if kind != CHANCE:
            if self._calls["moves"] < self.checked:
                self._warn_of_pairs(state, moves)
            return moves, None
        for pair in moves:
            if not isinstance(pair, tuple) or len(pair) != 2:
                self.fail("moves", state, pair, "pairs of an outcome and its probability")
        return [outcome for outcome, _ in moves], self._distribution(state, [p for _, p in moves])

    def _distribution(self, state: Any, given: list[Any]) -> Sequence[Number]:
        """Return probabilities, which sum to 1; those of many states are the same."""
        ratios = tuple([p.as_integer_ratio() for p in given if type(p) is Fraction])
        known = self._distributions.get(ratios)
        if known is not None and len(known) == len(given):
            return known
        written = [self._probability(state, p) for p in given]
        try:
            probabilities, _ = self._numbers.distribution(written, len(given))
        except TreeError as error:
            raise GameError(f"{self.where('moves', state)}: {str(error).split(':')[0]}") from None
        if len(ratios) == len(given) and len(self._distributions) < MAX_KNOWN:
            self._distributions[ratios] = probabilities
        return probabilities

    def play(self, state: Any, move: Any) -> Any:
        """Return the state after a move."""
        self._plays += 1
        is_checked = (
            self._plays < self.checked or self._plays % 64 == 0
        )  # the first plays, then some
        before = self._trace(state) if is_checked else None
        try:
            after = self._play(state, move)
        except USER_ERRORS as error:
            self._raised(error, "play", state, move)
        is_same = after is state and not self._is_value
        if after is None or is_same or (is_checked and self._trace(state) != before):
            found = "None" if after is None else "the state itself"
            if after is not None and after is not state:
                found = "a new state and changes the old one"
            raise GameError(
                f"{self.where('play', state, move)} gives {found}, expected a new state: "
                "copy the state, and change the copy"
            )
        if is_checked:
            trace = self._trace
            self.repeat("play", trace(after), lambda: trace(self._play(state, move)), state, move)
        return after

    def value(self, state: Any, kind: int, bounds: Bounds) -> Number:
        """Return the utility of a state that ends the game, or the estimate of another.

        Without an estimate, it is the middle of the bounds.
        """
        found = self.estimate(state, kind, bounds)
        if found is not None:
            return found
        if not self._is_warned and self.options.warn is not None:
            self.options.warn(
                f"{self.title}: there are no estimates: a leaf at the depth limit is worth the "
                f"middle of the bounds, {message_text(self._middle(bounds, state))}; --estimate "
                "names a function that estimates"
            )
        self._is_warned = True
        return self._middle(bounds, state)

    def estimate(self, state: Any, kind: int, bounds: Bounds) -> Number | None:
        """Return the estimate by the user's function or else by `value`, None without one."""
        self.evaluations += 1
        name, method, own = "value", self._value, self.options.estimate
        if own is not None and kind != TERMINAL:
            name, method = "the estimate", own
        try:
            value = method(state)
        except USER_ERRORS as error:
            self._raised(error, name, state)
        if self._calls[name] < self.checked:
            self.repeat(name, value, lambda: method(state), state)
        if value is None and kind != TERMINAL:
            return None
        if bounds is not self.bounds or type(value) not in EXACT_TYPES:
            return self._within(name, state, value, bounds)
        ratio = value.as_integer_ratio()
        if ratio not in self._values:
            if len(self._values) >= MAX_KNOWN:
                self._values.clear()
            self._values[ratio] = self._within(name, state, value, bounds)
        return self._values[ratio]

    def _within(self, name: str, state: Any, value: Any, bounds: Bounds) -> Number:
        """Return the number of a value, which has to lie within bounds."""
        number = self._number(name, state, value)
        lower, upper = bounds
        if lower <= number <= upper and is_finite(number):
            return number
        if not is_finite(number):
            self.fail(name, state, value, "a finite number")
        ends = [abs(float(end)) for end in bounds if is_finite(end)]
        slack = 0 if self.exact else ROUNDING * max(ends)  # one is finite
        if not lower - slack <= number <= upper + slack:
            interval = f"[{message_text(lower)}, {message_text(upper)}]"
            self.fail(name, state, value, f"a number within the bounds {interval}")
        return min(max(number, lower), upper)

    def _middle(self, bounds: Bounds, state: Any) -> Number:
        if not all(map(is_finite, bounds)):
            self.fail("value", state, None, "an estimate, since the bounds are infinite")
        low, high = bounds
        return low / 2 + high / 2  # the mirror negates it exactly

    def pack(self, state: Any) -> list[int] | None:
        """Return the numbers of a state for `expand`, or None if they cannot hold it."""
        found = self.call("pack", self._pack, state)
        try:
            numbers = None if found is None else [*map(index, found)]
        except TypeError:
            self.fail("pack", state, found, "a list of whole numbers, or None")
        return numbers

    @property
    def expands(self) -> bool:
        """Whether the whole tree may grow by plies: in floats, and of merged states.

        The user's own estimates are of states that only the other methods make.
        """
        may = self.merges and not self.options.exact and self.options.estimate is None
        return may and self._expand is not None and not self.continues_turns

    def expand(self, states: Any) -> Any:
        """Return what the game's `expand` gives for some packed states."""
        expand: Any = self._expand
        return self.call("expand", lambda states: [*expand(states)], states)

    def key(self, state: Any) -> Hashable:
        """Return the key of a state. Call this only if `merges` is true."""
        key: Hashable = state if self._key is None else self.call("key", self._key, state)
        try:
            hash(key)
        except TypeError:
            self.fail("key", state, key, "something that can be hashed, such as a tuple")
        return key

    def bounds_of(self, state: Any, above: Bounds) -> Bounds:
        """Return the bounds of all values at a state and after it, within the bounds before it."""
        if self._bounds is None:
            return above
        found = self.call("bounds", self._bounds, state)
        try:
            lower, upper = (self._number("bounds", state, end) for end in found)
        except (TypeError, ValueError):
            self.fail("bounds", state, found, "a pair of numbers: the lower, the upper")
        lower, upper = max(lower, above[0]), min(upper, above[1])
        if lower > upper:
            ends = "[{}, {}]".format(*map(message_text, above))
            self.fail("bounds", state, found, f"bounds that meet those before, {ends}")
        return lower, upper

    def check_same(self, state: Any, kind: int, is_estimated: bool) -> None:
        """Raise `GameError` if a state cannot have the key of a row of this kind."""
        if self._key is None:
            return  # the states are equal
        own = self.kind(state)
        if (own != kind and not is_estimated) or (is_estimated and own == TERMINAL):
            there = "the game goes on" if is_estimated else TURNS[kind]
            raise GameError(
                f"{self.where('key', state)} gives the key of a state in which {there}, and here "
                f"{TURNS[own]}: give different keys to states that differ"
            )

    def reward(self, state: Any, move: Any) -> Number:
        """Return what a move or an outcome pays MAX."""
        reward: Any = self._reward
        found = self._number("reward", state, self.call("reward", reward, state, move))
        if not is_finite(found):
            self.fail("reward", state, found, "a finite number")
        return found

    def check_searchable(self) -> None:
        """Raise `GameError` if a search would ignore what the game pays or discounts."""
        what = "a method reward" if self.pays else "a discount"
        if self.pays or self.discount != 1:
            raise GameError(
                f"{self.title} has {what}, which only `expectitree solve` knows: solve it, or put "
                "what was paid into its states and values"
            )

    def check_known(self, state: Any, find_known: Callable[[], Any]) -> None:
        """Raise `GameError` if states with one key differ: the first ones, and some later."""
        self._meetings += 1
        if self._key is None or (self._meetings > self.checked and self._meetings % 64):
            return
        known = find_known()
        for name, ask in (("turn", self.kind), ("moves", self._choices), ("value", self._worth)):
            one, other = ask(state), ask(known)
            if not are_equal(one, other):
                raise GameError(
                    f"{self.where('key', state)} is also the key of {shown(known)}, and {name} "
                    f"gives {shown(one, 60)} and {shown(other, 60)}: give different keys to "
                    "states that differ"
                )

    def _choices(self, state: Any) -> Any:
        """Return how many moves there are, or the probabilities: symmetric states name others."""
        if (kind := self.kind(state)) == TERMINAL:
            return 0
        moves, probabilities = self.moves(state, kind)
        return len(moves) if probabilities is None else sorted(probabilities)

    def _worth(self, state: Any) -> Any:
        value = self.call("value", self._value, state)
        return value if value is None else round(float(self._number("value", state, value)), 9)

    def is_same_turn(self, state: Any) -> bool:
        """Return whether a state only continues the turn of the state before it."""
        if self._same_turn is None:
            return False
        return bool(self.call("same_turn", self._same_turn, state))

    def labels(self, state: Any, moves: Sequence[Any]) -> list[str | None]:
        """Return the labels of the branches of a state; None for `#k` where one is missing."""
        labels: list[str | None] = []
        for place, move in enumerate(moves, start=1):
            try:
                labels.append(label_at(self._text_of(state, move), place))
            except TreeError:
                labels.append(None)
        if len(set(labels)) == len(labels):
            return labels
        counts = Counter(labels)
        return [text if counts[text] == 1 else None for text in labels]

    def is_like(self, other: Rules) -> bool:
        """Return whether states and numbers of other rules can be used in place of these."""
        same = type(self.game) is type(other.game) and self.title == other.title
        return same and self.exact == other.exact

    @property
    def has_texts(self) -> bool:
        return self._text is not None

    def text(self, state: Any) -> str:
        """Return a state as the game shows it, or else as Python does."""
        if self._text is None:
            return str(self.call("str", str, state))
        return str(self.call("text", self._text, state))

    def _text_of(self, state: Any, move: Any) -> str:
        label = self._label
        if label is None:
            return str(self.call("str", str, move))
        return str(self.call("label", lambda *arguments: str(label(*arguments)), state, move))

    # ---- Checks.

    def _warn_of_pairs(self, state: Any, moves: Sequence[Any]) -> None:
        """Warn if a player's moves look like outcomes with probabilities."""
        pairs = [m for m in moves if isinstance(m, tuple) and len(m) == 2]
        shares = [p for _, p in pairs if isinstance(p, (float, Fraction)) and 0 <= p <= 1]
        if len(shares) == len(moves) and abs(float(sum(shares)) - 1) < ROUNDING:
            self.warn(
                f"{self.where('moves', state)} gives {shown(moves, 60)}, and it is not the turn "
                'of chance: if these are outcomes with probabilities, turn must give "chance"'
            )

    def _trace(self, state: Any) -> Any:
        """Return something that differs after a change of the state."""
        if self.merges:
            return self.key(state)
        write: Any = type(state).__repr__
        if write is object.__repr__:  # which shows no content
            kind = self.kind(state)
            return kind, len(self.moves(state, kind)[0])
        return self.call("repr", repr, state)

    def _is_hashed(self) -> bool:
        """Return whether states with equal contents are equal and can be hashed."""
        try:
            hash(self.start)
        except TypeError:
            return False
        own: Any = type(self.start).__hash__
        return own is not object.__hash__

    def _read_bounds(self) -> Bounds:
        written = self.options.bounds
        if written is None:
            written = self.attribute("utility_bounds", (-INFINITY, INFINITY))
        try:
            lower, upper = (self._number("utility_bounds", None, end) for end in written)
        except (TypeError, ValueError):
            lower, upper = 1, 0
        if lower > upper or lower == INFINITY or upper == -INFINITY:
            name = "utility_bounds" if self.options.bounds is None else "the bounds"
            raise GameError(
                f"{escape(self.title)}: {name} are {shown(written)}, expected a pair of numbers: "
                "the lower, the upper"
            )
        return lower, upper

    def _setting(self, name: str, default: Any, above: float, most: float = INFINITY) -> Any:
        """Return a number that the game may declare."""
        found = self.attribute(name, None)
        if found is None:
            return default
        try:
            number: Any = self._number(name, None, found)
        except ValueError:
            number = INFINITY
        if not above < number <= most or not is_finite(number):
            between = "a finite number" if most == INFINITY else f"a number above 0, at most {most}"
            raise GameError(f"{self.title}: {name} is {shown(found)}, expected {between}")
        return number

    def _probability(self, state: Any, written: Any) -> Number:
        p = self._number("moves", state, written)
        if not 0 <= p <= 1:
            self.fail("moves", state, written, "a probability from 0 to 1")
        return p

    def _number(self, name: str, state: Any, value: Any) -> Number:
        if type(value) is float and not self.exact and value == value:
            return value
        try:
            if isinstance(value, bool) or value != value:
                raise TypeError
            if isinstance(value, str):
                return to_number(value, self.exact)
            if not self.exact:
                return float(value)
            if type(value) is Fraction:
                return value
            if isinstance(value, (int, Fraction)):
                return Fraction(value)
            if math.isinf(value):
                return INFINITY if value > 0 else -INFINITY
            is_float = not isinstance(value, (Rational, Decimal))
            if is_float and self.options.exact is None and not name.endswith("bounds"):
                raise InexactError
            return to_fraction(str(value))
        except (TypeError, ValueError, OverflowError, NumberError):
            return self.fail(name, state, value, "a number")
