"""Estimates of positions in games of OpenSpiel, which has none: a number from -1 to 1 for MAX."""

from __future__ import annotations

from typing import Any

BAR = 100  # OpenSpiel's number of the bar in backgammon
# Visible pieces of banqi: general, advisor, elephant, chariot, horse, cannon, soldier.
PIECES = {"g": 10, "a": 5, "e": 4, "r": 3, "h": 2, "c": 4, "s": 1}


def backgammon(state: Any) -> float:
    """Return MAX's lead in the race, as a share of the pips of both players."""
    first, second = _pips(state, 0), _pips(state, 1)
    return (second - first) / (first + second)


def _pips(state: Any, player: int) -> int:
    pips = 25 * state.board(player, BAR)
    for point in range(24):
        checkers = state.board(player, point)
        if checkers:
            pips += checkers * (point + 1 if player else 24 - point)
    return int(pips)


def banqi(state: Any) -> float:
    """Return MAX's lead in visible pieces (capitals are red), as a share of a whole side."""
    board, _, rest = str(state).partition("Player")
    visible = sum(PIECES[s.lower()] * (1 if s.isupper() else -1) for s in board if s.isalpha())
    sign = -1 if "P0=Black" in rest else 1
    return sign * visible / 51
