"""Round trips: write a tree, read it back, and check that it is the same."""

from __future__ import annotations

from random import Random

import pytest
from decide.sensitivity.parameterised import random_tree
from files import test_saving
from files.formats import test_arrow
from foreign import test_silverdecisions, test_silverdecisions_writer
from fuzz.cases import Target, draw_seed, from_tests
from fuzz.properties import among
from helpers import loads
from random_trees import REWARDS, Case, build, random_rows
from searches import test_unknown

import expectitree as et
from expectitree.searches.engine import search_tree
from expectitree.tree.folding import unshare


def check_other_program(seed: int, exact: bool, format: str) -> None:
    """Write a tree as .efg or for Radiant, and compare kinds and values with what is read."""
    random = Random(seed)
    tree = unshare(build(random_rows(random, 0, random.choice(REWARDS)), exact=exact))
    try:
        text = et.dumps(tree, format)
    except et.TreeError:
        assert format == "radiant"
        return
    # A file of Radiant does not say whether its decisions are MIN's.
    options = {"minimize": et.Kind.MIN in tree.columns.kind} if format == "radiant" else {}
    again = loads(text, format=format, exact=exact, **options)
    assert [node.kind for node, _ in again.walk()] == [node.kind for node, _ in tree.walk()]
    search, found = search_tree(tree), search_tree(again)
    for (_, one), (_, other) in zip(tree.walk(), again.walk(), strict=True):
        # Values include rewards, because .efg has the rewards of terminals in their payoffs.
        near = pytest.approx(search.value_of(one), rel=0 if exact else 1e-12, abs=1e-9)
        assert found.value_of(other) == near


def check_formulas(seed: int, format: str) -> None:
    """Write a tree with formulas, and set parameters of the tree that is read back."""
    random = Random(seed)
    tree = random_tree(seed)
    again = et.loads(et.dumps(tree, format), name=f"x.{format}")
    assert again.parameters == tree.parameters
    for _ in range(2):
        changed = {"a": random.choice(("0", "1/3", "1")), "b": random.choice(("1/7", "0.9"))}
        one, other = (search_tree(t.with_parameters(**changed)).value for t in (tree, again))
        assert one == other


TARGETS: dict[str, Target] = {
    "round-trip-text": from_tests(
        test_saving.test_a_written_tree_is_read_back_unchanged,
        test_saving.test_random_trees_and_their_mirrors_are_read_back_unchanged,
        test_saving.test_independent_readers_agree_on_both_formats,
        test_saving.test_json_evaluates_to_the_same_value_without_the_package,
        test_unknown.test_unknown_utilities_survive_a_round_trip,
        format=among("yaml", "json"),
        case=lambda random: Case(draw_seed(random)),
    ),
    "round-trip-formulas": from_tests(check_formulas, format=among("yaml", "json")),
    "round-trip-tables": from_tests(
        test_arrow.test_a_written_tree_is_read_back_unchanged,
        test_arrow.test_an_exact_tree_is_read_back_or_refused_with_a_path,
        test_arrow.test_random_trees_evaluate_to_the_same_result,
        format=among("arrow", "parquet"),
    ),
    "round-trip-silverdecisions": from_tests(
        test_silverdecisions_writer.test_random_trees_are_read_again,
        test_silverdecisions.test_values_are_those_of_every_rule,
    ),
    "round-trip-others": from_tests(check_other_program, format=among("efg", "radiant")),
}
