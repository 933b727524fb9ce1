"""OpenSpiel's games: node counts, keys, turns that continue, and what cannot be searched."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from game_trees import children, levels

import expectitree as et
from expectitree.base.errors import GameError
from expectitree.games.open_spiel import KEYS, OpenSpielGame
from expectitree.games.positions import position, random_position

pytestmark = pytest.mark.extra
SMALL = {
    "backgammon": {"hyper_backgammon": True},
    "breakthrough": {"rows": 5, "columns": 4},
    "catch": {"rows": 5, "columns": 4},
    "connect_four": {"rows": 4, "columns": 4},
    "mnk": {"m": 3, "n": 4, "k": 3},
    "pig": {"winscore": 10},
}


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("pig", {"diceoutcomes": 2, "winscore": 4}, [1, 2, 4, 8, 16, 31, 59, 113, 214, 404]),
        ("backgammon", {"hyper_backgammon": True}, [1, 30, 510, 18_360]),
        ("catch", {"rows": 4, "columns": 3}, [1, 3, 9, 27, 81]),
    ],
)
def test_the_unmerged_tree_has_the_published_node_counts(
    name: str, parameters: dict[str, Any], expected: list[int]
) -> None:
    assert levels(OpenSpielGame(name, **parameters), len(expected) - 1) == expected


def future(game: OpenSpielGame, state: Any, depth: int) -> Any:
    """Return all that can be seen of a state's tree down to a depth."""
    if game.turn(state) is None or depth == 0:
        return game.turn(state), game.value(state)
    moves = game.moves(state)
    pairs = moves if game.turn(state) == "chance" else [(move, 1) for move in moves]
    return game.turn(state), [
        (game.label(state, move), p, future(game, game.play(state, move), depth - 1))
        for move, p in pairs
    ]


def merged(game: OpenSpielGame, start: Any, most: int = 3000) -> list[list[Any]]:
    """Return groups of states with equal keys at equal depths, from the levels below a state."""
    groups, states = [], [start]
    while len(states) <= most and any(game.turn(state) for state in states):
        states = [after for state in states for after in children(game, state)]
        keys: dict[Any, list[Any]] = {}
        for state in states:
            keys.setdefault(game.key(state), []).append(state)
        groups += [group for group in keys.values() if len(group) > 1]
    return groups


@pytest.mark.parametrize("name", KEYS)
def test_states_with_equal_keys_have_equal_futures(name: str) -> None:
    game, random, found = OpenSpielGame(name, **SMALL.get(name, {})), Random(6), 0
    for seed in range(4):
        moves = {"einstein_wurfelt_nicht": 14, "catch": 1}.get(name, 4)
        groups = merged(game, random_position(game, moves, seed))
        for first, second, *_ in random.sample(groups, min(25, len(groups))):
            found += 1
            assert future(game, first, 2) == future(game, second, 2)
    assert found >= 5 or name == "catch"


def test_other_games_are_not_merged() -> None:
    game = OpenSpielGame("2048")
    one, two = (position(game, play=",".join(play)) for play in (TILES, TILES[::-1]))
    assert str(one) == str(two)
    assert game.key(one) != game.key(two)


def test_the_moves_so_far_are_part_of_a_key_where_they_end_the_game() -> None:
    name = "open_spiel:pig(winscore=4,horizon=6,diceoutcomes=3)"
    merged, whole = (et.search(name, depth=14, merge=merge, exact=True) for merge in (True, False))
    assert merged.value == whole.value == Fraction(8, 27)
    assert len(merged.tree) < len(whole.tree)
    short, long = OpenSpielGame("pig", winscore=4, horizon=6), OpenSpielGame("pig", winscore=4)
    for game, is_equal in ((short, False), (long, True)):
        states = [position(game, play=play) for play in ("stop,stop", "stop,stop,stop,stop")]
        assert (game.key(states[0]) == game.key(states[1])) == is_equal


@pytest.mark.parametrize(
    "make",
    [
        lambda spiel: (spiel.load_game("pig(winscore=20)"), {}),
        lambda spiel: (spiel.load_game("pig(winscore=20)").new_initial_state(), {}),
        lambda spiel: ("open_spiel:pig(winscore=20)", {}),
        lambda spiel: (
            spiel.load_game("pig(winscore=20)"),
            {"state": spiel.load_game("pig(winscore=20)").new_initial_state()},
        ),
    ],
)
@pytest.mark.parametrize("algorithm", ["star2", "best-first", "expectiminimax"])
def test_objects_of_openspiel_are_games(make: Any, algorithm: str) -> None:
    import pyspiel

    game, options = make(pyspiel)
    options |= {"depth": 3, "estimate": lambda state: 0.15 * state.num_players()}
    found = et.search(game, algorithm=algorithm, **options)
    assert found.value == pytest.approx(0.3)
    assert len(et.write_out(game, **options)) == 30


