"""Random tree files in every spelling: the reader finds the tree that each one means.

The judge of what a file means is the rows from which `RandomText` wrote it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from files.samples import content_of, read
from files.test_schema import parsed_by_editor, schema_errors
from helpers import LONG
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_texts import RandomText

import expectitree as et
from expectitree.searches.engine import search_tree

FEATURES = {
    "yaml", "json", "alias", "ref", "list", "labels as keys", "label in a list",
    "probabilities as keys", "equally likely", "rest", "several rest", "percent", "fraction",
    "exponent", "decimal without digits on one side", "formula", "parameters",
    "parameter with a range", "bare terminal", "estimate",
    "event", "unknown utility", "bounds", "bounds at a terminal", "infinite end", "note at a node",
    "note at a branch", "title", "source", "reward", "cost", "expect",
    "$schema", "event with a prior", "attitude",
}  # fmt: skip
TEXTS = st.integers(0, 2**32 - 1).map(RandomText)


def without_expect(tree: et.Tree) -> list[object]:
    content = content_of(tree)
    return [*content[:3], *content[4:]]


def with_another_x(tree: et.Tree) -> Any:
    """Return the tree at another value of a parameter, or the kind of error that this causes."""
    try:
        return content_of(tree.with_parameters(x="5/2")) if tree.parameters else None
    except et.ExpectitreeError as error:  # for example, the probabilities no longer sum to 1
        return type(error)


@pytest.mark.slow
@given(drawn=TEXTS)
def test_every_spelling_gives_the_tree_that_it_means(drawn: RandomText) -> None:
    tree = et.loads(drawn.text, name=f"x.{drawn.suffix}")
    assert without_expect(tree) == without_expect(drawn.tree()), drawn.text
    events = tree.formulas.events
    assert {*events.values()} == drawn.named_events
    assert (tree.attitude is not None) == drawn.has_attitude
    if tree.unknown or tree.attitude is not None:  # the value is a certainty equivalent
        return
    value: Any = drawn.root_reward + definition(drawn.tree().root)
    for name in ("expectiminimax", "star2", "best-first"):
        found = search_tree(tree, name)
        assert abs(found.value - value) <= found.eps  # 0, unless the fractions become too long
    assert all(check.kept for check in et.verify(tree).checks)


@pytest.mark.slow
@given(drawn=TEXTS)
def test_every_spelling_is_valid_and_written_again_without_loss(drawn: RandomText) -> None:
    assert schema_errors(parsed_by_editor(drawn.text, f"x.{drawn.suffix}")) == []
    for exact in (True, False):
        tree = read(drawn.text, name=f"x.{drawn.suffix}", exact=exact)
        for format in ("yaml", "json"):
            text = et.dumps(tree, format)
            again = read(text, name=f"x.{format}", exact=exact)
            assert content_of(again) == content_of(tree), text
            assert again.parameters == tree.parameters
            assert with_another_x(again) == with_another_x(tree), text


@given(drawn=TEXTS)
def test_a_float_is_the_nearest_to_each_number(drawn: RandomText) -> None:
    """Formulas are computed in floats, so they may differ in their last digits."""
    if not drawn.features["formula"]:
        tree = read(drawn.text, exact=False, name=f"x.{drawn.suffix}")
        expected = drawn.tree(exact=False)
        for found, meant in zip(tree.columns.stored, expected.columns.stored, strict=True):
            assert len(found) == len(meant)
        numbers = sorted(map(str, tree.columns.utility))
        assert numbers == sorted(map(str, expected.columns.utility))


@pytest.mark.slow
def test_the_random_texts_have_every_feature() -> None:
    found: Counter[str] = Counter()
    for seed in range(400):
        found.update(set(+RandomText(seed).features))
    assert FEATURES - {name for name, count in found.items() if count >= 5} == set()
    assert set(found) == FEATURES


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(1_000), marks=pytest.mark.slow),
        pytest.param(range(1_000, 5_000), marks=LONG),
    ],
)
def test_many_random_texts(seeds: range) -> None:
    for seed in seeds:
        test_every_spelling_gives_the_tree_that_it_means.hypothesis.inner_test(RandomText(seed))
