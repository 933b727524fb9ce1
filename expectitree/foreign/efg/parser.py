"""The grammar of .efg files: from a text to a `Game`, whose nodes are in the order of the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from expectitree.base.errors import FileError
from expectitree.base.numbers import quote
from expectitree.foreign.efg.scanner import Scanner
from expectitree.text.phrases import plural

CHANCE = 0  # the number of chance among the players
_NODE = "a node: c (chance), p (of a player) or t (terminal)"


@dataclass(slots=True)
class Infoset:
    """The actions of some nodes, among which their player cannot distinguish."""

    number: int
    name: str
    actions: list[str]
    probabilities: list[str]  # of chance
    at: int
    nodes: list[int] = field(default_factory=list)  # where the nodes are in the text


@dataclass(slots=True)
class Outcome:
    """The payoffs at a node."""

    name: str
    payoffs: list[str]  # by player


@dataclass(slots=True)
class GameNode:
    """A node; a terminal has no information set."""

    at: int
    name: str
    player: int = CHANCE
    infoset: Infoset | None = None
    outcome: Outcome | None = None


@dataclass(slots=True)
class Game:
    """A game. Nodes come before those below them, in the order of the actions."""

    scanner: Scanner
    title: str
    players: list[str]
    players_at: int
    comment: str
    nodes: list[GameNode]
    infosets: Mapping[tuple[int, int], Infoset]  # by player and number

    def value(self, number: str) -> Fraction:
        """Return the value of a number."""
        return self.scanner.values[number]

    def error(self, at: int, message: str) -> FileError:
        """Return the error at a place of the text."""
        return self.scanner.error(at, message)


class Parser:
    """Parses one text."""

    def __init__(self, text: str, name: str) -> None:
        self.scanner = Scanner(text, name)
        self.infosets: dict[tuple[int, int], Infoset] = {}
        self.outcomes: dict[int, Outcome] = {}
        self.players: list[str] = []

    def game(self) -> Game:
        """Return the game of the whole text."""
        scanner = self.scanner
        for expected in (("EFG",), ("2",), ("R", "D")):
            if scanner.token == "NFG":
                found = "this is a strategic game of Gambit (.nfg)"
                raise scanner.error(scanner.at, f"{found}, expected an extensive game (.efg)")
            if scanner.token not in expected:
                raise scanner.wrong(f'{expected[0]}: a file begins with EFG 2 R "title"')
            scanner.take()
        title = scanner.string("the title")
        players_at = scanner.at
        scanner.sign("{", " before the players")
        while scanner.kind == "text":
            self.players.append(scanner.string("a player"))
        if not self.players:
            raise scanner.wrong("the name of a player in quotes")
        scanner.sign("}", " after the players")
        comment = scanner.string("a comment") if scanner.kind == "text" else ""
        nodes: list[GameNode] = []
        missing = 1
        while missing:
            if nodes and scanner.kind is None:
                count = plural(missing, "more node")
                raise scanner.wrong(f"{count}: each action leads to a node")
            nodes.append(self.node())
            infoset = nodes[-1].infoset
            missing += len(infoset.actions) - 1 if infoset else -1
        if scanner.kind is not None:
            raise scanner.wrong("the end of the file: each action already has its node")
        return Game(scanner, title, self.players, players_at, comment, nodes, self.infosets)

    def node(self) -> GameNode:
        """Parse a node without those below it."""
        scanner = self.scanner
        if scanner.token not in ("c", "p", "t"):
            hint = "; a comment is one text in quotes after the players"
            is_comment = scanner.token.startswith(("#", "//", "/*", ";", "%"))
            raise scanner.wrong(_NODE + hint * is_comment)
        at, letter = scanner.at, scanner.take()
        node = GameNode(at, scanner.string("the name of the node"))
        if letter != "t":
            if letter == "p":
                node.player = self.player()
            node.infoset = self.infoset(node.player)
            node.infoset.nodes.append(node.at)
        node.outcome = self.outcome()
        return node

    def player(self) -> int:
        """Parse the number of a player."""
        at = self.scanner.at
        player = self.scanner.integer("the number of a player")
        if not 1 <= player <= len(self.players):
            known = f"the players are 1 to {len(self.players)}"
            raise self.scanner.error(at, f"there is no player {player}: {known}")
        return player

    def infoset(self, player: int) -> Infoset:
        """Parse an information set: the description that it has the first time may be left out."""
        scanner, at = self.scanner, self.scanner.at
        number = scanner.integer("the number of an information set")
        known = self.infosets.get((player, number))
        if scanner.kind != "text" and not scanner.is_sign("{"):
            if known is None:
                message = f"information set {number} is new: write its name and its actions here"
                raise scanner.error(at, message)
            return known
        # OpenSpiel's files leave the name out.
        name = scanner.string("the name") if scanner.kind == "text" else ""
        scanner.sign("{", " before the actions")
        actions: list[str] = []
        probabilities: list[str] = []
        while scanner.kind == "text":
            actions.append(scanner.string("an action"))
            if player == CHANCE:
                probabilities.append(self.probability(actions[-1]))
        if not actions:
            raise scanner.wrong("the name of an action in quotes")
        scanner.sign("}", " or an action in quotes")
        found = Infoset(number, name, actions, probabilities, at)
        if known is None:
            self.infosets[player, number] = found
            return found
        if (name, actions, probabilities) != (known.name, known.actions, known.probabilities):
            raise scanner.error(at, _differs(f"information set {number}"))
        return known

    def probability(self, action: str) -> str:
        """Parse the probability of an action of chance."""
        at = self.scanner.at
        number = self.scanner.number(f"the probability of {quote(action)}")
        if not 0 <= self.scanner.values[number] <= 1:
            found = f"{quote(number)} is not a probability"
            raise self.scanner.error(at, f"{found}: write a number from 0 to 1")
        return number

    def outcome(self) -> Outcome | None:
        """Parse an outcome: the description that it has the first time may be left out."""
        scanner, at = self.scanner, self.scanner.at
        number = scanner.integer("the number of an outcome (0 if nothing is paid)")
        known = self.outcomes.get(number)
        if scanner.kind != "text":
            if known is None and number:
                example = f'{number} "" {{ {", ".join("0" for _ in self.players)} }}'
                message = (
                    f"outcome {number} is new: write its name and its payoffs, as in {example}"
                )
                raise scanner.error(at, message)
            return known
        if number == 0:
            raise scanner.error(at, "outcome 0 pays nothing: give one with payoffs another number")
        name = scanner.string("the name of the outcome")
        if known is not None and not scanner.is_sign("{"):
            message = (
                f"outcome {number} has a name but no payoffs here: write both, or only {number}"
            )
            raise scanner.error(at, message)
        scanner.sign("{", f" before the payoffs of outcome {number}")
        found = Outcome(name, self.payoffs())
        if known is None:
            self.outcomes[number] = found
            return found
        if found != known:
            raise scanner.error(at, _differs(f"outcome {number}"))
        return known

    def payoffs(self) -> list[str]:
        """Parse the payoffs of an outcome, up to the closing brace."""
        scanner, payoffs = self.scanner, list[str]()
        while scanner.kind == "word":
            payoffs.append(scanner.number("a payoff"))
            if scanner.is_sign(","):
                scanner.take()
        at = scanner.at
        scanner.sign("}", " or a payoff")
        if len(payoffs) != len(self.players):
            counts = f"{len(payoffs)} payoff{'s' * (len(payoffs) != 1)} for {len(self.players)}"
            found = f"found {counts} player{'s' * (len(self.players) != 1)}"
            is_more = len(payoffs) > len(self.players)
            hint = "write one for each player" + ", and decimals with a point" * is_more
            raise scanner.error(at, f"{found}: {hint}")
        return payoffs


def _differs(what: str) -> str:
    return f"{what} had another description before: repeat that one, or write only the number"
