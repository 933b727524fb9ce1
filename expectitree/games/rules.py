"""The rules of a game: every result of its methods is checked, and what it lacks has a default."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec
from itertools import islice
from numbers import Rational
from operator import index
from typing import Any, NamedTuple

from expectitree.base.budget import most
from expectitree.base.errors import USER_ERRORS, GameError, NumberError, TreeError
from expectitree.base.numbers import INFINITY, Number, escape, is_finite, message_text
from expectitree.base.reading import to_fraction, to_number
from expectitree.base.tree.builder import TreeBuilder, label_at
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL, Bounds
from expectitree.games import MAX_ROWS
from expectitree.games.calls import Calls, Warn, are_equal, shown
from expectitree.games.protocol import Game
from expectitree.games.rollouts import Rollouts
from expectitree.text.phrases import plural

KINDS = {"max": MAX, "min": MIN, "chance": CHANCE, None: TERMINAL}
FAST_TYPES = (float, int, Fraction)
WORDS = {kind: turn for turn, kind in KINDS.items()}
# Of a search in fractions, before it goes on in floats. With 20,000 here, eleven searches of pig,
# einstein, dice and 2048 with 2,000 to 50,000 rows took 1.1 to 2.5 times as long.
EXACT_ROWS = 1_000
MAX_KNOWN_OUTCOMES = 100_000  # in the distributions that were checked and stay in memory
MANY_OUTCOMES = 500  # of one state
ROUNDING = 1e-9  # by how much of the finite bounds' magnitude a value may miss them

Estimate = Callable[[Any], Any] | Rollouts | str  # a text is a reference, such as `rollouts:100`


class RowsError(GameError):
    """A tree needs more rows than it may have."""


class Options(NamedTuple):
    """The options by which the rules of a game become a tree, apart from its depth."""

    # In fractions, in floats, or (None) in fractions until the game gives a float, or has many
    # rows. In fractions a float counts as the decimal that Python prints.
    exact: bool | None = None
    merge: bool = True  # states with equal keys are one node
    bounds: Bounds | None = None  # in place of the game's
    estimate: Estimate | None = None  # in place of `value` at the depth limit
    warn: Warn | None = None
    max_rows: int | None = None  # of the tree, and so the most moves of a state; `MAX_ROWS`
    endless: Any = None  # in place of the game's, for `solve`
    discount: Any = None


class Rules(Calls):
    """The rules of one game; every result is checked.

    `bounds` hold for all values. `merges` is true if states have keys. `evaluations` counts how
    often the value of a state was computed.
    """

    def __init__(self, game: Game, options: Options) -> None:
        super().__init__(game, options.warn)
        self.options = options
        self._estimate = self._read_estimate()
        self.exact = options.exact is not False
        self.start: Any = self.attribute("start")
        self.max_rows = most(MAX_ROWS) if options.max_rows is None else options.max_rows
        self.evaluations = 0
        self._is_warned = False
        self.zero: Any = Fraction(0) if self.exact else 0.0
        self._numbers = TreeBuilder(self.exact)
        self._play, self._turn, self._moves = game.play, game.turn, game.moves
        self._value: Callable[[Any], Any] = game.value
        # That were checked: many states have the same.
        self._distributions: dict[tuple[Any, ...], Sequence[Number]] = {}
        self._known_outcomes = 0
        self._has_many = False
        self.has_keys = "key" in self.optional  # so unequal states may become one
        self.pays = "reward" in self.optional  # whether moves and outcomes pay, for `solve`
        self.has_bounds = "bounds" in self.optional  # whether states have bounds of their own
        self.continues_turns = "same_turn" in self.optional  # whether a move may cost no ply
        self.bounds = self._read_bounds()
        self.endless = self._setting("endless", None, -INFINITY)
        self.discount: Any = self._setting("discount", self.zero + 1, 0, 1)
        self._is_value = self._is_hashed()
        self.merges = options.merge and (self.has_keys or self._is_value)
        self.is_key = self.merges and not self.has_keys  # whether a state is its own key
        self._plays = self._meetings = 0

    @property
    def finite_ends(self) -> list[Any]:
        """The ends of the bounds that are finite, in magnitude."""
        return [abs(end) for end in self.bounds if is_finite(end)]

    # ---- Questions about a state.

    def check_made(self, rows: int, depth: int) -> None:
        """Raise `RowsError` if so many rows were made, before equal states became one."""
        if rows > self.max_rows:
            raise RowsError(
                f"{self.title}: more than {self.max_rows:,} rows at depth {depth}\nchoose a "
                "smaller --depth, or allow more with --max-rows"
            )

    def use_floats(self) -> None:
        """Compute in floats from now on."""
        self.exact, self.zero, self._numbers = False, 0.0, TreeBuilder(False)
        self.bounds = float(self.bounds[0]), float(self.bounds[1])
        self._distributions.clear()
        self._known_outcomes = 0

    def kind(self, state: Any) -> int:
        """Return who decides in a state: TERMINAL, MAX, MIN or CHANCE."""
        try:  # as `call` does, for the methods that are called most
            turn = self._turn(state)
        except USER_ERRORS as error:
            self.name_error(error, "turn", state)
        try:
            return KINDS[turn]
        except (KeyError, TypeError):
            expected = '"max", "min", "chance", or None if the game is over'
            self.fail("turn", state, turn, expected)

    def moves(self, state: Any, kind: int) -> tuple[Sequence[Any], Sequence[Number] | None]:
        """Return the moves, or the outcomes with their probabilities."""
        moves = given = self.call("moves", self._moves, state)
        if type(given) is not list:
            if not isinstance(given, Iterable):
                self.fail("moves", state, given, "a list of moves")
            moves = self.call("moves", lambda _: [*islice(given, self.max_rows + 1)], state)
        if len(moves) > self.max_rows:
            raise RowsError(
                f"{self.where('moves', state)} gives more than {self.max_rows:,} moves\ncorrect "
                "moves if they never end, or allow more with --max-rows"
            )
        if self._calls["moves"] < self.checked:
            self.repeat("moves", moves, lambda: [*islice(self._moves(state), self.max_rows)], state)
            if kind != CHANCE:
                self._warn_of_pairs(state, moves)
        if not moves:
            self.fail("moves", state, moves, "at least one move, as the game is not over")
        if kind == CHANCE:
            return self._outcomes(state, moves)
        return moves, None

    def _outcomes(self, state: Any, pairs: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Number]]:
        """Return the outcomes of pairs, and their probabilities."""
        for pair in pairs:
            if not isinstance(pair, tuple) or len(pair) != 2:
                self.fail("moves", state, pair, "pairs of an outcome and its probability")
        if len(pairs) > MANY_OUTCOMES and not self._has_many:
            self._has_many = True
            self.warn(
                f"{self.title}: a state has {len(pairs):,} outcomes: a search that tries them all "
                "is slow, so limit its depth or its time"
            )
        outcomes = [outcome for outcome, _ in pairs]
        try:
            return outcomes, self._distribution(state, [p for _, p in pairs])
        except GameError:
            if _are_probabilities(outcomes):
                self.fail("moves", state, pairs, "the outcome first, and then its probability")
            raise

    def _distribution(self, state: Any, given: list[Any]) -> Sequence[Number]:
        """Return probabilities, which sum to 1; those of many states are the same."""
        if not self.exact and {*map(type, given)} == {float}:
            known_by = tuple(given)
        else:  # a `Fraction` is slow to hash
            known_by = tuple([p.as_integer_ratio() for p in given if type(p) is Fraction])
        known = self._distributions.get(known_by)
        if known is not None and len(known) == len(given):
            return known
        written = [self._probability(state, p) for p in given]
        if not self.exact:  # perhaps since the last of them
            written = [*map(float, written)]
        try:
            probabilities, _ = self._numbers.distribution(written, len(given))
        except TreeError as error:
            raise GameError(f"{self.where('moves', state)}: {error.reason}") from None
        if len(known_by) == len(given) and self._known_outcomes < MAX_KNOWN_OUTCOMES:
            self._known_outcomes += len(given)
            self._distributions[known_by] = probabilities
        return probabilities

    def play(self, state: Any, move: Any) -> Any:
        """Return the state after a move."""
        self._plays += 1
        # The first plays, then some.
        is_checked = self._plays < self.checked or self._plays % 64 == 0
        before = self._trace(state) if is_checked else None
        try:
            after = self._play(state, move)
        except USER_ERRORS as error:
            self.name_error(error, "play", state, move)
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
        number = self.estimate(state, kind, bounds)
        return self.middle(bounds, state) if number is None else number

    def middle(self, bounds: Bounds, state: Any) -> Number:
        """Return the middle of the bounds of a state that has no estimate."""
        if not all(map(is_finite, bounds)):
            self.fail("value", state, None, "an estimate, since the bounds are infinite")
        low, high = bounds
        middle = low / 2 + high / 2  # the mirror negates it exactly
        if not self._is_warned:
            self.warn(
                f"{self.title}: there are no estimates: a leaf at the depth limit is worth the "
                f"middle of the bounds, {message_text(middle)}; --estimate rollouts:100 plays "
                "random games from it, and --estimate FILE.py:NAME names a function that estimates"
            )
        self._is_warned = True
        return middle

    def estimate(self, state: Any, kind: int, bounds: Bounds) -> Number | None:
        """Return the estimate by the user's function or else by `value`, None without one."""
        self.evaluations += 1
        name, method = "value", self._value
        if self._estimate is not None and kind != TERMINAL:
            name, method = "the estimate", self._estimate
        try:
            value = method(state)
        except USER_ERRORS as error:
            self.name_error(error, name, state)
        if self._calls[name] < self.checked:
            self.repeat(name, value, lambda: method(state), state)
        if value is None and kind != TERMINAL:
            return None
        return self._within(name, state, value, bounds)

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

    def pack(self, state: Any) -> list[int] | None:
        """Return the numbers of a state for `expand`, or None if they cannot hold it."""
        packed = self.ask("pack", state)
        if packed is None:
            return None
        try:
            return [*map(index, packed)]
        except TypeError:
            self.fail("pack", state, packed, "a list of whole numbers, or None")

    @property
    def expands(self) -> bool:
        """Whether the whole tree may grow by plies: in floats, of merged states, by NumPy.

        The user's own estimates are of states that only the other methods make.
        """
        may = self.merges and not self.options.exact and self.options.estimate is None
        may = may and "expand" in self.optional and not self.continues_turns
        return may and find_spec("numpy") is not None

    def expand(self, states: Any) -> Any:
        """Return what the game's `expand` gives for some packed states."""
        expand = self.optional["expand"]
        return self.call("expand", lambda states: [*expand(states)], states)

    def key(self, state: Any) -> Hashable:
        """Return the key of a state. Call this only if `merges` is true."""
        key: Hashable = self.call("key", self.optional["key"], state) if self.has_keys else state
        try:
            hash(key)
        except TypeError:
            self.fail("key", state, key, "something that can be hashed, such as a tuple")
        return key

    def bounds_of(self, state: Any, above: Bounds) -> Bounds:
        """Return the bounds of all values at a state and after it, within the bounds before it."""
        if not self.has_bounds:
            return above
        pair = self.ask("bounds", state)
        try:
            lower, upper = (self._number("bounds", state, end) for end in pair)
        except (TypeError, ValueError):
            self.fail("bounds", state, pair, "a pair of numbers: the lower, the upper")
        lower, upper = max(lower, above[0]), min(upper, above[1])
        if lower > upper:
            ends = "[{}, {}]".format(*map(message_text, above))
            self.fail("bounds", state, pair, f"bounds that meet those before, {ends}")
        return lower, upper

    def reward(self, state: Any, move: Any) -> Number:
        """Return what a move or an outcome pays MAX."""
        number = self._number("reward", state, self.ask("reward", state, move))
        if not is_finite(number):
            self.fail("reward", state, number, "a finite number")
        return number

    def check_searchable(self) -> None:
        """Raise `GameError` if a search would ignore what the game pays or discounts."""
        what = "a method reward" if self.pays else "a discount"
        if self.pays or self.discount != 1:
            raise GameError(
                f"{self.title} has {what}, which only `expectitree solve` knows: solve it, or put "
                "what was paid into its states and values"
            )

    def check_known(
        self, state: Any, find_known: Callable[[], Any], is_other: bool = False
    ) -> None:
        """Raise `GameError` if states with one key differ: the first ones, and some later.

        `is_other` says that they are known to differ.
        """
        self._meetings += 1
        is_checked = self._meetings <= self.checked or not self._meetings % 64 or is_other
        if not self.has_keys or not is_checked:
            return
        known = find_known()
        for name, ask in (("turn", self._word), ("moves", self._choices), ("value", self._worth)):
            here, there = ask(state), ask(known)
            if not are_equal(here, there):
                raise GameError(
                    f"{self.where('key', state)} is also the key of {shown(known)}, and {name} "
                    f"gives {_words(here)} and {_words(there)}\ngive different keys to states that "
                    "differ"
                )

    def _word(self, state: Any) -> str | None:
        """Return what the method `turn` gives."""
        return WORDS[self.kind(state)]

    def _choices(self, state: Any) -> Any:
        """Return how many moves there are, or the probabilities: symmetric states name others."""
        if (kind := self.kind(state)) == TERMINAL:
            return range(0)
        moves, probabilities = self.moves(state, kind)
        return range(len(moves)) if probabilities is None else sorted(probabilities)

    def _worth(self, state: Any) -> Any:
        value = self.call("value", self._value, state)
        return value if value is None else round(float(self._number("value", state, value)), 9)

    def is_same_turn(self, state: Any) -> bool:
        """Return whether a state only continues the turn of the state before it."""
        return self.continues_turns and bool(self.ask("same_turn", state))

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

    def text(self, state: Any) -> str:
        """Return a state as the game shows it, or else as Python does."""
        if "text" in self.optional:
            return str(self.ask("text", state))
        return str(self.call("str", str, state))

    def _text_of(self, state: Any, move: Any) -> str:
        label = self.optional.get("label")
        if label is None:
            return str(self.call("str", str, move))
        return str(self.call("label", lambda *arguments: str(label(*arguments)), state, move))

    # ---- Checks.

    def _warn_of_pairs(self, state: Any, moves: Sequence[Any]) -> None:
        """Warn if a player's moves look like outcomes with probabilities."""
        if not all(isinstance(move, tuple) and len(move) == 2 for move in moves):
            return
        for numbers in zip(*moves, strict=True):
            is_whole = any(isinstance(number, int) for number in numbers)
            if not is_whole and _are_probabilities(numbers):
                self.warn(
                    f"{self.where('moves', state)} gives {shown(moves, 60)}, and it is not the "
                    "turn of chance\nif these are outcomes with probabilities, turn must give "
                    '"chance"'
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
        hash_of_state: Any = type(self.start).__hash__
        return hash_of_state is not object.__hash__

    def _read_estimate(self) -> Callable[[Any], Any] | None:
        estimate = self.options.estimate
        if isinstance(estimate, str):
            from expectitree.games.finding import find_estimate

            estimate = find_estimate(estimate)
        return estimate.of(self) if isinstance(estimate, Rollouts) else estimate

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
        setting = getattr(self.options, name)
        if setting is None:
            setting = self.attribute(name, None)
        if setting is None:
            return default
        try:
            number: Any = self._number(name, None, setting)
        except ValueError:
            number = INFINITY
        if not above < number <= most or not is_finite(number):
            between = "a finite number" if most == INFINITY else f"a number above 0, at most {most}"
            raise GameError(f"{self.title}: {name} is {shown(setting)}, expected {between}")
        return number

    def _probability(self, state: Any, written: Any) -> Number:
        p = self._number("moves", state, written)
        if not 0 < p <= 1:
            self.fail("moves", state, written, "a probability above 0, at most 1")
        return p

    def _number(self, name: str, state: Any, value: Any) -> Number:
        try:
            if not self.exact and type(value) in FAST_TYPES and (number := float(value)) == number:
                return number
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
                self.use_floats()
                return float(value)
            return to_fraction(str(value))
        except (TypeError, ValueError, OverflowError, NumberError):
            return self.fail(name, state, value, "a number")


def _words(answer: Any) -> str:
    """Return what a method gives as a message shows it: moves as their number."""
    if isinstance(answer, range):
        return plural(len(answer), "move")
    if isinstance(answer, list):
        return f"the probabilities {shown([*map(message_text, answer)], 60)}"
    return shown(answer, 60)


def _are_probabilities(numbers: Iterable[Any]) -> bool:
    """Return whether these are positive numbers that sum to 1."""
    try:
        shares = [float(Fraction(n) if isinstance(n, str) else n) for n in numbers]
    except (TypeError, ValueError, ArithmeticError):
        return False
    return min(shares) > 0 and abs(math.fsum(shares) - 1) < ROUNDING
