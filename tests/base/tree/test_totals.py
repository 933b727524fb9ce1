"""Tests of what a path pays in all."""

from __future__ import annotations

import expectitree as et
from expectitree.base.tree.totals import totals


def by_path(text: str) -> dict[str, float]:
    tree = et.loads(text)
    return {tree.path_of(n): float(total) for n, total in totals(tree).items()}


def test_a_total_has_all_rewards_on_the_way() -> None:
    text = "{cost: 1, max: {a: {cost: 70, chance: [200, 0]}, b: 90, c: {reward: 3, utility: 4}}}"
    assert by_path(text) == {"a/#1": 129, "a/#2": -71, "b": 89, "c": 6}
    assert by_path("5") == {"/": 5}


def test_a_shared_terminal_has_a_total_only_if_its_paths_agree() -> None:
    same = "{max: {a: {cost: 3, chance: [&x {utility: 1}, 2]}, b: {cost: 3, chance: [*x, 5]}}}"
    assert by_path(same) == {"a/#1": -2, "a/#2": -1, "b/#2": 2}
    assert by_path(same.replace("b: {cost: 3", "b: {cost: 4")) == {"a/#2": -1, "b/#2": 1}


def test_an_unknown_utility_has_no_total() -> None:
    assert by_path("max: {a: {cost: 1, utility: '?'}, b: 2}") == {"b": 2}
