"""Radiant's YAML: names of variables, and texts that are too deep."""

from __future__ import annotations

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
