"""Play games between two players, each deal twice with sides swapped, and count who wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from expectitree.base.display import Shown
from expectitree.base.errors import GameError, SearchError
from expectitree.base.means import Mean, mean
from expectitree.base.numbers import is_finite
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.games.calls import naming_errors
from expectitree.games.finding import game_of
from expectitree.games.match.players import Asked, Player, chosen_move, player_of
from expectitree.games.protocol import Game
from expectitree.games.rollouts import draw
from expectitree.games.rules import Options, Rules
from expectitree.searches.progress import report

NAMES = {MAX: "max", MIN: "min"}


@dataclass(frozen=True)
class Played:
    """One game."""

    deal: int
    first: str  # the side of the first player: "max" or "min"
    total: float | None  # to MAX; None if the game was too long
    sides: str  # that moved: "max", "min", or "max, min"
    is_random: bool  # chance, or a player, may go another way


@dataclass(frozen=True)
class Match(Shown):
    """The games between two players; `match` makes it.

        >>> import expectitree as et
        >>> found = et.match("game:pig(target=20)", "star2", "random", depth=2, games=20, seed=1)
        >>> found.wins > found.losses, found.games
        (True, 20)

    Attributes:
        game: The game's own name.
        first: The name of the first player in outputs.
        second: The name of the second player in outputs.
        games: How many games were played.
        wins: The games that the first player won. In a game for one player, the deals in which its
            total was better.
        losses: The same of the second player.
        draws: The games, or deals, that neither won, without the unfinished ones.
        unfinished: The games, or deals, that were too long, which count as draws.
        par: The total above which MAX wins; None in a game for one player.
        mean: The first player's mean points, 1 for a win and 1/2 for a draw, with half the width of
            the 95% confidence interval. In a game for one player, the mean of its totals.
        second_mean: The same of the second player.
        is_random: Whether games can differ. If not, there are only two games.
        played: Each game.
    """

    question = "match"
    is_shown_alone = True

    game: str
    first: str
    second: str
    games: int
    wins: int
    losses: int
    draws: int
    unfinished: int
    par: float | None
    mean: Mean | None
    second_mean: Mean | None
    is_random: bool
    played: Sequence[Played]


@naming_errors()
def match(
    game: Game | str,
    first: Asked,
    second: Asked,
    *,
    games: int = 100,
    seed: int = 0,
    depth: int | None = None,
    seconds: float | None = None,
    par: float | None = None,
    most_moves: int = 1_000,
) -> Match:
    """Compare two players: let them play games, and count who wins.

    Each deal is played twice: with the same outcomes of chance, and with sides swapped. A player
    wins if the total is on its side of the middle of the bounds, or of `par`. In a game for one
    player, each player plays each deal alone, and their totals are compared.

        >>> import expectitree as et
        >>> policy = et.solve("game:pig(target=10)")
        >>> found = et.match("game:pig(target=10)", policy, "random", games=40, seed=3)
        >>> found.wins > 25, found.mean.value > 0.6
        (True, True)

    Args:
        game: As for `search`.
        first: The first player: an engine, the name of an algorithm, a dict of options of `search`
            such as `{"depth": 3, "estimate": f}`, what `solve` returned, a function from a state to
            a move, or "random".
        second: The second player.
        games: How many games to play, an even number.
        seed: The outcomes of chance and the random moves follow from it.
        depth: How deep engines and algorithms search.
        seconds: How long engines and algorithms search for each move.
        par: The total above which MAX wins, in place of the middle of the bounds.
        most_moves: A game in which players make more moves than this is a draw, counted apart.

    Raises:
        GameError: As for `search`, and if the bounds have no middle, without `par`.
        SearchError: A player is unknown or plays a move that does not exist, a search has no limit,
            or `games` is not an even number.
    """
    if games < 2 or games % 2:
        raise SearchError(f"each deal is played twice: games is {games}, expected 2, 4, 6, …")
    rules = Rules(game_of(game), Options(exact=False))
    players = [player_of(asked, rules, depth, seconds) for asked in (first, second)]
    if par is None and all(map(is_finite, rules.bounds)):
        par = float(rules.bounds[0]) / 2 + float(rules.bounds[1]) / 2
    played: list[Played] = []
    for deal in range(games // 2):
        report(2 * deal, games)
        for kinds in ((MAX, MIN), (MIN, MAX)):
            sides = dict(zip(kinds, players, strict=True))
            played.append(_play(rules, sides, deal, seed, most_moves))
        if par is None:
            _check_alone(rules, played)
        if not any(game.is_random for game in played):
            break
    return _match(rules.title, players, played, par)


def _play(rules: Rules, sides: dict[int, Player], deal: int, seed: int, left: int) -> Played:
    """Play one game of so many moves at most; the first player has the first of the `sides`."""
    state, total, weight = rules.start, 0.0, 1.0
    dice = Random(f"{seed} {deal}")
    chances = {kind: Random(f"{seed} {deal} {kind}") for kind in sides}
    moved: set[str] = set()
    is_random = False
    while (kind := rules.kind(state)) != TERMINAL:
        moves, probabilities = rules.moves(state, kind)
        if kind == CHANCE:
            move = draw(dice, moves, probabilities)
            is_random |= len(moves) > 1
        elif not left:
            break
        else:
            move = chosen_move(sides[kind], rules, state, moves, chances[kind])
            is_random |= sides[kind].is_random and len(moves) > 1
            moved.add(NAMES[kind])
            left -= 1
        if rules.pays:
            total += weight * float(rules.reward(state, move))
        if kind != CHANCE:
            weight *= float(rules.discount)
        state = rules.play(state, move)
    ended = None
    if kind == TERMINAL:
        ended = total + weight * float(rules.value(state, TERMINAL, rules.bounds))
    return Played(deal, NAMES[next(iter(sides))], ended, ", ".join(sorted(moved)), is_random)


def _check_alone(rules: Rules, played: Sequence[Played]) -> None:
    """Raise `GameError` if both players moved, and no total is known to be a draw."""
    if _has_two_sides(played):
        raise GameError(
            f"{rules.title}: the bounds are infinite, so they have no middle: say with par which "
            "total is a draw"
        )


def _has_two_sides(played: Sequence[Played]) -> bool:
    return len({game.sides for game in played} - {""}) > 1 or "," in played[0].sides


def _match(title: str, players: Sequence[Player], played: list[Played], par: float | None) -> Match:
    """Return the match of the games that were played."""
    if _has_two_sides(played):
        compared = [(game.total, par, game.first) for game in played]
    else:
        # If MIN plays alone, the second player has the first game of each deal.
        deals = zip(played[::2], played[1::2], strict=True)
        compared = [(deal.total, other.total, "max") for deal, other in deals]
        par = None
    points = [_points(*pair) for pair in compared]
    means = _mean_totals(played) if par is None else _mean_points(points)
    is_random = any(game.is_random for game in played)
    if not is_random:
        means = [mean and Mean(mean.value, None) for mean in means]
    first, second = (player.name for player in players)
    if first == second:
        first, second = f"{first} (first)", f"{second} (second)"
    unfinished = sum(None in pair for pair in compared)
    return Match(
        title,
        first,
        second,
        games=len(played),
        wins=points.count(1),
        losses=points.count(0),
        draws=points.count(0.5) - unfinished,
        unfinished=unfinished,
        par=par,
        mean=means[0],
        second_mean=means[1],
        is_random=is_random,
        played=played,
    )


def _mean_points(points: Sequence[float]) -> list[Mean | None]:
    """Return the mean points of both players.

    For the interval, a deal that was won and one that was lost are added. Otherwise, it would be
    empty where a player wins all deals.
    """
    deals = [fmean(both) for both in zip(points[::2], points[1::2], strict=True)]
    half = mean([*deals, 0, 1]).half
    return [Mean(fmean(points), half), Mean(1 - fmean(points), half)]


def _mean_totals(played: Sequence[Played]) -> list[Mean | None]:
    """Return the mean totals of both players, who played alone."""
    means: list[Mean | None] = []
    for side in (0, 1):
        known = [game.total for game in played[side::2] if game.total is not None]
        means.append(mean(known) if known else None)
    if played[0].sides == "min":
        means.reverse()
    return means


def _points(total: float | None, other: float | None, side: str) -> float:
    """Return the points for a total against another: 1, 0, or 1/2 if they are equal or unknown."""
    if total is None or other is None:
        return 0.5
    if side == "min":
        total, other = other, total
    return (1 + (total > other) - (total < other)) / 2
