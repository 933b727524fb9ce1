"""Solve a game whose positions may repeat: bounds of the values of all positions, best moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

from expectitree.base.display import Shown
from expectitree.base.errors import GameError, SearchError
from expectitree.base.numbers import Number, quote
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.games.calls import Warn, naming_errors
from expectitree.games.finding import game_of
from expectitree.games.protocol import Game
from expectitree.games.rules import Options, Rules
from expectitree.games.solve import WIDTH
from expectitree.games.solve.exact import solve_exactly
from expectitree.games.solve.solver import Solver
from expectitree.games.solve.states import Limits, Reached, RuledStates, state_text

FEW_STATES = 20_000  # that the methods make, where the game has `expand`
STAYS = " (not forever)"  # a move that must not be repeated forever
TURNS = {MAX: "max", MIN: "min", CHANCE: "chance", TERMINAL: None}


class Ranked(NamedTuple):
    """A move with the interval that contains its value.

    `is_best` means that no other move is certainly better. Of several such moves, one may only put
    off the others, so play the one of `Position.best`. With fractions, `may_stay` marks moves that
    are as good, and must not be repeated forever.
    """

    move: Any
    label: str
    lower: Number
    upper: Number
    is_best: bool
    may_stay: bool


class Position(NamedTuple):
    """A position that can be reached, with the interval that contains its value, and its moves."""

    state: Any
    turn: str | None
    lower: Number
    upper: Number
    moves: list[Ranked]
    best: str | None  # the label of the move to play


@dataclass(frozen=True, eq=False)
class Solution(Shown):
    """The value of a game, and of each position that it can reach; `solve` makes it.

        >>> import expectitree as et
        >>> found = et.solve("game:pig(target=10)")
        >>> found.root.best, found.states, found.components
        ('roll', 2412, 1125)
        >>> found.upper - found.lower < 1e-9
        True

    Attributes:
        game: The name of the game in outputs.
        title: The game's own name.
        root: The position at the start, with its moves.
        states: The number of positions that can be reached.
        branches: The number of moves and outcomes there.
        components: The number of strong components. The positions of one can be reached from
            each other.
        cyclic: How many components have a cycle, so that positions repeat.
        sweeps: How often the bounds of such a component were computed.
        seconds: How long it took.
        is_exact: Whether `lower` and `upper` are equal fractions, which are proved to be the value.
        stopped: Whether a limit of time stopped it.
        wanted: The width of the interval that was asked for.
        solver: The columns of all positions.
    """

    question = "solve"
    is_shown_alone = True

    game: str
    title: str
    root: Position
    states: int
    branches: int
    components: int
    cyclic: int
    sweeps: int
    seconds: float
    is_exact: bool
    stopped: bool
    wanted: float
    solver: Solver

    @property
    def lower(self) -> Number:
        """The lower end of the interval that contains the value, rounding included."""
        return self.root.lower

    @property
    def upper(self) -> Number:
        """The upper end of the interval that contains the value, rounding included."""
        return self.root.upper

    @property
    def value(self) -> Number:
        """The middle of the interval."""
        return self.lower if self.lower == self.upper else self.lower / 2 + self.upper / 2

    @property
    def is_narrow(self) -> bool:
        """Whether the interval is as narrow as asked."""
        return self.lower == self.upper or self.upper - self.lower <= self.wanted

    @property
    def best(self) -> list[str]:
        """The label of the move to play, and those of the moves that may be worth as much."""
        equal = [move.label for move in self.root.moves if move.is_best]
        return sorted(equal, key=lambda label: label != self.root.best)

    def at(self, state: Any) -> Position:
        """Return a position that the game can reach.

        >>> import expectitree as et
        >>> from expectitree.games.built_in.pig import State
        >>> et.solve("game:pig(target=10)").at(State(scores=(0, 4), points=5)).best
        'roll'
        """
        number = self.solver.states.number_of(state)
        if number is None:
            found = quote(repr(state))
            raise GameError(f"{self.title}: the game cannot reach the position {found}")
        return position(self.solver, number, state)

    def positions(self) -> Iterator[Position]:
        """Yield every position, the start first."""
        for number, state in enumerate(self.solver.states.objects()):
            yield position(self.solver, number, state)

    def to_records(self) -> Iterator[dict[str, Any]]:
        """Yield a dict for each position in which a player moves: the policy as a table.

        `equally_good` lists all best moves if the values are fractions. Otherwise `not_told_apart`
        lists the moves whose intervals meet that of the best one.
        """
        solver = self.solver
        for number, state in enumerate(solver.states.objects()):
            if solver.states.kind[number] not in (MAX, MIN):
                continue
            there = position(solver, number, state)
            yield {
                "position": state_text(solver.rules, state),
                "turn": there.turn,
                "best": there.best,
                self.ties: "; ".join(
                    move.label + (STAYS if move.may_stay else "")
                    for move in there.moves
                    if move.is_best
                ),
                "lower": there.lower,
                "upper": there.upper,
            }

    @property
    def ties(self) -> str:
        """The name of the column of moves that are equally good, or may be."""
        return "equally_good" if self.is_exact else "not_told_apart"

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        names = (
            "states", "branches", "components", "cyclic", "sweeps", "seconds", "stopped"
        )  # fmt: skip
        moves = [{"move": m.label, "lower": m.lower, "upper": m.upper} for m in self.root.moves]
        return {
            "game": self.game,
            "title": self.title,
            "value": self.value,
            "interval": (self.lower, self.upper),
            "exact": self.is_exact,
            "turn": self.root.turn,
            "best": self.best,
            "moves": moves,
            **{name: getattr(self, name) for name in names},
        }


def position(solver: Solver, number: int, state: Any) -> Position:
    """Return a position by its number."""
    states, rules, kind = solver.states, solver.rules, int(solver.states.kind[number])
    low, high = solver.low, solver.high
    moves: list[Ranked] = []
    best = None
    if kind in (MAX, MIN):
        given = rules.moves(state, kind)[0]
        first = int(states.first[number])
        worth = [solver.worth(branch) for branch in range(first, first + len(given))]
        least, most = max(low for low, _ in worth), min(high for _, high in worth)
        for place, (label, bounds) in enumerate(
            zip(rules.labels(state, given), worth, strict=True)
        ):
            is_best = bounds[1] >= least if kind == MAX else bounds[0] <= most
            name, may_stay = label or f"#{place + 1}", first + place in solver.staying
            moves.append(Ranked(given[place], name, *bounds, is_best, may_stay))
        best = moves[solver.best(number) - first].label
    return Position(state, TURNS[kind], low[number], high[number], moves, best)


@naming_errors()
def solve(  # noqa: PLR0913
    game: Game | str,
    *,
    width: float = WIDTH,
    state: Any = None,
    exact: bool = False,
    endless: Number | str | None = None,
    discount: Number | str | None = None,
    max_rows: int | None = None,
    seconds: float | None = None,
    warn: Warn | None = None,
    file: str = "",
) -> Solution:
    """Return the value of a whole game, whose positions may repeat, and the best moves.

    The result is an interval that certainly contains the value: it includes all rounding errors.

        >>> import expectitree as et
        >>> found = et.solve("game:pig(target=20)")
        >>> round(found.value, 9), found.root.best, found.cyclic
        (0.2311171, 'roll', 361)

    States with equal keys are one position, whatever moves led to it. If play may go on forever,
    declare what that is worth (`endless`), or count later moves less (`discount`), unless each step
    there costs something: then a player who can leave does so, and a position from which he cannot
    is worth minus infinity (to MAX, and infinity where MIN pays).

    Args:
        game: A game (`Game` explains the methods), or its name, such as "game:pig".
        width: How wide the interval may be.
        state: The state to start from; by default the start of the game.
        exact: Compute the values of up to 20,000 positions as fractions, and prove them.
        endless: What endless play is worth, in place of the game's attribute.
        discount: By which each move multiplies what comes after it, in place of the game's.
        max_rows: The most positions. By default 5 million, times EXPECTITREE_BUDGET.
        seconds: Stop after this time.
        warn: Called with a message if the rules look wrong.
        file: The name of the game in outputs.

    Raises:
        GameError: The game is unknown, breaks the rules of the protocol, has too many positions, or
            does not declare what endless play is worth.
        SearchError: The width or a limit is out of range, or time is over too soon.
    """
    if not 0 <= width < float("inf"):
        raise SearchError(f"a width is a number from 0, such as 1e-9, got {width}")
    if seconds is not None and not seconds > 0:
        raise SearchError(f"solve needs more than 0 seconds, got {seconds}")
    begun = monotonic()
    options = Options(
        exact or None, warn=warn, max_rows=max_rows, endless=endless, discount=discount
    )
    rules = Rules(game_of(game), options)
    solver = Solver(_states_of(rules, state, Limits(rules, seconds, begun)), width)
    if exact:
        solve_exactly(solver)
    name = file or (game if isinstance(game, str) else type(game).__name__)
    return _solution(solver, name, width, begun)


def _solution(solver: Solver, name: str, width: float, begun: float) -> Solution:
    states = solver.states
    return Solution(
        game=name,
        title=solver.rules.title,
        root=position(solver, 0, next(states.objects())),
        states=len(states),
        branches=len(states.child),
        components=len(solver.plan),
        cyclic=solver.cyclic,
        sweeps=solver.sweeps,
        seconds=monotonic() - begun,
        is_exact=solver.is_exact,
        stopped=not solver.is_done,
        wanted=width,
        solver=solver,
    )


def _states_of(rules: Rules, state: Any, limits: Limits) -> Reached:
    start = rules.start if state is None else state
    may_expand = rules.expands and not rules.pays
    states = RuledStates(rules, start, limits, FEW_STATES if may_expand else rules.max_rows)
    if states.is_complete:
        return states
    from expectitree.games.solve.frontiers import BatchedStates

    batched = BatchedStates(rules, start, limits)
    return batched if batched.find() else RuledStates(rules, start, limits, rules.max_rows)
