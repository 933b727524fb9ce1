"""An error anywhere in a game's code is a `GameError`; what a game prints is no answer."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import run_main

import expectitree as et
from expectitree.games.checking import check_rules
from expectitree.games.finding import find_game

GAME = '''
print("imported")


class State:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.number == other.number

    def __repr__(self):
        return f"State({self.number})"


class Move(int):
    pass


class Game:
    title = "down"
    utility_bounds = (0, 10)

    def __init__(self):
        self.start = State(3)

    def turn(self, state):
        return "max" if state.number > 0 else None

    def moves(self, state):
        return [Move(1), Move(2)]

    def play(self, state, move):
        return State(state.number - move)

    def value(self, state):
        return None if state.number > 0 else 3


class Odd:
    """What a method may return in place of something plain."""


class OddList(list):
    pass


def fail(*arguments):
    raise RuntimeError("oh")


class OddError(Exception):
    __str__ = fail
'''
# By the name of the case: what is added to the file, and what the message has.
CASES = {
    "hash of a state": ("State.__hash__ = fail", "fail raises RuntimeError: oh (FILE:"),
    "late hash": (
        "State.__hash__ = lambda self: 1 if self.number > 1 else fail()",
        "fail raises RuntimeError: oh (FILE:",
    ),
    "eq of a state": ("State.__eq__ = fail", "fail raises RuntimeError: oh (FILE:"),
    "str and repr of a move": (
        "Move.__str__ = Move.__repr__ = fail",
        "down: str(a Move) raises RuntimeError: oh (FILE:",
    ),
    "str of another type": (
        "Move.__str__ = Move.__repr__ = lambda self: 3",
        "down: str(a Move) raises TypeError: __str__ returned non-string (type int)",
    ),
    "eq of a key": (
        "Odd.__eq__ = fail\nOdd.__hash__ = lambda self: 1\nGame.key = lambda self, state: Odd()",
        "fail raises RuntimeError: oh (FILE:",
    ),
    "hash of a turn": (
        "Odd.__hash__ = fail\nGame.turn = lambda self, state: Odd()",
        "fail raises RuntimeError: oh (FILE:",
    ),
    "comparison of a value": (
        "Odd.__ne__ = Odd.__eq__ = fail\nGame.value = lambda self, state: Odd()",
        "fail raises RuntimeError: oh (FILE:",
    ),
    "ends of bounds": (
        "Odd.__iter__ = fail\nGame.utility_bounds = Odd()",
        "fail raises RuntimeError: oh (FILE:",
    ),
    "text of an error": (
        "def play(self, state, move):\n    raise OddError\nGame.play = play",
        "down: play(State(3), 1) raises OddError (FILE:",
    ),
    "length of moves": (
        "OddList.__len__ = OddList.__iter__ = fail\nGame.moves = lambda self, state: OddList([1])",
        "down: moves(State(3)) raises RuntimeError: oh (FILE:",
    ),
    "exit": (
        "def leave(*arguments):\n    raise SystemExit(7)\nState.__hash__ = leave",
        "leave raises SystemExit: 7 (FILE:",
    ),
}
COMMANDS = {
    "eval": ["--depth", "6"],
    "compare": ["--depth", "6", "-a", "star1", "-a", "star2"],
    "advise": ["--depth", "6"],
    "solve": [],
    "play": ["--depth", "6"],
}


@pytest.fixture
def game_file(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes the game with an addition, and returns its name."""

    def write(more: str) -> str:
        file = tmp_path / "down.py"
        file.write_text(GAME + textwrap.dedent(more) + "\n")
        return f"{file}:Game"

    return write


@pytest.mark.parametrize("case", CASES)
def test_no_traceback_of_a_game_reaches_the_user(
    case: str, game_file: Callable[[str], str]
) -> None:
    more, message = CASES[case]
    name = game_file(more)
    expected = message.replace("FILE", name.removesuffix(":Game"))
    for command, words in COMMANDS.items():
        done = run_main(command, name, *words, stdin="1\n1\n1\n")
        assert (done.status, expected in done.err) == (3, True), (command, done.err)
    done = run_main("verify", name)
    assert (done.status, "Traceback" in done.err) == (1, False)


@pytest.mark.parametrize("case", CASES)
def test_functions_raise_game_errors(case: str, game_file: Callable[[str], str]) -> None:
    name = game_file(CASES[case][0])
    calls: tuple[Callable[[], Any], ...] = (
        lambda: et.search(name, depth=6).choices[0].label,
        lambda: et.solve(name),
        lambda: et.write_out(name, depth=6),
    )
    for call in calls:
        with pytest.raises(et.GameError, match=r"raises \w+"):
            call()


def test_the_error_of_a_listener_stays_as_it_is(game_file: Callable[[str], str]) -> None:
    def stop(*arguments: Any) -> None:
        raise RuntimeError("enough")

    name = game_file("Game.utility_bounds = 0, 10")
    with pytest.raises(RuntimeError, match="enough"):
        et.search(name, depth=2, deepen=True, progress=stop)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="enough"):
        et.search(name, depth=1, warn=stop)
    assert check_rules(find_game(name)).positions > 0


# ---- What a game prints.

PRINTS = """
import sys
from functools import wraps

def printing(method):
    @wraps(method)
    def prints(*arguments):
        print("hello", method.__name__)
        sys.stdout.write("written\\n")
        return method(*arguments)
    return prints

for name in ("turn", "moves", "play", "value", "__init__"):
    setattr(Game, name, printing(getattr(Game, name)))
State.__hash__ = printing(State.__hash__)
Move.__str__ = printing(Move.__str__)
State.__str__ = printing(State.__repr__)
"""


@pytest.mark.parametrize("command", ["eval", "compare", "advise", "solve", "verify"])
def test_what_a_game_prints_goes_to_standard_error(
    command: str, game_file: Callable[[str], str]
) -> None:
    words = [command, game_file(PRINTS), *COMMANDS.get(command, [])]
    for form in ([], ["--format", "json"]):
        done = run_main(*words, *form)
        assert done.status == 0
        assert not {"hello", "written", "imported"} & set(done.out.split())
        assert "written" in done.err
        if form:
            assert json.loads(done.out)


def test_a_tree_that_is_piped_has_nothing_that_a_game_prints(
    game_file: Callable[[str], str],
) -> None:
    done = run_main("convert", game_file(PRINTS), "-", "--depth", "2")
    assert len(et.loads(done.out)) > 1
    assert "imported" in done.err


def test_play_shows_only_its_own_output(game_file: Callable[[str], str]) -> None:
    done = run_main("play", game_file(PRINTS), "--depth", "6", stdin="1\n2\n")
    assert "The game is over; its value is 3." in done.out
    assert not {"hello", "written"} & set(done.out.split())
