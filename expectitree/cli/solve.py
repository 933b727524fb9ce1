"""`expectitree solve`: the value of a whole game, whose positions may repeat."""

from __future__ import annotations

from expectitree.cli.games import GameOptions
from expectitree.cli.terminal import DOES_NOT_HOLD, protect, say, show, warn, working


def command(
    game: str,
    width: float,
    policy: str | None,
    exact: bool,
    endless: str | None,
    discount: str | None,
    games: GameOptions,
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
    state = games.state(found_game)
    with working(f"solving {game}"):
        solution = solve(
            found_game, width=width, state=state, exact=exact, endless=endless, discount=discount,
            max_rows=games.max_rows, seconds=games.seconds, warn=warn, file=game,
        )  # fmt: skip
    show(format_name, solution)
    if policy is not None:
        with working(f"writing {policy}", 0, solution.states):
            save_policy(solution, policy)
        say(f"{policy} written")
    return DOES_NOT_HOLD * (not solution.is_narrow)
