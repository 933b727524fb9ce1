"""Wrong games: every error names the game, the method and the state."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

import expectitree as et
from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import INFINITY
from expectitree.games.checking import check_rules
from expectitree.games.finding import find_game

HALVES = [("heads", Fraction(1, 2)), ("tails", Fraction(1, 2))]


class Coins:
    """MAX chooses, a coin is thrown, MIN chooses."""

    title = "coins"
    utility_bounds = (-10, 10)
    start: Any = ()

    def turn(self, state: Any) -> Any:
        return ("max", "chance", "min", None)[len(state)]

    def moves(self, state: Any) -> Any:
        return HALVES if len(state) == 1 else ["left", "right"]

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def value(self, state: Any) -> Any:
        return len(state) - state.count("left")


def with_method(name: str, answer: Callable[..., Any]) -> Any:
    """Return the game with a method that answers for a state, and perhaps a move."""
    return type("Game", (Coins,), {name: lambda self, *arguments: answer(*arguments)})()


def with_outcomes(*outcomes: Any) -> Any:
    """Return the game with other outcomes of the coin."""
    return with_method("moves", lambda s: [*outcomes] if len(s) == 1 else ["left", "right"])


def message(game: Any, **options: Any) -> str:
    """Return the error of a search, which is the same however the game is searched."""
    found = set()
    for algorithm in ("star2", "best-first", "alphabeta"):
        for exact in (True, False):
            settings = {"depth": 3, "exact": exact, "algorithm": algorithm, **options}
            with pytest.raises(GameError) as caught:
                et.search(game, **settings).strategy  # noqa: B018, reads the labels
            found.add(str(caught.value))
    (text,) = found
    assert text.isprintable()
    return text


@pytest.mark.parametrize(
    ("outcomes", "problem"),
    [
        ([("a", 0.5), ("b", 0.4)], ": the probabilities sum to 0.9, expected 1"),
        ([("a", 1), ("b", 1)], ": the probabilities sum to 2, expected 1"),
        ([("a", 0)], " gives 0, expected a probability above 0, at most 1"),
        ([("a", 1), ("b", 0.0)], " gives 0.0, expected a probability above 0, at most 1"),
        ([("a", Fraction(0)), ("b", 1)], " gives Fraction(0, 1), expected a probability above 0, \
at most 1"),
        ([("a", "0"), ("b", "1")], " gives '0', expected a probability above 0, at most 1"),
        # The probability is first: of texts, of states, and of numbers.
        ([(0.75, "s"), (0.25, "t")], " gives [(0.75, 's'), (0.25, 't')], expected the outcome \
first, and then its probability"),
        ([(0.75, 3), (0.25, 4)], " gives [(0.75, 3), (0.25, 4)], expected the outcome first, and \
then its probability"),
        ([(1.0, 7)], " gives [(1.0, 7)], expected the outcome first, and then its probability"),
        ([(Fraction(1, 2), 1), (Fraction(1, 2), 0)], " gives [(Fraction(1, 2), 1), (Fraction(1, \
2), 0)], expected the outcome first, and then its probability"),
        ([("3/4", ()), ("0.25", (1,))], " gives [('3/4', ()), ('0.25', (1,))], expected the \
outcome first, and then its probability"),
        ([(Decimal("0.5"), 0.7), (Decimal("0.5"), 0.7)], " gives [(Decimal('0.5'), 0.7), \
(Decimal('0.5'), 0.7)], expected the outcome first, and then its probability"),
        # These are wrong, but not swapped.
        ([(0.75, 0.5), (0.5, 0.25)], ": the probabilities sum to 0.75, expected 1"),
        ([(1, 0.5), (2, 0.25)], ": the probabilities sum to 0.75, expected 1"),
        ([("a", 1.5), ("b", -0.5)], " gives 1.5, expected a probability above 0, at most 1"),
        ([("a", -0.5), ("b", 1.5)], " gives -0.5, expected a probability above 0, at most 1"),
        ([("a", float("nan"))], " gives nan, expected a number"),
        ([("a", float("inf"))], " gives inf, expected a probability above 0, at most 1"),
        ([("a", "half"), ("b", "half")], " gives 'half', expected a number"),
        ([("a", None)], " gives None, expected a number"),
        ([("a", 0.5), ("b", [0.5])], " gives [0.5], expected a number"),
        ([("a", True)], " gives True, expected a number"),
        (["a", "b"], " gives 'a', expected pairs of an outcome and its probability"),
        (["ab", "cd"], " gives 'ab', expected pairs of an outcome and its probability"),
        ([("a", 1, 2)], " gives ('a', 1, 2), expected pairs of an outcome and its probability"),
        ([], " gives [], expected at least one move, as the game is not over"),
    ],
)  # fmt: skip
def test_wrong_outcomes(outcomes: list[Any], problem: str) -> None:
    assert message(with_outcomes(*outcomes)) == f"coins: moves(('left',)){problem}"


@pytest.mark.parametrize(
    ("method", "answer", "problem"),
    [
        ("turn", "MAX", """ gives 'MAX', expected "max", "min", "chance", or None if the game is \
