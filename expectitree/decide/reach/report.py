"""The trace of a cohort: how likely play enters each node that repeats, by a number that counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from expectitree.base.errors import AnalysisError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, quote
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import composed
from expectitree.base.tree.report import TreeReport
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search


@dataclass(frozen=True)
class Stage:
    """What play enters while the counter has one number."""

    number: Number  # of the counter
    entered: Mapping[str, Any]  # by the name of a node: the probability of entering it
    ended: Any  # the probability that play has ended at an earlier number


@dataclass(frozen=True)
class ActionReach:
    """The trace after one action at the root."""

    action: str | None  # its label; None if no player decides at the root
    is_best: bool  # whether it is a best action
    stages: tuple[Stage, ...]  # in the order of the numbers


@dataclass(frozen=True)
class Reach(TreeReport):
    """How likely play enters each node that repeats; `reach` makes it.

        >>> import expectitree as et
        >>> text = "nodes: {a: {until: t = 2, chance: [{ref: a, with: {t: t + 1}}, 5]}}"
        >>> et.reach(et.loads(text + "\\nmax: [{ref: a, with: {t: 0}}]"), "t").names
        ('a',)

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        counter: The parameter that counts.
        names: The nodes that use the counter, by their names in the file.
        actions: One for each action at the root, in order.
    """

    question = "reach"
    has_plot = True

    counter: str
    names: tuple[str, ...]
    actions: tuple[ActionReach, ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each action and number."""
        return [
            {
                "file": self.file,
                "action": one.action,
                self.counter: stage.number,
                **stage.entered,
                "ended": stage.ended,
            }
            for one in self.actions
            for stage in one.stages
        ]


def reach(tree: Tree, counter: str, *, exact: bool = False, file: str = "") -> Reach:
    """Return how likely play enters each node that repeats, by the number of a counter.

        >>> import expectitree as et
        >>> text = "nodes: {a: {until: t = 2, chance: [{ref: a, with: {t: t + 1}}, 5]}}"
        >>> tree = et.loads(text + "\\nmax: [{ref: a, with: {t: 0}}]")
        >>> [(stage.entered, stage.ended) for stage in et.reach(tree, "t").actions[0].stages]
        [({'a': 1.0}, 0.0), ({'a': 0.5}, 0.5), ({'a': 0.25}, 0.75)]

    After each action at the root, play is optimal; of several best actions it takes the first.

    Args:
        tree: The tree, of a file in which nodes lead to themselves.
        counter: A parameter on which the repetition depends, such as `cycle`.
        exact: Return probabilities of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: The tree has no such counter.
        SearchError: As for `evaluate`.
    """
    states = tree.formulas.states
    counter = composed(counter)
    known = sorted({name for _, counts in states.values() for name in counts})
    if counter not in known:
        hint = f"the counters are {', '.join(known)}"
        hint = hint if known else "a node that repeats has one, as in `until: cycle = 20`"
        found = f"no node repeats by {quote(counter)}{did_you_mean(counter, known)}"
        raise AnalysisError(f"{found}\n{hint}")
    search = search_tree(tree)
    is_decision = tree.root.kind in PLAYERS
    branches: Sequence[int] = tree.branches_of(tree.root_id) if is_decision else [NONE]
    order = (n for n in tree.first_paths.order if counter in _counts(tree, n))
    names = tuple(dict.fromkeys(states[n][0] for n in order))
    number = partial(round_once, exact=exact and tree.exact)
    actions = tuple(
        ActionReach(
            None if b == NONE else tree.branch_label(tree.root_id, b),
            b == NONE or search.is_best(tree.root_id, b),
            tuple(_stages(search, b, counter, names, number)),
        )
        for b in branches
    )
    return Reach(file, tree, counter, names, actions)


def _counts(tree: Tree, n: int) -> Mapping[str, Number]:
    """Return the numbers of the counters at a node; none if it does not repeat."""
    return tree.formulas.states.get(n, ("", {}))[1]


def _stages(
    search: Search, branch: int, counter: str, names: Sequence[str], round_once: Any
) -> Iterator[Stage]:
    """Yield the stages after an action of the root; -1 is the tree itself."""
    tree = search.tree
    entered: dict[Number, dict[str, Number]] = {}
    ended: dict[Number | None, Number] = {}  # by the last number of the counter, if it had one
    for n, by_last in _reached(search, branch, counter):
        number = _counts(tree, n).get(counter)
        if number is not None:
            stage, name = entered.setdefault(number, {}), tree.formulas.states[n][0]
            stage[name] = stage.get(name, 0) + by_last[number]
        if tree.columns.kind[n] == Kind.TERMINAL:
            for last, p in by_last.items():
                ended[last] = ended.get(last, 0) + p
    first = next(iter(entered), 0)
    total = ended.get(None, Fraction(0))
    for number in sorted(entered, reverse=bool(entered) and first == max(entered)):
        stage = entered[number]
        shares = {name: round_once(stage.get(name, total * 0)) for name in names}
        yield Stage(number, shares, round_once(total))
        total += ended.get(number, 0)


def _reached(
    search: Search, branch: int, counter: str
) -> Iterator[tuple[int, dict[Number | None, Number]]]:
    """Yield each node after an action that play can reach, parents first.

    With it, yield the probability of reaching it by the last number of the counter on the way.
    """
    tree, columns = search.tree, search.tree.columns
    start = tree.root_id if branch == NONE else columns.child[branch]
    one: Number = columns.probability[0] * 0 + 1
    pending: dict[int, dict[Number | None, Number]] = {start: {None: one}}
    for n in range(start, -1, -1):
        by_last = pending.pop(n, None)
        if by_last is None:
            continue
        counts = _counts(tree, n)
        if counter in counts:
            by_last = {counts[counter]: sum(by_last.values())}
        yield n, by_last
        is_chance = columns.kind[n] == Kind.CHANCE
        for b in tree.branches_of(n) if is_chance else islice(search.best_branches(n), 1):
            share = columns.probability[b]
            if share:
                below = pending.setdefault(columns.child[b], {})
                for last, p in by_last.items():
                    below[last] = below.get(last, 0) + p * share
