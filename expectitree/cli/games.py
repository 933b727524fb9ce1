"""Take a GAME in place of a FILE: its options, and its search or its whole tree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from expectitree.base.errors import GameError, SearchError
from expectitree.cli.help import GAMES, Option, game_option
from expectitree.cli.terminal import warn, working
from expectitree.games import MAX_ROWS

if TYPE_CHECKING:
    from expectitree.base.algorithms import Algorithm
    from expectitree.base.tree.model import Tree
    from expectitree.files.rows import ReadOptions
    from expectitree.games.found import GameSearch
    from expectitree.games.protocol import Game
    from expectitree.searches.result import Search

POSITION_OPTIONS = (
    game_option("--start TEXT", "Start from the position that TEXT describes."),
    game_option("--play MOVES", "Play these moves first, as in roll,6,hold."),
    game_option("--no-merge", "Do not merge equal states into one node."),
    game_option("--max-rows N", f"Make at most N nodes.  [default: {MAX_ROWS:,}]"),
    game_option(
        "--estimate FILE.py:NAME",
        "Estimate states with this function, in place of the game's estimates, or with "
        "`rollouts:N`: the mean of N random games.",
    ),
)
WRITING_OPTIONS = (  # of `convert`; other commands have them for files too
    game_option("--depth D", "The depth of the tree, in plies."),
    game_option("--bounds LOWER,UPPER", "Bounds on every utility, in place of the game's bounds."),
)
LAZY_OPTIONS = (
    game_option(
        "--deepen", "Search to depth 1, 2, … up to D, each time with the best moves first."
    ),
    game_option(
        "--seconds T", "Stop after T seconds and report the result so far. Without --depth, deepen."
    ),
)


@dataclass(frozen=True)
class GameOptions:
    start: str | None
    play: str | None
    no_merge: bool = False
    max_rows: int | None = None
    estimate: str | None = None
    deepen: bool = False
    seconds: float | None = None

    def check(self, has_games: bool) -> None:
        """Raise a usage error if options for games are given without a game."""
        context = click.get_current_context()
        typed = click.core.ParameterSource.COMMANDLINE
        given = [
            option
            for option in context.command.params
            if isinstance(option, Option) and option.section == GAMES
            if context.get_parameter_source(str(option.name)) == typed
        ]
        if given and not has_games:
            raise click.UsageError(
                f"{given[0].opts[0]} is for games, such as game:pig\nname one, or remove it."
            )

    @property
    def position(self) -> str:
        """How the user chose the position, to end a sentence; empty for the start of the game."""
        position = ""
        if self.start is not None:
            position += f", from {self.start}"
        if self.play is not None:
            position += f", after {self.play}"
        return position

    def state(self, game: Game) -> Any:
        """Return the state that the user chose, or None for the start of the game."""
        if not self.position:
            return None
        from expectitree.games.positions import position

        try:
            return position(game, start=self.start, play=self.play or "")
        except GameError as error:
            raise SearchError(error.lines) from error  # the options are wrong, not the game


def is_game_name(name: str) -> bool:
    """Return whether a name on the command line is that of a game.

    The name of an existing file may have a colon. A Python file counts as a game even without the
    name of a class, so that the error says what is missing.
    """
    is_python = name.endswith(".py")
    if not is_python and (":" not in name or os.path.exists(name)):
        return False
    from expectitree.games.finding import is_game

    return is_game(name)


def refuse_file_options(parameters: Mapping[str, str], reading: ReadOptions) -> None:
    """Raise a usage error if options that only files have are given with a game."""
    if parameters:
        raise click.UsageError(
            "--set changes the parameters of files\nremove it, and write a game's parameters in "
            "its name, as in 'game:pig(target=20)'."
        )
    if reading:
        raise click.UsageError(
            "--from, --normalize and the options of other programs' files are not for games\n"
            "remove them."
        )


def refuse_game(*names: str | None) -> None:
    """Raise a usage error if a name is that of a game: for a command that reads files."""
    for name in names:
        if name is not None and is_game_name(name):
            command = click.get_current_context().info_name
            raise click.UsageError(
                f"{name} is a game, and {command} reads files\nwrite its tree to a file first, "
                f"with `expectitree convert '{name}' tree.yaml --depth D`."
            )


def with_positions(search: Search) -> Search:
    """Return a search with the positions of a game as notes, if the game can show them."""
    from expectitree.games.found import GameSearch

    return search.with_positions() if isinstance(search, GameSearch) else search


class GameSource:
    """A game, a position in it, and how its rules become a tree."""

    def __init__(
        self, name: str, options: GameOptions, depth: int | None, **arguments: Any
    ) -> None:
        from expectitree.games.finding import find_game

        self.name, self.options, self.game = name, options, find_game(name)
        if depth is None and options.seconds is None:
            params = click.get_current_context().command.params
            or_time = any(param.name == "seconds" for param in params)
            raise click.UsageError(
                f"{name} is a game\nchoose with --depth D how many plies deep to search it"
                f"{', or with --seconds T how long' * or_time}."
            )
        self.arguments = arguments | {  # of `search` and `write_out`
            "depth": depth,
            "state": options.state(self.game),
            "max_rows": options.max_rows,
            "merge": not options.no_merge,
            "estimate": options.estimate,
            "warn": warn,
        }

    def search(
        self, algorithm: Algorithm, max_visits: int | None = None, **others: Any
    ) -> GameSearch:
        """Search the game, and make only the nodes that the search asks for."""
        from expectitree.games.searching import search

        options = self.options
        with working(f"{algorithm.name}: {self.name}"):
            found = search(
                self.game, algorithm=algorithm, deepen=options.deepen, seconds=options.seconds,
                max_visits=max_visits, **(self.arguments | others),
            )  # fmt: skip
        return found.named(*self._name(found.grown.depth))

    def write_out(self, instead: str = "") -> Tree:
        """Return the whole tree; if it is too large, the error says what to do `instead`."""
        from expectitree.games.found import named
        from expectitree.games.rules import RowsError
        from expectitree.games.searching import write_out

        if self.options.deepen or self.options.seconds is not None:
            name = "--seconds"
            if self.options.deepen:
                name = "--deepen"
            raise click.UsageError(
                f"{name} is for pruning searches, and this needs the whole tree\nremove it, or "
                "choose another algorithm with -a."
            )
        with working(f"writing out {self.name}"):
            try:
                tree = write_out(self.game, **self.arguments)
            except RowsError as error:
                raise GameError(f"{error.lines}{instead}") from None
        return named(tree, *self._name(self.arguments["depth"]))

    def _name(self, depth: int) -> tuple[str, str | None]:
        """Return the source of the tree, and the state at the root as a text, if it was chosen."""
        note, chosen = None, self.options.position
        if chosen:
            from expectitree.games.rules import Options, Rules

            note = Rules(self.game, Options(exact=False)).text(self.arguments["state"])
        return f"{self.name} to depth {depth}{chosen}", note
