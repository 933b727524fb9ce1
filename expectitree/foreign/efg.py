"""Gambit's .efg: games of two players with perfect information and a constant sum.

One player is MAX, the other MIN; inner outcomes are rewards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from expectitree.base.errors import FileError, TransformError, TreeError, WarningText
from expectitree.base.numbers import (
    Number,
    escape,
    exact_text,
    message_text,
    number_text,
    quote,
    to_exact,
)
from expectitree.base.reading import float_column
from expectitree.base.tree.builder import NodeId, TreeBuilder
from expectitree.base.tree.columns import Kind
from expectitree.base.tree.model import Tree
from expectitree.files.grammar.document import mark_of
from expectitree.files.rows import Warn
from expectitree.foreign.efg_parser import CHANCE, Game, GameNode, Infoset
from expectitree.foreign.shared import free_name, labels_of, without_accents
from expectitree.text.phrases import plural


def read(text: str, name: str, warn: Warn, exact_nodes: int, max_player: str | int = 1) -> Tree:
    """Return the tree of a game; `max_player` is MAX's name or number. Raises `FileError`."""
    reader = _Reader(Game(text, name), str(max_player), TreeBuilder(exact_nodes=exact_nodes))
    reader.check_information()
    tree = reader.tree(reader.total())
    for message in reader.changes():
        warn(WarningText(name, message))
    return tree


def _player(game: Game, option: str) -> int:
    numbers = [str(number) for number in range(1, len(game.players) + 1)]
    names = numbers + game.players
    if option in names:
        return names.index(option) % len(numbers) + 1
    known = ", ".join(f"{k} {quote(name)}" for k, name in enumerate(game.players, start=1))
    raise TransformError(f"there is no player {quote(option)}\nthe players are {known}")


