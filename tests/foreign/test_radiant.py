"""Radiant's YAML: published values, names of variables, and trees of several files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers import loads

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.foreign.radiant import _identifiers as identifiers
from expectitree.searches.engine import search_tree

# The contract of the help page of Radiant (O2 in the list of published trees).
CONTRACT = """\
name: A film
variables:
    lawyer fee: 5000
    P(flop): 0.3
    P(hit): 0.6
    P(smash): 1 - P(flop) - P(hit)
type: decision
Movie:
    cost: lawyer fee
    type: chance
    Flop:
        p: P(flop)
        payoff: 200000
    Hit:
        p: P(hit)
        payoff: 1000000
    Smash:
        p: P(smash)
        payoff: 3000000
TV:
    payoff: 900000
"""


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the tree of a text, and the warnings."""
    warnings: list[str] = []
    options = {"format": "radiant", **options}
    return loads(text, name="t.yaml", warn=warnings.append, **options), warnings


def value(text: str, **options: Any) -> Any:
    """Return the value of a text."""
    return search_tree(read(text, **options)[0]).value


# ---- Reading.


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_file_is_recognised(line_end: str) -> None:
    assert value(CONTRACT.replace("name", "Name").replace("\n", line_end), format=None) == 955_000


def test_an_alias_is_an_error() -> None:
    """A text that doubles 60 times would be long."""
    text = "name: x\ntype: decision\nn0: &n0\n    payoff: 1\n"
    for n in range(1, 60):
        text += f"n{n}: &n{n}\n    type: decision\n    a: *n{n - 1}\n    b: *n{n - 1}\n"
    with pytest.raises(FileError, match="n0: an alias repeats this node: repeat its lines"):
        read(text)


def test_names_of_variables_are_replaced_longest_first() -> None:
    names = ["fee", "fee 2", "fee_2", "P(S)", "S", "P(S|+)", "P(S|-)", "max", "2nd", "é", "(", "x"]
    assert identifiers(names) == {
        "fee": "fee",
        "fee 2": "fee_2_2",
        "fee_2": "fee_2",
        "P(S)": "P_S",
        "S": "S",
        "P(S|+)": "P_S_2",
        "P(S|-)": "P_S_3",
        "max": "max_2",
        "2nd": "_2nd",
        "é": "variable",
        "(": "variable_2",
        "x": "x",
    }
    text = (
        "name: x\nvariables:\n    S: 2\n    P(S): 3\n    S 2: 5\ntype: decision\na:\n    payoff: "
    )
    assert value(f"{text}S*100 + P(S)*10 + S 2\n") == 235


def test_a_text_that_nests_too_deeply_is_an_error() -> None:
    for count in (305, 2000):
        lines = [f"{' ' * n}a:\n{' ' * n} type: decision\n" for n in range(count)]
        with pytest.raises(FileError, match="the text nests more than 300 nodes: cut the tree"):
            read(
                "name: x\ntype: decision\n"
                + "".join(lines).removesuffix("type: decision\n")
                + "payoff: 1"
            )


# ---- Trees of several files.

