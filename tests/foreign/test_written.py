"""Trees that are written for other programs have the same nodes and values when they are read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from decide.sensitivity.parameterised import random_tree
from helpers import ROOT, for_each
from random_trees import REWARDS, build, random_rows

import expectitree as et
from expectitree import Kind
from expectitree.base.tree.folding import unshare
from expectitree.searches.engine import search_tree

FORMATS = ("efg", "silverdecisions")
INNER_KINDS = {Kind.MAX, Kind.MIN, Kind.CHANCE}


def read_again(tree: et.Tree, format: str) -> tuple[et.Tree | None, list[str]]:
    """Return the tree that is read from what is written, and the warnings; None if refused."""
    warnings: list[str] = []
    is_refused = len(tree) == 1 or {*tree.columns.kind} >= INNER_KINDS
    if format != "efg" and is_refused:
        with pytest.raises(et.TreeError, match="cannot hold"):
            et.dumps(tree, format)
        return None, []
    text = et.dumps(tree, format, warn=warnings.append)
    return et.loads(text, format=format), warnings


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
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exact", [True, False])
def test_random_trees_are_read_again(seed: int, format: str, exact: bool) -> None:
    random = Random(seed)
    tree = unshare(build(random_rows(random, 0, random.choice(REWARDS)), exact=exact))
    again, _ = read_again(tree, format)
    if again is not None:
        check_nodes(tree, again, exact)


@for_each("seed", range(30), range(30, 150))
def test_random_trees_keep_their_values_at_other_parameters(seed: int) -> None:
    """As long as no formula is replaced by its value."""
    tree = random_tree(seed)
    again, warnings = read_again(tree, "silverdecisions")
    if again is None:
        return
    assert search_tree(again).value == search_tree(tree).value
    if any("values" in warning for warning in warnings):
        return
    for a, b in ((Fraction(1, 7), Fraction(2, 3)), (1, "0.1")):
        before, after = (search_tree(one.with_parameters(a=a, b=b)) for one in (tree, again))
        assert after.value == before.value


# Files of few lines, whose trees have 57,673 nodes and more when they are written out.
UNFOLDED = "pig", "pig-repeated"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.slow) if path.stem in UNFOLDED else path
        for path in sorted((ROOT / "trees").glob("*.yaml"))
    ],
    ids=lambda path: path.stem,
)
def test_example_trees_are_read_again(path: Path, format: str) -> None:
    """Also with the least value of each parameter."""
    tree = et.load(path)
    again, warnings = read_again(tree, format)
    if again is None:
        return
    assert search_tree(again).value == pytest.approx(search_tree(tree).value)
    if not again.parameters or any("values" in warning for warning in warnings):
        return
    assert len(again.parameters) == len(tree.parameters)
    for name, parameter in tree.parameters.items():
        if parameter.range and not parameter.bases and name in again.parameters:
            least = {name: parameter.range[0]}
            before, after = (search_tree(one.with_parameters(**least)) for one in (tree, again))
            assert after.value == pytest.approx(before.value)
