"""Trees as nested dicts and lists of Python."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers import ROOT

import expectitree as et
from expectitree.searches.engine import search_tree

TREES = sorted((ROOT / "trees").glob("*.yaml"))


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.stem)
def test_a_tree_file_read_as_data_is_the_same_tree(path: Path) -> None:
    tree = et.load(path)
    data = json.loads(et.dumps(tree, "json"))
    assert et.dumps(et.from_dict(data)) == et.dumps(et.loads(et.dumps(tree, "json")))
    again = et.from_dict(yaml.safe_load(path.read_text("utf-8")))
    assert et.dumps(again) == et.dumps(tree)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (3, 3),
        (-2.5, Fraction(-5, 2)),
        (0.1, Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Fraction(4, 2), 2),
        (Decimal("0.10"), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (10**50, 10**50),
        (-1e-5, Fraction(-1, 10**5)),
    ],
)
def test_numbers(number: object, value: Fraction) -> None:
    assert search_tree(et.from_dict({"utility": number})).value == value
    found = et.from_dict({"max": {"a": number}, "bounds": (-(10**60), 10**60)})
    assert search_tree(found).value == value


def test_rewards_and_costs() -> None:
    coin = {"chance": [0, {"reward": Fraction(1, 2), "utility": 10}], "cost": Decimal("0.25")}
    tree = et.from_dict({"max": {"once": coin, "again": coin}, "reward": 1})
    assert len(tree) == 4
    assert [branch.reward for branch in tree.root.branches] == [-0.25, -0.25]
    assert search_tree(tree).value == 6
    again = et.from_dict(json.loads(et.dumps(tree, "json")))
    assert et.dumps(again) == et.dumps(tree)
    with pytest.raises(et.FileError, match="a reward and a cost at one node: write one"):
        et.from_dict({"max": [{"reward": 1, "cost": 1, "utility": 0}]})


def test_a_dict_at_several_places_is_one_node() -> None:
    coin: dict[str, Any] = {"chance": [0, 10]}
    tree = et.from_dict({"max": {"once": coin, "twice": {"min": [coin, coin, 5]}}})
    assert len(tree) == 6
    assert tree.unfolded == 12


def test_lists_at_several_places_are_copied() -> None:
    leaves, named = [1, 2], {"a": 1, "b": 2}
    tree = et.from_dict({"max": [{"min": leaves}, {"min": leaves}, {"min": named}, {"max": named}]})
    assert len(tree) == 13


def test_labels_and_notes_may_be_words_of_the_grammar() -> None:
    tree = et.from_dict({"max": {"max": {"min": {"max": 1, "utility": 2}}, "chance": 0, 7: 3}})
    assert [branch.label for branch in tree.root.branches] == ["max", "chance", "7"]
    assert et.evaluate(tree).value == 3


@pytest.mark.slow
def test_a_tree_may_be_deep() -> None:
    data: dict[str, Any] = {"utility": 1}
    for depth in range(20_000):
        data = {("max" if depth % 2 else "min"): [data, 0]}
    assert len(et.from_dict(data)) == 40_001


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"max": {"a": {"min": [1, {2, 3}]}}},
            "<dict>: a/#2: found an object of Python's type set",
        ),
        ({"max": {"a": float("nan")}}, "<dict>: a: NaN is not a number"),
        ({"max": {"a": float("inf")}}, "<dict>: a: 'inf' is not finite"),
        ({"max": {"a": None}}, "<dict>: a: found null as a node: write a number"),
        ({"max": {"a": True}}, "<dict>: a: found true as a node: write a number"),
        ({"maxx": [1]}, "<dict>: /: unknown key 'maxx' (did you mean 'max'?)"),
        ({"chance": [{"p": 0.5, "utility": 1}, {"p": 0.6, "utility": 1}]}, "<dict>: /: "),
        ({"max": [1], "bounds": {0, 1}}, "<dict>: /: found an object of Python's type set as"),
        ([1, 2], "<dict>: /: found [1, 2] without a kind: write `{max: [1, 2]}`"),
        ({"utility": 10**5000}, "<dict>: /: 'about 1e+5000' is not a number"),
        ({"max": [1], "expect": {"value": object()}}, "<dict>: /: expect: "),
    ],
)  # fmt: skip
def test_errors_name_the_path(data: Any, message: str) -> None:
    with pytest.raises(et.FileError) as error:
        et.from_dict(data)
    assert str(error.value).startswith(message)


def test_a_cycle_is_an_error() -> None:
    data: dict[str, Any] = {"max": {"a": {"min": [1]}}}
    data["max"]["a"]["min"].append(data)
    with pytest.raises(et.FileError, match=r"<dict>: a/#2: this dict or list contains itself"):
        et.from_dict(data)


def test_a_warning_names_the_path() -> None:
    told: list[str] = []
    et.from_dict({"chance": [{"p": 1 / 3, "utility": u} for u in (1, 2, 3)]}, warn=told.append)
    third = 0.3333333333
    et.from_dict({"chance": [{"p": third, "utility": u} for u in (1, 2, 3)]}, warn=told.append)
    assert len(told) == 1
