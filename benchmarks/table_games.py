"""Games for the comparison with a table search."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple


class Steps(NamedTuple):
    """A state of `Snakes`."""

    places: tuple[tuple[int, ...], tuple[int, ...]]
    player: int
    roll: int


class Snakes:
    """Snakes and ladders with two tokens each: roll, then choose the token to move."""

    utility_bounds = (-1, 1)

    def __init__(self, size: int = 16, die: int = 4) -> None:
        self.title = f"Snakes and ladders {size}"
        self.size, self.die = size, die
        self.jump = {3: 9, 6: 2, 11: 5, 8: 12, size - 1: 1, size - 4: 4}
        self.start = Steps(((0, 0), (0, 0)), 0, 0)

    def turn(self, s: Steps) -> str | None:
        if any(max(places) == self.size for places in s.places):
            return None
        return ("max", "min")[s.player] if s.roll else "chance"

    def moves(self, s: Steps) -> list[Any]:
        if not s.roll:
            return [(face, Fraction(1, self.die)) for face in range(1, self.die + 1)]
        return sorted(set(s.places[s.player]), reverse=True)

    def play(self, s: Steps, move: int) -> Steps:
        if not s.roll:
            return s._replace(roll=move)
        to = move + s.roll
        to = 2 * self.size - to if to > self.size else to
        own = list(s.places[s.player])
        own.remove(move)
        mine = tuple(sorted([*own, self.jump.get(to, to)]))
        places = (mine, s.places[1]) if s.player == 0 else (s.places[0], mine)
        return Steps(places, 1 - s.player, 0)

    def value(self, s: Steps) -> Fraction | int:
        mine, yours = s.places
        if max(mine) == self.size:
            return 1
        if max(yours) == self.size:
            return -1
        return Fraction(sum(mine) - sum(yours), 4 * self.size)


class Fight(NamedTuple):
    """A state of `Dungeon`."""

    hero: int
    foe: int
    potions: int
    guard: bool
    turn: str
    die: str | None


DICE = {
    "strike": [("miss", Fraction(1, 4)), (1, Fraction(1, 2)), (3, Fraction(1, 4))],
    "smash": [("miss", Fraction(3, 5)), (4, Fraction(2, 5))],
    "claw": [("miss", Fraction(1, 3)), (2, Fraction(2, 3))],
    "bite": [("miss", Fraction(5, 8)), (3, Fraction(1, 4)), (5, Fraction(1, 8))],
}


class Dungeon:
    """A hero against a monster: hit points, potions, a shield and a heavy blow; 782 states."""

    title, utility_bounds = "Dungeon", (-1, 1)
    start = Fight(6, 7, 1, False, "max", None)

    def turn(self, s: Fight) -> str | None:
        if s.hero <= 0 or s.foe <= 0:
            return None
        return "chance" if s.die else s.turn

    def moves(self, s: Fight) -> list[Any]:
        if s.die:
            return list(DICE[s.die])
        if s.turn == "max":
            return ["strike", "smash", "guard"] + (["drink"] if s.potions else [])
        return ["claw", "bite", "rest"]

    def play(self, s: Fight, move: Any) -> Fight:
        if s.die:
            harm = 0 if move == "miss" else move
            if s.turn == "max":
                return s._replace(foe=max(0, s.foe - harm), turn="min", die=None)
            harm = max(0, harm - (2 if s.guard else 0))
            return s._replace(hero=max(0, s.hero - harm), turn="max", die=None, guard=False)
        if move == "guard":
            return s._replace(guard=True, turn="min")
        if move == "drink":
            return s._replace(hero=min(6, s.hero + 4), potions=s.potions - 1, turn="min")
        if move == "rest":
            return s._replace(foe=min(7, s.foe + 1), turn="max", guard=False)
        return s._replace(die=move)

    def value(self, s: Fight) -> Fraction | int:
        if s.foe <= 0:
            return 1
        if s.hero <= 0:
            return -1
        return Fraction(s.hero + 2 * s.potions, 8) / 2 - Fraction(s.foe, 7) / 2


class Draft:
    """Players take cards in turn, each after a coin has moved the price: few states meet again.

    A state is the cards that each side took, in their order, the price, and whether a coin flies.
    """

    title, utility_bounds = "Draft", (-80, 80)
    start: tuple[Any, ...] = ((), (), 3, True)
    cards = (9, 7, 6, 5, 4, 2)

    def turn(self, s: tuple[Any, ...]) -> str | None:
        mine, yours, _, flies = s
        if len(mine) + len(yours) == len(self.cards):
            return None
        return "chance" if flies else "max" if len(mine) == len(yours) else "min"

    def moves(self, s: tuple[Any, ...]) -> list[Any]:
        mine, yours, price, flies = s
        if flies:
            return [
                (price - 1, Fraction(1, 2)),
                (price, Fraction(1, 6)),
                (price + 2, Fraction(1, 3)),
            ]
        taken = {card for card, _ in (*mine, *yours)}
        return [card for card in self.cards if card not in taken]

    def play(self, s: tuple[Any, ...], move: int) -> tuple[Any, ...]:
        mine, yours, price, flies = s
        if flies:
            return mine, yours, move, False
        if len(mine) == len(yours):
            return (*mine, (move, price)), yours, price, True
        return mine, (*yours, (move, price)), price, True

    def value(self, s: tuple[Any, ...]) -> int:
        mine, yours, _, _ = s
        return sum(c - p for c, p in mine) - sum(c - p for c, p in yours)


class Nim:
    """Three heaps; a die limits how many may be taken, and who takes the last one wins."""

    title, utility_bounds = "Nim with a die", (-1, 1)
    start = ((5, 6, 7), 1, 0)

    def turn(self, s: tuple[Any, ...]) -> str | None:
        heaps, player, roll = s
        if not any(heaps):
            return None
        return "chance" if not roll else "max" if player > 0 else "min"

    def moves(self, s: tuple[Any, ...]) -> list[Any]:
        heaps, _, roll = s
        if not roll:
            return [(face, Fraction(1, 3)) for face in (1, 2, 3)]
        return [
            (place, count)
            for place, heap in enumerate(heaps)
            for count in range(1, min(heap, roll) + 1)
        ]

    def play(self, s: tuple[Any, ...], move: Any) -> tuple[Any, ...]:
        heaps, player, roll = s
        if not roll:
            return heaps, player, move
        left = list(heaps)
        left[move[0]] -= move[1]
        return tuple(left), -player, 0

    def value(self, s: tuple[Any, ...]) -> Fraction | int:
        heaps, player, _ = s
        if not any(heaps):
            return -player
        return Fraction(player * (sum(heaps) % 4 - 2), 8)