class _Reader:
    def __init__(self, game: Game, max_player: str, builder: TreeBuilder) -> None:
        self.game, self.builder = game, builder
        self.max_player = _player(game, max_player)
        self.min_player = self.other_player()  # None if only one player matters
        self.unlabelled = self.normalised = 0  # actions, and chance nodes

    def other_player(self) -> int | None:
        """Return the player who is MIN: who moves or is paid, but is not MAX."""
        game = self.game
        active = {node.player for node in game.nodes} - {CHANCE}
        for outcome in game.outcomes.values():
            payoffs = enumerate(outcome.payoffs, start=1)
            active |= {player for player, payoff in payoffs if payoff}
        others = sorted(active - {self.max_player})
        if len(others) > 1:
            raise game.error(
                game.players_at,
                f"found {len(game.players)} players; expectitree supports only MAX and MIN",
            )
        return others[0] if others else None

    def check_information(self) -> None:
        """Raise `FileError` if a player cannot distinguish two nodes: at the first two of them."""
        hidden = [
            (infoset.nodes, player, infoset.number)
            for (player, _), infoset in self.game.infosets.items()
            if player != CHANCE and len(infoset.nodes) > 1
        ]
        if not hidden:
            return
        nodes, player, number = min(hidden)
        name = self.game.players[player - 1]
        who = f'"{name}"' if name else f"{player}"
        first = self.game.error(
            nodes[0],
            f"information set {number} of player {who} has {len(nodes)} nodes: the player cannot "
            "tell them apart (imperfect information); expectitree supports perfect information "
            "only",
        )
        second = self.game.error(nodes[1], "this is the second node of the information set")
        raise FileError([*first.problems, *second.problems])

    def total(self) -> Fraction:
        """Return the constant sum of the payoffs of MAX and MIN; 0 if one player matters."""
        if self.min_player is None:
            return Fraction(0)
        pending = [Fraction(0)]  # what is paid above the nodes that come next
        sums: dict[Fraction, GameNode] = {}  # of payoffs, with the first terminal that has each
        for node in self.game.nodes:
            total = pending.pop()
            if node.outcome is not None:
                payoffs = node.outcome.payoffs
                total += payoffs[self.max_player - 1] + payoffs[self.min_player - 1]
            if node.infoset is not None:
                pending += [total] * len(node.infoset.actions)
            elif sums and total not in sums:
                [(constant, first)] = sums.items()
                lines = [mark_of(self.game.text, place.at)[0] for place in (node, first)]
                texts = f"{message_text(total)} at line {lines[0]}"
                texts += f" and to {message_text(constant)} at line {lines[1]}"
                raise self.game.error(
                    node.at,
                    f"not constant-sum: payoffs sum to {texts}\nexpectitree supports constant-sum "
                    "games only",
                )
            else:
                sums.setdefault(total, node)
        return next(iter(sums))

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
            notes = [node.name]
            if node.outcome:
                notes.append(node.outcome.name)
            if node is game.nodes[0]:
                notes += [game.comment, f"the payoffs sum to {exact_text(total)}" * bool(total)]
            builder.annotate(n, note="; ".join(dict.fromkeys(filter(None, notes))) or None)
            below.append((n, paid))
        root, reward = below[0]
        return builder.build(NodeId(root), reward=reward, title=game.title or None, check=False)

    def payoff(self, node: GameNode) -> Number:
        if node.outcome is None:
            return Fraction(0)
        return self.numbers([node.outcome.payoffs[self.max_player - 1]])[0]

    def numbers(self, exact: Sequence[Fraction]) -> Sequence[Number]:
        if self.builder.exact:
            return exact
        return float_column(exact)

    def inner(self, node: GameNode, infoset: Infoset, below: list[tuple[int, Number]]) -> int:
        """Add an inner node over the last nodes in `below`."""
        children = [below.pop() for _ in infoset.actions]
        kind = Kind.MAX if node.player == self.max_player else Kind.MIN
        probabilities: Sequence[Number] | None = None
        if node.player == CHANCE:
            kind, probabilities = Kind.CHANCE, self.probabilities(infoset, node.at)
        labels = labels_of(infoset.actions)
        for place, (action, label) in enumerate(zip(infoset.actions, labels, strict=True), 1):
            self.unlabelled += label is None and action != f"#{place}"
        return self.builder.add_inner(
            kind,
            [n for n, _ in children],
            probabilities,
            labels,
            rewards={place: paid for place, (_, paid) in enumerate(children)},
        )

    def probabilities(self, infoset: Infoset, place: int) -> Sequence[Number]:
        """Return the probabilities of a chance node, divided by their sum if it is nearly 1."""
        written = self.numbers(infoset.probabilities)
        try:
            probabilities, divisor = self.builder.distribution(written, len(written))
        except TreeError as error:
            raise self.game.error(place, f"{error.reason}\ncorrect the probabilities") from None
        self.normalised += divisor is not None
        return probabilities

    def changes(self) -> Iterator[str]:
        if self.unlabelled:
            count = plural(self.unlabelled, "action")
            yield (
                f"found {count} with no name, or with the name of a sibling: they are called #1, "
                "#2, … by their places"
            )
        if self.normalised:
            nodes = plural(self.normalised, "chance node")
            yield f"at {nodes} the probabilities sum to nearly 1: each was divided by the sum"


# ---- Writing.

# Gambit's labels are printable ASCII with single blanks within; a backslash could escape a quote.
_FIT = re.compile(r"[!-[\]-~]+(?: [!-[\]-~]+)*")
_UNFIT = re.compile(r"[^ -~]")


def write(tree: Tree, warn: Warn) -> Iterator[str]:
    """Yield the text of a tree without sharing; warn of labels and probabilities that change."""
    writer = _Writer(tree)
    yield from writer.lines()
    for message in writer.changes():
        warn(message)


def fit(text: str) -> str:
    """Return a text as Gambit accepts it: printable ASCII, with single blanks within."""
    if _FIT.fullmatch(text):
        return text
    plain = without_accents(text).replace("\\", "/")
    return " ".join(_UNFIT.sub("?", re.sub(r"\s", " ", plain)).split())