over"""),
        ("turn", ["max"], """ gives ['max'], expected "max", "min", "chance", or None if the game \
is over"""),
        ("turn", 0, ' gives 0, expected "max", "min", "chance", or None if the game is over'),
        ("turn", False, ' gives False, expected "max", "min", "chance", or None if the game is \
over'),
        ("moves", [], " gives [], expected at least one move, as the game is not over"),
        ("moves", None, " gives None, expected a list of moves"),
        ("moves", 3, " gives 3, expected a list of moves"),
        ("bounds", None, " gives None, expected a pair of numbers: the lower, the upper"),
        ("bounds", 3, " gives 3, expected a pair of numbers: the lower, the upper"),
        ("bounds", (1, 2, 3), " gives (1, 2, 3), expected a pair of numbers: the lower, the upper"),
        ("bounds", (3, -3), " gives (3, -3), expected bounds that meet those before, [-10, 10]"),
        ("bounds", (11, 12), " gives (11, 12), expected bounds that meet those before, [-10, 10]"),
        ("bounds", (float("nan"), 3), " gives (nan, 3), expected a pair of numbers: the lower, the \
upper"),
        ("key", [1], " gives [1], expected something that can be hashed, such as a tuple"),
    ],
)  # fmt: skip
def test_wrong_answers_at_the_start(method: str, answer: Any, problem: str) -> None:
    assert message(with_method(method, lambda state: answer)) == f"coins: {method}(()){problem}"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (11, "expected a number within the bounds [-10, 10]"),
        (-10.001, "expected a number within the bounds [-10, 10]"),
        (float("nan"), "expected a number"),
        (float("inf"), "expected a finite number"),
        ("three", "expected a number"),
        (True, "expected a number"),
        (1j, "expected a number"),
    ],
)
@pytest.mark.parametrize("depth", [1, 3])
def test_wrong_values(value: Any, problem: str, depth: int) -> None:
    found = message(with_method("value", lambda state: value), depth=depth)
    assert re.fullmatch(rf"coins: value\(\(.*\)\) gives {re.escape(repr(value))}, (.*)", found)
    assert found.endswith(problem)


def test_texts_are_numbers() -> None:
    game = with_outcomes(("a", "0.1"), ("b", "2/10"), ("c", "0.7"))
    values = {"a": "1/3", "b": "0.1", "c": Decimal("-0.01")}
    game.value = lambda state: values[state[1]] if len(state) == 3 else None
    game.utility_bounds = ("-1", "1")
    value = Fraction(1, 30) + Fraction("0.02") - Fraction("0.007")
    for algorithm in et.ALGORITHMS:
        assert et.search(game, depth=3, algorithm=algorithm, exact=True).value == value
        found = et.search(game, depth=3, algorithm=algorithm)
        assert (found.value, found.engine) == (float(value), "exact")


def test_a_float_makes_a_game_one_in_floats() -> None:
    game = with_outcomes(("a", 0.1), ("b", Fraction(9, 10)))
    for algorithm in et.ALGORITHMS:
        found = et.search(game, depth=3, algorithm=algorithm)
        assert (found.engine, found.tree.exact) == ("interpreted", False)
        assert et.search(game, depth=3, algorithm=algorithm, exact=True).engine == "exact"
    game = with_method("value", lambda state: -7 / 3 if state[-1:] == ("right",) else 1)
    for algorithm in et.ALGORITHMS:
        found = et.search(game, depth=3, algorithm=algorithm)
        assert (found.value, found.tree.exact) == (-7 / 3, False)


def test_a_finished_game_needs_a_utility() -> None:
    found = message(with_method("value", lambda state: None))
    assert re.fullmatch(r"coins: value\(\('left', .*\)\) gives None, expected a number", found)


def test_without_estimates_leaves_are_worth_the_middle_of_the_bounds() -> None:
    game = with_method("value", lambda state: 7 if len(state) == 3 else None)
    warnings: list[str] = []
    assert et.search(game, depth=2, bounds=(2, 8), warn=warnings.append).value == 5
    assert warnings == [
        "coins: there are no estimates: a leaf at the depth limit is worth the middle of the "
        "bounds, 5; --estimate rollouts:100 plays random games from it, and --estimate "
        "FILE.py:NAME names a function that estimates"
    ]
    game.utility_bounds = (0, float("inf"))
    assert message(game, depth=1) == (
        "coins: value(('left',)) gives None, expected an estimate, since the bounds are infinite"
    )


def test_the_users_estimate_is_checked_too() -> None:
    found = message(Coins(), depth=1, estimate=lambda state: 99)
    assert found == (
        "coins: the estimate(('left',)) gives 99, expected a number within the bounds [-10, 10]"
    )
    found = message(Coins(), depth=1, estimate=lambda state: 1 / 0)
    assert found.startswith(
        "coins: the estimate(('left',)) raises ZeroDivisionError: division by zero ("
    )
    assert et.search(Coins(), depth=2, estimate=lambda state: 3).value == 3
    assert et.search(Coins(), depth=3, estimate=lambda state: 3).value == 2  # no leaf is estimated


def test_a_value_that_misses_the_bounds_by_rounding_is_moved_to_them() -> None:
    game = with_method("value", lambda state: 10 + 1e-12)
    assert et.search(game, depth=3).value == 10
    with pytest.raises(GameError, match="expected a number within the bounds"):
        et.search(game, depth=3, exact=True)


def test_a_value_beyond_the_only_finite_bound_is_an_error() -> None:
    for value, bounds in ((11, (-INFINITY, 10)), (-11, (-10, INFINITY))):
        game = with_method("value", lambda state, value=value: value)
        game.utility_bounds = bounds
        assert f"gives {value}, expected a number within the bounds" in message(game)


@pytest.mark.parametrize(
    "bounds",
    [(3, -3), None, 3, "ab", (1, 2, 3), (math.nan, 1), ("zero", "one"), (0,), 2 * (INFINITY,)],
)
def test_wrong_utility_bounds(bounds: Any) -> None:
    game = Coins()
    game.utility_bounds = bounds
    problem = f"{bounds!r}, expected a pair of numbers: the lower, the upper"
    assert message(game) == f"coins: utility_bounds are {problem}"
    if bounds is not None:
        assert message(Coins(), bounds=bounds) == f"coins: the bounds are {problem}"


def test_without_utility_bounds_they_are_infinite() -> None:
    class Plain:
        title, start = "coins", ()
        turn, moves, play, value = Coins.turn, Coins.moves, Coins.play, Coins.value

    found = et.search(Plain(), depth=3)  # type: ignore[arg-type]
    assert (found.value, found.bounds) == (2, (-float("inf"), float("inf")))


# ---- States that are changed.


class Listed:
    """Count to 3 in a state of one's own kind."""

    title, utility_bounds = "count", (0, 9)

    def __init__(self, start: Any, read: Callable[[Any], int], play: Callable[..., Any]) -> None:
        self.start, self.read, self.step = start, read, play

    def turn(self, state: Any) -> Any:
        return None if self.read(state) >= 3 else "max"

    def moves(self, state: Any) -> list[int]:
        return [1, 2]

    def play(self, state: Any, move: int) -> Any:
        return self.step(state, move)

    def value(self, state: Any) -> int:
        return self.read(state)


