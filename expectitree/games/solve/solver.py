"""Bound the values of all states, component by component, and choose the best moves."""

from __future__ import annotations

from array import array
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

from expectitree.base import compiling
from expectitree.base.errors import GameError
from expectitree.base.tree.columns import CHANCE, MAX, MIN, NONE
from expectitree.games.solve.loops import (
    ABOVE,
    AROUND,
    BELOW,
    DEFLATE,
    OPEN,
    OPERATIONS,
    OUTLOOK,
    UNIT,
    Bounds,
    Graph,
    Scratch,
    choose,
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
        self.discounted, self.is_exact = self.rules.discount != 1, False
        self.compiled = len(states.child) >= MANY_BRANCHES and compiling.available()
        count, branches = len(states), len(states.child)
        part, order = self._zeros("i", count), self._zeros("i", count)
        columns = [self._zeros(code, count) for code in "iiiiiiidd"]
        self.allowed = compiling.filled("b", 1, branches, self.compiled)
        self.scratch = Scratch._make([*columns, self.allowed])
        edges = states.first, states.child, array("i", range(count)), 0, count, False
        components = self._run(strong_components, *edges, part, self.scratch)
        ends = self._zeros("q", components)
        rest = part, order, ends, self.scratch.index
        self._run(group_by_component, states.kind, states.first, states.child, *rest)
        self.graph = Graph(
            states.kind, states.first, states.child, states.weight, states.reward, order, part, ends
        )
        self._bounds = Bounds(self.low, self.high, *(self._zeros("d", count) for _ in range(3)))
        self.choice = compiling.filled("q", NONE, count, self.compiled)
        self.plan, self.reached = self._zeros("b", components), self._zeros("b", count)
        marks = self.plan, self.reached, self._zeros("i", components), self.scratch
        # How many components have a cycle, and how many of these follow each other.
        self.cyclic, chain = self._run(find_traps, self.graph, self.discounted, *marks)
        self.traps = [n for n, plan in enumerate(bytes(self.plan)) if plan == DEFLATE]
        # Components that the players must be able to leave, where that is better than to stay.
        self.left = [] if self.discounted or self.pays else self.traps
        self._payers = self._zeros("b", components)
        self.wanted = width / (2 * max(chain, 1))  # of a component, beyond those below it
        self.endless = self._endless()
        self.staying: set[int] = set()  # best moves that must not be repeated for ever
        # Of `narrow`: the component, its sweeps, all sweeps, when to look closely, to extrapolate.
        self.place = array("q", [0, 0, 0, 0, 0])
        self.is_done = self._solve()
        self._choose()

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

    def _span(self, component: int) -> tuple[int, int]:
        """Return where the states of a component begin and end in the order."""
        ends = self.graph.ends
        return int(ends[component - 1]) if component else 0, int(ends[component])

    def _endless(self) -> tuple[float, float]:
        """Return floats that enclose the worth of endless play, which a game may declare."""
        if self.rules.endless is not None:
            return outward(self.rules.endless)
        if self.traps and not self.pays:
            trapped = [n for n, is_reached in enumerate(self.reached) if not is_reached]
            where = f"in {plural(len(trapped), 'position')}, such as"
            raise self._error(f"{where} {self._texts(trapped, '; ')}", trapped, ENDLESS, DISCOUNT)
        return 0.0, 0.0

    def _texts(self, states: list[int], between: str) -> str:
        few = states[:NAMED]
        objects = enumerate(islice(self.states.objects(), max(few) + 1))
        texts = {n: state_text(self.rules, state) for n, state in objects if n in few}
        return between.join(texts[n] for n in few)

    def _error(self, where: str, states: list[int], *cures: str) -> GameError:
        if all(self.states.kind[n] == CHANCE for n in states):  # only moves are discounted
            cures = *(cure for cure in cures if cure == ENDLESS), CORRECT
        return GameError(
            f"{self.rules.title}: play can go on for ever {where}: {', or '.join(cures)}"
        )

    def _cycle_error(self, component: int, about: str, *cures: str) -> GameError:
        """Return an error that names a cycle of allowed branches."""
        graph, allowed = self.graph, self.scratch.allowed
        begin, end = self._span(component)
        path: list[int] = []
        children = {
            int(n): [
                int(graph.child[branch])
                for branch in range(graph.first[n], graph.first[n + 1])
                if allowed[branch]
            ]
            for n in graph.order[begin:end]
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
        """Return who pays for ever in a component, as `mark_infinite` has it, or 0 for nobody.

        A player who is alone must not gain there.
        """
        marks = self.discounted, self.scratch

        def paid(least: float, most: float) -> tuple[float, float]:
            span = self._span(component)
            lower, upper = self._run(paid_for_ever, self.graph, *span, least, most, *marks)
            return lower, upper

        players = {MAX, MIN} & {*self.states.kind}
        if players == {MAX} and paid(0, inf)[1] > 0 or players == {MIN} and paid(-inf, 0)[0] < 0:
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
        if paid(0, 0) != (0, 0):
            return payer
        if self.rules.endless is None:
            about = "where nothing is paid"
            raise self._cycle_error(component, about, ENDLESS, DISCOUNT, COST)
        self._begin_with_endless(component, -FAR if MAX in players else FAR)
        return 0 if least == most else CHANCE if payer >= CHANCE else payer + OPEN

    def _begin_with_endless(self, component: int, far: float) -> None:
        """Guess first that only endless play is good, so that no cycle confirms a wrong guess."""
        first, allowed, value = self.graph.first, self.scratch.allowed, self._bounds.value
        numbers = [*self.graph.reward, *(n for n in self.low if abs(n) < inf), self.endless[0]]
        begin, end = self._span(component)
        for state in self.graph.order[begin:end]:
            branches = range(first[state], first[state + 1])
            stays = any(allowed[branch] for branch in branches)
            if any(allowed[branch] and self.graph.reward[branch] for branch in branches):
                about = "where nothing is paid on average"
                raise self._cycle_error(component, about, DISCOUNT, COST)
            value[state] = self.endless[0] if stays else far * (1 + max(map(abs, numbers)))
        self.left.append(component)

    def _settle_pay(self) -> None:
        """Find out who pays in endless play, and which states are worth infinity."""
        for component in self.traps:
            self._payers[component] = self._payer(component)
            self.plan[component] = AROUND
        marks = self.low, self.high, self.reached, self.choice, self.scratch
        open_ = self._run(mark_infinite, self.graph, self._payers, self.discounted, *marks)
        if open_ != NONE:
            raise self._open_error(open_)

    def _open_error(self, component: int) -> GameError:
        begin, end = self._span(component)
        states = sorted(int(n) for n in self.graph.order[begin:end])
        where = f"in {plural(len(states), 'position')}, such as {self._texts(states, '; ')}"
        return self._error(f"{where}, where both sides may gain", states, DISCOUNT, COST)

    def _solve(self) -> bool:
        """Narrow the bounds until each component is closed; return False if time is over."""
        graph, count = self.graph, len(self.graph.ends)
        is_open = bool(self.traps) or self.discounted
        columns = graph.kind, self.low, self.high
        least, most = self._run(first_bounds, *columns, self.endless, is_open, self.pays)
        if self.pays:
            self._settle_pay()
        elif not self.discounted and self.endless[0] <= least or self.endless[1] >= most:
            for component in self.traps:
                self.plan[component] = BELOW if self.endless[0] <= least else ABOVE
        rounds = 1 / (1 - float(self.rules.discount)) if self.discounted else FAR**3
        about = self.endless, self.wanted, self.discounted, rounds, self.place
        outlook = self._zeros("d", OUTLOOK)
        players = {MAX, MIN} & {*graph.kind}
        begins = {frozenset({MAX}): 0.0, frozenset({MIN}): 1.0}
        outlook[-1] = begins.get(frozenset(players), 0.5)
        rest = *about, outlook, self.scratch
        portions = 0
        while self.place[0] < count and not self.states.limits.is_over:
            portion = BRANCHES_AT_ONCE // (1 if self.compiled else SLOWER)
            self._run(narrow, graph, self.plan, self._bounds, *rest, portion)
            report(int(graph.ends[max(self.place[0] - 1, 0)]), len(self.states))
            component = self.place[0]
            is_open = component < count and self._payers[component] >= CHANCE
            if is_open and self.place[1] > MOST_SWEEPS:
                raise self._open_error(component)
            portions += 1
            pays = portions == PORTIONS and self.states.limits.end - monotonic() > COMPILING
            if pays or compiling.is_loaded(narrow.__name__):
                self.compiled = compiling.available()
        return bool(self.place[0] == count)

    def _choose(self) -> None:
        """Choose the branch of a best move of each state; leave `NONE` where no player moves."""
        bounds, marks = (self.low, self.high), (self.choice, self.reached, self.allowed)
        self._run(choose, self.graph, *bounds, self.choice)
        for component in self.left:
            span = self._span(component)
            slack = 0.0 if self.pays else self.wanted
            changes, missing = self.pays and self.is_done, 1
            while missing:
                rest = self.endless, slack, *marks
                missing = self._run(choose_exits, self.graph, component, *span, *bounds, *rest)
                if not changes:
                    break
                # A bound may have confirmed itself: then a sweep finds the way that proves it.
                changes = self._run(sweep, self.graph, *span, *bounds)[0]
            if missing and self.pays and self.is_done:
                raise GameError(
                    f"{self.rules.title}: no certain value was found for a component of "
                    f"{span[1] - span[0]:,} positions where nothing may be paid for ever: "
                    f"{COST}, or {DISCOUNT}"
                )
