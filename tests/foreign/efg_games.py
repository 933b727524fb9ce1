"""Games as nested data, their texts in .efg, and the readable games of Gambit's repository.

Their shapes and numbers are those of the files at 8883f75, written anew here; names are our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = "str | int"
Payoffs: TypeAlias = "tuple[Number, ...]"


class T(NamedTuple):
    """A terminal; without payoffs it has outcome 0."""

    payoffs: Payoffs | None = None
    name: str = ""


class P(NamedTuple):
    """A node of a player, with a payment on entering it."""

    player: int
    children: Mapping[str, Any]
    paid: Payoffs | None = None
    name: str = ""


class C(NamedTuple):
    """A chance node: the children with their probabilities."""

    children: Mapping[str, tuple[Number, Any]]
    paid: Payoffs | None = None
    name: str = ""


Node: TypeAlias = "T | P | C"


@dataclass
class Text:
    """Writes a game: each node has its own information set, and equal outcomes have one number."""

    players: Sequence[str] = ("Ann", "Bob")
    title: str = "A game"
    comment: str | None = ""
    comma: str = ", "
    indent: str = ""
    outcomes: dict[Payoffs, int] = field(default_factory=dict)
    infosets: dict[int, int] = field(default_factory=dict)

    def of(self, root: Node) -> str:
        """Return the whole text."""
        players = " ".join(f'"{player}"' for player in self.players)
        comment = "" if self.comment is None else f'\n"{self.comment}"'
        lines = "\n".join(self.lines(root))
        return f'EFG 2 R "{self.title}" {{ {players} }}{comment}\n\n{lines}\n'

    def outcome(self, paid: Payoffs | None) -> str:
        """Return an outcome: its description only the first time."""
        if paid is None:
            return "0"
        if paid in self.outcomes:
            return str(self.outcomes[paid])
        self.outcomes[paid] = number = len(self.outcomes) + 1
        return f'{number} "Outcome {number}" {{ {self.comma.join(map(str, paid))} }}'

    def lines(self, node: Node) -> Iterator[str]:
        """Yield the lines of a node and of those below it."""
        if isinstance(node, T):
            yield f'{self.indent}t "{node.name}" {self.outcome(node.payoffs)}'
            return
        player = node.player if isinstance(node, P) else 0
        self.infosets[player] = number = self.infosets.get(player, 0) + 1
        head = f'p "{node.name}" {player}' if player else f'c "{node.name}"'
        if isinstance(node, C):
            actions = " ".join(f'"{label}" {p}' for label, (p, _) in node.children.items())
            below = [child for _, child in node.children.values()]
        else:
            actions = " ".join(f'"{label}"' for label in node.children)
            below = [*node.children.values()]
        yield f'{self.indent}{head} {number} "" {{ {actions} }} {self.outcome(node.paid)}'
        for child in below:
            yield from self.lines(child)


def win(utility: Number, total: Fraction = Fraction(0)) -> T:
    """Return a terminal of two players whose payoffs sum to a constant."""
    other = total - Fraction(utility)
    return T((utility, str(other) if other.denominator == 1 else str(float(other))))


MAX, MIN, LONE = partial(P, 1), partial(P, 2), partial(P, 1)


def centipede(takes: Sequence[str], last: str) -> Node:
    """Return a centipede game of constant sum 16/5."""
    node: Node = win(last, Fraction(16, 5))
    for place, take in reversed([*enumerate(takes)]):
        node = P(place % 2 + 1, {"take": win(take, Fraction(16, 5)), "pass": node})
    return node


def nim(stones: int, player: int = 1) -> Node:
    """Return Nim with one pile: who takes the last stone wins; a last stone is not played out."""
    if stones < 2:
        winner = player if stones else 3 - player
        return T((1, -1) if winner == 1 else (-1, 1), f"{stones} left")
    takes = range(1, min(stones, 2) + 1)
    children = {f"take {k}": nim(stones - k, 3 - player) for k in takes}
    return P(player, children, name=f"{stones} left")


TAKES = ("1.60", "1.20", "2.30", ".68", "2.69", ".38")


def toss(first: int) -> C:
    """Return a fair chance node over two following numbers."""
    return C({"heads": ("1/2", win(first)), "tails": ("1/2", win(first + 1))})


def win_or_lose(paid: Payoffs | None) -> Node:
    """Return the game with four decisions in which every play is won or lost."""
    extra = 0 if paid is None else 100
    other = 0 if paid is None else 50

    def leaf(utility: int) -> T:
        return T((utility + extra, -utility - other))

    low = MIN({"l": leaf(1), "r": leaf(-1)})
    inner = MAX({"L": low, "R": leaf(1)}, paid)
    return MIN({"a": inner, "b": MAX({"L": win(1), "R": win(-1)})})


class Game(NamedTuple):
    """A game in the EFG format, with its value and the number of its nodes."""

    text: str
    value: Fraction
    nodes: tuple[int, int, int]  # of chance, of players, terminals


def game(
    root: Node, value: Number, chance: int, moves: int, terminals: int, /, **settings: Any
) -> Game:
    return Game(Text(**settings).of(root), Fraction(value), (chance, moves, terminals))


ONE = {"players": ("Ann",)}
GAMES = {
    "nature_leaves_generic": game(
        MAX({
            "B": MIN({"r": toss(1), "l": toss(3)}),
            "T": MIN({"R": toss(5), "L": toss(7)}),
        }),
        "11/2", 4, 3, 8,
    ),
    "perfect_info_with_chance": game(
        MAX({
            "a": C({
                "L": ("0.5", MIN({"A": win(-2), "B": win(-2)})),
                "R": ("0.5", MIN({"C": win(-2), "D": win(-2)})),
            }),
            "b": win(-1),
        }),
        -1, 1, 3, 5,
    ),
    "chance_root_3_moves_only_one_nonzero_prob": game(
        C({
            "A": (1, LONE({"left": T((0,)), "right": T((1,))})),
            "B": (0, T((2,))),
            "C": (0, T((3,))),
        }),
        1, 1, 1, 4, **ONE,
    ),
    "two_player_perfect_info_win_lose_with_nonterm_outcomes": game(
        win_or_lose((-100, 50)), 1, 0, 4, 5
    ),
    "two_player_perfect_info_win_lose": game(win_or_lose(None), 1, 0, 4, 5),
    "centcs6": game(centipede(TAKES, "2.92"), "8/5", 0, 6, 7),
    "e10": game(nim(5), 1, 0, 7, 8, comment=None),
    "nim7": game(nim(7, 2), -1, 0, 20, 21, indent="  "),
    "perfect_recall": game(LONE({"1": T()}), 0, 0, 1, 1, **ONE),
}  # fmt: skip
