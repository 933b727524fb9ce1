"""The grammar of .efg files: from a text to a `Game`, whose nodes are in the order of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from expectitree.base.errors import FileError, NumberError
from expectitree.base.numbers import quote
from expectitree.base.reading import to_fraction
from expectitree.files.grammar.document import error_at
from expectitree.text.phrases import plural

CHANCE = 0  # the number of chance among the players
# Within a text, `\"` is a quote, and any other backslash is itself.
_TOKEN = re.compile(
    r'\s*+(?:(?P<text>"(?:[^"\\]++|\\"?+)*+")|(?P<sign>[{},])|(?P<word>[^\s{},"]++)|(?P<open>"))?+'
)
_INTEGER = re.compile(r"[0-9]{1,9}")
_NODE = "a node: c (chance), p (of a player) or t (terminal)\nbegin each node with one of these"
_PLAYERS = 'write the players as { "Ann" "Bob" }'
_PAYOFFS = "write one payoff for each player, as in { 1, -1 }"
_ACTIONS = 'write actions as { "left" "right" }, and those of chance as { "left" 1/4 "right" 3/4 }'


@dataclass(slots=True)
class Infoset:
    """The actions of some nodes, among which their player cannot distinguish."""

    number: int
    name: str
    actions: list[str]
    probabilities: list[Fraction]  # of chance
    nodes: list[int] = field(default_factory=list, compare=False)  # their places in the text


@dataclass(slots=True)
class Outcome:
    """The payoffs at a node, by player."""

    name: str
    payoffs: list[Fraction]


@dataclass(slots=True)
class GameNode:
    """A node; a terminal has no information set."""

    at: int
    name: str
    player: int = CHANCE
    infoset: Infoset | None = None
    outcome: Outcome | None = None


class Game:
    """The game of one text; raises `FileError` at the first error."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        # The kind of the next token: "text", "sign" or "word", and None at the end.
        self.kind: str | None = None
        self.token, self.at, self.end = "", 0, 0  # the next token, as written, and its place
        self.values: dict[str, Fraction] = {}  # of the numbers read
        self.infosets: dict[tuple[int, int], Infoset] = {}  # by player and number
        self.outcomes: dict[int, Outcome] = {}
        self.players: list[str] = []
        self.nodes: list[GameNode] = []  # parents first, in the order of the actions
        self.take()
        self.read_head()
        self.read_nodes()

    def read_head(self) -> None:
        """Read what is before the nodes."""
        for expected in (("EFG",), ("2",), ("R", "D")):
            if self.token == "NFG":
                raise self.error(
                    self.at,
                    "this is a strategic game of Gambit (.nfg), expected an extensive game (.efg)",
                )
            if self.token not in expected:
                raise self.wrong(f'{expected[0]}\na file begins with EFG 2 R "title"')
            self.take()
        self.title = self.string("the title")
        self.players_at = self.at
        self.sign("{", f" before the players\n{_PLAYERS}")
        while self.kind == "text":
            self.players.append(self.string("a player"))
        if not self.players:
            raise self.wrong(f"the name of a player in quotes\n{_PLAYERS}")
        self.sign("}", f" after the players\n{_PLAYERS}")
        self.comment = self.string("a comment") if self.kind == "text" else ""

    def read_nodes(self) -> None:
        """Read all nodes."""
        missing = 1
        while missing:
            if self.nodes and self.kind is None:
                count = plural(missing, "more node")
                raise self.wrong(f"{count}\neach action leads to a node")
            node = self.node()
            self.nodes.append(node)
            missing += len(node.infoset.actions) - 1 if node.infoset else -1
        if self.kind is not None:
            raise self.wrong("the end of the file\neach action already has its node")

    def node(self) -> GameNode:
        """Read a node without those below it."""
        if self.token not in ("c", "p", "t"):
            hint = "; a comment is one text in quotes after the players"
            is_comment = self.token.startswith(("#", "//", "/*", ";", "%"))
            raise self.wrong(_NODE + hint * is_comment)
        at, letter = self.at, self.take()
        node = GameNode(at, self.string("the name of the node"))
        if letter == "p":
            node.player = self.player()
        if letter != "t":
            node.infoset = self.infoset(node.player)
            node.infoset.nodes.append(node.at)
        node.outcome = self.outcome()
        return node

    def player(self) -> int:
        """Read the number of a player."""
        hint = f"the players are 1 to {len(self.players)}"
        at, player = self.at, self.integer("the number of a player", hint)
        if not 1 <= player <= len(self.players):
            raise self.error(at, f"there is no player {player}\n{hint}")
        return player

    def infoset(self, player: int) -> Infoset:
        """Read an information set, whose actions may be left out after the first time."""
        hint = "number the information sets of each player from 1"
        at, number = self.at, self.integer("the number of an information set", hint)
        known = self.infosets.get((player, number))
        if self.kind != "text" and not self.is_sign("{"):
            if known is None:
                raise self.error(
                    at, f"information set {number} is new\nwrite its name and its actions here"
                )
            return known
        # OpenSpiel's files leave the name out.
        name = self.string("the name") if self.kind == "text" else ""
        self.sign("{", f" before the actions\n{_ACTIONS}")
        found = Infoset(number, name, [], [])
        while self.kind == "text":
            found.actions.append(self.string("an action"))
            if player == CHANCE:
                found.probabilities.append(self.probability(found.actions[-1]))
        if not found.actions:
            raise self.wrong(f"the name of an action in quotes\n{_ACTIONS}")
        self.sign("}", f" or an action in quotes\n{_ACTIONS}")
        if known is not None and found != known:
            raise self.error(at, _differs(f"information set {number}"))
        return self.infosets.setdefault((player, number), found)

    def probability(self, action: str) -> Fraction:
        """Read the probability of an action of chance."""
        at, text = self.at, self.token
        number = self.number(f"the probability of {quote(action)}")
        if not 0 <= number <= 1:
            raise self.error(at, f"{quote(text)} is not a probability\nwrite a number from 0 to 1")
        return number

    def outcome(self) -> Outcome | None:
        """Read an outcome, whose payoffs may be left out after the first time."""
        at, number = self.at, self.integer("the number of an outcome", "write 0 if nothing is paid")
        known = self.outcomes.get(number)
        if self.kind != "text":
            if known is None and number:
                raise self.error(
                    at, f"outcome {number} is new\nwrite its name and its payoffs here"
                )
            return known
        if number == 0:
            raise self.error(at, "outcome 0 pays nothing\ngive one with payoffs another number")
        name = self.string("the name of the outcome")
        self.sign("{", f" before the payoffs of outcome {number}\n{_PAYOFFS}")
        outcome = Outcome(name, self.payoffs())
        if known is not None and outcome != known:
            raise self.error(at, _differs(f"outcome {number}"))
        return self.outcomes.setdefault(number, outcome)

    def payoffs(self) -> list[Fraction]:
        """Read the payoffs of an outcome, up to the closing brace."""
        payoffs = []
        while self.kind == "word":
            payoffs.append(self.number("a payoff"))
            if self.is_sign(","):
                self.take()
        at = self.at
        self.sign("}", f" or a payoff\n{_PAYOFFS}")
        if len(payoffs) != len(self.players):
            counts = f"{plural(len(payoffs), 'payoff')} for {plural(len(self.players), 'player')}"
            hint = "write one for each player"
            if len(payoffs) > len(self.players):
                hint += ", and decimals with a point"
            raise self.error(at, f"found {counts}\n{hint}")
        return payoffs

    # ---- Tokens; `what` completes "expected …".

    def take(self) -> str:
        """Return the next token, and go on."""
        token, match = self.token, _TOKEN.match(self.text, self.end)
        assert match is not None
        self.end = match.end()
        self.kind = kind = match.lastgroup
        self.token, self.at = "", self.end
        if kind is not None:
            self.token, self.at = match[kind], match.start(kind)
        if kind == "open":
            raise self.error(self.at, 'this text does not end\nclose it with a quote (")')
        return token

    def string(self, what: str) -> str:
        """Return the next token, a text, without its quotes."""
        if self.kind != "text":
            raise self.wrong(f'{what} in quotes\nwrite "" if it is empty')
        return self.take()[1:-1].replace('\\"', '"')

    def sign(self, sign: str, what: str) -> None:
        """Go on after the next token, a brace."""
        if not self.is_sign(sign):
            raise self.wrong(f"{sign}{what}")
        self.take()

    def is_sign(self, sign: str) -> bool:
        """Return whether the next token is a brace or a comma."""
        return self.kind == "sign" and self.token == sign

    def integer(self, what: str, hint: str) -> int:
        """Return the next token, an integer of at least 0."""
        if not _INTEGER.fullmatch(self.token):
            raise self.wrong(f"{what}, an integer\n{hint}")
        return int(self.take())

    def number(self, what: str) -> Fraction:
        """Return the next token, a number."""
        if self.kind != "word":
            raise self.wrong(f"{what}, a number\nwrite it here, such as 1/4 or 0.25")
        if self.token not in self.values:
            try:
                self.values[self.token] = to_fraction(self.token)
            except NumberError as error:
                raise self.error(self.at, f"{what}: {error.lines}") from None
        return self.values[self.take()]

    def wrong(self, expected: str) -> FileError:
        """Return the error for a token other than the expected one."""
        found = "the end of the file" if self.kind is None else quote(self.token)
        if "\n" in self.token:  # a text goes on, because the one before it does not end
            expected = f"{expected.splitlines()[0]}\nclose the text before it with a quote"
        return self.error(self.at, f"found {found}, expected {expected}")

    def error(self, at: int, message: str) -> FileError:
        """Return the error at a place of the text."""
        return error_at(self.text, at, self.name, message)


def _differs(what: str) -> str:
    return f"{what} had another description before\nrepeat that one, or write only the number"