LAUNCH = """\
name: Launch
variables: shop
type: chance
good:
    p: p(good)
    payoff: big
bad:
    p: 1 - p(good)
    payoff: 0
"""
SHOP = """\
name: A shop
variables:
    p(good): 0.5
    build: 20
    big: 100
    half: p(good)/2
type: decision
now:
    cost: build + p(good)*10
    tree: launch
survey:
    cost: 3
    type: chance
    yes:
        p: half
        tree: launch
        cost: 16 + (1 - half)*10
        with:
            p(good): 1 - half
            big: 90
    no:
        p: 1 - half
        tree: rent
"""
RENT = "name: Rent\nvariables:\n    fee: 5\ntype: decision\nrent:\n    payoff: big/2 - fee\n"
BY_HAND = """
parameters: {p: 0.5, build: 20, big: 100, half: p/2, fee: 5}
max:
  now: {cost: build + p*10, chance: {good: {p: p, utility: big}, bad: {p: rest, utility: 0}}}
  survey:
    cost: 3
    chance:
      yes:
        p: half
        cost: 15 + (1 - half)*10 + 1
        chance: {good: {p: 1 - half, utility: 90}, bad: {p: rest, utility: 0}}
      no: {p: rest, max: {rent: big/2 - fee}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the files of a tree."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("shop", SHOP), ("launch", LAUNCH), ("rent", RENT)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def test_a_tree_of_several_files_equals_one_by_hand(folder: Path) -> None:
    """It is written with `ref` and `with`, and a parameter reaches through both."""
    tree, hand = et.load("shop.yaml"), et.loads(BY_HAND)
    again = et.loads(et.dumps(tree))
    assert "ref: n1, with: {p_good: 1 - half, big: 90}" in " ".join(et.dumps(tree).split())
    for p, big in ((0.5, 100), (0.2, 70), (1, 33)):
        expected = search_tree(hand.with_parameters(p=p, big=big))
        for one in (tree, again):
            found = search_tree(one.with_parameters(p_good=p, big=big))
            assert (found.value, found.best) == (expected.value, expected.best)
    ranges = [et.sensitivity(tree, "p_good", range=(0, 1)), et.sensitivity(hand, "p", range=(0, 1))]
    assert len({tuple(t.exact for t in one.thresholds) for one in ranges}) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "tree: launch\nsurvey",
            "tree: lunch\nsurvey",
            "shop.yaml:10:11: now: no file lunch.yaml is",
        ),
        (
            "tree: launch\ns",
            "tree: ../shop\ns",
            "now: no file ../shop.yaml is next",
        ),
        ("tree: launch\nsurvey", "tree: shop\nsurvey", "the ref 'shop' leads back to itself"),
        ("tree: rent\n", "payoff: dtree('rent')\n", "survey/no: unknown function 'dtree'"),
        ("big: 90", "bog: 90", "with: unknown parameter 'bog' (did you mean 'big'?)"),
        (
            "        cost: 16",
            "        payoff: 16",
            "yes: found payoff next to `tree`, which has its own",
        ),
        ("        p: half\n", "", "yes: this outcome has no probability"),
        ("big: 90", "big: 90 +", "survey/yes: with big: found the end after"),
        (
            "with:\n            p(good): 1 - half\n            big: 90",
            "with: x",
            "found 'x' under",
        ),
    ],
)
def test_errors_name_the_branch_in_the_main_file(
    folder: Path, old: str, new: str, message: str
) -> None:
    (folder / "shop.yaml").write_text(SHOP.replace(old, new))
    with pytest.raises(FileError, match=re.escape(message)):
        et.load("shop.yaml")


def test_errors_of_other_files(folder: Path) -> None:
    """A fault of the structure has its line there, one of a number that of the branch here."""
    (folder / "launch.yaml").write_text(LAUNCH.replace("    payoff: 0\n", ""))
    with pytest.raises(
        FileError, match=r"launch.yaml:7:1: launch/bad: this end node has no payoff"
    ):
        et.load("shop.yaml")
    (folder / "launch.yaml").write_text(LAUNCH.replace("p: p(good)", "p: 3*p(good)"))
    with pytest.raises(FileError, match=r"^shop.yaml:10:11: now/good: p is 1.5 at p_good = 0.5"):
        et.load("shop.yaml")
    (folder / "launch.yaml").write_text(LAUNCH.replace("type: c", "cost: 5\ntype: c"))
    with pytest.raises(FileError, match=r"launch.yaml:3:7: launch: the first node has a cost: mo"):
        et.load("shop.yaml")


def test_a_variable_has_the_value_of_the_main_file_or_one_value(folder: Path) -> None:
    value, warnings = search_tree(et.load("shop.yaml")).value, list[str]()
    (folder / "rent.yaml").write_text(RENT.replace("fee: 5", "fee: 5\n    big: 7"))
    assert search_tree(et.load("shop.yaml", warn=warnings.append)).value == value
    assert warnings == ["shop.yaml: rent: 'big' is a variable of the main file: that value counts"]
    (folder / "launch.yaml").write_text(LAUNCH.replace("variables: shop", "variables:\n    fee: 9"))
    message = r"shop.yaml:\d+:\d+: /: two files that this one uses give 'fee' different values"
    with pytest.raises(FileError, match=message):
        et.load("shop.yaml")
