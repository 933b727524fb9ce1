"""Differential targets: compare results with independent definitions, those of the tests."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from base.expressions import test_evaluation
from base.tree import test_adopt, test_folding, test_transform
from decide import test_flip
from decide.ask import test_inquiry
from decide.frontier import test_frontier
from decide.information import test_joint_distribution
from decide.rescale import test_rescale
from decide.risk import test_risk
from decide.sensitivity import test_everywhere, test_thresholds
from files import test_criteria, test_replacing
from foreign import test_csv
from fuzz.cases import Target, draw_case, draw_seed, from_tests
from games import test_random_games
from lab.limit import test_limit
from random_trees import BEST_FIRST, EVERY, Case
from searches import test_attitude, test_contract, test_engines, test_rewards

import expectitree as et
from expectitree.base.expressions.syntax import Expression


def among(*values: Any) -> Callable[[Random], Any]:
    """Return a function that draws one of some values."""
    return lambda random: random.choice(values)


def draw_small_case(random: Random) -> Case:
    """Return a tree without shared nodes, of so few leaves that a test can try all their sets."""
    while True:
        case = draw_case(random)
        if 1 < case.tree().leaves <= 8 and not case.tree().is_sharing:
            return case


def draw_folded(random: Random) -> test_rewards.Folded:
    return test_rewards.Folded(draw_seed(random))


def draw_paying(random: Random) -> et.Tree:
    return test_folding.paying(draw_seed(random))


def draw_full(random: Random) -> et.Tree:
    return test_transform.full_tree(draw_seed(random))


def draw_expression(random: Random) -> Expression:
    return test_evaluation.random_tree(random, random.randint(0, 5))


def draw_seeds(random: Random) -> range:
    """Return the seed of one game as a range, for tests that take the seeds of many games."""
    seed = draw_seed(random)
    return range(seed, seed + 1)


def check_answers(seed: int, exact: bool, pays: bool) -> None:
    """Answer in any order; in floats, without rewards, which may round totals out of bounds."""
    test_inquiry.check_answers(seed, exact, pays and exact)


TARGETS: dict[str, Target] = {
    "expressions": from_tests(test_evaluation.check_value, tree=draw_expression),
    "search": from_tests(
        test_contract.test_every_algorithm_finds_the_value,
        test_contract.test_the_contract_holds_for_any_window,
        test_contract.test_the_window_of_evaluate_is_the_bounds,
        test_contract.test_the_mirror_negates_every_interval_exactly,
        test_contract.test_every_leaf_is_visited_at_most_once,
        test_contract.test_exact_and_float_agree,
        test_contract.test_pruning_changes_neither_the_best_action_nor_the_value_of_the_strategy,
        test_contract.test_every_visited_node_but_the_root_was_asked_for_by_a_visited_parent,
    ),
    "engines": from_tests(
        test_engines.test_the_compiled_engine_gives_identical_results,
        test_engines.test_compiled_scans_give_identical_results,
    ),
    "stopped-search": from_tests(test_engines.test_a_stopped_search_has_sound_intervals),
    "replacing": from_tests(test_replacing.test_a_tree_equals_its_copy_by_hand),
    "rewards": from_tests(
        test_rewards.test_a_search_does_the_same_in_the_folded_tree,
        chosen=among(*(one for one in EVERY if one.in_order)),
        case=draw_folded,
    ),
    "best-first": from_tests(
        test_rewards.test_best_first_proves_a_best_action,
        test_rewards.test_a_tree_with_sharing_is_worth_what_the_folded_tree_is,
        chosen=among(*BEST_FIRST),
        goal=among("value", "action"),
        case=draw_folded,
    ),
    "attitudes": from_tests(
        test_attitude.test_each_value_is_the_certainty_equivalent,
        test_attitude.test_the_mirror_negates_each_value,
        test_attitude.test_points_are_exact,
        r=among(*test_attitude.TOLERANCES),
        text=among(*test_attitude.ATTITUDES),
        reward=among(0, 7, -300),
    ),
    "columns": from_tests(
        test_adopt.test_adopt_accepts_exactly_the_valid_columns,
        test_adopt.test_columns_of_a_builder_are_adopted,
    ),
    "folding": from_tests(
        test_folding.test_a_shared_node_is_folded_if_all_its_paths_pay_the_same,
        test_folding.test_a_tree_in_fractions_pays_the_same,
        tree=draw_paying,
    ),
    "transforms": from_tests(
        test_transform.test_a_cut_tree_keeps_all_that_is_written_above_the_limit,
        test_transform.test_an_order_is_that_of_the_definition,
        test_transform.test_an_order_moves_children_and_changes_nothing_else,
        test_transform.test_folding_adds_the_rewards_on_the_way,
        tree=draw_full,
        depth=among(*range(6)),
        order=among("best", "worst", "inner"),
    ),
    "games": from_tests(
        test_random_games.test_lazy_search_finds_the_value_and_a_best_move,
        test_random_games.test_the_written_out_tree_is_the_game,
        test_random_games.test_without_merging_every_visit_is_that_of_the_written_out_tree,
        test_random_games.test_a_search_of_the_grown_tree_is_the_same_search,
        test_random_games.test_the_mirror_of_a_game_negates_every_result,
        seeds=draw_seeds,
        numbers=among("fractions", "rounded once", "floats"),
    ),
    "limit": from_tests(test_limit.check_against_all_subsets, case=draw_small_case),
    "sensitivity": from_tests(
        test_thresholds.test_thresholds_are_where_the_best_actions_change,
        test_thresholds.test_slack_leads_to_another_action,
        test_thresholds.test_a_tree_of_floats_has_the_thresholds_of_its_fractions,
        test_thresholds.test_extremes_are_those_of_the_whole_range,
        test_thresholds.test_the_best_strategy_is_worth_the_value,
        test_thresholds.test_added_amounts_change_the_decision_at_the_thresholds,
        test_thresholds.test_each_row_of_a_map_is_a_one_way_analysis,
        test_thresholds.test_break_even_points_are_where_the_value_is_reached,
        test_everywhere.test_decisions_are_those_that_optimal_play_reaches,
    ),
    "criteria": from_tests(
        test_criteria.test_random_trees_by_the_definition,
        test_frontier.test_every_strategy_of_random_trees,
    ),
    "risk": from_tests(test_risk.test_enumeration),
    "ask": from_tests(check_answers),
    "information": from_tests(
        test_joint_distribution.test_random_trees,
        test_flip.test_the_joint_distribution_stays,
        test_csv.check_table,
    ),
    "rescale": from_tests(
        test_rescale.test_values_and_best_actions_are_those_of_the_definition,
        test_rescale.test_a_positive_affine_map_changes_nothing,
        test_rescale.test_a_map_applies_to_totals,
    ),
}
