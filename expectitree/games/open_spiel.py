"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel) as games of this package."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from expectitree.base.errors import GameError, install_hint
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.games.protocol import Move, State, Turn, check_parameters

Spiel: TypeAlias = Any  # of pyspiel, which has no types
PIG_HORIZON = 1_000  # OpenSpiel's own, which no search reaches
TURNS: dict[int, Turn] = {-1: "chance", 0: "max", 1: "min"}


def _einstein_key(state: State) -> Hashable:
    """Return the board, whose turn it is and the roll: the text has the board alone."""
    moves = state.history()
    roll = moves[-1:]
    if state.is_chance_node():
        roll = []
    return str(state), len(moves) % 4, *roll


def _pig_key(state: State) -> Hashable:
    """Return the text, and the number of moves so far if the user chose when they end the game."""
    known = state.get_game().get_parameters()
    if known.get("horizon", PIG_HORIZON) == PIG_HORIZON:
        return str(state)
    return str(state), sum(step.player >= 0 for step in state.full_history())


# The games in which equal keys mean equal futures at the same depth; tests compare such states. In
# other games, the text of a state leaves out what matters: what the last move merged in 2048, the
# moves without progress in banqi, whose turn comes after a roll in maedn, the dice that are kept in
# yacht.
KEYS: dict[str, Callable[[State], Hashable]] = {
    **dict.fromkeys(("backgammon", "breakthrough", "catch", "connect_four"), str),
    **dict.fromkeys(("mnk", "nim", "tic_tac_toe"), str),
    "einstein_wurfelt_nicht": _einstein_key,
    "pig": _pig_key,
}


class OpenSpielGame:
    """A game of OpenSpiel with perfect information, for one player or two with opposite goals.

    Player 0 is MAX and player 1 is MIN. There are no estimates.

    Attributes:
        title: The name of the game with its parameters.
        start: OpenSpiel's first state.
        utility_bounds: The bounds that OpenSpiel states.
    """

    def __init__(self, name: str, /, **parameters: Any) -> None:
        self._take(_load(name, parameters).new_initial_state())

    @classmethod
    def of(cls, found: Spiel) -> OpenSpielGame:
        """Return the game of an object of OpenSpiel: a game, or the state to start from."""
        game = cls.__new__(cls)
        if hasattr(found, "get_game"):
            game._take(found.clone())
        else:
            game._take(found.new_initial_state())
        return game

    def _take(self, start: State) -> None:
        """Set the attributes of the game in which a state is the start."""
        game = start.get_game()
        self._name = game.get_type().short_name
        _check(self._name, game)
        self.title = str(game)
        self.start = start
        self.utility_bounds = (game.min_utility(), game.max_utility())

    def turn(self, state: State) -> Turn:
        if state.is_terminal():
            return None
        return TURNS[state.current_player()]

    def moves(self, state: State) -> list[Move]:
        """Return the numbers of the actions; for chance, with their probabilities."""
        if not state.is_chance_node():
            actions: list[Move] = state.legal_actions()
            return actions
        return [pair for pair in state.chance_outcomes() if pair[1] > 0]

    def play(self, state: State, move: int) -> State:
        return state.child(move)

    def value(self, state: State) -> float | None:
        """Return the utility to player 0 at the end."""
        if not state.is_terminal():
            return None
        return float(state.player_return(0))

    def key(self, state: State) -> Hashable:
        """Return the key of `KEYS`, or all moves so far."""
        if self._name in KEYS:
            return KEYS[self._name](state)
        return tuple(state.history())

    def label(self, state: State, move: int) -> str:
        """Return OpenSpiel's name of the move or outcome."""
        return str(state.action_to_string(state.current_player(), move))

    def same_turn(self, state: State) -> bool:
        """Return whether this is the second half of a double in backgammon."""
        return self._name == "backgammon" and "Extra turn: 1" in str(state)


def _load(name: str, parameters: dict[str, Any]) -> Spiel:
    """Return OpenSpiel's game; check the parameters first, because OpenSpiel prints its errors."""
    try:
        import pyspiel as spiel
    except ImportError:
        raise GameError(
            f"games of OpenSpiel need the library open_spiel\n{install_hint('openspiel')}"
        ) from None
    types = {known.short_name: known for known in spiel.registered_games()}
    if name not in types:
        usable = sorted(known for known, kind in types.items() if not _objection(kind))
        raise GameError(
            f"OpenSpiel has no game {quote(name)}{did_you_mean(name, types)}\nchoose among "
            f"{', '.join(usable)}"
        )
    known = types[name].parameter_specification
    check_parameters(f"open_spiel:{name}", parameters, dict(sorted(known.items())))
    for parameter, value in parameters.items():
        if isinstance(known[parameter], (float, str)):
            parameters[parameter] = type(known[parameter])(value)
    try:
        return spiel.load_game(name, parameters)
    except spiel.SpielError as error:
        raise GameError(f"OpenSpiel cannot load {name}: {str(error).splitlines()[0]}") from None


def _check(name: str, game: Spiel) -> None:
    """Raise `GameError` if the game is of a kind that cannot be searched."""
    objection = _objection(game.get_type())
    if not objection and game.num_players() > 2:
        objection = f"it has {game.num_players()} players, expected one or two (players=2)"
    if objection:
        raise GameError(
            f"open_spiel:{name} cannot be searched: {objection}\nchoose another game, such as "
            "open_spiel:backgammon"
        )


def _objection(kind: Spiel) -> str:
    """Return why games of a type cannot be searched, or nothing."""
    if kind.min_num_players > 2:
        return f"it has {kind.min_num_players} players, expected one or two"
    if kind.dynamics != kind.Dynamics.SEQUENTIAL:
        return "players move at the same time, expected players who take turns"
    if kind.information != kind.Information.PERFECT_INFORMATION:
        return "players do not see the whole state, expected perfect information"
    if kind.chance_mode == kind.ChanceMode.SAMPLED_STOCHASTIC:
        return "it samples outcomes without giving their probabilities, expected explicit chance"
    opposed = (kind.Utility.ZERO_SUM, kind.Utility.CONSTANT_SUM)
    if kind.max_num_players > 1 and kind.utility not in opposed:
        return "the utilities of its players do not have a constant sum, as MAX's and MIN's do"
    return ""
