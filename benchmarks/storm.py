"""How long the loops of `solve` take for Markov decision processes, next to Storm.

The models are columns, as `solve` has them: a player's state, and a state of chance for each move.
Storm gets the same numbers, with a choice for each of these. Both find the value of the first state
to the same absolute width; of Storm's sound methods, the quickest counts. Each tool has processes
of its own, and each figure is the median of several runs in one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from random import Random
from statistics import median
from time import process_time
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.measuring import FULL, REPOSITORY, Row, Size, as_installed
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL

WIDTH = 1e-6
TARGET = 1.5
STORM = ("OPTIMISTIC_VALUE_ITERATION", "SOUND_VALUE_ITERATION", "INTERVAL_ITERATION", "TOPOLOGICAL")


class Action(NamedTuple):
    """An action of a state, by its place."""

    state: Any
    place: int


class Model(NamedTuple):
    """A process: of each state its kind, its branches (a child, a probability), and its number.

    The number is the utility of an end, or what a state of chance pays.
    """

    kinds: list[int]
    branches: list[list[tuple[int, float]]]
    numbers: list[float]
    pays: bool = False


def explore(start: Any, rule: Callable[[Any], Any], player: int, pays: bool = False) -> Model:
    """Return the model of a rule: a state's utility, or its actions, as lists of outcomes."""
    known, states = {start: 0}, [start]
    kinds: list[int] = []
    branches: list[list[tuple[int, float]]] = []
    numbers: list[float] = []
    for state in states:  # which grow
        is_action = isinstance(state, Action)
        after, number = _after(state, rule)
        own = []
        for child, p in after:
            if child not in known:
                known[child] = len(states)
                states.append(child)
            own.append((known[child], p))
        kinds.append(CHANCE if is_action else player if own else TERMINAL)
        branches.append(own)
        numbers.append(float(pays) if is_action else number)
    return Model(kinds, branches, numbers, pays)


def _after(state: Any, rule: Callable[[Any], Any]) -> tuple[list[tuple[Any, float]], float]:
    if isinstance(state, Action):
        return rule(state.state)[state.place], 0.0
    ways = rule(state)
    if not isinstance(ways, list):
        return [], ways
    return [(Action(state, place), 1.0) for place in range(len(ways))], 0.0


