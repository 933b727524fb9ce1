"""What reports read from a search: which node asked for which."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from random_trees import EVERY, Case

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
