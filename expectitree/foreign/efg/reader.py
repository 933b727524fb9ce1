"""Turn a game into a tree: one player is MAX, the other MIN; inner outcomes are rewards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from expectitree.base.errors import FileError, TransformError, TreeError
from expectitree.base.numbers import Number, exact_text, float_column, message_text, quote
from expectitree.files.rows import Warn
from expectitree.foreign.efg.parser import CHANCE, Game, GameNode, Infoset, Parser
from expectitree.text.phrases import plural
from expectitree.tree.builder import EXACT_NODES, NodeId, TreeBuilder, label_at
from expectitree.tree.columns import Kind
from expectitree.tree.model import Tree


def read(
    text: str,
    name: str,
    warn: Warn | None = None,
    exact_nodes: int = EXACT_NODES,
    *,
    max_player: str | int | None = None,
    payoffs_of: str | int | None = None,
) -> Tree:
    """Return the tree of a game; raise `FileError` at its first error.

    `max_player` and `payoffs_of` are names or numbers of players. With `payoffs_of`, that player is
    MAX, and MIN minimizes the same payoffs, even if the sum of the payoffs is not constant.
    """
    game = Parser(text, name).game()
    given = [option for option in (payoffs_of, max_player) if option is not None]
    chosen = [_player(game, str(option)) for option in given]
    if len(set(chosen)) > 1:
        raise TransformError(
            f"{name}: the payoffs are those of player {chosen[0]}, who is then MAX, and "
            f"--max-player names player {chosen[1]}: give one of them"
        )
    builder = TreeBuilder(exact_nodes=exact_nodes)
    reader = _Reader(game, chosen[0] if chosen else 1, warn or (lambda message: None), builder)
    reader.check_information()
    total = reader.total(is_any=payoffs_of is not None)
    return reader.tree(total)


def _player(game: Game, option: str) -> int:
    """Return the number of a player by number or name."""
    numbers = [str(number) for number in range(1, len(game.players) + 1)]
    for names in (numbers, game.players):
        if option in names:
            return names.index(option) + 1
    known = ", ".join(f"{k} {quote(name)}" for k, name in enumerate(game.players, start=1))
    raise TransformError(f"there is no player {quote(option)}: the players are {known}")


class _Reader:
    """Reads one game."""

    def __init__(self, game: Game, max_player: int, warn: Warn, builder: TreeBuilder) -> None:
        self.game, self.max_player, self.warn, self.builder = game, max_player, warn, builder
        self.min_player = self.other_player()  # None if only one player matters
        self.unlabelled = 0  # actions
        self.normalised = 0  # chance nodes

    def other_player(self) -> int | None:
        """Return the player who is MIN: who moves or is paid, but is not MAX."""
        game = self.game
        active = {node.player for node in game.nodes} - {CHANCE}
        for node in game.nodes:
            if node.outcome is not None:
                payoffs = enumerate(node.outcome.payoffs, start=1)
                active |= {player for player, payoff in payoffs if game.value(payoff)}
        others = sorted(active - {self.max_player})
        if len(others) > 1:
            message = f"found {len(game.players)} players; expectitree supports only MAX and MIN"
            raise game.error(game.players_at, message)
        return others[0] if others else None

    def check_information(self) -> None:
        """Raise `FileError` if a player cannot distinguish two nodes: at the first two of them."""
        sets = [(player, infoset) for (player, _), infoset in self.game.infosets.items() if player]
        hidden = [(infoset.nodes, player, infoset) for player, infoset in sets]
        nodes, player, infoset = min(
            (entry for entry in hidden if len(entry[0]) > 1), default=(None, 0, None)
        )
        if nodes is None or infoset is None:
            return
        who, name = f"player {player}", self.game.players[player - 1]
        who = f'player "{name}"' if name else who
        found = f"information set {infoset.number} of {who} has {len(nodes)} nodes"
        why = "the player cannot tell them apart (imperfect information)"
        only = "expectitree supports perfect information only"
        first = self.game.error(nodes[0], f"{found}: {why}; {only}")
        second = self.game.error(nodes[1], "this is the second node of the information set")
        raise FileError([*first.problems, *second.problems])

    def total(self, is_any: bool) -> Fraction:
        """Return the constant sum of the payoffs of MAX and MIN; 0 if one player matters.

        If the sum is not constant, raise `FileError`, or warn with `is_any`.
        """
        if self.min_player is None:
            return Fraction(0)
        first: tuple[Fraction, int] | None = None
        for node, total in self.totals():
            if first is None:
                first = total, node.at
            elif total != first[0]:
                return self.refuse_sum(first, (total, node.at), is_any)
        assert first is not None
        return first[0]

    def totals(self) -> Iterator[tuple[GameNode, Fraction]]:
        """Yield each terminal with the sum of the payoffs of MAX and MIN on the path to it."""
        pending = [Fraction(0)]  # what is paid above the nodes that come next
        for node in self.game.nodes:
            total = pending.pop()
            if node.outcome is not None:
                for player in (self.max_player, self.min_player or self.max_player):
                    total += self.game.value(node.outcome.payoffs[player - 1])
            if node.infoset is None:
                yield node, total
            else:
                pending += [total] * len(node.infoset.actions)

    def refuse_sum(
        self, first: tuple[Fraction, int], other: tuple[Fraction, int], is_any: bool
    ) -> Fraction:
        """Raise `FileError` about two terminals with different sums, or warn with `is_any`."""
        game = self.game
        if is_any:
            self.warn(
                f"{game.scanner.name}: the payoffs do not have a constant sum: player "
                f"{self.min_player} minimizes player {self.max_player}'s payoff"
            )
            return Fraction(0)
        texts = [
            f"{message_text(total)} at line {game.scanner.text.count(chr(10), 0, at) + 1}"
            for total, at in (other, first)
        ]
        hint = f"--payoffs-of {self.max_player} reads the payoffs of that player"
        message = f"not constant-sum: payoffs sum to {' and to '.join(texts)}: {hint}"
        raise game.error(other[1], message)

    # ---- The tree.

    def tree(self, total: Fraction) -> Tree:
        """Return the tree of the game; a note at its root has the constant sum if it is not 0."""
        game, builder = self.game, self.builder
        below: list[tuple[int, Number]] = []  # nodes without a parent yet, and what they pay
        for node in reversed(game.nodes):  # children come before their parents
            paid = self.payoff(node)
            if node.infoset is None:
                n, paid = builder.add_terminal(paid), Fraction(0)
            else:
                n = self.inner(node, node.infoset, below)
            notes = [node.name, node.outcome.name if node.outcome else ""]
            if node is game.nodes[0]:
                notes += [game.comment, f"the payoffs sum to {exact_text(total)}" if total else ""]
            note = "; ".join(dict.fromkeys(filter(None, notes)))
            builder.annotate(n, note=note or None)
            below.append((n, paid))
        self.report()
        root, reward = below[0]
        return builder.build(NodeId(root), reward=reward, title=game.title or None, check=False)

    def payoff(self, node: GameNode) -> Number:
        """Return what a node pays MAX."""
        payoffs = [] if node.outcome is None else [node.outcome.payoffs[self.max_player - 1]]
        return sum(self.numbers(payoffs))

    def numbers(self, texts: Sequence[str]) -> Sequence[Number]:
        """Return numbers as the builder holds them."""
        exact = [self.game.value(text) for text in texts]
        return exact if self.builder.exact else float_column(exact)

    def inner(self, node: GameNode, infoset: Infoset, below: list[tuple[int, Number]]) -> int:
        """Add an inner node over the last nodes in `below`."""
        children = [below.pop() for _ in infoset.actions]
        kind = Kind.MAX if node.player == self.max_player else Kind.MIN
        probabilities: Sequence[Number] | None = None
        if node.player == CHANCE:
            kind, probabilities = Kind.CHANCE, self.probabilities(infoset, node.at)
        return self.builder.add_inner(
            kind,
            [n for n, _ in children],
            probabilities,
            self.labels(infoset.actions),
            rewards={place: paid for place, (_, paid) in enumerate(children)},
        )

    def probabilities(self, infoset: Infoset, at: int) -> Sequence[Number]:
        """Return the probabilities of a chance node, divided by their sum if it is nearly 1."""
        written = self.numbers(infoset.probabilities)
        try:
            found, divisor = self.builder.distribution(written, len(written))
        except TreeError as error:
            sums = str(error).partition(":")[0]
            raise self.game.error(at, f"{sums}: correct the probabilities") from None
        self.normalised += divisor is not None
        return found

    def labels(self, actions: Sequence[str]) -> list[str | None]:
        """Return the labels of branches: an action, unless it is empty or a sibling has it too."""
        counts, labels = Counter(actions), list[str | None]()
        for place, action in enumerate(actions, start=1):
            label = action if counts[action] == 1 else ""
            try:
                labels.append(label_at(label, place))
            except TreeError:
                labels.append(None)
                self.unlabelled += 1
        return labels

    def report(self) -> None:
        """Warn of what was changed."""
        name = self.game.scanner.name
        if self.unlabelled:
            count = plural(self.unlabelled, "action")
            found = f"found {count} with no name, or with the name of a sibling"
            self.warn(f"{name}: {found}: they are called #1, #2, … by their places")
        if self.normalised:
            nodes = plural(self.normalised, "chance node")
            found = f"at {nodes} the probabilities sum to nearly 1"
            self.warn(f"{name}: {found}: each was divided by the sum")