def gambler(goal: int) -> Model:
    """Sutton and Barto's gambler: MAX stakes some of his capital, and wins it with p = 0.4."""

    def rule(capital: int) -> Any:
        if capital in (0, goal):
            return float(capital == goal)
        stakes = range(1, min(capital, goal - capital) + 1)
        return [[(capital + stake, 0.4), (capital - stake, 0.6)] for stake in stakes]

    return explore(goal // 2 - goal // 7, rule, MAX)


def grid(size: int) -> Model:
    """Count the steps of a robot to a corner; it slips to either side with probability 0.1."""
    ways = [(0, 1), (1, 0), (0, -1), (-1, 0)]

    def rule(cell: tuple[int, int]) -> Any:
        if cell == (size - 1, size - 1):
            return 0.0
        return [
            [(_moved(cell, ways[(turn + slip) % 4], size), p) for slip, p in SLIPS]
            for turn in range(4)
        ]

    return explore((0, 0), rule, MIN, True)


SLIPS = ((0, 0.8), (1, 0.1), (3, 0.1))


def _moved(cell: tuple[int, int], way: tuple[int, int], size: int) -> tuple[int, int]:
    return min(max(cell[0] + way[0], 0), size - 1), min(max(cell[1] + way[1], 0), size - 1)


def random_process(states: int) -> Model:
    """Reach one of two ends in a random process; a step gets to one with probability 1/100."""
    random = Random(states)
    rows = [
        [[random.randrange(1, states + 1) for _ in range(4)] for _ in range(3)]
        for _ in range(states)
    ]

    def rule(state: int) -> Any:
        if state <= 0:
            return float(state == 0)
        ends = [(0, 0.002 + 0.006 * (state % 3) / 2), (-1, 0.008 - 0.006 * (state % 3) / 2)]
        return [[*ends, *((child, 0.2475) for child in row)] for row in rows[state - 1]]

    return explore(1, rule, MAX)


def coin(processes: int, k: int) -> Model:
    """Count the steps of the shared coin of Aspnes and Herlihy (PRISM's `consensus`), at most."""
    ends = processes, 2 * (k + 1) * processes - processes

    def rule(state: Any) -> Any:
        counter, steps = state
        if all(step == "f" for step in steps):
            return 0.0
        return [
            [((counter + change, steps[:at] + new + steps[at + 1 :]), p) for change, new, p in way]
            for at, step in enumerate(steps)
            if (way := _step(step, counter, ends))
        ]

    return explore(((k + 1) * processes, "t" * processes), rule, MAX, True)


def _step(step: str, counter: int, ends: tuple[int, int]) -> list[tuple[int, str, float]]:
    if step == "t":
        return [(0, "u", 0.5), (0, "d", 0.5)]
    if step in "ud":
        return [(1 if step == "u" else -1, "c", 1.0)]
    return [(0, "t" if ends[0] < counter < ends[1] else "f", 1.0)] if step == "c" else []


def tokens(processes: int) -> Model:
    """Count the steps of Israeli and Jalfon's ring (PRISM's `ij`) to one token, at most."""

    def rule(ring: int) -> Any:
        if ring & (ring - 1) == 0:
            return 0.0
        return [
            [((ring & ~(1 << at)) | 1 << (at + turn) % processes, 0.5) for turn in (1, -1)]
            for at in range(processes)
            if ring >> at & 1
        ]

    return explore((1 << processes) - 1, rule, MAX, True)


MODELS: dict[str, Callable[[], Model]] = {
    "gambler to 300": partial(gambler, 300),
    "gambler to 1200": partial(gambler, 1200),
    "grid of 50 x 50": partial(grid, 50),
    "grid of 201 x 201": partial(grid, 201),
    "random, 3,000 states": partial(random_process, 3_000),
    "random, 60,000 states": partial(random_process, 60_000),
    "consensus, 2 processes, K = 8": partial(coin, 2, 8),
    "consensus, 4 processes, K = 4": partial(coin, 4, 4),
    "ij, 12 processes": partial(tokens, 12),
    "ij, 15 processes": partial(tokens, 15),
}
QUICK = ("gambler to 300", "grid of 50 x 50")


def storm(size: Size) -> Iterator[Row]:
    """Yield the time of `solve`'s loops as a multiple of that of Storm's quickest sound method."""
    if find_spec("stormpy") is None or find_spec("numba") is None:
        return
    for name in MODELS if size == FULL else QUICK:
        ours, theirs = _measured("ours", name, size), _measured("storm", name, size)
        least, most = ours["interval"]
        slack = WIDTH + 1e-9 * abs(most)
        assert least - slack <= theirs["value"] <= most + slack, (name, ours, theirs)
        what = f"{name}: {ours['states']:,} states, {ours['loops']:.3f} s, {theirs['method']}"
        yield Row(what, ours["loops"] / theirs["seconds"], "x", TARGET, at_most=True)
        yield Row("  preprocessing", ours["before"], "s")


def _measured(tool: str, name: str, size: Size) -> Any:
    arguments = [sys.executable, "-m", "benchmarks.storm", tool, name, str(size.repetitions)]
    done = subprocess.run(
        arguments, cwd=REPOSITORY, env=as_installed(), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _timed(run: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    def timed(*arguments: Any) -> Any:
        start = process_time()
        found = run(*arguments)
        spent.append(process_time() - start)
        return found

    return timed


def ours(model: Model, repetitions: int) -> dict[str, Any]:
    """Return the median time of `solve`'s loops for a model."""
    from expectitree.games.solve import solver as module
    from expectitree.games.solve.states import Limits, Reached

    rules: Any = SimpleNamespace(
        pays=model.pays, discount=1, endless=None, title="a model", max_rows=len(model.kinds)
    )
    times: list[tuple[float, float]] = []
    for _ in range(repetitions + 1):  # the first compiles
        states = Reached(rules, Limits(rules, None, 0.0))
        ends = [
            n if k == TERMINAL else 0.0 for k, n in zip(model.kinds, model.numbers, strict=True)
        ]
        states.kind, states.low, states.high = array("b", model.kinds), *(array("d", ends),) * 2
        states.high = array("d", ends)
        for number, (kind, branches) in enumerate(zip(model.kinds, model.branches, strict=True)):
            for child, p in branches:
                states.child.append(child)
                states.weight.append(p)
                if model.pays:
                    states.reward.append(p * model.numbers[number] if kind == CHANCE else 0.0)
            states.first.append(len(states.child))
        spent: list[float] = []
        timed = patch.object(module.Solver, "_solve", _timed(module.Solver._solve, spent))
        with timed, patch.object(module, "MANY_BRANCHES", 0):  # compile all
            start = process_time()
            solver = module.Solver(states, WIDTH)
            total = process_time() - start
        times.append((spent[0], total - spent[0]))
    loops, before = zip(*times[1:], strict=True)
    interval = solver.low[0], solver.high[0]
    return {
        "states": len(states), "loops": median(loops), "before": median(before),
        "interval": interval, "sweeps": solver.sweeps, "components": len(solver.plan),
        "traps": len(solver.traps),
    }  # fmt: skip


def theirs(model: Model, repetitions: int) -> dict[str, Any]:
    """Return the median time of the quickest of Storm's sound methods for a model."""
    import stormpy
    from stormpy import datastructures, environments, models

    process = _process(model, stormpy, datastructures, models)
    best = "max" if MAX in model.kinds else "min"
    formula = stormpy.parse_property(f'{"R" if model.pays else "P"}{best}=? [F "goal"]')
    found: list[tuple[float, float, str]] = []
    for method in STORM:
        environment = environments.sound()
        solver = environment.solver().min_max()
        solver.method = getattr(environments.MinMaxMethod, method)
        solver.precision = stormpy.Rational(WIDTH / 2)
        solver.relative_termination_criterion = False
        times = []
        for _ in range(repetitions):
            start = process_time()
            result = stormpy.model_checking(
                process, formula, only_initial_states=True, environment=environment
            )
            times.append(process_time() - start)
        found.append((median(times), float(result.get_value(0)), method))
    seconds, value, method = min(found)
    every = {name: (time, value) for time, value, name in found}
    return {"seconds": seconds, "value": value, "method": method, "all": every}


def _process(model: Model, stormpy: Any, datastructures: Any, models: Any) -> Any:
    """Return Storm's form of a model: a row for each action."""
    groups = [n for n, kind in enumerate(model.kinds) if kind != CHANCE]
    place = {n: row for row, n in enumerate(groups)}
    builder = datastructures.SparseMatrixBuilder[float](has_custom_row_grouping=True)
    rewards: list[float] = []
    for n in groups:
        builder.new_row_group(len(rewards))
        for action, _ in model.branches[n]:
            merged: dict[int, float] = {}
            for child, p in model.branches[action]:
                merged[place[child]] = merged.get(place[child], 0.0) + p
            for child, p in sorted(merged.items()):
                builder.add_next_value(len(rewards), child, p)
            rewards.append(model.numbers[action])
        if not model.branches[n]:
            builder.add_next_value(len(rewards), place[n], 1.0)
            rewards.append(0.0)
    labels = models.StateLabeling(len(groups))
    for label in ("init", "goal"):
        labels.add_label(label)
    labels.add_label_to_state("init", 0)
    for n in groups:
        if model.kinds[n] == TERMINAL and (model.pays or model.numbers[n] == 1):
            labels.add_label_to_state("goal", place[n])
    pay = models.SparseRewardModel[float](optional_state_action_reward_vector=rewards)
    parts = models.SparseModelComponents[float](
        transition_matrix=builder.build(),
        state_labeling=labels,
        reward_models={"": pay} if model.pays else {},
    )
    return models.SparseMdp[float](parts)


if __name__ == "__main__":
    tool, name, repetitions = sys.argv[1:]
    measure = {"ours": ours, "storm": theirs}[tool]
    print(json.dumps(measure(MODELS[name](), int(repetitions))))
