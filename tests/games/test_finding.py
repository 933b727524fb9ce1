"""Games by reference: built in, of OpenSpiel, in the user's files; parameters and errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from expectitree.base.errors import FileError, GameError
from expectitree.games.finding import find_estimate, find_game, is_game
from expectitree.games.rules import Options, Rules

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


def test_parameters_are_numbers_truth_values_and_texts(coin: str) -> None:
    game: Any = find_game(f"{coin}:Coin(times=2, name=a b, fair=False, stake=2)")
    assert (game.times, game.name, game.fair, game.stake) == (2, "a b", False, 2)
    assert find_game(f"{coin}:Coin()").title == "Coin"
    assert find_game("game:pig( target = 20 )").title == "Pig to 20"
    quoted: Any = find_game(f"{coin}:Coin(name='7')")
    assert quoted.name == "7"
    assert find_estimate(f"{coin}:half")("toss") == 0.5


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
    ("reference", "message"),
    [
        ("game:pigs", "unknown game 'pigs' (did you mean 'pig'?): choose among 2048, dice, "),
        (
            "game:blackjack",
            "game:blackjack is not built in: its file is docs/examples/blackjack.py in "
            "expectitree's repository. Copy it from there, and write its path and class, such as "
            "docs/examples/blackjack.py:Blackjack",
        ),
        ("game:bear-off(first=6)", "such as docs/examples/bear_off.py:BearOff"),
        ("game:gridworld()", "such as docs/examples/gridworld.py:Gridworld"),
        ("game:", "unknown game '': choose among 2048, "),
        ("pig", "'pig' is not a game: write game:NAME, open_spiel:NAME or path/to/file.py:CLASS"),
        ("game:pig(target=2", "'game:pig(target=2' is not a game: write "),
        ("game:pig(goal=2)", "game:pig has no parameter 'goal': its parameters are target, die"),
        ("game:pig(targt=2)", "has no parameter 'targt' (did you mean 'target'?): its parameters"),
        ("game:einstein(n=2)", "game:einstein has no parameter 'n': it has none"),
        ("game:pig(target=x)", "the parameter target is 'x', expected a whole number, such as 100"),
        ("game:pig(target=2.5)", "the parameter target is '2.5', expected a whole number"),
        ("game:pig(target)", "'target' is not a parameter: write each once, as name=value"),
        ("game:pig(die=2,die=3)", "'die=3' is not a parameter: write each once, as name=value"),
        ("game:pig(target=0)", "target is at least 1 and die at least 2, got 0 and 6"),
        ("game:dice(n=3)", "k is at least 2 and at most n, n at most 9; got n=3 and k=4"),
        ("game:2048(goal=9)", "goal is a power of 2, at least 8; got 9"),
        ("COIN", "COIN is a Python file: add the class, as in COIN:Coin (the file has Coin, "),
        ("COIN:", "COIN is a Python file: add the class, as in COIN:Coin (the file has Coin, "),
        ("COIN:Con", "COIN has no class 'Con' (did you mean 'Coin'?): the file has Coin, Needy, "),
        ("COIN:Coin(times=0)", "COIN:Coin(times=0): times is at least 1, got 0"),
        ("COIN:Coin(fair=1)", "the parameter fair is '1', expected true or false, such as True"),
        ("COIN:Needy", "COIN:Needy needs the parameter size: write COIN:Needy(size=…)"),
        ("COIN:Broken", "COIN:Broken: RuntimeError: no coins"),
        ("COIN:coin(times=2)", "coin is not a class, so it has no parameters"),
        ("COIN:Half", "Half has no method play: a game has turn, moves, play, value"),
        ("COIN:seven", "int has no method turn: a game has turn, moves, play, value"),
    ],
)
def test_an_error_says_what_is_wrong_with_a_reference(
    reference: str, message: str, coin: str
) -> None:
    with pytest.raises(GameError) as caught:
        Rules(find_game(reference.replace("COIN", coin)), Options())
    assert message in str(caught.value).replace(coin, "COIN")


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
        ("\n\nx = '\0'\n", "running the file raises SyntaxError: "),
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


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.py: the file cannot be read: no such file"):
        find_game(f"{tmp_path}/none.py:Coin")
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(FileError, match=r"folder\.py: the file cannot be read: is a directory"):
        find_game(f"{tmp_path}/folder.py:Coin")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("half", "'half' is not a function: write path/to/file.py:FUNCTION"),
        ("COIN:half()", "is not a function: write path/to/file.py:FUNCTION"),
        ("COIN", "COIN is a Python file: add the function, as in COIN:half (the file has half)"),
        ("COIN:hall", "COIN has no function 'hall' (did you mean 'half'?): the file has half"),
        ("COIN:seven", "COIN:seven is '7', expected a function of a state"),
    ],
)
def test_an_error_says_what_is_wrong_with_an_estimate(
    reference: str, message: str, coin: str
) -> None:
    with pytest.raises(GameError) as caught:
        find_estimate(reference.replace("COIN", coin))
    assert message in str(caught.value).replace(coin, "COIN")