class Counter:
    def __init__(self, count: int) -> None:
        self.count = count


def add_to_list(state: list[int], move: int) -> list[int]:
    state[0] += move
    return state


def add_to_list_and_copy(state: list[int], move: int) -> list[int]:
    state[0] += move
    return [*state]


def add_to_counter(state: Counter, move: int) -> Counter:
    state.count += move
    return Counter(state.count)


MUTABLE = {
    "list": ([0], lambda s: s[0], add_to_list, "the state itself"),
    "copied list": ([0], lambda s: s[0], add_to_list_and_copy, "a new state and changes the old"),
    "object": (Counter(2), lambda s: s.count, add_to_counter, "a new state and changes the old"),
}


@pytest.mark.parametrize("name", MUTABLE)
@pytest.mark.parametrize("has_key", [False, True])
def test_play_must_not_change_its_state(name: str, has_key: bool) -> None:
    start, read, step, problem = MUTABLE[name]
    game = Listed(deepcopy(start), read, step)
    if has_key:
        game.key = read  # type: ignore[attr-defined]
    with pytest.raises(GameError) as caught:
        et.search(game, depth=3)
    assert re.match(r"count: play\(.*, 1\) gives ", str(caught.value))
    assert f"gives {problem}" in str(caught.value)
    assert str(caught.value).endswith(", expected a new state: copy the state, and change the copy")


