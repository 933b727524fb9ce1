"""Trees that are written for Gambit have the same nodes and values when they are read again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from helpers import ROOT, for_each
from random_trees import REWARDS, build, random_rows

import expectitree as et
from expectitree.base.tree.folding import unshare
from expectitree.searches.engine import search_tree


def check_nodes(tree: et.Tree, again: et.Tree, exact: bool) -> None:
    """Compare kinds, probabilities and values of all nodes, parents first.

    Values include what a branch pays, which moves into the utility of a terminal.
    """
    found = []
    for one in (tree, again):
        search, order = search_tree(one), one.first_paths.order
        kinds = [one.columns.kind[n] for n in order]
        branches = [one.first_paths.branch[n] for n in order][1:]
        shares = [float(one.columns.probability[b]) for b in branches]
        found.append((kinds, shares, [search.value_of(one.path_of(n)) for n in order]))
    (kinds, shares, values), (*expected, expected_values) = found
    assert kinds == expected[0]
    assert shares == pytest.approx(expected[1])
    near = pytest.approx(expected_values, rel=1e-12, abs=1e-9)
    assert values == (expected_values if exact else near)


@for_each("seed", range(40), range(40, 200))
@pytest.mark.parametrize("exact", [True, False])
def test_random_trees_are_read_again(seed: int, exact: bool) -> None:
    random = Random(seed)
    tree = unshare(build(random_rows(random, 0, random.choice(REWARDS)), exact=exact))
    check_nodes(tree, et.loads(et.dumps(tree, "efg")), exact)


# Files of few lines, whose trees have 57,673 nodes and more when they are written out.
UNFOLDED = "pig", "pig-repeated"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow) if path.stem in UNFOLDED else path
        for path in sorted((ROOT / "trees").glob("*.yaml"))
    ],
    ids=lambda path: path.stem,
)
def test_example_trees_are_read_again(path: Path) -> None:
    tree = et.load(path)
    again = et.loads(et.dumps(tree, "efg"))
    assert search_tree(again).value == pytest.approx(search_tree(tree).value)
