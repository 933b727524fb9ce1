"""`expectitree play`: a game in the terminal, against a search."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from click import UsageError, echo

from expectitree.base import interrupts
from expectitree.base.numbers import display_text
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.cli.advise import source_of
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import GameOptions, GameSource
from expectitree.cli.terminal import make_console, read_line, say, write_lines
from expectitree.games.calls import naming_errors
from expectitree.games.solve.policy import read_policy
from expectitree.games.solve.states import state_text
from expectitree.text.phrases import known_text

if TYPE_CHECKING:
    from expectitree.games.found import GameSearch

Moves: TypeAlias = Mapping[str, Any]  # by name, as the game has them
HELP = "Type a move, or undo, hint or quit."
PLAYERS = {MAX: "MAX", MIN: "MIN", CHANCE: "Outcome"}
MAX_SEED = 1_000_000  # of those that are chosen at random


@naming_errors()
def command(
    game: str,
    side: str,
    seed: int | None,
    typed: bool,
    policy: str | None,
    algorithms: ChosenAlgorithms,
    depth: int | None,
    seconds: float | None,
    games: GameOptions,
) -> None:
    """Play a game in the terminal, against a search.

    The search thinks for 1 second a move, unless --seconds or --depth says otherwise. Type a move,
    or its number, or `undo` to take back your last move, `hint` to see what each move is worth, or
    `quit`. The end shows how to go on with the game later.

    \b
    Example:
      expectitree play game:einstein --as min --seconds 1
      expectitree play "game:pig(target=50)" --seed 7
    """
    if typed and seed is not None:
        raise UsageError("--seed chooses the outcomes that --typed asks for\nremove one.")
    algorithm = algorithms.or_only("star2").only("play runs one algorithm\ngive -a once.")
    source = source_of(game, depth, seconds, 1, games)
    known = None if policy is None else read_policy(policy)
    if seed is None:
        seed = Random().randrange(MAX_SEED)
    match = _Match(source, partial(source.search, algorithm), known, side, seed, typed)
    try:
        with interrupts.raising():
            match.play()
    except KeyboardInterrupt:
        echo(err=True)
    match.end()


@dataclass
class _Match:
    """One game: its states so far, and the names of the moves that led there."""

    source: GameSource
    find: Callable[..., GameSearch]
    policy: Mapping[str, str] | None
    side: str
    seed: int
    typed: bool

    def __post_init__(self) -> None:
        self.rules = rules = self.source.rules
        start = self.source.arguments["state"]
        self.states = [rules.start if start is None else start]
        self.names: list[str] = []
        self.decisions: list[int] = []  # how many moves came before each decision of the user
        self.random = Random(self.seed)
        who = {"both": "both players"}.get(self.side, self.side.upper())
        rolls = f"the seed is {self.seed}"
        if self.typed:
            rolls = "you type the outcomes"
        _print(f"{rules.title}: you are {who}, and {rolls}. {HELP}")

    @property
    def is_over(self) -> bool:
        return self.rules.kind(self.states[-1]) == TERMINAL

    def play(self) -> None:
        """Play until the game is over, or the user ends it."""
        from expectitree.games.positions import named_moves
        from expectitree.games.rollouts import draw

        rules = self.rules
        while not self.is_over:
            state = self.states[-1]
            kind, moves = rules.kind(state), named_moves(rules, state)
            if kind == CHANCE and not self.typed:
                name = draw(self.random, [*moves], rules.moves(state, kind)[1])
                _print(f"Chance: {name}")
            elif kind == CHANCE or self.side in ("both", PLAYERS[kind].lower()):
                name = self._ask(kind, moves)
            else:
                name = self._search(kind, moves)
            if not name:
                return
            if name != "undo":
                self.names.append(name)
                self.states.append(rules.play(state, moves[name]))
        value = display_text(rules.value(self.states[-1], TERMINAL, rules.bounds))
        _print(f"\n{rules.text(self.states[-1])}\nThe game is over; its value is {value}.")

    def end(self) -> None:
        """Show how to go on, if the game is not over."""
        options = self.source.options
        words = ["expectitree", "play", self.source.name, "--as", self.side]
        if options.start is not None:
            words += ["--start", options.start]
        played = ",".join(filter(None, [options.play, *self.names]))
        if played:
            words += ["--play", played]
        if not self.is_over:
            say(f"To go on: {shlex.join(words)}")

    def _ask(self, kind: int, moves: Moves) -> str:
        """Show the position and read a move, or "undo" after taking one back, or nothing."""
        from expectitree.games.positions import no_move

        _print(f"\n{self.rules.text(self.states[-1])}")
        numbers = {str(place): name for place, name in enumerate(moves, start=1)}
        names = [*moves]
        if not numbers.keys() & moves.keys():
            names = [f"{number} {name}" for number, name in numbers.items()]
        while (line := read_line(f"{PLAYERS[kind]} ({', '.join(names)})> ")) is not None:
            word = line.strip()
            if word not in moves:
                word = numbers.get(word, word)
            if word in moves:
                if kind != CHANCE:
                    self.decisions.append(len(self.names))
                return word
            if word == "undo" and self.decisions:
                place = self.decisions.pop()
                del self.names[place:], self.states[place + 1 :]
                return word
            if word == "quit":
                break
            if word == "hint" and kind != CHANCE:
                self._hint()
            elif word == "undo":
                say("You have no move to take back.")
            elif word:
                say(f"{no_move(word, kind, [*moves], 'here')}. {HELP}")
        return ""

    def _search(self, kind: int, moves: Moves) -> str:
        """Return the best move, by the policy or else by a search."""
        name = self._known_move(moves)
        if name in moves:
            _print(f"{PLAYERS[kind]} plays {name}")
            return name
        search = self.find(state=self.states[-1])
        name = next(name for name, move in moves.items() if move == search.move)
        where = "in the whole game"
        if search.grown.estimated:
            where = f"at depth {search.grown.depth:,}"
        _print(f"{PLAYERS[kind]} plays {name}, worth {known_text(*search.interval())} {where}")
        return name

    def _known_move(self, moves: Moves) -> str:
        """Return the only move, or that of the policy, if there is one."""
        if len(moves) == 1:
            return next(iter(moves))
        if self.policy is None:
            return ""
        position = state_text(self.rules, self.states[-1])
        move = self.policy.get(position, "")
        if move not in moves:
            say(f"the policy has no move in {position}: a search chooses it")
        return move

    def _hint(self) -> None:
        """Show what each move is worth."""
        from expectitree.games.advise.report import Advice
        from expectitree.games.advise.text import move_lines

        advice = Advice("", self.find(state=self.states[-1], goal="moves"))
        write_lines(move_lines(advice, make_console().options))


def _print(text: str) -> None:
    """Print lines to standard output."""
    from rich.text import Text

    from expectitree.text.console import safe

    options = make_console().options
    write_lines(Text(safe(row, options)) for row in text.split("\n"))
