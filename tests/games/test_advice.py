"""The moves that a search found, as the game gave them; `advise`; and a game in the terminal."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from game_trees import moves_at
from helpers import GAMES, example, invoke, run_main, sentences
from random_games import RandomGame

import expectitree as et
from expectitree.base.errors import GameError
from expectitree.games.built_in.einstein import Einstein
from expectitree.games.built_in.pig import Pig
from expectitree.games.found import GameSearch
from expectitree.games.rules import Options, Rules

PIG = "game:pig(target=10)"


def games_that_go_on() -> Iterator[RandomGame]:
    games = map(RandomGame, range(6))
    return (game for game in games if game.turn(game.start) is not None and game.depth)


@pytest.mark.parametrize("algorithm", ["star1", "star2", "best-first", "expectiminimax"])
def test_the_moves_of_a_search_are_those_of_the_game(algorithm: str) -> None:
    for game in games_that_go_on():
        found = et.search(game, depth=game.depth, algorithm=algorithm, merge=False)
        assert [choice.move for choice in found.moves] == moves_at(game, game.start)
        lower, upper = found.interval()
        assert lower == upper == pytest.approx(found.value)
        if game.turn(game.start) == "chance":
            assert found.move is None
        else:
            best = {choice.label: choice for choice in found.moves}[str(found.best)]
            assert found.move == best.move
            assert best.lower == pytest.approx(found.value)


@pytest.mark.parametrize("limit", [{}, {"deepen": True}, {"algorithm": "best-first"}])
def test_every_move_is_ranked_by_its_own_value(limit: dict[str, Any]) -> None:
    for game in games_that_go_on():
        found = et.search(game, depth=game.depth, goal="moves", **limit)
        for choice in found.moves:
            after = game.play(game.start, choice.move)
            plies = game.depth - (not Rules(game, Options()).is_same_turn(after))
            value = et.search(game, depth=plies, state=after, algorithm="expectiminimax").value
            assert choice.lower == pytest.approx(value)
            assert choice.upper == pytest.approx(value)


def test_a_wide_interval_is_enough_if_the_user_says_so() -> None:
    exact = et.search(PIG, depth=5, goal="moves")
    wide = et.search(PIG, depth=5, goal="moves", width=2)
    assert all(choice.lower == choice.upper for choice in exact.moves)
    assert wide.moves == et.search(PIG, depth=5).moves
    assert wide.grown.rows < exact.grown.rows


def test_the_line_follows_best_moves_and_most_probable_outcomes() -> None:
    game = example("blackjack").Blackjack()
    state = game.parse("10 9 7")
    found = et.search(game, depth=3, state=state)
    assert [step.label for step in found.line][:2] == ["stand", "10"]
    for step in found.line:
        if step.probability is None:
            assert step.move in game.moves(state)
        else:
            assert step.probability == max(p for _, p in game.moves(state))
        state = game.play(state, step.move)


def test_a_stopped_search_has_a_move_and_sound_intervals() -> None:
    game = Einstein()
    state = game.play(game.start, 3)
    value = et.search(game, depth=4, state=state, goal="moves")
    known = {choice.move: choice.lower for choice in value.moves}
    for visits in (1, 5, 40, 200):
        found = et.search(game, depth=4, state=state, max_visits=visits)
        assert found.move in game.moves(state)
        assert all(c.lower <= known[c.move] <= c.upper for c in found.moves)
    quick = et.search(game, depth=40, state=state, deepen=True, seconds=0.05, goal="moves")
    assert quick.move in game.moves(state)


def test_a_search_says_whether_its_leaves_are_estimates() -> None:
    found = et.search(PIG, depth=3)
    assert found.grown.estimated == len(found.tree.estimated) > 0
    assert "leaves      15 of 15 are estimates\n" in et.to_text(found)
    whole = et.search(GAMES["mines"] + "(rows=2,columns=2,mines=1)", depth=9)
    assert "none an estimate: the result is that of the whole game\n" in et.to_text(whole)
    assert json.loads(et.to_json(whole))["game"]["estimated"] == 0


def test_moves_survive_pickling() -> None:
    found = et.search(PIG, depth=4)
    for copy in (pickle.loads(pickle.dumps(found)), deepcopy(found)):
        assert (copy.move, copy.moves, copy.line) == (found.move, found.moves, found.line)


def test_progress_receives_each_depth_and_can_stop() -> None:
    depths: list[int] = []

    def progress(found: GameSearch) -> bool:
        assert found.move in ("roll", "hold")
        depths.append(found.grown.depth)
        return found.grown.depth == 4

    found = et.search(PIG, depth=9, deepen=True, progress=progress)
    assert depths == [1, 2, 3, 4]
    assert (found.grown.depth, found.grown.why_stopped) == (4, "")
    assert found.value == et.search(PIG, depth=4).value


def test_an_error_names_the_position() -> None:
    class Wrong(Pig):
        def play(self, state: Any, move: Any) -> Any:
            return 1 / 0

    expected = r"Pig to 10, at .MAX 0, MIN 0; MAX's turn, 0 points.: play\(State\(.*\) raises Zero"
    with pytest.raises(GameError, match=expected):
        et.search(Wrong(target=10), depth=2)
    Wrong.text = lambda self, state: str(1 / 0)  # type: ignore[method-assign]
    with pytest.raises(GameError, match=r"Pig to 10: play\(State\(.*\) raises Zero"):
        et.search(Wrong(target=10), depth=2)


# ---- The commands.


def play(typed: str, *words: str) -> str:
    done = invoke("play", *words, stdin=typed)
    assert done.exit_code == 0, done.stderr
    return str(done.output)


def test_a_game_is_played_to_its_end() -> None:
    words = ("game:pig(target=4)", "--depth", "3", "--seed", "1")
    text = play("roll\n" * 3 + "hold\n" * 30, *words)
    assert "The game is over; its value is " in text
    assert "To go on" not in text
    assert play("roll\n" * 3 + "hold\n" * 30, *words) == text


@pytest.mark.parametrize("ending", ["csv", pytest.param("arrow", marks=pytest.mark.extra)])
def test_a_policy_is_played(ending: str, tmp_path: Path) -> None:
    policy = tmp_path / f"policy.{ending}"
    assert invoke("solve", PIG, "--policy", str(policy)).exit_code == 0
    words = ("--depth", "1", "--seed", "5", "--as", "min", "--policy", str(policy))
    text = play("hold\n" * 40, PIG, *words)
    assert "MAX plays roll\n" in text
    assert "worth" not in text
    text = play("quit\n", "game:pig(target=30)", *words, "--play", "roll,6,roll,6,roll,6")
    assert "the policy has no move in MAX 0, MIN 0; MAX's turn, 18 points: a search choo" in text
    assert "worth" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-a", "star1", "-a", "star2"), "play runs one algorithm: give -a once"),
        (("--policy", "no.csv"), "no.csv: the policy cannot be read: No such file"),
        (("--policy", "no.txt"), "no.txt: a policy is written as .csv or .arrow: choose one of"),
        (("--policy", "WRONG"), "this is not a policy: name a file that `solve --policy` wrote"),
    ],
)
def test_wrong_options_of_play(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_bytes(b"a,b\n1,\xff\n")
    done = run_main("play", PIG, *(str(wrong) if word == "WRONG" else word for word in words))
    assert done.status in (2, 3)
    assert message in sentences(done.err)


@pytest.mark.slow
def test_ctrl_c_ends_a_game_kindly() -> None:
    command = [sys.executable, "-m", "expectitree", "play", "game:einstein", "--as", "min"]
    process = subprocess.Popen(
        [*command, "--seconds", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    while "Chance" not in process.stdout.readline():
        pass
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "To go on: expectitree play game:einstein --as min --play" in err
    assert "Traceback" not in out + err