def quoted(text: str) -> str:
    """Return a text in quotes."""
    return '"' + text.replace('"', '\\"') + '"'


class _Writer:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.players = ["MAX", "MIN"][: 1 + tree.has_min]
        self.renamed = self.repaired = 0  # labels, and chance nodes
        self.infosets = [0, 0, 0]  # written so far, of chance, MAX and MIN
        self.outcomes = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines, each node before those below it."""
        tree, child = self.tree, self.tree.columns.child
        players = " ".join(map(quoted, self.players))
        yield f'EFG 2 R {quoted(fit(tree.title or ""))} {{ {players} }}\n""\n\n'
        stack: list[tuple[int, Number]] = [(tree.root_id, tree.root_reward)]
        while stack:
            n, reward = stack.pop()
            try:
                yield self.node(n, reward)
            except TreeError as error:
                raise TreeError(f"{escape(tree.path_of(n))}: {error.lines}") from None
            stack += [(child[b], tree.reward_of(b)) for b in reversed(tree.branches_of(n))]

    def changes(self) -> Iterator[str]:
        title = self.tree.title or ""
        if self.renamed:
            count = plural(self.renamed, "label")
            yield f"Gambit's labels are printable ASCII: changed {count}"
        if fit(title) != title:
            yield "Gambit's titles are printable ASCII: changed the title"
        if self.repaired:
            count = plural(self.repaired, "chance node")
            yield (
                f"probabilities must sum to exactly 1: changed the last ones at {count} by "
                "rounding errors"
            )

    def node(self, n: int, reward: Number) -> str:
        """Return the line of a node with what is paid on entering it."""
        tree = self.tree
        kind, branches = tree.columns.kind[n], tree.branches_of(n)
        if kind == Kind.TERMINAL:
            return f't "" {self.outcome(tree.columns.utility[n], reward)}\n'
        player = (Kind.CHANCE, Kind.MAX, Kind.MIN).index(kind)
        self.infosets[player] += 1
        actions = [quoted(label) for label in self.labels(n)]
        who = f'p "" {player}'
        if kind == Kind.CHANCE:
            who = 'c ""'
            texts = self.probabilities([tree.columns.probability[b] for b in branches])
            actions = [f"{a} {p}" for a, p in zip(actions, texts, strict=True)]
        outcome = "0"
        if reward:
            outcome = self.outcome(reward)
        return f'{who} {self.infosets[player]} "" {{ {" ".join(actions)} }} {outcome}\n'

    def outcome(self, *paid: Number) -> str:
        """Return a new outcome that pays MAX a sum."""
        self.outcomes += 1
        total: Number = paid[0] if not any(paid[1:]) else sum(map(to_exact, paid), Fraction(0))
        texts = [self.number(payoff) for payoff in (total, -total)[: len(self.players)]]
        return f'{self.outcomes} "" {{ {", ".join(texts)} }}'

    def labels(self, n: int) -> Sequence[str]:
        """Return the labels of a node's branches; labels that become equal get a number."""
        labels: list[str] = []
        for b in self.tree.branches_of(n):
            label = self.tree.branch_label(n, b)
            unique = free_name(fit(label) or "?", labels, " ")
            labels.append(unique)
            self.renamed += unique != label
        return labels

    def probabilities(self, values: Sequence[Number]) -> Sequence[str]:
        """Return probabilities that sum to exactly 1: the last possible one is adjusted."""
        exact = [to_exact(value) for value in values]
        difference = 1 - sum(exact)
        texts = [self.number(value) for value in values]
        if difference:
            last = max(k for k, p in enumerate(exact) if p and p + difference > 0)
            texts[last] = self.number(exact[last] + difference)
            self.repaired += 1
        return texts

    def number(self, value: Number) -> str:
        """Return a number exactly, as a decimal if the tree has floats."""
        if self.tree.exact or isinstance(value, float):
            return number_text(value)
        with localcontext() as context:
            context.prec = 1000
            return str(Decimal(value.numerator) / Decimal(value.denominator)).lower()
