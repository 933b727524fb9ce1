"""Games by reference: built in, of OpenSpiel, in the user's files; parameters and errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from expectitree.base.errors import GameError
from expectitree.games.finding import find_game, is_game

COIN = '''
from helper import HALF


class Coin:
    """Guess."""

    title, start, utility_bounds = "Coin", "toss", (0, 1)

    def __init__(self, times=1, name="coin", fair=True, stake=1.0):
        if times < 1:
            raise ValueError(f"times is at least 1, got {times}")
        self.times, self.name, self.fair, self.stake = times, name, fair, stake

    def turn(self, state):
        return "chance" if state == "toss" else None

    def moves(self, state):
        return [("heads", HALF), ("tails", HALF)]

    def play(self, state, move):
        return move

    def value(self, state):
        return 1 if state == "heads" else 0


class Needy(Coin):
    def __init__(self, size):
        self.size = size


class Broken(Coin):
    def __init__(self):
        raise RuntimeError("no coins")


class Options:
    pass


class Half:
    start = "x"

    def turn(self, state):
        return None

    def moves(self, state):
        return []


def half(state):
    return 0.5


coin = Coin(times=3)
seven = 7
'''


@pytest.fixture
def coin(tmp_path: Path) -> str:
    """Return the path of a file with a game that imports its neighbor."""
    (tmp_path / "helper.py").write_text("HALF = 0.5\n")
    (tmp_path / "coin.py").write_text(COIN)
    sys.modules.pop("helper", None)
    return str(tmp_path / "coin.py")


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("game:pig", True),
        ("game:nothing", True),
        ("open_spiel:catch(rows=4)", True),
        ("my/game.py:Coin", True),
        ("C:\\\\my\\\\game.py:Coin(n=1)", True),
        ("game.py", True),
        ("game.yaml", False),
        ("game", False),
        ("-", False),
        ("example:risk", False),
        ("game.pyx", False),
    ],
)
def test_a_reference_is_a_game_or_a_file(reference: str, expected: bool) -> None:
    assert is_game(reference) == expected


def test_a_name_may_be_an_object(coin: str) -> None:
    game: Any = find_game(f"{coin}:coin")
    assert game.times == 3
    assert game is find_game(f"{coin}:coin"), "the file is run once"


def test_a_file_that_has_changed_is_run_again(coin: str) -> None:
    before = find_game(f"{coin}:Coin")
    Path(coin).write_text(COIN.replace('"Coin"', '"Toss"'))
    assert [before.title, find_game(f"{coin}:Coin").title] == ["Coin", "Toss"]
    assert str(Path(coin).parent) not in sys.path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 1\ny = x / 0\n",
            "FILE:2: running the file raises ZeroDivisionError: division by zero",
        ),
        ("def f():\n    raise KeyError\n\nf()\n", "FILE:2: running the file raises KeyError"),
        ("x = (\n", "FILE:1: running the file raises SyntaxError: '(' was never closed"),
        ("import no_such_module\n", "FILE:1: running the file raises ModuleNotFoundError: No mod"),
        ("import sys\nsys.exit(3)\n", "FILE:2: running the file raises SystemExit: 3"),
        ("\n\nx = '\0'\n", "running the file raises "),  # SyntaxError, in Python 3.11.2 ValueError
        ("x = 1\n", "FILE has no class 'Coin': the file has no class"),
    ],
)
def test_an_error_in_the_users_file_names_its_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text(text)
    with pytest.raises(GameError) as caught:
        find_game(f"{file}:Coin")
    assert message in str(caught.value).replace(str(file), "FILE")
    assert str(tmp_path) not in sys.path
