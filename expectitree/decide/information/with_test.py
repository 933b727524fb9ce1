"""Write a test into a tree: a chance node over its signals, and what follows below each signal.

The test becomes one of the file's `events`, from which all probabilities follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from expectitree.base.errors import AnalysisError
from expectitree.base.expressions.syntax import Expression
from expectitree.base.numbers import escape
from expectitree.decide.information.beliefs import is_near
from expectitree.decide.information.find import nodes_of
from expectitree.tree.bayes import chances_of, free_name
from expectitree.tree.builder import Copy, label_at
from expectitree.tree.columns import CHANCE, TERMINAL
from expectitree.tree.events import Histories, define_probabilities, written_parameters
from expectitree.tree.formulas import Definition, Formulas
from expectitree.tree.model import Tree
from expectitree.tree.parameters import evaluated, raise_at

Likelihoods = Mapping[str, Mapping[str, Expression]]


def with_test(tree: Tree, name: str, likelihoods: Likelihoods) -> Tree:
    """Return the tree with a free test for an event, without `expect`.

    The root is a chance node over the signals. Below each signal is a copy of the tree, with the
    probabilities given the signal. The copies share inner nodes that play reaches after the event,
    or without it.

    Raises `AnalysisError` if the file does not define the event, and its nodes have different
    probabilities, so that there are other tests of it.
    """
    if tree.formulas is None or name not in tree.formulas.defined:
        tree, name = _with_prior(tree, name)
    formulas = tree.formulas or Formulas()
    of = formulas.defined[name].test_of
    if of:
        raise AnalysisError(
            f"{escape(name)} is a test of {escape(of)}, and a file cannot define a test of a test: "
            f"ask for {escape(of)}"
        )
    family = {name, *(test for test, one in formulas.defined.items() if one.test_of == name)}
    histories = Histories(tree, formulas.defined)
    before = {n for n, shown in histories if not isinstance(shown.get(name, ()), str)}
    copied = bytearray(len(tree))
    for n in range(len(tree)):
        below = any(copied[tree.columns.child[b]] for b in tree.branches_of(n))
        copied[n] = n in before and (below or formulas.events.get(n) in family)
    copy = _Tested(tree, likelihoods)
    test = copy.run(copied)
    taken = {*formulas.events.values(), *formulas.defined}
    own, _ = free_name(f"test of {name}", taken)
    copy.builder.formulas.events[test] = own
    defined = {**formulas.defined, own: Definition(test_of=name, likelihood=likelihoods)}
    tested = replace(copy.finish(), parameters=written_parameters(tree), expect=None)
    return evaluated(define_probabilities(tested, defined, raise_at(tested)))[0]


def _with_prior(tree: Tree, name: str) -> tuple[Tree, str]:
    """Return the tree with a definition of an event whose probabilities do not change, its name."""
    formulas, p = tree.formulas or Formulas(), tree.columns.probability
    nodes = sorted(nodes_of(tree, name), reverse=True)
    first = {tree.branch_label(nodes[0], b): b for b in tree.branches_of(nodes[0])}
    for n in nodes:
        if not all(is_near(p[b], p[first[tree.branch_label(n, b)]]) for b in tree.branches_of(n)):
            raise AnalysisError(
                f"{escape(tree.path_of(n))}: the probabilities of {escape(name)} are not those at "
                f"{escape(tree.path_of(nodes[0]))}, so the tree with a test cannot be written: "
                f"define {escape(name)} and its other tests under `events`"
            )
    if name not in formulas.events.values():
        name, _ = free_name(tree.path_of(nodes[0]), {*formulas.events.values(), *formulas.defined})
    prior = Definition(dict(zip(first, chances_of(tree, nodes[0]), strict=True)))
    events = {**formulas.events, **dict.fromkeys(nodes, name)}
    defined = {**formulas.defined, name: prior}
    return replace(tree, formulas=replace(formulas, events=events, defined=defined)), name


class _Tested(Copy):
    """A copy of a tree with a test.

    Attributes:
        given: The copy of each node given a signal, by signal and node.
    """

    def __init__(self, tree: Tree, likelihoods: Likelihoods) -> None:
        super().__init__(tree)
        self.likelihoods = likelihoods
        self.given: dict[tuple[str, int], int] = {}

    def run(self, copied: Sequence[int]) -> int:
        """Copy some nodes once for each signal, and the others once; return the node of the test.

        `copied` is [N] whether a node is copied for each signal; the root is.
        """
        tree, child, plain = self.tree, self.tree.columns.child, list[int]()
        for n in range(len(tree)):
            branches = tree.branches_of(n)
            if copied[n]:
                for signal in self.likelihoods:
                    self._add_given(signal, n, plain)
            plain.append(self.add(n, branches, [plain[child[b]] for b in branches]))
        signals = list(self.likelihoods)
        equal, _ = self.builder.distribution(None, len(signals))
        labels = [label_at(s, k) for k, s in enumerate(signals, start=1)]
        below = [self.given[s, tree.root_id] for s in signals]
        return self.builder.add_inner(CHANCE, below, equal, labels)

    def _add_given(self, signal: str, n: int, plain: list[int]) -> None:
        """Add the copy of a node given a signal."""
        tree, child, branches = self.tree, self.tree.columns.child, self.tree.branches_of(n)
        for c in {child[b] for b in branches}:
            if tree.columns.kind[c] == TERMINAL and (signal, c) not in self.given:
                self.given[signal, c] = self.add(c, (), ())  # shared terminals are hard to read
        children = [self.given.get((signal, child[b]), plain[child[b]]) for b in branches]
        self.given[signal, n] = self.add(n, branches, children)
