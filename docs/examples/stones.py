"""Take a stone, or toss a coin to take two or four. The last stone wins; too many lose."""

from fractions import Fraction


class Stones:
    title = "Take a stone or toss a coin"
    utility_bounds = (-1, 1)

    def __init__(self, stones=7):
        self.start = (stones, "max", False)  # stones, whose turn it is, is the coin in the air?

    def turn(self, state):
        stones, player, is_tossed = state
        return None if stones <= 0 else "chance" if is_tossed else player

    def moves(self, state):
        return [(2, Fraction(1, 2)), (4, Fraction(1, 2))] if state[2] else ["take", "toss"]

    def play(self, state, move):
        stones, player, _ = state
        if move == "toss":
            return (stones, player, True)
        taken = 1 if move == "take" else move
        return (stones - taken, "min" if player == "max" else "max", False)

    def value(self, state):
        stones, player, _ = state
        last = 1 if player == "min" else -1  # to MAX, if the last player to move wins
        return 0 if stones > 0 else last if stones == 0 else -last


def odd(state):
    """Estimate that the player to move is ahead if the number of stones is odd."""
    stones, player, _ = state
    return 0.5 if (stones % 2 == 1) == (player == "max") else -0.5


class ManyStones(Stones):
    def pack(self, state):
        stones, player, is_tossed = state
        return stones, player == "min", is_tossed

    def expand(self, states):
        import numpy as np

        stones, player, is_tossed = states
        goes_on = stones > 0
        toss, free = np.flatnonzero(goes_on & is_tossed), np.flatnonzero(goes_on & (is_tossed == 0))
        tossed = states[:, free]
        tossed[2] = 1
        two, four = (states[:, toss] - [[taken], [0], [1]] for taken in (2, 4))
        one = states[:, free] - [[1], [0], [0]]
        for taken in (one, two, four):
            taken[1] = 1 - taken[1]
        last = np.where(player == 1, 1, -1)
        return (
            np.where(goes_on, np.where(is_tossed, 3, 1 + player), 0),  # turns
            np.concatenate([free, free, toss, toss]),  # parents
            np.concatenate([one, tossed, two, four], axis=1),  # children
            np.repeat([1, 1 / 2], [2 * len(free), 2 * len(toss)]),  # probabilities
            np.where(goes_on, 0, np.where(stones == 0, last, -last)),  # values
        )