def test_play_must_not_return_none() -> None:
    assert message(with_method("play", lambda state, move: None)) == (
        "coins: play((), 'left') gives None, expected a new state: copy the state, and change the "
        "copy"
    )


def test_a_move_may_lead_back_to_a_state_that_cannot_change() -> None:
    """A tuple cannot be copied, and a player who walks into a wall stays where he is."""
    game = with_method("play", lambda state, move: state)
    assert et.search(game, depth=3).value == 0
    listed = Listed([0], lambda state: state[0], lambda state, move: state)
    with pytest.raises(GameError, match="gives the state itself, expected a new state"):
        et.search(listed, depth=3)


# ---- Exceptions.


METHODS = ["turn", "moves", "play", "value", "key", "bounds", "label", "same_turn"]


@pytest.mark.parametrize("method", METHODS)
def test_an_exception_in_a_method_is_an_error_that_names_it(method: str) -> None:
    def fail(*arguments: Any) -> Any:
        raise LookupError("no such\nthing")

    def leave(*arguments: Any) -> Any:
        raise SystemExit(7)

    assert "raises SystemExit: 7" in message(with_method(method, leave))
    found = message(with_method(method, fail))
    assert re.fullmatch(
        rf"coins: {method}\(\(.*\)(, 'left')?\) raises LookupError: no such\\nthing "
        rf"\({re.escape(__file__)}:\d+\)",
        found,
    )


