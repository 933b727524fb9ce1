"""Blackjack for one player, with so many decks that the probabilities of cards stay the same."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

CARDS = [(card, Fraction(1, 13)) for card in range(1, 10)] + [(10, Fraction(4, 13))]
TURNS: dict[str, Literal["max", "chance"] | None] = {"end": None, "decision": "max"}
NATURAL = 22  # 21 points with two cards beat any other 21


class Hand(NamedTuple):
    """The points of a hand, 0 if they were above 21; `soft` if an ace counts 11."""

    points: int = 0
    soft: bool = False


class State(NamedTuple):
    """Both hands, and whose card or decision comes next."""

    player: Hand = Hand()
    dealer: Hand = Hand()
    # Cards: "first" and "second" to the player, "upcard" to the dealer, "hit" to the player, "hole"
    # and "draw" to the dealer. The player's "decision". Or the "end".
    next: str = "first"


class Blackjack:
    """Blackjack: come closer to 21 points than the dealer, but not above.

    The player draws cards ("hit") until she stands. Then the dealer draws until he has 17 points.
    The utility is 1 for a win, -1 for a loss, 1.5 for a natural. No doubling, no splitting.
    """

    title = "Blackjack"
    utility_bounds = (-1, 1.5)
    start = State()

    def turn(self, state: State) -> Literal["max", "chance"] | None:
        """Return "chance" for every card. The dealer has no choice."""
        return TURNS.get(state.next, "chance")

    def moves(self, state: State) -> list[Any]:
        """Return the cards with their probabilities, or what the player can do."""
        return ["hit", "stand"] if state.next == "decision" else CARDS

    def play(self, state: State, move: Any) -> State:
        player, dealer, now = state
        if now == "decision":
            return state._replace(next="hit" if move == "hit" else "hole")
        if now in ("upcard", "hole", "draw"):
            dealer = _draw(dealer, move, is_second=now == "hole")
        else:
            player = _draw(player, move, is_second=now == "second")
        return State(player, dealer, _next(player, dealer, now))

    def value(self, state: State) -> Fraction | int:
        """Return the payment at the end, and a guess before: 17 points are about even."""
        player, dealer = state.player.points, state.dealer.points
        if state.next != "end":
            return Fraction(player - 17, 10) if player > 11 else 0
        if player == NATURAL and dealer != NATURAL:
            return Fraction(3, 2)
        return (player > dealer) - (player < dealer)

    def label(self, state: State, move: Any) -> str:
        """Return a decision or a card; 10 is any card of 10 points."""
        return "ace" if move == 1 else str(move)

    def text(self, state: State) -> str:
        hands = {"you have": state.player, "the dealer has": state.dealer}
        shown = [f"{who} {'soft ' * hand.soft}{hand.points}" for who, hand in hands.items()]
        return f"{', '.join(shown)}; next: {state.next}"

    def parse(self, text: str) -> State:
        """Read the player's two cards and the dealer's card, such as "10 6 7"; an ace is 1."""
        state, cards = self.start, {str(card): card for card, _ in CARDS}
        for word in text.split():
            if word not in cards:
                raise ValueError(f"{word} is not a card: a card is 1 to 10")
            state = self.play(state, cards[word])
        if state.next not in ("decision", "hole"):
            raise ValueError("three cards are dealt before the first decision")
        return state


def _draw(hand: Hand, card: int, is_second: bool) -> Hand:
    points, soft = hand.points + card, hand.soft
    if card == 1 and points <= 11:
        points, soft = points + 10, True
    if points > 21:
        return Hand(points - 10) if soft else Hand()
    return Hand(NATURAL if points == 21 and is_second else points, soft)


def _next(player: Hand, dealer: Hand, now: str) -> str:
    if now in ("first", "second"):
        return "second" if now == "first" else "upcard"
    if now in ("upcard", "hit"):
        after = "hole" if player.points >= 21 else "decision"
        return after if player.points else "end"
    return "end" if player.points == NATURAL or not 0 < dealer.points < 17 else "draw"
