"""Round trips: write a tree, read it back, and check that it is the same."""

from __future__ import annotations

from random import Random

from decide.sensitivity.parameterised import random_tree
from files import test_random_texts, test_saving
from files.formats import test_arrow
from foreign import test_silverdecisions, test_written
from fuzz.cases import Target, draw_seed, from_tests
from fuzz.properties import among
from random_texts import RandomText

import expectitree as et
from expectitree.searches.engine import search_tree


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
        test_saving.test_independent_readers_agree_on_both_formats,
        test_random_texts.test_every_spelling_is_valid_and_written_again_without_loss,
        format=among("yaml", "json"),
        drawn=lambda random: RandomText(draw_seed(random)),
    ),
    "round-trip-formulas": from_tests(check_formulas, format=among("yaml", "json")),
    "round-trip-tables": from_tests(
        test_arrow.test_a_written_tree_is_read_back_unchanged,
        test_arrow.test_an_exact_tree_is_read_back_or_refused_with_a_path,
        format=among("arrow", "parquet"),
        rows=among(1, 2, 3, 1000),
    ),
    "round-trip-others": from_tests(
        test_written.test_random_trees_are_read_again,
        test_silverdecisions.test_values_are_those_of_every_rule,
        format=among("efg"),
    ),
}
