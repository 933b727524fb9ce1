"""The nodes that a picture shows: the rows of an outline, without notes that save no room."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.evaluate.outline import Row, outline
from expectitree.base.tree.model import Tree
from expectitree.searches.result import Search

_FOLDED = (1, 0.8, 0.65, 0.5, 0.4)  # rows for each node wanted, where leaves have no rows
_MAX_LEAVES = 40  # of a node that are drawn
_FEW_LEAVES = 2  # take no more room than a note


def picture_rows(search: Search, most: int | None, folded: bool) -> Iterator[Row]:
    """Yield rows of about as many nodes as wanted, parents first.

    A node whose branches are all left out has a row for a note, too. Where `folded`, the leaves
    of one node count as one.
    """
    for row in _chosen(search, most, folded):
        if row.node < 0:
            yield from _note_or_leaves(search.tree, row)
            continue
        yield row
        if row.is_first and (row.hidden_branches or row.is_folded):
            branches = search.tree.branches_of(row.node)
            note = row._replace(
                node=-1, parent=row.node, branch=branches.start, is_first=False,
                hidden=row.hidden or len(branches) * row.is_folded, hidden_branches=len(branches),
            )  # fmt: skip
            yield from _note_or_leaves(search.tree, note)


def _chosen(search: Search, most: int | None, folded: bool) -> list[Row]:
    if folded and most and most < len(search.tree):
        for share in _FOLDED:
            rows = list(outline(search, round(most * share), folded=True))
            if sum(_room(search.tree, row) for row in rows) <= most:
                return rows
    return list(outline(search, most, folded=False))


def _room(tree: Tree, row: Row) -> int:
    """Return the number of items that a row adds to the picture; leaves without texts are one."""
    if not row.is_folded:
        return row.node >= 0
    branches = tree.branches_of(row.node)
    have_texts = any(tree.label[b] or tree.reward_of(b) for b in branches)
    return 1 + max(1, have_texts * len(branches))


def _note_or_leaves(tree: Tree, note: Row) -> Iterator[Row]:
    """Yield the row of a note, after the leaves that it need not hide."""
    begin, end = note.branch, note.branch + note.hidden_branches
    child = tree.columns.child
    middle = note.branch
    are_few = end - begin <= _FEW_LEAVES and not any(tree.columns.kind[c] for c in child[begin:end])
    if note.is_folded or are_few:
        middle = min(end, begin + _MAX_LEAVES)
    for b in range(begin, middle):
        is_first = tree.is_first_path(child[b], b)
        yield Row(child[b], note.parent, b, note.depth, False, is_first, False)
    if middle < end:
        hidden = note.hidden - (middle - begin)
        yield note._replace(branch=middle, hidden=hidden, hidden_branches=end - middle)
