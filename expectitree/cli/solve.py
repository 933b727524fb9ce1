"""`expectitree solve`: the value of a whole game, whose positions may repeat."""

from __future__ import annotations

import click

from expectitree.base.numbers import show_exact
from expectitree.cli.games import GameOptions
from expectitree.cli.help import FILE, declare, option, tree_option
from expectitree.cli.options import format_options
from expectitree.cli.terminal import DOES_NOT_HOLD, OUT, protect, say, show, warn, working
from expectitree.games import MAX_ROWS
from expectitree.games.solve import WIDTH


@declare("solve")
@click.argument("game", metavar="GAME", type=FILE)
@option(
    "--width W",
    "Narrow the interval of the value to this width.",
    rare=True,
    type=click.FloatRange(min=0),
    default=WIDTH,
)
@option("--policy FILE", "Write the best move of each position: .csv, .arrow.", type=OUT)
@tree_option("--exact", "Prove the value as a fraction: up to 20,000 positions.")
@option("--endless X", "Count endless play as worth X, as in --endless 0.")
@option("--discount D", "Count what follows each move D times as much, as in 0.95.", type=None)
@option("--start TEXT", "Start from the position that TEXT describes.")
@option("--play MOVES", "Play these moves first, as in roll,6,hold.")
@option("--max-rows N", f"Find at most N positions.  [default: {MAX_ROWS:,}]")
@option("--seconds T", "Stop after T seconds and report the interval so far.")
@format_options("solve")
def command(
    game: str,
    width: float,
    policy: str | None,
    exact: bool,
    endless: str | None,
    discount: str | None,
    start: str | None,
    play: str | None,
    max_rows: int | None,
    seconds: float | None,
    format_name: str,
) -> int:
    """Compute the value of a whole game, whose positions may repeat, and its best moves.

    The value certainly lies in the interval, which includes all rounding. Positions with equal keys
    are one, whatever led to them. If play can go on forever, declare what that is worth
    (--endless 0), or count later moves less (--discount 0.95), unless each step there costs
    something. A game can declare both itself.

    For example: expectitree solve 'game:pig(target=20)' --policy pig.csv
    """
    from expectitree.games.finding import find_game
    from expectitree.games.solve.policy import check_policy, save_policy
    from expectitree.games.solve.report import solve

    protect([game])
    if policy is not None:
        check_policy(policy)
    found_game = find_game(game)
    state = GameOptions(start, play).state(found_game)
    with working(f"solving {game}"):
        found = solve(
            found_game, width=width, state=state, exact=exact, endless=endless, discount=discount,
            max_rows=max_rows, seconds=seconds, warn=warn, file=game,
        )  # fmt: skip
    with show_exact(exact):
        show("solve", format_name, found)
        if policy is not None:
            with working(f"writing {policy}", 0, found.states):
                save_policy(found, policy)
            say(f"{policy} written")
    if found.is_narrow:
        return 0
    return DOES_NOT_HOLD
