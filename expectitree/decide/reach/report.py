"""The trace of a cohort: how likely play enters each node that repeats, by a number that counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import Any, TypeAlias

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

_NO_STATE: tuple[str, Mapping[str, Number]] = "", {}
# Probabilities by a node's name, or by a number; None is before the first one.
Shares: TypeAlias = "defaultdict[Any, Number]"


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
    order = (states.get(n, _NO_STATE) for n in tree.first_paths.order)
    names = tuple(dict.fromkeys(name for name, counts in order if counter in counts))
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


def _stages(
    search: Search, branch: int, counter: str, names: Sequence[str], round_once: Any
) -> Iterator[Stage]:
    """Yield the stages after an action of the root; -1 is the tree itself."""
    tree, columns, states = search.tree, search.tree.columns, search.tree.formulas.states
    entered: defaultdict[Number, Shares] = defaultdict(partial(defaultdict, Fraction))
    ended: Shares = defaultdict(Fraction)  # by the last number of the counter
    start = tree.root_id if branch == NONE else columns.child[branch]
    # By node: the probability of reaching it, by the last number of the counter on the way.
    reached: defaultdict[int, Shares] = defaultdict(partial(defaultdict, Fraction))
    reached[start][None] = columns.probability[0] * 0 + 1
    for n in range(start, -1, -1):  # parents first
        by_last = reached.pop(n, None)
        if by_last is None:
            continue
        if counter in states.get(n, _NO_STATE)[1]:
            name, counts = states[n]
            number = counts[counter]
            by_last = defaultdict(Fraction, {number: sum(by_last.values())})
            entered[number][name] += by_last[number]
        branches: Iterable[int] = tree.branches_of(n)
        if columns.kind[n] in PLAYERS:
            branches = islice(search.best_branches(n), 1)
        for last, b in product(by_last, branches):
            if share := columns.probability[b]:
                reached[columns.child[b]][last] += by_last[last] * share
        if columns.kind[n] == Kind.TERMINAL:
            for last, p in by_last.items():
                ended[last] += p
    total = ended[None]
    numbers = sorted(entered)
    if numbers[-1:] == [*entered][:1]:  # it counts down
        numbers.reverse()
    for number in numbers:
        shares = {name: round_once(entered[number][name]) for name in names}
        yield Stage(number, shares, round_once(total))
        total += ended[number]
