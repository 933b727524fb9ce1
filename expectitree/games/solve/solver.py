"""Bound the values of all states, component by component, and choose the best moves."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from math import inf
from threading import Timer
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import GameError
from expectitree.base.tree.columns import CHANCE, MAX, MIN, NONE
from expectitree.games.solve.loops import (
    ABOVE,
    ALL_SWEEPS,
    AROUND,
    BELOW,
    COMPONENT,
    DEFLATE,
    GIVEN,
    LEFT,
    NEXT,
    OPEN,
    OPERATIONS,
    SWEEPS,
    UNIT,
    Aim,
    Bounds,
    Graph,
    Marks,
    Scratch,
    branches,
    choose_exits,
    find_traps,
    first_bounds,
    group_by_component,
    mark_infinite,
    narrow,
    paid_for_ever,
    strong_components,
    sweep,
)
from expectitree.games.solve.states import Reached, outward, state_text
from expectitree.searches.progress import report
from expectitree.text.phrases import plural

MANY_BRANCHES = 100_000  # compiling pays for them: they are swept many times
BRANCHES_AT_ONCE = 20_000_000  # that a compiled loop visits until the time is checked
SLOWER = 400  # interpreted, by about so much
# That run interpreted, 2 s in all; then the loop is compiled, since bounds close slowly. That takes
# some 20 s once on a machine, and 1 s in each process.
PORTIONS = 40
COMPILING = 30  # seconds that it may take
NAMED = 3  # positions in an error
ENDLESS = "declare what endless play is worth, as in `endless = 0` or --endless 0"
DISCOUNT = "count later moves less, as in `discount = 0.95` or --discount 0.95"
COST = "let each step cost something, by a method reward"
CORRECT = "correct the outcomes of chance that never end"
MOST_SWEEPS = 100_000  # where a value may not exist
FAR = 2.0**20  # first guesses of what is paid, relative to the numbers of the game


class Solver:
    """The bounds of the values of all states, and the branches of the best moves.

    The bounds are those of `states`. `choice` is a branch by state, and `is_done` whether each
    component is closed.
    """

    def __init__(self, states: Reached, width: float) -> None:
        self.states, self.rules = states, states.rules
        self.low, self.high, self.pays = states.low, states.high, self.rules.pays
        self.is_exact, self.discounted = False, self.rules.discount != 1
        self.players = {MAX, MIN} & {*bytes(states.kind)}
        self.compiled = len(states.child) >= MANY_BRANCHES and self._may_compile()
        count = len(states)
        columns = [self._zeros(code, count) for code in "iiiiqiIdd"]
        allowed = compiling.filled("b", 1, len(states.child), self.compiled)
        self.scratch = Scratch._make([*columns, allowed])
        self.choice = compiling.filled("q", NONE, count, self.compiled)
        self.marks = Marks(self._zeros("b", count), self.choice, allowed)
        self.place = array("q", [0] * (NEXT + 1))
        self.staying: set[int] = set()  # best moves that must not be repeated forever
        self._stop = array("b", [0])  # set when time is over
        timer = Timer(states.limits.left, self._stop.__setitem__, (0, 1))
        timer.daemon = True
        if states.limits.seconds is not None:
            timer.start()
        try:
            self._sort()
            self._plan(width)
            self.is_done = self._solve()
        finally:
            timer.cancel()
        self.sweeps = int(self.place[ALL_SWEEPS])
        self._stop[0] = 0
        if self.is_done:
            self._leave()

    def _may_compile(self) -> bool:
        if self.states.limits.left > COMPILING:
            return compiling.available()
        return compiling.is_ready(narrow)

    def _sort(self) -> None:
        """Find the components, and sort the states by them."""
        states, count = self.states, len(self.states)
        order = array("I", range(count))
        part = self._zeros("i", count)
        edges = states.kind, states.first, states.child, states.weight, states.reward
        graph = Graph(*edges, order, part, self._zeros("q", 0), self._stop)
        components = self._set_up(strong_components, graph, order, part, self.scratch)
        self.graph = graph._replace(start=self._zeros("q", components + 1))
        self._set_up(group_by_component, self.graph, self.scratch.number)

    def _plan(self, width: float) -> None:
        """Find out how components are to be bounded, and what endless play is worth."""
        states, count, components = self.states, len(self.states), len(self.graph.start) - 1
        self.plan, self._payers = self._zeros("b", components), self._zeros("b", components)
        chains = self._zeros("i", components)
        # How many components have a cycle, and how many of these follow each other.
        self.cyclic, chain = self._set_up(
            find_traps, self.graph, self.discounted, self.plan, chains, self.marks
        )
        self.traps = [n for n, plan in enumerate(bytes(self.plan)) if plan == DEFLATE]
        # Components that the players must be able to leave, where that is better than to stay.
        self.left = [] if self.discounted or self.pays else [*self.traps]
        self.endless = self._endless()
        rounds = 1 / (1 - float(self.rules.discount)) if self.discounted else FAR**3
        first = 0.5 * (1 + (MIN in self.players) - (MAX in self.players))  # a lone player has 0
        wanted = width / (2 * max(chain, 1))
        self.aim = Aim(wanted, *self.endless, self.discounted, rounds, first)
        guesses = [self._zeros("d", count) for _ in range(3)]
        self._bounds = Bounds(states.low, states.high, *guesses)
        is_open = bool(self.traps) or self.discounted
        about = is_open, self.pays, self.aim, self._bounds
        least, most = self._run(first_bounds, self.graph.kind, *about)
        if self.pays:
            self._settle_pay()
        elif (not self.discounted and self.endless[0] <= least) or self.endless[1] >= most:
            for component in self.traps:
                self.plan[component] = BELOW if self.endless[0] <= least else ABOVE

    def worth(self, branch: int) -> tuple[Any, Any]:
        """Return the bounds of the value of a move."""
        graph, below = self.graph, self.graph.child[branch]
        low, high = self.low[below], self.high[below]
        weight, reward = graph.weight[branch], graph.reward[branch] if self.pays else 0
        error: Any = 0
        if not self.is_exact and (self.pays or self.discounted):
            ends = [abs(end) for end in (low, high) if abs(end) < inf]
            error = OPERATIONS * UNIT * (abs(reward) + weight * max(ends, default=0))
        return weight * low + reward - error, weight * high + reward + error

    def _zeros(self, code: str, count: int) -> Any:
        return compiling.zeros(code, count, self.compiled)

    def _run(self, loop: Any, *arguments: Any) -> Any:
        return compiling.run(loop, *arguments, rows=0, compiled=self.compiled)

    def _set_up(self, loop: Any, *arguments: Any) -> Any:
        """Run a loop without which there are no bounds."""
        result = self._run(loop, *arguments)
        self.states.limits.check_time(len(self.states))
        return result

    def states_of(self, component: int) -> Sequence[int]:
        """Return the states of a component, in the order of sweeps."""
        start = self.graph.start
        return self.graph.order[int(start[component]) : int(start[component + 1])]

    def _endless(self) -> tuple[float, float]:
        """Return floats that enclose the worth of endless play, which a game may declare."""
        if self.rules.endless is not None:
            return outward(self.rules.endless)
        if self.traps and not self.pays:
            trapped = [n for n, is_reached in enumerate(self.marks.reached) if not is_reached]
            raise self._error(self._examples(trapped), trapped, ENDLESS, DISCOUNT)
        return 0.0, 0.0

    def _texts(self, states: list[int], between: str) -> str:
        few = states[:NAMED]
        objects = enumerate(islice(self.states.objects(), max(few) + 1))
        texts = {n: state_text(self.rules, state) for n, state in objects if n in few}
        return between.join(texts[n] for n in few)

    def _examples(self, states: list[int]) -> str:
        return f"in {plural(len(states), 'position')}, such as {self._texts(states, '; ')}"

    def _error(self, where: str, states: list[int], *cures: str) -> GameError:
        if all(self.states.kind[n] == CHANCE for n in states):  # only moves are discounted
            cures = *(cure for cure in cures if cure == ENDLESS), CORRECT
        return GameError(
            f"{self.rules.title}: play can go on forever {where}: {', or '.join(cures)}"
        )

    def _cycle_error(self, component: int, about: str, *cures: str) -> GameError:
        """Return an error that names a cycle of allowed branches."""
        child, allowed = self.graph.child, self.scratch.allowed
        path: list[int] = []
        children = {
            int(n): [int(child[branch]) for branch in branches(self.graph, n) if allowed[branch]]
            for n in self.states_of(component)
        }
        state = min(n for n, inside in children.items() if inside)
        while state not in path:
            path.append(state)
            state = min(children[state])
        cycle = path[path.index(state) :]
        more = " → …" if len(cycle) > NAMED else ""
        back = self._texts([state], "")
        where = f"by {self._texts(cycle, ' → ')}{more} → {back}, {about}"
        return self._error(where, cycle, *cures)

    def _payer(self, component: int) -> int:
        """Return who pays forever in a component, as `mark_infinite` has it, or 0 for nobody.

        A player who is alone must not gain there.
        """

        def paid(*paying: float) -> tuple[float, float]:
            about = self.states_of(component), paying, self.aim, self.scratch
            lower, upper = self._set_up(paid_for_ever, self.graph, *about)
            return lower, upper

        players, gains = self.players, False
        if players == {MAX}:
            gains = paid(0.0, inf)[1] > 0
        elif players == {MIN}:
            gains = paid(-inf, 0.0)[0] < 0
        if gains:
            about = f"where {'MAX' if MAX in players else 'MIN'} gains without limit"
            raise self._cycle_error(component, about, DISCOUNT, COST)
        least, most = paid(-inf, inf)
        payer = CHANCE
        if most <= 0:
            payer = MAX
        elif least >= 0:
            payer = MIN
        if payer == CHANCE and len(players) == 1:
            payer = min(players) + OPEN
        if paid(0.0, 0.0) != (0, 0):
            return payer
        if self.rules.endless is None:
            about = "where nothing is paid"
            raise self._cycle_error(component, about, ENDLESS, DISCOUNT, COST)
        self._begin_with_endless(component)
        return 0 if least == most else CHANCE if payer >= CHANCE else payer + OPEN

    @cached_property
    def _far(self) -> float:
        """Return a number beyond all that can be guessed."""
        numbers = [*self.graph.reward, *(n for n in self.low if abs(n) < inf), self.endless[0]]
        far: float = FAR * (1 + max(map(abs, numbers)))
        return -far if MAX in self.players else far

    def _begin_with_endless(self, component: int) -> None:
        """Guess first that only endless play is good, so that no cycle confirms a wrong guess."""
        allowed, value = self.scratch.allowed, self._bounds.value
        for state in self.states_of(component):
            kept = [branch for branch in branches(self.graph, state) if allowed[branch]]
            if any(self.graph.reward[branch] for branch in kept):
                about = "where nothing is paid on average"
                raise self._cycle_error(component, about, DISCOUNT, COST)
            value[state] = self.endless[0] if kept else self._far
        self.left.append(component)
        self.plan[component] = GIVEN

    def _settle_pay(self) -> None:
        """Find out who pays in endless play, and which states are worth infinity."""
        for component in self.traps:
            self.plan[component] = AROUND
            self._payers[component] = self._payer(component)
        about = self.discounted, self._bounds, self.marks
        open_ = self._set_up(mark_infinite, self.graph, self._payers, *about)
        if open_ != NONE:
            raise self._open_error(open_)

    def _open_error(self, component: int) -> GameError:
        states = sorted(map(int, self.states_of(component)))
        where = f"{self._examples(states)}, where both sides may gain"
        return self._error(where, states, DISCOUNT, COST)

    def _solve(self) -> bool:
        """Narrow the bounds until each component is closed; return False if time is over."""
        place, about = self.place, (self.plan, self.aim, self._bounds, self.scratch)
        portions = 0
        while not self._stop[0]:
            place[LEFT] = BRANCHES_AT_ONCE // (1 if self.compiled else SLOWER)
            self._run(narrow, self.graph, *about, place)
            component = place[COMPONENT]
            report(int(self.graph.start[component]), len(self.states))
            if component == len(self.plan):
                return True
            if self._payers[component] >= CHANCE and place[SWEEPS] > MOST_SWEEPS:
                raise self._open_error(component)
            portions += 1
            if portions == PORTIONS or compiling.is_loaded(narrow.__name__):
                self.compiled = self._may_compile()
        return False

    def best(self, state: int) -> int:
        """Return the branch of a player's best move."""
        sign, end = 1, 0
        if self.graph.kind[state] == MIN:
            sign, end = -1, 1
        if self.choice[state] == NONE:
            self.choice[state] = max(
                branches(self.graph, state), key=lambda branch: sign * self.worth(branch)[end]
            )
        return int(self.choice[state])

    def _leave(self) -> None:
        """Choose moves that leave a component, where that is better than endless play."""
        bounds = self.low, self.high
        slack = 0.0 if self.pays else self.aim.wanted
        for component in self.left:
            about = self.states_of(component), bounds, self.endless, slack, self.marks
            missing = self._run(choose_exits, self.graph, *about)
            # A bound may have confirmed itself: then a sweep finds the way that proves it.
            while missing and self.pays and any(self._gains(about[0])):
                missing = self._run(choose_exits, self.graph, *about)
            if missing and self.pays:
                raise GameError(
                    f"{self.rules.title}: no certain value was found for a component of "
                    f"{len(about[0]):,} positions where nothing may be paid forever: "
                    f"{COST}, or {DISCOUNT}"
                )

    def _gains(self, states: Sequence[int]) -> list[float]:
        """Sweep proven bounds once more; return their greatest changes."""
        ends = (-1, self.low), (1, self.high)
        return [self._run(sweep, self.graph, states, sign, True, end)[1] for sign, end in ends]
