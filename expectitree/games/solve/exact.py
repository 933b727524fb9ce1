"""Compute the values of a solved game as fractions, and prove that they are its values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from expectitree.base.errors import GameError
from expectitree.base.numbers import is_finite, to_exact
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.games.solve.loops import (
    allow_best,
    branches,
    choose_exits,
    keep_end_components,
    worth,
)
from expectitree.games.solve.solver import Solver
from expectitree.searches.progress import report

MAX_STATES = 20_000
MAX_ROUNDS = 100  # of better moves in a component; one is usual


def solve_exactly(solver: Solver) -> None:
    """Replace the bounds of a solver by exact values, component by component.

    In each, the best moves for the bounds give linear equations. If another move is better for
    their solution, it replaces a player's move, and the equations are solved again. If there is
    none, and the players can leave where that is better than endless play, the solution is proved.
    """
    count = len(solver.states)
    if count > MAX_STATES:
        raise GameError(
            f"{solver.rules.title}: {count:,} states, and at most {MAX_STATES:,} are computed in "
            "fractions\nremove --exact"
        )
    _Exact(solver).solve()


class _Exact:
    def __init__(self, solver: Solver) -> None:
        self.solver, fractions = solver, solver.states.fractions
        self.value: list[Any] = fractions["value"]
        self.graph = solver.graph._replace(weight=fractions["weight"], reward=fractions["reward"])
        endless = solver.rules.endless
        self.endless = to_exact(0 if endless is None else endless)

    def solve(self) -> None:
        solver = self.solver
        for component in range(len(solver.plan)):
            self._solve(component)
            report(solver.graph.start[component + 1], len(self.value))
            if component in solver.left:
                self._find_staying(component)
        solver.low = solver.high = self.value
        solver.graph, solver.is_exact = self.graph, True

    def _solve(self, component: int) -> None:
        graph, choice, low = self.graph, self.solver.choice, self.solver.low
        states = self.solver.states_of(component)
        inside = [n for n in states if graph.kind[n] != TERMINAL and is_finite(low[n])]
        for state in states:
            if not is_finite(low[state]):
                self.value[state] = low[state]
        players = [n for n in inside if graph.kind[n] != CHANCE]
        for state in players:
            self.solver.best(state)
        for _ in range(MAX_ROUNDS):
            self._solve_equations(inside)
            better = {n: self._better(n) for n in players}
            better = {n: branch for n, branch in better.items() if branch != choice[n]}
            for state, branch in better.items():
                choice[state] = branch
            if not better:
                break
        is_proved = not better
        if is_proved and component in self.solver.left:
            ends, endless = (self.value, self.value), (self.endless, self.endless)
            is_proved = choose_exits(graph, states, ends, endless, 0, self.solver.marks) == 0
        if not is_proved:
            raise GameError(
                f"{self.solver.rules.title}: no proof in fractions was found for a component of "
                f"{len(states):,} positions\nremove --exact"
            )

    def _find_staying(self, component: int) -> None:
        """Note the best moves by which a player may stay where endless play is worse for him."""
        graph, solver, value = self.graph, self.solver, self.value
        states, allowed = solver.states_of(component), solver.scratch.allowed
        allow_best(graph, states, (value, value), 0, allowed)
        keep_end_components(graph, states, False, solver.scratch)
        for state in states:
            sign = {MAX: 1, MIN: -1}.get(graph.kind[state], 0)
            if sign * (value[state] - self.endless) > 0:
                after = branches(graph, state)
                solver.staying.update(branch for branch in after if allowed[branch])

    def _worth(self, branch: int) -> Any:
        return worth(self.graph, branch, self.value)

    def _better(self, state: int) -> int:
        """Return a branch that is better than the chosen one, or else that one."""
        chosen = int(self.solver.choice[state])
        sign = 1 if self.graph.kind[state] == MAX else -1
        best = max(branches(self.graph, state), key=lambda b: sign * self._worth(b))
        return chosen if self._worth(best) == self._worth(chosen) else best

    def _solve_equations(self, inside: list[int]) -> None:
        """Find the values if the players make the chosen moves; eliminate one after the other."""
        graph, place = self.graph, {n: at for at, n in enumerate(inside)}
        rows: list[dict[int, Any]] = []  # by state: the factors of states after it in `inside`
        constants: list[Any] = []
        for at, state in enumerate(inside):
            self.solver.states.limits.check_time(len(self.value))
            after = branches(graph, state)
            if graph.kind[state] in (MAX, MIN):
                after = range(self.solver.choice[state], self.solver.choice[state] + 1)
            constant: Any = Fraction(0)
            row: dict[int, Any] = {}
            for branch in after:
                below = graph.child[branch]
                if below in place:
                    row[place[below]] = row.get(place[below], 0) + graph.weight[branch]
                    constant += graph.reward[branch] if graph.reward else 0
                else:
                    constant += self._worth(branch)
            while row and (first := min(row)) < at:
                factor = row.pop(first)
                constant += factor * constants[first]
                for other, share in rows[first].items():
                    row[other] = row.get(other, 0) + factor * share
            stays = row.pop(at, 0)
            if stays == 1:  # these moves never leave
                constant, row, stays = self.endless, {}, 0
            rows.append({other: share / (1 - stays) for other, share in row.items()})
            constants.append(constant / (1 - stays))
        for at in range(len(inside) - 1, -1, -1):
            rest = rows[at].items()
            worth = (share * self.value[inside[other]] for other, share in rest)
            self.value[inside[at]] = constants[at] + sum(worth)