def test_a_state_of_openspiel_is_the_start() -> None:
    import pyspiel

    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    found = et.search(state, depth=9)
    assert (found.value, found.best, found.move) == (1, "x(0,2)", 2)
    assert et.solve(state).value == 1
    state.apply_action(2)
    assert found.state.history() == [0, 3, 1, 4]  # a copy
    assert et.search(state, depth=9).value == 1
    with pytest.raises(GameError, match="players do not see the whole state"):
        et.search(pyspiel.load_game("kuhn_poker"), depth=3)


def test_rollouts_estimate_games_of_openspiel() -> None:
    options: Any = {"depth": 2, "goal": "moves", "estimate": "rollouts:40"}
    found = et.search("open_spiel:tic_tac_toe", **options)
    assert found.moves == et.search("open_spiel:tic_tac_toe", **options).moves
    assert found.move == 4  # the center
    assert 0.1 < found.value < 0.8


TILES = ["2 added to row 1, column 1", "2 added to row 4, column 4"]


def test_the_second_half_of_a_double_continues_the_turn() -> None:
    game, seen = OpenSpielGame("backgammon"), set()
    for seed in range(40):
        state, before = game.start, None
        random = Random(seed)
        for _ in range(30):
            if game.turn(state) is None:
                break
            mover = game.turn(state)
            assert game.same_turn(state) == (mover == before)
            seen.add(game.same_turn(state))
            moves = game.moves(state)
            move = random.choice(moves)
            state, before = game.play(state, move[0] if mover == "chance" else move), mover
            before = None if mover == "chance" else mover
    assert seen == {False, True}


def test_utilities_are_those_of_player_0_and_only_at_the_end() -> None:
    game = OpenSpielGame("tic_tac_toe")
    assert game.value(game.start) is None
    end = position(game, play="x(0,0),o(1,0),x(0,1),o(1,1),x(0,2)")
    assert game.turn(end) is None
    assert game.value(end) == 1
    assert game.title == "tic_tac_toe()"
    assert game.utility_bounds == (-1, 1)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("pog", {}, "OpenSpiel has no game 'pog' (did you mean 'pig'?): choose among 2048, "),
        ("pig", {"winscor": 3}, "has no parameter 'winscor' (did you mean 'winscore'?): its param"),
        ("pig", {"winscore": "x"}, "the parameter winscore is 'x', expected a whole number, such"),
        ("pig", {"name": 3}, "has no parameter 'name': its parameters are diceoutcomes, "),
        ("einstein_wurfelt_nicht", {"n": 3}, "has no parameter 'n': it has none"),
        ("pig", {"players": 3}, "cannot be searched: it has 3 players, expected one or two (pla"),
        ("hearts", {}, "cannot be searched: it has 4 players, expected one or two"),
        ("kuhn_poker", {}, "players do not see the whole state, expected perfect information"),
        ("goofspiel", {}, "players move at the same time, expected players who take turns"),
        ("laser_tag", {}, "players move at the same time, expected players who take turns"),
        ("matrix_pd", {}, "players move at the same time, expected players who take turns"),
        ("stones_and_gems", {}, "it samples outcomes without giving their probabilities, expected"),
        ("efg_game", {"filename": "/no/file.efg"}, "OpenSpiel cannot load efg_game: "),
    ],
)
def test_what_cannot_be_searched_is_refused_with_its_reason(
    name: str, parameters: dict[str, Any], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GameError) as caught:
        OpenSpielGame(name, **parameters)
    assert message in str(caught.value)
    if name != "efg_game":
        assert capfd.readouterr().err == ""  # OpenSpiel prints its errors.


@pytest.mark.parametrize(("second", "is_refused"), [(-1, False), (1, True)])
def test_players_with_equal_goals_are_refused(
    second: int, is_refused: bool, tmp_path: Path
) -> None:
    file = tmp_path / "game.efg"
    file.write_text(
        'EFG 2 R "game" { "A" "B" } ""\np "" 1 1 "" { "l" "r" } 0\n'
        f't "" 1 "" {{ 1 {second} }}\nt "" 2 "" {{ 0 0 }}\n'
    )
    if is_refused:
        with pytest.raises(GameError, match="do not have a constant sum, as MAX's and MIN's do"):
            OpenSpielGame("efg_game", filename=str(file))
    else:
        assert OpenSpielGame("efg_game", filename=str(file)).turn


def test_each_game_of_openspiel_is_refused_or_can_be_played() -> None:
    import pyspiel

    usable = []
    for kind in pyspiel.registered_games():
        if not kind.default_loadable:
            continue
        try:
            game = OpenSpielGame(kind.short_name)
        except GameError:
            continue
        usable.append(kind.short_name)
        low, high = game.utility_bounds
        assert low <= high
        assert game.turn(random_position(game, 3)) is not None
    assert len(usable) >= 35
    assert {"2048", "backgammon", "banqi", "catch", "chess", "maedn", "pig", "yacht"} <= {*usable}


def test_without_openspiel_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(
        GameError, match=r"need the library open_spiel: pip install '.\[openspiel\]'"
    ):
        OpenSpielGame("pig")
