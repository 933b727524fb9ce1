"""Play games between two players, each deal twice with sides swapped, and count who wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from expectitree.base.display import Shown
from expectitree.base.errors import GameError, SearchError
from expectitree.base.means import mean
from expectitree.base.numbers import is_finite
from expectitree.base.tree.columns import CHANCE, MAX, MIN, TERMINAL
from expectitree.games.calls import naming_errors
from expectitree.games.finding import game_of
from expectitree.games.match.players import Player, chosen_move, player_of
from expectitree.games.protocol import Game
from expectitree.games.rollouts import draw
from expectitree.games.rules import Options, Rules
from expectitree.searches.progress import report


class Played(NamedTuple):
    """One game: its deal, who was MAX, and how it ended."""

    deal: int
    leader: int  # the player who is MAX: 0 the first, 1 the second
    total: float | None  # to MAX; None if the game was too long
    sides: frozenset[int]  # that moved: MAX, MIN
    is_random: bool  # chance, or a player, may go another way


class Average(NamedTuple):
    """A mean, and the ends of its 95% confidence interval; None if they are not known."""

    mean: float | None
    lower: float | None
    upper: float | None


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
        unfinished: The games that were too long, which count as draws.
        par: The total above which MAX wins; None in a game for one player.
        averages: For each player, the mean of its points, 1 for a win and 1/2 for a draw. In a game
            for one player, it is the mean of its totals.
        is_random: Whether games can differ. If not, two games are all.
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
    averages: tuple[Average, Average]
    is_random: bool
    played: Sequence[Played]

    @property
    def mean(self) -> float | None:
        """The first player's mean points, or its mean total in a game for one player."""
        return self.averages[0].mean

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """The 95% confidence interval of `mean`."""
        return self.averages[0][1:]

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        names = ("game", "first", "second", "games", "wins", "losses", "draws", "unfinished", "par")
        return {name: getattr(self, name) for name in names} | {
            "random": self.is_random,
            "averages": [average._asdict() for average in self.averages],
        }


@naming_errors()
def match(
    game: Game | str,
    first: Any,
    second: Any,
    *,
    games: int = 100,
    seed: int = 0,
    depth: int | None = None,
    seconds: float | None = None,
    par: float | None = None,
    most_moves: int = 1_000,
) -> Match:
    """Play games between two players, and count who wins.

    Each deal is played twice: with the same outcomes of chance, and with sides swapped. A player
    wins if the total is on its side of the middle of the bounds, or of `par`. In a game for one
    player, each player plays each deal alone, and their totals are compared.

        >>> import expectitree as et
        >>> policy = et.solve("game:pig(target=10)")
        >>> found = et.match("game:pig(target=10)", policy, "random", games=40, seed=3)
        >>> found.wins > 25, found.mean > 0.6
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
        for leader in (0, 1):
            sides = players[leader], players[1 - leader]
            played.append(_play(rules, sides, deal, leader, seed, most_moves))
        if par is None and _has_two_sides(played):
            raise GameError(
                f"{rules.title}: the bounds are infinite, so they have no middle: say with par "
                "which total is a draw"
            )
        if not any(game.is_random for game in played):
            break
    return _match(rules.title, [player.name for player in players], played, par)


def _has_two_sides(played: Sequence[Played]) -> bool:
    return len(frozenset().union(*(game.sides for game in played))) == 2


def _play(
    rules: Rules, sides: Sequence[Player], deal: int, leader: int, seed: int, most_moves: int
) -> Played:
    """Play one game, in which the `sides` are MAX and MIN."""
    state, total, weight = rules.start, 0.0, 1.0
    dice = Random(f"{seed} {deal}")
    chances = {kind: Random(f"{seed} {deal} {kind}") for kind in (MAX, MIN)}
    moved: list[int] = []
    is_random = False
    while (kind := rules.kind(state)) != TERMINAL:
        moves, probabilities = rules.moves(state, kind)
        if kind == CHANCE:
            move = draw(dice, moves, probabilities)
            is_random |= len(moves) > 1
        elif len(moved) == most_moves:
            break
        else:
            player = sides[kind == MIN]
            move = chosen_move(player, rules, state, moves, chances[kind])
            is_random |= player.is_random and len(moves) > 1
            moved.append(kind)
        if rules.pays:
            total += weight * float(rules.reward(state, move))
        if kind != CHANCE:
            weight *= float(rules.discount)
        state = rules.play(state, move)
    if kind != TERMINAL:
        return Played(deal, leader, None, frozenset(moved), is_random)
    total += weight * float(rules.value(state, TERMINAL, rules.bounds))
    return Played(deal, leader, total, frozenset(moved), is_random)


def _match(title: str, names: list[str], played: Sequence[Played], par: float | None) -> Match:
    """Return the match of the games that were played."""
    is_for_two = _has_two_sides(played)
    if is_for_two:
        compared = [(game.total, par, game.leader == 0) for game in played]
    else:
        # If MIN plays alone, the first games are the second player's: a high total loses.
        deals = zip(played[::2], played[1::2], strict=True)
        compared = [(one.total, other.total, True) for one, other in deals]
    points = [_points(*pair) for pair in compared]
    if is_for_two:
        of_deals = [fmean(both) for both in zip(points[::2], points[1::2], strict=True)]
        averages = [_mean_points(of_deals), _mean_points([1 - mean for mean in of_deals])]
    else:
        averages = [_mean_total(played[::2]), _mean_total(played[1::2])]
        if MIN in played[0].sides:
            averages.reverse()
    is_random = any(game.is_random for game in played)
    if not is_random:
        averages = [Average(average.mean, None, None) for average in averages]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    unfinished = sum(None in pair for pair in compared)
    return Match(
        game=title,
        first=names[0],
        second=names[1],
        games=len(played),
        wins=points.count(1),
        losses=points.count(0),
        draws=points.count(0.5) - unfinished,
        unfinished=unfinished,
        par=par if is_for_two else None,
        averages=(averages[0], averages[1]),
        is_random=is_random,
        played=played,
    )


def _points(total: float | None, other: float | None, is_max: bool) -> float:
    """Return the points for a total against another: 1, 0, or 1/2 if they are equal or unknown."""
    if total is None or other is None:
        return 0.5
    points = (1 + (total > other) - (total < other)) / 2
    return points if is_max else 1 - points


def _mean_points(points: Sequence[float]) -> Average:
    """Return the mean points of deals.

    For the interval, a deal that was won and one that was lost are added. Otherwise it would be
    empty where a player won all deals.
    """
    wider = mean([*points, 0, 1])
    half = wider.half or 0
    return Average(fmean(points), max(0, wider.value - half), min(1, wider.value + half))


def _mean_total(played: Sequence[Played]) -> Average:
    """Return the mean total of the games that ended."""
    totals = [game.total for game in played if game.total is not None]
    if not totals:
        return Average(None, None, None)
    found = mean(totals)
    if found.half is None:
        return Average(found.value, None, None)
    return Average(found.value, found.value - found.half, found.value + found.half)
