"""Published results of PRISM's case study of the shared coin, as Storm computed them exactly.

The protocol is that of Aspnes and Herlihy (1990): N processes toss coins, and with each toss they
move a common counter by one. A process that finds the counter at a barrier has its coin. A
scheduler decides which process moves next. The results are those of the Quantitative Verification
Benchmark Set (https://qcomp.org/benchmarks), model `consensus`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from helpers import LONG

import expectitree as et

FLIP, WRITE, CHECK, FINISHED, TOSSED = range(5)
HEADS, TAILS = 1, 0
PROBABILITIES = {  # by N and K: the states; the least probability that all have heads; the
    # greatest that not all have the same coin
    (2, 2): (272, Fraction(49, 128), Fraction(13, 120)),
    (2, 4): (528, Fraction(1793, 4096), Fraction(251, 4080)),
    (2, 8): (1040, Fraction(983041, 2097152), Fraction(65527, 2097120)),
    (4, 2): (22656, Fraction(325, 1024), Fraction(170112531, 577765376)),
}
STEPS = {(2, 2): (75, 48), (2, 4): (243, 192), (2, 8): (867, 768), (4, 2): (363, 192)}


class SharedCoin:
    """The probability that all processes end with heads, or with different coins."""

    title = "shared coin"
    utility_bounds: Any = (0, 1)
    all_heads = True

    def __init__(self, processes: int, k: int, scheduler: str) -> None:
        self.barriers = processes, 2 * (k + 1) * processes - processes
        self.start = ((k + 1) * processes, ((FLIP, TAILS),) * processes)
        self.scheduler = scheduler

    def turn(self, state: Any) -> str | None:
        if any(step == TOSSED for step, _ in state[1]):
            return "chance"
        return None if all(step == FINISHED for step, _ in state[1]) else self.scheduler

    def moves(self, state: Any) -> list[Any]:
        if self.turn(state) == "chance":
            return [(HEADS, Fraction(1, 2)), (TAILS, Fraction(1, 2))]
        return [at for at, (step, _) in enumerate(state[1]) if step != FINISHED]

    def play(self, state: Any, move: int) -> Any:
        counter, processes = state
        if self.turn(state) == "chance":
            at = next(at for at, (step, _) in enumerate(processes) if step == TOSSED)
            return counter, with_process(processes, at, (WRITE, move))
        step, coin = processes[move]
        if step == FLIP:
            after = (TOSSED, coin)
        elif step == WRITE:
            counter += 1 if coin == HEADS else -1
            after = (CHECK, TAILS)
        elif self.barriers[0] < counter < self.barriers[1]:
            after = (FLIP, coin)
        else:
            after = (FINISHED, HEADS if counter >= self.barriers[1] else TAILS)
        return counter, with_process(processes, move, after)

    def value(self, state: Any) -> int | None:
        if self.turn(state) is not None:
            return None
        coins = {coin for _, coin in state[1]}
        return int(coins == {HEADS} if self.all_heads else len(coins) > 1)


class Steps(SharedCoin):
    """The number of steps until all processes have finished."""

    utility_bounds = (0, 10_000)

    def value(self, state: Any) -> int | None:
        return None if self.turn(state) is not None else 0

    def reward(self, state: Any, move: int) -> int:
        return 0 if self.turn(state) == "chance" else 1


def with_process(processes: Any, at: int, process: tuple[int, int]) -> Any:
    return (*processes[:at], process, *processes[at + 1 :])


MARKS = {(2, 2): (), **dict.fromkeys([(2, 4), (2, 8), (4, 2)], LONG)}


@pytest.mark.parametrize(
    ("processes", "k"), [pytest.param(*size, marks=marks) for size, marks in MARKS.items()]
)
def test_the_shared_coin(processes: int, k: int) -> None:
    _, all_heads, different = PROBABILITIES[processes, k]
    found = et.solve(SharedCoin(processes, k, "min"))
    assert found.lower <= all_heads <= found.upper < found.lower + 1e-9
    game = SharedCoin(processes, k, "max")
    game.all_heads = False
    found = et.solve(game)
    assert found.lower <= different <= found.upper < found.lower + 1e-9
    for scheduler, steps in zip(("max", "min"), STEPS[processes, k], strict=True):
        found = et.solve(Steps(processes, k, scheduler), width=1e-6)
        assert found.lower <= steps <= found.upper < found.lower + 1e-6


def test_the_shared_coin_in_fractions() -> None:
    states, all_heads, different = PROBABILITIES[2, 2]
    assert et.solve(SharedCoin(2, 2, "min"), exact=True).value == all_heads
    game = SharedCoin(2, 2, "max")
    game.all_heads = False
    found = et.solve(game, exact=True)
    assert found.value == different
    assert found.states - sum(is_tossed(state) for state in reachable(game)) == states


def is_tossed(state: Any) -> bool:
    return any(step == TOSSED for step, _ in state[1])


def reachable(game: Any) -> set[Any]:
    """Return all states of a game."""
    found, waiting = {game.start}, [game.start]
    while waiting:
        state = waiting.pop()
        moves = [] if game.turn(state) is None else game.moves(state)
        moves = [move for move, _ in moves] if game.turn(state) == "chance" else moves
        after = {game.play(state, move) for move in moves} - found
        found |= after
        waiting += after
    return found
