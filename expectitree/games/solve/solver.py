"""Bound the values of all states, component by component, and choose the best moves."""

from __future__ import annotations

from array import array
from itertools import islice
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import GameError
from expectitree.base.tree.columns import NONE
from expectitree.games.solve.loops import (
    OPERATIONS,
    PATIENCE,
    UNIT,
    Graph,
    Scratch,
    choose,
    choose_exits,
    find_traps,
    first_bounds,
    group_by_component,
    narrow,
    strong_components,
)
from expectitree.games.solve.states import Reached, outward, state_text
from expectitree.searches.progress import report
from expectitree.text.phrases import plural

MANY_BRANCHES = 100_000  # compiling pays for them: they are swept many times
BRANCHES_AT_ONCE = 20_000_000  # that a compiled loop visits until the time is checked
SLOWER = 100  # interpreted, by about so much
# That run interpreted, 2 s in all; then the loop is compiled, since bounds close slowly. That takes
# some 20 s once on a machine, and 1 s in each process.
PORTIONS = 10
NAMED = 3  # positions in an error
DECLARE = (
    "declare what endless play is worth, as in `endless = 0`, or count later moves less, as in "
    "`discount = 0.95`"
)


class Solver:
    """The bounds of the values of all states, and the branches of the best moves.

    The bounds are those of `states`. `choice` is a branch by state, and `is_done` whether each
    component is closed.
    """

    def __init__(self, states: Reached, width: float) -> None:
        self.states, self.rules = states, states.rules
        self.low, self.high, self.pays = states.low, states.high, self.rules.pays
        self.discounted, self.is_exact = self.rules.discount != 1, False
        self.compiled = len(states.child) >= MANY_BRANCHES and compiling.available()
        count, branches = len(states), len(states.child)
        part, order = self._zeros("i", count), self._zeros("i", count)
        columns = [self._zeros(code, count) for code in "iiiiiiidd"]
        self._scratch = Scratch._make([*columns, self._zeros("b", branches)])
        edges = states.first, states.child, array("i", range(count)), 0, count, False
        components = self._run(strong_components, *edges, part, self._scratch)
        ends = self._zeros("q", components)
        self._run(group_by_component, self._scratch.finished, part, order, ends)
        self.graph = Graph(
            states.kind, states.first, states.child, states.weight, states.reward, order, part, ends
        )
        self.trap, self.reached = self._zeros("b", components), self._zeros("b", count)
        marks = self.trap, self.reached, self._zeros("i", components)
        # How many components have a cycle, and how many of these follow each other.
        self.cyclic, chain = self._run(find_traps, self.graph, self.discounted, *marks)
        self.wanted = width / (2 * max(chain, 1))  # of a component, beyond those below it
        self.endless = self._endless()
        # Of a loop: the component, its sweeps, all sweeps, and when it pauses for `_deflate`.
        self.place = array("q", [0, 0, 0, PATIENCE])
        self.is_done = self._solve()
        self.choice = self._choose()

    def worth(self, branch: int) -> tuple[Any, Any]:
        """Return the bounds of the value of a move."""
        graph, below = self.graph, self.graph.child[branch]
        low, high = self.low[below], self.high[below]
        weight, reward = graph.weight[branch], graph.reward[branch] if self.pays else 0
        error: Any = 0
        if not self.is_exact and (self.pays or self.discounted):
            error = OPERATIONS * UNIT * (abs(reward) + weight * max(abs(low), abs(high)))
        return weight * low + reward - error, weight * high + reward + error

    def _zeros(self, code: str, count: int) -> Any:
        return compiling.zeros(code, count, self.compiled)

    def _run(self, loop: Any, *arguments: Any) -> Any:
        return compiling.run(loop, *arguments, rows=0, compiled=self.compiled)

    def _span(self, component: int) -> tuple[int, int]:
        """Return where the states of a component begin and end in the order."""
        ends = self.graph.ends
        return int(ends[component - 1]) if component else 0, int(ends[component])

    def _endless(self) -> tuple[float, float]:
        """Return floats that enclose the worth of endless play, which a game may declare."""
        rules = self.rules
        if rules.endless is not None and not rules.pays:
            return outward(rules.endless)
        if 1 not in bytes(self.trap):
            return 0.0, 0.0
        trapped = [n for n, is_reached in enumerate(self.reached) if not is_reached]
        few = trapped[:NAMED]
        objects = islice(self.states.objects(), few[-1] + 1)
        texts = [state_text(rules, state) for n, state in enumerate(objects) if n in few]
        what = DECLARE
        if rules.pays:
            what = "the totals of endless play have no limit: " + (
                "correct the outcomes of chance that never end" if self.discounted else
                "count later moves less, as in `discount = 0.95`"
            )  # fmt: skip
        elif self.discounted:
            what = "no move is made there: declare what that is worth, as in `endless = 0`"
        raise GameError(
            f"{rules.title}: play can go on for ever in {plural(len(trapped), 'position')}, such "
            f"as {'; '.join(texts)}: {what}"
        )

    def _solve(self) -> bool:
        """Narrow the bounds until each component is closed; return False if time is over."""
        graph, count = self.graph, len(self.graph.ends)
        is_open = 1 in bytes(self.trap) or self.discounted
        self._run(first_bounds, graph.kind, self.low, self.high, self.endless, is_open, self.pays)
        bounds = self.low, self.high, self.endless, self.discounted, self.wanted
        portions = 0
        while self.place[0] < count and not self.states.limits.is_over:
            portion = BRANCHES_AT_ONCE // (1 if self.compiled else SLOWER)
            self._run(narrow, graph, self.trap, *bounds, self.place, self._scratch, portion)
            report(int(graph.ends[max(self.place[0] - 1, 0)]), len(self.states))
            portions += 1
            if portions == PORTIONS or compiling.is_loaded(narrow.__name__):
                self.compiled = compiling.available()
        return bool(self.place[0] == count)

    def _choose(self) -> Any:
        """Return the branch of a best move of each state, `NONE` where no player moves."""
        choice = compiling.filled("q", NONE, len(self.states), self.compiled)
        bounds, endless = (self.low, self.high), self.endless[0]
        self._run(choose, self.graph, *bounds, choice)
        for component, is_trap in enumerate(bytes(self.trap)):
            if is_trap and not self.discounted:
                where = component, *self._span(component)
                rest = endless, self.wanted, choice, self.reached
                self._run(choose_exits, self.graph, *where, *bounds, *rest)
        return choice
