"""What reports read from a search: which node asked for which, and what each cut left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from random_trees import EVERY, Case

from expectitree.searches.cuts import NO_CUTS, is_probing, is_unordered

CASES = st.builds(Case, seed=st.integers(0, 2**32 - 1))


@given(case=CASES)
def test_every_visited_node_but_the_root_was_asked_for_by_a_visited_parent(case: Case) -> None:
    for chosen in EVERY:
        search = case.run(chosen)
        tree, root = search.tree, search.tree.root_id
        assert search.asking(root) == (-1, -1)
        for n in range(root):
            # In order, a shared node counts as asked for on its first path, entered or not.
            if not search.visits[n] or chosen.in_order and tree.is_sharing:
                continue
            above, branch = search.asking(n)
            assert search.visits[above]
            assert branch in tree.branches_of(above)
            assert tree.columns.child[branch] == n


@given(case=CASES)
def test_every_cut_left_a_possible_child_that_is_not_exact(case: Case) -> None:
    for chosen in EVERY:
        search = case.run(chosen)
        tree, columns = search.tree, search.tree.columns
        for n in range(len(tree)):
            code, left = search.cut[n], search.branches_left(n)
            if code in NO_CUTS:
                assert not left
                continue
            assert left or tree.is_sharing  # another path may have made a shared child exact
            assert is_unordered(code) == (chosen.name == "best-first")
            assert all(columns.probability[b] > 0 for b in left)
            assert not any(search.is_exact(columns.child[b]) for b in left)
            if is_unordered(code):
                assert len({bool(search.visits[columns.child[b]]) for b in left}) <= 1
            elif not is_probing(code):
                assert all(b >= columns.first[n] + search.cut_after[n] for b in left)
