"""Turn a tree into a game: MAX is player 1, MIN is player 2; rewards are inner outcomes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from expectitree.base.errors import TreeError
from expectitree.base.numbers import Number, escape, number_text, to_exact
from expectitree.base.tree.columns import Kind
from expectitree.base.tree.model import Tree
from expectitree.files.rows import Warn
from expectitree.foreign.shared import free_name
from expectitree.text.phrases import plural

# Gambit's labels are printable ASCII with single blanks within; a backslash could escape a quote.
_FIT = re.compile(r"[!-[\]-~]+(?: [!-[\]-~]+)*")
_UNFIT = re.compile(r"[^ -~]")


def write(tree: Tree, warn: Warn | None = None) -> Iterator[str]:
    """Yield the text of a tree without sharing; warn of labels and probabilities that change."""
    writer = _Writer(tree)
    yield from writer.lines()
    if warn is not None:
        for message in writer.changes():
            warn(message)


def fit(text: str) -> str:
    """Return a text as Gambit accepts it: printable ASCII, with single blanks within."""
    if _FIT.fullmatch(text):
        return text
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in plain if not unicodedata.combining(c)).replace("\\", "/")
    return " ".join(_UNFIT.sub("?", re.sub(r"\s", " ", plain)).split())


def quoted(text: str) -> str:
    """Return a text in quotes."""
    return '"' + text.replace('"', '\\"') + '"'


class _Writer:
    """Writes one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.has_min = Kind.MIN in tree.columns.kind
        self.renamed = self.repaired = 0  # labels, and chance nodes
        self.infosets = [0, 0, 0]  # written so far, of chance, MAX and MIN
        self.outcomes = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines, each node before those below it."""
        tree, child = self.tree, self.tree.columns.child
        players = '"MAX" "MIN"' if self.has_min else '"MAX"'
        yield f'EFG 2 R {quoted(fit(tree.title or ""))} {{ {players} }}\n""\n\n'
        stack: list[tuple[int, Number]] = [(tree.root_id, tree.root_reward)]
        while stack:
            n, reward = stack.pop()
            try:
                yield self.node(n, reward)
            except TreeError as error:
                raise TreeError(f"{escape(tree.path_of(n))}: {error}") from None
            stack += [(child[b], tree.reward_of(b)) for b in reversed(tree.branches_of(n))]

    def changes(self) -> Iterator[str]:
        """Yield a message about each kind of change."""
        title = self.tree.title or ""
        if self.renamed:
            count = plural(self.renamed, "label")
            yield f"Gambit's labels are printable ASCII: changed {count}"
        if fit(title) != title:
            yield "Gambit's titles are printable ASCII: changed the title"
        if self.repaired:
            count = plural(self.repaired, "chance node")
            found = "probabilities must sum to exactly 1: changed the last ones"
            yield f"{found} at {count} by rounding errors"

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
        outcome = self.outcome(reward) if reward else "0"
        return f'{who} {self.infosets[player]} "" {{ {" ".join(actions)} }} {outcome}\n'

    def outcome(self, *paid: Number) -> str:
        """Return a new outcome that pays MAX a sum."""
        self.outcomes += 1
        total: Number = paid[0] if not any(paid[1:]) else sum(map(to_exact, paid), Fraction(0))
        payoffs = [total, -total] if self.has_min else [total]
        texts = [self.number(payoff) for payoff in payoffs]
        return f'{self.outcomes} "" {{ {", ".join(texts)} }}'

    def labels(self, n: int) -> Sequence[str]:
        """Return the labels of a node's branches; labels that become equal get a number."""
        found: dict[str, None] = {}
        for b in self.tree.branches_of(n):
            label = self.tree.branch_label(n, b)
            unique = free_name(fit(label) or "?", found.__contains__, " ")
            found[unique] = None
            self.renamed += unique != label
        return [*found]

    def probabilities(self, values: Sequence[Number]) -> Sequence[str]:
        """Return probabilities that sum to exactly 1: the last possible one is adjusted."""
        exact = [to_exact(value) for value in values]
        difference = 1 - sum(exact)
        texts = [self.number(value) for value in values]
        if difference:
            at = max(at for at, p in enumerate(exact) if p and p + difference > 0)
            texts[at] = self.number(exact[at] + difference)
            self.repaired += 1
        return texts

    def number(self, value: Number) -> str:
        """Return a number exactly, as a decimal if the tree has floats."""
        if self.tree.exact or isinstance(value, float):
            return number_text(value)
        with localcontext() as context:
            context.prec = 1000
            return str(Decimal(value.numerator) / Decimal(value.denominator)).lower()