@pytest.mark.parametrize("method", [name for name in METHODS if name != "label"])
def test_an_interrupt_in_a_method_passes_through(method: str) -> None:
    def interrupt(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        et.search(with_method(method, interrupt), depth=3)


@pytest.mark.parametrize("error", [LookupError, AttributeError])
@pytest.mark.parametrize("name", ["title", "start", "utility_bounds"])
def test_an_exception_in_a_property_is_an_error_that_names_it(name: str, error: type) -> None:
    def fail(self: Any) -> Any:
        raise error("not yet")

    game = type("Game", (Coins,), {name: property(fail)})()
    title = "Game" if name == "title" else "coins"
    found = message(game)
    assert found.startswith(f"{title}: {name}() raises {error.__name__}: not yet ({__file__}:")


def test_an_exception_in_a_generator_of_moves_is_an_error_of_moves() -> None:
    def moves(state: Any) -> Any:
        yield "left"
        raise ValueError("only one")

    assert "coins: moves(()) raises ValueError: only one (" in message(with_method("moves", moves))


@pytest.mark.slow
def test_a_turn_that_never_ends_is_an_error() -> None:
    class Endless(Coins):
        start = 0

        def turn(self, state: Any) -> Any:
            return "max"

        def moves(self, state: Any) -> Any:
            return ["on"]

        def play(self, state: Any, move: Any) -> Any:
            return (state + 1) % 3

        def value(self, state: Any) -> Any:
            return 0

        def same_turn(self, state: Any) -> bool:
            return True

    assert message(Endless()) == (
        "coins: same_turn(2) is true 101 times in a row: correct same_turn, or the moves that "
        "never end the turn"
    )
    with pytest.raises(GameError, match="101 times in a row"):
        et.write_out(Endless(), depth=3)


def test_a_long_state_is_cut_and_one_without_text_is_named() -> None:
    class Silent:
        def __repr__(self) -> str:
            raise ValueError

    game = with_method("turn", lambda state: "nobody")
    game.start = tuple(range(1000))
    assert len(message(game)) < 250
    assert "turn((0, 1, 2, 3" in message(game)
    game.start = Silent()
    assert message(game).startswith("coins: turn(a Silent) gives 'nobody'")


@pytest.mark.parametrize("pair", [lambda move: move, lambda move: (move, Fraction(1, 2))])
def test_moves_that_never_end_are_refused(pair: Callable[[int], Any]) -> None:
    """One more than `max_rows` is made, to see that there are too many."""
    made: list[int] = []

    def endless(state: Any) -> Any:
        for move in count():
            made.append(move)
            yield pair(move)

    game = with_method("moves", endless)
    game.turn = lambda state: "chance" if isinstance(pair(0), tuple) else "max"
    for run in (et.search, et.write_out):
        made.clear()
        with pytest.raises(GameError) as caught:
            run(game, depth=2, max_rows=40)
        assert str(caught.value) == (
            "coins: moves(()) gives more than 40 moves: correct moves if they never end, or allow "
            "more with --max-rows"
        )
        assert len(made) == 41


def test_wrong_depths_and_limits() -> None:
    for run in (et.search, et.write_out):
        for depth in (-1, 2.5, "3", 10**9 + 1):
            with pytest.raises(SearchError) as caught:
                run(Coins(), depth=depth)  # type: ignore[operator]
            expected = "a depth limit is a whole number of plies from 0 to 1,000,000,000"
            assert str(caught.value) == f"{expected}, got {depth!r}"
    for option, value, least in (
        ("max_rows", 0, "at least 1 row"),
        ("max_visits", -3, "at least 1 visit"),
        ("seconds", 0, "more than 0 seconds"),
        ("seconds", math.nan, "more than 0 seconds"),
    ):
        settings: Any = {option: value}
        with pytest.raises(SearchError, match=f"a search needs {least}, got .*{value}"):
            et.search(Coins(), depth=3, **settings)


def test_what_is_not_a_game() -> None:
    untitled = type("Untitled", (), {name: vars(Coins)[name] for name in METHODS[:4]})()
    for game, problem in (
        (None, "NoneType has no method turn: a game has turn, moves, play, value"),
        (Coins, "expected a game, got the class Coins: write Coins()"),
        (untitled, "Untitled has no attribute title: a game needs it"),
    ):
        assert message(game).startswith(problem)


# ---- Keys.


@pytest.mark.parametrize("turn", ["max", "chance", None])
@pytest.mark.parametrize("checked", [0, 100])
def test_equal_keys_of_states_that_differ_in_turn_are_found(
    turn: str | None, checked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.games.calls.CHECKED", checked)

    class Colliding(Coins):
        def turn(self, state: Any) -> Any:
            return turn if state[1:] == ("tails",) else super().turn(state)

        def key(self, state: Any) -> Any:
            return len(state)

    with pytest.raises(GameError, match="give different keys to states that differ"):
        et.search(Colliding(), depth=3)


# ---- Labels.


class Silent:
    """A move, or a label, without a text."""

    def __str__(self) -> str:
        raise LookupError("no text")


def test_a_text_that_cannot_be_made_is_an_error_that_names_the_move() -> None:
    silent = Silent()
    cases = {
        "moves": lambda state: [(silent, 1)] if len(state) == 1 else [silent],
        "label": lambda state, move: silent,
    }
    for method, answer in cases.items():
        name = r"label\(\(\), 'left'\)" if method == "label" else r"str\(<.*Silent object.*>\)"
        place = rf"\({re.escape(__file__)}:\d+\)"
        found = message(with_method(method, answer))
        assert re.fullmatch(rf"coins: {name} raises LookupError: no text {place}", found), found


def test_labels_that_a_tree_cannot_have_are_left_out() -> None:
    for label in ("", "#2", "same"):
        found = et.search(with_method("label", lambda s, m, text=label: text), depth=3)
        assert (found.best, found.ties) == ("#2", ("#2",))
    odd = et.search(with_method("label", lambda s, m: f"{m}/\n\x07"), depth=3)
    assert odd.best == "right/\n\x07"
    assert et.to_text(odd).count("\x07") == 0


# ---- Rules that lie.


def drawn(*given: Any) -> Callable[..., Any]:
    """Return a method that gives these results, one call after the other."""
    results = count()
    return lambda *arguments: given[next(results) % len(given)]


@pytest.mark.parametrize("name", ["moves", "play", "value"])
def test_a_method_that_gives_two_results_is_found(name: str) -> None:
    answers = {"moves": (["a"], ["b"]), "play": ((1,), (2,)), "value": (1, 2)}
    with pytest.raises(GameError) as caught:
        et.search(with_method(name, drawn(*answers[name])), depth=3)
    assert re.fullmatch(
        rf"coins: {name}\(.*\) gives two results, .* and .*: results must depend on the state "
        "alone, so draw random numbers as outcomes of chance",
        str(caught.value),
    )


def test_equal_results_of_types_without_equality_are_not_taken_for_lies() -> None:
    class Thing:
        pass

    assert et.search(with_method("moves", lambda s: HALVES if len(s) == 1 else [Thing()]), depth=3)


@pytest.mark.parametrize("known", ["moves", "value"])
def test_a_key_that_states_share_which_differ_is_found(known: str) -> None:
    game = with_method("key", len)
    if known == "moves":
        game.moves = lambda s: HALVES if len(s) == 1 else [1, 2, 3][: 2 + (s == (1, "heads"))]
    with pytest.raises(GameError) as caught:
        et.search(game, depth=3)
    assert "is also the key of (" in str(caught.value)
    assert f"and {known} gives" in str(caught.value)
    assert str(caught.value).endswith("give different keys to states that differ")


def test_a_misspelt_method_is_named() -> None:
    said: list[str] = []
    for name in ("bound", "labels", "sameturn", "keys", "turns"):
        et.search(with_method(name, lambda *arguments: 1), depth=1, warn=said.append)
    assert said == [
        f"coins has a method {name}, which is ignored: did you mean {other}?"
        for name, other in (
            ("bound", "bounds"), ("labels", "label"), ("sameturn", "same_turn"), ("keys", "key"),
        )
    ]  # fmt: skip


def test_outcomes_of_a_player_are_named() -> None:
    said: list[str] = []
    game = with_method("moves", lambda state: HALVES)
    et.search(game, depth=1, warn=said.append)
    assert said == [
        "coins: moves(()) gives [('heads', Fraction(1, 2)), ('tails', Fraction(1, 2))], and it is "
        'not the turn of chance\nif these are outcomes with probabilities, turn must give "chance"'
    ]
    swapped = [(0.5, "heads"), (0.5, "tails")]
    et.search(with_method("moves", lambda state: swapped), depth=1, warn=said.append)
    assert f"gives {swapped}, and it is not the turn of chance" in said[1]
    et.search(
        with_method("moves", lambda s: HALVES if len(s) == 1 else [(0, 1)]), depth=2, warn=print
    )


def test_many_outcomes_are_warned_of_once() -> None:
    said: list[str] = []
    many = [(n, Fraction(1, 1000)) for n in range(1000)]
    game = with_method("moves", lambda state: many if len(state) == 1 else ["left", "right"])
    et.search(game, depth=3, warn=said.append)
    # The second search, in floats, warns again; the command line shows a warning once.
    assert set(said) == {
        "coins: a state has 1,000 outcomes: a search that tries them all is slow, so limit its "
        "depth or its time"
    }


class Sum:
    """MAX and chance add three numbers each."""

    title = "sum"
    utility_bounds = (0, 36)
    start: Any = ()

    def turn(self, state: Any) -> Any:
        return None if len(state) == 6 else "chance" if len(state) % 2 else "max"

    def moves(self, state: Any) -> Any:
        dice = range(1, 7)
        return [(die, Fraction(1, 6)) for die in dice] if len(state) % 2 else list(dice)

    def play(self, state: Any, move: Any) -> Any:
        return (*state, move)

    def value(self, state: Any) -> Any:
        return sum(state) + 3.5 * (6 - len(state))

    def bounds(self, state: Any) -> Any:
        left = 6 - len(state)
        return sum(state) + left, sum(state) + 6 * left


@pytest.mark.parametrize(
    ("method", "answer", "problem"),
    [
        ("bounds", lambda s: (0, 36 if s else 30), r"bounds\(\(\)\) gives \[0, 30\], and 3\d is po"
         r"ssible after it, at \(.*\): bounds enclose all values that can follow, so widen them"),
        ("bounds", lambda s: (0 if s else 10, 36), r"bounds\(\(\)\) gives \[10, 36\], and [\d.]+ i"
         r"s possible after it"),
        ("bounds", lambda s: (0, 36 if len(s) != 2 else 28), r"bounds\(\(., .\)\) gives \[0, 28\]"),
        ("bounds", lambda s: (0, 36.0) if s else (0.5, 30), r"bounds\(\(\)\) gives \[0.5, 30\]"),
        ("value", lambda s: 36 if len(s) == 3 else sum(s) + 6 - len(s), r"value\(.*\) gives 36, ex"
         r"pected a number within the bounds"),
        ("key", lambda s: min(len(s), 5), r"key\(.*\) is also the key of \(.*\), and turn gives No"
         r"ne and 'chance': give"),
        ("key", lambda s: len(s) // 6, r"and turn gives 'chance' and 'max': give"),
        ("key", lambda s: len(s), r"and value gives [\d.]+ and [\d.]+: give different keys"),
        ("play", lambda s, move: None if len(s) == 5 and sum(s) > 25 else (*s, move), "gives None"),
        ("label", drawn(*map(str, range(99999))), r"label\(.*\) gives two results"),
    ],
)  # fmt: skip
def test_verify_names_the_broken_rule(
    method: str, answer: Callable[..., Any], problem: str
) -> None:
    game = type("Game", (Sum,), {method: lambda self, *arguments: answer(*arguments)})()
    with pytest.raises(GameError, match=problem):
        check_rules(game)


def test_verify_names_moves_and_probabilities_of_states_with_one_key() -> None:
    def lopsided(state: Any) -> Any:
        return [(0, 0.25), (1, 0.75)] if state == (2,) else [(0, 0.5), (1, 0.5)]

    def choices(state: Any) -> Any:
        return lopsided(state) if len(state) % 2 else [1, 2]

    parts = {"moves": lambda self, state: choices(state), "value": lambda self, state: 0}
    parts["bounds"] = lambda self, state: (0, 0)
    game = type("Game", (Sum,), {**parts, "key": lambda self, state: len(state)})()
    with pytest.raises(GameError, match=r"moves gives the probabilities \['0\.\d+', '0\.\d+'\] an"):
        check_rules(game)
    parts["moves"] = lambda self, state: (
        HALVES if len(state) % 2 else [1, 2][: 2 - (state[:1] == (1,))]
    )
    game = type("Game", (Sum,), {**parts, "key": lambda self, state: len(state)})()
    with pytest.raises(GameError, match=r"moves gives (1 move and 2|2 moves and 1) moves?: give"):
        check_rules(game)


def test_verify_plays_random_games() -> None:
    found = check_rules(find_game("game:pig(target=2)"))
    assert found.positions > 100
    assert found.text.startswith("turn, moves, play, value, expand, text at ")
    assert check_rules(Sum()).text == (
        "turn, moves, play, value, bounds at 700 positions; 100 games ended, 333 equal keys"
    )
    game = find_game("game:pig(target=2)")
    expand = game.expand  # type: ignore[attr-defined]
    game.expand = lambda states: (*expand(states)[:4], expand(states)[4] / 2)  # type: ignore[attr-defined]
    with pytest.raises(GameError, match=r"gives the values .*, and the other methods give"):
        check_rules(game)
    with pytest.raises(GameError, match=r"label\(.*\) gives two results"):
        check_rules(with_method("label", drawn("a", "b", "c")))
