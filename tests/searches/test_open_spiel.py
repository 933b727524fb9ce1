"""Searches compared with OpenSpiel for values and with a literal implementation for visits.

`LiteralSearch` is a recursive *-minimax search without running sums. In exact mode both must visit
the same nodes equally often and find the same intervals.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import PRUNED, Case, build, random_rows

from expectitree import Kind, Node, Tree, dumps, evaluate
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY, Number
from expectitree.base.tree.columns import Bounds

OPENSPIEL_TREES = 300


@pytest.mark.extra
def test_openspiel_computes_the_same_values() -> None:
    import pyspiel
    from open_spiel.python.algorithms.minimax import expectiminimax

    compared, seed = 0, 0
    while compared < OPENSPIEL_TREES:
        tree = build(random_rows(Random(seed)), exact=False)
        seed += 1
        if len(tree) == 1:  # OpenSpiel does not accept a game without moves.
            continue
        state = pyspiel.load_efg_game(dumps(tree, "efg")).new_initial_state()
        value, _ = expectiminimax(state, 1000, lambda _: float("nan"), 0)
        assert evaluate(tree).value == pytest.approx(value, rel=1e-9, abs=1e-9), f"seed {seed - 1}"
        assert evaluate(tree, "star2").value == pytest.approx(value, rel=1e-9, abs=1e-9), (
            f"seed {seed - 1}"
        )
        compared += 1


class LiteralSearch:
    """Star1, Star2 and Star2.5 as the design describes them, in exact numbers."""

    def __init__(self, tree: Tree, chosen: Algorithm, bounds: Bounds) -> None:
        self.columns, self.chosen = tree.columns, chosen
        self.lower, self.upper = tree.inherited_bounds(bounds)
        self.visits = [0] * len(tree)
        self.windows: dict[int, Bounds] = {}  # Windows of the last visit of each inner node.
        self.cuts = 0

    def satisfies(self, node: Node, alpha: Number, beta: Number) -> bool:
        lower, upper = self.lower[node.id], self.upper[node.id]
        return lower == upper or upper <= alpha or lower >= beta

    def skip_or_enter(self, node: Node, alpha: Number, beta: Number) -> None:
        if not self.satisfies(node, alpha, beta):
            self.enter(node, alpha, beta)

    def enter(self, node: Node, alpha: Number, beta: Number, probe: int | None = None) -> None:
        """Search a node in a window; with `probe`, only its child of that place."""
        self.visits[node.id] += 1
        if node.kind == Kind.TERMINAL:
            self.lower[node.id] = self.upper[node.id] = self.columns.utility[node.id]
            return
        self.windows[node.id] = alpha, beta
        if node.kind == Kind.CHANCE:
            self.enter_chance(node, alpha, beta)
        else:
            self.enter_player(node, alpha, beta, probe)

    def enter_player(self, node: Node, alpha: Number, beta: Number, probe: int | None) -> None:
        is_max = node.kind == Kind.MAX
        children = list(node.children) if probe is None else [node.children[probe]]
        best = -INFINITY if is_max else INFINITY
        found: list[
            Bounds
        ] = []  # The interval after each visit, which a later visit of a shared node may narrow.
        for child in children:
            if is_max:
                self.skip_or_enter(child, max(alpha, best), beta)
                best = max(best, self.lower[child.id])
            else:
                self.skip_or_enter(child, alpha, min(beta, best))
                best = min(best, self.upper[child.id])
            found.append((self.lower[child.id], self.upper[child.id]))
            if best >= beta if is_max else best <= alpha:
                break
        left = children[len(found) :]
        if probe is None:
            self.count_cut(left)
        lower, upper = (max(ends) if is_max else min(ends) for ends in zip(*found, strict=True))
        whole = probe is None and not left
        # An unsearched child may be better for the player, so only one end is proved.
        self.narrow(
            node,
            lower if whole or is_max else -INFINITY,
            upper if whole or not is_max else INFINITY,
        )

    def enter_chance(self, node: Node, alpha: Number, beta: Number) -> None:
        written = self.columns.probability[
            self.columns.first[node.id] :
        ]  # of the following nodes too
        outcomes = [
            (p, branch.child) for p, branch in zip(written, node.branches, strict=False) if p > 0
        ]
        known = [(p * self.lower[child.id], p * self.upper[child.id]) for p, child in outcomes]

        def search_outcome(i: int, probe: int | None) -> bool:
            """Search or probe an outcome, update its contribution, and return whether that cuts."""
            p, child = outcomes[i]
            low_without = sum(low for j, (low, _) in enumerate(known) if j != i)
            high_without = sum(high for j, (_, high) in enumerate(known) if j != i)
            window = ((alpha - high_without) / p, (beta - low_without) / p)
            if not self.chosen.chance_cuts:
                window = -INFINITY, INFINITY
            if probe is None:
                self.skip_or_enter(child, *window)
            else:
                self.enter(child, *window, None if child.kind == Kind.TERMINAL else probe)
            for j, (q, other) in enumerate(outcomes):
                if other == child:  # of all outcomes that share it
                    known[j] = (q * self.lower[child.id], q * self.upper[child.id])
            return is_cut()

        def is_cut() -> bool:
            if not self.chosen.chance_cuts:
                return False
            return sum(high for _, high in known) <= alpha or sum(low for low, _ in known) >= beta

        def search() -> list[Node]:
            """Return the children that a cut skipped."""
            if is_cut():
                return [child for _, child in outcomes]
            places = [(i, r) for i in range(len(outcomes)) for r in range(self.chosen.probes)]
            if self.chosen.probe_order == "cyclic":
                places.sort(key=lambda place: place[1])
            for i, r in places:
                child = outcomes[i][1]
                there = r == 0 if child.kind == Kind.TERMINAL else r < len(child.children)
                exact = self.lower[child.id] == self.upper[child.id]
                if child.kind != Kind.CHANCE and there and not exact and search_outcome(i, r):
                    return [child for _, child in outcomes]
            for i in range(len(outcomes)):
                if search_outcome(i, None):
                    return [child for _, child in outcomes[i + 1 :]]
            return []

        self.count_cut(search())
        ends = [(p * self.lower[child.id], p * self.upper[child.id]) for p, child in outcomes]
        self.narrow(node, sum(low for low, _ in ends), sum(high for _, high in ends))

    def count_cut(self, left: list[Node]) -> None:
        self.cuts += any(self.lower[child.id] < self.upper[child.id] for child in left)

    def narrow(self, node: Node, lower: Number, upper: Number) -> None:
        self.lower[node.id] = max(self.lower[node.id], lower)
        self.upper[node.id] = min(self.upper[node.id], upper)


@pytest.mark.slow
@given(case=st.builds(Case, seed=st.integers(0, 2**32 - 1)))
def test_the_search_equals_a_literal_implementation(case: Case) -> None:
    tree = case.tree()
    for chosen in PRUNED:
        for found in (case.run(chosen).unrounded, case.run_in_window(chosen).unrounded):
            window = found.root_bounds if len(tree) == 1 else (found.alpha[-1], found.beta[-1])
            literal = LiteralSearch(tree, chosen, found.root_bounds)
            literal.enter(tree.root, *window)
            if tree.is_sharing:  # a literal sum is never stale, so it may prune a little more
                assert sum(found.visits) >= 0.9 * sum(literal.visits)
                continue
            assert list(found.visits) == literal.visits
            assert found.lower == literal.lower
            assert found.upper == literal.upper
            assert {n: (found.alpha[n], found.beta[n]) for n in literal.windows} == literal.windows
            assert found.cuts == literal.cuts
